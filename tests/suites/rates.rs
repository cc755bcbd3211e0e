//! Sharp constants, burn-in and the statement of Theorem 3.1.

use popgd_core::descent::Quantities;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::model::activation::Activation;
use popgd_core::theory::exponents::Variable;
use popgd_core::theory::rates;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::{reference, relative_difference};

fn constants(problem: &LumpedProblem) -> Option<Quantities<f64>> {
    problem.with_model(0.0_f64, |model| rates::sharp_constants(&model))
}

/// The quantities of a run times the powers of ηT that should make them constant.
fn scaled(problem: &LumpedProblem, steps: u32) -> (Quantities<f64>, f64) {
    problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
        for _ in 0..steps {
            run.step();
        }
        let time = problem.rate * f64::from(steps);
        let q = run.quantities();
        let x = run.columns().map(|c| c.wedge / c.inner).fold(0.0, f64::max);
        let scaled = Quantities {
            excess_loss: q.excess_loss * time,
            score_error: q.score_error * time.sqrt(),
            value_error: q.value_error * time.sqrt(),
        };
        (scaled, x)
    })
}

#[test]
fn closed_forms_of_one_class() {
    for (d, k, slope, v, kappa) in
        [(16.0, 4.0, 0.0, 1.0, 1.0 / 16.0), (36.0, 4.0, 0.1, 4.0, 0.5), (20.0, 1.0, 1.0, 2.0, 3.0)]
    {
        let problem = LumpedProblem::two_level(d, k, slope, v, kappa, 0.1);
        let found = constants(&problem).unwrap();
        let gain = 0.5 * (1.0 + slope * slope);
        let expected = Quantities {
            excess_loss: k * (d - k) / (4.0 * kappa),
            score_error: (d * (d - k) / (2.0 * gain * kappa)).sqrt() / v,
            value_error: (d - k) * (k / (2.0 * kappa * gain * d)).sqrt(),
        };
        assert!(relative_difference(found.excess_loss, expected.excess_loss) < 1e-14);
        assert!(relative_difference(found.score_error, expected.score_error) < 1e-14);
        assert!(relative_difference(found.value_error, expected.value_error) < 1e-14);
    }
}

#[test]
fn constants_of_mixtures_agree_with_high_precision() {
    for case in reference::extra().limits {
        let problem = case.config.problem();
        let found = constants(&problem).unwrap();
        for (found, expected) in [
            (found.excess_loss, &case.excess_constant),
            (found.score_error.powi(2), &case.score_constant),
            (found.value_error.powi(2), &case.value_constant),
        ] {
            let difference = relative_difference(found, expected.to_f64());
            assert!(difference < 1e-12, "{:?}: {found} {expected:?}", case.config);
        }
    }
}

#[test]
fn runs_approach_their_constants() {
    for case in reference::extra().limits {
        let problem = case.config.problem();
        let limit = constants(&problem).unwrap();
        // Leading corrections fall like T^{-1/2}: two runs extrapolate them away.
        let (early, x) = scaled(&problem, 100_000);
        let (late, _) = scaled(&problem, 400_000);
        assert!(x < rates::PAST_BURN_IN, "{:?}: x = {x}", case.config);
        for (early, late, limit) in [
            (early.excess_loss, late.excess_loss, limit.excess_loss),
            (early.score_error, late.score_error, limit.score_error),
            (early.value_error, late.value_error, limit.value_error),
        ] {
            let extrapolated = 2.0 * late - early;
            let difference = relative_difference(extrapolated, limit);
            assert!(difference < 2e-3, "{:?}: {early} {late} {limit}", case.config);
        }
    }
}

#[test]
fn full_support_has_no_power_law() {
    assert_eq!(constants(&LumpedProblem::two_level(6.0, 6.0, 0.0, 1.0, 1.0, 0.1)), None);
    let mut problem = LumpedProblem::two_level(6.0, 6.0, 0.0, 1.0, 1.0, 0.1);
    problem.classes = vec![(4.0, vec![(1.0, 0.5), (3.0, 0.5 / 3.0)])];
    assert_eq!(constants(&problem), None);
    // One zero anywhere drags all columns.
    problem.classes[0].0 = 3.0;
    problem.classes.push((1.0, vec![(3.0, 1.0 / 3.0), (1.0, 0.0)]));
    let found = constants(&problem).unwrap();
    assert!(found.value_error > 0.0 && found.score_error > 0.0);
    assert!(relative_difference(found.excess_loss, 3.0 * 1.0 / (4.0 * 4.0)) < 1e-15);
}

/// The clock reads 1/x² and advances by μ a step; where it starts from is the burn-in.
#[test]
fn predicted_burn_in_is_when_runs_get_there() {
    for (d, k, slope, kappa) in [
        (16.0, 4.0, 0.0, 1.0 / 16.0),
        (64.0, 8.0, 1.0, 1.0 / 64.0),
        (12.0, 3.0, 0.1, 1.0 / 12.0),
        (36.0, 4.0, -0.3, 1.0 / 36.0),
    ] {
        let gain = 0.5 * (1.0 + slope * slope);
        let rate = 0.5 * k / (gain * d);
        let problem = LumpedProblem::two_level(d, k, slope, 1.0, kappa, rate);
        let clock_rate = rates::clock_rate(d, k, gain, 1.0, kappa, rate);
        for target in [0.5, rates::PAST_BURN_IN, 0.1] {
            let activation = Activation::leaky_relu(slope);
            let predicted = rates::clock_until(&activation, d, k, target) / clock_rate;
            let mut steps = 0.0;
            problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
                // Bounded, so that a run that never gets there fails instead of hanging.
                while steps < 2.0 * predicted {
                    run.step();
                    steps += 1.0;
                    let [scores_in, scores_out] = *run.scores() else { unreachable!() };
                    let r = ((d - k) / k).sqrt();
                    if scores_out / scores_in * r <= target {
                        break;
                    }
                }
            });
            let difference = relative_difference(predicted, steps);
            assert!(difference < 0.01, "{d} {k} {slope} {target}: {predicted} against {steps}");
        }
    }
    let relu = Activation::relu(0.0);
    assert_eq!(rates::clock_until(&relu, 16.0, 4.0, 2.0), 0.0);
    assert_eq!(rates::clock_until(&relu, 16.0, 4.0, 0.0), 0.0);
    assert_eq!(rates::clock_until(&relu, 6.0, 6.0, 0.1), 0.0);
}

#[test]
fn the_statement_is_the_papers() {
    // D = 4, K = 2, ‖V*‖ = 3, ηT = 0.5 · 8.
    let bounds = rates::stated_bounds(4.0, 2.0, 3.0, 0.5, 8.0);
    assert_eq!(bounds.excess_loss, 2.0 * 256.0 / 4.0);
    assert_eq!(bounds.score_error, 32.0 / (3.0 * 2.0));
    assert_eq!(bounds.value_error, 16.0 * (2.0_f64 / 4.0).sqrt());
    assert_eq!(rates::stated_start(4.0, 2.0, 3.0, 0.5), 2.0 * 16.0 / 4.5);
    let Quantities { excess_loss, score_error, value_error } = rates::CLAIMED_EXPONENTS;
    assert_eq!([excess_loss, score_error, value_error], [-1.0, -0.5, -0.5]);
}

/// The exponents are the logarithmic derivatives of the sharp constants.
#[test]
fn local_exponents_are_derivatives_of_the_constants() {
    let logs = |d: f64, k: f64, v: f64, p: f64| {
        let q = constants(&LumpedProblem::two_level(d, k, 0.0, v, d.powf(-p), 0.1)).unwrap();
        [q.excess_loss.ln(), q.score_error.ln(), q.value_error.ln()]
    };
    let step = 1e-5_f64;
    for (d, k, p) in [(16.0, 4.0, 1.0), (100.0, 3.0, 0.0), (40.0, 30.0, 3.0)] {
        for variable in Variable::ALL {
            let shifted = |sign: f64| {
                let factor = (sign * step).exp();
                match variable {
                    Variable::Tokens => logs(d * factor, k, 2.0, p),
                    Variable::Group => logs(d, k * factor, 2.0, p),
                    Variable::TeacherNorm => logs(d, k, 2.0 * factor, p),
                    Variable::Rate | Variable::Steps => logs(d, k, 2.0, p),
                }
            };
            let (up, down) = (shifted(1.0), shifted(-1.0));
            let local = variable.local(d, k, p);
            let local = [local.excess_loss, local.score_error, local.value_error];
            for ((up, down), local) in up.into_iter().zip(down).zip(local) {
                let measured = (up - down) / (2.0 * step);
                assert!((measured - local).abs() < 1e-8, "{variable:?}: {measured} {local}");
            }
            let far = variable.local(1e12, k, p);
            let limit = variable.asymptotic(p);
            for (far, limit) in [
                (far.excess_loss, limit.excess_loss),
                (far.score_error, limit.score_error),
                (far.value_error, limit.value_error),
            ] {
                assert!((far - limit).abs() < 1e-9, "{variable:?}: {far} {limit}");
            }
            // Only the powers of D differ from the statement, and at κ = D⁻³ not even those.
            assert_eq!(variable.stated() == variable.asymptotic(1.0), variable != Variable::Tokens);
            assert_eq!(variable.stated(), variable.asymptotic(3.0));
        }
    }
}
