//! Normalised gradient descent in context: layers of attention against the algorithm, and both
//! against what is derived of them.

use popgd_core::in_context::normalized_descent::bounds::{Terms, margin_between};
use popgd_core::in_context::normalized_descent::imitation::{self, add_gradient};
use popgd_core::in_context::normalized_descent::transformer::{
    Blocks, Looped, memory, write_exact_blocks,
};
use popgd_core::in_context::normalized_descent::{Samples, signed, signed_by_relus};
use popgd_core::{Dual, Error, Interval, Scalar};
use popgd_tests::property::check;
use popgd_tests::samples::{Random, RandomSamples, greater, points};
use quickcheck::{Arbitrary, Gen};

type I = Interval<f64>;

fn number(x: f64) -> f64 {
    x
}

/// Hands over a transformer whose layer is one step.
fn with_layers<S: Scalar, R>(
    samples: Samples<'_, S>,
    query: &[S],
    rate: S,
    with: impl FnOnce(&mut Looped<'_, S>) -> R,
) -> R {
    let square = samples.features().pow(2);
    let (mut key_query, mut value) = (vec![rate; square], vec![rate; square]);
    write_exact_blocks(samples.features(), rate, &mut key_query, &mut value).unwrap();
    let mut room = vec![rate; memory(samples.count(), samples.features())];
    let blocks = Blocks { key_query: &key_query, value: &value };
    with(&mut Looped::new(samples, query, blocks, &mut room).unwrap())
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, x| greater(x.abs(), largest))
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest, (x, y)| greater((x - y).abs(), largest))
}

/// How large a step is that cancels: w after it, or η times the largest entry of a sample.
fn scale(random: &RandomSamples, weights: &[f64]) -> f64 {
    largest(weights).max(random.rate * largest(&random.rows))
}

#[test]
fn a_layer_is_a_step_to_a_few_ulp() {
    fn property(random: RandomSamples) -> bool {
        let d = random.features;
        let samples = Samples::new(d, &random.rows).unwrap();
        let mut weights = vec![0.0; d];
        let mut scratch = vec![0.0; samples.count() + d];
        with_layers(samples, &random.rows[..d], random.rate, |layers| {
            (0..random.steps).all(|_| {
                // Both from the same state: over many steps small differences may grow, if the rate
                // is beyond what is stable.
                layers.set_state(&weights).unwrap();
                let logits = largest(&random.rows) * largest(&weights) * d as f64;
                layers.step().unwrap();
                samples.step(random.rate, &mut weights, &mut scratch, number).unwrap();
                // The exponential passes on the roundings of logits, which grow with their size.
                let ulp = f64::EPSILON * scale(&random, &weights);
                apart(layers.state(), &weights) <= (8.0 + logits) * ulp
                    && layers.read_out().is_finite()
            })
        })
    }
    check(1000, property as fn(RandomSamples) -> bool);
}

/// Overlapping, and narrow.
fn proves_a_layer(random: &RandomSamples, tolerance: f64) -> f64 {
    let d = random.features;
    let rows = points(&random.rows);
    let samples = Samples::new(d, &rows).unwrap();
    let rate = I::point(random.rate);
    let mut middle = vec![0.0; d];
    let mut scratch = vec![rate; samples.count() + d];
    let mut widest = 0.0_f64;
    with_layers(samples, &rows[..d], rate, |layers| {
        for step in 0..random.steps {
            let mut weights = points(&middle);
            layers.set_state(&weights).unwrap();
            layers.step().unwrap();
            samples.step(rate, &mut weights, &mut scratch, |x| x.midpoint()).unwrap();
            for (a, b) in layers.state().iter().zip(&weights) {
                assert!(!a.is_disjoint_from(*b), "step {step}: {a:?} {b:?}");
            }
            middle = weights.iter().map(|x| x.midpoint()).collect();
            let size = scale(random, &middle);
            let width = layers.state().iter().chain(&weights).map(|x| x.width() / size);
            widest = width.fold(widest, greater);
            assert!(widest <= tolerance, "step {step} of {}: {widest:e}", random.steps);
        }
    });
    widest
}

#[test]
fn a_layer_is_a_step_for_certain() {
    fn property(random: RandomSamples) -> bool {
        proves_a_layer(&random, 1e-12);
        true
    }
    check(1000, property as fn(RandomSamples) -> bool);
}

/// Samples of the largest sizes, every other time with a hyperplane that separates them.
#[derive(Clone, Debug)]
struct Largest(RandomSamples);

impl Arbitrary for Largest {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut g = Random::of(g);
        let mut random = RandomSamples::of(&mut g, 20, 500, 200);
        random.rows = g.normals(10_000);
        if g.between(0, 1) == 0 {
            random.rows.iter_mut().step_by(20).for_each(|x| *x = x.abs() + 0.1);
        }
        let radius = 1.0001 * random.radius();
        random.rows.iter_mut().for_each(|x| *x /= radius);
        random.rate = 1.0;
        Self(random)
    }
}

/// Two instances in every run of the tests, 1000 with `POPGD_LONG=1`.
#[test]
fn a_layer_is_a_step_for_certain_at_the_largest_sizes() {
    fn property(Largest(random): Largest) -> bool {
        proves_a_layer(&random, 1e-12);
        true
    }
    let is_long = std::env::var("POPGD_LONG").as_deref() == Ok("1");
    check(if is_long { 1000 } else { 2 }, property as fn(Largest) -> bool);
}

/// After all layers, with nothing set on the way: rounding errors add up, and no more, as long as
/// ηR² ≤ 1, since the steps of descent then do not lead apart.
#[test]
fn many_layers_are_many_steps() {
    fn property(random: RandomSamples) -> bool {
        if random.rate * random.radius().powi(2) > 1.0 {
            return true;
        }
        let d = random.features;
        let samples = Samples::new(d, &random.rows).unwrap();
        let (mut weights, mut scratch) = (vec![0.0; d], vec![0.0; samples.count() + d]);
        with_layers(samples, &random.rows[..d], random.rate, |layers| {
            for _ in 0..random.steps {
                layers.step().unwrap();
                samples.step(random.rate, &mut weights, &mut scratch, number).unwrap();
            }
            let off = apart(layers.state(), &weights);
            let reached = largest(&weights) + random.rate * largest(&random.rows);
            off <= 16.0 * random.steps as f64 * f64::EPSILON * reached
        })
    }
    check(300, property as fn(RandomSamples) -> bool);
}

/// Every column is a query: those of the samples receive what that of the query does.
#[test]
fn the_columns_of_samples_carry_the_same_state() {
    let rows = [1.0, 0.5, -0.25, 2.0, 0.5, 0.75];
    let samples = Samples::new(2, &rows).unwrap();
    with_layers(samples, &[0.3, -0.4], 0.5, |layers| {
        for _ in 0..5 {
            // Each sample has the state that the query has.
            let mut columns = layers.columns().to_vec();
            let state = layers.state().to_vec();
            columns.chunks_exact_mut(4).for_each(|column| column[2..].copy_from_slice(&state));
            let layer = layers.layer();
            let (mut output, mut scratch) = (vec![0.0; 16], vec![0.0; layer.scratch(4)]);
            layer.apply(&columns, 0..4, |_, key| key < 3, &mut output, &mut scratch).unwrap();
            layers.step().unwrap();
            for (at, column) in output.chunks_exact(4).enumerate() {
                assert_eq!(column[..2], columns[4 * at..4 * at + 2]);
                assert_eq!(&column[2..], layers.state());
            }
        }
        assert_eq!(layers.read_out(), 0.3 * layers.state()[0] - 0.4 * layers.state()[1]);
    });
}

/// From layer to layer the attention follows exponentiated gradient on ½‖Zᵀq‖².
#[test]
fn attention_descends_in_the_dual() {
    fn property(random: RandomSamples) -> bool {
        let (d, steps) = (random.features, random.steps.min(5));
        let rows = points(&random.rows);
        let samples = Samples::new(d, &rows).unwrap();
        let rate = I::point(random.rate);
        let n = samples.count();
        with_layers(samples, &rows[..d], rate, |layers| {
            let (mut before, mut after) = (vec![rate; n], vec![rate; n]);
            layers.attention(&mut before).unwrap();
            (0..steps).all(|_| {
                let state: Vec<f64> = layers.state().iter().map(|x| x.midpoint()).collect();
                layers.set_state(&points(&state)).unwrap();
                layers.attention(&mut before).unwrap();
                layers.step().unwrap();
                layers.attention(&mut after).unwrap();
                // q⁺ ∝ q e^{−η ZZᵀq}
                let mut gradient = vec![I::point(0.0); d];
                for (row, &share) in samples.rows().zip(&before) {
                    gradient.iter_mut().zip(row).for_each(|(sum, &x)| *sum = *sum + share * x);
                }
                let logits: Vec<I> =
                    samples.rows().map(|row| -(rate * rate.dot(row, &gradient))).collect();
                let mut moved = vec![rate; n];
                I::softmax(Some(&before), &logits, &mut moved);
                moved
                    .iter()
                    .zip(&before)
                    .zip(&after)
                    .all(|((&factor, &share), after)| !(factor * share).is_disjoint_from(*after))
            })
        })
    }
    check(200, property as fn(RandomSamples) -> bool);
}

/// Samples with ‖z‖ ≤ 1 whose margin γ is known exactly: two of them are (γ, v) and (γ, −v/2), and
/// all others lie beyond γ along the first axis.
#[derive(Clone, Debug)]
struct KnownMargin {
    margin: f64,
    features: usize,
    rows: Vec<f64>,
    rate: f64,
}

impl Arbitrary for KnownMargin {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut g = Random::of(g);
        let of_64 = |x: f64| (x * 64.0).floor() / 64.0;
        let (features, count) = (g.between(2, 5), g.between(2, 30));
        let margin = of_64(0.05 + 0.75 * g.uniform());
        let mut rows = Vec::new();
        for index in 0..count {
            let beyond = of_64(margin + (0.99 - margin) * g.uniform()).max(margin);
            let along = if index < 2 { margin } else { beyond };
            let mut rest = g.normals(features - 1);
            let length = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
            let most = (1.0 - along * along).sqrt() * 0.99;
            rest.iter_mut().for_each(|x| *x *= most / length);
            if index == 1 {
                // Half of the first and its length, the other way: 1/3 and 2/3 of both are (γ, 0).
                rest = rows[1..features].iter().map(|x: &f64| -0.5 * x).collect();
            }
            rows.push(along);
            rows.extend(rest);
        }
        Self { margin, features, rows, rate: (1.0 + g.between(0, 255) as f64) / 256.0 }
    }
}

impl KnownMargin {
    /// Looks at an enclosed run after every step: t, w, the margins z·w, Zᵀq at w.
    fn watch(&self, steps: u32, mut look: impl FnMut(&Terms<I>, I, &[I], &[I], &[I])) {
        let d = self.features;
        let rows = points(&self.rows);
        let samples = Samples::new(d, &rows).unwrap();
        let n = samples.count();
        let rate = I::point(self.rate);
        let one = rate.one();
        let terms = Terms { samples: one.integer(n as i64), radius: one, rate };
        let (mut weights, mut scratch) = (vec![one.zero(); d], vec![one; n + d]);
        let (mut margins, mut direction) = (vec![one; n], vec![one; d]);
        for step in 1..=steps {
            samples.step(rate, &mut weights, &mut scratch, |x| x.midpoint()).unwrap();
            samples.margins(&weights, &mut margins).unwrap();
            let mut exponentials = margins.clone();
            samples.direction(&mut exponentials, 0, &mut direction).unwrap();
            look(&terms, one.integer(i64::from(step)), &weights, &margins, &direction);
        }
    }
}

fn square(numbers: &[I]) -> I {
    numbers.iter().fold(I::point(0.0), |sum, x| sum + x.square())
}

/// min_i over enclosures.
fn minimum(numbers: &[I]) -> I {
    numbers.iter().copied().reduce(I::min).unwrap()
}

/// In intervals, of the exact run: nothing that a bound excludes, and for the most part what it
/// asserts, for certain.
#[test]
fn margin_and_dual_bounds_hold_for_certain() {
    fn property(known: KnownMargin) -> bool {
        let margin = I::point(known.margin);
        let half = margin.rational(1, 2);
        let mut holds = true;
        known.watch(16, |terms, step, weights, margins, direction| {
            let gap = half * square(direction) - half * margin.square();
            let allowed = terms.dual_gap(step);
            let (smallest, norm) = (minimum(margins), square(weights).sqrt());
            let deficit = margin * norm - smallest;
            let distance = margin - smallest / norm;
            let bounds = [
                (gap, allowed),
                (deficit, terms.margin_deficit()),
                (distance, terms.margin_gap(margin, step)),
            ];
            for (found, allowed) in bounds {
                holds &= found.is_number() && found.hi() <= allowed.lo();
            }
            // γ itself is between any margin and any ‖Zᵀq‖.
            let at = (0..margins.len())
                .min_by(|&a, &b| margins[a].hi().total_cmp(&margins[b].hi()))
                .unwrap();
            let (below, above) = margin_between(margins, at, weights, direction).unwrap();
            holds &= below.lo() <= known.margin && known.margin <= above.hi();
            holds &= below.width() < 1e-3 && above.width() < 1e-3;
        });
        holds
    }
    check(300, property as fn(KnownMargin) -> bool);
}

/// Far from the start, in floats; and the margin is reached as fast as the bound says, no faster.
#[test]
fn margins_approach_like_one_over_t() {
    let known = KnownMargin {
        margin: 0.25,
        features: 2,
        rows: vec![0.25, 0.9, 0.25, -0.45, 0.5, 0.75, 0.75, 0.5],
        rate: 1.0,
    };
    let samples = Samples::new(2, &known.rows).unwrap();
    let terms = Terms { samples: 4.0, radius: 1.0, rate: 1.0 };
    let (mut weights, mut scratch, mut margins) = ([0.0; 2], [0.0; 6], [0.0; 4]);
    let mut gaps = Vec::new();
    for step in 1..=100_000_u32 {
        samples.step(known.rate, &mut weights, &mut scratch, number).unwrap();
        samples.margins(&weights, &mut margins).unwrap();
        let smallest = margins.iter().copied().fold(f64::INFINITY, f64::min);
        let gap = known.margin - smallest / weights[0].hypot(weights[1]);
        assert!(gap <= terms.margin_gap(known.margin, f64::from(step)) + 1e-12, "{step}");
        if [1_000, 10_000, 100_000].contains(&step) {
            gaps.push(gap);
        }
    }
    for pair in gaps.windows(2) {
        let order = (pair[0] / pair[1]).log10();
        assert!((order - 1.0).abs() < 0.02, "{order}");
    }
}

/// Whether separable or not, the dual gap stays below its bound; γ = 0 if not.
#[test]
fn the_dual_bound_needs_no_margin() {
    // Labels that nothing separates: γ = 0, and Zᵀq tends to 0.
    let rows = [0.5, 0.1, -0.5, 0.3, 0.2, -0.6, -0.1, 0.4];
    let samples = Samples::new(2, &rows).unwrap();
    let terms = Terms { samples: 4.0, radius: 1.0, rate: 1.0 };
    let (mut weights, mut scratch) = ([0.0; 2], [0.0; 6]);
    let (mut margins, mut direction) = ([0.0; 4], [0.0; 2]);
    for step in 1..=1000_u32 {
        samples.step(1.0, &mut weights, &mut scratch, number).unwrap();
        samples.margins(&weights, &mut margins).unwrap();
        samples.direction(&mut margins, 0, &mut direction).unwrap();
        let gap = 0.5 * (direction[0].powi(2) + direction[1].powi(2));
        assert!(gap <= terms.dual_gap(f64::from(step)), "{step}: {gap}");
    }
    assert!(direction[0].hypot(direction[1]) < 1e-12 && largest(&weights) < 10.0);
}

#[test]
fn logits_beyond_the_exponential_are_no_hindrance() {
    let rows = [1.0, 2.0, 1.0, -2.0];
    let samples = Samples::new(2, &rows).unwrap();
    let mut weights = [3e5, 1.0];
    // By its definition, the ratio is 0/0 there.
    let loss: f64 = rows.chunks_exact(2).map(|z| (-z[0] * 3e5 - z[1]).exp()).sum();
    assert_eq!(loss, 0.0);
    with_layers(samples, &[1.0, 0.0], 1.0, |layers| {
        layers.set_state(&weights).unwrap();
        layers.step().unwrap();
        samples.step(1.0, &mut weights, &mut [0.0; 4], number).unwrap();
        assert!(apart(layers.state(), &weights) <= 1e-10);
    });
    // −w·z_2 is larger than −w·z_1 by 4: q = (1, e⁴)/(1 + e⁴).
    let second = 1.0 / (1.0 + (-4.0_f64).exp());
    assert_eq!(weights[0], 3e5 + 1.0);
    assert!((weights[1] - (1.0 + 2.0 - 4.0 * second)).abs() < 1e-9, "{weights:?}");

    // A reference far from the smallest margin overflows, and says so.
    let mut margins = [0.0, 1e5];
    let found = samples.direction(&mut margins, 1, &mut [0.0; 2]);
    assert_eq!(found, Err(Error::NotFinite { what: "direction of descent" }));
}

#[test]
fn one_sample_is_followed_for_ever() {
    let samples = Samples::new(2, &[0.75, -0.5]).unwrap();
    with_layers(samples, &[1.0, 1.0], 0.5, |layers| {
        for step in 1..=200_u32 {
            layers.step().unwrap();
            assert_eq!(layers.state(), [0.375 * f64::from(step), -0.25 * f64::from(step)]);
        }
    });
}

#[test]
fn wrong_inputs_are_refused() {
    let empty: Error = Samples::<f64>::new(2, &[]).unwrap_err();
    assert_eq!(empty, Error::Empty { what: "samples" });
    assert_eq!(Samples::new(0, &[1.0]).unwrap_err(), Error::Empty { what: "features" });
    assert!(matches!(Samples::new(2, &[1.0; 3]), Err(Error::Length { .. })));
    for wrong in [f64::NAN, f64::INFINITY] {
        let found = Samples::new(1, &[1.0, wrong]).unwrap_err();
        assert_eq!(found, Error::NotFinite { what: "samples" });
    }
    // Products that overflow.
    let samples = Samples::new(1, &[1e300, -1e300]).unwrap();
    let found = samples.step(1.0, &mut [1e300], &mut [0.0; 3], number);
    assert_eq!(found, Err(Error::NotFinite { what: "margins" }));
    with_layers(samples, &[1.0], 1.0, |layers| {
        layers.set_state(&[1e300]).unwrap();
        assert!(matches!(layers.step(), Err(Error::NotFinite { .. })));
        assert_eq!(
            layers.set_state(&[]).unwrap_err(),
            Error::Length { what: "weights", expected: 1, found: 0 }
        );
    });
    let found = signed(1, &[1.0, 2.0], &[1.0, 0.5], &mut [0.0; 2]);
    assert_eq!(found, Err(Error::NotALabel { index: 1 }));
}

#[test]
fn relus_apply_the_label() {
    fn property(entries: Vec<i16>, label: bool) -> bool {
        let x: Vec<f64> = entries.iter().map(|&x| f64::from(x) / 1024.0).collect();
        let y = if label { 1.0 } else { -1.0 };
        let (mut by_product, mut by_relus) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let labels = vec![y; x.len()];
        signed(1, &x, &labels, &mut by_product).unwrap();
        signed_by_relus(1, &x, &labels, 32.0, &mut by_relus).unwrap();
        by_product == by_relus
    }
    check(1000, property as fn(Vec<i16>, bool) -> bool);

    // Of numbers with all their digits within two roundings of 2B; enclosed in any case.
    fn enclosed(seed: i32, label: bool) -> bool {
        let (x, y) = (f64::from(seed) / 3e9, if label { 1.0 } else { -1.0 });
        let (mut float, mut interval) = ([0.0], [I::point(0.0)]);
        signed_by_relus(1, &[x], &[y], 1.0, &mut float).unwrap();
        let one = I::point(1.0);
        signed_by_relus(1, &[I::point(x)], &[I::point(y)], one, &mut interval).unwrap();
        (float[0] - x * y).abs() <= 2.0 * f64::EPSILON && interval[0].contains(x * y)
    }
    check(1000, enclosed as fn(i32, bool) -> bool);
}

/// The weights of the logistic loss are no softmax: only when all margins are large are the
/// directions the same.
#[test]
fn the_logistic_loss_agrees_in_the_limit_only() {
    let rows = [1.0, 0.2, 0.5, -0.7, 0.9, 0.4];
    let samples = Samples::new(2, &rows).unwrap();
    let gap = |length: f64| {
        let weights = [0.8 * length, 0.1 * length];
        let (mut margins, mut direction) = ([0.0; 3], [0.0; 2]);
        samples.margins(&weights, &mut margins).unwrap();
        // Of ln(1 + e^{−m}) the derivative is −σ(−m); both gradients over the sum of their weights.
        let shares = margins.map(|m| 1.0 / (1.0 + m.exp()));
        let sum: f64 = shares.iter().sum();
        let logistic = |at: usize| {
            rows.chunks_exact(2).zip(shares).map(|(z, share)| z[at] * share / sum).sum::<f64>()
        };
        samples.direction(&mut margins, 0, &mut direction).unwrap();
        (direction[0] - logistic(0)).hypot(direction[1] - logistic(1))
    };
    assert!(gap(2.0) > 0.02, "{}", gap(2.0));
    assert!(gap(40.0) < 1e-6 && gap(40.0) < 1e-3 * gap(20.0), "{} {}", gap(20.0), gap(40.0));
}

#[test]
fn the_gradient_of_imitation_is_the_derivative() {
    type D = Dual<f64, 8>;
    fn property(seed: u64) -> bool {
        let mut g = Random::new(seed);
        let mut draw = |count: usize| g.normals(count);
        let (rows, key_query, value) = (draw(10), draw(4), draw(4));
        let (weights, target) = (draw(2), draw(2));
        let samples = Samples::new(2, &rows).unwrap();
        let blocks = Blocks { key_query: &key_query, value: &value };
        let mut room = vec![0.0; memory(5, 2)];
        let mut run = Looped::new(samples, &[0.0; 2], blocks, &mut room).unwrap();
        run.set_state(&weights).unwrap();
        let (mut by_key_query, mut by_value) = ([0.0; 4], [0.0; 4]);
        let mut scratch = vec![0.0; imitation::scratch(5, 2)];
        let slopes = (&mut by_key_query[..], &mut by_value[..]);
        let loss = add_gradient(&mut run, &samples, blocks, &target, slopes, &mut scratch).unwrap();

        // The same layer over numbers that know their derivatives.
        let constant =
            |numbers: &[f64]| numbers.iter().map(|&x| D::constant(x)).collect::<Vec<_>>();
        let variable = |numbers: &[f64], from: usize| -> Vec<D> {
            numbers.iter().enumerate().map(|(k, &x)| D::variable(x, from + k)).collect()
        };
        let (rows, key_query, value) =
            (constant(&rows), variable(&key_query, 0), variable(&value, 4));
        let samples = Samples::new(2, &rows).unwrap();
        let mut room = vec![D::constant(0.0); memory(5, 2)];
        let blocks = Blocks { key_query: &key_query, value: &value };
        let zeros = constant(&[0.0; 2]);
        let mut run = Looped::new(samples, &zeros, blocks, &mut room).unwrap();
        run.set_state(&constant(&weights)).unwrap();
        run.step().unwrap();
        let off = |at: usize| run.state()[at] - D::constant(weights[at] + target[at]);
        let direct = (off(0).square() + off(1).square()) * D::constant(0.5);
        let slopes: Vec<f64> = by_key_query.iter().chain(&by_value).copied().collect();
        (direct.value - loss).abs() <= 1e-12 * (1.0 + loss)
            && apart(&direct.derivative, &slopes) <= 1e-12 * (1.0 + largest(&slopes))
    }
    check(200, property as fn(u64) -> bool);
}

/// Trains B and V from zero; returns both.
fn train(steps: u32, seed: u64) -> (Vec<f64>, Vec<f64>) {
    const FEATURES: usize = 4;
    const SAMPLES: usize = 16;
    const BATCH: usize = 256;
    let mut g = Random::new(seed);
    let (mut key_query, mut value) = (vec![0.0; 16], vec![0.0; 16]);
    let mut room = vec![0.0; memory(SAMPLES, FEATURES)];
    let mut scratch = vec![0.0; imitation::scratch(SAMPLES, FEATURES)];
    for _ in 0..steps {
        let (mut by_key_query, mut by_value) = ([0.0; 16], [0.0; 16]);
        for _ in 0..BATCH {
            let (rows, weights) = (g.normals(SAMPLES * FEATURES), g.normals(FEATURES));
            let samples = Samples::new(FEATURES, &rows).unwrap();
            let mut target = weights.clone();
            let mut step_room = [0.0; SAMPLES + FEATURES];
            samples.step(1.0, &mut target, &mut step_room, number).unwrap();
            target.iter_mut().zip(&weights).for_each(|(x, w)| *x -= w);
            let blocks = Blocks { key_query: &key_query, value: &value };
            let mut run = Looped::new(samples, &[0.0; FEATURES], blocks, &mut room).unwrap();
            run.set_state(&weights).unwrap();
            let slopes = (&mut by_key_query[..], &mut by_value[..]);
            add_gradient(&mut run, &samples, blocks, &target, slopes, &mut scratch).unwrap();
        }
        for (weight, slope) in key_query.iter_mut().zip(by_key_query) {
            *weight -= 0.3 / BATCH as f64 * slope;
        }
        for (weight, slope) in value.iter_mut().zip(by_value) {
            *weight -= 0.3 / BATCH as f64 * slope;
        }
    }
    (key_query, value)
}

/// ‖block − factor · I‖.
fn off_identity(block: &[f64], factor: f64) -> f64 {
    let entries = block.iter().enumerate();
    let off = entries.map(|(at, x)| x - if at % 5 == 0 { factor } else { 0.0 });
    off.map(|x| x * x).sum::<f64>().sqrt()
}

/// A layer that was trained on normal samples, looped on others: shifted, and with heavy tails
/// (Student's t with 2 degrees of freedom), brought into the unit ball, where ηR² ≤ 1.
#[test]
fn a_layer_learns_the_step_and_is_looped_elsewhere() {
    let (key_query, value) = train(1500, 0);
    assert!(off_identity(&value, 1.0) < 1e-13, "{:e}", off_identity(&value, 1.0));
    assert!(off_identity(&key_query, -1.0) < 1e-13, "{:e}", off_identity(&key_query, -1.0));
    let mut g = Random::new(7);
    for shift in 0..20 {
        let mut rows: Vec<f64> = (0..64).map(|_| g.student(2)).collect();
        rows.chunks_exact_mut(4).for_each(|row| row[0] += 0.25 * f64::from(shift));
        let radius = rows.chunks_exact(4).map(|z| z.iter().map(|x| x * x).sum::<f64>().sqrt());
        let radius = radius.fold(0.0, greater);
        rows.iter_mut().for_each(|x| *x /= radius);
        let samples = Samples::new(4, &rows).unwrap();
        let mut room = vec![0.0; memory(16, 4)];
        let blocks = Blocks { key_query: &key_query, value: &value };
        let mut run = Looped::new(samples, &[0.0; 4], blocks, &mut room).unwrap();
        let (mut weights, mut scratch) = ([0.0; 4], [0.0; 20]);
        for _ in 0..300 {
            run.step().unwrap();
            samples.step(1.0, &mut weights, &mut scratch, number).unwrap();
        }
        let off = apart(run.state(), &weights) / largest(&weights);
        assert!(off < 1e-12, "shift {shift}: {off:e}");
    }
}

#[test]
fn training_converges_geometrically() {
    let off: Vec<f64> = [300, 600, 900].map(|steps| off_identity(&train(steps, 1).1, 1.0)).into();
    for pair in off.windows(2) {
        assert!(pair[1] < 1e-2 * pair[0], "{off:?}");
    }
}
