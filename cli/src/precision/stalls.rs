//! Where plain sums stand still: predicted, and found.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::stall::Stall;

use super::ways::{Record, Standstill, Way};
use crate::engine::with_lumped_model;
use crate::interrupt;
use crate::settings::ModelSettings;

/// How many steps c is given to settle, and then a logit to move, where a late state is tried: many
/// times the 1/λ in which c comes e times closer to its optimum, within bounds.
const TRIAL: (f64, std::ops::RangeInclusive<f64>) = (40.0, 256.0..=1e5);

/// A measured standstill agrees with the predicted one if the steps to it differ by at most this.
pub const TOLERANCE: f64 = 0.02;

/// And the gap by at most this beyond what c makes of it, absolutely: T grows like e^{2δ}.
pub const GAP_TOLERANCE: f64 = 0.5 * TOLERANCE;

/// How far from a predicted gap one is looked for.
const REACH: f64 = 0.35;

/// What a run did that theory did not predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surprise {
    /// It stands still at another step, or at another gap.
    Elsewhere,
    /// It goes on, well past where it should stand still.
    Missing,
}

/// What is known of the stall of a plain sum.
#[derive(Clone, Copy, Debug)]
pub struct StallFindings {
    /// `f32` or `f64`.
    pub scalar: &'static str,
    /// By theory; none where that says nothing (several classes or levels, D = K).
    pub predicted: Option<Stall>,
    /// In the run itself.
    pub seen: Option<Standstill>,
    /// Where a plain sum comes to rest that starts from the last late state, around the predicted one,
    /// from which it comes to rest soon: also where no run gets to.
    pub placed: Option<f64>,
}

impl StallFindings {
    /// What was not to be expected of a run of so many steps: a standstill at another step than
    /// predicted, or at another gap, or none where there should be one.
    pub fn surprise(&self, steps: u64) -> Option<Surprise> {
        let predicted = self.predicted?;
        let Some(seen) = self.seen else {
            let overdue = steps as f64 > predicted.steps * (1.0 + TOLERANCE);
            return overdue.then_some(Surprise::Missing);
        };
        let in_time = (seen.steps as f64 / predicted.steps - 1.0).abs() <= TOLERANCE;
        let reach = predicted.within + GAP_TOLERANCE;
        let in_place = seen.gap.is_none_or(|gap| (gap - predicted.gap).abs() <= reach);
        (!in_time || !in_place).then_some(Surprise::Elsewhere)
    }
}

/// Of both precisions.
pub fn both(model: &ModelSettings, records: &[Record]) -> [StallFindings; 2] {
    let seen = |way| records.iter().find(|record| record.way == way)?.standstill;
    let clock = clock(model);
    [
        ("f32", Way::SinglePlain, f32::MANTISSA_DIGITS),
        ("f64", Way::DoublePlain, f64::MANTISSA_DIGITS),
    ]
    .map(|(scalar, way, digits)| {
        let predicted = clock.and_then(|clock| clock.stall(digits));
        let placed = clock.zip(predicted).and_then(|(clock, stall)| match way {
            Way::SinglePlain => placed(model, &clock, stall.gap, |x| x as f32),
            _ => placed(model, &clock, stall.gap, |x| x),
        });
        StallFindings { scalar, predicted, seen: seen(way), placed }
    })
}

/// The clock of a model that has one, from zero.
fn clock(model: &ModelSettings) -> Option<Clock> {
    let group = model.group.filter(|&group| group < model.tokens && model.classes.len() == 1)?;
    if model.state.is_some() {
        return None;
    }
    with_lumped_model::<f64, _>(model, |lumped| {
        let (norm, gain) = (lumped.teacher_norm, lumped.logit_gain);
        let (tokens, group) = (model.tokens as f64, group as f64);
        Clock::new(lumped.activation, tokens, group, norm, gain, lumped.rate)
    })
}

/// By bisection between a gap from which logits move and one from which they do not.
fn placed<S: crate::scalar::CliScalar + PartialEq>(
    model: &ModelSettings,
    clock: &Clock,
    predicted: f64,
    round: impl Fn(f64) -> S,
) -> Option<f64> {
    let (tokens, group) = (model.tokens as f64, model.group? as f64);
    let contraction = with_lumped_model::<f64, _>(model, |lumped| {
        Some(lumped.rate * lumped.activation.gain() * tokens / group)
    })?;
    let (many, bounds) = TRIAL;
    let trial = (many / contraction).clamp(*bounds.start(), *bounds.end()) as u32;
    // Whether a logit still moves after a start there has settled, and where it is in the end.
    let trial_from = |gap: f64| {
        if interrupt::requested() {
            return None;
        }
        with_lumped_model::<S, _>(model, |lumped| {
            let c = round(clock.factor_at(clock.tangent_of(gap)));
            let logits = [round(gap), c.zero()];
            let mut memory = vec![c; lumped.memory()];
            let start = Lumped::from_state(lumped, Accumulate::Plain, c, &logits, &mut memory);
            let mut run = start.ok()?;
            (0..trial).for_each(|_| run.step());
            let settled = run.logits().to_vec();
            (0..trial).for_each(|_| run.step());
            let end = run.logits().first()?.report().center();
            Some((run.logits() != settled, end))
        })
    };
    let (mut low, mut high) = (predicted - REACH, predicted + REACH);
    if !trial_from(low)?.0 {
        return None;
    }
    let (moves, mut rest) = trial_from(high)?;
    if moves {
        return None;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let (moves, end) = trial_from(middle)?;
        if moves {
            low = middle;
        } else {
            // A start just below climbs on while it settles: what counts is where that ends.
            (high, rest) = (middle, end);
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_as_predicted_is_a_surprise() {
        let predicted = Stall { gap: 5.0, within: 1e-4, spacing: 5e-7, steps: 1e6, passed: 1.1e6 };
        let of = |seen: Option<(u64, f64)>| StallFindings {
            scalar: "f32",
            predicted: Some(predicted),
            seen: seen.map(|(steps, gap)| Standstill { steps, period: 1, gap: Some(gap) }),
            placed: None,
        };
        let surprise = |seen, steps| of(seen).surprise(steps);
        assert_eq!(surprise(Some((1_010_000, 5.001)), 2_000_000), None);
        let elsewhere = Some(Surprise::Elsewhere);
        assert_eq!(surprise(Some((1_030_000, 5.0)), 2_000_000), elsewhere);
        assert_eq!(surprise(Some((970_000, 5.0)), 2_000_000), elsewhere);
        assert_eq!(surprise(Some((1_000_000, 5.02)), 2_000_000), elsewhere);
        // None is no surprise until it is overdue.
        assert_eq!(surprise(None, 1_010_000), None);
        assert_eq!(surprise(None, 1_030_000), Some(Surprise::Missing));
        let unknown = StallFindings { predicted: None, ..of(Some((7, 1.0))) };
        assert_eq!(unknown.surprise(u64::MAX), None);
    }
}
