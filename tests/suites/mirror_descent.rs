//! The three-layer transformer against mirror descent, and mirror descent against exact Bayes.

use num_bigint::BigInt;
use num_rational::BigRational;
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::posterior;
use popgd_core::{Error, Interval, Scalar};
use popgd_tests::mixture::Instance;
use popgd_tests::property::check;
use quickcheck::{Arbitrary, Gen};

type Enclosure = Interval<f64>;

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
    values.iter().zip(others).map(|(&x, &y)| of(x, y)).fold(0.0, f64::max)
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
        let steps = instance.descend(rate, 0).unwrap();
        let mut z = vec![0.0; instance.order];
        Mixture::new(instance.alphabet, instance.order, &instance.transitions)
            .unwrap()
            .gradient(&instance.tokens, &steps, &mut z)
            .unwrap();
        let largest = z.iter().fold(1.0_f64, |most, &slope| most.max(rate * slope));
        assert!(off <= 2.0 * f64::EPSILON * largest, "{off} {largest} {instance:?} {weights:?}");
        println!("{} {}", off / f64::EPSILON / largest, off / f64::EPSILON);
        true
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
    check(100, property as fn(Large) -> bool);
}

#[test]
fn two_layers_a_step_are_several_steps() {
    fn property(Large(mut instance): Large) -> bool {
        instance.tokens.truncate(40);
        let rate = 1.0 / (instance.order as f64 + 1.0);
        (0..4).all(|steps| {
            let (weights, next) = instance.stack(rate, steps, 100.0).unwrap();
            let algorithm = instance.descend(rate, steps).unwrap();
            let off = size(&weights, &algorithm, |x, y| (x - y).abs());
            println!("{steps} {off}");
            assert!((next.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            off < 1e-12
        })
    }
    check(100, property as fn(Large) -> bool);
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
