//! Descent on few scalars: one factor c for all of W_V, and one logit a level.
//!
//! From a start that shares the teacher's symmetries all rows of W_V stay `c v*_m`, and logits of
//! tokens with equal target weight stay equal (note 2). The cost of a step depends neither on
//! the number of tokens, nor on channels or features, only on the number of levels.
//!
//! ```
//! use popgd_core::model::activation::Activation;
//! use popgd_core::model::classes::TwoLevel;
//! use popgd_core::descent::accumulate::Accumulate;
//! use popgd_core::descent::lumped::{Lumped, LumpedModel};
//!
//! let (tokens, group) = (36.0, 4.0);
//! let teacher = TwoLevel::new(tokens, group);
//! let activation = Activation::relu(1.0);
//! let classes = [teacher.class()];
//! let model = LumpedModel {
//!     activation,
//!     classes: &classes,
//!     teacher_norm: 4.0,
//!     logit_gain: 1.0 / tokens,
//!     rate: 0.25 * group / (activation.gain() * tokens),
//!     slope_at_zero: 1.0,
//! };
//! let mut memory = [0.0; 8];
//! let mut run = Lumped::from_zero(model, Accumulate::Compensated, &mut memory)?;
//! let before = run.quantities().excess_loss;
//! for _ in 0..100_000 {
//!     run.step();
//! }
//! assert!(run.quantities().excess_loss < 0.1 * before);
//! # Ok::<(), popgd_core::Error>(())
//! ```

use super::accumulate::Accumulate;
use crate::error::check_length;
use crate::model::Quantities;
use crate::model::alignment::Alignment;
pub use crate::model::lumped::LumpedModel;
use crate::model::lumped::column;
use crate::slices::{split_off, split_off_mut};
use crate::{Error, Scalar};

/// A lumped run: its model and its state.
#[derive(Debug)]
pub struct Lumped<'a, S> {
    model: LumpedModel<'a, S>,
    accumulate: Accumulate,
    c: S,
    c_carry: S,
    logits: &'a mut [S],
    carries: &'a mut [S],
    scores: &'a mut [S],
    increments: &'a mut [S],
}

impl<'a, S: Scalar> Lumped<'a, S> {
    /// A run from W_V = W_KQ = 0, whatever the rate:
    /// [`check_lumped`](crate::theory::stability::check_lumped) tells beforehand whether it makes
    /// sense. `memory` has [`LumpedModel::memory`] entries, of any content.
    ///
    /// # Errors
    /// What [`LumpedModel::check`] finds, and [`Error::Length`] for the memory.
    pub fn from_zero(
        model: LumpedModel<'a, S>,
        accumulate: Accumulate,
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        model.check()?;
        let levels = model.levels();
        let (expected, found) = (model.memory(), memory.len());
        check_length("memory of a lumped run", expected, found)?;
        let zero = model.rate.zero();
        memory.fill(zero);
        let mut rest = memory;
        match (
            split_off_mut(&mut rest, levels),
            split_off_mut(&mut rest, levels),
            split_off_mut(&mut rest, levels),
            split_off_mut(&mut rest, levels),
        ) {
            (Some(logits), Some(carries), Some(scores), Some(increments)) => Ok(Self {
                model,
                accumulate,
                c: zero,
                c_carry: zero,
                logits,
                carries,
                scores,
                increments,
            }),
            _ => Err(Error::Length { what: "memory of a lumped run", expected, found }),
        }
    }

    /// A run from a given c and given logits, one for every level of every class. Only their
    /// differences within a class count. What compensated sums carry starts at 0, so a run that
    /// goes on from a saved state differs from the unbroken one by a rounding.
    ///
    /// # Errors
    /// As [`from_zero`](Self::from_zero), and [`Error::Length`] for the logits.
    pub fn from_state(
        model: LumpedModel<'a, S>,
        accumulate: Accumulate,
        c: S,
        logits: &[S],
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        let mut run = Self::from_zero(model, accumulate, memory)?;
        check_length("logits", run.logits.len(), logits.len())?;
        run.c = c;
        let (mut from, mut to) = (logits, &mut *run.logits);
        for class in model.classes {
            let levels = class.counts.len();
            if let (Some(from), Some(to)) =
                (split_off(&mut from, levels), split_off_mut(&mut to, levels))
            {
                let last = from.last().copied().unwrap_or(c);
                for (slot, &logit) in to.iter_mut().zip(from) {
                    *slot = logit - last;
                }
                if let Some(slot) = to.last_mut() {
                    *slot = c.zero();
                }
            }
        }
        Ok(run)
    }

    /// What the run is determined by.
    pub fn model(&self) -> &LumpedModel<'a, S> {
        &self.model
    }

    /// c, with W_V = c V* (C1 in the paper).
    pub fn c(&self) -> S {
        self.c
    }

    /// The logits, one for every level of every class, relative to the last of their class.
    pub fn logits(&self) -> &[S] {
        self.logits
    }

    /// One step of gradient descent.
    pub fn step(&mut self) {
        let increment = self.model.increments(self.c, self.logits, self.scores, self.increments);
        self.accumulate.add(&mut self.c, &mut self.c_carry, increment);
        let slots = self.logits.iter_mut().zip(self.carries.iter_mut());
        for ((logit, carry), &increment) in slots.zip(self.increments.iter()) {
            self.accumulate.add(logit, carry, increment);
        }
    }

    /// The quantities of Theorem 3.1 now.
    pub fn quantities(&mut self) -> Quantities<S> {
        self.model.quantities(self.c, self.logits, self.scores, self.increments)
    }

    /// `c s − s*` now, one for every level of every class, see
    /// [`output_errors`](LumpedModel::output_errors).
    pub fn output_errors(&mut self) -> &[S] {
        self.model.output_errors(self.c, self.logits, self.scores, self.increments);
        self.increments
    }

    /// The scores now: the softmax of the logits, one for every level of every class.
    pub fn scores(&mut self) -> &[S] {
        self.columns().for_each(drop);
        self.scores
    }

    /// How the columns of S lie to those of S* now, class by class.
    pub fn columns(&mut self) -> impl Iterator<Item = Alignment<S>> {
        let (context, mut logits, mut scores) = (self.c, &*self.logits, &mut *self.scores);
        self.model.classes.iter().map_while(move |class| {
            let levels = class.counts.len();
            let (z, s) = (split_off(&mut logits, levels)?, split_off_mut(&mut scores, levels)?);
            Some(column(class, context, z, s))
        })
    }

    /// C1, C2 and C3 of the paper, `W_V = C1 V*` and `W_KQ = C2 Σ_{in} p pᵀ − C3 Σ_{out} p pᵀ`, for
    /// γ = 1 and τ = κ^{−1/2}; only a single class with a group and tokens outside of it has them.
    /// From a given state, W_KQ is taken to have the column sums 0 that it has from zero.
    pub fn coefficients(&self) -> Option<[S; 3]> {
        let [class] = self.model.classes else { return None };
        let (&[inside, outside], &[inner, outer]) = (class.counts, class.weights) else {
            return None;
        };
        let &[gap, _] = &*self.logits else { return None };
        if !outer.is_zero() || inner.is_zero() {
            return None;
        }
        let tokens = inside + outside;
        let scale = gap / tokens / self.model.logit_gain.sqrt();
        Some([self.c, scale * outside, scale * inside])
    }
}
