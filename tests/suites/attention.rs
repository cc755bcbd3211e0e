//! The general attention layer against what its definition says, entry by entry.

use popgd_core::in_context::attention::{Attention, Join, causal};
use popgd_core::{Error, Interval, Scalar};
use popgd_tests::property::check;
use quickcheck::Gen;

/// Numbers between −2 and 2, of few digits.
fn numbers(count: usize, g: &mut Gen) -> Vec<f64> {
    use quickcheck::Arbitrary;
    (0..count).map(|_| f64::from(i8::arbitrary(g)) / 64.0).collect()
}

/// A layer with everything that a layer can have.
#[derive(Clone, Debug)]
struct Case {
    tokens: usize,
    width: usize,
    values: usize,
    relative: usize,
    columns: Vec<f64>,
    key_query: Vec<f64>,
    relative_scores: Vec<f64>,
    bias: Vec<f64>,
    counts: Vec<f64>,
    value: Vec<f64>,
    relative_values: Vec<f64>,
}

impl quickcheck::Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut size = |most: usize| usize::arbitrary(g) % most + 1;
        let (tokens, width, values, relative, reach) =
            (size(7), size(3), size(3), size(2), size(8));
        let mut counts = numbers(tokens, g);
        counts.iter_mut().for_each(|count| *count = count.abs());
        Self {
            tokens,
            width,
            values,
            relative,
            columns: numbers(tokens * width, g),
            key_query: numbers(width * width, g),
            relative_scores: numbers(reach * width, g),
            bias: numbers(tokens, g),
            counts,
            value: numbers(values * width, g),
            relative_values: numbers(reach * relative, g),
        }
    }
}

/// Every other key, no later than the query.
fn sparse(query: usize, key: usize) -> bool {
    causal(query, key) && (query + key).is_multiple_of(2)
}

/// The output as the definition says it, with exponentials and quotients.
fn by_definition(case: &Case, query: usize) -> Option<Vec<f64>> {
    let d = case.width;
    let column = |i: usize| &case.columns[i * d..][..d];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut sum = 0.0;
    let mut result = vec![0.0; case.values + case.relative];
    for key in (0..case.tokens).filter(|&key| sparse(query, key)) {
        let mut score = case.bias[key];
        for (row, &x) in column(query).iter().enumerate() {
            score += x * dot(&case.key_query[row * d..][..d], column(key));
        }
        let at = query - key;
        if let Some(table) = case.relative_scores.chunks(d).nth(at) {
            score += dot(table, column(query));
        }
        let weight = case.counts[key] * score.exp();
        sum += weight;
        for (slot, row) in result.iter_mut().zip(case.value.chunks(d)) {
            *slot += weight * dot(row, column(key));
        }
        if let Some(table) = case.relative_values.chunks(case.relative).nth(at) {
            for (slot, &x) in result[case.values..].iter_mut().zip(table) {
                *slot += weight * x;
            }
        }
    }
    (sum > 0.0)
        .then(|| column(query).iter().copied().chain(result.iter().map(|x| x / sum)).collect())
}

fn lift<S: Scalar>(context: S, values: &[f64]) -> Vec<S> {
    values.iter().map(|&x| context.lift(x)).collect()
}

/// The output of one query over any scalar.
fn by_layer<S: Scalar>(context: S, case: &Case, query: usize) -> Result<Vec<S>, Error> {
    let l = |values: &[f64]| lift(context, values);
    let (key_query, scores, bias, counts) =
        (l(&case.key_query), l(&case.relative_scores), l(&case.bias), l(&case.counts));
    let (value, relative_values) = (l(&case.value), l(&case.relative_values));
    let layer = Attention {
        width: case.width,
        key_query: Some(&key_query),
        relative_scores: &scores,
        key_bias: Some(&bias),
        key_counts: Some(&counts),
        value: Some(&value),
        relative_values: &relative_values,
        relative_width: case.relative,
        join: Join::Concatenate,
    };
    let width = layer.output_width();
    let mut output = vec![context; width * case.tokens];
    let mut scratch = vec![context; layer.scratch(case.tokens)];
    layer.apply(&l(&case.columns), query..query + 1, sparse, &mut output, &mut scratch)?;
    let kept = output.chunks(width).enumerate().filter(|&(i, _)| i != query);
    for (_, row) in kept {
        assert!(row[case.width..].iter().all(|x| x.is_zero()), "only what is asked for attends");
    }
    Ok(output[query * width..][..width].to_vec())
}

#[test]
fn a_layer_does_what_its_definition_says() {
    fn property(case: Case) -> bool {
        (0..case.tokens).all(|query| {
            let found = by_layer(1.0_f64, &case, query);
            let enclosed = by_layer(Interval::point(1.0_f64), &case, query);
            match by_definition(&case, query) {
                None => found == Err(Error::NoKeys { query }) && enclosed.err() == found.err(),
                Some(expected) => {
                    let (found, enclosed) = (found.unwrap(), enclosed.unwrap());
                    expected.len() == found.len()
                        && expected.iter().zip(&found).all(|(x, y)| (x - y).abs() < 1e-12)
                        && found
                            .iter()
                            .zip(&enclosed)
                            .all(|(x, y)| (x - y.midpoint()).abs() < 1e-12 && y.width() < 1e-12)
                }
            }
        })
    }
    check(300, property as fn(Case) -> bool);
}

/// w⁺ = w + η Σ softmax(−Zw)ᵢ zᵢ, one step of normalised gradient descent, as a residual layer whose
/// last column is the query and is no key.
#[test]
fn a_residual_layer_adds() {
    let (eta, w) = (0.5, [0.25, -1.0]);
    let z = [[1.0, 2.0], [-0.5, 0.75], [3.0, 1.0]];
    // Columns [zᵢ; w], and the query [0; w]; scores −w·zⱼ; values [0; η zⱼ].
    let mut columns: Vec<f64> = z.iter().flat_map(|z| [z[0], z[1], w[0], w[1]]).collect();
    columns.extend([0.0, 0.0, w[0], w[1]]);
    let mut key_query = [0.0; 16];
    (key_query[8], key_query[13]) = (-1.0, -1.0);
    let mut value = [0.0; 16];
    (value[8], value[13]) = (eta, eta);
    let layer = Attention {
        key_query: Some(&key_query),
        value: Some(&value),
        join: Join::Add,
        ..Attention::uniform(4)
    };
    let mut output = [0.0; 16];
    let mut scratch = vec![0.0; layer.scratch(4)];
    layer.apply(&columns, 3..4, |_, key| key < 3, &mut output, &mut scratch).unwrap();
    let weights = z.map(|z| (-(w[0] * z[0] + w[1] * z[1])).exp());
    let total: f64 = weights.iter().sum();
    for k in 0..2 {
        let gradient = (0..3).map(|i| weights[i] / total * z[i][k]).sum::<f64>();
        assert!((output[14 + k] - (w[k] + eta * gradient)).abs() < 1e-15);
    }
    assert_eq!(output[..14], columns[..14], "nothing else moves");
}

#[test]
fn counts_are_a_bias_of_their_logarithm_and_a_mask_where_they_are_zero() {
    let columns = [1.0, -2.0, 5.0, 0.5];
    let counts = [3.0, 0.0, 0.25, 1.0];
    let bias = counts.map(|n: f64| if n > 0.0 { n.ln() } else { 0.0 });
    let everywhere = |_: usize, _: usize| true;
    let mut by_counts = [0.0; 4];
    let mut by_bias = [0.0; 4];
    let weighted = Attention { key_counts: Some(&counts), ..Attention::uniform(1) };
    let biased = Attention { key_bias: Some(&bias), ..Attention::uniform(1) };
    let mut scratch = vec![0.0; weighted.scratch(4)];
    weighted.weights(&columns, 0, everywhere, &mut by_counts, &mut scratch).unwrap();
    biased.weights(&columns, 0, |_, key| key != 1, &mut by_bias, &mut scratch).unwrap();
    assert_eq!(by_counts[1], 0.0);
    for (x, y) in by_counts.iter().zip(by_bias) {
        assert!((x - y).abs() < 1e-15);
    }
}

#[test]
fn scores_beyond_the_range_of_exponentials_are_weighed_and_infinite_ones_refused() {
    let bias = [1e300, -1e300, 1e300];
    let layer = Attention { key_bias: Some(&bias), ..Attention::uniform(1) };
    let (mut weights, mut scratch) = ([0.0; 3], vec![0.0; layer.scratch(3)]);
    let all = |_: usize, _: usize| true;
    layer.weights(&[1.0; 3], 0, all, &mut weights, &mut scratch).unwrap();
    assert_eq!(weights, [0.5, 0.0, 0.5]);
    let infinite = [f64::INFINITY, 0.0, 0.0];
    let layer = Attention { key_bias: Some(&infinite), ..layer };
    let refused = layer.weights(&[1.0; 3], 0, all, &mut weights, &mut scratch);
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
    // A mask forbids it before it is looked at.
    layer.weights(&[1.0; 3], 0, |_, key| key > 0, &mut weights, &mut scratch).unwrap();
    assert_eq!(weights, [0.0, 0.5, 0.5]);
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let layer = Attention::<f64>::uniform(2);
    let mut scratch = vec![0.0; layer.scratch(3)];
    let mut output = vec![0.0; 12];
    let refusal = |layer: Attention<'_, f64>, columns: &[f64], queries| {
        layer
            .apply(columns, queries, causal, &mut output.clone(), &mut scratch.clone())
            .unwrap_err()
    };
    assert!(matches!(refusal(layer, &[], 0..0), Error::Empty { .. }));
    assert!(matches!(refusal(layer, &[0.0; 5], 0..2), Error::Length { .. }));
    assert!(matches!(refusal(layer, &[0.0; 6], 0..4), Error::Index { index: 3, tokens: 3 }));
    let key_query = Some(&[0.0; 3][..]);
    assert!(matches!(
        refusal(Attention { key_query, ..layer }, &[0.0; 6], 0..3),
        Error::Length { .. }
    ));
    let added = Attention { join: Join::Add, value: Some(&[0.0; 2]), ..layer };
    assert!(matches!(refusal(added, &[0.0; 6], 0..3), Error::Length { .. }));
    let short = layer.apply(&[0.0; 6], 0..3, causal, &mut output, &mut scratch[1..]);
    assert!(matches!(short, Err(Error::Length { expected: 16, found: 15, .. })));
}
