//! From a question to a report.

use popgd_core::theory::moments::{Law, sharp_square_gap};

use super::bounds::{Bounds, Distance, stated_steps};
use super::check::{self, Check};
use super::gap::{Estimate, Tally};
use super::path::{self, Point};
use super::report::{Figure, Reached, Report, Row, Sharp, Statement};
use super::samples::Found;
use super::seen::Seen;
use super::settings::{Inputs, Labels, OodSettings};
use super::slopes::slopes;
use super::tail::Verdict;
use crate::certificate::make::Wanted;
use crate::engine::with_lumped_model;
use crate::error::Failure;
use crate::progress::Progress;
use crate::settings::{ModelSettings, Settings};

/// Everything that a run needs.
pub(super) struct Question<'a> {
    pub(super) model: &'a ModelSettings,
    pub(super) ood: &'a OodSettings,
    /// The student on its way.
    pub(super) points: &'a [Point],
    /// The weights of the levels of S*.
    pub(super) weights: &'a [f64],
    from_step: Option<u64>,
    pub(super) quiet: bool,
    pub(super) pool: rayon::ThreadPool,
}

/// Checks, runs, measures.
///
/// # Errors
/// What is wrong with a file, a figure that is not finite, an interrupt before anything was found.
pub fn report(settings: &Settings, ood: &OodSettings) -> Result<Report, Failure> {
    let (model, quiet) = (&settings.model, settings.output.quiet);
    let is_file = matches!(ood.inputs, Inputs::File(_));
    let tokens = usize::try_from(model.tokens).unwrap_or(usize::MAX);
    let check = check::of_law(&ood.inputs, model.features, tokens);
    if !is_file && (ood.moments_only || check.verdict != Verdict::Holds) {
        return Ok(Report::of_check(check));
    }
    let points = if ood.moments_only {
        Vec::new()
    } else {
        let progress = Progress::new(model.steps, quiet);
        path::follow(model, &settings.at, &progress)?
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(ood.threads.unwrap_or(0))
        .build()
        .map_err(|error| Failure::Io(format!("--threads: {error}")))?;
    let (weights, _) = path::levels_of(model);
    let question = Question {
        model,
        ood,
        points: &points,
        weights: &weights,
        from_step: settings.from_step,
        quiet,
        pool,
    };
    let found = match &ood.inputs {
        Inputs::File(path) => question.over_data(path)?,
        _ => question.over_law()?,
    };
    if found.interrupted && found.tally.count == 0 && !ood.moments_only {
        return Err(Failure::Interrupted("interrupted before anything was measured".to_owned()));
    }
    let check = found.check.clone().unwrap_or(check);
    if ood.moments_only || check.verdict == Verdict::Fails {
        return Ok(Report { interrupted: found.interrupted, ..Report::of_check(check) });
    }
    question.answer(check, &found)
}

impl Question<'_> {
    fn answer(&self, check: Check, found: &Found) -> Result<Report, Failure> {
        let Question { model, ood, .. } = *self;
        let tokens = usize::try_from(model.tokens).unwrap_or(0);
        let tally = &found.tally;
        let seen = match Seen::of_law(&ood.inputs) {
            Some(seen) => seen,
            None => match tally.token_moments(tokens) {
                Some(gram) => Seen::Full { gram, largest: tally.largest_seen() },
                None => Seen::Bounded { square: tally.largest_seen() },
            },
        };
        let symmetric = match &ood.inputs {
            Inputs::Family { family, centred, .. } => {
                family.is_symmetric() && (*centred || family.moments().is_ok_and(|m| m.mean == 0.0))
            }
            Inputs::Gaussian(law) => law.mean.iter().all(|x| *x == 0.0),
            Inputs::File(_) => false,
        };
        let law = if symmetric { Law::Symmetric } else { Law::Any };
        let bounds = Bounds { model, ood, seen: &seen, law, levels: &ood.teacher.levels };
        let measured = (tally.label_distance / tally.count.max(1) as f64).sqrt();
        let distance = match &ood.labels {
            Labels::Teacher => Distance::Known(0.0),
            Labels::Zero | Labels::Independent => Distance::OfZero,
            // Of data it is known what the teacher sees, but not what another one does.
            Labels::Another if check.data.is_some() => Distance::Known(measured),
            Labels::Another => Distance::OfAnother,
            Labels::Worst => ood.label_distance.map_or(Distance::OfZero, Distance::Known),
            Labels::File(_) => Distance::Known(measured),
        };
        let label_distance = bounds.label_distance(distance, self.weights);
        let is_identity = model.slope.to_f64() == 1.0;
        let is_gaussian = symmetric
            && match &ood.inputs {
                Inputs::Family { family, .. } => {
                    matches!(family, super::family::Family::Gaussian { .. })
                }
                Inputs::Gaussian(_) => true,
                Inputs::File(_) => false,
            };
        let exact = Exact { bounds: &bounds, weights: self.weights, is_identity, is_gaussian };
        let has_errors = check.has_fourth_moments
            && match &ood.inputs {
                Inputs::Family { family, .. } => tally.count as f64 >= family.samples_for_errors(),
                _ => true,
            };
        let mut rows = Vec::with_capacity(self.points.len());
        for (at, point) in self.points.iter().enumerate() {
            let distance = match exact.square_distance(point) {
                Some(value) => Figure::exact(value),
                None => Figure::measured(tally.square_distance(at), has_errors),
            };
            let worst = |square: f64| 0.5 * square + label_distance * square.sqrt();
            // R/Δ; where student and teacher agree there is nothing to lose.
            let pull = match distance.value.sqrt() {
                0.0 => 0.0,
                length => label_distance / length,
            };
            let gap = match &ood.labels {
                Labels::Worst => Figure {
                    value: worst(distance.value),
                    // The derivative of ½Δ² + RΔ in Δ².
                    error: distance.error.map(|error| error * (0.5 + 0.5 * pull)),
                    exact: distance.exact,
                },
                labels => match exact.gap(labels, point, &distance) {
                    Some(value) => Figure::exact(value),
                    None => Figure::measured(tally.gap(at), has_errors),
                },
            };
            let batch_gap = found.batch.gap(at).zip(found.batch.square_distance(at)).map(
                |(gap, own)| match &ood.labels {
                    // The labels are those that are worst over the whole law.
                    Labels::Worst => gap.value + pull * own.value,
                    _ => gap.value,
                },
            );
            rows.push(Row {
                t: point.t,
                square_distance: distance,
                gap,
                batch_gap,
                bound: bounds.gap(point, label_distance),
                of_sample: matches!(ood.inputs, Inputs::File(_)),
            });
        }
        if let Some(row) = rows.iter().find(|row| !row.is_finite()) {
            let message = format!(
                "what the student loses after {} steps is beyond all floats: take inputs and labels \
                 of a size nearer to 1",
                row.t
            );
            return Err(Failure::NotFinite(message));
        }
        let sharp = self.sharp(&seen, symmetric, tally, &rows);
        let reached = Reached::of(&rows, ood.epsilon);
        let inputs = check.largest_moment.unwrap_or(f64::INFINITY);
        let labels = match ood.labels {
            Labels::Worst => {
                let columns = (model.tokens as f64).sqrt();
                let teacher = bounds.label_distance(Distance::OfZero, self.weights) / columns;
                (teacher + label_distance / columns).powi(2)
            }
            _ => tally.largest_label() + (self.deviation().powi(2)) * model.channels as f64,
        };
        let wanted = Wanted { from_step: self.from_step, at: &[], quiet: self.quiet };
        // A proof takes time that whoever stops a run does not want to wait for.
        let proven = match found.interrupted {
            true => Err("it was interrupted before anything could be".to_owned()),
            false => bounds.proven(distance, ood.epsilon, wanted)?,
        };
        let statement = Some(Statement {
            epsilon: ood.epsilon,
            inputs,
            labels,
            stated: stated_steps(model, inputs.max(labels), ood.epsilon),
            proven,
            reached,
        });
        let noise_from = sharp.and_then(|sharp| {
            let rate = model.rate.to_f64();
            let crossing = 4.0 * self.deviation().powi(2) / found.batch.count as f64;
            // Other labels have a term of their own that falls like 1/√T.
            (crossing > 0.0 && ood.labels == Labels::Teacher)
                .then(|| sharp.constant / (rate * crossing))
        });
        Ok(Report {
            check,
            samples: tally.count,
            batch: found.batch.count,
            label_distance: Some(label_distance),
            amplification: bounds.amplification(),
            slopes: slopes(&rows),
            rows,
            sharp,
            statement,
            noise_from,
            has_errors,
            interrupted: found.interrupted,
        })
    }

    /// The limit law of Δ², for independent tokens of one law.
    fn sharp(
        &self,
        seen: &Seen<'_>,
        symmetric: bool,
        tally: &Tally,
        rows: &[Row],
    ) -> Option<Sharp> {
        let model = self.model;
        let group = model.group.filter(|group| *group < model.tokens)?;
        let slope = model.slope.to_f64();
        if let Inputs::Family { family, .. } = &self.ood.inputs
            && slope != 1.0
            && family.has_atoms()
        {
            return None;
        }
        let (mut of_mean, mut of_spread) = (0.0, 0.0);
        let outputs = usize::try_from(model.tokens).unwrap_or(0);
        let mut doubt = 0.0;
        for (at, row) in self.ood.teacher.value_matrix.chunks_exact(model.features).enumerate() {
            let share = if symmetric {
                Estimate { value: 0.5, error: 0.0 }
            } else if slope == 1.0 {
                Estimate { value: 1.0, error: 0.0 }
            } else {
                tally.share_above(at, outputs)?
            };
            let weight = share.value + slope * slope * (1.0 - share.value);
            let weight_error = share.error * (1.0 - slope * slope).abs();
            let (along, spread) = seen.along(row)?;
            of_mean += weight * along * along;
            of_spread += weight * spread;
            let outside = (model.tokens - group) as f64;
            doubt += weight_error * (along * along + spread / outside);
        }
        let limit = |of_mean: f64, of_spread: f64| {
            with_lumped_model::<f64, _>(model, |lumped| {
                sharp_square_gap(
                    &lumped.activation,
                    model.tokens as f64,
                    group as f64,
                    lumped.teacher_norm,
                    lumped.logit_gain,
                    of_mean,
                    of_spread,
                )
            })
        };
        // Channels see the same samples: their errors add up at most.
        let (constant, constant_error) = (limit(of_mean, of_spread), limit(doubt, 0.0));
        // A teacher that is 0 on all inputs has nothing to be learnt.
        let last = rows.last().filter(|row| row.t > 0 && constant > 0.0)?;
        let time = model.rate.to_f64() * last.t as f64 / constant;
        let at_end = time * last.square_distance.value;
        let error = last
            .square_distance
            .error
            .map(|error| time * error + at_end * constant_error / constant);
        Some(Sharp { constant, at_end, error })
    }
}

/// What is known in closed form.
struct Exact<'a> {
    bounds: &'a Bounds<'a>,
    weights: &'a [f64],
    is_identity: bool,
    is_gaussian: bool,
}

impl Exact<'_> {
    /// Δ².
    fn square_distance(&self, point: &Point) -> Option<f64> {
        if matches!(self.bounds.seen, Seen::Bounded { .. }) {
            return None;
        }
        if self.is_identity {
            return Some(self.bounds.before_activation(point));
        }
        if point.ahead == -1.0 && self.bounds.law == Law::Symmetric {
            // The student is 0, and E‖σ(u)‖² a multiple of E‖u‖².
            return Some(self.bounds.amplification() * self.bounds.before_activation(point));
        }
        if !self.is_gaussian {
            return None;
        }
        // Centred Gaussian tokens: that of training, with tr V*ΣV*ᵀ in the place of ‖V*‖².
        let spread = self.bounds.mean_square_of_one_token()?;
        let norm = with_lumped_model::<f64, _>(self.bounds.model, |lumped| lumped.teacher_norm);
        Some(2.0 * point.excess_loss * spread / (norm * norm))
    }

    /// What the student loses.
    fn gap(&self, labels: &Labels, point: &Point, distance: &Figure) -> Option<f64> {
        match labels {
            Labels::Teacher if distance.exact => Some(0.5 * distance.value),
            // E‖σ(u)‖² is a multiple of E‖u‖² for the identity and for symmetric laws.
            Labels::Zero | Labels::Independent
                if (self.is_identity || self.bounds.law == Law::Symmetric)
                    && !matches!(self.bounds.seen, Seen::Bounded { .. }) =>
            {
                let values = &self.bounds.ood.teacher.value_matrix;
                let student: Vec<f64> =
                    self.weights.iter().zip(&point.errors).map(|(w, e)| w + e).collect();
                let own = self.bounds.mean_square(values, &student, 1.0 + point.ahead);
                let teacher = self.bounds.mean_square(values, self.weights, 1.0);
                Some(0.5 * self.bounds.amplification() * (own - teacher))
            }
            _ => None,
        }
    }
}
