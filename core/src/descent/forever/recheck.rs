//! A second way from one enclosed state of a two-level run to a later one: what a certificate is
//! checked with.
//!
//! It shares neither formulas nor coordinates with the [enclosure](crate::descent::enclosure) of
//! general runs: the step is that of [`form`](super::form) in (y, δ), c = c*(1 + y), where little is
//! left to couple the two, and matrices have two rows.

use super::form::Form;
use super::problem::Problem;
use super::refusal::Refusal;
use crate::Scalar;
use crate::model::lumped::LumpedModel;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// A state of a two-level run, enclosed.
#[derive(Clone, Copy, Debug)]
pub struct Checkpoint<F> {
    /// After how many steps.
    pub steps: u64,
    /// c.
    pub c: Interval<F>,
    /// δ, the logit in the group less that outside of it.
    pub gap: Interval<F>,
}

impl<F: Float> Checkpoint<F> {
    /// Whether it encloses all that `other` does, after the same number of steps.
    pub fn contains(&self, other: &Self) -> bool {
        let holds =
            |outer: Interval<F>, inner: Interval<F>| !inner.is_empty() && inner.is_subset_of(outer);
        self.steps == other.steps && holds(self.c, other.c) && holds(self.gap, other.gap)
    }
}

/// The state after the first step from W_V = W_KQ = 0, where c = ηασ′(0) and δ = 0.
///
/// # Errors
/// [`Refusal`], if the model is not a stable two-level one.
pub fn after_first_step<F: Float>(
    model: &LumpedModel<'_, Interval<F>>,
) -> Result<Checkpoint<F>, Refusal> {
    let problem = Problem::of(model)?;
    Ok(Checkpoint { steps: 1, c: problem.first_factor, gap: problem.gain.zero() })
}

/// Carries a state to a later step; `pause` is called now and then with the step that was reached,
/// and ends it early if it returns false (the result is then `None`).
///
/// # Errors
/// [`Refusal`], if the model is not a stable two-level one, or c not certainly positive.
pub fn carry<F: Float>(
    model: &LumpedModel<'_, Interval<F>>,
    from: Checkpoint<F>,
    steps: u64,
    mut pause: impl FnMut(u64) -> bool,
) -> Result<Option<Checkpoint<F>>, Refusal> {
    let form = Problem::of(model)?.form;
    if !(from.c.lo() > F::ZERO && from.c.is_common() && from.gap.is_common()) {
        return Err(Refusal::FactorNotPositive);
    }
    let mut state = State::new(&form, from);
    for step in from.steps..steps {
        if step % 4096 == 0 {
            if !pause(step) {
                return Ok(None);
            }
            if !state.radius.iter().all(|radius| radius.is_finite()) {
                // It will not become narrower again.
                return Ok(Some(Checkpoint { steps, c: Interval::ENTIRE, gap: Interval::ENTIRE }));
            }
        }
        state.step(&form);
    }
    let gap = state.gap();
    Ok(Some(Checkpoint { steps, c: optimum(&form, gap) * (form.one + state.lead()), gap }))
}

/// Derivatives are enclosed with room for so many steps, but at most for so much.
const ROOM: (f64, f64) = (16.0, 1.0 / 2048.0);

/// A matrix of two rows.
type Square<F> = [[Interval<F>; 2]; 2];

/// y = c/c* − 1 and δ: a centre, of whose δ it is known what rounding took, and around it
/// `(y, δ) = (b₁ + m b₂, n b₁ + b₂)` with |bᵢ| ≤ rᵢ.
struct State<F> {
    lead: F,
    gap: F,
    carry: F,
    /// m and n.
    skew: [F; 2],
    radius: [F; 2],
    linear: Option<Linear<F>>,
}

/// How errors spread, for states in a box.
#[derive(Clone, Copy)]
struct Linear<F> {
    domain: [Interval<F>; 2],
    /// Of (y′, δ′ − δ).
    derivatives: Square<F>,
    /// A⁻¹ J A, with J the derivative of (y′, δ′).
    transport: Square<F>,
    /// A⁻¹.
    inverse: Square<F>,
}

impl<F: Float> State<F> {
    fn new(form: &Form<Interval<F>>, from: Checkpoint<F>) -> Self {
        let lead = from.c / optimum(form, from.gap) - form.one;
        let around = |x: Interval<F>| (x - Interval::point(x.midpoint())).magnitude();
        Self {
            lead: lead.midpoint(),
            gap: from.gap.midpoint(),
            carry: F::ZERO,
            skew: [F::ZERO; 2],
            radius: [around(lead), around(from.gap)],
            linear: None,
        }
    }

    fn lead(&self) -> Interval<F> {
        let [b, slow] = self.radius.map(ball);
        Interval::point(self.lead) + b + Interval::point(self.skew[0]) * slow
    }

    fn gap(&self) -> Interval<F> {
        let [fast, b] = self.radius.map(ball);
        let centre = Interval::point(self.gap) + Interval::point(self.carry);
        centre + b + Interval::point(self.skew[1]) * fast
    }

    fn step(&mut self, form: &Form<Interval<F>>) {
        // For c ≤ 0 the step has another form.
        if !(self.lead().lo() > -F::ONE) {
            self.radius = [F::INFINITY; 2];
        }
        let (lead, advance) = step(form, Interval::point(self.lead), Interval::point(self.gap));
        let linear = self.linear(form, (lead, advance));
        let [[_, lead_by_gap], [_, advance_by_gap]] = linear.derivatives;
        let carry = Interval::point(self.carry);
        let advance = advance + carry;
        let (next, middle) = (lead.midpoint(), advance.midpoint());
        let rounding = [
            lead - Interval::point(next) + lead_by_gap * carry,
            advance - Interval::point(middle) + advance_by_gap * carry,
        ];
        // A⁻¹ (J A b + rounding).
        let b = self.radius.map(ball);
        let (spread, rounded) = (times(linear.transport, b), times(linear.inverse, rounding));
        self.radius = [(spread[0] + rounded[0]).magnitude(), (spread[1] + rounded[1]).magnitude()];
        self.lead = next;
        (self.gap, self.carry) = self.gap.two_sum(middle);
    }

    /// How errors spread around this state, evaluated with room for some steps like this one.
    fn linear(
        &mut self,
        form: &Form<Interval<F>>,
        (lead, advance): (Interval<F>, Interval<F>),
    ) -> Linear<F> {
        let now = [self.lead(), self.gap()];
        if let Some(linear) = self.linear {
            if now.iter().zip(linear.domain).all(|(now, domain)| now.is_subset_of(domain)) {
                return linear;
            }
        }
        let moved = [(lead - Interval::point(self.lead)).magnitude(), advance.magnitude()];
        let mut domain = now;
        for (side, moved) in domain.iter_mut().zip(moved) {
            let room = (F::from_f64(ROOM.0) * moved).min(F::from_f64(ROOM.1));
            *side = *side + ball(room + side.width());
        }
        let (lead, advance) = {
            let [lead, gap] = domain;
            let (lead, gap) = (Dual::<_, 2>::variable(lead, 0), Dual::variable(gap, 1));
            step(&form.map(Dual::constant), lead, gap)
        };
        let derivatives = [lead.derivative, advance.derivative];
        self.turn(derivatives);
        let axes = skewed(self.skew);
        let inverse = inverted(axes);
        let transport = product(inverse, product(with_identity(derivatives), axes));
        let linear = Linear { domain, derivatives, transport, inverse };
        self.linear = Some(linear);
        linear
    }

    /// Takes as axes, roughly, the eigenvectors (1, n) and (m, 1), in which y and δ do not disturb
    /// each other.
    fn turn(&mut self, derivatives: Square<F>) {
        let [[p, q], [s, t]] = with_identity(derivatives).map(|row| row.map(Interval::midpoint));
        let mut skew = [F::ZERO; 2];
        for _ in 0..4 {
            skew = [q / (t + s * skew[0] - p), s / (p + q * skew[1] - t)];
        }
        if !(skew.iter().all(|x| x.abs() < F::ONE)) {
            skew = [F::ZERO; 2];
        }
        let change = product(inverted(skewed(skew)), skewed(self.skew));
        self.radius = times(change, self.radius.map(ball)).map(Interval::magnitude);
        self.skew = skew;
    }
}

/// [[1, m], [n, 1]].
fn skewed<F: Float>([m, n]: [F; 2]) -> Square<F> {
    let one = Interval::point(F::ONE);
    [[one, Interval::point(m)], [Interval::point(n), one]]
}

fn inverted<F: Float>([[a, b], [c, d]]: Square<F>) -> Square<F> {
    let determinant = a * d - b * c;
    [[d / determinant, -b / determinant], [-c / determinant, a / determinant]]
}

fn product<F: Float>(left: Square<F>, [[a, b], [c, d]]: Square<F>) -> Square<F> {
    left.map(|[x, y]| [x * a + y * c, x * b + y * d])
}

fn times<F: Float>(matrix: Square<F>, [a, b]: [Interval<F>; 2]) -> [Interval<F>; 2] {
    matrix.map(|[x, y]| x * a + y * b)
}

/// From (y′, δ′ − δ) to (y′, δ′).
fn with_identity<F: Float>([first, [s, t]]: Square<F>) -> Square<F> {
    [first, [s, t.one() + t]]
}

/// One step of (y, δ): y′, and by how much δ grows.
///
/// `y′ = e + (1 − λ(x)) y (1 + e)` with `e = (c*(x) − c*(x′))/c*(x′)`. Written out, all terms of e have
/// the factor x − x′, so that nothing large cancels.
fn step<T: Lost>(form: &Form<T>, lead: T, gap: T) -> (T, T) {
    let Form { one, bend, ratio, .. } = *form;
    let x = ratio * (-gap).exp();
    let own_bulge = bulge(form, x);
    let advance = form.clock * one.rational(1, 2) * x.square() * form.pace(x, own_bulge, lead / x);
    let fall = x * advance.lost();
    let next = x - fall;
    let next_bulge = bulge(form, next);
    // atan x − atan x′ = atan((x − x′)/(1 + xx′)).
    let quotient = fall / (one + x * next);
    let bulge_falls = bend * (fall - quotient.atan2(one));
    let (stretch, reach) = (one + x.square(), one + ratio * x);
    let numerator_falls = reach * bulge_falls + ratio * fall * next_bulge;
    let optimum_falls = (numerator_falls * stretch - reach * own_bulge * fall * (x + next))
        / (stretch * (one + next.square()));
    let excess = optimum_falls / form.optimum(next, next_bulge);
    (excess + (one - form.pull(x)) * lead * (one + excess), advance)
}

/// 1 − e⁻ˣ, without cancellation.
trait Lost: Scalar {
    fn lost(self) -> Self;
}

impl<F: Float> Lost for Interval<F> {
    /// It grows. For 0 ≤ x ≤ 1/8 partial sums of `x (1 − x/2 (1 − x/3 (1 − …)))` alternate around it.
    fn lost(self) -> Self {
        let at = |x: F| {
            let point = Self::point(x);
            if !(x >= F::ZERO && x <= F::from_f64(0.125)) {
                return point.one() - (-point).exp();
            }
            let terms: u8 = match x {
                x if x < F::from_f64(4e-6) => 3,
                x if x < F::from_f64(1e-4) => 5,
                _ => 14,
            };
            let sum = |terms: u8| {
                let inner = (2..=terms).rev().fold(point.one(), |sum, k| {
                    point.one() - point * sum / Self::point(F::from_f64(f64::from(k)))
                });
                point * inner
            };
            sum(terms).hull(sum(terms + 1))
        };
        if self.is_empty() || !self.is_bounded() {
            return Self::ENTIRE;
        }
        if self.is_singleton() { at(self.lo()) } else { at(self.lo()).hull(at(self.hi())) }
    }
}

impl<F: Float> Lost for Dual<Interval<F>, 2> {
    fn lost(self) -> Self {
        let slope = (-self.value).exp();
        Self { value: self.value.lost(), derivative: self.derivative.map(|d| slope * d) }
    }
}

/// H, for x of any size.
fn bulge<T: Scalar>(form: &Form<T>, x: T) -> T {
    form.one + form.bend * (x - x.atan2(form.one))
}

/// c* at a gap.
fn optimum<F: Float>(form: &Form<Interval<F>>, gap: Interval<F>) -> Interval<F> {
    let x = form.ratio * (-gap).exp();
    form.optimum(x, bulge(form, x))
}

/// \[−r, r\]; everything if r is no number.
fn ball<F: Float>(radius: F) -> Interval<F> {
    Interval::new(-radius, radius).unwrap_or(Interval::ENTIRE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_enclosed_tightly() {
        for x in [0.0, 1e-300, 1e-12, 3.9e-6, 4.1e-6, 9e-5, 1.1e-4, 0.01, 0.125, 0.13, 2.0, -0.5] {
            let found = Interval::point(x).lost();
            let expected = -libm::expm1(-x);
            let slack = 3e-16 * expected.abs();
            assert!(found.lo() - slack <= expected && expected <= found.hi() + slack, "{x}");
            assert!(found.width() <= 1e-14 * expected.abs(), "{x}: {found:?}");
        }
    }
}
