//! Fine-tuning and prompts: what they change, over what they may.

use popgd_core::in_context::attention_operator::{Measure, add_prompt, bounds};
use popgd_core::{Dual, Error};

use super::AttentionOperatorSettings;
use super::instance::{Instance, attend, center, exactly, norm};
use crate::construct::comparison::Comparison;
use crate::construct::random::{Random, into_unit_ball};
use crate::construct::report::{Claim, Curve, Limit, Status};
use crate::construct::share::Share;
use crate::fit;
use crate::scalar::{CliScalar, count};
use crate::settings::ScalarKind;

/// The largest shares of bounds that were used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    tuning: Share,
    prompting: Share,
}

/// E = UVᵀ, d × d, of this rank; of sizes between 1/1000 and 10, instance by instance.
fn change(settings: &AttentionOperatorSettings, index: u64) -> Vec<f64> {
    let (d, rank) = (settings.dimension, settings.rank);
    let mut random = Random::of(settings.shared.seed ^ 1, index);
    let size = 10.0_f64.powf(4.0 * random.uniform() - 3.0);
    let (left, right) = (random.normals(d * rank), random.normals(rank * d));
    (0..d * d)
        .map(|at| (0..rank).map(|k| size * left[at / d * rank + k] * right[k * d + at % d]).sum())
        .collect()
}

fn difference<S: CliScalar>(a: &[S], b: &[S]) -> Vec<S> {
    a.iter().zip(b).map(|(&x, &y)| x - y).collect()
}

impl Moved {
    /// A + E beside A.
    pub(super) fn fine_tune<S: CliScalar>(
        &mut self,
        instance: &Instance<S>,
        settings: &AttentionOperatorSettings,
        index: u64,
    ) -> Result<(), Error> {
        let change: Vec<S> = exactly(&change(settings, index));
        let tuned: Vec<S> = instance.matrix.iter().zip(&change).map(|(&a, &e)| a + e).collect();
        let (before, after) =
            (instance.value_with(&instance.matrix)?, instance.value_with(&tuned)?);
        let zero = instance.radius.zero();
        let bound = bounds::fine_tuning(instance.radius, norm(&instance.slope_of(&change)?, zero));
        // A measure at 0 alone is not moved, and must not be.
        if !bound.is_zero() {
            let moved = norm(&difference(&after, &before), zero);
            self.tuning.add(moved.report(), bound.report());
        }
        Ok(())
    }

    /// Prompt tokens beside the atoms as tokens.
    pub(super) fn prompt<S: CliScalar>(
        &mut self,
        instance: &Instance<S>,
        settings: &AttentionOperatorSettings,
        index: u64,
        kind: ScalarKind,
        mixtures: &mut Comparison,
    ) -> Result<(), Error> {
        let d = instance.dimension;
        let mut random = Random::of(settings.shared.seed ^ 2, index);
        let mut prompts = random.normals(d * settings.prompts);
        into_unit_ball(&mut prompts, d);
        let length = center(instance.radius);
        prompts.iter_mut().for_each(|x| *x *= length * (1.0 - 1e-6));
        let prompts: Vec<S> = exactly(&prompts);
        let along = instance.slope_of(&instance.matrix)?;
        let own = Measure::new(d, &instance.atoms, None)?;
        let mut reference = own.reference(&along, center);
        // Of a prompt that wins by far, moments relative to the atoms would overflow.
        if settings.prompts > 0 {
            let other = Measure::new(d, &prompts, None)?.reference(&along, center);
            reference = if center(other) > center(reference) { other } else { reference };
        }
        let mut mean = along.clone();
        let moment = own.tilt(&along, reference, &mut mean)?;
        let before = mean.clone();
        // The empty prompt changes nothing.
        if settings.prompts > 0 {
            let beside = Measure::new(d, &prompts, None)?;
            let mut other = along.clone();
            let prompt_moment = beside.tilt(&along, reference, &mut other)?;
            add_prompt(moment, &mut mean, prompt_moment, &other)?;
        }
        let ones = vec![instance.radius.one(); own.count() + settings.prompts];
        let tokens = [&instance.atoms[..], &prompts].concat();
        let together = attend(&tokens, &ones, &instance.matrix, &instance.query)?;
        let (scale, roundings) = instance.sizes(&tokens);
        for (a, b) in together.iter().zip(&mean) {
            mixtures.add(kind, a.report(), b.report(), scale, roundings);
        }
        if settings.prompts > 0 && length > 0.0 {
            let zero = instance.radius.zero();
            let number = |number: usize| count(zero, number as u64);
            let bound = bounds::prompt(
                instance.radius,
                norm(&along, zero),
                number(own.count()),
                number(settings.prompts),
            );
            let moved = norm(&difference(&mean, &before), zero);
            self.prompting.add(moved.report(), bound.report());
        }
        Ok(())
    }

    /// What was found on other instances, too.
    pub(super) fn merge(&mut self, other: &Self) {
        self.tuning.merge(&other.tuning);
        self.prompting.merge(&other.prompting);
    }

    /// What was found, as claims.
    pub(super) fn claims(&self, status: Status) -> Vec<Claim> {
        vec![
            self.tuning.claim(
                "fine_tuning",
                "change by fine-tuning over its bound R²‖Eᵀx‖",
                status,
            ),
            self.prompting.claim("prompt", "change by prompts over its bound", status),
        ]
    }
}

/// What is left of fine-tuning beside its linear part, against the size of E.
pub(super) fn remainder(settings: &AttentionOperatorSettings) -> Result<Option<Curve>, Error> {
    type D = Dual<f64, 1>;
    let instance = Instance::<f64>::of(settings, 0);
    let direction = change(settings, 0);
    let whole = super::super::random::norm(&instance.slope_of(&direction)?);
    if !(whole * center(instance.radius) > 0.0) {
        return Ok(None);
    }
    // E of such a size that exponents move by a unit.
    let unit = 1.0 / (whole * instance.radius);
    let direction: Vec<f64> = direction.iter().map(|x| unit * x).collect();
    let constants = |numbers: &[f64]| numbers.iter().map(|&x| D::constant(x)).collect::<Vec<_>>();
    let (atoms, weights) = (constants(&instance.atoms), constants(&instance.weights));
    let measure = Measure::new(instance.dimension, &atoms, Some(&weights))?;
    let (start, speed) = (instance.slope_of(&instance.matrix)?, instance.slope_of(&direction)?);
    let along: Vec<D> =
        start.iter().zip(&speed).map(|(&x, &v)| Dual { value: x, derivative: [v] }).collect();
    let mut linear = along.clone();
    measure.tilt(&along, measure.reference(&along, |x| x.value), &mut linear)?;
    let mut points = Vec::new();
    for power in 0..=6 {
        let size = 10.0_f64.powf(-1.5 - 0.25 * f64::from(power));
        let tuned: Vec<f64> =
            instance.matrix.iter().zip(&direction).map(|(a, e)| a + size * e).collect();
        let after = instance.value_with(&tuned)?;
        let left: Vec<f64> = after
            .iter()
            .zip(&linear)
            .map(|(x, line)| x - line.value - size * line.derivative[0])
            .collect();
        points.push((size, super::super::random::norm(&left)));
    }
    points.reverse();
    // Second order is for small E: if halves of the sizes do not agree, third order is still seen.
    let order = |part: &[(f64, f64)]| fit::slope(part, 0).unwrap_or(f64::NAN);
    let is_asymptotic = (order(&points[..4]) - order(&points[3..])).abs() <= 0.04;
    // One atom, or an accident: there is nothing to fit.
    let is_flat = points.iter().any(|(_, y)| *y < 1e-14 * center(instance.radius));
    Ok((!is_flat).then(|| Curve {
        name: "remainder",
        title: "remainder of fine-tuning".to_owned(),
        against: "size of E",
        points,
        bounds: Vec::new(),
        claimed: is_asymptotic.then_some(2.0),
        tolerance: 0.05,
        limit: Limit::Small,
    }))
}
