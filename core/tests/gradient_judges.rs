//! Wrong gradients are found out, each way by itself, and right ones never raise an alarm.
//!
//! `POPGD_CASES=100000` runs that many random cases for each scalar.
#![cfg(feature = "symbolic")]

use std::ops::ControlFlow;

use popgd_core::gradient_check::{
    Case, Coded, Encodings, Gradient, Inputs, Program, Random, Slope, claim, enclosure, exact,
    invariants, lumped, lumped_numbers, step, taylor,
};
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::float::Float;
use popgd_core::scalar::interval::Interval;
use popgd_core::scalar::symbolic::Arena;
use popgd_core::{Error, Scalar};

/// A gradient with a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Faulty {
    /// No fault.
    None,
    /// Something is added that is 0, as the normal form can see.
    VisibleZero,
    /// Something is added that is 0, which the normal form cannot see.
    HiddenZero,
    /// The bend of the activation is forgotten.
    Bend,
    /// ∂L/∂W_KQ is transposed.
    Transposed,
    /// The factor 1/τ is forgotten.
    Temperature,
    /// Pᵀ stands for P.
    Positions,
    /// A single entry is off by a part in a thousand.
    Entry,
    /// Everything is twice as large.
    Twice,
    /// An entry is missing.
    Short,
}

impl Program for Faulty {
    fn gradient<S: Scalar>(&self, inputs: &Inputs<S>) -> Result<Gradient<S>, Error> {
        let mut changed = inputs.clone();
        let tokens = inputs.shape.tokens;
        let transposed = |matrix: &[S]| -> Vec<S> {
            (0..matrix.len()).map(|k| matrix[k % tokens * tokens + k / tokens]).collect()
        };
        match self {
            Self::Bend => changed.slope = inputs.slope.one(),
            Self::Positions => changed.positions = inputs.positions.as_deref().map(transposed),
            _ => {}
        }
        let mut gradient = Coded.gradient(&changed)?;
        let first = &mut gradient.value_matrix[0];
        match self {
            Self::VisibleZero => {
                let (x, w) = (*first, inputs.value_matrix[0]);
                let zero = (x + x.one()).square() - x.square() - x - x - x.one();
                let norm = (w.square() + w.one()).norm();
                *first = x + zero * norm + norm.square() - w.square() - w.one();
            }
            Self::HiddenZero => {
                let two = first.integer(2).sqrt();
                let nested = (first.integer(3) + first.integer(2) * two).sqrt();
                *first = *first + nested - two - first.one();
            }
            Self::Transposed => gradient.key_query = transposed(&gradient.key_query),
            Self::Temperature => {
                gradient.key_query.iter_mut().for_each(|x| *x = *x * inputs.temperature);
            }
            Self::Entry => *first = *first * first.rational(1001, 1000),
            Self::Short => {
                gradient.key_query.pop();
            }
            Self::Twice => {
                gradient.value_matrix.iter_mut().for_each(|x| *x = *x + *x);
                gradient.key_query.iter_mut().for_each(|x| *x = *x + *x);
            }
            _ => {}
        }
        Ok(gradient)
    }
}

const WRONG: [Faulty; 6] = [
    Faulty::Bend,
    Faulty::Transposed,
    Faulty::Temperature,
    Faulty::Positions,
    Faulty::Entry,
    Faulty::Twice,
];

const CASE: Case = Case {
    shape: Shape { tokens: 2, channels: 1, features: 2 },
    slope: Slope::Symbol,
    encodings: Encodings::General,
};

fn exact_verdicts(program: Faulty) -> Vec<exact::Verdict> {
    let proofs = exact::check(&CASE, &program, 11).unwrap();
    proofs.iter().map(|proof| proof.verdict).collect()
}

#[test]
fn exact_proof_accepts_the_coded_gradient() {
    for program in [Faulty::None, Faulty::VisibleZero] {
        let verdicts = exact_verdicts(program);
        assert!(verdicts.iter().all(|v| *v == exact::Verdict::Proven), "{verdicts:?}");
    }
}

#[test]
fn of_nothing_nothing_is_proven() {
    assert!(!exact::all_proven(&[]));
    assert!(!claim::all_proven(&[]));
    let arena = Arena::new();
    let claim = claim::Claim::judge(&mut exact::Judge::new(&arena, 0), "nothing", []);
    assert_eq!((claim.formulas, claim.verdict), (0, exact::Verdict::Undecided));
}

#[test]
fn extreme_slopes_are_proven_as_every_slope_is() {
    for slope in [Slope::Fraction(1_000_000_000, 1), Slope::Fraction(1, 1_000_000_000)] {
        for encodings in [Encodings::Identity, Encodings::General] {
            let case = Case { slope, encodings, ..CASE };
            assert!(claim::all_proven(&step::check(&case, 1).unwrap()), "{case:?}");
            assert!(exact::all_proven(&exact::check(&case, &Coded, 1).unwrap()), "{case:?}");
        }
    }
}

#[test]
fn exact_proof_can_be_broken_off() {
    let mut seen = Vec::new();
    let stop = |proof: exact::EntryProof| {
        seen.push(proof.entry.to_string());
        if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    exact::check_each(&CASE, &Coded, 11, stop).unwrap();
    assert_eq!(seen, ["W_V[1,1]", "W_V[1,2]", "W_KQ[1,1]"]);
}

#[test]
fn exact_proof_refutes_wrong_gradients() {
    for program in WRONG {
        let verdicts = exact_verdicts(program);
        let refuted = |v: &exact::Verdict| matches!(v, exact::Verdict::Refuted { .. });
        assert!(verdicts.iter().any(refuted), "{program:?}: {verdicts:?}");
        assert!(!verdicts.contains(&exact::Verdict::Undecided), "{program:?}: {verdicts:?}");
    }
    let verdicts = exact_verdicts(Faulty::Entry);
    assert!(verdicts[1..].iter().all(|v| *v == exact::Verdict::Proven), "{verdicts:?}");
    let exact::Verdict::Refuted { value } = verdicts[0] else { unreachable!() };
    assert!(value.magnitude() > 1e-5 && value.width() < 1e-10 * value.magnitude());
}

#[test]
fn exact_proof_accepts_the_lumped_step() {
    assert!(claim::all_proven(&lumped::step_is_the_gradient(Slope::Symbol, 1).unwrap()));
    for (tokens, group) in [(3, 1), (4, 2), (2, 2)] {
        let claims = lumped::is_dense(tokens, group, Slope::Symbol, 1).unwrap();
        assert!(claim::all_proven(&claims), "{claims:?}");
    }
}

#[test]
fn exact_proof_accepts_the_dense_step() {
    for encodings in [Encodings::Identity, Encodings::General] {
        let claims = step::check(&Case { encodings, ..CASE }, 1).unwrap();
        assert!(claim::all_proven(&claims), "{claims:?}");
    }
}

#[test]
fn exact_proof_accepts_the_invariants() {
    let claims = invariants::check(CASE.shape, Slope::Symbol, 1).unwrap();
    assert!(claim::all_proven(&claims), "{claims:?}");
}

#[test]
fn no_entry_is_left_out() {
    let mut random = Random::new(1);
    let missing = |error: Error| matches!(error, Error::Length { expected: 4, found: 3, .. });
    assert!(missing(exact::check(&CASE, &Faulty::Short, 1).unwrap_err()));
    let boxes = enclosure::random_box::<f64>(&CASE, &mut random, 0.0);
    assert!(missing(enclosure::check(&CASE, &Faulty::Short, &boxes).unwrap_err()));
    let inputs = enclosure::random_inputs(&CASE, &mut random);
    let direction = taylor::random_direction(&CASE, &inputs, &mut random).unwrap();
    assert!(missing(taylor::check(&Faulty::Short, &inputs, &direction).unwrap_err()));
}

#[test]
fn what_cannot_be_seen_is_undecided() {
    let verdicts = exact_verdicts(Faulty::HiddenZero);
    assert_eq!(verdicts[0], exact::Verdict::Undecided);
    assert!(verdicts[1..].iter().all(|v| *v == exact::Verdict::Proven), "{verdicts:?}");
}

fn refuted_by_enclosure<F: Float>(case: &Case, program: Faulty, radius: f64) -> usize {
    let mut random = Random::new(5);
    let mut refuted = 0;
    for _ in 0..20 {
        let inputs = enclosure::random_box::<F>(case, &mut random, radius);
        let entries = enclosure::check(case, &program, &inputs).unwrap();
        refuted += usize::from(entries.iter().any(|e| e.verdict == enclosure::Verdict::Refuted));
        for entry in entries {
            assert!(entry.width() >= entry.distance());
            assert_eq!(entry.distance() > F::ZERO, entry.verdict == enclosure::Verdict::Refuted);
        }
    }
    refuted
}

#[test]
fn enclosures_accept_the_coded_gradient() {
    for program in [Faulty::None, Faulty::VisibleZero, Faulty::HiddenZero] {
        for radius in [0.0, 1e-9, 1e-3, 0.1] {
            assert_eq!(refuted_by_enclosure::<f64>(&CASE, program, radius), 0, "{program:?}");
            assert_eq!(refuted_by_enclosure::<f32>(&CASE, program, radius), 0, "{program:?}");
        }
    }
}

#[test]
fn enclosures_refute_wrong_gradients() {
    for program in WRONG {
        let found = refuted_by_enclosure::<f64>(&CASE, program, 1e-9);
        assert!(found >= 18, "{program:?}: {found} of 20");
        let found = refuted_by_enclosure::<f32>(&CASE, program, 0.0);
        assert!(found >= 14, "{program:?}: {found} of 20");
    }
}

#[test]
fn enclosures_are_narrow() {
    let case = Case { shape: Shape { tokens: 5, channels: 3, features: 3 }, ..CASE };
    let mut random = Random::new(6);
    let inputs = enclosure::random_box::<f64>(&case, &mut random, 0.0);
    let entries = enclosure::check(&case, &Coded, &inputs).unwrap();
    let widest = entries.iter().fold(0.0_f64, |widest, entry| widest.max(entry.width()));
    println!("widest at a point: {widest:.2e}");
    assert!(widest < 1e-9);
}

fn taylor_verdicts<F: Float>(program: Faulty) -> Vec<taylor::Remainders> {
    let mut random = Random::new(9);
    let mut all = Vec::new();
    for _ in 0..20 {
        let inputs = enclosure::random_inputs(&CASE, &mut random).map(F::from_f64);
        let direction = taylor::random_direction(&CASE, &inputs, &mut random).unwrap();
        all.push(taylor::check(&program, &inputs, &direction).unwrap());
    }
    all
}

fn count(all: &[taylor::Remainders], verdict: taylor::Verdict) -> usize {
    all.iter().filter(|remainders| remainders.verdict == verdict).count()
}

#[test]
fn remainders_accept_the_coded_gradient() {
    let all = taylor_verdicts::<f64>(Faulty::None);
    assert_eq!(count(&all, taylor::Verdict::Right), 20, "{all:?}");
    for remainders in &all {
        assert!((remainders.order.unwrap() - 2.0).abs() < 0.1, "{remainders:?}");
    }
    let all = taylor_verdicts::<f32>(Faulty::None);
    assert_eq!(count(&all, taylor::Verdict::Wrong), 0, "{all:?}");
}

#[test]
fn remainders_refute_wrong_gradients() {
    for program in WRONG {
        let all = taylor_verdicts::<f64>(program);
        let found = count(&all, taylor::Verdict::Wrong);
        assert!(found >= 18, "{program:?}: {found} of 20");
        // The order is measured: what refutes is that an enclosure excludes 0.
        let refuted = all.iter().filter(|remainders| remainders.distance() > 0.0).count();
        assert_eq!(refuted, found, "{program:?}");
    }
}

fn cases() -> u64 {
    std::env::var("POPGD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

/// What numbers of a format are tiny and huge: fourth powers neither under- nor overflow.
fn decades<F: Float>() -> f64 {
    if F::UNIT_ROUNDOFF.to_f64() < 1e-10 { 70.0 } else { 8.0 }
}

/// Sizes, activation, positions and a point, with everything that has ever made trouble.
fn wild_case(random: &mut Random, decades: f64) -> (Case, Inputs<f64>) {
    let mut between = |lo: u64, hi: u64| (lo + random.below(hi - lo + 1)) as usize;
    let shape = Shape { tokens: between(1, 4), channels: between(1, 2), features: between(1, 3) };
    let slopes = [(1, 1), (0, 1), (-1, 1), (-3, 10), (2, 5), (2, 1)];
    let (numerator, denominator) = slopes[between(0, 5)];
    let encodings = [Encodings::Identity, Encodings::General][between(0, 1)];
    let case = Case { shape, slope: Slope::Fraction(numerator, denominator), encodings };
    let mut inputs = enclosure::random_inputs(&case, random);
    let slope = numerator as f64 / denominator as f64;
    inputs.slope = slope;

    let Shape { tokens, features, .. } = shape;
    // Teacher: column-stochastic, with zeros.
    for row in inputs.teacher_scores.chunks_exact_mut(tokens) {
        for weight in row.iter_mut() {
            if random.below(2) == 0 {
                *weight = 0.0;
            }
        }
        row[random.below(tokens as u64) as usize] += 0.1;
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
    if random.below(4) == 0 {
        inputs.key_query.iter_mut().for_each(|z| *z *= 900.0);
    }
    // Scores that are the teacher's, or nearly: with P = I, τ = 1 and logits ln s*, or s* from S.
    if encodings == Encodings::Identity && random.below(2) == 0 {
        inputs.temperature = 1.0;
        let near = random.below(2) == 0;
        for query in 0..tokens {
            let row = &mut inputs.teacher_scores[query * tokens..][..tokens];
            let logits: Vec<f64> = row.iter().map(|s| (s + 0.05).ln()).collect();
            f64::softmax(None, &logits, row);
            for (token, logit) in logits.into_iter().enumerate() {
                let nudge = if near { random.signed(1e-13, 1e-12) } else { 0.0 };
                inputs.key_query[token * tokens + query] = logit + nudge;
            }
        }
    }
    for channel in 0..shape.channels {
        let row = channel * features..(channel + 1) * features;
        match random.below(5) {
            0 => inputs.teacher_values[row.clone()].fill(0.0),
            1 => {
                let factor = 10.0_f64.powf(random.signed(0.0, decades));
                inputs.teacher_values[row.clone()].iter_mut().for_each(|v| *v *= factor);
            }
            _ => {}
        }
        let kind = random.below(7);
        let factor = random.signed(0.5, 2.0);
        let power = 10.0_f64.powf(random.signed(0.0, decades));
        for at in row {
            let v = inputs.teacher_values[at];
            let w = &mut inputs.value_matrix[at];
            *w = match kind {
                0 => 0.0,
                1 => *w * power,
                2 => v,
                3 => factor * v,
                // A correlation within 10⁻¹² of ±1: an angle below 10⁻⁶.
                4 => factor * v * (1.0 + random.signed(1e-8, 1e-6)),
                5 => factor * v * (1.0 + random.signed(1e-13, 1e-12)),
                _ => *w,
            };
        }
    }
    let limit = 10.0_f64.powf(decades);
    inputs.value_matrix.iter_mut().for_each(|w| *w = w.clamp(-limit, limit));
    (case, inputs)
}

fn no_alarm_from_enclosures<F: Float>(seed: u64) {
    let mut random = Random::new(seed);
    let (mut entries_seen, mut undefined) = (0_u64, 0_u64);
    for _ in 0..cases() {
        let (case, point) = wild_case(&mut random, decades::<F>());
        let radius = [0.0, 0.0, 1e-12, 1e-3][random.below(4) as usize];
        let boxes = point.map(|x| {
            let reach = radius * x.abs();
            // A zero stays one: next to it the loss has no derivative.
            Interval::new(F::from_f64(x - reach), F::from_f64(x + reach)).unwrap()
        });
        for entry in enclosure::check(&case, &Coded, &boxes).unwrap() {
            entries_seen += 1;
            undefined += u64::from(entry.verdict == enclosure::Verdict::Undefined);
            let alarm = entry.verdict == enclosure::Verdict::Refuted;
            assert!(!alarm, "{case:?} {entry:?} {point:?}");
        }
    }
    println!("{entries_seen} entries, {undefined} undefined");
}

fn no_alarm_from_remainders<F: Float>(seed: u64) {
    let mut random = Random::new(seed);
    let mut counts = [0_u64; 2];
    for _ in 0..cases() {
        let (case, point) = wild_case(&mut random, decades::<F>());
        let inputs = point.map(F::from_f64);
        let direction = taylor::random_direction(&case, &inputs, &mut random).unwrap();
        let remainders = taylor::check(&Coded, &inputs, &direction).unwrap();
        assert!(
            remainders.verdict != taylor::Verdict::Wrong,
            "{case:?} {point:?} {direction:?} {remainders:?}"
        );
        counts[usize::from(remainders.verdict == taylor::Verdict::Right)] += 1;
    }
    println!("{} right, {} silent", counts[1], counts[0]);
}

#[test]
fn no_false_alarm_in_interval_f64() {
    no_alarm_from_enclosures::<f64>(1);
}

#[test]
fn no_false_alarm_in_interval_f32() {
    no_alarm_from_enclosures::<f32>(2);
}

#[test]
fn no_false_alarm_in_f64() {
    no_alarm_from_remainders::<f64>(3);
}

#[test]
fn no_false_alarm_in_f32() {
    no_alarm_from_remainders::<f32>(4);
}

#[test]
fn enclosures_accept_the_lumped_step() {
    let mut random = Random::new(8);
    for _ in 0..cases() {
        let inputs = lumped_numbers::random_inputs(&mut random);
        for (coded, derivative, verdict) in lumped_numbers::enclose(&inputs.map(Interval::point)) {
            assert_eq!(verdict, enclosure::Verdict::Consistent, "{inputs:?}");
            assert!((coded - derivative).magnitude() < 1e-10, "{coded} {derivative} {inputs:?}");
        }
    }
}

#[test]
fn remainders_accept_the_lumped_step() {
    let mut random = Random::new(8);
    let mut right = 0;
    for _ in 0..cases() {
        let inputs = lumped_numbers::random_inputs(&mut random);
        let remainders = lumped_numbers::remainders(&inputs, &mut random).unwrap();
        assert_ne!(remainders.verdict, taylor::Verdict::Wrong, "{inputs:?} {remainders:?}");
        right += u64::from(remainders.verdict == taylor::Verdict::Right);
    }
    assert!(right > cases() * 9 / 10, "{right}");
}
