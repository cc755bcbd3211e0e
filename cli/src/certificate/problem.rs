//! The numbers that determine a two-level run, exactly.

use popgd_core::descent::forever::recheck::Checkpoint;
use popgd_core::descent::lumped::LumpedModel;
use popgd_core::model::classes::TwoLevel;
use popgd_core::{Activation, Interval, Scalar};

use super::Enclosed;
use crate::number::Exact;
use crate::scalar::count;
use crate::settings::{ModelSettings, TeacherNorm};

/// A two-level run.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// D.
    pub tokens: u64,
    /// K < D.
    pub group: u64,
    /// s.
    pub slope: Exact,
    /// σ′(0).
    pub slope_at_zero: Exact,
    /// ‖V*‖².
    pub square_norm: Exact,
    /// κ.
    pub logit_gain: Exact,
    /// η.
    pub rate: Exact,
    /// Whether it starts from zero; otherwise the first checkpoint is the start.
    pub from_zero: bool,
}

impl Problem {
    /// Of a model, if it is such a run.
    pub fn of(model: &ModelSettings) -> Option<Self> {
        let group = model.group.filter(|&group| group < model.tokens)?;
        if model.classes.len() != 1 || model.dense.is_some() {
            return None;
        }
        Some(Self {
            tokens: model.tokens,
            group,
            slope: model.slope.clone(),
            slope_at_zero: model.slope_at_zero.clone(),
            square_norm: match &model.teacher_norm {
                TeacherNorm::Norm(norm) => norm.square(),
                TeacherNorm::Square(square) => square.clone(),
            },
            logit_gain: model.logit_gain.clone(),
            rate: model.rate.clone(),
            from_zero: model.state.is_none(),
        })
    }

    /// D and K.
    pub fn sizes(&self) -> [Enclosed; 2] {
        [self.tokens, self.group].map(|size| count(Interval::point(1.0), size))
    }

    /// Whether the numbers are those of a run.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), String> {
        if !(1..self.tokens).contains(&self.group) {
            return Err(format!(
                "the group size must be at least 1 and below the number of tokens: group {}, tokens {}",
                self.group, self.tokens
            ));
        }
        let positive = [
            ("rate", &self.rate),
            ("logit_gain", &self.logit_gain),
            ("square_norm", &self.square_norm),
        ];
        match positive.into_iter().find(|(_, number)| !number.is_positive()) {
            Some((name, number)) => Err(format!("{name} must be positive, and is {number}")),
            None => Ok(()),
        }
    }

    /// The state that a model starts from, if that is not zero.
    pub fn start(model: &ModelSettings) -> Option<Checkpoint<f64>> {
        let state = model.state.as_ref()?;
        let [class] = &model.classes[..] else { return None };
        let ([first, second], [z, other]) = (&class.levels[..], &state.logits[..]) else {
            return None;
        };
        let (z, other): (Enclosed, Enclosed) = (z.enclose(), other.enclose());
        let gap = match (first.weight.is_zero(), second.weight.is_zero()) {
            (false, true) => z - other,
            (true, false) => other - z,
            _ => return None,
        };
        Some(Checkpoint { steps: 0, c: state.c.enclose(), gap })
    }

    /// The core's model of it, for as long as `with` needs it.
    pub fn with_model<R>(&self, with: impl FnOnce(LumpedModel<'_, Enclosed>) -> R) -> R {
        let [tokens, group] = self.sizes();
        let teacher = TwoLevel::new(tokens, group);
        let classes = [teacher.class()];
        with(LumpedModel {
            activation: Activation::leaky_relu(self.slope.enclose()),
            classes: &classes,
            teacher_norm: self.square_norm.enclose::<f64>().sqrt(),
            logit_gain: self.logit_gain.enclose(),
            rate: self.rate.enclose(),
            slope_at_zero: self.slope_at_zero.enclose(),
        })
    }
}
