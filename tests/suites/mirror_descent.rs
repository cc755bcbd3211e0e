//! The three-layer transformer against mirror descent, and mirror descent against exact Bayes.

use num_bigint::BigInt;
use num_rational::BigRational;
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::{Error, Interval, Scalar};
use popgd_tests::mixture::{Instance, uniform};
use popgd_tests::property::check;
use popgd_tests::samples::greater;
use quickcheck::{Arbitrary, Gen};

type Enclosure = Interval<f64>;

/// The weight of ghosts: 2^−140, far below all rounding.
const GHOSTS: f64 = 1.0 / (1_u128 << 100) as f64 / (1_u64 << 40) as f64;

/// Sizes up to q = 10, m = 6, T = 200, some transitions being 0.
#[derive(Clone, Debug)]
struct Large(Instance);

impl Arbitrary for Large {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut size = |least: usize, most: usize| usize::arbitrary(g) % (most - least + 1) + least;
        let (alphabet, order) = (size(2, 10), size(1, 6));
        let length = size(order, 200);
        let sparse = (size(0, 2) == 0).then_some(3);
        Self(Instance::draw([alphabet, order, length], sparse, g))
    }
}

fn size<F: Fn(f64, f64) -> f64>(values: &[f64], others: &[f64], of: F) -> f64 {
    values.iter().zip(others).map(|(&x, &y)| of(x, y)).fold(0.0, greater)
}

/// The largest logit that the algorithm has, at least 1: rounding it is the least that floats do.
fn largest_logit(instance: &Instance, rate: f64) -> f64 {
    let even = vec![1.0 / instance.order as f64; instance.order];
    let mut gradient = even.clone();
    let mixture = Mixture::new(instance.alphabet, instance.order, &instance.transitions).unwrap();
    mixture.gradient(&instance.tokens, &even, &mut gradient).unwrap();
    gradient.iter().fold(1.0, |most, &slope| greater(most, rate * slope))
}

#[test]
fn the_transformer_is_a_step_of_mirror_descent() {
    fn property(Large(instance): Large) -> bool {
        let rate = 1.0 / (instance.order as f64 + 1.0);
        let (weights, next) = instance.attend(rate, None).unwrap();
        let algorithm = instance.descend(rate, 1).unwrap();
        let off = size(&weights, &algorithm, |x, y| (x - y).abs());
        let sum: f64 = next.iter().sum();
        assert!((sum - 1.0).abs() < 1e-14, "{sum}");
        // A rounding of the logits, and not more than some of λ.
        off <= f64::EPSILON * largest_logit(&instance, rate) && off < 32.0 * f64::EPSILON
    }
    check(1000, property as fn(Large) -> bool);
}

#[test]
fn enclosures_of_both_overlap_and_are_narrow() {
    fn property(Large(instance): Large) -> bool {
        let one = Enclosure::point(1.0);
        let rate = one / one.integer(instance.order as i64 + 1);
        let (weights, _) = instance.attend(rate, None).unwrap();
        let algorithm = instance.descend(rate, 1).unwrap();
        weights.iter().zip(&algorithm).all(|(x, y)| {
            assert!(!x.intersection(*y).is_empty(), "{x:?} {y:?}");
            [x, y].iter().all(|z| z.width() <= 1e-12 * z.lo())
        })
    }
    check(1000, property as fn(Large) -> bool);
}

#[test]
fn single_precision_agrees_to_its_own_rounding() {
    fn property(Large(instance): Large) -> bool {
        let rate = 1.0 / (instance.order as f32 + 1.0);
        let (weights, _) = instance.attend(rate, None).unwrap();
        let double = instance.descend(f64::from(rate), 1).unwrap();
        let scale = largest_logit(&instance, f64::from(rate)) * f64::from(f32::EPSILON);
        weights.iter().zip(double).all(|(&x, y)| (f64::from(x) - y).abs() < 4.0 * scale)
    }
    check(100, property as fn(Large) -> bool);
}

#[test]
fn two_layers_a_step_are_several_steps() {
    fn property(Large(mut instance): Large) -> bool {
        instance.tokens.truncate(40);
        let order = instance.order as i64;
        (0..4).all(|steps| {
            let rate = 1.0_f64.rational(1, order + 1);
            let (weights, next) = instance.stack(rate, steps, GHOSTS).unwrap();
            let algorithm = instance.descend(rate, steps).unwrap();
            let off = size(&weights, &algorithm, |x, y| (x - y).abs());
            assert!((next.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            off < 1e-12
        })
    }
    check(60, property as fn(Large) -> bool);

    fn enclosed(Large(mut instance): Large) -> bool {
        instance.tokens.truncate(20);
        let one = Enclosure::point(1.0);
        let rate = one.rational(1, instance.order as i64 + 1);
        let (weights, _) = instance.stack(rate, 3, Enclosure::point(GHOSTS)).unwrap();
        let algorithm = instance.descend(rate, 3).unwrap();
        // The transformer is exactly the algorithm at λ + ε, which no enclosure here tells apart.
        weights
            .iter()
            .zip(&algorithm)
            .all(|(x, y)| !x.intersection(*y).is_empty() && x.width() < 1e-10 && y.width() < 1e-10)
    }
    check(20, enclosed as fn(Large) -> bool);
}

/// Each step from a point λ, so that nothing widens from step to step.
#[test]
fn two_layers_are_a_step_for_certain() {
    fn proves(instance: &Instance, steps: usize) -> bool {
        let one = Enclosure::point(1.0);
        let rate = one.rational(1, instance.order as i64 + 1);
        let mut logits = vec![0.0; instance.order];
        (0..steps).all(|_| {
            let points: Vec<Enclosure> = logits.iter().map(|&z| Enclosure::point(z)).collect();
            let (weights, next) =
                instance.stack_from(&points, rate, Enclosure::point(GHOSTS)).unwrap();
            let [after, algorithm, expected] = instance.step(&points, rate).unwrap();
            let most = after.iter().fold(f64::NEG_INFINITY, |most, z| most.max(z.midpoint()));
            logits = after.iter().map(|z| z.midpoint() - most).collect();
            [(weights, algorithm), (next, expected)].iter().all(|(layers, steps)| {
                // Relative to the largest entry, which a distribution has.
                let size = steps.iter().map(|p| p.lo()).fold(0.0, greater);
                layers.iter().zip(steps).all(|(x, y)| {
                    let widest = greater(x.width(), y.width());
                    assert!(widest <= 1e-12 * size, "{:e}", widest / size);
                    !x.is_disjoint_from(*y)
                })
            })
        })
    }
    fn property(Large(instance): Large) -> bool {
        proves(&instance, 2)
    }
    // At the largest sizes, of 4 steps each.
    fn largest(seed: u64) -> bool {
        proves(&some_instance([10, 6, 200], seed), 4)
    }
    check(40, property as fn(Large) -> bool);
    check(2, largest as fn(u64) -> bool);
}

#[test]
fn ghosts_that_are_not_light_show() {
    // The gradient is that at λ + ε: not the algorithm's, but by O(ε).
    let instance = some_instance([4, 3, 30], 5);
    let rate = 0.25;
    let exact = instance.descend(rate, 3).unwrap();
    let off = |power: f64| {
        let (weights, _) = instance.stack(rate, 3, (-power).exp()).unwrap();
        size(&weights, &exact, |x, y| (x - y).abs())
    };
    let slope = (off(8.0) / off(6.0)).ln() / 2.0;
    assert!(off(6.0) > 1e-4 && (slope + 1.0).abs() < 0.05, "{slope}");
}

/// Drawn from a seed.
fn some_instance(sizes: [usize; 3], seed: u64) -> Instance {
    Instance::draw(sizes, None, &mut Gen::from_size_and_seed(100, seed))
}

#[test]
fn finite_masks_leak_as_e_to_the_minus_their_strength() {
    for seed in 0..5 {
        let instance = some_instance([10, 3, 30], seed);
        let (exact, _) = instance.attend(0.25, None).unwrap();
        let leak = |strength: f64| {
            let (weights, _) = instance.attend(0.25, Some(strength)).unwrap();
            size(&weights, &exact, |x, y| (x - y).abs())
        };
        // Before, terms in e^{−2δ} show.
        let slope = (leak(18.0) / leak(12.0)).ln() / 6.0;
        assert!((slope + 1.0).abs() < 0.02, "{slope}");
        let bound = |strength: f64| 0.5 * 0.25 * 9.0 * (-strength).exp();
        assert!(leak(12.0) <= 1.01 * bound(12.0) && leak(16.0) <= 1.01 * bound(16.0));
        assert!(leak(400.0) < 1e-12);
    }
}

/// π = 1/q + ε (π − 1/q).
fn nearly_uniform(instance: &Instance, epsilon: f64) -> Instance {
    let even = 1.0 / instance.alphabet as f64;
    let near = instance.transitions.iter().map(|p| even + epsilon * (p - even)).collect();
    Instance { transitions: near, ..instance.clone() }
}

#[test]
fn one_step_is_the_posterior_mean_to_first_order_at_the_right_rate_alone() {
    for (seed, (order, a)) in [(1, (2, 1.0)), (2, (3, 1.0)), (3, (3, 0.5)), (4, (4, 2.0))] {
        let instance = some_instance([5, order, order + 15], seed);
        let right = 1.0 / (order as f64 * a + 1.0);
        let order_at = |rate: f64| {
            let off = |epsilon: f64| {
                let near = nearly_uniform(&instance, epsilon);
                let step = near.descend(rate, 1).unwrap();
                size(&step, &near.bayes(a).unwrap(), |x, y| (x - y).abs())
            };
            (off(1.0 / 512.0) / off(1.0 / 1024.0)).log2()
        };
        // With two lags the remainder is odd in what tells them apart, and has no second order.
        let claimed = if order == 2 { 3.0 } else { 2.0 };
        assert!((order_at(right) - claimed).abs() < 0.05, "{}", order_at(right));
        for wrong in [0.5 * right, 1.1 * right, 1.0] {
            assert!((order_at(wrong) - 1.0).abs() < 0.05, "{wrong}: {}", order_at(wrong));
        }
    }
}

#[test]
fn the_posterior_is_within_the_error_of_drawn_weights() {
    let instance = some_instance([6, 4, 30], 7);
    let exact = instance.bayes(1.0).unwrap();
    let mixture = Mixture::new(6, 4, &instance.transitions).unwrap();
    let mut uniform = uniform(11);
    let draws = 20_000;
    let (mut total, mut squares) = (0.0, 0.0);
    let mut sums = [0.0; 4];
    let mut weights = [0.0; 4];
    for _ in 0..draws {
        sampling::uniform_distribution(&mut weights, &mut uniform);
        let likelihood = mixture.log_likelihood(&instance.tokens, &weights).unwrap().exp();
        total += likelihood;
        squares += likelihood * likelihood;
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += likelihood * weight);
    }
    let effective = total * total / squares;
    for (sum, mean) in sums.iter().zip(exact) {
        // A weight deviates by less than 1/2 from its mean.
        assert!((sum / total - mean).abs() < 4.0 * 0.5 / effective.sqrt(), "{effective}");
    }
    assert!(effective > 100.0);
}

/// Mirror descent from any λ, on the log-likelihood: before and after.
fn step(instance: &Instance, weights: &[f64], rate: f64) -> (f64, f64) {
    let mixture = Mixture::new(instance.alphabet, instance.order, &instance.transitions).unwrap();
    let mut logits: Vec<f64> = weights.iter().map(|x| x.ln()).collect();
    let (mut after, mut gradient) = (weights.to_vec(), weights.to_vec());
    mixture.step(&instance.tokens, rate, &mut logits, &mut after, &mut gradient).unwrap();
    let value = |weights: &[f64]| mixture.log_likelihood(&instance.tokens, weights).unwrap();
    (value(weights), value(&after))
}

#[test]
fn a_step_of_a_rate_up_to_one_over_l_never_lowers_the_likelihood() {
    fn property(Large(instance): Large, seed: u64) -> bool {
        let mixture =
            Mixture::new(instance.alphabet, instance.order, &instance.transitions).unwrap();
        let Ok(smoothness) = mixture.smoothness(&instance.tokens) else { return true };
        let mut weights = vec![0.0; instance.order];
        sampling::uniform_distribution(&mut weights, uniform(seed));
        let rate = if smoothness > 0.0 { 1.0 / smoothness } else { 1.0 };
        let (before, after) = step(&instance, &weights, rate);
        after >= before - 1e-12 * before.abs().max(1.0)
    }
    check(500, property as fn(Large, u64) -> bool);
}

#[test]
fn no_constant_without_a_floor_on_the_transitions_is_enough() {
    // Token 0 follows itself with probability 1e−6, 1 almost surely, and 2 with probability 1e−4.
    let transitions = vec![1e-6, 1.0 - 1e-6, 0.0, 1.0 - 1e-6, 1e-6, 0.0, 1e-4, 1.0 - 1e-4, 0.0];
    let instance = Instance { alphabet: 3, order: 2, transitions, tokens: vec![2, 1, 0, 0] };
    // The rate 1/((T − m) m²).
    let (before, after) = step(&instance, &[1e-4, 1.0 - 1e-4], 1.0 / 8.0);
    assert!(after < before - 1.0, "{before} {after}");

    // One token of evidence, p = (1, 1e−4).
    let transitions = vec![0.0, 1.0, 1e-4, 1.0 - 1e-4];
    let one = Instance { alphabet: 2, order: 2, transitions, tokens: vec![1, 0, 1] };
    let mixture = Mixture::new(2, 2, &one.transitions).unwrap();
    let enclosed: Vec<Enclosure> = one.transitions(Enclosure::point(1.0));
    let enclosed = Mixture::new(2, 2, &enclosed).unwrap().smoothness(&one.tokens).unwrap();
    let smoothness = mixture.smoothness(&one.tokens).unwrap();
    // p = (π(0,1), π(1,1)) = (1, 1 − 1e−4): hardly any spread.
    assert!(smoothness < 1e-8 && enclosed.contains(smoothness));
    let transitions = vec![1e-4, 1.0 - 1e-4, 1.0, 0.0];
    let one = Instance { alphabet: 2, order: 2, transitions, tokens: vec![0, 1, 0] };
    let mixture = Mixture::new(2, 2, &one.transitions).unwrap();
    let smoothness = mixture.smoothness(&one.tokens).unwrap();
    assert!((smoothness - 2499.5).abs() < 0.01, "{smoothness} is the curvature 2499.5, not 4");
    // p = (p, 1): (1 − p)²/(4p), also where p vanishes beside 1.
    for p in [1.7e-16, 1e-17, 1e-300] {
        let one = Instance { transitions: vec![p, 1.0, 1.0, 0.0], ..one.clone() };
        let mixture = Mixture::new(2, 2, &one.transitions).unwrap();
        let smoothness = mixture.smoothness(&one.tokens).unwrap();
        assert!((smoothness * 4.0 * p - 1.0).abs() < 1e-14, "{p:e}: {smoothness:e}");
    }
}

#[test]
fn hard_cases_have_the_right_answer_or_a_typed_error() {
    let with = |transitions: &[f64], order, tokens: &[usize]| Instance {
        alphabet: 2,
        order,
        transitions: transitions.to_vec(),
        tokens: tokens.to_vec(),
    };
    let soft = [0.5, 0.5, 0.25, 0.75];
    // No evidence: the uniform λ, by all three.
    let empty = with(&soft, 3, &[0, 1, 1]);
    let third = [1.0 / 3.0; 3];
    assert_eq!(empty.attend(0.25, None).unwrap().0, third);
    assert_eq!(empty.attend(0.25, Some(9.0)).unwrap().0.len(), 3);
    assert_eq!(empty.descend(0.25, 1).unwrap(), third);
    assert_eq!(empty.stack(0.25, 2, GHOSTS).unwrap().0, third);
    assert_eq!(empty.bayes(1.0).unwrap(), third);
    // Fewer tokens than lags, and tokens that do not exist.
    let short = with(&soft, 3, &[0, 1]);
    assert!(matches!(short.attend(0.25, None), Err(Error::TooFew { .. })));
    assert!(matches!(short.descend(0.25, 1), Err(Error::TooFew { .. })));
    let strange = with(&soft, 1, &[0, 2]);
    assert!(matches!(strange.attend(0.25, None), Err(Error::Index { index: 2, tokens: 2 })));
    // Transitions of probability 0: evidence for one lag alone is certain.
    let hard = with(&[0.0, 1.0, 1.0, 0.0], 2, &[0, 0, 1, 1, 0]);
    for found in [
        hard.attend(1.0 / 3.0, None).unwrap().0,
        hard.descend(1.0 / 3.0, 1).unwrap(),
        hard.attend(1.0 / 3.0, Some(300.0)).unwrap().0,
    ] {
        // 1 by either lag, 1 by the second alone, 0 by either: Σγ = (1/2 + 0 + 1/2, 1/2 + 1 + 1/2).
        let lean = (2.0_f64 / 3.0).exp();
        let expected = [1.0 / (1.0 + lean), lean / (1.0 + lean)];
        assert!(size(&found, &expected, |x, y| (x - y).abs()) < 1e-14, "{found:?}");
    }
    // Evidence that no λ explains.
    let never = with(&[0.0, 1.0, 1.0, 0.0], 2, &[0, 0, 0]);
    let impossible = Error::Impossible { position: 2 };
    assert_eq!(never.attend(0.3, None).unwrap_err(), impossible);
    assert_eq!(never.descend(0.3, 1).unwrap_err(), impossible);
    assert_eq!(never.bayes(1.0).unwrap_err(), impossible);
    assert_eq!(never.stack(0.3, 2, GHOSTS).unwrap_err(), impossible);
    // Logits far beyond the range of exp, and beyond that of numbers.
    let long = some_instance([5, 3, 100], 3);
    let (sharp, next) = long.attend(1e6, None).unwrap();
    assert_eq!(sharp, long.descend(1e6, 1).unwrap());
    assert!(sharp.contains(&1.0) && next.iter().all(|p| (0.0..=1.0).contains(p)));
    assert!(matches!(long.attend(f64::INFINITY, None), Err(Error::NotFinite { .. })));
    assert!(matches!(long.attend(1e308, None), Err(Error::NotFinite { .. })));
    assert!(matches!(long.descend(1e308, 1), Err(Error::NotFinite { .. })));
    assert!(matches!(long.attend(0.3, Some(f64::NAN)), Err(Error::NotFinite { .. })));
    assert!(matches!(long.stack(0.3, 2, 0.0), Err(Error::NotFinite { .. })));
    // A prior that is none, and a posterior that is too large.
    for a in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(long.bayes(a), Err(Error::NotPositive { .. })), "{a}");
    }
    let large = some_instance([3, 6, 100], 3);
    assert!(matches!(large.bayes(1.0), Err(Error::TooLarge { most: 1_000_000, .. })));
    // λ that rounds to 0 where the evidence needs it: refused, not NaN.
    let torn = with(&[0.0, 1.0, 1.0, 0.0], 2, &[0, 0, 1, 1, 0, 1, 1]);
    let steps = torn.descend(1e4, 3);
    assert!(matches!(steps, Err(Error::NotFinite { .. })), "{steps:?}");
}

#[test]
fn the_posterior_keeps_its_digits_over_a_long_sequence() {
    // Far beyond where products of probabilities underflow; 45,451 states.
    let instance = some_instance([30, 3, 303], 2);
    let found = instance.bayes(1.0).unwrap();
    assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let two = some_instance([4, 2, 402], 2);
    let enclosed = two.bayes(Enclosure::point(1.0)).unwrap();
    let floats = two.bayes(1.0).unwrap();
    for (x, y) in floats.iter().zip(enclosed) {
        assert!(y.contains(*x) && y.width() < 1e-11, "{x} {y:?}");
    }
}

#[test]
fn the_posterior_of_almost_a_million_states() {
    let instance = some_instance([10, 6, 44], 3);
    assert_eq!(posterior::states(6, 38), Some(962_598));
    let floats = instance.bayes(1.0).unwrap();
    let enclosed = instance.bayes(Enclosure::point(1.0)).unwrap();
    for (x, y) in floats.iter().zip(enclosed) {
        assert!(y.contains(*x) && y.width() < 1e-12, "{x} {y:?}");
    }
    assert!((floats.iter().sum::<f64>() - 1.0).abs() < 1e-13);
}

#[test]
fn sequences_are_those_of_the_mixture() {
    let transitions = [0.9, 0.1, 0.0, 0.2, 0.2, 0.6, 0.5, 0.0, 0.5];
    let mixture = Mixture::new(3, 2, &transitions).unwrap();
    let weights = [0.75, 0.25];
    let draw = |seed: u64| {
        let mut tokens = vec![0; 40_000];
        sampling::sequence(&mixture, &weights, &mut tokens, uniform(seed)).unwrap();
        tokens
    };
    let tokens = draw(1);
    assert_eq!(tokens, draw(1), "a seed is a sequence");
    assert_ne!(tokens, draw(2));
    // After (…, 0, 1): 0.75 π(1, ·) + 0.25 π(0, ·).
    let after: Vec<usize> = tokens.windows(3).filter(|w| w[..2] == [0, 1]).map(|w| w[2]).collect();
    for (token, expected) in [0.375, 0.175, 0.45].into_iter().enumerate() {
        let count = after.iter().filter(|&&found| found == token).count();
        let share = count as f64 / after.len() as f64;
        assert!((share - expected).abs() < 4.0 * 0.5 / (after.len() as f64).sqrt(), "{share}");
    }
    let mut sums = [0.0; 3];
    let mut uniform = uniform(5);
    for _ in 0..10_000 {
        let mut weights = [0.0; 3];
        sampling::uniform_distribution(&mut weights, &mut uniform);
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }
    assert!(sums.iter().all(|sum| (sum / 10_000.0 - 1.0 / 3.0).abs() < 0.01), "{sums:?}");
}

/// A sequence with N ≤ 7 and transitions that are fractions of small numbers.
#[derive(Clone, Debug)]
struct Small {
    instance: Instance,
    parts: Vec<u32>,
    concentration: (u32, u32),
}

impl Arbitrary for Small {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut number =
            |least: usize, most: usize| usize::arbitrary(g) % (most - least + 1) + least;
        let (alphabet, order) = (number(2, 3), number(1, 4));
        let length = order + number(0, 7);
        // Sixteenths, of which the first are positive.
        let mut parts = Vec::new();
        for _ in 0..alphabet {
            let first = number(1, 15);
            let second = if alphabet == 2 { 16 - first } else { number(0, 16 - first) };
            parts
                .extend([first, second, 16 - first - second][..alphabet].iter().map(|&x| x as u32));
        }
        let concentration = (number(1, 5) as u32, number(1, 3) as u32);
        let transitions = parts.iter().map(|&part| f64::from(part) / 16.0).collect();
        let tokens = (0..length).map(|_| number(0, alphabet - 1)).collect();
        Self { instance: Instance { alphabet, order, transitions, tokens }, parts, concentration }
    }
}

fn fraction(numerator: u32, denominator: u32) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// The posterior mean by summing over all mᴺ assignments of lags to tokens, exactly.
fn by_assignments(small: &Small) -> Option<Vec<BigRational>> {
    let Instance { alphabet, order, tokens, .. } = &small.instance;
    let evidence = tokens.len() - order;
    let a = fraction(small.concentration.0, small.concentration.1);
    let zero = fraction(0, 1);
    let mut total = zero.clone();
    let mut sums = vec![zero; *order];
    for code in 0..order.pow(evidence as u32) {
        let lags: Vec<usize> = (0..evidence).map(|k| code / order.pow(k as u32) % order).collect();
        let mut weight = fraction(1, 1);
        let mut counts = vec![0; *order];
        for (k, &lag) in lags.iter().enumerate() {
            let at = k + order;
            let part = small.parts[tokens[at - lag - 1] * alphabet + tokens[at]];
            weight = weight * fraction(part, 16) * (fraction(counts[lag], 1) + &a);
            counts[lag] += 1;
        }
        for (sum, &count) in sums.iter_mut().zip(&counts) {
            *sum += &weight * (fraction(count, 1) + &a);
        }
        total += weight;
    }
    let whole = fraction(evidence as u32, 1) + fraction(*order as u32, 1) * a;
    let possible = total != fraction(0, 1);
    possible.then(|| sums.into_iter().map(|sum| sum / (&total * &whole)).collect())
}

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

#[test]
fn the_posterior_is_that_of_all_assignments_in_exact_rationals() {
    fn property(small: Small) -> bool {
        let one = Enclosure::point(1.0);
        let (top, bottom) = small.concentration;
        let a = one.rational(top.into(), bottom.into());
        match (by_assignments(&small), small.instance.bayes(a)) {
            (None, Err(Error::Impossible { .. })) => true,
            (Some(expected), Ok(found)) => {
                expected.iter().zip(&found).for_each(|(x, y)| {
                    let inside = exact(y.lo()) <= *x && *x <= exact(y.hi());
                    assert!(inside && y.width() < 1e-13, "{x} is not {y:?}: {small:?}");
                });
                true
            }
            other => panic!("{other:?}"),
        }
    }
    check(100, property as fn(Small) -> bool);
}

#[test]
fn states_are_counted_and_limited() {
    assert_eq!(posterior::states(1, 1000), Some(1));
    assert_eq!(posterior::states(2, 999_999), Some(1_000_000));
    assert_eq!(posterior::states(2, 1_000_000), None);
    assert_eq!(posterior::states(3, 5), Some(21));
    assert_eq!(posterior::states(6, 0), Some(1));
    assert_eq!(posterior::states(0, 5), None);
    assert_eq!(posterior::states(6, 38), Some(962_598));
    assert_eq!(posterior::states(6, 39), None);
}
