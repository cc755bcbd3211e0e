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

use super::Quantities;
use super::accumulate::Accumulate;
use crate::error::check_length;
use crate::model::activation::Activation;
use crate::model::alignment::Alignment;
use crate::model::classes::Class;
use crate::{Error, Scalar};

/// Everything that a lumped run is determined by, but its state.
#[derive(Clone, Copy, Debug)]
pub struct LumpedModel<'a, S> {
    /// σ.
    pub activation: Activation<S>,
    /// The classes of columns of S*.
    pub classes: &'a [Class<'a, S>],
    /// ‖V*‖_F.
    pub teacher_norm: S,
    /// κ = γ²/τ², for positions with PᵀP = γI and temperature τ (1/D in the paper).
    pub logit_gain: S,
    /// η.
    pub rate: S,
    /// σ′(0), used only where W_V = 0.
    pub slope_at_zero: S,
}

impl<'a, S: Scalar> LumpedModel<'a, S> {
    /// The number of logits of a state: one for every level of every class.
    pub fn levels(&self) -> usize {
        self.classes.iter().map(|class| class.counts.len()).sum()
    }

    /// How many scalars of memory a [`Lumped`] run asks for.
    pub fn memory(&self) -> usize {
        self.levels().saturating_mul(4)
    }

    /// Whether there is a class, and every class has a weight for every count.
    ///
    /// # Errors
    /// [`Error::Empty`] and [`Error::Length`].
    pub fn check(&self) -> Result<(), Error> {
        if self.classes.is_empty() {
            return Err(Error::Empty { what: "classes" });
        }
        for class in self.classes {
            if class.counts.is_empty() {
                return Err(Error::Empty { what: "levels of a class" });
            }
            check_length("weights of a class", class.counts.len(), class.weights.len())?;
        }
        Ok(())
    }

    /// What one step adds: returns the increment of c, and writes those of the logits.
    ///
    /// `logits`, `scores` and `increments` have one entry a level, class after class; `scores`
    /// receives the softmax. Logits count relative to the last level of their class, whose own
    /// increment is 0. Entries beyond the shortest slice are left alone.
    ///
    /// With `Ḡ = gc‖s‖² − pull⟨s, w⟩ − b‖s ∧ w‖` (times c, per v²) and the force
    /// `F = s_ℓ(G_ℓ − Ḡ)`: `c ← c − η Σ n Ḡ/c`, `z_ℓ ← z_ℓ − ηκv² F_ℓ`.
    pub fn increments(&self, c: S, logits: &[S], scores: &mut [S], increments: &mut [S]) -> S {
        let gain = self.activation.gain();
        let bend = self.activation.bend();
        let logit_rate = self.rate * self.logit_gain * self.teacher_norm.square();
        let mut slope_of_c = c.zero();
        let (mut logits, mut scores, mut increments) = (logits, scores, increments);
        for class in self.classes {
            let levels = class.counts.len();
            let (Some(z), Some(s), Some(force)) = (
                split_off(&mut logits, levels),
                split_off_mut(&mut scores, levels),
                split_off_mut(&mut increments, levels),
            ) else {
                break;
            };
            let column = column(class, c, z, s);
            let sign = c.sign();
            // The angle is that of c s to s*: turned around where c < 0.
            let (pull, bent) = if c.is_zero() {
                (self.activation.linear() * self.slope_at_zero, c.zero())
            } else {
                (self.activation.pull(column.wedge.atan2(column.inner * sign)), bend * sign)
            };
            // ∂L/∂c of one column, per v²; its product with c is the mean Ḡ of the forces.
            let length = column.own.square();
            let slope = c * gain * length - pull * column.inner - bent * column.wedge;
            slope_of_c = slope_of_c + class.columns * slope;

            let mean = c * slope;
            let stay = c * (gain * c - bent * column.wedge / length);
            for ((f, &s), &w) in force.iter_mut().zip(s.iter()).zip(class.weights) {
                // For a level of weight 0 nothing cancels here.
                *f = s * (stay * s - c * pull * w - mean);
            }
            recentre(class, force);
            if let Some((last, others)) = force.split_last_mut() {
                for f in others {
                    *f = -(logit_rate * (*f - *last));
                }
                *last = c.zero();
            }
        }
        -(self.rate * slope_of_c)
    }

    /// The quantities of Theorem 3.1 in a state; `scores` and `scratch` have one entry a level.
    pub fn quantities(
        &self,
        c: S,
        logits: &[S],
        scores: &mut [S],
        scratch: &mut [S],
    ) -> Quantities<S> {
        let mut excess = c.zero();
        let mut square_error = c.zero();
        let (mut logits, mut scores, mut scratch) = (logits, scores, scratch);
        for class in self.classes {
            let levels = class.counts.len();
            let (Some(z), Some(s), Some(deviation)) = (
                split_off(&mut logits, levels),
                split_off_mut(&mut scores, levels),
                split_off_mut(&mut scratch, levels),
            ) else {
                break;
            };
            let column = column(class, c, z, s).scaled(c);
            excess = excess + class.columns * self.activation.half_square_distance(&column);
            for ((e, &s), &w) in deviation.iter_mut().zip(s.iter()).zip(class.weights) {
                *e = s - w;
            }
            recentre(class, deviation);
            let square = class
                .counts
                .iter()
                .zip(deviation.iter())
                .fold(c.zero(), |sum, (&count, &e)| sum + count * e.square());
            square_error = square_error + class.columns * square;
        }
        Quantities {
            excess_loss: self.teacher_norm.square() * excess,
            score_error: square_error.norm(),
            value_error: self.teacher_norm * (c - c.one()).square().norm(),
        }
    }
}

/// The scores of a class, and how its column of S lies to that of S*.
fn column<S: Scalar>(
    class: &Class<'_, S>,
    context: S,
    logits: &[S],
    scores: &mut [S],
) -> Alignment<S> {
    S::softmax(Some(class.counts), logits, scores);
    Alignment::of(context, Some(class.counts), scores, class.weights)
}

/// Restores what holds exactly, Σ m x = 0, to values whose entries on levels of positive weight
/// are small differences of large numbers: their mean is set to what the levels of zero weight,
/// which are accurate, leave for them. (A single such level is thereby determined.)
///
/// Without it a late state loses relative accuracy like 1/x², with it like 1/x, x being the
/// tangent of the angle (note 3).
fn recentre<S: Scalar>(class: &Class<'_, S>, values: &mut [S]) {
    let Some(&context) = values.first() else { return };
    let (inside, outside) = class.support(context);
    if inside.is_zero() {
        return;
    }
    let moment = |zero_weight: bool| {
        class
            .levels()
            .zip(values.iter())
            .filter(|&((_, weight), _)| weight.is_zero() == zero_weight)
            .fold(context.zero(), |sum, ((count, _), &value)| sum + count * value)
    };
    let mean = if outside.is_zero() { context.zero() } else { -(moment(true) / inside) };
    let single = class.weights.iter().filter(|weight| !weight.is_zero()).count() == 1;
    let shift = if single { context.zero() } else { mean - moment(false) / inside };
    for (value, weight) in values.iter_mut().zip(class.weights) {
        if !weight.is_zero() {
            *value = if single { mean } else { *value + shift };
        }
    }
}

/// Takes the first `length` entries off a slice.
fn split_off<'a, S>(rest: &mut &'a [S], length: usize) -> Option<&'a [S]> {
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(head)
}

/// The same, to write to.
fn split_off_mut<'a, S>(rest: &mut &'a mut [S], length: usize) -> Option<&'a mut [S]> {
    let (head, tail) = core::mem::take(rest).split_at_mut_checked(length)?;
    *rest = tail;
    Some(head)
}

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
    /// A run from W_V = W_KQ = 0. `memory` has [`LumpedModel::memory`] entries, of any content.
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
    /// differences within a class count.
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
