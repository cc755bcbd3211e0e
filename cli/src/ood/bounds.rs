//! What the student loses at most: at recorded steps, and for every later step.

use popgd_core::descent::forever::Forever;
use popgd_core::model::teacher::Shape;
use popgd_core::theory::moments::{
    Errors, Law, TokenMoments, amplification, gap_bound, mean_square,
};
use popgd_core::{Interval, Scalar};

use super::path::{Point, around};
use super::report::Proven;
use super::seen::Seen;
use super::settings::OodSettings;
use crate::certificate::make::{self, Wanted};
use crate::certificate::{Certificate, Enclosed};
use crate::engine::with_lumped_model;
use crate::error::Failure;
use crate::scalar::CliScalar;
use crate::settings::ModelSettings;

/// What bounds are made of.
#[derive(Debug)]
pub struct Bounds<'a> {
    /// The model.
    pub model: &'a ModelSettings,
    /// What is asked.
    pub ood: &'a OodSettings,
    /// Second moments.
    pub seen: &'a Seen<'a>,
    /// Whether X̃ and −X̃ have the same law.
    pub law: Law,
    /// Which level the weight of a token in a column is on.
    pub levels: &'a [u32],
}

/// How far labels are from the teacher, their noise left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// So far.
    Known(f64),
    /// As far as 0 is.
    OfZero,
    /// As far as another teacher may be.
    OfAnother,
}

impl Bounds<'_> {
    fn shape(&self) -> Shape {
        let tokens = usize::try_from(self.model.tokens).unwrap_or(0);
        Shape { tokens, channels: self.model.channels, features: self.model.features }
    }

    /// `Σ_j E‖V*X̃e_j‖²`, or a bound on it where of data only one is known.
    pub fn mean_square(&self, value_matrix: &[f64], errors: &[f64], sum: f64) -> f64 {
        let mut gram = Vec::new();
        let seen = self.seen.tokens(self.shape(), value_matrix, &mut gram);
        if let TokenMoments::Full { .. } = seen {
            let of_level = |&level: &u32| errors.get(level as usize).copied().unwrap_or(f64::NAN);
            let columns: Vec<f64> = self.levels.iter().map(of_level).collect();
            let errors = Errors::Dense { tokens: self.shape().tokens, columns: &columns };
            return mean_square(1.0, &seen, &errors).unwrap_or(f64::NAN);
        }
        with_lumped_model::<f64, _>(self.model, |lumped| {
            let errors = Errors::Lumped { classes: lumped.classes, levels: errors, sum };
            mean_square(1.0, &seen, &errors).unwrap_or(f64::NAN)
        })
    }

    /// `Σ_j E‖V*X̃e_j‖²` at a recorded step.
    pub fn before_activation(&self, point: &Point) -> f64 {
        self.mean_square(&self.ood.teacher.value_matrix, &point.errors, point.ahead)
    }

    /// `E‖V*x̃_i‖²`, if it is the same for all tokens.
    pub fn mean_square_of_one_token(&self) -> Option<f64> {
        let teacher = &self.ood.teacher.value_matrix;
        match self.seen.tokens::<f64>(self.shape(), teacher, &mut Vec::new()) {
            TokenMoments::Exchangeable { own, .. } => Some(own),
            _ => None,
        }
    }

    /// What σ may stretch a mean square by.
    pub fn amplification(&self) -> f64 {
        with_lumped_model::<f64, _>(self.model, |lumped| {
            amplification(&lumped.activation, self.law)
        })
    }

    /// R̄.
    pub fn label_distance(&self, distance: Distance, weights: &[f64]) -> f64 {
        let size = |value_matrix: &[f64]| {
            (self.amplification() * self.mean_square(value_matrix, weights, 1.0)).sqrt()
        };
        let teacher = &self.ood.teacher;
        match distance {
            Distance::Known(distance) => distance,
            Distance::OfZero => size(&teacher.value_matrix),
            Distance::OfAnother => size(&teacher.value_matrix) + size(&teacher.other_value_matrix),
        }
    }

    /// The bound at a recorded step.
    pub fn gap(&self, point: &Point, label_distance: f64) -> f64 {
        gap_bound(self.amplification() * self.before_activation(point), label_distance)
    }

    /// What is proven of every later step for ε.
    ///
    /// # Errors
    /// An interrupt, a step that cannot be T₀; a refusal is part of the result.
    pub fn proven(
        &self,
        distance: Distance,
        epsilon: f64,
        wanted: Wanted<'_>,
    ) -> Result<Result<Proven, String>, Failure> {
        match make::certificate(self.model, wanted) {
            Ok(certificate) => Ok(self.proven_by(&certificate, distance, epsilon)),
            Err(Failure::Undecided(reason)) => Ok(Err(reason)),
            Err(failure) => Err(failure),
        }
    }

    fn proven_by(
        &self,
        certificate: &Certificate,
        distance: Distance,
        epsilon: f64,
    ) -> Result<Proven, String> {
        let Some(last) = certificate.checkpoints.last() else {
            return Err("there is no enclosed state".to_owned());
        };
        certificate.problem.with_model(|lumped| {
            let verified =
                Forever::verify(&lumped, last.steps, last.c, last.gap, certificate.claim);
            let forever = verified.map_err(|refusal| refusal.to_string())?;
            let one = Interval::point(1.0);
            let teacher = &self.ood.teacher;
            let seen = |values: &[f64]| self.seen.lumped_tokens(self.shape(), values);
            let stretch = amplification(&lumped.activation, self.law);
            let square = |seen: &TokenMoments<'_, Enclosed>, levels: &[Enclosed], sum: Enclosed| {
                let errors = Errors::Lumped { classes: lumped.classes, levels, sum };
                mean_square(one, seen, &errors).map_or(Interval::ENTIRE, |square| stretch * square)
            };
            let own = seen(&teacher.value_matrix);
            let weights: Vec<Enclosed> =
                lumped.classes.iter().flat_map(|class| class.weights.iter().copied()).collect();
            let size = |seen: &TokenMoments<'_, Enclosed>| square(seen, &weights, one).sqrt();
            let distance = match distance {
                Distance::Known(0.0) => Interval::point(0.0),
                Distance::Known(distance) => around(distance),
                Distance::OfZero => size(&own),
                Distance::OfAnother => size(&own) + size(&seen(&teacher.other_value_matrix)),
            };
            // For all T ≥ steps together.
            let bound_from = |steps: u64| {
                let errors = forever.output_errors_from(steps);
                let bound = square(&own, &[errors.inside, errors.outside], errors.sum);
                gap_bound(bound, distance).hi()
            };
            let late = forever.steps();
            Ok(Proven {
                late,
                bound_at_late: bound_from(late),
                steps: first(late, |steps| bound_from(steps) <= epsilon),
            })
        })
    }
}

/// The first step from `low` on at which something holds that goes on to hold; none up to 2⁶².
fn first(low: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    const LAST: u64 = 1 << 62;
    if holds(low) {
        return Some(low);
    }
    let (mut fails, mut high) = (low, low);
    loop {
        if high >= LAST {
            return None;
        }
        high = high.saturating_mul(2).clamp(1, LAST);
        if holds(high) {
            break;
        }
        fails = high;
    }
    while high - fails > 1 {
        let middle = fails + (high - fails) / 2;
        if holds(middle) { high = middle } else { fails = middle }
    }
    Some(high)
}

/// T_ε of Theorem 3.2 without its constant: `K D⁶ ξ² ‖V*‖²/(η ε²)`.
pub fn stated_steps(model: &ModelSettings, moment: f64, epsilon: f64) -> Option<f64> {
    let group = model.group? as f64;
    let tokens = model.tokens as f64;
    Some(with_lumped_model::<f64, _>(model, |lumped| {
        let scale = group * tokens.powi(6) * lumped.teacher_norm.powi(2);
        scale * (moment / epsilon).powi(2) / f64::from_exact(&model.rate)
    }))
}
