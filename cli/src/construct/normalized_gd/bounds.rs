//! What is derived of margin and dual, along runs.

use popgd_core::Error;
use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::bounds::{Terms, margin_between};
use popgd_core::scalar::Logarithm;

use super::instance::Instance;
use crate::construct::comparison::{upper, width};
use crate::construct::report::{Claim, Status};
use crate::scalar::{CliScalar, count};

/// How often a bound was looked at, and the largest share of it that was used.
#[derive(Clone, Copy, Debug)]
struct Used {
    checked: u64,
    share: f64,
}

impl Default for Used {
    fn default() -> Self {
        Self { checked: 0, share: f64::NEG_INFINITY }
    }
}

impl Used {
    /// `found ≤ allowed`, allowed being positive: an enclosure counts with its upper end.
    fn add<S: CliScalar>(&mut self, found: S, allowed: S) {
        self.checked += 1;
        let share = upper((found / allowed).report());
        self.share = if share.is_nan() { f64::INFINITY } else { self.share.max(share) };
    }
}

/// All bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    dual: Used,
    margin: Used,
    sum: Used,
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
        if widths.fold(0.0, f64::max) > TOO_WIDE * center(rate) {
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
        // Of a margin that is not known a lower bound does for the dual: it allows for less.
        let at_least = match instance.margin {
            Some(margin) => margin,
            None => margin_of(instance, 10 * steps)?[0],
        };
        // Σ ‖Zᵀq‖² of the steps so far.
        let mut sum = zero;
        along(instance, steps, |step, weights, margins, direction| {
            // Each margin has to be as large, the smallest too, whichever that is.
            let shortfall = |wanted: S| {
                let all = margins.iter().map(|&margin| upper((wanted - margin).report()));
                rate.lift(all.fold(f64::NEG_INFINITY, f64::max))
            };
            let length = square(direction, zero);
            if step > 0 {
                // With one sample nothing may be left, and nothing is.
                if samples.report().center() > 1.0 {
                    let gap = half * (length - at_least.square());
                    self.dual.add(gap, terms.dual_gap(count(rate, step)));
                }
                self.sum.add(shortfall(rate * sum), deficit);
                if let Some(margin) = instance.margin {
                    let norm = square(weights, zero).norm();
                    self.margin.add(shortfall(margin * norm), deficit);
                }
            }
            sum = sum + length;
        })
    }

    /// What was found, as claims: shares of what is allowed.
    pub(super) fn claims(&self, status: Status) -> Vec<Claim> {
        let claim = |name, title: &str, used: Used| {
            // Rounding alone may reach a bound that is attained.
            let most = if status == Status::Proven { 1.0 } else { 1.0 + 1e-6 };
            Claim::at_most(name, title, used.checked, used.share, most, status)
        };
        [
            claim("dual_bound", "½‖Zᵀq‖² − ½γ² over its bound ln n/(ηt)", self.dual),
            claim("margin_bound", "γ‖w‖ − min z·w over its bound ln n + ηR²/2", self.margin),
            claim("sum_bound", "ηΣ‖Zᵀq‖² − min z·w over the same bound", self.sum),
        ]
        .into_iter()
        .filter(|claim| claim.checked > 0)
        .collect()
    }
}
