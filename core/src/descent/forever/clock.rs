//! Two clocks that bracket every step: functions of the state, one of which never advances by more
//! than μ, the other never by less.
//!
//! `Ψ = 1/x² + 2β̂/x − 2(β̂² − e₂) ln x − (rμ/λ) x²ŷ` with `e₂ = −2 + μ/2 − r²μ/(2λ)` advances by
//! `μ (1 + x³R)` a step (note 8): constants and first two powers cancel. Since x itself falls by
//! `(μ/2) x³ W (1−e^{−Δ})/Δ`, the clock `Ψ + A x` advances by at most μ if A ≥ 2R/(W (1−e^{−Δ})/Δ)
//! in the whole region, and `Ψ − A x` by at least μ if A ≥ −2R/(…).

use super::form::Form;
use super::refusal::Refusal;
use super::region::{arc_excess, factored, pieces};
use super::series::Series;
use crate::Scalar;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// The part of Ψ beside 1/x²: coefficients of 2/x, of −2 ln x and of −x²ŷ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dial<F> {
    pub(super) root: Interval<F>,
    pub(super) logarithm: Interval<F>,
    pub(super) lag: Interval<F>,
}

impl<F: Float> Dial<F> {
    pub(super) fn new(form: &Form<Interval<F>>) -> Self {
        let half = form.one.rational(1, 2);
        let lag = form.ratio * form.clock / form.contraction;
        let second = half * form.clock - form.one.integer(2) - half * form.ratio * lag;
        Self { root: form.bend, logarithm: form.bend.square() - second, lag }
    }

    /// x² (Ψ + A x), for ŷ in `lag`.
    pub(super) fn reading_times_square(
        &self,
        x: Interval<F>,
        lag: Interval<F>,
        correction: F,
    ) -> Interval<F> {
        let two = x.integer(2);
        let square = x.square();
        x.one() + two * self.root * x - two * self.logarithm * square_times_logarithm(x)
            + x * square * Interval::point(correction)
            - self.lag * square.square() * lag
    }
}

/// x² ln x, which falls from 0 on \[0, ½\].
fn square_times_logarithm<F: Float>(x: Interval<F>) -> Interval<F> {
    let at = |x: F| {
        let point = Interval::point(x);
        if x == F::ZERO { point } else { point.square() * point.ln() }
    };
    Interval::new(at(x.hi()).lo(), at(x.lo()).hi()).unwrap_or(Interval::EMPTY)
}

/// The advance of Ψ over μ in a step, as a series in x; and W (1−e^{−Δ})/Δ.
pub(super) fn advance<F: Float>(
    form: &Form<Interval<F>>,
    x: Interval<F>,
    lag: Interval<F>,
) -> (Series<F>, Interval<F>) {
    let (series, variable) = factored(form, x);
    let constant = |value| Series::constant(x, value);
    let (one, half) = (series.one, constant(form.one.rational(1, 2)));
    let square = variable * variable;
    let lag = constant(lag);
    // H(z) for z = x (1 + …), given z/x.
    let bulge = |over_x: Interval<F>| {
        let argument = x * over_x;
        let cube = over_x * over_x.square();
        let zero = form.one.zero();
        Series::new(x, [form.one, zero, zero], form.bend * cube * arc_excess(argument))
    };
    let pace = series.pace(variable, bulge(form.one), lag * square);
    let rate = half * series.clock * pace;
    let step = square * rate;
    let zero = constant(form.one.zero());
    let shrink_quotient = (zero - step).exponential_quotient();

    // ŷ′e^{−2Δ}, as in `region`.
    let shrink = one - step * shrink_quotient;
    let next = variable * shrink;
    // Since 0 < x′ ≤ x.
    let unit = form.one.hull(form.one.zero());
    let next_over_x = shrink.value().intersection(unit);
    // ξ in [x′, x] is x less at most x − x′ = x³ (1−e^{−Δ})/Δ Δ/x².
    let gap = (shrink_quotient * rate).value();
    let between_over_x = next_over_x.hull(form.one);
    let between = {
        let zero = form.one.zero();
        Series::new(x, [zero, form.one, zero], -(gap.hull(zero)))
    };
    let quotient = series.optimum_slope(between, bulge(between_over_x)) * shrink_quotient * rate
        / series.optimum(next, bulge(next_over_x));
    let grown = one + step * step.exponential_quotient();
    let cube = variable * square;
    let next_lag =
        grown * (quotient + lag * (one - series.pull(variable)) * (one + cube * quotient));

    let dial = Dial::new(form);
    let double = step + step;
    let advance = pace * double.exponential_quotient()
        + series.bend * variable * pace * step.exponential_quotient()
        + constant(dial.logarithm) * square * pace
        - constant(dial.lag / form.clock) * square * (next_lag - lag);
    (advance, (pace * shrink_quotient).value())
}

/// Whether both clocks do what they should on (0, top] for ŷ in `lag`.
pub(super) fn check<F: Float>(
    form: &Form<Interval<F>>,
    top: F,
    lag: Interval<F>,
    upper: F,
    lower: F,
) -> Result<(), Refusal> {
    for x in pieces(top) {
        let (least, most) = corrections(form, x, lag);
        if !(most <= upper && least <= lower) {
            return Err(Refusal::ClockFails { tangent: x.hi().to_f64() });
        }
    }
    Ok(())
}

/// The smallest corrections (for the lower and the upper clock) that will do.
pub(super) fn find<F: Float>(form: &Form<Interval<F>>, top: F, lag: Interval<F>) -> (F, F) {
    pieces(top).fold((F::NEG_INFINITY, F::NEG_INFINITY), |(lower, upper), x| {
        let (least, most) = corrections(form, x, lag);
        (lower.max(least), upper.max(most))
    })
}

/// What A must not be below on a piece, for the lower and for the upper clock; NaN-free.
fn corrections<F: Float>(form: &Form<Interval<F>>, x: Interval<F>, lag: Interval<F>) -> (F, F) {
    let (advance, slowing) = advance(form, x, lag);
    let two = form.one.integer(2);
    let needed = two * advance.rest / slowing;
    if needed.is_empty() || !(slowing.lo() > F::ZERO) {
        (F::INFINITY, F::INFINITY)
    } else {
        (-needed.lo(), needed.hi())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything rests on this: the advance over μ is 1 + x³ (…), whatever ŷ is.
    #[test]
    fn constants_and_first_powers_cancel() {
        let number = Interval::point;
        for (bend, ratio, clock, contraction) in
            [(0.31, 1.7, 1e-3, 0.25), (0.0, 0.6, 0.02, 1.9), (0.63, 9.0, 1e-5, 1.2)]
        {
            let form = Form {
                one: number(1.0),
                bend: number(bend),
                ratio: number(ratio),
                clock: number(clock),
                contraction: number(contraction),
            };
            for lag in [-0.4, 0.0, 0.7] {
                let x = Interval::new(0.0, 0.05).unwrap();
                let (advance, _) = advance(&form, x, number(lag));
                let [a, b, c] = advance.coefficients();
                assert!(a.contains(1.0) && b.contains(0.0) && c.contains(0.0));
                assert!(a.width() + b.width() + c.width() < 1e-11, "{a:?} {b:?} {c:?}");
            }
        }
    }
}
