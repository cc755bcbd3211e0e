//! Which states stay together for ever: {0 < x ≤ x₀, ŷ in Y}, shown step by step on pieces.

use super::form::Form;
use super::refusal::Refusal;
use super::series::Series;
use crate::Scalar;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// Into how many pieces (0, x₀] is cut.
const PIECES: u32 = 256;

/// Pieces that cover \[0, top\], the last one first.
pub(super) fn pieces<F: Float>(top: F) -> impl Iterator<Item = Interval<F>> {
    let edge = move |index: u32| top * F::from_f64(f64::from(index) / f64::from(PIECES));
    (0..PIECES).rev().map(move |index| {
        // The last edge is `top` itself, and neighbours share theirs.
        Interval::new(edge(index), edge(index + 1)).unwrap_or(Interval::ENTIRE)
    })
}

/// (x − atan x)/x³ for |x| ≤ 1, even, and falling from 1/3 at 0; everything beyond.
///
/// Σ (−1)ᵏ x²ᵏ/(2k+3) alternates with falling terms: the value lies between two partial sums, less
/// than 10⁻¹⁶ apart for |x| ≤ ½.
pub(super) fn arc_excess<F: Float>(x: Interval<F>) -> Interval<F> {
    if !(x.mag() <= F::ONE) {
        return Interval::ENTIRE;
    }
    let at = |x: F| {
        let square = Interval::point(x).square();
        let mut sum = square.zero();
        let mut before = sum;
        // From the innermost bracket outwards, once with an odd and once with an even number.
        let terms = if x > F::from_f64(0.125) { 26 } else { 9 };
        for terms in [terms, terms - 1] {
            before = sum;
            sum = square.zero();
            for k in (0..terms).rev() {
                sum = square.one() / square.integer(2 * k + 3) - square * sum;
            }
        }
        before.hull(sum)
    };
    at(x.mag()).hull(at(x.mig()))
}

/// H = 1 + β̂ x³ · [`arc_excess`].
pub(super) fn bulge<F: Float>(form: &Form<Interval<F>>, x: Interval<F>) -> Interval<F> {
    form.one + form.bend * (x * x.square()) * arc_excess(x)
}

/// (1 − e^{−Δ})/Δ for Δ ≥ 0: between 1 − Δ/2 and 1 − Δ/2 + Δ²/6.
fn shrink_quotient<F: Float>(step: Interval<F>) -> Interval<F> {
    let linear = step.one() - step * step.rational(1, 2);
    linear.hull(linear + step.square() * step.rational(1, 6))
}

/// What a step does to ŷ: `ŷ′ = forcing + memory · ŷ`, where both depend weakly on ŷ.
pub(super) struct Lag<F> {
    pub(super) forcing: Interval<F>,
    pub(super) memory: Interval<F>,
}

/// The next ŷ, for x in a piece and ŷ in `lag`; `None` unless x certainly falls there.
///
/// With w = Δ/x²: `ŷ′ = e^{3Δ} [q + ŷ (1 − λ(x)) (1 + x³q)]`, q = c*′(ξ) (1−e^{−Δ})/Δ · w/c*(x′) for a ξ
/// in \[x′, x\].
pub(super) fn next_lag<F: Float>(
    form: &Form<Interval<F>>,
    x: Interval<F>,
    lag: Interval<F>,
) -> Option<Lag<F>> {
    let square = x.square();
    let pace = form.pace(x, bulge(form, x), lag * square);
    let rate = form.clock * form.one.rational(1, 2) * pace;
    let step = square * rate;
    // Not even at x = 0 may it vanish, and no comparison holds for an empty interval.
    if !(rate.lo() > F::ZERO && step.hi() <= F::ONE) {
        return None;
    }
    let next = x * (-step).exp();
    let between = next.hull(x);
    let quotient = form.optimum_slope(between, bulge(form, between)) * shrink_quotient(step) * rate
        / form.optimum(next, bulge(form, next));
    let grown = (step * step.integer(3)).exp();
    Some(Lag {
        forcing: grown * quotient,
        memory: grown * (form.one - form.pull(x)) * (form.one + x * square * quotient),
    })
}

/// Whether every state with x ≤ `top` and ŷ in `lag` has a smaller x and ŷ in `lag` after a step.
pub(super) fn check<F: Float>(
    form: &Form<Interval<F>>,
    top: F,
    lag: Interval<F>,
) -> Result<(), Refusal> {
    for x in pieces(top) {
        let stays = next_lag(form, x, lag).is_some_and(|next| {
            let image = next.forcing + next.memory * lag;
            !image.is_empty() && image.is_subset_of(lag)
        });
        if !stays {
            return Err(Refusal::NotInvariant { tangent: x.hi().to_f64() });
        }
    }
    Ok(())
}

/// A range of ŷ that [`check`] is likely to accept, around `start`.
pub(super) fn find<F: Float>(
    form: &Form<Interval<F>>,
    top: F,
    start: Interval<F>,
) -> Result<Interval<F>, Refusal> {
    let mut lag = start;
    let mut spare = 1.05;
    let mut last = Refusal::NotInvariant { tangent: top.to_f64() };
    for _ in 0..TRIALS {
        // Where ŷ would come to rest if x stood still, as a middle and a spread around it.
        let resting = pieces(top).try_fold((F::INFINITY, F::NEG_INFINITY), |(low, high), x| {
            let next = next_lag(form, x, lag).ok_or(x)?;
            let rest = (next.forcing / (form.one - next.memory)).midpoint();
            Ok((low.min(rest), high.max(rest)))
        });
        let (low, high) = resting.map_err(not_invariant)?;
        let middle = F::from_f64(0.5) * (low + high);
        let widest = pieces(top).try_fold(F::ZERO, |widest, x| {
            let next = next_lag(form, x, lag).ok_or(x)?;
            let (forcing, memory) = (next.forcing.midpoint(), next.memory.midpoint());
            let drift = (forcing + (memory - F::ONE) * middle).abs();
            let room = F::ONE - memory.abs();
            if room > F::ZERO { Ok(widest.max(drift / room)) } else { Err(x) }
        });
        let widest = widest.map_err(not_invariant)?;
        let reach = F::from_f64(spare) * widest
            + F::from_f64(spare - 1.0) * F::from_f64(0.1) * middle.abs();
        let around = Interval::new(middle - reach, middle + reach).unwrap_or(start);
        lag = around.hull(start);
        match check(form, top, lag) {
            Ok(()) => return Ok(lag),
            Err(refusal) => last = refusal,
        }
        spare = 1.0 + 1.3 * (spare - 1.0);
    }
    Err(last)
}

const TRIALS: usize = 16;

fn not_invariant<F: Float>(x: Interval<F>) -> Refusal {
    Refusal::NotInvariant { tangent: x.hi().to_f64() }
}

/// A piece as series need it.
pub(super) fn factored<F: Float>(
    form: &Form<Interval<F>>,
    x: Interval<F>,
) -> (Form<Series<F>>, Series<F>) {
    (form.map(|number| Series::constant(x, number)), Series::variable(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against (x − atan x)/x³ in the libm of the library, where that does not cancel.
    #[test]
    fn arc_excess_encloses_on_both_sides_of_zero() {
        let exact = |x: f64| if x == 0.0 { 1.0 / 3.0 } else { (x - libm::atan(x)) / (x * x * x) };
        for (lo, hi) in [(0.2, 0.3), (0.0, 0.5), (-0.04, 0.47), (-0.5, -0.2), (0.9, 1.0)] {
            let range = arc_excess(Interval::new(lo, hi).unwrap());
            for part in 0..=10 {
                let x: f64 = lo + (hi - lo) * f64::from(part) / 10.0;
                let value = exact(if x.abs() < 1e-3 { 0.0 } else { x });
                assert!(range.lo() <= value + 1e-7 && value - 1e-7 <= range.hi(), "{x}: {range:?}");
            }
            assert!(range.width() < 0.1);
        }
        let point = arc_excess(Interval::point(0.25));
        assert!((point.midpoint() - exact(0.25)).abs() < 1e-14 && point.width() < 1e-15);
        assert!(arc_excess(Interval::new(0.5, 1.5).unwrap()).is_entire());
    }

    #[test]
    fn shrinking_is_bounded_by_two_parabolas() {
        for step in [1e-9_f64, 1e-3, 0.3, 1.0] {
            let range = shrink_quotient(Interval::point(step));
            let exact = -libm::expm1(-step) / step;
            assert!(range.lo() <= exact && exact <= range.hi(), "{step}");
        }
    }
}
