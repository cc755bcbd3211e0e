//! The loss on few scalars: one factor c for all of W_V, and one logit a level.
//!
//! From a start that shares the teacher's symmetries all rows of W_V stay `c v*_m`, and logits of
//! tokens with equal target weight stay equal (note 2): loss, gradient and step then cost no more
//! for many tokens, channels or features than for few.

use super::Quantities;
use super::activation::Activation;
use super::alignment::Alignment;
use super::classes::Class;
use crate::error::check_length;
use crate::scalar::float::Float;
use crate::slices::{split_off, split_off_mut};
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

    /// How many scalars of memory a [`Lumped`](crate::descent::lumped::Lumped) run asks for.
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

    /// The same model over another scalar. `numbers` has two entries a level, `classes` one entry
    /// a class, of any content.
    ///
    /// # Errors
    /// [`Error::Length`] for either, and what [`check`](Self::check) finds.
    pub fn mapped<'b, T: Scalar>(
        &self,
        map: impl Fn(S) -> T,
        numbers: &'b mut [T],
        classes: &'b mut [Class<'b, T>],
    ) -> Result<LumpedModel<'b, T>, Error> {
        self.check()?;
        check_length("numbers of a model", self.levels().saturating_mul(2), numbers.len())?;
        check_length("classes of a model", self.classes.len(), classes.len())?;
        let mut rest = numbers;
        for (class, slot) in self.classes.iter().zip(classes.iter_mut()) {
            let levels = class.counts.len();
            let (Some(counts), Some(weights)) =
                (split_off_mut(&mut rest, levels), split_off_mut(&mut rest, levels))
            else {
                break;
            };
            for (to, &from) in counts.iter_mut().zip(class.counts) {
                *to = map(from);
            }
            for (to, &from) in weights.iter_mut().zip(class.weights) {
                *to = map(from);
            }
            *slot = Class { columns: map(class.columns), counts, weights };
        }
        Ok(LumpedModel {
            activation: Activation::leaky_relu(map(self.activation.slope())),
            classes,
            teacher_norm: map(self.teacher_norm),
            logit_gain: map(self.logit_gain),
            rate: map(self.rate),
            slope_at_zero: map(self.slope_at_zero),
        })
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
        let at_zero = self.activation.linear() * self.slope_at_zero;
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
            let turned = column.wedge.atan2(column.inner * sign);
            let pull = c.if_zero(at_zero, self.activation.pull(turned));
            let bent = c.if_zero(c.zero(), bend * sign);
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
            write_deviations(class, s, deviation);
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

    /// `c s − s*` on every level of every class: what the outputs of student and teacher differ by
    /// before σ, see [`Errors::Lumped`](crate::theory::moments::Errors). All slices have one entry a
    /// level; entries beyond the shortest are left alone.
    pub fn output_errors(&self, c: S, logits: &[S], scores: &mut [S], errors: &mut [S]) {
        let ahead = c - c.one();
        let (mut logits, mut scores, mut errors) = (logits, scores, errors);
        for class in self.classes {
            let levels = class.counts.len();
            let (Some(z), Some(s), Some(error)) = (
                split_off(&mut logits, levels),
                split_off_mut(&mut scores, levels),
                split_off_mut(&mut errors, levels),
            ) else {
                break;
            };
            S::softmax(Some(class.counts), z, s);
            write_deviations(class, s, error);
            for (e, &w) in error.iter_mut().zip(class.weights) {
                *e = ahead * w + c * *e;
            }
        }
    }
}

impl<F: Float> LumpedModel<'_, F> {
    /// Whether the model is one of a column-stochastic S*: what [`check`](Self::check) asks, and
    /// counts > 0, weights ≥ 0, Σ m w = 1 up to rounding, as many tokens in every class as columns
    /// in all; κ, η and ‖V*‖ positive and finite.
    ///
    /// Formulas rely on it without looking: the deviations of scores and the forces on logits
    /// are centred with the help of Σ m w = 1 (note 3).
    ///
    /// # Errors
    /// [`Error::NotStochastic`], [`Error::NotSquare`], [`Error::NotPositive`], and those of
    /// [`check`](Self::check).
    pub fn validate(&self) -> Result<(), Error> {
        self.check()?;
        for (what, value) in [
            ("rate", self.rate),
            ("logit gain", self.logit_gain),
            ("norm of the teacher", self.teacher_norm),
        ] {
            if !(value > F::ZERO && value.is_finite()) {
                return Err(Error::NotPositive { what });
            }
        }
        let columns = self.classes.iter().fold(F::ZERO, |sum, class| sum + class.columns);
        for (index, class) in self.classes.iter().enumerate() {
            let (mut tokens, mut total) = (F::ZERO, F::ZERO);
            let mut proper = class.columns > F::ZERO;
            for (count, weight) in class.levels() {
                proper &= count > F::ZERO && weight >= F::ZERO;
                tokens = tokens + count;
                total = total + count * weight;
            }
            let tolerance = F::UNIT_ROUNDOFF * F::ONE.integer(16) * (F::ONE + tokens.sqrt());
            if !(proper && (total - F::ONE).abs() <= tolerance) {
                return Err(Error::NotStochastic { class: index });
            }
            if !((tokens - columns).abs() <= tolerance * columns) {
                return Err(Error::NotSquare { class: index });
            }
        }
        Ok(())
    }
}

/// s − w of every level, centred.
fn write_deviations<S: Scalar>(class: &Class<'_, S>, scores: &[S], deviations: &mut [S]) {
    for ((e, &s), &w) in deviations.iter_mut().zip(scores).zip(class.weights) {
        *e = s - w;
    }
    recentre(class, deviations);
}

/// The scores of a class, and how its column of S lies to that of S*.
pub(crate) fn column<S: Scalar>(
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
