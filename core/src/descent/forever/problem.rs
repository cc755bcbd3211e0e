//! The numbers of a two-level run, taken from its model.

use super::LATEST_START;
use super::form::Form;
use super::refusal::Refusal;
use super::region::bulge;
use crate::Scalar;
use crate::model::lumped::LumpedModel;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;
use crate::theory::rates::clock_rate;

/// A two-level run, whatever its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<F> {
    /// β̂, r, μ and λ.
    pub(super) form: Form<Interval<F>>,
    /// D.
    pub(super) tokens: Interval<F>,
    /// K.
    pub(super) group: Interval<F>,
    /// v.
    pub(super) teacher_norm: Interval<F>,
    /// g.
    pub(super) gain: Interval<F>,
    /// c after the first step from zero, `η α σ′(0)`: there Σ_j ⟨s_j, s*_j⟩ = 1.
    pub(super) first_factor: Interval<F>,
}

impl<F: Float> Problem<F> {
    pub(super) fn of(model: &LumpedModel<'_, Interval<F>>) -> Result<Self, Refusal> {
        let [class] = model.classes else { return Err(Refusal::NotTwoLevel) };
        let (inside, outside) = match (class.counts, class.weights) {
            ([_], [_]) => return Err(Refusal::Geometric),
            (&[inside, outside], &[weight, rest]) if rest.is_zero() && !weight.is_zero() => {
                (inside, outside)
            }
            _ => return Err(Refusal::NotTwoLevel),
        };
        let tokens = class.columns;
        let gain = model.activation.gain();
        let contraction = model.rate * gain * tokens / inside;
        let two = F::from_f64(2.0);
        if !(contraction.hi() < two && contraction.lo() > F::ZERO) {
            return Err(Refusal::NotStable { contraction: contraction.hi().to_f64() });
        }
        let form = Form {
            one: tokens.one(),
            bend: model.activation.bend() / gain,
            ratio: (outside / inside).sqrt(),
            clock: clock_rate(
                tokens,
                inside,
                gain,
                model.teacher_norm,
                model.logit_gain,
                model.rate,
            ),
            contraction,
        };
        Ok(Self {
            form,
            tokens,
            group: inside,
            teacher_norm: model.teacher_norm,
            gain,
            first_factor: model.rate * model.activation.linear() * model.slope_at_zero,
        })
    }

    /// x and ŷ of a state that is late enough.
    pub(super) fn late_state(
        &self,
        c: Interval<F>,
        gap: Interval<F>,
    ) -> Result<(Interval<F>, Interval<F>), Refusal> {
        let form = &self.form;
        let tangent = form.ratio * (-gap).exp();
        let limit = LATEST_START;
        if !(tangent.hi() <= F::from_f64(limit) && tangent.lo() > F::ZERO) {
            return Err(Refusal::TooEarly { tangent: tangent.hi().to_f64(), limit });
        }
        if !(c.lo() > F::ZERO) {
            return Err(Refusal::FactorNotPositive);
        }
        // κv²/K² = r²μ/(2λ).
        let (one, two) = (form.one, form.one.integer(2));
        let stiffness = form.ratio.square() * form.clock / (two * form.contraction);
        let slow = one.max(form.contraction / (two - form.contraction));
        let coupling = (tangent.square() * stiffness * slow).hi();
        if !(coupling < F::ONE) {
            return Err(Refusal::Coupling { value: coupling.to_f64() });
        }
        let optimum = form.optimum(tangent, bulge(form, tangent));
        let lag = (c - optimum) / optimum / (tangent * tangent.square());
        Ok((tangent, lag))
    }
}
