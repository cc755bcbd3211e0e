//! What is derived of margin and dual, along runs.

use popgd_core::Error;
use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::bounds::{Terms, margin_between};
use popgd_core::scalar::Logarithm;

use super::instance::Instance;
use crate::construct::comparison::{greater, lower, upper, width};
use crate::construct::report::{Claim, Status};
use crate::construct::share::Share;
use crate::scalar::{CliScalar, count};

/// All bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    dual: Share,
    margin: Share,
    sum: Share,
}

/// Enclosures of a run that are wider than this say nothing more of it.
const TOO_WIDE: f64 = 1e-3;

/// Looks at a run after each step: t, w, z·w, q and Zᵀq there; until `look` has seen enough.
fn along<S: CliScalar>(
    instance: &Instance<S>,
    steps: u64,
    mut look: impl FnMut(u64, &[S], &[S], &[S]),
) -> Result<(), Error> {
    let (features, rate) = (instance.features, instance.rate);
    let samples = Samples::new(features, &instance.rows)?;
    let center = |x: S| x.report().center();
    let mut weights = vec![rate.zero(); features];
    let (mut margins, mut exponentials) =
        (vec![rate; samples.count()], vec![rate; samples.count()]);
    let mut direction = vec![rate; features];
    for step in 0..=steps {
        samples.margins(&weights, &mut margins)?;
        exponentials.copy_from_slice(&margins);
        samples.direction(&mut exponentials, smallest(&margins), &mut direction)?;
        look(step, &weights, &margins, &direction);
        for (weight, &along) in weights.iter_mut().zip(&direction) {
            *weight = *weight + rate * along;
        }
        let widths = weights.iter().map(|x| width(x.report()));
        // What has no width is too wide.
        if !widths.fold(0.0, greater).le(&(TOO_WIDE * center(rate))) {
            break;
        }
    }
    Ok(())
}

/// The position of the smallest.
fn smallest<S: CliScalar>(margins: &[S]) -> usize {
    let center = |at: &usize| margins[*at].report().center();
    (0..margins.len()).min_by(|a, b| center(a).total_cmp(&center(b))).unwrap_or(0)
}

fn square<S: CliScalar>(numbers: &[S], zero: S) -> S {
    numbers.iter().fold(zero, |sum, x| sum + x.square())
}

/// Bounds of γ from a state: a margin, and a norm of the dual.
pub(super) fn between<S: CliScalar>(
    samples: &Samples<'_, S>,
    weights: &[S],
) -> Result<(S, S), Error> {
    let zero = match weights {
        [first, ..] => first.zero(),
        [] => return Err(Error::Empty { what: "weights" }),
    };
    let mut margins = vec![zero; samples.count()];
    let mut direction = vec![zero; samples.features()];
    samples.margins(weights, &mut margins)?;
    let at = smallest(&margins);
    let mut exponentials = margins.clone();
    samples.direction(&mut exponentials, at, &mut direction)?;
    Ok(margin_between(&margins, at, weights, &direction).unwrap_or((zero, zero)))
}

/// Bounds of γ: from a run as long as that, ended at a point.
pub(super) fn margin_of<S: CliScalar>(instance: &Instance<S>, steps: u64) -> Result<[S; 2], Error> {
    let (features, rate) = (instance.features, instance.rate);
    let samples = Samples::new(features, &instance.rows)?;
    let center = |x: S| x.report().center();
    let mut weights = vec![rate.zero(); features];
    let mut scratch = vec![rate; samples.count() + features];
    for _ in 0..steps {
        samples.step(rate, &mut weights, &mut scratch, center)?;
        weights.iter_mut().for_each(|x| *x = x.lift(center(*x)));
    }
    let (least, most) = between(&samples, &weights)?;
    if !most.is_finite() {
        return Err(Error::NotFinite { what: "bounds of the margin" });
    }
    // γ is not negative; a state of 0 has no margin.
    let least = if least.is_finite() && center(least) > 0.0 { least } else { rate.zero() };
    Ok([least, most])
}

impl Held {
    /// Looks at all bounds along the run of an instance.
    pub(super) fn watch<S: CliScalar + Logarithm>(
        &mut self,
        instance: &Instance<S>,
        steps: u64,
    ) -> Result<(), Error> {
        let rate = instance.rate;
        let (zero, half) = (rate.zero(), rate.rational(1, 2));
        let samples = count(rate, (instance.rows.len() / instance.features) as u64);
        let terms = Terms { samples, radius: instance.radius, rate };
        let deficit = terms.margin_deficit();
        // Of a margin that is not known, bounds: the lower one claims more than what is derived, so
        // only the upper one can refute.
        let [at_least, at_most] = match instance.margin {
            Some(margin) => [margin, margin],
            None => margin_of(instance, 10 * steps)?,
        };
        // Σ ‖Zᵀq‖² of the steps so far.
        let mut sum = zero;
        along(instance, steps, |step, weights, margins, direction| {
            // Each margin has to be as large, the smallest too, whichever that is.
            let shortfall = |wanted: S| {
                let all = margins.iter().map(|&margin| (wanted - margin).report());
                all.fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |(least, most), next| {
                    (greater(least, lower(next)), greater(most, upper(next)))
                })
            };
            let length = square(direction, zero);
            if step > 0 {
                // With one sample ‖Zᵀq‖ is ‖z‖, which is γ: there is nothing to look at.
                if samples.report().center() > 1.0 {
                    let gap = |margin: S| (half * (length - margin.square())).report();
                    let gaps = (lower(gap(at_most)), upper(gap(at_least)));
                    self.dual.add_between(gaps, terms.dual_gap(count(rate, step)).report());
                }
                self.sum.add_between(shortfall(rate * sum), deficit.report());
                if let Some(margin) = instance.margin {
                    let norm = square(weights, zero).norm();
                    self.margin.add_between(shortfall(margin * norm), deficit.report());
                }
            }
            sum = sum + length;
        })
    }

    /// What was found on other instances, too.
    pub(super) fn merge(&mut self, other: &Self) {
        self.dual.merge(&other.dual);
        self.margin.merge(&other.margin);
        self.sum.merge(&other.sum);
    }

    /// What was found, as claims: shares of what is allowed.
    pub(super) fn claims(&self, status: Status) -> Vec<Claim> {
        vec![
            self.dual.claim("dual_bound", "½‖Zᵀq‖² − ½γ² over its bound ln n/(ηt)", status),
            self.margin.claim("margin_bound", "γ‖w‖ − min z·w over its bound ln n + ηR²/2", status),
            self.sum.claim("sum_bound", "ηΣ‖Zᵀq‖² − min z·w over the same bound", status),
        ]
    }
}
