//! What the normal form can tell to be 0, and what it must not.
#![cfg(feature = "symbolic")]

use popgd_core::gradient_check::Random;
use popgd_core::scalar::Scalar;
use popgd_core::scalar::interval::Interval;
use popgd_core::scalar::symbolic::{Arena, Expr, NormalForm, ZeroTest};

fn is_zero(formula: Expr<'_>) -> bool {
    matches!(ZeroTest::new(formula.arena()).form(formula), NormalForm::Zero { .. })
}

#[track_caller]
fn assert_zero(formula: Expr<'_>) {
    assert!(is_zero(formula), "{:?}", ZeroTest::new(formula.arena()).form(formula));
}

/// Not called 0, and indeed not 0 at some point.
#[track_caller]
fn assert_nonzero(formula: Expr<'_>) {
    assert!(!is_zero(formula));
    let values = [0.7, -1.3, 0.45, -0.2, 2.1];
    let nonzero = (0..values.len()).any(|first| {
        let mut next = first;
        let value = formula.evaluate(0.0, |_| {
            next += 1;
            Some(values[next % values.len()])
        });
        value.is_some_and(|value: f64| value.abs() > 1e-3)
    });
    assert!(nonzero, "{formula:?}");
}

#[test]
fn rational_functions() {
    let arena = Arena::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| arena.symbol(name));
    assert_zero((x + y).square() - x.square() - x.integer(2) * x * y - y.square());
    assert_zero(x / (x + y) + y / (x + y) - x.one());
    assert_zero(x / (x - y) - y / (x - y) - x.one());
    assert_zero((x.square() - y.square()) / (x - y) - x - y);
    assert_zero(x.one() / (x * y) - (x.one() / x) * (x.one() / y));
    // Partial fractions.
    let one = x.one();
    assert_zero(one / (x * (x + one)) - one / x + one / (x + one));
    assert_zero(one / (one + one / (one + one / x)) - (x + one) / (x + x + one));
    // The determinant of a product.
    let (a, b) = (x * z - y, x + y * z);
    assert_zero((a * z) * (b * y) - (a * y) * (b * z));
    assert_nonzero((x + y).square() - x.square() - y.square());
    assert_nonzero(x / (x + y) + y / (x + y));
    assert_nonzero(one / x - one / (x + one));
}

/// Parts of a long sum that vanish by themselves are sought at a sample point: that must not be one
/// at which others happen to vanish.
#[test]
fn long_sums() {
    fn sum<'a>(parts: &[Expr<'a>]) -> Expr<'a> {
        parts.iter().fold(parts[0].zero(), |sum, &part| sum + part)
    }
    let arena = Arena::new();
    let symbols: Vec<_> = (0..25).map(|k| arena.symbol(&format!("x{k}"))).collect();
    let (y, z) = (arena.symbol("y"), arena.symbol("z"));
    let factor = y * z / y.integer(5);
    let by_rows = symbols.chunks(5).fold(y.zero(), |all, row| all + factor * sum(row));
    assert_zero(by_rows - factor * sum(&symbols));
}

#[test]
fn roots() {
    let arena = Arena::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| arena.symbol(name));
    let (one, two) = (x.one(), x.integer(2));
    assert_zero(x.square().sqrt().square() - x.square());
    assert_zero(two.sqrt() * x.integer(8).sqrt() - x.integer(4));
    assert_zero(x.rational(1, 3).sqrt() - x.integer(3).sqrt() / x.integer(3));
    assert_zero(x.integer(6).sqrt() - two.sqrt() * x.integer(3).sqrt());
    let norm = (x.square() + y.square()).norm();
    assert_zero(norm.square() - x.square() - y.square());
    assert_zero(one / norm - norm / (x.square() + y.square()));
    assert_zero((two * x.square() + two * y.square()).sqrt() - two.sqrt() * norm);
    assert_zero(((x / z).square() + (y / z).square()).norm() - norm / z.square().sqrt());
    // |x| |y| = |x y|, and x need not be positive.
    assert_zero((x * y).square().norm() - x.square().norm() * y.square().norm());
    assert_nonzero(x.square().norm() - x);
    assert_nonzero(norm - x - y);
    assert_nonzero((x + one).square().norm() - x - one);
    // The product of two sums of two squares is one.
    let (a, b) = (x * z - y, y * z + x);
    let both = (a.square() + b.square()).norm();
    assert_zero(both - norm * (z.square() + one).norm());
}

#[test]
fn a_positive_symbol_is_its_own_root() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let formula = x.square().norm() - x;
    let mut test = ZeroTest::new(&arena);
    test.assume_positive("x");
    assert!(matches!(test.form(formula), NormalForm::Zero { .. }));
    assert!(matches!(test.form(x.sign() - x.one()), NormalForm::Zero { .. }));
}

#[test]
fn signs() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    assert_zero(x.sign().square() - x.one());
    assert_zero(x * x.sign() - x.square().norm());
    assert_zero((x * y).sign() - x.sign() * y.sign());
    assert_zero((-x).sign() + x.sign());
    assert_zero((x.exp() + x.square() + x.one()).sign() - x.one());
    assert_nonzero(x.sign() - x.one());
    assert_nonzero((x + y).sign() - x.sign());
}

#[test]
fn exponentials() {
    let arena = Arena::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| arena.symbol(name));
    assert_zero((x + y).exp() - x.exp() * y.exp());
    assert_zero((x - y).exp() * (y - x).exp() - x.one());
    assert_zero((x * x.integer(3)).exp() - x.exp().power(3));
    // Only sums that the formula has are taken apart.
    assert!(!is_zero((x * (y + z)).exp() - (x * y).exp() * (x * z).exp()));
    let mut scores = [x; 3];
    Expr::softmax(None, &[x, y, z], &mut scores);
    let [a, b, c] = scores;
    assert_zero(a + b + c - x.one());
    assert_zero(a / b - (x - y).exp());
    assert_zero(a.derivative("x") - a * (x.one() - a));
    assert_zero(a.derivative("y") + a * b);
    assert_nonzero(a.derivative("y") + a * c);
    assert_nonzero((x * y).exp() - x.exp() * y.exp());
}

#[test]
fn angles() {
    let arena = Arena::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| arena.symbol(name));
    let angle = y.atan2(x);
    let norm = (x.square() + y.square()).norm();
    assert_zero(angle.sin().square() + angle.cos().square() - x.one());
    assert_zero(angle.cos() * norm - x);
    assert_zero(angle.derivative("x") + y / norm.square());
    assert_zero(x * angle.derivative("x") + y * angle.derivative("y"));
    // Multiplied by something positive the direction is the same.
    let factor = z.square() + z.one();
    assert_zero((y * factor).atan2(x * factor) - angle);
    assert_zero((y * z.exp()).atan2(x * z.exp()) - angle);
    // By something else it need not be.
    assert_nonzero((y * z).atan2(x * z) - angle);
    assert_nonzero((-y).atan2(-x) - angle);
    assert_nonzero(angle.sin() - y);
    // No relation is assumed between angles; where there is one it is not seen.
    assert!(!is_zero(x.atan2(y) + angle - x.pi() / x.integer(2)));
    // Other arguments of sine and cosine.
    assert_zero(z.sin().square() + z.cos().square() - x.one());
    assert_zero(z.sin().derivative("z") - z.cos());
    assert_nonzero(z.sin() - z.cos());
    // π is a number like another.
    assert_zero((x.pi() + x) * (x.pi() - x) - x.pi().square() + x.square());
    assert_nonzero(x.pi() - x.rational(22, 7) + x);
}

#[test]
fn lagranges_identity() {
    let arena = Arena::new();
    let a = ["a1", "a2", "a3"].map(|name| arena.symbol(name));
    let b = ["b1", "b2", "b3"].map(|name| arena.symbol(name));
    let context = a[0];
    let (wedge, inner) = (context.wedge(None, &a, &b), context.dot(&a, &b));
    let lengths = context.dot(&a, &a) * context.dot(&b, &b);
    assert_zero(inner.square() + wedge.square() - lengths);
    assert_zero((inner.square() + wedge.square()).norm() - lengths.norm());
    assert_nonzero(inner.square() - wedge.square() - lengths);
}

#[test]
fn what_is_undefined_or_too_large_is_unknown() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    let form = |formula: Expr<'_>| ZeroTest::new(&arena).form(formula);
    assert_eq!(form(x / x.zero()), NormalForm::Unknown);
    // 0 in disguise is not divided by, and has no sign.
    let nothing = x * (y + x.one()) - x * y - x;
    assert_zero(nothing);
    assert_eq!(form(x / nothing), NormalForm::Unknown);
    assert_eq!(form(nothing.sign()), NormalForm::Unknown);
    assert_eq!(form(nothing.atan2(nothing)), NormalForm::Unknown);
    // (x + y)^999 is a power of a name, but multiplied out it is long.
    let large = (x + y).power(999) - (x + y).power(999);
    assert_zero(large);
    assert_eq!(form((x + y).power(5000)), NormalForm::Unknown);
    let sum = (1..12).fold(x, |sum, k| sum + arena.symbol(&format!("z{k}")));
    assert_eq!(form(sum.power(24) - (sum + y).power(24) + y), NormalForm::Unknown);
}

/// A random analytic formula of a few operations: not 0 on a whole region unless everywhere. (Where
/// the argument of a sign or of an angle is 0 nothing is claimed.)
fn random_formula<'a>(random: &mut Random, arena: &'a Arena, depth: u32) -> Expr<'a> {
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    if depth == 0 {
        return [x, y, x.one(), x.integer(2), -x][random.below(5) as usize];
    }
    let mut part = || {
        let depth = random.below(u64::from(depth)) as u32;
        random_formula(random, arena, depth)
    };
    let (a, b) = (part(), part());
    match random.below(11) {
        0 | 1 => a + b,
        2 => a - b,
        3 | 4 => a * b,
        5 => a / b,
        6 => a.square(),
        7 => (a.square() + b.square() + x.one()).norm(),
        8 => a.exp(),
        9 => a.atan2(b.square() + x.one()),
        _ => [a.sin(), a.cos()][random.below(2) as usize],
    }
}

/// Whatever is called 0 is 0: claims about random formulas, and their derivatives, are evaluated in
/// intervals. `POPGD_CASES` sets how many.
#[test]
fn nothing_else_is_called_zero() {
    let cases = std::env::var("POPGD_CASES").ok().and_then(|cases| cases.parse().ok());
    let mut random = Random::new(17);
    let (mut zeros, mut trivial) = (0, 0);
    for _ in 0..cases.unwrap_or(5_000) {
        let arena = Arena::new();
        let mut part = |depth| random_formula(&mut random, &arena, depth);
        let (a, b) = (part(3), part(3));
        let one = a.one();
        let (norm, sum) = (a.square().norm(), (a.square() + b.square()).norm());
        // The first half holds wherever it is defined, the second only for some a and b.
        let template = random.below(16);
        let claim = match template {
            0 => (a + b).square() - a.square() - a.integer(2) * a * b - b.square(),
            1 => a / b * b - a,
            2 => (a + b).exp() - a.exp() * b.exp(),
            3 => a.sin().square() + a.cos().square() - one,
            4 => norm - a * a.sign(),
            5 => sum * a.atan2(b).sin() - a,
            6 => (a * a.exp()).atan2(b * a.exp()) - a.atan2(b),
            7 => (a * b).sign() - a.sign() * b.sign(),
            8 => norm - a,
            9 => a.sign() - one,
            10 => (-a).atan2(-b) - a.atan2(b),
            11 => (a * b).atan2(b.square()) - a.atan2(b),
            12 => (a - b).square().norm() - a + b,
            13 => (a * b).sign() - a.sign(),
            14 => (a * b).atan2(a.square() * b.norm()) - b.atan2(a),
            _ => a.atan2(b).derivative("x") - a.derivative("x") / b,
        };
        let difference = if random.below(4) == 0 { claim.derivative("x") } else { claim };
        trivial += u32::from(difference.is_zero());
        if difference.is_zero() || !is_zero(difference) {
            continue;
        }
        zeros += 1;
        for _ in 0..5 {
            let value = difference.evaluate(Interval::point(0.0_f64), |_| {
                Some(Interval::point(random.signed(0.1, 2.0)))
            });
            let contains_zero = |value: Interval<f64>| value.is_empty() || value.contains(0.0);
            assert!(value.is_none_or(contains_zero), "{difference:?} is not 0 but {value:?}");
        }
    }
    println!("{zeros} zeros, {trivial} more at once");
    assert!(zeros > 1000);
}
