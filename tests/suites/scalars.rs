//! The stable forms of floats, at the places where plain ones fail.

use popgd_core::scalar::Logarithm;
use popgd_core::scalar::float::Float;
use popgd_core::{Dual, Interval, Scalar};
use popgd_tests::property;
use popgd_tests::{generate, relative_difference};
use quickcheck::{Arbitrary, Gen};

#[test]
fn cosines_and_sines_of_small_angles_keep_their_digits() {
    // 1 − cos x = x²/2 − x⁴/24 + …, sin x − x cos x = x³/3 − x⁵/30 + …, to all digits for small x.
    for x in [1e-300_f64, 1e-150, 1e-20, 1e-9, 1e-5, 1e-3] {
        let (square, cube) = (x * x, x * x * x);
        let cosine = square / 2.0 * (1.0 - square / 12.0);
        let sine = cube / 3.0 * (1.0 - square / 10.0);
        assert!(relative_difference(Scalar::one_minus_cos(x), cosine) < 1e-12, "{x}");
        assert!(relative_difference(x.sin_minus_angle_cos(), sine) < 1e-12, "{x}");
    }
    // Where the series hands over to the plain form both are good.
    for x in [0.25_f64, 0.5, 0.999_999, 1.000_001, 1.5, 2.0, 3.0, 3.125] {
        let plain = x.sin() - x * x.cos();
        assert!(relative_difference(x.sin_minus_angle_cos(), plain) < 2e-14, "{x}");
        assert!(relative_difference(Scalar::one_minus_cos(x), 1.0 - x.cos()) < 2e-14, "{x}");
        let single = (x as f32).sin_minus_angle_cos();
        let double = f64::from(x as f32).sin_minus_angle_cos();
        assert!(relative_difference(single.into(), double) < 4e-7, "{x}");
    }
    for x in [0.1_f32, 0.9, 1.1] {
        assert_eq!((-x).sin_minus_angle_cos(), -x.sin_minus_angle_cos());
    }
}

#[test]
fn softmax_survives_any_logits() {
    fn sums_to_one<F: Float>(logits: &[F]) -> bool {
        let mut scores = vec![F::ZERO; logits.len()];
        F::softmax(None, logits, &mut scores);
        let sum = scores.iter().fold(0.0, |sum, s| sum + s.to_f64());
        scores.iter().all(|s| s.is_finite()) && (sum - 1.0).abs() < 1e-6
    }
    assert!(sums_to_one(&[890.0_f64, -890.0, 0.0]));
    assert!(sums_to_one(&[890.0_f32, -890.0, 0.0]));
    assert!(sums_to_one(&[f64::MAX, -f64::MAX]));
    assert!(sums_to_one(&[-1e30_f32, -2e30]));
    let mut scores = [0.0_f64; 2];
    f64::softmax(Some(&[1.0, 1e9]), &[40.0, 0.0], &mut scores);
    assert!(relative_difference(scores[1], 1.0 / (40.0_f64.exp() + 1e9)) < 1e-14);
    // Only the common length counts, and what is beyond it stays.
    let mut scores = [7.0_f64; 3];
    f64::softmax(None, &[0.0, 0.0], &mut scores);
    assert_eq!(scores, [0.5, 0.5, 7.0]);
    f64::softmax(None, &[0.0, 0.0, 1e3], &mut scores[..2]);
    assert_eq!(scores, [0.5, 0.5, 7.0]);
}

#[test]
fn sums_and_products_are_split_without_error() {
    fn holds((a, b): (i64, i64)) -> bool {
        // Numbers of 53 bits, whose sums and products are exact in 128.
        let (a, b) = ((a >> 11) as f64, (b >> 12) as f64);
        let (sum, error) = a.two_sum(b);
        let exact_sum = a as i128 + b as i128 == sum as i128 + error as i128;
        let (product, error) = Float::two_product(a, b);
        exact_sum && (a as i128 * b as i128) == product as i128 + error as i128
    }
    property::check(2000, holds as fn((i64, i64)) -> bool);
    fn holds_in_single((a, b): (i32, i32)) -> bool {
        let (a, b) = ((a >> 8) as f32, (b >> 8) as f32);
        let (sum, error) = a.two_sum(b);
        let (product, rest) = Float::two_product(a, b);
        a as i64 + b as i64 == sum as i64 + error as i64
            && (a as i64) * (b as i64) == product as i64 + rest as i64
    }
    property::check(2000, holds_in_single as fn((i32, i32)) -> bool);
}

#[test]
fn differences_of_products_do_not_cancel() {
    fn holds(seed: u64) -> bool {
        let mut g = Gen::from_size_and_seed(10, seed);
        // a b − c d with c d next to a b: integers, so that the truth is exact.
        let a = i64::from(i32::arbitrary(&mut g)) * 3_000_001;
        let b = i64::from(i32::arbitrary(&mut g)) * 2_999_999;
        let (c, d) = (a + i64::from(generate::between(&mut g, 0, 200) as i32) - 100, b);
        let exact = (i128::from(a) * i128::from(b) - i128::from(c) * i128::from(d)) as f64;
        let float = |x: i64| x as f64;
        if [a, b, c].iter().any(|&x| float(x) as i64 != x) {
            return true;
        }
        let found = float(a).product_difference(float(b), float(c), float(d));
        relative_difference(found, exact) < 1e-15
    }
    property::check(2000, holds as fn(u64) -> bool);
    // Without cancellation, and where the splitting would overflow.
    assert_eq!(2.0_f64.product_difference(3.0, 4.0, 5.0), -14.0);
    assert!(1e300_f64.product_difference(1.0, 1.000_000_1e300, 1.0).is_finite());
}

#[test]
fn neighbours_are_neighbours() {
    for x in [0.0, -0.0, f64::MIN_POSITIVE, 5e-324, -5e-324, 1.0, -1.0, 1e300, f64::MAX] {
        assert_eq!(Float::next_up(x), f64::next_up(x));
        assert_eq!(Float::next_down(x), f64::next_down(x));
        let single = x as f32;
        assert_eq!(Float::next_up(single), f32::next_up(single));
        assert_eq!(Float::next_down(single), f32::next_down(single));
    }
    for x in [f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Float::next_up(x), f64::next_up(x));
        assert_eq!(Float::next_down(x), f64::next_down(x));
    }
    assert!(Float::next_up(f64::NAN).is_nan());
    // π = 3.14159 26535 89793 23846 26433 83279 …
    assert_eq!(<f64 as Float>::PI_LOWER, std::f64::consts::PI);
    assert_eq!(<f64 as Float>::PI_UPPER, f64::next_up(std::f64::consts::PI));
    assert_eq!(<f32 as Float>::PI_UPPER, std::f32::consts::PI);
    assert_eq!(<f32 as Float>::PI_LOWER, f32::next_down(std::f32::consts::PI));
}

#[test]
fn what_is_a_number_is_known() {
    assert!(1.5_f64.is_number() && (-0.0_f32).is_number() && f64::MAX.is_number());
    for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!none.is_number());
        assert!(!Dual::<f64, 1> { value: 1.0, derivative: [none] }.is_number());
        assert!(!Dual::<f64, 1>::constant(none).is_number());
    }
    let bounded = Interval::new(-1.0, 2.0).unwrap();
    assert!(bounded.is_number() && Dual::<_, 2>::variable(bounded, 1).is_number());
    for none in
        [Interval::EMPTY, Interval::<f64>::ENTIRE, Interval::new(0.0, f64::INFINITY).unwrap()]
    {
        assert!(!none.is_number());
    }
}

#[test]
fn what_is_scaled_by_has_neither_width_nor_derivative() {
    assert_eq!(0.1_f64.detached(), 0.1);
    let wide = Interval::new(1.0, 3.0).unwrap();
    assert_eq!(wide.detached(), Interval::point(2.0));
    let dual = Dual::<f64, 2>::variable(3.0, 0).detached();
    assert_eq!((dual.value, dual.derivative), (3.0, [0.0; 2]));
}

#[test]
fn logarithms_are_inverse_to_exponentials() {
    for x in [1e-30, 0.1, 1.0, 7.0, 1e30] {
        let enclosed = Logarithm::ln(Interval::point(x));
        assert!(enclosed.exp().contains(x) && enclosed.width() < 1e-13);
        assert!((Logarithm::ln(x) - enclosed.midpoint()).abs() < 1e-13);
        let dual = Dual::<f64, 1>::variable(x, 0).ln();
        assert_eq!((dual.value, dual.derivative[0]), (Logarithm::ln(x), 1.0 / x));
        let single = Logarithm::ln(x as f32);
        assert!((f64::from(single) - Logarithm::ln(x)).abs() < 1e-4);
    }
}
