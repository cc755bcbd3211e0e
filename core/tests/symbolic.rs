//! Expressions: what they keep exactly, share, print and evaluate to.
#![cfg(feature = "symbolic")]

use popgd_core::descent::lumped::LumpedModel;
use popgd_core::model::activation::Activation;
use popgd_core::model::classes::TwoLevel;
use popgd_core::model::population::{excess_loss, gradient, gradient_scratch};
use popgd_core::model::teacher::{Shape, Teacher};
use popgd_core::scalar::Scalar;
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;
use popgd_core::scalar::symbolic::{Arena, BigRational, Expr};

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

#[track_caller]
fn assert_prints(expression: Expr<'_>, text: &str) {
    assert_eq!(expression.to_string(), text);
}

/// Touches every operation of a scalar.
fn everything<T: Scalar>(x: T, y: T) -> T {
    let mut exponentials = [x, y];
    T::exp_slice(&mut exponentials);
    let mut scores = [x, x];
    T::softmax(Some(&[x.integer(2), y]), &[x - y, x * y], &mut scores);
    let wedge = x.wedge(None, &scores, &[y, x]);
    let angle = wedge.atan2(x.dot(&scores, &[y, x]));
    let sums = x.lift(0.3) * x.pi() + x.rational(22, 7) - (x / y).sin() * y.cos();
    let angles = angle.one_minus_cos() + angle.sin_minus_angle_cos() * x.square().norm();
    (sums + angles).square() * (-x).exp() / (y.sqrt() + y.fold() * x.sign()) + exponentials[1]
        - x.product_difference(x, y, angle) / exponentials[0]
}

#[test]
fn evaluates_to_what_the_program_computes() {
    let arena = Arena::new();
    let formula = everything(arena.symbol("x"), arena.symbol("y"));
    for (x, y) in [(0.5, 0.25), (1.0, 3.0), (2.75, 0.1), (0.01, 7.0)] {
        let value = formula.evaluate(0.0, |name| Some(if name == "x" { x } else { y }));
        let expected = everything::<f64>(x, y);
        assert!(close(value.unwrap(), expected, 1e-13), "{value:?} instead of {expected}");
    }
    assert_eq!(formula.evaluate(0.0, |name| (name == "x").then_some(1.0)), None);
}

#[test]
fn evaluates_cancelling_forms_stably() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let angle = 1e-6;
    let value = |formula: Expr<'_>| formula.evaluate(0.0, |_| Some(angle)).unwrap();
    assert!(close(value(x.one_minus_cos()), angle * angle / 2.0, 1e-12));
    assert!(close(value(x.sin_minus_angle_cos()), angle.powi(3) / 3.0, 1e-12));
    assert!(close(value(x.sin() - x.cos() * x), angle.powi(3) / 3.0, 1e-12));
}

#[test]
fn constants_are_exact() {
    let arena = Arena::new();
    let sum = arena.rational(1, 10) + arena.rational(2, 10);
    assert_eq!(sum, arena.rational(3, 10));
    assert_eq!(sum - arena.rational(3, 10), sum.zero());
    assert_eq!(sum.as_constant(), Some(BigRational::new(3.into(), 10.into())));
    assert_eq!(arena.rational(-4, -6), arena.rational(2, 3));
    assert_eq!(arena.constant(BigRational::new_raw(2.into(), (-4).into())), arena.rational(-1, 2));
    assert_eq!(sum / sum.rational(3, 7), arena.rational(7, 10));

    assert_ne!(sum.lift(0.1), arena.rational(1, 10));
    assert_eq!(sum.lift(0.375), arena.rational(3, 8));
    assert_eq!(sum.lift(-0.0), sum.zero());
    assert_prints(sum.lift(0.1), "3602879701896397/36028797018963968");
}

#[test]
fn lifted_floats_come_back() {
    let arena = Arena::new();
    let context = arena.symbol("x");
    let values = [
        0.1,
        -1.0 / 3.0,
        1e-300,
        -1e300,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits(0x000f_ffff_ffff_fff1),
        9.007_199_254_740_993e15,
        1.844_674_407_370_955_2e19,
    ];
    for value in values {
        assert_eq!(context.lift(value).evaluate(0.0, |_| None), Some(value));
    }
    assert_eq!(context.lift(1e-30).evaluate(0.0_f32, |_| None), Some(1e-30_f32));
}

#[test]
fn big_constants_evaluate_closely() {
    let arena = Arena::new();
    let third = arena.rational(1, 3);
    let value = |constant: Expr<'_>| constant.evaluate(0.0, |_| None).unwrap();
    assert!(close(value(third.power(600)), 3.0_f64.powi(-300) * 3.0_f64.powi(-300), 1e-13));
    assert_eq!(value(third.power(900)), 0.0);
    assert_eq!(value(arena.rational(-10, 1).power(401)), f64::NEG_INFINITY);
    // Numerator and denominator are both too large for a float.
    let ratio = (arena.rational(10, 1).power(400) + third) / arena.rational(10, 1).power(399);
    assert!(close(value(ratio), 10.0, 1e-15));
    assert!(close(value(-ratio), -10.0, 1e-15));
}

#[test]
fn enclosures_of_constants_are_sound_and_narrow() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let third = arena.rational(1, 3);
    let big = arena.rational(10, 1).power(30);
    let constants = [
        third,
        arena.rational(i64::MAX, i64::MAX - 1),
        arena.rational(i64::MIN, 3),
        x.lift(0.1),
        x.lift(1e-30),
        third.power(60) * arena.rational(-5, 7),
        big + third,
        -third / big,
        (big + third) / (big - third),
        arena.rational(1 << 40, 1).power(2) + third,
    ];
    let exact = |end: f64| BigRational::from_float(end).unwrap();
    for constant in constants {
        let value = constant.as_constant().unwrap();
        let wide = constant.evaluate(Interval::point(0.0_f32), |_| None).unwrap();
        let tight = constant.evaluate(Interval::point(0.0_f64), |_| None).unwrap();
        assert!(exact(tight.lo()) <= value && value <= exact(tight.hi()), "{constant:?}");
        assert!(exact(wide.lo().into()) <= value && value <= exact(wide.hi().into()));
        assert!(tight.width() <= 4e-15 * tight.magnitude(), "{constant:?} in {tight}");
        assert!(wide.width() <= 2e-6 * wide.magnitude(), "{constant:?} in {wide}");
    }
    for constant in [third.power(900), -arena.rational(10, 1).power(400)] {
        let tight = constant.evaluate(Interval::point(0.0_f64), |_| None).unwrap();
        // The exact value is out of range: one end is finite, the other may be infinite.
        let below = !tight.lo().is_finite() || exact(tight.lo()) <= constant.as_constant().unwrap();
        let above = !tight.hi().is_finite() || constant.as_constant().unwrap() <= exact(tight.hi());
        assert!(below && above && !tight.is_empty(), "{constant:?} in {tight}");
    }
}

#[test]
fn equal_parts_are_one_node() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    assert_eq!(x, arena.symbol("x"));
    assert_eq!(x + y, y + x);
    assert_eq!((x * y).exp(), (y * x).exp());

    // x₂₀ = x₁₉ + x₁₉ y, …: 2²⁰ leaves written out.
    let mut chain = x;
    for _ in 0..20 {
        chain = chain + (chain * y).exp();
    }
    assert_eq!(chain.node_count(), 2 + 3 * 20);
    let count = arena.node_count();
    let text = format!("{:#}", chain.with_sharing());
    assert_eq!(text.lines().count(), 20);
    let again = (0..20).fold(x, |chain, _| chain + (y * chain).exp());
    assert_eq!(again, chain);
    assert_eq!(arena.node_count(), count);
}

#[test]
fn long_formulas_need_no_stack() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let deep = (0..200_000).fold(x, |deep, _| (-deep).exp());
    assert!(deep.to_string().len() > 1_000_000);
    assert!(deep.with_sharing().to_string().len() > 1_000_000);
    let value = deep.evaluate(0.0, |_| Some(0.0)).unwrap();
    assert!(close((-value).exp(), value, 1e-15));
}

#[test]
fn neutral_elements_vanish() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    let (zero, one) = (x.zero(), x.one());
    for same in [x + zero, zero + x, x - zero, x * one, one * x, x / one, -(-x)] {
        assert_eq!(same, x);
    }
    for nothing in [x - x, -x + x, zero * x, x * zero, zero / x, zero.sin()] {
        assert_eq!(nothing, zero);
        assert!(nothing.is_zero());
    }
    for unit in [x / x, zero.exp(), zero.cos(), x.exp().sign(), x.power(0)] {
        assert_eq!(unit, one);
    }
    assert_eq!(-x * y, -(x * y));
    assert_eq!(-x * -y, x * y);
    assert_eq!(-x / y, x / -y);
    assert_eq!(x * x * x, x.power(3));
    assert_eq!((-x).square(), x.square());
    assert_eq!(x.integer(-3).sign(), x.integer(-1));
    assert_eq!(x.rational(4, 9).sqrt(), x.rational(2, 3));
    assert_eq!(zero.sqrt(), zero);
    assert_eq!(zero.atan2(one), zero);
    assert_eq!(zero.atan2(zero), zero);
    assert_eq!(zero.atan2(-one), x.pi());
    assert_eq!((-one).atan2(zero), -(x.pi() / x.integer(2)));
}

#[test]
fn prints_with_few_parentheses() {
    let arena = Arena::new();
    let (x, y, z) = (arena.symbol("x"), arena.symbol("y"), arena.symbol("z"));
    let half = x.rational(1, 2);
    assert_prints(y + x, "x + y");
    assert_prints(x + x.one(), "x + 1");
    assert_prints(x.one() - x, "1 - x");
    assert_prints(x - half, "x - 1/2");
    assert_prints(-x + y, "y - x");
    assert_prints(-x - y, "-x - y");
    assert_prints(x - (y + z), "x - (y + z)");
    assert_prints(x + (y - z), "x + y - z");
    assert_prints((x - y) * (x + y), "(x + y)*(x - y)");
    assert_prints(x * half, "1/2*x");
    assert_prints(z * (x * half), "z*(1/2)*x");
    assert_prints(-(x * half), "-1/2*x");
    assert_prints(-(x + y), "-(x + y)");
    assert_prints(x / (y * z), "x/(y*z)");
    assert_prints(x / (y / z), "x/(y/z)");
    assert_prints(x / y / z, "x/y/z");
    assert_prints(x / y * z, "z*x/y");
    assert_prints(x / half, "x/(1/2)");
    assert_prints((x * y).square(), "(x*y)^2");
    assert_prints(x.square() / y.power(3), "x^2/y^3");
    assert_prints((-half).exp(), "exp(-1/2)");
    assert_prints((-x).exp() + x.integer(2).sqrt() * x.pi(), "exp(-x) + sqrt(2)*pi");
    assert_prints(x.one_minus_cos(), "1 - cos(x)");
    assert_prints(x.sin_minus_angle_cos(), "sin(x) - x*cos(x)");
    assert_prints((x + y).atan2(-z), "atan2(x + y, -z)");
    assert_prints((x / x.zero()).exp(), "undefined");
    assert_eq!(format!("{:?}", x - half), "Expr(x - 1/2)");
}

#[test]
fn names_what_is_shared() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    let length = (x.square() + y.square()).sqrt();
    let unit = x / length;
    let formula = unit * (y / length) - unit;
    assert_eq!(formula.with_sharing().to_string(), "t1 = sqrt(x^2 + y^2); t2 = x/t1; t2*y/t1 - t2");
    assert_eq!(
        format!("{:#}", formula.with_sharing()),
        "t1 = sqrt(x^2 + y^2)\nt2 = x/t1\nt2*y/t1 - t2"
    );
    // A shared sum is not taken apart, and no name is taken twice.
    let (t1, tt2) = (arena.symbol("t1"), arena.symbol("tt2"));
    let sum = tt2 + t1;
    assert_eq!((x + sum + sum.exp()).with_sharing().to_string(), {
        "ttt1 = t1 + tt2; x + ttt1 + exp(ttt1)"
    });
    assert_eq!(x.with_sharing().to_string(), "x");
}

#[test]
fn undefined_is_handed_on() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let undefined = x / x.zero();
    assert!(undefined.is_undefined() && !x.is_undefined());
    for other in [
        x.zero() / x.zero(),
        x.lift(f64::NAN),
        x.lift(f64::NEG_INFINITY),
        x.rational(1, 0),
        arena.constant(BigRational::new_raw(1.into(), 0.into())),
        x.integer(-2).sqrt(),
        undefined - undefined,
        undefined * x.zero(),
        x.zero() / undefined,
        x.atan2(undefined),
        undefined.sqrt().exp().sin().cos(),
        -undefined,
        undefined.sign(),
        undefined.norm(),
        undefined.one_minus_cos(),
        undefined.sin_minus_angle_cos(),
        undefined.square(),
    ] {
        assert_eq!(other, undefined);
    }
    assert_eq!(undefined.one(), x.one());
    assert_eq!(undefined.evaluate(0.0, |_| Some(1.0)), None);
    assert_eq!(undefined.node_count(), 1);
}

#[test]
fn evaluation_in_expressions_substitutes() {
    let (arena, elsewhere) = (Arena::new(), Arena::new());
    let x = arena.symbol("x");
    let formula = everything(x, arena.symbol("y"));
    let copied = formula.evaluate(elsewhere.pi(), |name| Some(elsewhere.symbol(name)));
    assert_eq!(copied, Some(everything(elsewhere.symbol("x"), elsewhere.symbol("y"))));
    assert_ne!(copied, Some(formula));
    // Operands from two arenas meet in the first one's.
    let mixed = elsewhere.symbol("x") + formula;
    assert!(core::ptr::eq(mixed.arena(), &elsewhere));
    assert_eq!(mixed, elsewhere.symbol("x") + copied.unwrap());
    // A big constant arrives as itself.
    let big = arena.rational(1, 3).power(100) + x.lift(-1e-200);
    assert_eq!(big.evaluate(elsewhere.pi(), |_| None).unwrap().as_constant(), big.as_constant());
}

/// The names and a few values of what a two-level run depends on.
const LUMPED: [(&str, [f64; 4]); 8] = [
    ("c", [1.2, 0.9, -0.5, 1.125]),
    ("delta", [0.0, 0.7, -0.4, 3.0]),
    ("D", [36.0, 8.0, 20.0, 64.0]),
    ("K", [4.0, 2.0, 3.0, 48.0]),
    ("v", [1.0, 0.3, 2.0, 1.5]),
    ("eta", [0.1, 0.01, 0.5, 0.25]),
    ("kappa", [1.0 / 36.0, 0.125, 0.05, 1.0]),
    ("slope", [0.0, 1.0, -0.3, 0.2]),
];

/// What a step of a two-level run adds to c, to the gap, and to the logit that the gap is counted
/// from (nothing); and the quantities before it.
fn lumped<S: Scalar>(value: &dyn Fn(&str) -> S) -> [S; 6] {
    let c = value("c");
    let teacher = TwoLevel::new(value("D"), value("K"));
    let classes = [teacher.class()];
    let model = LumpedModel {
        activation: Activation::leaky_relu(value("slope")),
        classes: &classes,
        teacher_norm: value("v"),
        logit_gain: value("kappa"),
        rate: value("eta"),
        slope_at_zero: c.one(),
    };
    let logits = [value("delta"), c.zero()];
    let (mut scores, mut increments) = ([c; 2], [c; 2]);
    let increment = model.increments(c, &logits, &mut scores, &mut increments);
    let [gap, other] = increments;
    let quantities = model.quantities(c, &logits, &mut scores, &mut increments);
    [increment, gap, other, quantities.excess_loss, quantities.score_error, quantities.value_error]
}

/// A student of one channel, two features and two tokens. At the last point a row of scores is its
/// target, where the length of their wedge is 0.
const DENSE: [(&str, [f64; 4]); 13] = [
    ("w1", [0.5, -1.0, 0.75, 0.5]),
    ("w2", [1.5, 0.25, 2.0, 1.0]),
    ("v1", [1.0, 0.5, -0.8, 0.5]),
    ("v2", [1.0, -0.5, 0.6, -0.5]),
    ("s11", [0.7, 0.6, 0.2, 0.5]),
    ("s12", [0.3, 0.4, 0.8, 0.5]),
    ("s21", [0.1, 0.6, 0.4, 0.6]),
    ("s22", [0.9, 0.4, 0.6, 0.4]),
    ("t11", [1.0, 0.5, 0.1, 0.5]),
    ("t12", [0.0, 0.5, 0.9, 0.5]),
    ("t21", [0.0, 0.25, 0.3, 0.25]),
    ("t22", [1.0, 0.75, 0.7, 0.75]),
    ("slope", [0.0, 1.0, -0.3, 0.25]),
];

/// Excess loss and gradient, with respect to W and to the logits.
fn dense<S: Scalar>(value: &dyn Fn(&str) -> S) -> [S; 7] {
    let own = ["w1", "w2"].map(value);
    let target = ["v1", "v2"].map(value);
    let scores = ["s11", "s12", "s21", "s22"].map(value);
    let goals = ["t11", "t12", "t21", "t22"].map(value);
    let shape = Shape { tokens: 2, channels: 1, features: 2 };
    let activation = Activation::leaky_relu(value("slope"));
    let teacher = Teacher::new(shape, activation, &target, &goals).unwrap();
    let excess = excess_loss(&teacher, &own, &scores).unwrap();
    let one = excess.one();
    let (mut by_value, mut by_logit, mut scratch) =
        ([one; 2], [one; 4], [one; gradient_scratch(1)]);
    gradient(&teacher, &own, &scores, one, &mut by_value, &mut by_logit, &mut scratch).unwrap();
    let ([w1, w2], [z11, z12, z21, z22]) = (by_value, by_logit);
    [excess, w1, w2, z11, z12, z21, z22]
}

/// Compares formulas with the same program run on numbers, at every point of a table.
#[track_caller]
fn assert_agree<const POINTS: usize, const RESULTS: usize>(
    table: &[(&str, [f64; POINTS])],
    formulas: [Expr<'_>; RESULTS],
    numbers: impl Fn(&dyn Fn(&str) -> f64) -> [f64; RESULTS],
) {
    for point in 0..POINTS {
        let look_up = |name: &str| look_up(table, name, point);
        let expected = numbers(&|name| look_up(name).unwrap());
        for (formula, expected) in formulas.iter().zip(expected) {
            let value = formula.evaluate(0.0, look_up).unwrap();
            assert!(
                close(value, expected, 1e-12),
                "point {point}: {value:e} instead of {expected:e}, by {formula:?}"
            );
        }
    }
}

/// The value of a name at one point of a table.
fn look_up<const POINTS: usize>(
    table: &[(&str, [f64; POINTS])],
    name: &str,
    point: usize,
) -> Option<f64> {
    let entry = table.iter().find(|(known, _)| *known == name);
    entry.map(|(_, values)| values[point])
}

#[test]
fn the_lumped_step_is_a_formula() {
    let arena = Arena::new();
    let formulas = lumped(&|name| arena.symbol(name));
    let [by_c, by_gap, other, excess, score_error, value_error] = formulas;
    assert!(other.is_zero());
    assert_prints(value_error, "v*sqrt((c - 1)^2)");
    let text = score_error.with_sharing().to_string();
    assert!(text.ends_with("sqrt(D*(t1*t2^2 + K*(t1*t2/K)^2))"), "{text}");
    // Shared, a formula of the step is a few lines.
    for formula in [by_c, by_gap, excess] {
        assert!(formula.node_count() < 100, "{formula:?}");
        assert!(formula.with_sharing().to_string().len() < 600, "{formula:?}");
    }
    assert_agree(&LUMPED, formulas, lumped::<f64>);
}

#[test]
fn the_dense_loss_is_a_formula() {
    let arena = Arena::new();
    let formulas = dense(&|name| arena.symbol(name));
    let [excess, by_value, ..] = formulas;
    assert!(2 * excess.with_sharing().to_string().len() < excess.to_string().len());
    // What loss and gradient have in common is the same node.
    let together = (excess + by_value).node_count();
    assert!(together < excess.node_count() + by_value.node_count() / 2);
    assert_agree(&DENSE, formulas, dense::<f64>);
}

#[test]
fn the_gradient_formula_is_the_derivative_of_the_loss_formula() {
    let arena = Arena::new();
    let [excess, gradient @ ..] = dense(&|name| arena.symbol(name));
    let parameters = ["w1", "w2", "s11", "s12", "s21", "s22"];
    for point in 0..3 {
        let number = |name: &str| look_up(&DENSE, name, point);
        let variable = |direction: usize| {
            let value = number(parameters[direction]).unwrap();
            Dual::<f64, 6>::variable(if direction < 2 { value } else { value.ln() }, direction)
        };
        // Scores as softmax of logits, the directions of the derivative.
        let mut values = [0, 1, 2, 3, 4, 5].map(variable);
        for row in [2..4, 4..6] {
            let logits = values;
            Dual::softmax(None, &logits[row.clone()], &mut values[row]);
        }
        let loss = excess.evaluate(values[0], |name| {
            let parameter = parameters.iter().position(|parameter| *parameter == name);
            match parameter {
                Some(index) => Some(values[index]),
                None => number(name).map(Dual::constant),
            }
        });
        for (formula, derivative) in gradient.iter().zip(loss.unwrap().derivative) {
            let value = formula.evaluate(0.0, number).unwrap();
            assert!(close(value, derivative, 1e-12), "point {point}: {value:e}, {derivative:e}");
        }
    }
}

#[test]
fn formulas_enclose_over_intervals() {
    let arena = Arena::new();
    let formulas = lumped(&|name| arena.symbol(name));
    for point in 0..4 {
        let number = |name: &str| Interval::point(look_up(&LUMPED, name, point).unwrap());
        let direct = lumped(&number);
        for (formula, direct) in formulas.iter().zip(direct) {
            let value = formula.evaluate(direct, |name| Some(number(name))).unwrap();
            // Both contain the exact value.
            assert!(value.lo() <= direct.hi() && direct.lo() <= value.hi());
            assert!(value.width() <= 1e-12 * value.magnitude(), "{value} by {formula:?}");
        }
    }
}

#[test]
fn derivatives_are_those_of_duals() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    let formulas = [
        everything(x, y),
        (x * y).norm() / (x + y).sqrt(),
        (x - y).sin() * (x / y).cos() - x.power(5),
        (x * y).atan2(x - y.square()),
        (x.sign() * y).exp() + x.fold() * y.sign(),
    ];
    for formula in formulas {
        for (at_x, at_y) in [(0.5, 0.25), (1.0, 3.0), (2.75, 0.1)] {
            let look_up = |name: &str| Some(if name == "x" { at_x } else { at_y });
            let dual = formula.evaluate(Dual::<f64, 2>::constant(0.0), |name| {
                Some(match name {
                    "x" => Dual::variable(at_x, 0),
                    _ => Dual::variable(at_y, 1),
                })
            });
            let [by_x, by_y] = dual.unwrap().derivative;
            for (symbol, expected) in [("x", by_x), ("y", by_y)] {
                let value = formula.derivative(symbol).evaluate(0.0, look_up).unwrap();
                assert!(close(value, expected, 1e-12), "{value:e} for {expected:e}, {formula:?}");
            }
        }
    }
    assert!(x.derivative("z").is_zero());
    assert_eq!((x / x.zero()).derivative("x"), x / x.zero());
}

#[test]
fn derivatives_share() {
    let arena = Arena::new();
    let (x, y) = (arena.symbol("x"), arena.symbol("y"));
    // 2¹⁰⁰ leaves written out.
    let chain = (0..100).fold(x, |chain, _| chain + (chain * y).exp());
    let derivative = chain.derivative("x");
    assert!(derivative.node_count() < 5 * chain.node_count(), "{}", derivative.node_count());
    let long = (0..50_000).fold(x, |long, _| (-long).exp());
    assert!(!long.derivative("x").is_zero());
}

#[test]
fn norms_stay_norms() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    let (norm, sqrt) = (x.square().norm(), x.square().sqrt());
    assert_ne!(norm, sqrt);
    assert_eq!(norm.to_string(), sqrt.to_string());
    let at_zero = |formula: Expr<'_>| {
        formula.evaluate(Dual::<f64, 1>::constant(0.0), |_| Some(Dual::variable(0.0, 0)))
    };
    assert_eq!(at_zero(norm).unwrap().derivative, [0.0]);
    assert!(at_zero(sqrt).unwrap().derivative[0].is_nan());
    assert_eq!(x.integer(9).norm(), x.integer(3));
}

#[test]
fn signs_are_truthful() {
    let arena = Arena::new();
    let x = arena.symbol("x");
    assert_prints(x.sign(), "sign(x)");
    let value = |at: f64| (x * x.sign()).evaluate(0.0, |_| Some(at)).unwrap();
    assert_eq!([value(-2.0), value(0.0), value(3.0)], [2.0, 0.0, 3.0]);
    let enclosure = x.sign().evaluate(Interval::point(0.0), |_| Interval::new(-1.0, 1.0));
    assert_eq!(enclosure, Interval::new(-1.0, 1.0));
    for positive in [x.exp(), x.square(), x.square().norm(), x.pi(), x.integer(2)] {
        assert_eq!(positive.sign(), x.one());
    }
    assert_eq!(x.integer(-2).sign(), -x.one());
    assert_eq!(x.sign().sign(), x.sign());
}

#[test]
fn prints_latex() {
    let arena = Arena::new();
    let (x, gap, tokens) = (arena.symbol("w1_2"), arena.symbol("delta"), arena.symbol("D"));
    let half = x.rational(-1, 2);
    let latex = |formula: Expr<'_>| formula.latex().to_string();
    assert_eq!(latex(x + half), r"w_{1,2} - \frac{1}{2}");
    assert_eq!(latex(half * x), r"-\frac{1}{2} \, w_{1,2}");
    assert_eq!(latex((x / tokens).square()), r"\left(\frac{w_{1,2}}{D}\right)^{2}");
    assert_eq!(latex((-gap).exp() * x.pi()), r"\exp\left(-\delta\right) \, \pi".to_string());
    assert_eq!(latex((x + gap).norm() / tokens), r"\frac{\sqrt{w_{1,2} + \delta}}{D}");
    assert_eq!(latex(x.atan2(gap)), r"\operatorname{atan2}\left(w_{1,2}, \delta\right)");
    assert_eq!(
        latex(arena.symbol("slope").sign()),
        r"\operatorname{sign}\left(\mathrm{slope}\right)"
    );
    let root = tokens.sqrt();
    assert_eq!(
        latex(root * root.exp()),
        "\\begin{aligned}\nt_{1} &= \\sqrt{D} \\\\\n& t_{1} \\, \\exp\\left(t_{1}\\right)\n\\end{aligned}"
    );
}
