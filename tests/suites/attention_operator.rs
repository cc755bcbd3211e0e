//! Attention as an operator on measures: softmax attention against the definition, and what is
//! derived of both.

use popgd_core::in_context::attention::Attention;
use popgd_core::in_context::attention_operator::recovery::{self, enclose, solve, write_equations};
use popgd_core::in_context::attention_operator::{
    Measure, add_prompt, bounds, rate_of_log_moment, slope,
};
use popgd_core::{Dual, Error, Interval, Scalar};
use popgd_tests::property::check;
use popgd_tests::samples::{Random, RandomMeasure, greater, points};

type I = Interval<f64>;

fn number(x: f64) -> f64 {
    x
}

fn middle(x: I) -> f64 {
    x.midpoint()
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, x| greater(x.abs(), largest))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest, (x, y)| greater((x - y).abs(), largest))
}

fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The operator by its definition.
fn operator<S: Scalar>(
    measure: &Measure<'_, S>,
    matrix: &[S],
    query: &[S],
    approximate: fn(S) -> f64,
) -> Result<Vec<S>, Error> {
    let (mut along, mut mean) = (query.to_vec(), query.to_vec());
    slope(matrix, query, &mut along)?;
    let reference = measure.reference(&along, approximate);
    measure.tilt(&along, reference, &mut mean)?;
    Ok(mean)
}

/// One head of softmax attention over the atoms as tokens, each standing for as many as its weight
/// says; the query comes last and is no key.
fn attend<S: Scalar>(atoms: &[S], weights: &[S], matrix: &[S], query: &[S]) -> Vec<S> {
    let width = query.len();
    let columns = [atoms, query].concat();
    let counts = [weights, &[query[0].one()]].concat();
    let layer = Attention {
        key_query: Some(matrix),
        key_counts: Some(&counts),
        ..Attention::uniform(width)
    };
    let n = weights.len();
    let mut output = vec![query[0]; (n + 1) * layer.output_width()];
    let mut scratch = vec![query[0]; layer.scratch(n + 1)];
    layer.apply(&columns, n..n + 1, |_, key| key < n, &mut output, &mut scratch).unwrap();
    output[output.len() - width..].to_vec()
}

/// A bound of |ξ·y|, whose roundings the exponential passes on.
fn logits(random: &RandomMeasure) -> f64 {
    let (norm_of, d) = (norm(&random.matrix) * norm(&random.query), random.dimension);
    random.atoms.chunks_exact(d).map(|atom| norm(atom) * norm_of).fold(0.0, greater)
}

#[test]
fn attention_is_the_operator_to_a_few_ulp() {
    fn property(random: RandomMeasure) -> bool {
        let measure = Measure::new(random.dimension, &random.atoms, Some(&random.weights)).unwrap();
        let value = operator(&measure, &random.matrix, &random.query, number).unwrap();
        let head = attend(&random.atoms, &random.weights, &random.matrix, &random.query);
        let ulp = f64::EPSILON * largest(&random.atoms);
        apart(&value, &head) <= (8.0 + 2.0 * logits(&random)) * ulp
    }
    check(1000, property as fn(RandomMeasure) -> bool);
}

/// Overlapping; how wide, relative to the largest coordinate of an atom.
fn proves_attention(random: &RandomMeasure) -> f64 {
    let [atoms, weights, matrix, query] =
        [&random.atoms, &random.weights, &random.matrix, &random.query].map(|x| points(x));
    let measure = Measure::new(random.dimension, &atoms, Some(&weights)).unwrap();
    let value = operator(&measure, &matrix, &query, middle).unwrap();
    let head = attend(&atoms, &weights, &matrix, &query);
    for (a, b) in value.iter().zip(&head) {
        assert!(!a.is_disjoint_from(*b), "{a:?} {b:?}");
    }
    value.iter().chain(&head).map(|x| x.width()).fold(0.0, greater) / largest(&random.atoms)
}

#[test]
fn attention_is_the_operator_for_certain() {
    fn property(random: RandomMeasure) -> bool {
        let width = proves_attention(&random);
        // Of large logits the exponential loses digits: an ulp of theirs is its relative error.
        width <= 1e-12 * (logits(&random) / 400.0).max(1.0)
    }
    check(1000, property as fn(RandomMeasure) -> bool);
}

#[test]
fn attention_is_the_operator_on_64_atoms_in_8_dimensions() {
    let mut g = Random::new(0);
    for _ in 0..1000 {
        let mut random = RandomMeasure::of(&mut g, 8, 64);
        // ‖y‖ ≤ 1, and logits of a few units.
        let radius = random.atoms.chunks_exact(8).map(norm).fold(0.0, greater);
        random.atoms.iter_mut().for_each(|x| *x /= radius);
        let width = proves_attention(&random);
        assert!(width <= 1e-12, "{width:e}");
    }
}

/// The empirical measure: each token counts once, and as often as it is there.
#[test]
fn tokens_are_their_empirical_measure() {
    let (atoms, matrix, query) = ([1.0, 0.5, -2.0, 0.25], [0.5, 1.0, -1.0, 0.0], [0.75, 0.5]);
    let tokens = [atoms[..2].repeat(3), atoms[2..].repeat(2)].concat();
    let empirical = Measure::new(2, &tokens, None).unwrap();
    let weighted = Measure::new(2, &atoms, Some(&[3.0, 2.0])).unwrap();
    assert_eq!((empirical.mass(), weighted.mass()), (5.0, 5.0));
    let (a, b) = (
        operator(&empirical, &matrix, &query, number).unwrap(),
        operator(&weighted, &matrix, &query, number).unwrap(),
    );
    assert!(apart(&a, &b) < 1e-15);
    assert!(apart(&attend(&tokens, &[1.0; 5], &matrix, &query), &b) < 1e-15);
}

/// A_μ(x) is the gradient of ln M_μ at Aᵀx.
#[test]
fn the_operator_is_the_gradient_of_the_log_moment() {
    type D = Dual<f64, 8>;
    fn property(random: RandomMeasure) -> bool {
        let d = random.dimension;
        let constant = |x: &f64| D::constant(*x);
        let atoms: Vec<D> = random.atoms.iter().map(constant).collect();
        let weights: Vec<D> = random.weights.iter().map(constant).collect();
        let measure = Measure::new(d, &atoms, Some(&weights)).unwrap();
        let along: Vec<D> =
            random.query.iter().enumerate().map(|(k, &x)| D::variable(x, k)).collect();
        let mut mean = along.clone();
        let reference = measure.reference(&along, |x| x.value);
        let moment = measure.log_moment(&along, reference, &mut mean).unwrap();
        let value: Vec<f64> = mean.iter().map(|x| x.value).collect();
        let size = largest(&random.atoms);
        apart(&moment.derivative[..d], &value) <= 1e-13 * size * (1.0 + size * norm(&random.query))
    }
    check(300, property as fn(RandomMeasure) -> bool);
}

/// With values of the operator alone, ln M_μ is known: enclosed by sums over the ends of pieces, and
/// by quadrature to nearly all digits.
#[test]
fn the_log_moment_is_an_integral_of_the_operator() {
    const PIECES: i64 = 64;
    let mut g = Random::new(3);
    for _ in 0..20 {
        let mut random = RandomMeasure::of(&mut g, 8, 64);
        let radius = random.atoms.chunks_exact(8).map(norm).fold(0.0, greater);
        random.atoms.iter_mut().for_each(|x| *x /= radius);
        let [atoms, weights, along] =
            [&random.atoms, &random.weights, &random.query].map(|x| points(x));
        let measure = Measure::new(8, &atoms, Some(&weights)).unwrap();
        let mut mean = along.clone();
        let reference = measure.reference(&along, middle);
        let moment = measure.log_moment(&along, reference, &mut mean).unwrap();
        let mut scratch = vec![along[0]; 16];
        let mut rate =
            |time: I| rate_of_log_moment(&measure, &along, time, middle, &mut scratch).unwrap();
        let zero = I::point(0.0);
        let rates: Vec<I> = (0..=PIECES).map(|k| rate(zero.rational(k, PIECES))).collect();
        let sum =
            |rates: &[I]| rates.iter().fold(zero, |sum, &x| sum + x) * zero.rational(1, PIECES);
        let (below, above) = (sum(&rates[..64]), sum(&rates[1..]));
        assert!(below.lo() <= moment.hi() && moment.lo() <= above.hi());
        assert!(above.hi() - below.lo() < 0.2 && moment.width() < 1e-13);

        // Gauss and Legendre's three nodes on every piece: an error of order six.
        let floats = Measure::new(8, &random.atoms, Some(&random.weights)).unwrap();
        let mut scratch = [0.0; 16];
        let mut integral = 0.0;
        for piece in 0..PIECES {
            for (node, weight) in [(-0.6_f64.sqrt(), 5.0), (0.0, 8.0), (0.6_f64.sqrt(), 5.0)] {
                let time = (piece as f64 + 0.5 + 0.5 * node) / PIECES as f64;
                let rate =
                    rate_of_log_moment(&floats, &random.query, time, number, &mut scratch).unwrap();
                integral += weight / 18.0 * rate / PIECES as f64;
            }
        }
        assert!((integral - moment.midpoint()).abs() < 1e-12, "{integral} {moment:?}");
    }
}

/// What is found of known atoms from values of the operator.
struct Recovered {
    floats: Vec<f64>,
    condition: f64,
    enclosures: Vec<I>,
}

/// Recovers weights from the operator at as many queries as are given.
fn recover(atoms: &[f64], weights: &[f64], slopes: &[Vec<f64>]) -> Result<Recovered, Error> {
    let d = slopes[0].len();
    let n = weights.len();
    let rows = slopes.len() * d;
    let (enclosed_atoms, enclosed_weights) = (points(atoms), points(weights));
    let truth = Measure::new(d, &enclosed_atoms, Some(&enclosed_weights)).unwrap();
    let known = Measure::new(d, &enclosed_atoms, None).unwrap();
    let mut equations = vec![I::point(0.0); rows * n];
    let mut mean = vec![I::point(0.0); d];
    for (along, part) in slopes.iter().zip(equations.chunks_exact_mut(d * n)) {
        let along = points(along);
        let reference = truth.reference(&along, middle);
        truth.tilt(&along, reference, &mut mean)?;
        write_equations(&known, &along, &mean, known.reference(&along, middle), part)?;
    }
    let approximate: Vec<f64> = equations.iter().map(|x| x.midpoint()).collect();
    let (mut floats, mut picked) = (vec![0.0; n], vec![0; n]);
    let mut room = vec![0.0; recovery::scratch(rows, n)];
    let solved = solve(&approximate, &mut floats, &mut picked, &mut room)?;
    let mut enclosures = vec![I::point(0.0); n];
    let mut scratch = enclosures.clone();
    let inverse = &room[..n * n];
    enclose(&equations, &picked, inverse, &floats, &mut enclosures, &mut scratch)?;
    Ok(Recovered { floats, condition: solved.condition, enclosures })
}

#[test]
fn weights_are_recovered() {
    let mut g = Random::new(5);
    for _ in 0..10 {
        let random = RandomMeasure::of(&mut g, 8, 64);
        let mut atoms = g.normals(64 * 8);
        let radius = atoms.chunks_exact(8).map(norm).fold(0.0, greater);
        atoms.iter_mut().for_each(|x| *x /= radius);
        let slopes: Vec<Vec<f64>> =
            atoms.chunks_exact(8).map(|atom| atom.iter().map(|x| 6.0 * x).collect()).collect();
        let found = recover(&atoms, &random.weights, &slopes).unwrap();
        let sum: f64 = random.weights.iter().sum();
        let exact: I = points(&random.weights).iter().fold(I::point(0.0), |sum, &x| sum + x);
        let mut widest = 0.0_f64;
        for (at, &weight) in random.weights.iter().enumerate() {
            assert!((found.floats[at] - weight / sum).abs() < 1e-15 * found.condition);
            let share = I::point(weight) / exact;
            assert!(!found.enclosures[at].is_disjoint_from(share));
            widest = widest.max(found.enclosures[at].width());
        }
        assert!(widest < 1e-11, "{widest:e}, condition {:e}", found.condition);
    }
}

/// A weight that is 0 is found to be 0, and points on a line are no hindrance; but the same point
/// twice is, for nothing tells its two weights apart, and so are too few queries.
#[test]
fn only_what_is_determined_is_recovered() {
    let atoms = [-1.0, -0.5, -0.5, -0.25, 0.25, 0.125, 1.0, 0.5];
    let weights = [0.25, 0.0, 0.5, 0.25];
    let slopes: Vec<Vec<f64>> = (-2..=2).map(|k| vec![f64::from(k), 0.5 * f64::from(k)]).collect();
    let found = recover(&atoms, &weights, &slopes).unwrap();
    for (share, enclosure) in weights.iter().zip(&found.enclosures) {
        assert!(enclosure.contains(*share) && enclosure.width() < 1e-11, "{enclosure:?}");
    }
    let few = recover(&atoms, &weights, &slopes[..1]);
    assert_eq!(few.err(), Some(Error::Singular));
    let twice = [-1.0, -0.5, 0.25, 0.125, 0.25, 0.125, 1.0, 0.5];
    assert_eq!(recover(&twice, &weights, &slopes).err(), Some(Error::Singular));
    let one = recover(&atoms[..2], &[3.0], &slopes).unwrap();
    assert!(one.enclosures[0].contains(1.0));
}

/// Draws tokens of a measure.
fn sample(g: &mut Random, random: &RandomMeasure, count: usize) -> Vec<f64> {
    let sum: f64 = random.weights.iter().sum();
    let mut tokens = Vec::new();
    for _ in 0..count {
        let mut left = sum * g.uniform();
        let drawn = random.weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let d = random.dimension;
        let at = drawn.unwrap_or(0);
        tokens.extend_from_slice(&random.atoms[at * d..(at + 1) * d]);
    }
    tokens
}

/// A measure in the unit ball, with some query.
fn in_unit_ball(g: &mut Random, dimension: usize, count: usize) -> RandomMeasure {
    let mut random = RandomMeasure::of(g, dimension, count);
    let radius = random.atoms.chunks_exact(dimension).map(norm).fold(0.0, greater);
    random.atoms.iter_mut().for_each(|x| *x /= 1.0001 * radius);
    random
}

#[test]
fn sampling_errs_like_the_root_of_the_number_of_tokens() {
    const RISK: f64 = 1e-6;
    let mut g = Random::new(11);
    let random = in_unit_ball(&mut g, 3, 20);
    let measure = Measure::new(3, &random.atoms, Some(&random.weights)).unwrap();
    let along = [0.75, -0.5, 0.25];
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let exact = operator(&measure, &identity, &along, number).unwrap();
    let sizes = [64_usize, 256, 1024, 4096];
    let mut errors = Vec::new();
    for count in sizes {
        let bound = bounds::sampling(1.0, norm(&along), RISK, count as f64);
        let mut square = 0.0;
        for _ in 0..400 {
            let tokens = sample(&mut g, &random, count);
            let tokens = Measure::new(3, &tokens, None).unwrap();
            let value = operator(&tokens, &identity, &along, number).unwrap();
            let off = apart(&value, &exact);
            assert!(off <= bound, "{count}: {off} {bound}");
            square += value.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        }
        errors.push((square / 400.0).sqrt());
    }
    let slope = (errors[3] / errors[0]).ln() / 64.0_f64.ln();
    assert!((slope + 0.5).abs() < 0.02, "{slope} {errors:?}");
}

/// ‖A_μ(x; A + E) − A_μ(x; A)‖ ≤ R²‖Eᵀx‖, for certain, E of any size and rank.
#[test]
fn fine_tuning_changes_no_more_than_it_may() {
    fn property(seed: u64) -> bool {
        let mut g = Random::new(seed);
        let (d, n) = (g.between(1, 8), g.between(1, 64));
        let random = in_unit_ball(&mut g, d, n);
        let size = 10.0_f64.powf(4.0 * g.uniform() - 3.0);
        let rank = g.between(1, d);
        let (left, right) = (g.normals(d * rank), g.normals(rank * d));
        let change: Vec<f64> = (0..d * d)
            .map(|at| {
                (0..rank).map(|k| size * left[at / d * rank + k] * right[k * d + at % d]).sum()
            })
            .collect();
        let [atoms, weights, matrix, query] =
            [&random.atoms, &random.weights, &random.matrix, &random.query].map(|x| points(x));
        let change = points(&change);
        let tuned: Vec<I> = matrix.iter().zip(&change).map(|(&a, &e)| a + e).collect();
        let measure = Measure::new(d, &atoms, Some(&weights)).unwrap();
        let before = operator(&measure, &matrix, &query, middle).unwrap();
        let after = operator(&measure, &tuned, &query, middle).unwrap();
        let mut shift = query.clone();
        slope(&change, &query, &mut shift).unwrap();
        let length =
            |numbers: &[I]| numbers.iter().fold(I::point(0.0), |sum, x| sum + x.square()).sqrt();
        let moved: Vec<I> = after.iter().zip(&before).map(|(&a, &b)| a - b).collect();
        let bound = bounds::fine_tuning(I::point(1.0), length(&shift));
        assert!(length(&moved).hi() <= bound.lo(), "{:?} {bound:?}", length(&moved));
        true
    }
    check(500, property as fn(u64) -> bool);
}

/// E = UVᵀ acts through Uᵀx alone; and what it does is linear up to second order.
#[test]
fn low_rank_fine_tuning_acts_through_few_numbers() {
    let mut g = Random::new(13);
    let random = in_unit_ball(&mut g, 4, 16);
    let measure = Measure::new(4, &random.atoms, Some(&random.weights)).unwrap();
    let (query, right) = ([1.0, 1.0, 0.5, 2.0], g.normals(4));
    let tuned = |left: [f64; 4]| -> Vec<f64> {
        let entry = |at: usize| random.matrix[at] + left[at / 4] * right[at % 4];
        (0..16).map(entry).collect()
    };
    let before = operator(&measure, &random.matrix, &query, number).unwrap();
    // Uᵀx = 0: nothing changes, however large E is.
    let blind = operator(&measure, &tuned([8.0, -8.0, 0.0, 0.0]), &query, number).unwrap();
    assert!(apart(&blind, &before) < 1e-13);
    // Two U with the same Uᵀx: the same change.
    let one = operator(&measure, &tuned([0.5, 0.0, 0.0, 0.0]), &query, number).unwrap();
    let other = operator(&measure, &tuned([0.0, 0.0, 0.0, 0.25]), &query, number).unwrap();
    assert!(apart(&one, &other) < 1e-14 && apart(&one, &before) > 1e-3);

    // The derivative along E, by duals; what is left is of second order.
    type D = Dual<f64, 1>;
    let constant = |numbers: &[f64]| numbers.iter().map(|&x| D::constant(x)).collect::<Vec<_>>();
    let (atoms, weights) = (constant(&random.atoms), constant(&random.weights));
    let along: Vec<D> = (0..16)
        .map(|at| {
            let change = if at / 4 == 0 { right[at % 4] } else { 0.0 };
            D::constant(random.matrix[at]) + D::variable(0.0, 0) * D::constant(change)
        })
        .collect();
    let lifted = Measure::new(4, &atoms, Some(&weights)).unwrap();
    let linear = operator(&lifted, &along, &constant(&query), |x| x.value).unwrap();
    let remainder = |size: f64| {
        let after = operator(&measure, &tuned([size, 0.0, 0.0, 0.0]), &query, number).unwrap();
        let predicted: Vec<f64> = linear.iter().map(|x| x.value + size * x.derivative[0]).collect();
        apart(&after, &predicted)
    };
    let order = (remainder(1e-2) / remainder(1e-3)).log10();
    assert!((order - 2.0).abs() < 0.05, "{order}");
}

/// Prompt tokens beside others are a mixture of two operators, exactly; and they move it no more
/// than they may.
#[test]
fn prompts_mix_operators() {
    fn property(seed: u64) -> bool {
        let mut g = Random::new(seed);
        let (d, n, k) = (g.between(1, 8), g.between(1, 48), g.between(1, 16));
        let (random, prompt) = (in_unit_ball(&mut g, d, n), in_unit_ball(&mut g, d, k));
        let [tokens, prompts, matrix, query] =
            [&random.atoms, &prompt.atoms, &random.matrix, &random.query].map(|x| points(x));
        let mut along = query.clone();
        slope(&matrix, &query, &mut along).unwrap();
        let (own, beside) =
            (Measure::new(d, &tokens, None).unwrap(), Measure::new(d, &prompts, None).unwrap());
        let reference = own.reference(&along, middle);
        let (mut mean, mut other) = (query.clone(), query.clone());
        let moment = own.tilt(&along, reference, &mut mean).unwrap();
        let before = mean.clone();
        let prompt_moment = beside.tilt(&along, reference, &mut other).unwrap();
        let share = add_prompt(moment, &mut mean, prompt_moment, &other).unwrap();

        let ones = vec![query[0].one(); n + k];
        let together = attend(&[&tokens[..], &prompts].concat(), &ones, &matrix, &query);
        let length = |a: &[I], b: &[I]| {
            let squares = a.iter().zip(b).map(|(&x, &y)| (x - y).square());
            squares.fold(I::point(0.0), |sum, x| sum + x).sqrt()
        };
        let zeros = vec![I::point(0.0); d];
        let count = |number: usize| query[0].integer(number as i64);
        let one = query[0].one();
        let bound = bounds::prompt(one, length(&along, &zeros), count(n), count(k));
        let moved = length(&mean, &before);
        // Exactly α times how far the two operators are apart.
        let apart = share * length(&other, &before);
        mean.iter().zip(&together).all(|(a, b)| !a.is_disjoint_from(*b) && a.width() < 1e-12)
            && !moved.is_disjoint_from(apart)
            && moved.hi() <= bound.lo()
            && share.lo() > 0.0
            && share.hi() < 1.0 + 1e-15
    }
    check(500, property as fn(u64) -> bool);
}

#[test]
fn wrong_measures_are_refused() {
    let nothing = Measure::<f64>::new(2, &[], None).unwrap_err();
    assert_eq!(nothing, Error::Empty { what: "atoms" });
    assert_eq!(Measure::new(0, &[1.0], None).unwrap_err(), Error::Empty { what: "coordinates" });
    assert!(matches!(Measure::new(2, &[1.0; 3], None), Err(Error::Length { .. })));
    assert!(matches!(Measure::new(1, &[1.0; 3], Some(&[1.0])), Err(Error::Length { .. })));
    let found = Measure::new(1, &[1.0, f64::NAN], None).unwrap_err();
    assert_eq!(found, Error::NotFinite { what: "atoms" });
    let found = Measure::new(1, &[1.0, 2.0], Some(&[0.0; 2])).unwrap_err();
    assert_eq!(found, Error::NotPositive { what: "sum of the weights of atoms" });
    let found = Measure::new(1, &[1.0, 2.0], Some(&[2.0, -1.0])).unwrap_err();
    assert_eq!(found, Error::NotPositive { what: "weights of atoms" });
    // Products that overflow.
    let measure = Measure::new(1, &[1e300, -1e300], None).unwrap();
    let reference = measure.reference(&[1e300], number);
    let found = measure.tilt(&[1e300], reference, &mut [0.0]);
    assert_eq!(found, Err(Error::NotFinite { what: "exponential moments of the measure" }));
    // A reference that is far off.
    let measure = Measure::new(1, &[1.0, 2.0], None).unwrap();
    for reference in [-1e4, 1e4] {
        assert!(matches!(
            measure.tilt(&[1.0], reference, &mut [0.0]),
            Err(Error::NotFinite { .. })
        ));
    }
}

/// Exponents beyond what has an exponential; and atoms of weight 0 that would win, and overflow.
#[test]
fn large_exponents_are_no_hindrance() {
    let atoms = [1000.0, 999.0, 1e9];
    let measure = Measure::new(1, &atoms, Some(&[1.0, 1.0, 0.0])).unwrap();
    let value = operator(&measure, &[1.0], &[1.0], number).unwrap()[0];
    let share = 1.0 / (1.0 + (-1.0_f64).exp());
    assert!((value - (999.0 + share)).abs() < 1e-12);
    assert!((attend(&atoms, &[1.0, 1.0, 0.0], &[1.0], &[1.0])[0] - value).abs() < 1e-12);
    // Far apart the largest takes all.
    let measure = Measure::new(1, &[-1000.0, 1000.0], None).unwrap();
    assert_eq!(operator(&measure, &[1.0], &[1.0], number).unwrap(), [1000.0]);
    // At 0 it is the mean.
    assert_eq!(operator(&measure, &[1.0], &[0.0], number).unwrap(), [0.0]);
}
