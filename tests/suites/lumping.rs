//! The run on few scalars is the run on full matrices.

use popgd_core::Error;
use popgd_core::descent::Quantities;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::activation::Activation;
use popgd_core::model::alignment::Alignment;
use popgd_core::model::classes::Class;
use popgd_core::model::teacher::{self, Shape};
use popgd_core::theory::rates;
use popgd_tests::generate;
use popgd_tests::problem::{DenseProblem, LumpedProblem, OwnedClass};
use popgd_tests::reference::{self, class_of};
use popgd_tests::relative_difference;
use quickcheck::Gen;

const SLOPES: [f64; 5] = [1.0, 0.4, 0.0, -0.3, 2.0];

fn difference(a: Quantities<f64>, b: Quantities<f64>) -> f64 {
    relative_difference(a.excess_loss, b.excess_loss)
        .max(relative_difference(a.score_error, b.score_error))
        .max(relative_difference(a.value_error, b.value_error))
}

/// The largest difference between both runs over `steps` steps.
fn compare(dense: &DenseProblem, lumped: &LumpedProblem, steps: usize) -> f64 {
    let mut worst = 0.0_f64;
    dense.with_run(0.0_f64, Accumulate::Compensated, |dense| {
        lumped.with_run(0.0_f64, Accumulate::Compensated, |lumped| {
            for _ in 0..=steps {
                worst = worst.max(difference(dense.quantities(), lumped.quantities()));
                dense.step();
                lumped.step();
            }
        });
    });
    worst
}

/// A value matrix without any structure.
fn values(shape: Shape) -> Vec<f64> {
    generate::entries(&mut Gen::from_size_and_seed(10, 7), shape.value_entries())
}

fn lumped_of(dense: &DenseProblem, classes: Vec<OwnedClass>) -> LumpedProblem {
    LumpedProblem {
        classes,
        slope: dense.slope,
        teacher_norm: dense.teacher_norm(),
        logit_gain: dense.temperature.powi(-2),
        rate: dense.rate,
        slope_at_zero: dense.slope_at_zero,
    }
}

/// The columns of these scores, each a class of its own.
fn classes_of(scores: &[f64], tokens: usize) -> Vec<OwnedClass> {
    scores.chunks_exact(tokens).map(|column| class_of(1.0, tokens, column)).collect()
}

#[test]
fn every_task_and_slope() {
    let tokens = 6;
    let shape = Shape { tokens, channels: 2, features: 3 };
    type Fill = fn(&mut [f64]);
    let tasks: [(&str, usize, Fill); 8] = [
        ("cnn", 2, |s| teacher::average_pooling(1.0, 6, 2, s).unwrap()),
        ("cnn, any partition", 3, |s| {
            assert_eq!(teacher::partition_pooling(1.0, &[4, 0, 4, 0, 0, 4], s), Ok(3));
        }),
        ("gcn, cycle", 3, |s| {
            assert_eq!(teacher::circulant_convolution(1.0, 6, &[1], s), Ok(3));
        }),
        ("gcn, circulant", 4, |s| {
            assert_eq!(teacher::circulant_convolution(1.0, 6, &[1, 3], s), Ok(4));
        }),
        ("gcn, edges", 2, |s| {
            let edges = [(0, 3), (5, 1), (2, 4)];
            assert_eq!(teacher::graph_convolution(1.0, 6, &edges, s), Ok(2));
        }),
        ("sts", 4, |s| teacher::token_selection(1.0, 6, &[0, 2, 3, 5], s).unwrap()),
        ("gslp", 1, |s| teacher::token_selection(1.0, 6, &[4], s).unwrap()),
        ("single layer", 1, |s| teacher::single_layer(1.0, 6, s).unwrap()),
    ];
    let mut worst = 0.0_f64;
    for (name, group, fill) in tasks {
        let mut scores = vec![f64::NAN; shape.score_entries()];
        fill(&mut scores);
        for slope in SLOPES {
            let rate = 0.5 * group as f64 / (0.5 * (1.0 + slope * slope) * 6.0);
            let dense = DenseProblem::from_zero(shape, slope, values(shape), scores.clone(), rate);
            let (d, k) = (tokens as f64, group as f64);
            let lumped = LumpedProblem::two_level(d, k, slope, dense.teacher_norm(), 1.0 / d, rate);
            let found = compare(&dense, &lumped, 150);
            worst = worst.max(found);
            assert!(found < 1e-12, "{name}, slope {slope}: {found:e}");
        }
    }
    println!("tasks: largest relative difference {worst:.2e}");
}

/// Beyond eight tokens the dense run takes its wedges by chords.
#[test]
fn more_tokens_than_pairs_are_taken_for() {
    let shape = Shape { tokens: 12, channels: 2, features: 10 };
    let mut scores = vec![0.0; 144];
    teacher::average_pooling(1.0, 12, 4, &mut scores).unwrap();
    for slope in SLOPES {
        let dense = DenseProblem::from_zero(shape, slope, values(shape), scores.clone(), 0.2);
        let lumped = lumped_of(&dense, vec![(12.0, vec![(4.0, 0.25), (8.0, 0.0)])]);
        let found = compare(&dense, &lumped, 400);
        assert!(found < 1e-12, "slope {slope}: {found:e}");
    }
}

#[test]
fn full_groups_converge_geometrically() {
    let shape = Shape { tokens: 4, channels: 1, features: 2 };
    let dense = DenseProblem::from_zero(shape, 0.4, values(shape), vec![0.25; 16], 0.3);
    let norm = dense.teacher_norm();
    let lumped = LumpedProblem::two_level(4.0, 4.0, 0.4, norm, 0.25, 0.3);
    dense.with_run(0.0_f64, Accumulate::Compensated, |dense| {
        lumped.with_run(0.0_f64, Accumulate::Compensated, |run| {
            dense.step();
            run.step();
            let mut distance = 1.0 - run.c();
            for _ in 0..20 {
                dense.step();
                run.step();
                // c − 1 shrinks by 1 − ηg a step.
                distance *= 1.0 - 0.3 * 0.58;
                assert!(relative_difference(1.0 - run.c(), distance) < 1e-12);
                let (a, b) = (dense.quantities(), run.quantities());
                assert!(relative_difference(a.excess_loss, b.excess_loss) < 1e-12);
                assert!(relative_difference(a.value_error, b.value_error) < 1e-12);
                assert!(a.score_error < 1e-15 && b.score_error == 0.0);
            }
        });
    });
}

#[test]
fn mixed_classes_and_non_uniform_weights() {
    let shape = Shape { tokens: 5, channels: 2, features: 2 };
    let mut scores = vec![0.0; 25];
    for (row, weights) in scores.chunks_exact_mut(5).zip([
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.5, 0.0],
        [0.125, 0.125, 0.25, 0.5, 0.0],
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.0, 0.0, 0.75, 0.0, 0.25],
    ]) {
        row.copy_from_slice(&weights);
    }
    for slope in SLOPES {
        let dense = DenseProblem::from_zero(shape, slope, values(shape), scores.clone(), 0.1);
        let lumped = lumped_of(&dense, classes_of(&scores, 5));
        let found = compare(&dense, &lumped, 200);
        assert!(found < 1e-12, "slope {slope}: {found:e}");
    }
}

#[test]
fn orthonormal_positions_change_nothing() {
    let mut g = Gen::from_size_and_seed(10, 3);
    let shape = Shape { tokens: 6, channels: 2, features: 2 };
    let mut scores = vec![0.0; 36];
    teacher::average_pooling(1.0, 6, 3, &mut scores).unwrap();
    for slope in SLOPES {
        let mut dense = DenseProblem::from_zero(shape, slope, values(shape), scores.clone(), 0.2);
        let lumped = lumped_of(&dense, classes_of(&scores, 6));
        dense.positions = Some(generate::orthogonal(&mut g, 6));
        for orthogonal in [true, false] {
            dense.orthogonal = orthogonal;
            let found = compare(&dense, &lumped, 100);
            assert!(found < 1e-12, "slope {slope}, promised {orthogonal}: {found:e}");
        }
    }
}

#[test]
fn scaled_positions_and_temperature_act_through_the_gain() {
    let mut g = Gen::from_size_and_seed(10, 4);
    let shape = Shape { tokens: 4, channels: 1, features: 3 };
    let mut scores = vec![0.0; 16];
    teacher::token_selection(1.0, 4, &[1, 2], &mut scores).unwrap();
    for (gamma, temperature) in [(1.0, 1.5), (0.5, 1.0), (2.0_f64, 3.0)] {
        let mut dense = DenseProblem::from_zero(shape, 0.0, values(shape), scores.clone(), 0.2);
        let p = generate::orthogonal(&mut g, 4).iter().map(|x| gamma.sqrt() * x).collect();
        dense.positions = Some(p);
        dense.orthogonal = false;
        dense.temperature = temperature;
        let mut lumped = lumped_of(&dense, classes_of(&scores, 4));
        lumped.logit_gain = (gamma / temperature).powi(2);
        let found = compare(&dense, &lumped, 100);
        assert!(found < 1e-12, "γ {gamma}, τ {temperature}: {found:e}");
    }
}

#[test]
fn dense_token_space_references() {
    let (mut worst_dense, mut worst_lumped) = (0.0_f64, 0.0_f64);
    for case in reference::extra().classes {
        let check = |found: Quantities<f64>, point: &reference::DensePoint| {
            let expected = Quantities {
                excess_loss: point.excess_loss.to_f64(),
                score_error: point.score_error.to_f64(),
                value_error: point.value_error.to_f64(),
            };
            let worst = difference(found, expected);
            // Scores are rounded to about 1e−16 each, so errors near that size have fewer digits.
            let allowed = 1e-12_f64.max(4e-15 / expected.score_error);
            assert!(worst <= allowed, "{:?} at {}: {found:?}", case.config, point.t);
            if expected.score_error > 1e-3 { worst } else { 0.0 }
        };
        case.config.dense().with_run(0.0_f64, Accumulate::Compensated, |dense| {
            case.config.lumped().with_run(0.0_f64, Accumulate::Compensated, |lumped| {
                let mut t = 0;
                for point in &case.trajectory {
                    while t < point.t {
                        dense.step();
                        lumped.step();
                        t += 1;
                    }
                    worst_dense = worst_dense.max(check(dense.quantities(), point));
                    worst_lumped = worst_lumped.max(check(lumped.quantities(), point));
                }
            });
        });
    }
    println!("classes: dense within {worst_dense:.2e}, lumped within {worst_lumped:.2e}");
}

#[test]
fn two_level_references() {
    let mut worst = 0.0_f64;
    for case in reference::extra().lumped {
        let config = &case.config;
        let problem = LumpedProblem::two_level(
            config.tokens.into(),
            config.group.into(),
            config.slope.to_f64(),
            config.teacher_norm.to_f64(),
            config.logit_gain.to_f64(),
            config.rate.to_f64(),
        );
        problem.with_model(0.0_f64, |model| {
            let mut memory = vec![0.0; model.memory()];
            let start = [config.start.delta.to_f64(), 0.0];
            let start = &start[..model.levels()];
            let c = config.start.c1.to_f64();
            let mut run =
                Lumped::from_state(model, Accumulate::Compensated, c, start, &mut memory).unwrap();
            let mut t = 0;
            for point in &case.trajectory {
                while t < point.t {
                    run.step();
                    t += 1;
                }
                let q = run.quantities();
                let full = run.model().levels() == 1;
                let mut pairs = vec![
                    (run.c(), &point.c1),
                    (run.logits()[0], &point.delta),
                    (q.score_error, &point.score_error),
                ];
                // A full group is at its limit, up to rounding, after some hundred steps.
                if !(full && point.t >= 100) {
                    pairs.push((q.excess_loss, &point.excess_loss));
                    pairs.push((q.value_error, &point.value_error));
                }
                for (found, expected) in pairs {
                    let difference = relative_difference(found, expected.to_f64());
                    worst = worst.max(difference);
                    assert!(difference <= 1e-10, "{config:?} at {t}: {found} {expected:?}");
                }
            }
        });
    }
    println!("lumped: largest relative difference {worst:.2e}");
}

#[test]
fn only_differences_of_logits_count() {
    let problem = LumpedProblem::two_level(8.0, 2.0, 0.0, 1.0, 0.125, 0.1);
    problem.with_model(0.0_f64, |model| {
        let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
        let mut first =
            Lumped::from_state(model, Accumulate::Plain, 1.0, &[1.5, 0.5], &mut a).unwrap();
        let mut second =
            Lumped::from_state(model, Accumulate::Plain, 1.0, &[9.0, 8.0], &mut b).unwrap();
        assert_eq!(first.logits(), &[1.0, 0.0]);
        for _ in 0..10 {
            first.step();
            second.step();
        }
        assert_eq!(first.quantities(), second.quantities());
        assert_eq!(first.scores(), second.scores());
    });
}

#[test]
fn coefficients_rebuild_the_key_query_matrix() {
    let shape = Shape { tokens: 6, channels: 1, features: 2 };
    let mut scores = vec![0.0; 36];
    teacher::average_pooling(1.0, 6, 2, &mut scores).unwrap();
    let dense = DenseProblem::from_zero(shape, 0.4, values(shape), scores.clone(), 0.2);
    let lumped = lumped_of(&dense, vec![(6.0, vec![(2.0, 0.5), (4.0, 0.0)])]);
    dense.with_run(0.0_f64, Accumulate::Compensated, |dense| {
        lumped.with_run(0.0_f64, Accumulate::Compensated, |lumped| {
            for _ in 0..100 {
                dense.step();
                lumped.step();
            }
            let [c1, c2, c3] = lumped.coefficients().unwrap();
            for (w, v) in dense.value_matrix().iter().zip(values(shape)) {
                assert!(relative_difference(*w, c1 * v) < 1e-13);
            }
            // With P = I and τ = √D the logits are W_KQ / √D.
            for (z, s) in dense.logits().iter().zip(&scores) {
                let key_query = if *s > 0.0 { c2 } else { -c3 };
                assert!(relative_difference(*z * 6.0_f64.sqrt(), key_query) < 1e-12);
            }
        });
    });
    // Where they do not exist there are none.
    for classes in [
        vec![(6.0, vec![(6.0, 1.0 / 6.0)])],
        vec![(3.0, vec![(2.0, 0.5), (4.0, 0.0)]), (3.0, vec![(1.0, 1.0), (5.0, 0.0)])],
        vec![(6.0, vec![(1.0, 0.5), (1.0, 0.5)])],
        vec![(6.0, vec![(1.0, 0.0), (1.0, 1.0)])],
    ] {
        let problem = LumpedProblem { classes, ..lumped.clone() };
        problem.with_run(0.0_f64, Accumulate::Plain, |run| assert_eq!(run.coefficients(), None));
    }
}

#[test]
fn negative_factors_see_the_turned_angle() {
    // From c < 0 the dense run started at −0.2 V* must do the same.
    let shape = Shape { tokens: 4, channels: 2, features: 2 };
    let mut scores = vec![0.0; 16];
    teacher::average_pooling(1.0, 4, 2, &mut scores).unwrap();
    for slope in SLOPES {
        let mut dense = DenseProblem::from_zero(shape, slope, values(shape), scores.clone(), 0.05);
        dense.start_values = values(shape).iter().map(|v| -0.2 * v).collect();
        let lumped = lumped_of(&dense, vec![(4.0, vec![(2.0, 0.5), (2.0, 0.0)])]);
        dense.with_run(0.0_f64, Accumulate::Compensated, |dense| {
            lumped.with_model(0.0_f64, |model| {
                let mut memory = [0.0; 8];
                let mut run = Lumped::from_state(
                    model,
                    Accumulate::Compensated,
                    -0.2,
                    &[0.0, 0.0],
                    &mut memory,
                )
                .unwrap();
                for _ in 0..5 {
                    let found = difference(dense.quantities(), run.quantities());
                    assert!(found < 1e-12, "slope {slope}: {found:e}");
                    dense.step();
                    run.step();
                }
            });
        });
    }
}

#[test]
fn the_first_step_follows_the_convention_at_zero() {
    let shape = Shape { tokens: 4, channels: 2, features: 2 };
    let mut scores = vec![0.0; 16];
    teacher::average_pooling(1.0, 4, 2, &mut scores).unwrap();
    for slope_at_zero in [0.25, 0.5, 3.0] {
        let mut dense = DenseProblem::from_zero(shape, 0.4, values(shape), scores.clone(), 0.1);
        dense.slope_at_zero = slope_at_zero;
        let lumped = lumped_of(&dense, vec![(4.0, vec![(2.0, 0.5), (2.0, 0.0)])]);
        let found = compare(&dense, &lumped, 20);
        assert!(found < 1e-12, "σ′(0) = {slope_at_zero}: {found:e}");
    }
}

#[test]
fn malformed_models_are_refused() {
    let fine = Class { columns: 2.0, counts: &[1.0, 1.0], weights: &[1.0, 0.0] };
    let lopsided = Class { weights: &[1.0], ..fine };
    let hollow = Class { counts: &[], weights: &[], ..fine };
    let problem = LumpedProblem::two_level(2.0, 1.0, 0.0, 1.0, 1.0, 0.1);
    let attempt = |classes: &[Class<'_, f64>], memory: usize, logits: usize| {
        problem.with_model(0.0_f64, |model| {
            let LumpedModel { activation, teacher_norm, logit_gain, rate, slope_at_zero, .. } =
                model;
            let model =
                LumpedModel { activation, classes, teacher_norm, logit_gain, rate, slope_at_zero };
            let mut memory = vec![0.0; memory];
            let logits = vec![0.0; logits];
            let made = Lumped::from_state(model, Accumulate::Plain, 1.0, &logits, &mut memory);
            made.map(|run| run.model().memory())
                .inspect_err(|error| assert!(!error.to_string().is_empty()))
        })
    };
    assert_eq!(attempt(&[fine], 8, 2), Ok(8));
    assert_eq!(attempt(&[fine, fine], 16, 4), Ok(16));
    assert!(matches!(attempt(&[], 0, 0), Err(Error::Empty { .. })));
    assert!(matches!(attempt(&[hollow], 0, 0), Err(Error::Empty { .. })));
    assert!(matches!(attempt(&[fine, lopsided], 16, 4), Err(Error::Length { .. })));
    assert!(matches!(attempt(&[fine], 7, 2), Err(Error::Length { expected: 8, .. })));
    assert!(matches!(attempt(&[fine], 9, 2), Err(Error::Length { expected: 8, .. })));
    assert!(matches!(attempt(&[fine], 8, 1), Err(Error::Length { expected: 2, .. })));
}

/// Late in training the force that still moves attention is x² small, and what it is a
/// difference of is not.
#[test]
fn late_forces_keep_their_digits() {
    // Two levels: the form of theory that has x² divided out, at c = c*(x).
    let (d, k, slope) = (16.0_f64, 4.0, 0.0);
    let problem = LumpedProblem::two_level(d, k, slope, 2.0, 1.0 / d, 0.0).at_lambda(0.5);
    let activation = Activation::relu(0.0_f64);
    let (gain, r) = (activation.gain(), ((d - k) / k).sqrt());
    let bend = activation.bend() / gain;
    for x in [1e-2_f64, 1e-4, 1e-6] {
        let h = 1.0 + bend * (x - x.atan());
        let c = (1.0 + r * x) * h / (1.0 + x * x);
        let mu = rates::clock_rate(d, k, gain, 2.0, 1.0 / d, problem.rate);
        let pace = h / (1.0 + x * x);
        let expected = 0.5 * mu * pace * (pace - bend * x / (1.0 + x * x)) * x * x;
        let found = problem.with_model(0.0_f64, |model| {
            let (mut scores, mut increments) = ([0.0; 2], [0.0; 2]);
            model.increments(c, &[(r / x).ln(), 0.0], &mut scores, &mut increments);
            assert_eq!(increments[1], 0.0);
            increments[0]
        });
        let difference = relative_difference(found, expected);
        assert!(difference < 1e-15 / x + 1e-13, "x = {x}: {found} against {expected}");
    }
    // Several levels: forces sum to zero, to the last digits of the small one.
    let levels = vec![(1.0, 0.5), (1.0, 0.3), (1.0, 0.2), (2.0, 0.0)];
    let problem = LumpedProblem { classes: vec![(5.0, levels)], ..problem };
    problem.with_model(0.0_f64, |model| {
        let (mut scores, mut increments) = ([0.0; 4], [0.0; 4]);
        let [class] = model.classes else { unreachable!() };
        let c = 1.0 + 3e-6;
        let logits = [0.5_f64, 0.3, 0.2, 1.0].map(|w| if w < 1.0 { w.ln() } else { -13.8 });
        model.increments(c, &logits, &mut scores, &mut increments);
        let column = Alignment::of(0.0, Some(class.counts), &scores, class.weights);
        let length = column.own.powi(2);
        let bend = model.activation.bend();
        let mean = c
            * (gain * c * length
                - model.activation.pull(column.angle()) * column.inner
                - bend * column.wedge);
        let outer = scores[3] * (c * (gain * c - bend * column.wedge / length) * scores[3] - mean);
        // An increment is −ρ(F − F_last); with Σ m F = 0 their sum is ρ D F_last.
        let sum: f64 = class.counts.iter().zip(&increments).map(|(m, i)| m * i).sum();
        let rate = model.rate * model.logit_gain * model.teacher_norm.powi(2);
        let expected = rate * 5.0 * outer;
        assert!(relative_difference(sum, expected) < 1e-10, "{sum} against {expected}");
    });
}
