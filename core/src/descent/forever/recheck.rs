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
        if step % 4096 == 0 && !pause(step) {
            return Ok(None);
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
fn step<T: Scalar>(form: &Form<T>, lead: T, gap: T) -> (T, T) {
    let x = form.ratio * (-gap).exp();
    let advance =
        form.clock * form.one.rational(1, 2) * x.square() * form.pace(x, bulge(form, x), lead / x);
    let next = x * (-advance).exp();
    let kept = form.one + (form.one - form.pull(x)) * lead;
    let ratio = form.optimum(x, bulge(form, x)) / form.optimum(next, bulge(form, next));
    (ratio * kept - form.one, advance)
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
