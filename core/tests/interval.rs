//! Intervals contain what they claim to contain, and little else.
//!
//! Evidence from elsewhere: exact integers for the arithmetic of `f64`, `f64` for that of `f32`,
//! constants with 40 digits (computed with mpmath) for elementary functions.

use core::cmp::Ordering;

use popgd_core::scalar::float::Float;
use popgd_core::scalar::{Scalar, interval::Interval};

type I = Interval<f64>;
type I32 = Interval<f32>;

fn interval<F: Float>(lo: F, hi: F) -> Interval<F> {
    Interval::new(lo, hi).expect("ends in order")
}

fn point<F: Float>(x: F) -> Interval<F> {
    Interval::point(x)
}

/// Steps from the lower to the upper end, counted up to a limit.
fn floats_wide<F: Float>(x: Interval<F>) -> usize {
    let mut end = x.lo();
    (0..100)
        .find(|_| {
            let arrived = end >= x.hi();
            end = end.next_up();
            arrived
        })
        .unwrap_or(100)
}

/// Random bits (xorshift), enough for tests.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any finite `f32`, every exponent being as likely, with the special ones in between.
    fn any_f32(&mut self) -> f32 {
        let special =
            [0.0, 1.0, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), f32::from_bits(0x007f_ffff)];
        let bits = self.next();
        let x = if bits % 8 == 0 {
            special[(bits >> 8) as usize % special.len()]
        } else {
            f32::from_bits((bits >> 32) as u32)
        };
        let x = if x.is_finite() { x } else { 1.5 };
        if bits & 16 == 0 { x } else { -x }
    }

    /// Uniform in [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An `f64` with a 53-bit significand and an exponent in ±`range`.
    fn near_one(&mut self, range: i32) -> f64 {
        let exponent = (self.next() % (2 * range as u64 + 1)) as i32 - range;
        let sign = if self.next() & 1 == 0 { 1.0 } else { -1.0 };
        sign * (1.0 + self.uniform()) * 2_f64.powi(exponent)
    }
}

// ---------------------------------------------------------------------------------------------
// f64 against exact integers

/// (m, e) with x = m 2ᵉ; ∞ is larger than any product of floats.
fn dyadic(x: f64) -> (i128, i32) {
    let bits = x.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, i128::from(bits & 0xf_ffff_ffff_ffff));
    let (significand, exponent) = match biased {
        0 => (fraction, -1074),
        0x7ff => (1, 5000),
        _ => (fraction | 1 << 52, biased - 1075),
    };
    (if x < 0.0 { -significand } else { significand }, exponent)
}

/// How dyadic numbers compare.
fn compare(x: (i128, i32), y: (i128, i32)) -> Ordering {
    let signs = x.0.signum().cmp(&y.0.signum());
    if signs.is_ne() || x.0 == 0 {
        return signs;
    }
    // By the position of the leading digit; if that is the same, both fit into as many digits.
    let leading = |x: (i128, i32)| x.1 + 128 - x.0.unsigned_abs().leading_zeros() as i32;
    let magnitudes = leading(x).cmp(&leading(y)).then_with(|| {
        let lowest = x.1.min(y.1);
        (x.0.abs() << (x.1 - lowest)).cmp(&(y.0.abs() << (y.1 - lowest)))
    });
    if x.0 > 0 { magnitudes } else { magnitudes.reverse() }
}

fn times(x: (i128, i32), y: (i128, i32)) -> (i128, i32) {
    (x.0 * y.0, x.1 + y.1)
}

/// A number that compares with floats of 53 digits as x + y does.
fn plus(x: (i128, i32), y: (i128, i32)) -> (i128, i32) {
    let (high, low) = if x.1 >= y.1 { (x, y) } else { (y, x) };
    let shift = high.1 - low.1;
    if shift <= 70 {
        ((high.0 << shift) + low.0, low.1)
    } else {
        ((high.0 << 70) + low.0.signum(), high.1 - 70)
    }
}

/// The interval contains the exact number, which is given by how a float compares with it, and
/// has no float between its ends, which are the same only if they are that number.
fn assert_tightest(x: I, compared: impl Fn(f64) -> Ordering, what: &str) {
    let (lo, hi) = (compared(x.lo()), compared(x.hi()));
    assert!(lo.is_le() && hi.is_ge() && floats_wide(x) <= 1, "{what}: {x}");
    assert!(x.lo() == x.hi() || lo.is_lt() && hi.is_gt(), "{what}: {x}");
}

/// Every bound is the best one, whatever the sizes: the smallest and largest floats, those whose
/// products, quotients or squares are near overflow or underflow, and those at the borders between
/// the ways in which bounds are computed.
#[test]
fn arithmetic_of_points_is_tightest() {
    const EXPONENTS: [(i32, i32); 7] = [
        (-10, 10),
        (-1074, -1000),
        (-545, -480),
        (-257, -253),
        (255, 259),
        (510, 514),
        (1020, 1023),
    ];
    let mut bits = Bits(1);
    let number = |bits: &mut Bits| {
        let (first, last) = EXPONENTS[(bits.next() >> 32) as usize % EXPONENTS.len()];
        let exponent = first + ((bits.next() >> 32) % (last - first + 1) as u64) as i32;
        // Short ones too, so that some results are exact.
        let digits = if bits.next() >> 62 == 0 { 8 } else { 52 };
        let fraction = (bits.next() >> (64 - digits)) as f64 / 2_f64.powi(digits);
        let x = libm::ldexp(1.0 + fraction, exponent);
        if bits.next() >> 63 == 0 { x } else { -x }
    };
    let mut exact = 0;
    for _ in 0..200_000 {
        let (x, y) = (number(&mut bits), number(&mut bits));
        let (a, b) = (dyadic(x), dyadic(y));
        let at = |exact: (i128, i32)| move |end: f64| compare(dyadic(end), exact);
        let what = |name: &str| format!("{name} of {x:e} and {y:e}");
        let product = point(x) * point(y);
        exact += usize::from(product.lo() == product.hi());
        assert_tightest(product, at(times(a, b)), &what("product"));
        assert_tightest(point(x).square(), at(times(a, a)), &what("square"));

        let sum = plus(a, b);
        assert_tightest(point(x) + point(y), at(sum), &what("sum"));
        assert_tightest(-point(x) - point(y), at((-sum.0, sum.1)), &what("difference"));

        // q = x/y: compare q |y| with ± x.
        let magnitude = dyadic(y.abs());
        let dividend = if y < 0.0 { (-a.0, a.1) } else { a };
        let quotient = |end: f64| compare(times(dyadic(end), magnitude), dividend);
        assert_tightest(point(x) / point(y), quotient, &what("quotient"));

        let square = |end: f64| compare(times(dyadic(end), dyadic(end)), dyadic(x.abs()));
        assert_tightest(point(x.abs()).sqrt(), square, &what("root"));
    }
    assert!(exact > 1000, "{exact}");
}

#[test]
fn moderate_numbers_end_where_they_should() {
    fn check<F: Float>(smallest: F, limit: F) {
        for sign in [F::ONE, -F::ONE] {
            for inside in [smallest, smallest.next_up(), F::ONE, limit.next_down()] {
                assert!((sign * inside).is_moderate(), "{inside:?}");
            }
            let tiny = F::ZERO.next_up();
            let subnormal = F::MIN_POSITIVE.next_down();
            let ends = [F::ZERO, tiny, subnormal, F::MIN_POSITIVE, F::MAX, F::INFINITY, F::NAN];
            for outside in [smallest.next_down(), limit, limit.next_up()].iter().chain(&ends) {
                assert!(!(sign * *outside).is_moderate(), "{outside:?}");
            }
        }
    }
    check(2_f64.powi(-255), 2_f64.powi(257));
    check(2_f32.powi(-31), 2_f32.powi(33));
}

#[test]
fn products_and_quotients_of_intervals_are_hulls_of_those_of_their_ends() {
    fn check<F: Float>(bits: &mut Bits, range: i32) {
        let end = |bits: &mut Bits| {
            let x = if bits.next() % 16 == 0 { 0.0 } else { bits.near_one(range) };
            F::from_f64(x).max(-F::MAX).min(F::MAX)
        };
        let between = |bits: &mut Bits| {
            let (x, y) = (end(bits), end(bits));
            (interval(x.min(y), x.max(y)), [point(x), point(y)])
        };
        for _ in 0..20_000 {
            let ((x, x_ends), (y, y_ends)) = (between(bits), between(bits));
            let hull = |operation: fn(Interval<F>, Interval<F>) -> Interval<F>| {
                x_ends.iter().fold(Interval::EMPTY, |hull, &x| {
                    y_ends.iter().fold(hull, |hull, &y| hull.hull(operation(x, y)))
                })
            };
            assert_eq!(x * y, hull(|x, y| x * y), "{x} * {y}");
            if !y.contains(F::ZERO) {
                assert_eq!(x / y, hull(|x, y| x / y), "{x} / {y}");
            }
        }
    }
    let mut bits = Bits(7);
    // Of moderate size; beyond that; and around the limit between both.
    for range in [10, 30, 255, 300, 600] {
        check::<f64>(&mut bits, range);
    }
    for range in [10, 30, 35, 70, 140] {
        check::<f32>(&mut bits, range);
    }
}

#[test]
fn steps_at_powers_of_two_are_no_longer_than_elsewhere() {
    fn check<F: Float>() {
        let one = F::ONE;
        // (1 + d)(1 − d) = 1 − d² rounds to 1.
        let (above, below) = (one.next_up(), one.next_down());
        let short = below.next_down();
        for sign in [point(one), point(-one)] {
            let product = sign * point(above) * point(short);
            assert_eq!(product * sign, interval(below, one));
            let (half, two) = (point(F::from_f64(0.5)), point(F::from_f64(2.0)));
            assert_eq!(product * sign * half, interval(below, one) * half);
            assert_eq!(
                (sign * two) * point(above) * point(short) * sign,
                interval(below, one) * two
            );
        }
        // 1/(1 − d/2) = 1 + d/2 + … lies between 1 and 1 + d.
        assert_eq!(point(one) / point(below), interval(one, above));
        // A power of two, and the largest float of a binade, as the product rounded to nearest.
        let two = F::from_f64(2.0);
        let largest = two.next_down();
        for nearest in [one, largest] {
            let (mut farther, mut nearer) = (0, 0);
            for i in 0..200 {
                let x = F::from_f64(1.0 + f64::from(3 * i + 1) / 2048.0);
                let y = nearest / x;
                if x * y != nearest {
                    continue;
                }
                let exact = times(dyadic(x.to_f64()), dyadic(y.to_f64()));
                let expected = match compare(exact, dyadic(nearest.to_f64())) {
                    Ordering::Greater => {
                        farther += 1;
                        interval(nearest, nearest.next_up())
                    }
                    Ordering::Less => {
                        nearer += 1;
                        interval(nearest.next_down(), nearest)
                    }
                    Ordering::Equal => point(nearest),
                };
                for scale in [one, two, F::from_f64(0.125)].map(point) {
                    assert_eq!(point(x) * scale * point(y), expected * scale);
                    assert_eq!(-point(x) * scale * point(y), -expected * scale);
                }
            }
            assert!(farther > 20 && nearer > 20, "{nearest}: {farther}, {nearer}");
        }
        // (2 − 3d)/(1 − d) = 2 − d − d² + … lies below the largest float, 2 − d.
        let quotient = interval(largest.next_down(), largest);
        let (dividend, divisor) = (largest.next_down().next_down(), short);
        assert_eq!(point(dividend) / point(divisor), quotient);
        assert_eq!(-point(dividend) / point(divisor), -quotient);
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn integers_and_fractions_are_enclosed() {
    let one = point(1.0);
    let mut bits = Bits(2);
    for i in 0..4000 {
        let n = match i {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => (1 << 53) + 1,
            3 => -(1 << 53) - 1,
            4 => (1 << 53) - 1,
            _ => bits.next() as i64 >> (i % 60),
        };
        let x = one.integer(n);
        assert!(x.lo() as i128 <= i128::from(n) && i128::from(n) <= x.hi() as i128);
        assert!(floats_wide(x) <= 1, "{n}: {x}");
        assert_eq!(x.lo() == x.hi(), n as f64 as i128 == i128::from(n), "{n}: {x}");

        let x = point(1.0_f32).integer(n);
        assert!(x.lo() as i128 <= i128::from(n) && i128::from(n) <= x.hi() as i128);
        assert!(floats_wide(x) <= 1, "{n}: {x}");
        assert_eq!(x.lo() == x.hi(), n as f32 as i128 == i128::from(n), "{n}: {x}");

        let denominator = (bits.next() >> 20) as i64 + 1;
        let numerator = bits.next() as i64 >> 20;
        if numerator != 0 {
            let q = one.rational(numerator, denominator);
            let (n, d) = ((i128::from(numerator), 0), (i128::from(denominator), 0));
            let scaled = |x: f64| times(dyadic(x), d);
            // Shifted, so that exponents are near each other.
            let n = (n.0 << 60, n.1 - 60);
            assert!(compare(scaled(q.lo()), n).is_le(), "{q}");
            assert!(compare(scaled(q.hi()), n).is_ge(), "{q}");
        }
    }
    assert!(one.rational(1, 3).lo() < one.rational(1, 3).hi());
    assert_eq!(one.rational(3, 4), point(0.75));
    assert_eq!(one.rational(-3, -4), point(0.75));
    assert!(one.rational(1, 0).is_empty());
    assert_eq!((one.zero(), one.one()), (point(0.0), one));
}

#[test]
fn lifted_numbers_are_enclosed() {
    assert_eq!(point(0.0_f64).lift(0.1), point(0.1));
    let mut bits = Bits(3);
    for i in 0..10_000 {
        let value = match i {
            0 => 0.1,
            1 => 1e-400_f64.max(f64::from_bits(1)),
            2 => -1e300,
            3 => f64::from(f32::MAX) * (1.0 + f64::EPSILON),
            4 => 1e-46,
            _ => bits.near_one(160),
        };
        let x = point(0.0_f32).lift(value);
        assert!(f64::from(x.lo()) <= value && value <= f64::from(x.hi()), "{value}: {x}");
        assert!(floats_wide(x) <= 1, "{value}: {x}");
        assert_eq!(x.lo() == x.hi(), f64::from(value as f32) == value);
    }
    assert!(point(0.0_f32).lift(f64::NAN).is_empty());
    assert!(point(0.0_f32).lift(f64::INFINITY).is_empty());
    assert_eq!(point(0.0_f32).lift(1e300), interval(f32::MAX, f32::INFINITY));
}

// ---------------------------------------------------------------------------------------------
// f32 against f64

/// Products of two `f32` are exact in `f64`, subnormal ones too.
#[test]
fn single_precision_arithmetic_contains_the_exact_result_everywhere() {
    let mut bits = Bits(4);
    for _ in 0..300_000 {
        let (x, y) = (bits.any_f32(), bits.any_f32());
        let (x64, y64) = (f64::from(x), f64::from(y));
        let ends = |i: I32| (f64::from(i.lo()), f64::from(i.hi()));

        let product = x64 * y64;
        let i = point(x) * point(y);
        assert!(ends(i).0 <= product && product <= ends(i).1, "{x:e} · {y:e}: {i}");
        assert!(floats_wide(i) <= 2, "{x:e} · {y:e}: {i}");
        assert!(product < 0.0 || i.lo() >= 0.0, "{x:e} · {y:e}: {i}");

        if y != 0.0 {
            let i = point(x) / point(y);
            // An infinite end times y is infinite: right as well.
            let (low, high) = (ends(i).0 * y64, ends(i).1 * y64);
            assert!(low.min(high) <= x64 && x64 <= low.max(high), "{x:e} / {y:e}: {i}");
            assert!(floats_wide(i) <= 2, "{x:e} / {y:e}: {i}");
        }

        // The exact sum is s + e, and ends minus s are exact wherever it matters.
        let (s, e) = x64.two_sum(y64);
        let i = point(x) + point(y);
        assert!(ends(i).0 - s <= e && e <= ends(i).1 - s, "{x:e} + {y:e}: {i}");
        assert!(floats_wide(i) <= 1, "{x:e} + {y:e}: {i}");

        let i = point(x.abs()).sqrt();
        let (low, high) = (ends(i).0, ends(i).1);
        assert!(low * low <= x64.abs() && x64.abs() <= high * high, "√{x:e}: {i}");
        assert!(floats_wide(i) <= 2 && low >= 0.0, "√{x:e}: {i}");
    }
}

/// A member of the interval: an end, or something between.
fn member(bits: &mut Bits, x: I32) -> f32 {
    let t = (bits.uniform() * 1.5 - 0.25).clamp(0.0, 1.0);
    let (lo, hi) = (f64::from(x.lo()), f64::from(x.hi()));
    ((lo + (hi - lo) * t) as f32).clamp(x.lo(), x.hi())
}

fn some_interval(bits: &mut Bits, scale: f64) -> I32 {
    let mut end = || ((bits.uniform() * 2.0 - 1.0) * scale) as f32;
    let (x, y) = (end(), end());
    match bits.next() % 8 {
        0 => interval(0.0, x.abs()),
        1 => interval(-x.abs(), 0.0),
        2 => point(x),
        3 => interval(x, x + 0.01 * y.abs()),
        _ => interval(x.min(y), x.max(y)),
    }
}

fn assert_has(range: I32, value: f64, what: &str, arguments: &[I32]) {
    // The reference itself is off by a rounding of f64.
    let slack = value.abs() * 1e-15;
    assert!(
        f64::from(range.lo()) <= value + slack && value - slack <= f64::from(range.hi()),
        "{what} of {arguments:?}: {value:e} not in {range}"
    );
}

#[test]
fn ranges_contain_the_values_of_members() {
    let mut bits = Bits(5);
    for round in 0..60_000 {
        let scale = [1e-3, 1.0, 4.0, 20.0, 500.0][round % 5];
        let (x, y) = (some_interval(&mut bits, scale), some_interval(&mut bits, scale));
        let (a, b) = (f64::from(member(&mut bits, x)), f64::from(member(&mut bits, y)));
        let two = [x, y];
        assert_has(x + y, a + b, "sum", &two);
        assert_has(x - y, a - b, "difference", &two);
        assert_has(x * y, a * b, "product", &two);
        if b != 0.0 {
            assert_has(x / y, a / b, "quotient", &two);
        }
        assert_has(x.square(), a * a, "square", &two);
        assert_has(x.fold(), a.abs(), "fold", &two);
        assert_has(x.sign(), Scalar::sign(a), "sign", &two);
        if a >= 0.0 {
            assert_has(x.sqrt(), a.sqrt(), "root", &two);
        }
        if a < 80.0 {
            assert_has(x.exp(), libm::exp(a), "exp", &two);
        }
        assert_has(x.sin(), libm::sin(a), "sin", &two);
        assert_has(x.cos(), libm::cos(a), "cos", &two);
        assert_has(x.one_minus_cos(), a.one_minus_cos(), "1 - cos", &two);
        assert_has(x.sin_minus_angle_cos(), a.sin_minus_angle_cos(), "sin - x cos", &two);
        assert_has(x.atan2(y), libm::atan2(a, b), "atan2", &two);
    }
}

#[test]
fn ranges_are_reached() {
    // Ends of ranges against extremes over a fine grid: nothing is wider than it must be.
    let mut bits = Bits(6);
    type Case = (&'static str, fn(I32) -> I32, fn(f64) -> f64);
    let cases: [Case; 4] = [
        ("sin", |x| x.sin(), libm::sin),
        ("cos", |x| x.cos(), libm::cos),
        ("1 - cos", |x| x.one_minus_cos(), |x| 1.0 - libm::cos(x)),
        ("square", |x| x.square(), |x| x * x),
    ];
    for _ in 0..500 {
        let x = some_interval(&mut bits, 12.0);
        for (name, range, function) in cases {
            let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
            for k in 0..=1000 {
                let (lo, hi) = (f64::from(x.lo()), f64::from(x.hi()));
                let value = function(lo + (hi - lo) * f64::from(k) / 1000.0);
                (least, greatest) = (least.min(value), greatest.max(value));
            }
            let range = range(x);
            let slack = 2e-4 + 1e-6 * greatest;
            assert!(f64::from(range.lo()) > least - slack, "{name} {x}: {range}, {least}");
            assert!(f64::from(range.hi()) < greatest + slack, "{name} {x}: {range}, {greatest}");
        }
    }
}

/// Every 2003rd `f32`: the evidence for the widening, repeated in small.
#[test]
fn elementary_functions_contain_the_reference_over_all_magnitudes() {
    for bits in (0..0xff80_0000_u32).step_by(2003) {
        let x = f32::from_bits(bits);
        if !x.is_finite() {
            continue;
        }
        let x64 = f64::from(x);
        let cases = [
            ("exp", point(x).exp(), libm::exp(x64)),
            ("sin", point(x).sin(), libm::sin(x64)),
            ("cos", point(x).cos(), libm::cos(x64)),
        ];
        for (name, range, value) in cases {
            assert!(
                f64::from(range.lo()) <= value && value <= f64::from(range.hi()),
                "{name} {x:e}: {value:e} not in {range}"
            );
            assert!(floats_wide(range) <= 6, "{name} {x:e}: {range}");
        }
    }
}

/// What the table of tiers says about `libm`, sampled: a new version that is worse fails here.
#[test]
fn errors_of_the_library_are_as_cited() {
    let ulp = |x: f64| {
        let x = (x.abs() as f32).max(f32::MIN_POSITIVE);
        f64::from(f32::from_bits(x.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON)
    };
    let error = |value: f32, exact: f64| {
        if value.is_infinite() && exact > f64::from(f32::MAX) {
            0.0
        } else {
            (f64::from(value) - exact).abs() / ulp(exact)
        }
    };
    let mut worst = [0.0_f64; 4];
    let mut bits = Bits(7);
    for i in 0..600_000 {
        let x = if i % 2 == 0 { bits.any_f32() } else { ((bits.uniform() - 0.5) * 200.0) as f32 };
        let (y, z) = (bits.uniform() as f32, (bits.uniform() * 2.0 - 1.0) as f32);
        let x64 = f64::from(x);
        let errors = [
            error(libm::expf(x), libm::exp(x64)),
            error(libm::sinf(x), libm::sin(x64)),
            error(libm::cosf(x), libm::cos(x64)),
            error(libm::atan2f(y, z), libm::atan2(f64::from(y), f64::from(z))),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
    }
    let cited = [0.92, 0.51, 0.51, 3.0];
    for (worst, cited) in worst.iter().zip(cited) {
        assert!(worst <= &cited, "{worst:?} is above {cited}");
    }
}

// ---------------------------------------------------------------------------------------------
// f64 against constants

/// Sign, exponent and 42 digits of the (exact) decimal expansion.
fn decimal(x: f64) -> (bool, i32, String) {
    parts(&format!("{x:.41e}"))
}

fn parts(text: &str) -> (bool, i32, String) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = digits.replace('.', "");
    assert_eq!(digits.len(), 42, "{text}");
    (negative, exponent.parse().expect("an exponent"), digits)
}

/// x ≤ constant, by digits.
fn at_most(x: f64, constant: &str) -> bool {
    let (x_negative, x_exponent, x_digits) = decimal(x);
    let (negative, exponent, digits) = parts(constant);
    match (x_negative, negative) {
        (true, false) => true,
        (false, true) => false,
        _ if x == 0.0 => !negative,
        (false, false) => (x_exponent, x_digits) <= (exponent, digits),
        (true, true) => (x_exponent, x_digits) >= (exponent, digits),
    }
}

fn negated(constant: &str) -> String {
    match constant.strip_prefix('-') {
        Some(rest) => rest.to_string(),
        None => format!("-{constant}"),
    }
}

fn assert_near(x: I, constant: &str, floats: usize, what: &str) {
    assert!(at_most(x.lo(), constant), "{what}: {x} is above {constant}");
    assert!(at_most(-x.hi(), &negated(constant)), "{what}: {x} is below {constant}");
    assert!(floats_wide(x) <= floats, "{what}: {x} is wide");
}

/// x, eˣ.
const EXP: [(f64, &str); 11] = [
    (1e-300, "1.00000000000000000000000000000000000000000"),
    (1e-10, "1.00000000010000000000500000364338639858077"),
    (0.1, "1.10517091807564763094663882345877965774166"),
    (0.5, "1.64872127070012814684865078781416357165378"),
    (1.0, "2.71828182845904523536028747135266249775725"),
    (-1.0, "3.67879441171442321595523770161460867445811e-1"),
    (10.5, "3.63155026742466377389120269013166179689316e4"),
    (-20.25, "1.60522805518561160865393430910953965717117e-9"),
    (709.5, "1.35498631931463283087663227405360333829897e308"),
    (-700.0, "9.85967654375977085670537294784946510511560e-305"),
    (-745.0, "2.82235073047193707635344008205978262082436e-324"),
];

/// x, sin x, cos x.
#[allow(clippy::approx_constant)]
const SIN_COS: [(f64, &str, &str); 10] = [
    (
        1e-310,
        "9.99999999999996944932750289769196936057732e-311",
        "1.00000000000000000000000000000000000000000",
    ),
    (
        1e-08,
        "1.00000000000000000425589416346180504586526e-8",
        "9.99999999999999949999999999999998324410584e-1",
    ),
    (
        0.5,
        "4.79425538604203000273287935215571388081803e-1",
        "8.77582561890372716116281582603829651991645e-1",
    ),
    (
        1.0,
        "8.41470984807896506652502321630298999622563e-1",
        "5.40302305868139717400936607442976603732310e-1",
    ),
    (
        3.0,
        "1.41120008059867222100744802808110279846933e-1",
        "-9.89992496600445457271572794731261302393679e-1",
    ),
    (
        3.141592653589793,
        "1.22464679914735317722606593227499799708305e-16",
        "-9.99999999999999999999999999999992501201087e-1",
    ),
    (
        6.5,
        "2.15119988087815524296945749074731739585232e-1",
        "9.76587625728023499886313253944069366268423e-1",
    ),
    (
        100000.0,
        "3.57487979720165093164705006958088290090457e-2",
        "-9.99360807438212451891135414144802203235387e-1",
    ),
    (
        1e22,
        "-8.52200849767188801772705893753029368261762e-1",
        "5.23214785395138945497594473384709492140920e-1",
    ),
    (
        1.7976931348623157e308,
        "4.96195478918406179050267119707470575076470e-3",
        "-9.99987689426559937464870066306934395140614e-1",
    ),
];

/// x, 1 − cos x, sin x − x cos x.
#[allow(clippy::approx_constant)]
const SMALL_ANGLES: [(f64, &str, &str); 12] = [
    (
        1e-100,
        "5.00000000000000019991899802602883819485790e-201",
        "3.33333333333333353325233135936217352657152e-301",
    ),
    (
        1e-08,
        "5.00000000000000016755894163461805892716285e-17",
        "3.33333333333333350922560830128472776275601e-25",
    ),
    (
        0.0001,
        "4.99999999583333381393958166187157766468477e-9",
        "3.33333333000000048040783563015311472033841e-13",
    ),
    (
        0.5,
        "1.22417438109627283883718417396170348008355e-1",
        "4.06342576590166422151471439136565620859808e-2",
    ),
    (
        1.0,
        "4.59697694131860282599063392557023396267690e-1",
        "3.01168678939756789251565714187322395890253e-1",
    ),
    (
        1.0000000000000002,
        "4.59697694131860469443155770103438400577509e-1",
        "3.01168678939756976095658091733758144061410e-1",
    ),
    (
        2.0,
        "1.41614683654714238699756822950076218976600",
        "1.74159109991996646939115632491326922223426",
    ),
    (
        3.0,
        "1.98999249660044545727157279473126130239368",
        "3.11109749786120359391546318700189418702797",
    ),
    (
        3.141592653589793,
        "1.99999999999999999999999999999999250120109",
        "3.14159265358979323846264338327947932602559",
    ),
    (
        3.1415926535897936,
        "1.99999999999999999999999999999994827883087",
        "3.14159265358979323846264338327934039735220",
    ),
    (
        4.5,
        "1.21079579943077970598048182479383039301079",
        "-2.89490202265883784769668029263930093158400e-2",
    ),
    (
        6.0,
        "3.98297133496339794543477020770755945480623e-2",
        "-6.04043721810112199608546923414944119233962",
    ),
];

/// y, x, the angle of (x, y).
const ATAN2: [(f64, f64, &str); 12] = [
    (1.0, 1.0, "7.85398163397448309615660845819875721049292e-1"),
    (1.0, 3.0, "3.21750554396642193401404614358661319020755e-1"),
    (1e-200, 1.0, "9.99999999999999982100262399082759596054412e-201"),
    (1e-08, -1.0, "3.14159264358979323846264350738722791624578"),
    (3.0, -2.0, "2.15879893034246417047693277226483686970029"),
    (5e-324, 1e-300, "4.94065645841246531795732401110697712281472e-24"),
    (1e300, 1e-300, "1.57079632679489661923132169163975144209858"),
    (0.1, 0.1, "7.85398163397448309615660845819875721049292e-1"),
    (7.0, 0.0, "1.57079632679489661923132169163975144209858"),
    (2.0, -0.5, "1.81577498992176077340340417285102725301273"),
    (10000000000.0, -1.0, "1.57079632689489661923132169163941810876525"),
    (0.0, -1.0, "3.14159265358979323846264338327950288419717"),
];

#[test]
fn elementary_functions_contain_constants() {
    for (x, exponential) in EXP {
        assert_near(point(x).exp(), exponential, 5, "exp");
    }
    for (x, sine, cosine) in SIN_COS {
        assert_near(point(x).sin(), sine, 5, "sin");
        assert_near(point(x).cos(), cosine, 5, "cos");
        assert_near(point(-x).sin(), &negated(sine), 5, "sin");
        assert_near(point(-x).cos(), cosine, 5, "cos");
    }
    for (x, versine, difference) in SMALL_ANGLES {
        // Beyond π differences of sines and cosines are taken, which cancel.
        let (wide, wider) = if x < 4.0 { (14, 40) } else { (60, 0) };
        assert_near(point(x).one_minus_cos(), versine, wide, "1 - cos");
        assert_near(point(-x).one_minus_cos(), versine, wide, "1 - cos");
        if x < 4.0 {
            assert_near(point(x).sin_minus_angle_cos(), difference, wider, "sin - x cos");
            assert_near(
                point(-x).sin_minus_angle_cos(),
                &negated(difference),
                wider,
                "sin - x cos",
            );
        } else {
            let value = point(x).sin_minus_angle_cos();
            assert!(at_most(value.lo(), difference) && value.width() < 1e-14);
            assert!(at_most(-value.hi(), &negated(difference)));
        }
    }
    for (sine, cosine, angle) in ATAN2 {
        assert_near(point(sine).atan2(point(cosine)), angle, 10, "atan2");
        if sine > 0.0 {
            assert_near(point(-sine).atan2(point(cosine)), &negated(angle), 10, "atan2");
        }
    }
    assert_near(point(0.0).pi(), "3.14159265358979323846264338327950288419717", 1, "π");
    let pi = point(0.0_f32).pi();
    assert!(
        f64::from(pi.lo()) < core::f64::consts::PI && core::f64::consts::PI < f64::from(pi.hi())
    );
    assert_eq!(floats_wide(pi), 1);
}

#[test]
fn values_at_zero_are_exact() {
    let zero = point(0.0);
    assert_eq!(zero.exp(), point(1.0));
    assert_eq!(zero.sin(), zero);
    assert_eq!(zero.cos(), point(1.0));
    assert_eq!(zero.one_minus_cos(), zero);
    assert_eq!(zero.sin_minus_angle_cos(), zero);
    assert_eq!(zero.sqrt(), zero);
    assert_eq!(zero.atan2(zero), zero);
    assert_eq!(zero.atan2(point(3.0)), zero);
    assert_eq!(interval(0.0, 1.0).sin().lo(), 0.0);
    assert_eq!(interval(-1.0, 0.0).exp().hi(), 1.0);
    assert_eq!(interval(-1.0, 1.0).one_minus_cos().lo(), 0.0);
}

// ---------------------------------------------------------------------------------------------
// Inputs that others have got wrong

#[test]
fn inexact_results_have_a_width() {
    let tenth = point(0.1);
    assert!((tenth * tenth).width() > 0.0);
    assert!(point(2.0).sqrt().width() > 0.0);
    assert_eq!(point(4.0).sqrt(), point(2.0));
    let (product, negative) = (point(41.0) * tenth, -(point(-41.0) * tenth));
    assert!(!product.intersection(negative).is_empty());
    assert_eq!(product, negative);
}

#[test]
fn unbounded_ends_multiply_and_divide() {
    let inf = f64::INFINITY;
    let positive = interval(0.0, inf);
    assert_eq!(positive * interval(-1.0, inf), I::ENTIRE);
    assert_eq!(point(0.0) * I::ENTIRE, point(0.0));
    assert_eq!(I::ENTIRE * point(0.0), point(0.0));
    assert_eq!(interval(-inf, -1.0) * interval(-inf, 0.0), positive);
    assert_eq!(interval(-inf, -1.0) * interval(2.0, inf), interval(-inf, -2.0));
    assert_eq!(interval(1.0, inf) + interval(-inf, 1.0), I::ENTIRE);
    assert_eq!(interval(1.0, inf) - interval(1.0, inf), I::ENTIRE);
    assert_eq!(interval(1.0, 2.0) / interval(4.0, inf), interval(0.0, 0.5));
    assert_eq!(interval(1.0, inf) / interval(4.0, inf), positive);
    assert_eq!(interval(-inf, inf).square(), positive);
    assert_eq!(positive.sqrt(), positive);
    assert_eq!(I::ENTIRE.exp(), positive);
    assert_eq!(I::ENTIRE.sin(), interval(-1.0, 1.0));
    assert_eq!(positive.cos(), interval(-1.0, 1.0));
    assert_eq!(I::ENTIRE.one_minus_cos(), interval(0.0, 2.0));
    assert_eq!(I::ENTIRE.sin_minus_angle_cos(), I::ENTIRE);
    assert_eq!(I::ENTIRE.atan2(I::ENTIRE), -I::ENTIRE.atan2(I::ENTIRE));
    assert!(positive.atan2(I::ENTIRE).contains_interval(interval(0.0, I::PI.lo())));
    let quadrant = positive.atan2(positive);
    assert!(quadrant.lo() == 0.0 && quadrant.hi() > core::f64::consts::FRAC_PI_2);
    assert!(quadrant.hi() < core::f64::consts::FRAC_PI_2 + 1e-14);
}

/// Every pair of intervals with ends among these: no NaN, and the ends that sets demand.
#[test]
fn no_operation_makes_half_an_interval() {
    let ends = [
        f64::NEG_INFINITY,
        -f64::MAX,
        -3.5,
        -1.0,
        -f64::MIN_POSITIVE,
        -5e-324,
        0.0,
        5e-324,
        f64::MIN_POSITIVE,
        1.0,
        3.0,
        4.0,
        1e22,
        f64::MAX,
        f64::INFINITY,
    ];
    let mut all = vec![];
    for lo in ends {
        for hi in ends {
            all.extend(I::new(lo, hi));
        }
    }
    assert_eq!(all.len(), 15 * 16 / 2 - 2);
    let check = |x: I, what: &str, arguments: &[I]| {
        assert!(I::new(x.lo(), x.hi()) == Some(x), "{what} of {arguments:?}: {x}");
    };
    for &x in &all {
        for (what, y) in [
            ("negation", -x),
            ("square", x.square()),
            ("exp", x.exp()),
            ("sin", x.sin()),
            ("cos", x.cos()),
            ("1 - cos", x.one_minus_cos()),
            ("sin - x cos", x.sin_minus_angle_cos()),
            ("fold", x.fold()),
            ("sign", x.sign()),
        ] {
            check(y, what, &[x]);
        }
        if x.hi() >= 0.0 {
            check(x.sqrt(), "root", &[x]);
        } else {
            assert!(x.sqrt().is_empty());
        }
        assert!(x.contains(x.midpoint()), "{x}");
        assert!(x.width() >= 0.0);
        for &y in &all {
            check(x + y, "sum", &[x, y]);
            check(x - y, "difference", &[x, y]);
            check(x * y, "product", &[x, y]);
            assert_eq!(x * y, y * x);
            assert_eq!(-x * y, -(x * y));
            check(x.atan2(y), "atan2", &[x, y]);
            check(x.hull(y), "hull", &[x, y]);
            if y.is_zero() {
                assert!((x / y).is_empty());
            } else {
                check(x / y, "quotient", &[x, y]);
                assert_eq!(-x / y, x / -y);
            }
            let [shared] = [x.intersection(y)];
            assert_eq!(shared.is_empty(), x.hi() < y.lo() || y.hi() < x.lo());
            assert!(x.contains_interval(shared) && x.hull(y).contains_interval(x));
        }
    }
}

#[test]
fn division_around_zero() {
    let inf = f64::INFINITY;
    let x = interval(1.0, 2.0);
    assert_eq!(x / interval(-1.0, 1.0), I::ENTIRE);
    assert_eq!(x / interval(0.0, 4.0), interval(0.25, inf));
    assert_eq!(x / interval(-4.0, 0.0), interval(-inf, -0.25));
    assert_eq!(-x / interval(0.0, 4.0), interval(-inf, -0.25));
    assert_eq!(interval(-1.0, 2.0) / interval(0.0, 4.0), I::ENTIRE);
    assert_eq!(interval(0.0, 2.0) / interval(0.0, 4.0), interval(0.0, inf));
    assert_eq!(point(0.0) / interval(-1.0, 1.0), point(0.0));
    assert!((x / point(0.0)).is_empty());
    assert_eq!(interval(-1.0, 2.0) / interval(2.0, 4.0), interval(-0.5, 1.0));
}

#[test]
fn overflow_and_underflow_keep_their_side() {
    let (max, inf, tiny) = (f64::MAX, f64::INFINITY, f64::from_bits(1));
    assert_eq!(point(max) + point(max), interval(max, inf));
    assert_eq!(point(-max) - point(max), interval(-inf, -max));
    assert_eq!(point(max) * point(2.0), interval(max, inf));
    assert_eq!(point(max) * point(-2.0), interval(-inf, -max));
    assert_eq!(point(max) / point(0.5), interval(max, inf));
    assert_eq!(point(tiny) * point(tiny), interval(0.0, tiny));
    assert_eq!(point(tiny) * point(-tiny), interval(-tiny, 0.0));
    assert_eq!(point(tiny) / point(max), interval(0.0, tiny));
    assert_eq!(point(-tiny).square(), interval(0.0, tiny));
    // A sum of which only a part overflows: MAX + 1 lies between MAX and ∞.
    assert_eq!(point(max) + point(1.0), interval(max, inf));
    assert_eq!(point(-max) + point(1.0), interval(-max, Float::next_up(-max)));
    assert!(point(1000.0).exp().hi() == inf && point(1000.0).exp().lo() > 1e308);
    assert!(point(-1000.0).exp().lo() == 0.0 && point(-1000.0).exp().hi() > 0.0);
    // Around the smallest normal number, and where errors of products are no floats.
    for x in [1.5e-154_f64, 1e-146, 3e-308, 2.3e-308, 1e-310] {
        let (i, square) = (point(x), point(x).square());
        assert!(square.width() > 0.0 && floats_wide(square) <= 2);
        assert!(i.sqrt().square().contains(x), "{x:e}");
        assert!((i / point(3.0) * point(3.0)).contains(x), "{x:e}");
    }
}

#[test]
fn cosine_across_quadrants() {
    let pi = core::f64::consts::PI;
    let unit = interval(-1.0, 1.0);
    assert_eq!(interval(-pi / 2.0, 3.0 * pi / 2.0).cos(), unit);
    assert_eq!(interval(0.0, 2.0 * pi).sin(), unit);
    assert_eq!(interval(1.0, 2.0).sin().hi(), 1.0);
    assert_eq!(interval(4.0, 5.0).sin().lo(), -1.0);
    assert_eq!(interval(-2.0, -1.0).sin().lo(), -1.0);
    assert_eq!(interval(3.0, 3.5).cos().lo(), -1.0);
    assert_eq!(interval(6.0, 6.5).cos().hi(), 1.0);
    // Ends just beside an extremum.
    let (below, above) = (I::PI.lo(), I::PI.hi());
    assert_eq!(interval(3.0, above).cos().lo(), -1.0);
    assert!(interval(3.0, below).cos().lo() < -1.0 + 1e-15);
    assert!(interval(3.0, 3.1).cos().lo() > -1.0 + 1e-4);
    assert!(interval(1.0, 1.5).sin().hi() < 1.0 - 1e-4);
    // Huge arguments: points by reduction, proper intervals by giving up.
    assert!(point(1e22).cos().width() < 1e-15);
    assert_eq!(interval(1e22, Float::next_up(1e22_f64)).cos(), unit);
    assert!(interval(1e5, 1e5 + 0.1).sin().width() < 0.2);
}

/// An extremum that is a hair inside of the interval counts, also where a hair is much.
#[test]
fn extrema_just_inside_are_not_missed() {
    let pi_rest = 1.224_646_799_147_353_2e-16; // π − its nearest float
    for k in (1..300_000_000_u32).step_by(1_000_003) {
        let (product, error) = core::f64::consts::PI.two_product(f64::from(k));
        let error = error + f64::from(k) * pi_rest;
        // Neighbouring floats around k π.
        let (below, above) = if error > 0.0 {
            (product, Float::next_up(product))
        } else {
            (Float::next_down(product), product)
        };
        for x in [interval(below, below + 0.5), interval(above - 0.5, above)] {
            let range = x.cos();
            if k % 2 == 0 {
                assert!(range.hi() == 1.0 && range.lo() > 0.8, "{k}: {range}");
            } else {
                assert!(range.lo() == -1.0 && range.hi() < -0.8, "{k}: {range}");
            }
        }
    }
}

#[test]
fn angles_of_boxes() {
    let pi = I::PI;
    let (right, left, around) = (interval(1.0, 2.0), interval(-2.0, -1.0), interval(-1.0, 1.0));
    let close = |x: I, lo: f64, hi: f64| {
        assert!(x.lo() <= lo && lo < x.lo() + 1e-14, "{x}: {lo}");
        assert!(x.hi() >= hi && hi > x.hi() - 1e-14, "{x}: {hi}");
    };
    close(right.atan2(right), libm::atan2(1.0, 2.0), libm::atan2(2.0, 1.0));
    close(right.atan2(left), libm::atan2(2.0, -1.0), libm::atan2(1.0, -2.0));
    close(right.atan2(around), libm::atan2(1.0, 1.0), libm::atan2(1.0, -1.0));
    close(left.atan2(right), -libm::atan2(2.0, 1.0), -libm::atan2(1.0, 2.0));
    close(left.atan2(left), -libm::atan2(1.0, -2.0), -libm::atan2(2.0, -1.0));
    close(around.atan2(right), -libm::atan2(1.0, 1.0), libm::atan2(1.0, 1.0));
    assert_eq!(around.atan2(left), interval(-pi.hi(), pi.hi()));
    assert_eq!(around.atan2(around), interval(-pi.hi(), pi.hi()));
    assert_eq!(interval(-1.0, 0.0).atan2(left), interval(-pi.hi(), pi.hi()));
    // The upper half-plane, with its edge.
    close(interval(0.0, 1.0).atan2(left), libm::atan2(1.0, -1.0), pi.hi());
    close(interval(0.0, 1.0).atan2(around), 0.0, pi.hi());
    close(interval(0.0, 1.0).atan2(right), 0.0, libm::atan2(1.0, 1.0));
    close(point(0.0).atan2(around), 0.0, pi.hi());
    close(interval(0.0, 1.0).atan2(point(0.0)), 0.0, core::f64::consts::FRAC_PI_2);
    close(point(0.0).atan2(left), pi.lo(), pi.hi());
    assert_eq!(point(0.0).atan2(interval(0.0, 1.0)), point(0.0));
}

#[test]
fn near_pi_the_even_and_odd_forms_stay_sharp() {
    let above = I::PI.hi();
    for hi in [above, Float::next_up(above), 3.2] {
        let x = interval(1e-9, hi);
        let y = x.one_minus_cos();
        assert!(y.hi() == 2.0 && y.lo() > 0.499_999e-18 && y.lo() <= 0.5e-18, "{y}");
        let y = x.sin_minus_angle_cos();
        assert!(y.hi() >= core::f64::consts::PI && y.hi() < core::f64::consts::PI + 1e-14, "{y}");
        assert!(y.lo() > 0.333e-27 && y.lo() <= 0.334e-27, "{y}");
        assert_eq!((-x).sin_minus_angle_cos(), -y);
    }
    let y = interval(3.0, 5.0).sin_minus_angle_cos();
    assert!(y.lo() <= 5.0_f64.sin_minus_angle_cos() && y.hi() > I::PI.lo());
}

// ---------------------------------------------------------------------------------------------
// Emptiness, construction, sets

#[test]
fn nothing_comes_of_nothing() {
    let (empty, x) = (I::EMPTY, interval(1.0, 2.0));
    let unary = [
        -empty,
        empty.square(),
        empty.sqrt(),
        empty.norm(),
        empty.exp(),
        empty.sin(),
        empty.cos(),
        empty.fold(),
        empty.sign(),
        empty.one_minus_cos(),
        empty.sin_minus_angle_cos(),
    ];
    for y in unary {
        assert!(y.is_empty() && y.lo().is_nan() && y.hi().is_nan());
    }
    for (a, b) in [(empty, x), (x, empty), (empty, point(0.0)), (point(0.0), empty)] {
        for y in [a + b, a - b, a * b, a / b, a.atan2(b), a.intersection(b), a.two_sum(b).0] {
            assert!(y.is_empty());
        }
        assert!(a.product_difference(b, a, b).is_empty());
    }
    assert_eq!(empty.hull(x), x);
    assert_eq!(x.hull(empty), x);
    assert!(empty.hull(empty).is_empty());
    assert_eq!(empty, empty);
    assert_ne!(empty, x);
    assert!(x.contains_interval(empty) && !empty.contains_interval(x));
    assert!(!empty.contains(1.0) && !empty.is_zero());
    assert!(empty.width().is_nan() && empty.midpoint().is_nan());
    assert_eq!(empty.to_string(), "[empty]");
    let mut scores = [x; 2];
    I::softmax(None, &[empty, x], &mut scores);
    assert!(scores.iter().all(|s| s.is_empty()));
}

#[test]
fn construction_is_checked() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (lo, hi) in [(2.0, 1.0), (nan, 1.0), (1.0, nan), (nan, nan), (inf, inf), (-inf, -inf)] {
        assert_eq!(I::new(lo, hi), None);
    }
    assert_eq!(I::new(-inf, inf), Some(I::ENTIRE));
    assert!(point(nan).is_empty() && point(inf).is_empty() && point(-inf).is_empty());
    let zero: I = interval(-0.0, -0.0);
    assert!(zero.lo().is_sign_positive() && zero.hi().is_sign_positive());
    assert!((-zero).hi().is_sign_positive() && zero.is_zero());
}

#[test]
fn ends_middle_and_text() {
    let x = interval(-1.0, 3.0);
    assert_eq!(
        (x.lo(), x.hi(), x.width(), x.midpoint(), x.magnitude()),
        (-1.0, 3.0, 4.0, 1.0, 3.0)
    );
    assert!(
        x.contains(-1.0) && x.contains(3.0) && !x.contains(3.000_000_1) && !x.contains(f64::NAN)
    );
    assert!(!I::ENTIRE.contains(f64::INFINITY) && I::ENTIRE.contains(f64::MAX));
    assert!(interval(1.0, 1.0 + f64::EPSILON).width() == f64::EPSILON);
    assert!(interval(1e-20, 1.0).width() == 1.0);
    assert!(interval(-1e-20, 1.0).width() > 1.0);
    assert_eq!(I::ENTIRE.width(), f64::INFINITY);
    assert_eq!(interval(f64::MAX / 2.0, f64::MAX).midpoint(), f64::MAX * 0.75);
    assert_eq!(interval(-f64::MAX, f64::MAX).midpoint(), 0.0);
    assert_eq!(I::ENTIRE.midpoint(), 0.0);
    assert_eq!(interval(1.0, f64::INFINITY).midpoint(), f64::MAX);
    assert!(x.is_bounded() && !I::ENTIRE.is_bounded() && !I::NON_NEGATIVE.is_bounded());
    assert_eq!(x.to_string(), "[-1.0, 3.0]");
    assert_eq!(interval(0.1, 1e300).to_string(), "[0.1, 1e300]");
    assert_eq!(I::ENTIRE.to_string(), "[-inf, inf]");
}

#[test]
fn signs_and_magnitudes() {
    assert_eq!(interval(0.0, 2.0).sign(), point(1.0));
    assert_eq!(interval(-2.0, -1.0).sign(), point(-1.0));
    assert_eq!(interval(-2.0, 0.0).sign(), interval(-1.0, 1.0));
    assert_eq!(interval(-2.0, 1.0).fold(), interval(0.0, 2.0));
    assert_eq!(interval(-2.0, -1.0).fold(), interval(1.0, 2.0));
    assert_eq!(interval(-2.0, 1.0).square(), interval(0.0, 4.0));
    assert_eq!(interval(-3.0, 4.0).sqrt(), interval(0.0, 2.0));
    assert!(interval(-3.0, -1.0).sqrt().is_empty());
    assert!(point(0.0).is_zero() && !interval(0.0, 5e-324).is_zero());
}

// ---------------------------------------------------------------------------------------------
// Vectors

#[test]
fn softmax_encloses_and_stays_narrow() {
    let counts = [2.0, 1.0, 5.0];
    let logits = [0.3, -1.25, 2.0];
    let mut exact = [0.0; 3];
    f64::softmax(Some(&counts), &logits, &mut exact);
    let radius = 1e-3;
    let boxes = logits.map(|z| interval(z - radius, z + radius));
    let mut scores = [I::ENTIRE; 3];
    I::softmax(Some(&counts.map(point)), &boxes, &mut scores);
    for k in 0..8 {
        let corner: Vec<f64> =
            (0..3).map(|i| logits[i] + if k >> i & 1 == 0 { -radius } else { radius }).collect();
        let mut at_corner = [0.0; 3];
        f64::softmax(Some(&counts), &corner, &mut at_corner);
        for i in 0..3 {
            assert!(scores[i].contains(at_corner[i]), "{}: {}", scores[i], at_corner[i]);
        }
    }
    for i in 0..3 {
        // To first order the width is 2 s (1 − n s) times the width of a logit.
        let slope = 2.0 * exact[i] * (1.0 - counts[i] * exact[i]);
        assert!(scores[i].width() < slope * 2.0 * radius * 1.01 + 1e-14, "{}", scores[i]);
    }
    // Points give nearly points; equal logits give the count to the last bit or two.
    let mut scores = [I::ENTIRE; 2];
    I::softmax(Some(&[point(3.0), point(5.0)]), &[point(0.7), point(0.7)], &mut scores);
    assert_eq!(scores, [point(0.125), point(0.125)]);
}

#[test]
fn softmax_of_distant_logits() {
    for gap in [890.0, 1e5, f64::MAX / 2.0] {
        let mut scores = [I::ENTIRE; 2];
        I::softmax(None, &[point(gap), point(-gap)], &mut scores);
        assert!(scores[0].contains(1.0) && scores[0].width() < 1e-15, "{}", scores[0]);
        assert!(scores[1].lo() >= 0.0 && scores[1].hi() < 1e-300, "{}", scores[1]);
    }
    let mut scores = [I32::ENTIRE; 2];
    I32::softmax(None, &[point(890.0), point(-890.0)], &mut scores);
    assert!(scores[0].contains(1.0) && scores[1].lo() >= 0.0 && scores[1].hi() < 1e-30);
    // Unknown logits: a share of the whole.
    I32::softmax(None, &[I32::ENTIRE; 2], &mut scores);
    assert!(scores[0] == interval(0.0, 1.0));
    // Only the common length counts.
    let mut one = [I::ENTIRE];
    I::softmax(None, &[point(1.0), point(2.0)], &mut one);
    assert_eq!(one, [point(1.0)]);
    I::softmax(None, &[], &mut []);
}

#[test]
fn wedges() {
    let context = point(0.0);
    let check = |a: &[f64], b: &[f64], exact: f64| {
        let lift = |x: &[f64]| x.iter().map(|&x| point(x)).collect::<Vec<_>>();
        let wedge = context.wedge(None, &lift(a), &lift(b));
        assert!(wedge.lo() >= 0.0 && wedge.contains(exact), "{wedge}: {exact}");
        assert!(wedge.width() < 1e-6, "{wedge}");
    };
    check(&[3.0, 0.0], &[0.0, 2.0], 6.0);
    check(&[1.0, 2.0], &[2.0, 4.0], 0.0);
    check(&[1.0, 1.0], &[1.0, -1.0], 2.0);
    let (mut a, mut b) = ([0.0; 12], [0.0; 12]);
    (a[0], b[11]) = (3.0, 2.0);
    check(&a, &b, 6.0);
    check(&a, &a, 0.0);
    // A box around the origin: bounded by the norms, by either form.
    for length in [3, 12] {
        let small = vec![interval(-1e-3, 1e-3); length];
        let wedge = context.wedge(None, &small, &small);
        assert!(wedge.lo() == 0.0 && wedge.hi() < 1e-4, "{wedge}");
    }
}
