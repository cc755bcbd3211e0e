//! The clock of a two-level run: what one late state tells of all later ones, and what is lost
//! before it runs true.

use popgd_core::descent::Quantities;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::model::activation::Activation;
use popgd_core::theory::clock::Clock;
use popgd_tests::problem::LumpedProblem;
use popgd_tests::relative_difference;

/// Long runs, of up to 10⁸ steps: with POPGD_LONG=1.
fn long() -> bool {
    std::env::var_os("POPGD_LONG").is_some_and(|value| value == "1")
}

/// D, K, slope of the activation, ‖V*‖.
const MODELS: [[f64; 4]; 4] =
    [[16.0, 4.0, 0.0, 4.0], [64.0, 8.0, 1.0, 20.0], [12.0, 3.0, -0.3, 3.0], [20.0, 10.0, 0.1, 8.0]];

/// λ = ηgD/K, which must be below 2.
const RATES: [f64; 2] = [0.5, 1.25];

/// Every model at every rate, for κ = 1/D, and its clock.
fn cases() -> impl Iterator<Item = (String, LumpedProblem, Clock)> {
    MODELS.into_iter().flat_map(|model| RATES.map(|lambda| (model, lambda))).map(
        |([d, k, slope, norm], lambda)| {
            let problem =
                LumpedProblem::two_level(d, k, slope, norm, 1.0 / d, 0.0).at_lambda(lambda);
            let activation = Activation::leaky_relu(slope);
            let clock = Clock::new(activation, d, k, norm, 1.0 / d, problem.rate).unwrap();
            let name = format!("D = {d}, K = {k}, slope {slope}, ‖V*‖ = {norm}, λ = {lambda}");
            (name, problem, clock)
        },
    )
}

/// SplitMix64.
struct SplitMix64(u64);

impl SplitMix64 {
    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The gap between the logits of a run, and its quantities, after each of these numbers of steps.
fn states(problem: &LumpedProblem, at: &[u64]) -> Vec<(f64, Quantities<f64>)> {
    problem.with_run(0.0_f64, Accumulate::Compensated, |run| {
        let mut done = 0;
        let mut states = Vec::new();
        for &steps in at {
            while done < steps {
                run.step();
                done += 1;
            }
            states.push((run.logits()[0], run.quantities()));
        }
        states
    })
}

/// The largest of the relative differences of the excess loss and both errors.
fn difference(a: &Quantities<f64>, b: &Quantities<f64>) -> f64 {
    [
        relative_difference(a.excess_loss, b.excess_loss),
        relative_difference(a.score_error, b.score_error),
        relative_difference(a.value_error, b.value_error),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

#[test]
fn a_state_after_ten_thousand_steps_tells_those_after_a_million() {
    let from = 10_000;
    let mut later = vec![1_000_000];
    if long() {
        later.push(100_000_000);
    }
    for (name, problem, clock) in cases() {
        let found = states(&problem, &[&[from], &later[..]].concat());
        let ((gap, _), ends) = found.split_first().unwrap();
        let tangent = clock.tangent_of(*gap);
        assert!(tangent <= 0.1, "{name}: tan θ = {tangent}");
        for (&steps, (_, run)) in later.iter().zip(ends) {
            let told = clock.quantities_after(*gap, (steps - from) as f64);
            let off = difference(&told, run);
            assert!(off <= 1e-6, "{name}, {steps} steps: off by {off:e}");
        }
    }
}

/// What is printed as three quantities is the state: c and the gap.
#[test]
fn quantities_are_those_of_the_extrapolated_state() {
    for (name, problem, clock) in cases() {
        let gap = clock.gap_at(0.08);
        let (c, later) = clock.extrapolate(gap, 1e5);
        let expected = problem.with_model(0.0_f64, |model| {
            let mut memory = vec![0.0; model.memory()];
            Lumped::from_state(model, Accumulate::Plain, c, &[later, 0.0], &mut memory)
                .unwrap()
                .quantities()
        });
        assert!(difference(&clock.quantities_after(gap, 1e5), &expected) < 1e-14, "{name}");
    }
}

/// A run that has settled on its way to a tangent, for it started half as far out again.
fn settled<R>(
    problem: &LumpedProblem,
    clock: &Clock,
    tangent: f64,
    visit: impl FnOnce(&mut Lumped<'_, f64>) -> R,
) -> R {
    problem.with_model(0.0_f64, |model| {
        let mut memory = vec![0.0; model.memory()];
        let start = 1.5 * tangent;
        let (c, gap) = (clock.factor_at(start), clock.gap_at(start));
        let sums = Accumulate::Compensated;
        let mut run = Lumped::from_state(model, sums, c, &[gap, 0.0], &mut memory).unwrap();
        while clock.tangent_of(run.logits()[0]) > tangent {
            run.step();
        }
        visit(&mut run)
    })
}

/// With which power of x what is left over falls.
fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[test]
fn what_the_clock_leaves_out_of_a_step_is_of_fourth_order() {
    for (name, problem, clock) in cases() {
        let drift = |tangent: f64| {
            settled(&problem, &clock, tangent, |run| {
                // So many steps that their rounding does not show.
                let before = clock.reading(clock.tangent_of(run.logits()[0]));
                let count = (0.1 / (tangent * tangent * clock.rate())).ceil();
                for _ in 0..count as u64 {
                    run.step();
                }
                let after = clock.reading(clock.tangent_of(run.logits()[0]));
                ((after - before) / (count * clock.rate()) - 1.0).abs()
            })
        };
        let (coarse, fine) = (drift(0.06), drift(0.03));
        assert!(fine < 1e-5 && order(coarse, fine) > 3.7, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn c_is_told_by_the_tangent_up_to_fifth_order() {
    for (name, problem, clock) in cases() {
        let off = |tangent: f64| {
            settled(&problem, &clock, tangent, |run| {
                let found = clock.factor_at(clock.tangent_of(run.logits()[0]));
                relative_difference(found, run.c())
            })
        };
        let (coarse, fine) = (off(0.04), off(0.02));
        assert!(fine < 1e-6 && order(coarse, fine) > 4.5, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn readings_and_tangents_are_inverse() {
    for (name, _, clock) in cases() {
        for tangent in [0.2, 0.1, 0.01, 1e-4] {
            let back = clock.tangent_at(clock.reading(tangent));
            assert!(relative_difference(back, tangent) < 1e-12, "{name}: {tangent} {back}");
            let back = clock.tangent_of(clock.gap_at(tangent));
            assert!(relative_difference(back, tangent) < 1e-13, "{name}: {tangent} {back}");
        }
    }
}

/// D, K, slope, ‖V*‖ and λ, with κv²/K² and λ from 10⁻³ and 10⁻² up.
fn random_case(random: &mut SplitMix64) -> [f64; 5] {
    let mut between = |low: f64, high: f64| low * (high / low).powf(random.unit());
    let tokens = between(8.0, 512.0).round();
    let group = between(1.0, 0.7 * tokens).round();
    let slope = [1.0, 0.1, 0.0, -0.3][between(1.0, 4.999) as usize - 1];
    let (stiffness, lambda) = (between(1e-3, 0.3), between(1e-2, 1.9));
    [tokens, group, slope, group * (stiffness * tokens).sqrt(), lambda]
}

/// The steps that are lost are known in advance, up to what is said to be open; within 1 % where
/// κv² ≪ K² and D is large beside K.
#[test]
fn burn_in_is_predicted_as_well_as_it_is_said() {
    let longest = if long() { 2e7 } else { 4e5 };
    let mut random = SplitMix64(1);
    let mut close = 0;
    let mut done = 0;
    while done < 40 {
        let [d, k, slope, norm, lambda] = random_case(&mut random);
        let problem = LumpedProblem::two_level(d, k, slope, norm, 1.0 / d, 0.0).at_lambda(lambda);
        let activation = Activation::leaky_relu(slope);
        let clock = Clock::new(activation, d, k, norm, 1.0 / d, problem.rate).unwrap();
        let (predicted, open) = (clock.predicted_burn_in(), clock.burn_in_uncertainty());
        // Until tan θ is below 0.05.
        let steps = predicted.max(0.0) + 600.0 / clock.rate();
        if steps > longest {
            continue;
        }
        let (gap, _) = states(&problem, &[steps as u64])[0];
        assert!(clock.tangent_of(gap) < 0.05, "{}", clock.tangent_of(gap));
        let off = clock.burn_in(gap, steps.floor()) - predicted;
        let name = format!("D = {d}, K = {k}, slope {slope}, ‖V*‖ = {norm}, λ = {lambda}");
        assert!(off.abs() < open, "{name}: T_b = {predicted} is off by {off}, open {open}");
        close += usize::from(open < 0.01 * predicted.abs());
        done += 1;
    }
    assert!((8..=36).contains(&close), "{close} of {done} are said to be within 1 %");
}

#[test]
fn burn_in_of_the_identity_is_its_closed_form() {
    // C₀ = −(r² + 4 ln r − 1/r²), T_b = −C₀/μ.
    for (d, k) in
        [(16.0_f64, 4.0), (20.0, 10.0), (9.0, 5.0), (8.0, 3.9), (1024.0, 4.0), (65.0, 64.0)]
    {
        let clock = Clock::new(Activation::identity(0.0), d, k, 1.0, 1.0 / d, 0.1).unwrap();
        let square = (d - k) / k;
        let lost = square + 2.0 * square.ln() - 1.0 / square;
        let found = clock.predicted_burn_in() * clock.rate();
        assert!((found - lost).abs() < 1e-4 * (1.0 + lost.abs()), "{d} {k}: {found} {lost}");
    }
    let identity = Activation::identity(0.0);
    assert!(Clock::new(identity, 4.0, 4.0, 1.0, 0.25, 0.1).is_none());
    assert!(Clock::new(identity, 4.0, 0.0, 1.0, 0.25, 0.1).is_none());
    assert!(Clock::new(identity, 4.0, 2.0, f64::NAN, 0.25, 0.1).is_none());
}
