//! Descent on the full matrices W_V and W_KQ, for any teacher, start and positions.

use super::accumulate::Accumulate;
use crate::error::check_length;
use crate::model::Quantities;
pub use crate::model::dense::DenseModel;
use crate::model::population::{self, Rows};
pub use crate::model::positions::Metric;
use crate::model::positions::congruence;
use crate::{Error, Scalar};

/// A dense run: its model and its state.
///
/// The state is W_V and the *logits* Z = PᵀW_KQP/τ, through which alone W_KQ acts
/// (see [`Positions`](crate::model::positions::Positions)).
#[derive(Debug)]
pub struct Dense<'a, S> {
    model: DenseModel<'a, S>,
    accumulate: Accumulate,
    value_matrix: &'a mut [S],
    value_carry: &'a mut [S],
    value_gradient: &'a mut [S],
    logits: &'a mut [S],
    logit_carry: &'a mut [S],
    logit_gradient: &'a mut [S],
    scores: &'a mut [S],
    square_scratch: &'a mut [S],
    rows: Rows<'a, S>,
}

impl<'a, S: Scalar> Dense<'a, S> {
    /// A run from W_V (M × d, row by row) and logits (D × D, one row per query).
    /// `memory` has [`DenseModel::memory`] entries, of any content.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit the teacher's shape.
    pub fn from_state(
        model: DenseModel<'a, S>,
        accumulate: Accumulate,
        value_matrix: &[S],
        logits: &[S],
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        let shape = model.teacher.shape();
        check_length("value matrix", shape.value_entries(), value_matrix.len())?;
        check_length("logits", shape.score_entries(), logits.len())?;
        let mut run = Self::from_zero(model, accumulate, memory)?;
        for (to, from) in [(&mut run.value_matrix, value_matrix), (&mut run.logits, logits)] {
            for (slot, &value) in to.iter_mut().zip(from) {
                *slot = value;
            }
        }
        run.attend();
        Ok(run)
    }

    /// A run from W_V = W_KQ = 0, whatever the rate:
    /// [`stability`](crate::theory::stability) tells which are stable. `memory` has [`DenseModel::memory`] entries, of any content.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit the teacher's shape.
    pub fn from_zero(
        model: DenseModel<'a, S>,
        accumulate: Accumulate,
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        let shape = model.teacher.shape();
        if let Metric::Gram { gram, .. } = model.metric {
            check_length("Gram matrix", shape.score_entries(), gram.len())?;
        }
        let found = memory.len();
        check_length("memory of a dense run", model.memory(), found)?;
        memory.fill(model.rate.zero());
        let mut rest = memory;
        let mut take = |length: usize| {
            let (part, tail) = core::mem::take(&mut rest).split_at_mut_checked(length)?;
            rest = tail;
            Some(part)
        };
        let (values, squares) = (shape.value_entries(), shape.score_entries());
        let mut build = || {
            Some(Self {
                model,
                accumulate,
                value_matrix: take(values)?,
                value_carry: take(values)?,
                value_gradient: take(values)?,
                logits: take(squares)?,
                logit_carry: take(squares)?,
                logit_gradient: take(squares)?,
                scores: take(squares)?,
                square_scratch: take(squares)?,
                rows: Rows::split(
                    shape.channels,
                    take(population::gradient_scratch(shape.channels))?,
                )
                .ok()?,
            })
        };
        let mut run = build().ok_or(Error::Length {
            what: "memory of a dense run",
            expected: model.memory(),
            found,
        })?;
        run.attend();
        Ok(run)
    }

    /// What the run is determined by.
    pub fn model(&self) -> &DenseModel<'a, S> {
        &self.model
    }

    /// W_V, M × d, row by row.
    pub fn value_matrix(&self) -> &[S] {
        self.value_matrix
    }

    /// Z = PᵀW_KQP/τ, D × D, one row per query.
    pub fn logits(&self) -> &[S] {
        self.logits
    }

    /// S, the column-wise softmax of Z, D × D, one row per query.
    pub fn scores(&self) -> &[S] {
        self.scores
    }

    /// One step of gradient descent on both blocks.
    pub fn step(&mut self) {
        self.differentiate();
        let rate = self.model.rate;
        let slots = self.value_matrix.iter_mut().zip(self.value_carry.iter_mut());
        for ((weight, carry), &slope) in slots.zip(self.value_gradient.iter()) {
            self.accumulate.add(weight, carry, -(rate * slope));
        }
        let gain = match self.model.metric {
            Metric::Gain(gain) => gain,
            Metric::Gram { gram, temperature } => {
                let tokens = self.model.teacher.shape().tokens;
                congruence(rate, tokens, gram, self.logit_gradient, self.square_scratch);
                rate.one() / temperature.square()
            }
        };
        let logit_rate = rate * gain;
        let slots = self.logits.iter_mut().zip(self.logit_carry.iter_mut());
        for ((logit, carry), &slope) in slots.zip(self.logit_gradient.iter()) {
            self.accumulate.add(logit, carry, -(logit_rate * slope));
        }
        self.attend();
    }

    /// ∂L/∂W_V (M × d) and ∂L/∂Z (D × D, one row per query) now.
    pub fn gradient(&mut self) -> (&[S], &[S]) {
        self.differentiate();
        (self.value_gradient, self.logit_gradient)
    }

    /// The quantities of Theorem 3.1 now.
    pub fn quantities(&self) -> Quantities<S> {
        let context = self.model.rate;
        let teacher = &self.model.teacher;
        Quantities {
            excess_loss: population::sum_of_excess(teacher, self.value_matrix, self.scores),
            score_error: distance(context, self.scores, teacher.scores()),
            value_error: distance(context, self.value_matrix, teacher.value_matrix()),
        }
    }

    fn attend(&mut self) {
        let shape = self.model.teacher.shape();
        for (logits, scores) in shape.queries(self.logits).zip(shape.queries_mut(self.scores)) {
            S::softmax(None, logits, scores);
        }
    }

    fn differentiate(&mut self) {
        population::write_gradient(
            &self.model.teacher,
            self.value_matrix,
            self.scores,
            self.model.slope_at_zero,
            self.value_gradient,
            self.logit_gradient,
            &mut self.rows,
        );
    }
}

/// ‖a − b‖.
fn distance<S: Scalar>(context: S, a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(context.zero(), |sum, (&x, &y)| sum + (x - y).square()).norm()
}
