//! Arbitrary bits into every operation on intervals: none may panic, every result must be an
//! interval, and it must hold what the operation makes of points of its arguments.

use popgd_core::scalar::float::Float;
use popgd_core::scalar::{Scalar, interval::Interval};

/// One execution. An odd first byte is followed by text, an even one by six floats; the other bits
/// of it give an exponent.
pub fn exercise(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    if first & 1 == 1 {
        if let Ok(text) = std::str::from_utf8(rest) {
            read::<f64>(text);
            read::<f32>(text);
        }
        return;
    }
    let word = |i: usize| {
        let mut bytes = [0; 8];
        for (byte, &given) in bytes.iter_mut().zip(rest.get(8 * i..).unwrap_or(&[])) {
            *byte = given;
        }
        u64::from_le_bytes(bytes)
    };
    let words = [0, 1, 2, 3, 4, 5].map(word);
    let exponent = i32::from(first >> 1) - 40;
    compute(words.map(f64::from_bits), exponent);
    compute(words.map(|bits| f32::from_bits(bits as u32)), exponent);
    compute(words.map(|bits| f64::from_bits(bits) as f32), exponent);
    numbers(words);
}

/// Both ends NaN, or in order and not infinite on the wrong side; and no −0.
fn is_interval<F: Float>(x: Interval<F>) -> bool {
    let (lo, hi) = (x.lo(), x.hi());
    if x.is_empty() {
        return lo.is_nan() && hi.is_nan();
    }
    let is_plain = |end: F| end != F::ZERO || F::ONE / end == F::INFINITY;
    lo <= hi && lo < F::INFINITY && hi > F::NEG_INFINITY && is_plain(lo) && is_plain(hi)
}

fn read<F: Float + std::str::FromStr>(text: &str) {
    let Ok(x) = text.parse::<Interval<F>>() else { return };
    assert!(is_interval(x), "{text:?} gives {x:?}");
    let again = |written: String| {
        written.parse::<Interval<F>>().unwrap_or_else(|e| panic!("{written:?}: {e}"))
    };
    assert!(again(format!("{x}")).contains_interval(x), "{text:?}: {x}");
    assert!(again(format!("{x:x}")) == x, "{text:?}: {x:x}");
    // A number is in the interval that its text denotes.
    if let Ok(value) = text.trim().parse::<F>() {
        let is_near = value.is_nan() || !value.is_finite() || x.contains(value);
        assert!(is_near, "{text:?} gives {x:?} without {value:?}");
    }
}

/// The interval between two floats; empty if one of them is NaN.
fn between<F: Float>(x: F, y: F) -> Interval<F> {
    let (lo, hi) = if x <= y { (x, y) } else { (y, x) };
    Interval::new(lo, hi).unwrap_or(Interval::EMPTY)
}

/// A point of an interval, as near to `x` as can be; NaN if there is none.
fn member<F: Float>(interval: Interval<F>, x: F) -> F {
    if interval.is_empty() {
        return F::NAN;
    }
    let x = if x.is_nan() { F::ZERO } else { x };
    x.max(interval.lo()).min(interval.hi()).max(-F::MAX).min(F::MAX)
}

type Unary<F> = (&'static str, fn(Interval<F>) -> Interval<F>, fn(F) -> Option<F>);
type Binary<F> = (&'static str, fn(Interval<F>, Interval<F>) -> Interval<F>, fn(F, F) -> Option<F>);

fn compute<F: Float>(given: [F; 6], exponent: i32) {
    let [a, b, c, d, e, f] = given;
    let (x, y, z) = (between(a, b), between(c, d), between(e, f));
    let (p, q, r) = (member(x, e), member(y, f), member(z, a));
    let (at_p, at_q) = (Interval::point(p), Interval::point(q));

    // The second function rounds to nearest: between the two ends, whatever they are. (Elementary
    // functions of floats are right to two steps.)
    let exact: [Unary<F>; 8] = [
        ("-x", |x| -x, |x| Some(-x)),
        ("|x|", |x| x.abs(), |x| Some(Float::abs(x))),
        ("fold", |x| x.fold(), |x| Some(Float::abs(x))),
        ("sign", |x| x.sign(), |x| Some(x.sign())),
        ("square", |x| x.square(), |x| Some(x * x)),
        ("sqrt", |x| Scalar::sqrt(x), |x| (x >= F::ZERO).then(|| Scalar::sqrt(x))),
        ("recip", |x| x.recip(), |x| (x != F::ZERO).then(|| F::ONE / x)),
        ("x x", |x| x * x, |x| Some(x * x)),
    ];
    let near: [Unary<F>; 9] = [
        ("exp", |x| Scalar::exp(x), |x| Some(Scalar::exp(x))),
        ("sin", |x| Scalar::sin(x), |x| Some(Scalar::sin(x))),
        ("cos", |x| Scalar::cos(x), |x| Some(Scalar::cos(x))),
        ("atan", |x| x.atan(), |x| Some(Scalar::atan2(x, F::ONE))),
        ("ln", |x| x.ln(), |_| None),
        ("asin", |x| x.asin(), |_| None),
        ("acos", |x| x.acos(), |_| None),
        ("1-cos", |x| x.one_minus_cos(), |_| None),
        ("sin-x*cos", |x| x.sin_minus_angle_cos(), |_| None),
    ];
    for (steps, functions) in [(0, &exact[..]), (2, &near[..])] {
        for (name, range, value) in functions {
            let whole = range(x);
            let at_point = range(at_p);
            assert!(is_interval(whole), "{name} {x:?} = {whole:?}");
            assert!(is_interval(at_point), "{name} {p:?} = {at_point:?}");
            assert!(whole.contains_interval(at_point) || at_p.is_empty(), "{name} {x:?} {p:?}");
            if let (false, Some(value)) = (at_p.is_empty(), value(p)) {
                assert!(holds(at_point, value, steps), "{name} {p:?} = {at_point:?}, {value:?}");
            }
        }
    }

    let binary: [Binary<F>; 9] = [
        ("+", |x, y| x + y, |x, y| Some(x + y)),
        ("-", |x, y| x - y, |x, y| Some(x - y)),
        ("*", |x, y| x * y, |x, y| Some(x * y)),
        ("/", |x, y| x / y, |x, y| (y != F::ZERO).then(|| x / y)),
        ("min", |x, y| x.min(y), |x, y| Some(Float::min(x, y))),
        ("max", |x, y| x.max(y), |x, y| Some(Float::max(x, y))),
        ("hull", |x, y| x.hull(y), |x, _| Some(x)),
        ("atan2", |x, y| Scalar::atan2(x, y), |_, _| None),
        ("argument", |x, y| x.argument(y), |_, _| None),
    ];
    for (name, range, value) in &binary {
        let whole = range(x, y);
        assert!(is_interval(whole), "{x:?} {name} {y:?} = {whole:?}");
        if x.is_empty() || y.is_empty() {
            assert!(whole.is_empty() || *name == "hull", "{x:?} {name} {y:?} = {whole:?}");
            continue;
        }
        let at_point = range(at_p, at_q);
        assert!(is_interval(at_point), "{p:?} {name} {q:?} = {at_point:?}");
        assert!(whole.contains_interval(at_point), "{x:?} {name} {y:?} at {p:?}, {q:?}");
        if let Some(value) = value(p, q) {
            assert!(holds(at_point, value, 0), "{p:?} {name} {q:?} = {at_point:?}, {value:?}");
        }
    }

    if !(at_p.is_empty() || at_q.is_empty()) {
        exactness(p, q);
    }

    let common = x.intersection(y);
    assert!(is_interval(common) && x.contains_interval(common) && y.contains_interval(common));
    assert_eq!(common.is_empty(), x.is_disjoint_from(y));
    assert!(x.hull(y).contains_interval(x) && x.hull(y).contains_interval(y));
    assert!(!x.is_interior_to(y) || x.is_subset_of(y));
    assert!(!x.strictly_precedes(y) || x.precedes(y));
    let _ = (x.is_weakly_less_than(y), x.is_strictly_less_than(y), x.is_entire(), x == y);

    let whole = x.fma(y, z);
    assert!(is_interval(whole), "{x:?} * {y:?} + {z:?} = {whole:?}");
    assert!((x * y + z).contains_interval(whole), "{x:?} * {y:?} + {z:?} = {whole:?}");
    if !(x.is_empty() || y.is_empty() || z.is_empty()) {
        assert!(whole.contains_interval(at_p.fma(at_q, Interval::point(r))));
    }
    for n in [exponent, a.to_f64().to_bits() as i32, i32::MIN, i32::MAX, -1, 0, 1, 2, 3] {
        let whole = x.pown(n);
        assert!(is_interval(whole), "{x:?} to the {n}: {whole:?}");
        assert!(at_p.is_empty() || whole.contains_interval(at_p.pown(n)), "{x:?}, {p:?}, {n}");
    }

    if !x.is_empty() {
        assert!(x.contains(x.midpoint()) && x.contains(x.mid()), "{x:?}");
        let (middle, radius) = (Interval::point(x.mid()), x.rad());
        assert!(radius == F::INFINITY || (middle + between(-radius, radius)).contains_interval(x));
        assert!(x.wid() >= F::ZERO && x.width() == x.wid() && x.mig() <= x.mag());
        assert!(x.inf() <= x.sup());
    }

    let vector = [x, y, z];
    let mut scores = vector;
    Scalar::softmax(None, &vector, &mut scores);
    assert!(scores.iter().all(|&score| is_interval(score)));
    assert!(is_interval(x.wedge(None, &vector, &[z, x, y])));
    read::<f64>(&format!("{x}"));
    read::<f32>(&format!("{x:x}"));
}

/// Results at points have no width exactly where they are floats, as integers tell.
fn exactness<F: Float>(p: F, q: F) {
    let (at_p, at_q) = (Interval::point(p), Interval::point(q));
    let (x, y) = (Dyadic::new(p), Dyadic::new(q));
    let one = Dyadic::new(F::ONE);
    let mut results = vec![
        ("+", at_p + at_q, x.plus_is_float::<F>(y)),
        ("-", at_p - at_q, x.plus_is_float::<F>(y.negated())),
        ("*", at_p * at_q, x.product_is_float::<F>(y)),
        ("square", at_p.square(), x.product_is_float::<F>(x)),
    ];
    if q != F::ZERO {
        results.push(("/", at_p / at_q, x.quotient_is_float::<F>(y)));
        results.push(("recip of the second", at_q.recip(), one.quotient_is_float::<F>(y)));
    }
    if p >= F::ZERO {
        results.push(("sqrt", Scalar::sqrt(at_p), x.root_is_float::<F>()));
    }
    for (name, range, is_float) in results {
        assert_eq!(range.lo() == range.hi(), is_float, "{p:?} {name} {q:?} = {range:?}");
    }
}

/// The number ± magnitude · 2^exponent with an odd magnitude, or 0.
#[derive(Clone, Copy)]
struct Dyadic {
    is_negative: bool,
    magnitude: u128,
    exponent: i32,
}

impl Dyadic {
    fn new<F: Float>(x: F) -> Self {
        let bits = x.to_f64().to_bits();
        let (biased, fraction) = ((bits >> 52 & 0x7ff) as i32, u128::from(bits & ((1 << 52) - 1)));
        let (magnitude, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        Self { is_negative: bits >> 63 == 1, magnitude, exponent }.reduced()
    }

    fn reduced(self) -> Self {
        if self.magnitude == 0 {
            return Self { is_negative: false, magnitude: 0, exponent: 0 };
        }
        let zeros = self.magnitude.trailing_zeros();
        Self { magnitude: self.magnitude >> zeros, exponent: self.exponent + zeros as i32, ..self }
    }

    fn negated(self) -> Self {
        Self { is_negative: !self.is_negative, ..self }
    }

    /// Whether such a number is a finite float.
    fn is_float<F: Float>(self) -> bool {
        let Self { magnitude, exponent, .. } = self.reduced();
        let digits = (128 - magnitude.leading_zeros()) as i32;
        // All finite floats are less than 2 to this power.
        let limit = 3 - F::DIGITS as i32 - F::LEAST_EXPONENT;
        magnitude == 0
            || digits <= F::DIGITS as i32
                && exponent >= F::LEAST_EXPONENT
                && exponent + digits <= limit
    }

    fn plus_is_float<F: Float>(self, other: Self) -> bool {
        if self.magnitude == 0 || other.magnitude == 0 {
            return true;
        }
        let (high, low) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = high.exponent - low.exponent;
        // Odd places so far apart are not in one float.
        if shift > 70 {
            return false;
        }
        let shifted = high.magnitude << shift;
        let magnitude = if high.is_negative == low.is_negative {
            shifted + low.magnitude
        } else {
            shifted.abs_diff(low.magnitude)
        };
        Self { is_negative: false, magnitude, exponent: low.exponent }.is_float::<F>()
    }

    fn product_is_float<F: Float>(self, other: Self) -> bool {
        let magnitude = self.magnitude * other.magnitude;
        Self { magnitude, exponent: self.exponent + other.exponent, ..self }.is_float::<F>()
    }

    /// For a divisor that is not 0.
    fn quotient_is_float<F: Float>(self, divisor: Self) -> bool {
        let exponent = self.exponent - divisor.exponent;
        let magnitude = self.magnitude / divisor.magnitude;
        self.magnitude.is_multiple_of(divisor.magnitude)
            && Self { magnitude, exponent, ..self }.is_float::<F>()
    }

    fn root_is_float<F: Float>(self) -> bool {
        let root = self.magnitude.isqrt();
        let exponent = self.exponent / 2;
        root * root == self.magnitude
            && self.exponent % 2 == 0
            && Self { magnitude: root, exponent, ..self }.is_float::<F>()
    }
}

/// Whether a float, rounded to nearest and up to some steps away from a number, allows that number
/// to be in the range; beyond all floats it says nothing.
fn holds<F: Float>(range: Interval<F>, value: F, steps: usize) -> bool {
    if !value.is_finite() {
        return true;
    }
    let (mut lo, mut hi) = (range.lo(), range.hi());
    for _ in 0..steps {
        (lo, hi) = (Float::next_down(lo), Float::next_up(hi));
    }
    lo <= value && value <= hi
}

/// Intervals of numbers that are not floats of their format.
fn numbers(words: [u64; 6]) {
    let one = Interval::point(1.0_f64);
    let small = Interval::point(1.0_f32);
    for &word in &words {
        let value = f64::from_bits(word);
        assert!(is_interval(one.lift(value)) && is_interval(small.lift(value)));
        let integer = word.cast_signed();
        assert!(one.integer(integer).contains(integer as f64), "{integer}");
        assert!(small.integer(integer).contains(integer as f32), "{integer}");
        for &divisor in &words {
            let divisor = divisor.cast_signed();
            assert!(is_interval(one.rational(integer, divisor)));
            assert!(is_interval(small.rational(integer, divisor)));
        }
    }
}
