//! Enclosed runs, with their memory; and long runs to compare them with.

use num_rational::BigRational;
use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
use popgd_core::descent::lumped::LumpedModel;
use popgd_core::model::classes::{Class, TwoLevel};
use popgd_core::{Activation, Dual, Interval, Scalar};
use serde::Deserialize;

use crate::reference::Decimal;

/// An enclosed run from zero, for as long as `with` needs it.
///
/// # Panics
/// If the model is not well formed.
pub fn with_enclosure<R>(
    model: LumpedModel<'_, Interval<f64>>,
    with: impl FnOnce(&mut Enclosure<'_, f64>) -> R,
) -> R {
    let zero = Interval::point(0.0);
    let mut numbers = vec![Dual::constant(zero); 2 * model.levels()];
    let nothing = Class { columns: Dual::constant(zero), counts: &[], weights: &[] };
    let mut classes = vec![nothing; model.classes.len()];
    let tangent = model.mapped(Dual::constant, &mut numbers, &mut classes).unwrap();
    let sizes = sizes(&model);
    let (mut floats, mut intervals) = (vec![0.0; sizes.floats], vec![zero; sizes.intervals]);
    let mut duals = vec![Dual::constant(zero); sizes.duals];
    let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
    with(&mut Enclosure::from_zero(model, tangent, memory).unwrap())
}

/// A run of `long_runs.json`: 34 digits, up to 100,000 steps beyond the first with tan θ ≤ 0.1.
#[derive(Debug, Deserialize)]
pub struct LongRun {
    /// D.
    pub tokens: i64,
    /// K.
    pub group: i64,
    /// s, as a quotient.
    pub slope: String,
    /// ‖V*‖_F.
    pub teacher_norm: String,
    /// κ, as a quotient.
    pub logit_gain: String,
    /// η, as a quotient.
    pub rate: String,
    /// Its states.
    pub rows: Vec<LongRow>,
}

/// A state of a long run.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LongRow {
    pub t: u64,
    pub c: Decimal,
    pub gap: Decimal,
    pub excess_loss: Decimal,
    pub score_error: Decimal,
    pub value_error: Decimal,
}

/// All long runs: 200 drawn configurations, then eight runs of a million steps.
///
/// # Panics
/// If the file is not what it should be.
pub fn long_runs() -> Vec<LongRun> {
    serde_json::from_str(include_str!("../reference/long_runs.json")).unwrap()
}

fn quotient(text: &str) -> Interval<f64> {
    let one = Interval::point(1.0);
    let ratio: BigRational = text.parse().unwrap();
    let part = |part: &num_bigint::BigInt| one.integer(part.try_into().unwrap());
    part(ratio.numer()) / part(ratio.denom())
}

impl LongRun {
    /// Builds its model in intervals and hands it over.
    pub fn with_model<R>(&self, with: impl FnOnce(LumpedModel<'_, Interval<f64>>) -> R) -> R {
        let one = Interval::point(1.0);
        let teacher = TwoLevel::new(one.integer(self.tokens), one.integer(self.group));
        let classes = [teacher.class()];
        with(LumpedModel {
            activation: Activation::leaky_relu(quotient(&self.slope)),
            classes: &classes,
            teacher_norm: quotient(&self.teacher_norm),
            logit_gain: quotient(&self.logit_gain),
            rate: quotient(&self.rate),
            slope_at_zero: one,
        })
    }
}
