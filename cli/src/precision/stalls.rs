//! Where plain sums stand still: predicted, and found.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::Lumped;
use popgd_core::theory::clock::Clock;
use popgd_core::theory::stall::Stall;

use super::ways::{Record, Standstill, Way};
use crate::engine::with_lumped_model;
use crate::settings::ModelSettings;

/// How many steps c is given to settle, and then a logit to move, where a late state is tried.
const TRIAL: u32 = 256;

/// A measured standstill agrees with the predicted one if the steps to it differ by at most this.
pub const TOLERANCE: f64 = 0.02;

/// How far from a predicted gap one is looked for.
const REACH: f64 = 0.35;

/// What is known of the stall of a plain sum.
#[derive(Clone, Copy, Debug)]
pub struct StallFindings {
    /// `f32` or `f64`.
    pub scalar: &'static str,
    /// By theory; none where that says nothing (several classes or levels, D = K).
    pub predicted: Option<Stall>,
    /// In the run itself.
    pub seen: Option<Standstill>,
    /// The least gap from which a plain sum does not move on, found by starting from late states
    /// around the predicted one: also where no run gets to.
    pub placed: Option<f64>,
}

impl StallFindings {
    /// By how much the run stood still later than predicted, relatively; none if it did not, or
    /// nothing was predicted.
    pub fn surprise(&self) -> Option<f64> {
        Some(self.seen?.steps as f64 / self.predicted?.steps - 1.0)
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
    let moves = |gap: f64| {
        with_lumped_model::<S, _>(model, |lumped| {
            let c = round(clock.factor_at(clock.tangent_of(gap)));
            let logits = [round(gap), c.zero()];
            let mut memory = vec![c; lumped.memory()];
            let start = Lumped::from_state(lumped, Accumulate::Plain, c, &logits, &mut memory);
            let mut run = start.ok()?;
            (0..TRIAL).for_each(|_| run.step());
            let settled = run.logits().to_vec();
            (0..TRIAL).for_each(|_| run.step());
            Some(run.logits() != settled)
        })
    };
    let (mut low, mut high) = (predicted - REACH, predicted + REACH);
    if !moves(low)? || moves(high)? {
        return None;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if moves(middle)? { low = middle } else { high = middle }
    }
    Some(high)
}
