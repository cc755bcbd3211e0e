//! What a simulation shows: late slopes, and how the distance to the exact run falls with the batch.

use popgd_core::model::teacher::Shape;

use super::measure::{Measure, Row};
use super::runs::{Estimate, estimate};
use super::{Run, Simulation};
use crate::engine;
use crate::fit;
use crate::settings::ModelSettings;

/// By which power of T something falls at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// What falls.
    pub measure: Measure,
    /// Of ln |measure| against ln T: the mean over runs.
    pub trained: Option<Estimate>,
    /// Of the exact run, over the same steps and measured in the same way.
    pub exact: Option<Estimate>,
    /// What theory says of it; none where there is no law, where noise holds training up by then,
    /// and of inputs without second moments.
    pub predicted: Option<f64>,
}

/// All slopes of one batch size.
#[derive(Clone, Debug, PartialEq)]
pub struct Late {
    /// N.
    pub batch: usize,
    /// The first step of the window.
    pub from: u64,
    /// Its last.
    pub to: u64,
    /// The slopes over it.
    pub slopes: Vec<Slope>,
}

/// What slopes are taken of.
const FALLING: [Measure; 8] = [
    Measure::BatchExcess,
    Measure::ExcessLoss,
    Measure::ScoreError,
    Measure::ValueError,
    Measure::OodHalfSquare,
    Measure::OodTeacher,
    Measure::OodUnrelated,
    Measure::OodUnrelatedMean,
];

impl Simulation {
    /// A quantity of Theorem 3.1 along the exact run.
    pub fn exact(&self, measure: Measure) -> Option<Vec<(u64, f64)>> {
        let read = |state: &super::ExactState| match measure {
            Measure::ExcessLoss | Measure::BatchExcess => Some(state.quantities.excess_loss),
            Measure::ScoreError => Some(state.quantities.score_error),
            Measure::ValueError => Some(state.quantities.value_error),
            _ => None,
        };
        self.exact.iter().map(|state| Some((state.t, read(state)?))).collect()
    }

    /// How far the attention of a run is from that of the teacher at its end.
    pub fn attention_error(&self, run: &Run) -> f64 {
        attention_error(&self.problem.teacher_scores, &run.scores)
    }

    /// What was measured, in the order of columns.
    pub fn measures(&self) -> &'static [Measure] {
        if self.full_model { &Measure::FULL } else { &Measure::POSITION_ONLY }
    }

    /// The slopes of a size over the last decade of steps; none of the full model, which has no
    /// theorem.
    pub fn late(&self, batch: usize) -> Option<Late> {
        if self.full_model {
            return None;
        }
        let steps = |run: &Run| run.rows.last().map(|row| row.t);
        let to = self.runs.of_batch(batch).filter_map(steps).min()?;
        let from = to.div_ceil(10).max(1);
        if from >= to {
            return None;
        }
        let within = |t: u64| (from..=to).contains(&t);
        let of_run = |run: &Run, measure: Measure| {
            let row = |row: &Row| (row.t as f64, row.get(measure).abs());
            run.rows.iter().filter(|row| within(row.t)).map(row).collect::<Vec<_>>()
        };
        let over_runs = |measure: Measure| {
            let series: Vec<_> =
                self.runs.of_batch(batch).map(|run| of_run(run, measure)).collect();
            slope(&series)
        };
        // Where label noise holds training up, nothing falls on.
        let left = self.exact.iter().rfind(|state| state.t <= to)?.quantities.excess_loss;
        let is_falling = self.noise_floor(batch) < 0.1 * left;
        let slopes = FALLING.map(|measure| Slope {
            measure,
            predicted: measure.predicted().filter(|_| {
                let has_moments = self.inputs_have_moments || measure.of_exact_run().is_none();
                self.has_limit_law && is_falling && has_moments
            }),
            trained: over_runs(measure),
            exact: match (self.exact(measure), measure.of_exact_run()) {
                (Some(series), _) => {
                    let inside = series.into_iter().filter(|&(t, _)| within(t));
                    let points: Vec<_> = inside.map(|(t, y)| (t as f64, y)).collect();
                    fit::line(&points).map(|(mean, _)| Estimate { mean, error: None })
                }
                (None, Some(counterpart)) => over_runs(counterpart),
                (None, None) => None,
            },
        });
        Some(Late { batch, from, to, slopes: slopes.to_vec() })
    }

    /// Where label noise ends the fall of the excess loss on batches of a size, by note 14, section 3
    /// (argued, for teachers of equal weights 1/K).
    pub fn noise_floor(&self, batch: usize) -> f64 {
        let problem = &self.problem;
        let Shape { tokens, channels, features } = problem.shape;
        let (tokens, entries) = (tokens as f64, (channels * features) as f64);
        let weight = problem.teacher_scores.iter().copied().fold(0.0, f64::max);
        let (rate, gain) = (problem.rate, problem.activation.gain());
        let of_values = rate * gain * tokens * weight;
        let norm = weight * problem.teacher_norm();
        let of_attention = rate * problem.logit_gain * gain * norm * norm;
        let rest = |lambda: f64| lambda / (2.0 - lambda);
        let parts = entries * rest(of_values) + tokens * (1.0 / weight - 1.0) * rest(of_attention);
        0.5 * problem.noise * problem.noise / batch as f64 * parts
    }

    /// By which power of the batch size the distance to the exact run falls, at the last step: the
    /// theory of note 14 has −½. Nothing for fewer than two sizes.
    pub fn distance_exponent(&self, measure: Measure) -> Option<Estimate> {
        let batches = self.runs.batches();
        if batches.len() < 2 || self.full_model {
            return None;
        }
        let runs = self.runs.0.iter().map(|run| run.index).max()? + 1;
        let last = self.runs.0.iter().map(|run| run.rows.len()).min()?.checked_sub(1)?;
        let series: Vec<Vec<(f64, f64)>> = (0..runs)
            .map(|index| {
                let same = self.runs.0.iter().filter(|run| run.index == index);
                same.filter_map(|run| Some((run.batch as f64, run.rows.get(last)?.get(measure))))
                    .collect()
            })
            .collect();
        slope(&series)
    }
}

/// The largest |S_ij − S*_ij|, in units of 1/K: of the largest target weight.
pub fn attention_error(goals: &[f64], scores: &[f64]) -> f64 {
    let largest = goals.iter().copied().fold(0.0, f64::max);
    let differences = scores.iter().zip(goals).map(|(score, goal)| (score - goal).abs());
    differences.fold(0.0, f64::max) / largest
}

/// The constant C of the limit law C/T of the excess loss, where there is one.
pub fn limit_law(model: &ModelSettings) -> Option<f64> {
    if !crate::asymptotics::has_limit_law(model) {
        return None;
    }
    let constant = engine::with_lumped_model::<f64, _>(model, |lumped| {
        popgd_core::theory::rates::sharp_constants(&lumped)
    })?;
    Some(constant.excess_loss / model.rate.to_f64())
}

/// The slope of several series, each on logarithmic axes: their mean, or that of the only one with
/// the error of its fit.
fn slope(series: &[Vec<(f64, f64)>]) -> Option<Estimate> {
    let found: Vec<(f64, Option<f64>)> =
        series.iter().map(|points| fit::line(points)).collect::<Option<_>>()?;
    match found[..] {
        [(mean, error)] => Some(Estimate { mean, error }),
        _ => estimate(&found.iter().map(|(slope, _)| *slope).collect::<Vec<_>>()),
    }
}
