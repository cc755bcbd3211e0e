//! Derivatives against central differences, against formulas derived by hand, and on the
//! diagonals where naive ones are not finite.

use popgd_core::scalar::{Scalar, dual::Dual, interval::Interval};

type D = Dual<f64, 1>;
type D2 = Dual<f64, 2>;
type Second = Dual<Dual<f64, 1>, 1>;

fn x(value: f64) -> D {
    D::variable(value, 0)
}

fn close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance * (1.0 + right.abs()), "{left:e} is not {right:e}");
}

/// A value with first and second derivative along one line.
fn second(value: f64) -> Second {
    Second::variable(D::variable(value, 0), 0)
}

/// A function of one variable, written once for every scalar.
trait Function {
    fn at<S: Scalar>(x: S) -> S;
}

macro_rules! functions {
    ($($name:ident: |$x:ident| $body:expr;)*) => {
        $(
            struct $name;
            impl Function for $name {
                fn at<S: Scalar>($x: S) -> S {
                    $body
                }
            }
        )*

        /// Visits every function.
        fn each(mut visit: impl FnMut(&str, fn(f64) -> f64, fn(D) -> D, fn(Second) -> Second, fn(Enclosed) -> Enclosed)) {
            $(visit(stringify!($name), $name::at::<f64>, $name::at::<D>, $name::at::<Second>, $name::at::<Enclosed>);)*
        }
    };
}

type Enclosed = Dual<Interval<f64>, 1>;

functions! {
    Sum: |x| x + x.integer(3);
    Difference: |x| x.rational(1, 3) - x;
    Negation: |x| -(x * x);
    Product: |x| x * (x + x.one()) * x.lift(0.5);
    Quotient: |x| (x.square() + x.one()) / (x + x.integer(4));
    Root: |x| (x + x.integer(5)).sqrt();
    Norm: |x| (x.square() + x.one()).norm();
    Exponential: |x| (x * x).exp();
    Sine: |x| (x + x).sin();
    Cosine: |x| (x * x).cos();
    Angle: |x| x.atan2(x.square() - x.one());
    LeftAngle: |x| (x.square() + x.one()).atan2(x - x.integer(3));
    Versine: |x| (x.square()).one_minus_cos();
    Odd: |x| (x + x).sin_minus_angle_cos();
    Folded: |x| x.fold() * x;
    Signed: |x| x.sign() * x;
    Compensated: |x| { let (s, e) = (x * x).two_sum(x.exp()); s + e };
    Minor: |x| x.product_difference(x.exp(), x.sin(), x.square());
    Softened: |x| {
        let counts = [x.integer(2), x.square() + x.one(), x.one()];
        let logits = [x, x.sin(), x.pi() * x.square()];
        let mut scores = [x; 3];
        S::softmax(Some(&counts), &logits, &mut scores);
        scores[0] + scores[1].square()
    };
    Uncounted: |x| {
        let mut scores = [x; 2];
        S::softmax(None, &[x + x, x.one()], &mut scores);
        scores[1]
    };
    Wedged: |x| x.wedge(None, &[x, x.one()], &[x.one(), x.integer(7)]);
    LongWedged: |x| {
        let (mut a, mut b) = ([x.one(); 10], [x.exp(); 10]);
        a[3] = x;
        b[4] = x.sin() + x.integer(2);
        let counts = [x.integer(2); 10];
        x.wedge(Some(&counts), &a, &b)
    };
    Dotted: |x| x.dot(&[x, x.sin()], &[x.one(), x]);
}

const POINTS: [f64; 6] = [-1.3, -0.4, 0.25, 0.8, 1.1, 1.7];

#[test]
fn first_derivatives_agree_with_central_differences() {
    each(|name, f, dual, _, _| {
        for point in POINTS {
            let y = dual(x(point));
            close(y.value, f(point), 1e-14);
            let h = 1e-5;
            let difference = (f(point + h) - f(point - h)) / (2.0 * h);
            let [derivative] = y.derivative;
            assert!(
                (derivative - difference).abs() < 1e-7 * (1.0 + difference.abs()),
                "{name} at {point}: {derivative} is not {difference}"
            );
        }
    });
}

#[test]
fn second_derivatives_agree_with_central_differences_of_the_first() {
    each(|name, _, first, dual, _| {
        for point in POINTS {
            let [derivative] = dual(second(point)).derivative;
            let h = 1e-5;
            let slope = |point: f64| first(x(point)).derivative[0];
            let difference = (slope(point + h) - slope(point - h)) / (2.0 * h);
            close(derivative.value, slope(point), 1e-14);
            assert!(
                (derivative.derivative[0] - difference).abs() < 1e-6 * (1.0 + difference.abs()),
                "{name} at {point}: {} is not {difference}",
                derivative.derivative[0]
            );
        }
    });
}

#[test]
fn enclosures_of_derivatives_contain_them() {
    each(|name, _, first, _, enclosed| {
        for point in POINTS {
            for radius in [0.0, 1e-9, 1e-3] {
                let interval = Interval::new(point - radius, point + radius).expect("in order");
                let range = enclosed(Enclosed::variable(interval, 0));
                for place in [-1.0, -0.3, 0.0, 1.0] {
                    let y = first(x(point + place * radius));
                    // Derivatives of floats are off by a few roundings.
                    let slack = |v: f64| v.abs() * 4e-15 + 4e-15;
                    for (range, v) in
                        [(range.value, y.value), (range.derivative[0], y.derivative[0])]
                    {
                        assert!(
                            range.lo() <= v + slack(v) && v - slack(v) <= range.hi(),
                            "{name} at {point}: {v} not in {range}"
                        );
                        assert!(
                            range.width() < 1e-11 + 1e3 * radius * (1.0 + v.abs()),
                            "{name} at {point} ± {radius}: {range}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn derivatives_by_hand() {
    let v = 0.7_f64;
    let (sine, cosine) = (libm::sin(v), libm::cos(v));
    let cases = [
        (x(v).sin(), cosine),
        (x(v).cos(), -sine),
        (x(v).exp(), libm::exp(v)),
        (x(v).sqrt(), 0.5 / v.sqrt()),
        (x(v).one_minus_cos(), sine),
        (x(v).sin_minus_angle_cos(), v * sine),
        (x(v).atan2(x(v).one()), 1.0 / (1.0 + v * v)),
        (x(v).one().atan2(x(v)), -1.0 / (1.0 + v * v)),
        (x(v).one() / x(v), -1.0 / (v * v)),
        (x(-v).fold(), -1.0),
        (x(v).sign(), 0.0),
        (x(v).pi() + x(v).lift(2.0) + x(v).rational(2, 7), 0.0),
    ];
    for (y, derivative) in cases {
        close(y.derivative[0], derivative, 1e-15);
    }
    // Small angles keep their relative accuracy: (x³/3)′ = x².
    let tiny = x(1e-120).sin_minus_angle_cos();
    assert!((tiny.derivative[0] / 1e-240 - 1.0).abs() < 1e-15);
}

#[test]
fn directions_are_independent() {
    let (a, b) = (D2::variable(3.0, 0), D2::variable(5.0, 1));
    assert_eq!((a * b).derivative, [5.0, 3.0]);
    assert_eq!((a / b).derivative, [0.2, -3.0 / 25.0]);
    assert_eq!((a - b).derivative, [1.0, -1.0]);
    assert_eq!((-a).derivative, [-1.0, 0.0]);
    let angle = a.atan2(b);
    close(angle.derivative[0], 5.0 / 34.0, 1e-15);
    close(angle.derivative[1], -3.0 / 34.0, 1e-15);
    assert_eq!(D2::variable(1.0, 2), D2::constant(1.0));
    assert_eq!(Dual::<f64, 0>::variable(1.0, 0).derivative, []);
}

/// ∂s_i/∂z_k = s_i (δ_ik − n_k s_k), ∂s_i/∂n_k = −s_i s_k, in all directions at once.
#[test]
fn softmax_by_hand() {
    type D6 = Dual<f64, 6>;
    let (n, z) = ([2.0, 3.0, 0.5], [0.1, -0.7, 1.9]);
    let counts: [D6; 3] = core::array::from_fn(|i| D6::variable(n[i], i));
    let logits: [D6; 3] = core::array::from_fn(|i| D6::variable(z[i], 3 + i));
    let mut scores = [D6::constant(0.0); 3];
    D6::softmax(Some(&counts), &logits, &mut scores);
    let mut s = [0.0; 3];
    f64::softmax(Some(&n), &z, &mut s);
    for i in 0..3 {
        close(scores[i].value, s[i], 1e-15);
        for k in 0..3 {
            close(scores[i].derivative[k], -s[i] * s[k], 1e-15);
            let own = if i == k { 1.0 } else { 0.0 };
            close(scores[i].derivative[3 + k], s[i] * (own - n[k] * s[k]), 1e-15);
        }
    }
}

#[test]
fn softmax_of_distant_logits_is_finite() {
    for gap in [0.0, 30.0, 700.0, 709.9, 745.0, 890.0, 1e5] {
        let logits = [x(gap), x(0.0).zero() - x(0.0) * x(0.0)];
        let mut scores = [x(0.0); 2];
        D::softmax(None, &logits, &mut scores);
        let mut nested = [second(0.0); 2];
        Second::softmax(None, &[second(gap), second(0.0)], &mut nested);
        for score in scores {
            assert!(score.value.is_finite() && score.derivative[0].is_finite(), "{score:?}");
        }
        for score in nested {
            assert!(score.derivative[0].derivative[0].is_finite(), "{gap}: {score:?}");
        }
        close(scores[0].derivative[0], scores[0].value * scores[1].value, 1e-15);
        close(scores[0].value + scores[1].value, 1.0, 1e-15);
    }
}

/// Equal logits: the derivative of a score is an enclosure as narrow as the box allows.
#[test]
fn softmax_over_intervals_is_narrow() {
    let boxed = |z: f64| Interval::new(z - 1e-6, z + 1e-6).expect("in order");
    let logits = [Enclosed::variable(boxed(0.0), 0), Enclosed::constant(boxed(0.0))];
    let mut scores = [logits[0]; 2];
    Enclosed::softmax(None, &logits, &mut scores);
    for (score, slope) in scores.iter().zip([0.25, -0.25]) {
        assert!(score.value.contains(0.5) && score.value.width() < 1.01e-6, "{}", score.value);
        let [derivative] = score.derivative;
        assert!(derivative.contains(slope) && derivative.width() < 1.01e-6, "{derivative}");
    }
}

/// A single logit has the score 1, whatever it is and however it moves.
#[test]
fn softmax_knows_its_own_term() {
    let boxed = Interval::new(-1.0, 2.0).expect("in order");
    let logit = Enclosed { value: boxed, derivative: [boxed] };
    let mut scores = [logit];
    Enclosed::softmax(None, &[logit], &mut scores);
    assert_eq!(scores, [Enclosed::constant(Interval::point(1.0))]);
}

/// A score that is 0 has derivative 0, even if logits move apart beyond all bounds.
#[test]
fn vanished_scores_do_not_move() {
    let moving = |value, derivative| Dual { value, derivative: [derivative] };
    let logits = [moving(0.0, f64::MAX), moving(-1000.0, -f64::MAX)];
    let mut scores = [D::constant(0.0); 2];
    D::softmax(None, &logits, &mut scores);
    assert_eq!(scores, [D::constant(1.0), D::constant(0.0)]);
}

#[test]
fn the_diagonal_is_finite() {
    for length in [2, 12] {
        // b = a: the wedge and the angle are 0, with derivative 0 by convention.
        let a: Vec<D> = (0..length).map(|i| x(1.0 + 0.3 * f64::from(i))).collect();
        let wedge = a[0].wedge(None, &a, &a);
        assert_eq!((wedge.value, wedge.derivative), (0.0, [0.0]));
        let angle = wedge.atan2(a[0].dot(&a, &a));
        assert_eq!((angle.value, angle.derivative), (0.0, [0.0]));
        let zero = vec![D::constant(0.0); length as usize];
        assert_eq!(a[0].wedge(None, &a, &zero), D::constant(0.0));
    }
    let origin = x(0.0).atan2(x(0.0));
    assert_eq!((origin.value, origin.derivative), (0.0, [0.0]));
    let norm = x(0.0).square().norm();
    assert_eq!((norm.value, norm.derivative), (0.0, [0.0]));
    assert!(x(0.0).sqrt().derivative[0].is_infinite());
    assert_eq!(x(0.0).one_minus_cos().derivative, [0.0]);
    assert_eq!(x(0.0).sin_minus_angle_cos().derivative, [0.0]);
    // The certain zero counts, whatever its derivative is.
    assert!(x(0.0).is_zero() && !x(1e-300).is_zero());
    let second = second(0.0).square().norm();
    assert_eq!(second.derivative[0].derivative, [0.0]);
}

/// The norm of a vector that may be 0: the enclosure has the derivatives on both sides and the
/// 0 between them.
#[test]
fn norms_over_boxes_around_zero() {
    let around = Interval::new(-1.0, 1.0).expect("in order");
    let norm = Enclosed::variable(around, 0).square().norm();
    for slope in [-1.0, 0.0, 1.0] {
        assert!(norm.derivative[0].contains(slope));
    }
    let angle = Enclosed::variable(around, 0).atan2(Enclosed::constant(around));
    assert!(angle.derivative[0].contains(0.0) && angle.derivative[0].contains(-1e9));
}

/// Cancellation in a minor: the derivative keeps what the value keeps.
#[test]
fn minors_keep_their_digits() {
    let (a, b) = (1.0 + 2_f64.powi(-30), 1.0 - 2_f64.powi(-30));
    let minor = D::constant(a).product_difference(D::constant(b), x(1.0), x(1.0));
    assert_eq!(minor.value, -(2_f64.powi(-60)));
    assert_eq!(minor.derivative, [-2.0]);
    let turned = x(a).product_difference(D::constant(b), x(1.0), D::constant(1.0));
    assert_eq!(turned.derivative, [b - 1.0]);
    // (a x)(b x) − x·x at x = 1 has the derivative 2 (a b − 1).
    let (ax, bx) = (x(1.0) * D::constant(a), x(1.0) * D::constant(b));
    let minor = ax.product_difference(bx, x(1.0), x(1.0));
    assert!((minor.derivative[0] + 2_f64.powi(-59)).abs() < 1e-25, "{minor:?}");
    let (sum, error) = x(1.0).two_sum(D::constant(1e-17));
    assert_eq!((sum.value, error.value), (1.0, 1e-17));
    assert_eq!((sum.derivative, error.derivative), ([1.0], [0.0]));
    let tiny = Dual { value: 0.0, derivative: [1e-17] };
    assert_eq!(x(1.0).two_sum(tiny).1.derivative, [1e-17]);
}
