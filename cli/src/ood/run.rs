//! From a question to a report.

use popgd_core::theory::moments::{Law, sharp_square_gap};

use super::bounds::{Bounds, Distance, Seen, stated_steps};
use super::check::{self, Check};
use super::gap::Tally;
use super::path::{self, Point};
use super::report::{Figure, Report, Row, Sharp, Statement};
use super::samples::Found;
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
    let check = check::of_law(&ood.inputs, model.features);
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
        let seen = match Seen::of_law(&ood.inputs, model.features) {
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
            Inputs::Gaussian { mean, .. } => mean.iter().all(|x| *x == 0.0),
            Inputs::File(_) => false,
        };
        let law = if symmetric { Law::Symmetric } else { Law::Any };
        let bounds = Bounds { model, ood, seen: &seen, law, levels: &ood.teacher.levels };
        let measured = (tally.label_distance / tally.count.max(1) as f64).sqrt();
        let distance = match &ood.labels {
            Labels::Teacher => Distance::Known(0.0),
            Labels::Zero | Labels::Independent => Distance::OfZero,
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
                Inputs::Gaussian { .. } => true,
                Inputs::File(_) => false,
            };
        let exact = Exact { bounds: &bounds, weights: self.weights, is_identity, is_gaussian };
        let mut rows = Vec::with_capacity(self.points.len());
        for (at, point) in self.points.iter().enumerate() {
            let distance = match (exact.square_distance(point), tally.square_distance(at)) {
                (Some(value), _) => Figure::exact(value),
                (None, Some(estimate)) => Figure::measured(estimate),
                (None, None) => Figure { value: f64::NAN, error: f64::NAN, exact: false },
            };
            let worst = |square: f64| 0.5 * square + label_distance * square.sqrt();
            let gap = match &ood.labels {
                Labels::Worst => Figure {
                    value: worst(distance.value),
                    // The derivative of ½Δ² + RΔ in Δ².
                    error: distance.error * (0.5 + 0.5 * label_distance / distance.value.sqrt()),
                    exact: distance.exact,
                },
                labels => match (exact.gap(labels, point, &distance), tally.gap(at)) {
                    (Some(value), _) => Figure::exact(value),
                    (None, Some(estimate)) => Figure::measured(estimate),
                    (None, None) => Figure { value: f64::NAN, error: f64::NAN, exact: false },
                },
            };
            let batch_gap = found.batch.gap(at).zip(found.batch.square_distance(at)).map(
                |(gap, own)| match &ood.labels {
                    // The labels are those that are worst over the whole law.
                    Labels::Worst => gap.value + label_distance / distance.value.sqrt() * own.value,
                    _ => gap.value,
                },
            );
            rows.push(Row {
                t: point.t,
                square_distance: distance,
                gap,
                batch_gap,
                bound: bounds.gap(point, label_distance),
            });
        }
        let sharp = self.sharp(&seen, symmetric, tally, &rows);
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
        let statement = match stated_steps(model, inputs.max(labels), ood.epsilon) {
            None => None,
            Some(stated) => Some(Statement {
                epsilon: ood.epsilon,
                inputs,
                labels,
                stated,
                proven: bounds.proven(distance, ood.epsilon, wanted)?,
            }),
        };
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
            interrupted: found.interrupted,
        })
    }

    /// The limit law of Δ², for independent tokens of one law.
    fn sharp(&self, seen: &Seen, symmetric: bool, tally: &Tally, rows: &[Row]) -> Option<Sharp> {
        let Seen::Law { mean, covariance } = seen else { return None };
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
        let draws = (tally.count * model.tokens) as f64;
        for (at, row) in self.ood.teacher.value_matrix.chunks_exact(model.features).enumerate() {
            let share = if symmetric {
                0.5
            } else if slope == 1.0 {
                1.0
            } else {
                tally.positive.get(at).map_or(f64::NAN, |count| *count as f64 / draws)
            };
            let weight = share + slope * slope * (1.0 - share);
            let along: f64 = row.iter().zip(mean).map(|(v, x)| v * x).sum();
            let spread: f64 = row
                .iter()
                .zip(covariance.chunks_exact(model.features))
                .map(|(v, line)| v * row.iter().zip(line).map(|(w, c)| w * c).sum::<f64>())
                .sum();
            of_mean += weight * along * along;
            of_spread += weight * spread;
        }
        let constant = with_lumped_model::<f64, _>(model, |lumped| {
            sharp_square_gap(
                &lumped.activation,
                model.tokens as f64,
                group as f64,
                lumped.teacher_norm,
                lumped.logit_gain,
                of_mean,
                of_spread,
            )
        });
        let last = rows.last().filter(|row| row.t > 0)?;
        let time = model.rate.to_f64() * last.t as f64 / constant;
        Some(Sharp {
            constant,
            at_end: time * last.square_distance.value,
            error: time * last.square_distance.error,
        })
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
