//! The Gaussian expectations against values of 80-digit arithmetic.

use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::classes::TwoLevel;
use popgd_core::model::population;
use popgd_core::model::teacher::{Shape, Teacher, average_pooling};
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::reference;
use popgd_tests::relative_difference;

#[test]
fn kernel_gap_and_pull_agree_to_the_last_digits() {
    let mut worst = 0.0_f64;
    for case in reference::extra().expectations {
        let activation = Activation::leaky_relu(case.slope.to_f64());
        let angle = case.angle.to_f64();
        // Around a zero of the kernel only its absolute error can be small.
        let kernel = (activation.kernel(angle) - case.kappa.to_f64()).abs();
        assert!(kernel <= 1e-15 * activation.gain(), "kernel at {angle}: off by {kernel}");
        let pull = (activation.pull(angle) - case.pull.to_f64()).abs();
        assert!(pull <= 1e-15 * activation.gain(), "pull at {angle}: off by {pull}");

        let (sine, cosine) = (case.sin.to_f64(), case.cos.to_f64());
        let gap = relative_difference(activation.gap(sine, cosine), case.gap.to_f64());
        assert!(gap <= 2e-15, "slope {:?}, angle {angle}: gap off by {gap}", case.slope);
        worst = worst.max(gap);
        // Only directions count, not lengths.
        let scaled = activation.gap(3.0 * sine, 3.0 * cosine);
        assert!(relative_difference(scaled, case.gap.to_f64()) <= 3e-15);
    }
    println!("gap: largest relative difference {worst:.2e}");
}

#[test]
fn intervals_enclose_the_kernel_and_its_gap() {
    for case in reference::extra().expectations {
        let slope = case.slope.to_f64();
        // The slopes are decimals; enclose them by a step to either side.
        let slope = Interval::new(slope.next_down(), slope.next_up()).unwrap();
        let activation = Activation::leaky_relu(slope);
        let around = |x: f64| Interval::new(x.next_down(), x.next_up()).unwrap();
        let kernel = activation.kernel(Interval::point(case.angle.to_f64()));
        assert!(kernel.contains(case.kappa.to_f64()), "{kernel:?} at {:?}", case.angle);
        let sine = around(case.sin.to_f64());
        let gap = activation.gap(sine, around(case.cos.to_f64()));
        assert!(gap.contains(case.gap.to_f64()), "{gap:?} at {:?}", case.angle);
    }
}

#[test]
fn moments_of_other_lengths_follow_from_the_alignment() {
    for case in reference::extra().expectations {
        let activation = Activation::leaky_relu(case.slope.to_f64());
        let (sine, cosine) = (case.sin.to_f64(), case.cos.to_f64());
        for moments in &case.moments {
            let (a, b) = (moments.a.to_f64(), moments.b.to_f64());
            let found = activation.half_square_distance(&Alignment {
                own: a,
                target: b,
                inner: a * b * cosine,
                wedge: a * b * sine,
            });
            // ½E(σ(u)−σ(v))² = ½ (g A² + g B²) − E σ(u)σ(v), which cancels where u ≈ v.
            let squares = moments.second_moment.to_f64() * (1.0 + (b / a).powi(2));
            let expected = 0.5 * squares - moments.product.to_f64();
            assert!((found - expected).abs() <= 1e-15 * squares, "{found} against {expected}");
        }
    }
}

#[test]
fn expectations_agree_with_a_quadrature_of_their_definition() {
    // E σ(r cos φ) σ(r cos(φ − θ)) = (E r²) mean over φ, by the midpoint rule; the kinks limit
    // it to the square of the spacing.
    let points = 20_000;
    for slope in [1.0, 0.4, 0.0, -0.3, -1.0, 2.0] {
        let activation = Activation::leaky_relu(slope);
        for angle in [0.0, 0.3, 1.0, 1.5, 2.2, 3.1] {
            let mean: f64 = (0..points)
                .map(|k| {
                    let phi = std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(points);
                    activation.apply(phi.cos()) * activation.apply((phi - angle).cos())
                })
                .sum::<f64>()
                / f64::from(points);
            assert!((2.0 * mean - activation.kernel(angle)).abs() < 1e-6, "{slope} {angle}");
        }
    }
}

#[test]
fn slope_gain_and_weights_are_those_of_the_definition() {
    let relu = Activation::relu(1.0_f64);
    assert_eq!((relu.slope(), relu.linear(), relu.gain()), (0.0, 0.5, 0.5));
    assert_eq!(relu.bend(), 0.5 / std::f64::consts::PI);
    let identity = Activation::identity(0.0_f64);
    assert_eq!((identity.slope(), identity.linear(), identity.gain()), (1.0, 1.0, 1.0));
    assert_eq!(identity.bend(), 0.0);
    let absolute = Activation::absolute_value(0.0_f64);
    assert_eq!((absolute.slope(), absolute.linear(), absolute.gain()), (-1.0, 0.0, 1.0));
    for x in [-2.0, 0.0, 3.0] {
        assert_eq!(identity.apply(x), x);
        assert_eq!(absolute.apply(x), x.abs());
        assert_eq!(relu.apply(x), x.max(0.0));
    }
}

#[test]
fn alignments_near_and_far_keep_their_digits() {
    // Nearly parallel vectors of few and of many entries, and the wedge of their tensor product.
    for length in [2_usize, 5, 40] {
        let a: Vec<f64> = (0..length).map(|i| 1.0 + 0.1 * i as f64).collect();
        for tilt in [1e-3, 1e-6, 1e-9] {
            let mut b = a.clone();
            b[0] += tilt;
            let alignment = Alignment::of(0.0, None, &a, &b);
            // a ∧ b = tilt (a ∧ e₀), exactly up to the rounding of b[0].
            let tilt = b[0] - a[0];
            let rest: f64 = a[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
            let allowed = 1e-15 * alignment.own * alignment.target;
            assert!((alignment.wedge - tilt * rest).abs() <= allowed, "{length} {tilt}");
            let both = alignment.own * alignment.target;
            let squares = alignment.inner.hypot(alignment.wedge);
            assert!(relative_difference(squares, both) < 1e-14);
        }
    }
    let (w, v) = ([1.0, 2.0], [0.5, -1.0]);
    let (s, t) = ([0.3, 0.2, 0.5], [0.0, 1.0, 0.0]);
    let whole: Vec<f64> = w.iter().flat_map(|x| s.iter().map(move |y| x * y)).collect();
    let target: Vec<f64> = v.iter().flat_map(|x| t.iter().map(move |y| x * y)).collect();
    let direct = Alignment::of(0.0, None, &whole, &target);
    let row = Alignment::of(0.0, None, &w, &v);
    let by_factors = row.tensor(&Alignment::of(0.0, None, &s, &t));
    for (a, b) in [
        (direct.own, by_factors.own),
        (direct.target, by_factors.target),
        (direct.inner, by_factors.inner),
        (direct.wedge, by_factors.wedge),
        (direct.angle(), by_factors.angle()),
    ] {
        assert!(relative_difference(a, b) < 1e-15, "{direct:?} {by_factors:?}");
    }
    let flipped = direct.scaled(-2.0);
    assert!(relative_difference(flipped.angle(), std::f64::consts::PI - direct.angle()) < 1e-15);
    assert!(relative_difference(flipped.own, 2.0 * direct.own) < 1e-15);
}

#[test]
fn counted_vectors_are_vectors_with_repeated_entries() {
    let (a, b, n) = ([0.7, 0.1], [0.0, 0.5], [3.0, 2.0]);
    let (long_a, long_b) = ([0.7, 0.7, 0.7, 0.1, 0.1], [0.0, 0.0, 0.0, 0.5, 0.5]);
    let short = Alignment::of(0.0, Some(&n), &a, &b);
    let long = Alignment::of(0.0, None, &long_a, &long_b);
    for (x, y) in [
        (short.own, long.own),
        (short.target, long.target),
        (short.inner, long.inner),
        (short.wedge, long.wedge),
    ] {
        assert!(relative_difference(x, y) < 1e-15, "{short:?} {long:?}");
    }
    let (mut few, mut many) = ([0.0; 2], [0.0; 5]);
    f64::softmax(Some(&n), &a, &mut few);
    f64::softmax(None, &long_a, &mut many);
    assert!(relative_difference(few[0], many[0]) < 1e-15);
    assert!(relative_difference(few[1], many[4]) < 1e-15);
    assert!((many.iter().sum::<f64>() - 1.0).abs() < 1e-15);
}

/// The excess loss of the same state in full matrices: V* one row of two features, W_V = c V*.
fn dense_excess<F: Float>(case: &reference::SmallExcess, context: F) -> F {
    let shape = Shape { tokens: case.tokens as usize, channels: 1, features: 2 };
    let lift = |x: f64| context.lift(x);
    let mut teacher_scores = vec![context; shape.score_entries()];
    average_pooling(context.one(), shape.tokens, case.group as usize, &mut teacher_scores).unwrap();
    let norm = case.teacher_norm.to_f64();
    let values = [0.6, 0.8].map(|x| lift(x) * lift(norm));
    let activation = Activation::leaky_relu(lift(case.slope.to_f64()));
    let teacher = Teacher::new(shape, activation, &values, &teacher_scores).unwrap();
    let gap = lift(case.delta.to_f64());
    let mut scores = teacher_scores.clone();
    let rows = scores.chunks_exact_mut(shape.tokens);
    for (row, goal) in rows.zip(teacher_scores.chunks_exact(shape.tokens)) {
        let logits: Vec<F> =
            goal.iter().map(|&w| if w > F::ZERO { gap } else { F::ZERO }).collect();
        F::softmax(None, &logits, row);
    }
    let student = values.map(|v| v * lift(case.c1.to_f64()));
    population::excess_loss(&teacher, &student, &scores).unwrap()
}

/// Twelve orders of magnitude below its start, the excess loss keeps its digits.
#[test]
fn small_excess_is_relatively_accurate() {
    let (mut worst, mut worst_single) = (0.0_f64, 0.0_f64);
    let (mut singles, mut smallest) = (0, 1.0_f64);
    for case in reference::extra().small_excess {
        let (tokens, group) = (f64::from(case.tokens), f64::from(case.group));
        let slope = case.slope.to_f64();
        let norm = case.teacher_norm.to_f64();
        let problem = LumpedProblem::two_level(tokens, group, slope, norm, 1.0 / tokens, 0.1);
        let expected =
            [&case.excess_loss, &case.score_error, &case.value_error].map(|d| d.to_f64());
        let found = problem.with_model(0.0_f64, |model| {
            let mut memory = vec![0.0; model.memory()];
            let state = [case.delta.to_f64(), 0.0];
            let c = case.c1.to_f64();
            let q = Lumped::from_state(model, Accumulate::Plain, c, &state, &mut memory)
                .unwrap()
                .quantities();
            [q.excess_loss, q.score_error, q.value_error]
        });
        let difference = relative_difference(found[0], expected[0]);
        worst = worst.max(difference);
        let dense = dense_excess(&case, 0.0_f64);
        assert!(relative_difference(dense, expected[0]) <= 1e-8, "{case:?}: dense {dense}");
        smallest = smallest.min(case.ratio.to_f64());
        assert!(difference <= 1e-8, "{case:?}: {found:?}");
        assert!(relative_difference(found[1], expected[1]) <= 1e-8, "{case:?}: {found:?}");
        assert!(relative_difference(found[2], expected[2]) <= 1e-8, "{case:?}: {found:?}");
        if case.f32 {
            singles += 1;
            let teacher = TwoLevel::new(tokens as f32, group as f32);
            let activation = Activation::leaky_relu(slope as f32);
            let classes = [teacher.class()];
            let model = popgd_core::descent::lumped::LumpedModel {
                activation,
                classes: &classes,
                teacher_norm: norm as f32,
                logit_gain: 1.0 / tokens as f32,
                rate: 0.1,
                slope_at_zero: 1.0,
            };
            let mut memory = [0.0_f32; 8];
            let state = [case.delta.to_f64() as f32, 0.0];
            let c = case.c1.to_f64() as f32;
            let q = Lumped::from_state(model, Accumulate::Plain, c, &state, &mut memory)
                .unwrap()
                .quantities();
            let difference = relative_difference(q.excess_loss.into(), expected[0]);
            worst_single = worst_single.max(difference);
            let dense = f64::from(dense_excess(&case, 0.0_f32));
            assert!(relative_difference(dense, expected[0]) <= 1e-3, "{case:?}: dense {dense}");
            assert!(difference <= 1e-3, "{case:?}: {q:?}");
        }
    }
    assert!(singles >= 4 && smallest < 1e-12);
    println!("excess down to {smallest:.1e} of its start: f64 {worst:.2e}, f32 {worst_single:.2e}");
}
