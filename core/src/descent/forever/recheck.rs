//! A second way from one enclosed state of a two-level run to a later one: what a certificate is
//! checked with.
//!
//! It shares neither formulas nor coordinates with the [enclosure](crate::descent::enclosure) of
//! general runs: the step is that of [`form`](super::form) in (y, δ), c = c*(1 + y), boxes are not
//! skew, and radii grow by |J| entry by entry, which stays sharp for every λ < 2 in these
//! coordinates.

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
const ROOM: (f64, f64) = (16.0, 1.0 / 64.0);

/// y = c/c* − 1 and δ, each a centre with a radius; of δ also what rounding took from the centre.
struct State<F> {
    lead: F,
    gap: F,
    carry: F,
    radius: [F; 2],
    /// Where the derivatives hold: bounds on |∂(y′, δ′ − δ)/∂(y, δ)|, the diagonal with its signs.
    domain: Option<([Interval<F>; 2], [[Interval<F>; 2]; 2])>,
}

impl<F: Float> State<F> {
    fn new(form: &Form<Interval<F>>, from: Checkpoint<F>) -> Self {
        let lead = from.c / optimum(form, from.gap) - form.one;
        let around = |x: Interval<F>| (x - Interval::point(x.midpoint())).magnitude();
        Self {
            lead: lead.midpoint(),
            gap: from.gap.midpoint(),
            carry: F::ZERO,
            radius: [around(lead), around(from.gap)],
            domain: None,
        }
    }

    fn lead(&self) -> Interval<F> {
        Interval::point(self.lead) + ball(self.radius[0])
    }

    fn gap(&self) -> Interval<F> {
        Interval::point(self.gap) + Interval::point(self.carry) + ball(self.radius[1])
    }

    fn step(&mut self, form: &Form<Interval<F>>) {
        // For c ≤ 0 the step has another form.
        if !(self.lead().lo() > -F::ONE) {
            self.radius = [F::INFINITY; 2];
        }
        let (lead, advance) = step(form, Interval::point(self.lead), Interval::point(self.gap));
        let derivatives = self.derivatives(form, (lead, advance));
        let [[by_lead, by_gap], [advance_by_lead, advance_by_gap]] = derivatives;
        let [lead_radius, gap_radius] = self.radius.map(ball);
        let carry = Interval::point(self.carry);

        let advance = advance + carry;
        let middle = advance.midpoint();
        let lead_error = lead - Interval::point(lead.midpoint())
            + by_lead * lead_radius
            + by_gap * (gap_radius + carry);
        let gap_error = advance - Interval::point(middle)
            + advance_by_lead * lead_radius
            + advance_by_gap * carry
            + (form.one + advance_by_gap) * gap_radius;
        self.radius = [lead_error.magnitude(), gap_error.magnitude()];
        self.lead = lead.midpoint();
        (self.gap, self.carry) = self.gap.two_sum(middle);
    }

    /// Derivatives of (y′, δ′ − δ) on a box around the state, with room for some steps like this one.
    fn derivatives(
        &mut self,
        form: &Form<Interval<F>>,
        (lead, advance): (Interval<F>, Interval<F>),
    ) -> [[Interval<F>; 2]; 2] {
        let now = [self.lead(), self.gap()];
        if let Some((domain, derivatives)) = self.domain {
            if now.iter().zip(domain).all(|(now, domain)| now.is_subset_of(domain)) {
                return derivatives;
            }
        }
        let moved = [(lead - Interval::point(self.lead)).magnitude(), advance.magnitude()];
        let mut domain = now;
        for (side, moved) in domain.iter_mut().zip(moved) {
            let room = (F::from_f64(ROOM.0) * moved).min(F::from_f64(ROOM.1));
            *side = *side + ball(room + side.width());
        }
        let [lead, gap] = domain;
        let (lead, advance) = step(
            &form.map(Dual::constant),
            Dual::<_, 2>::variable(lead, 0),
            Dual::variable(gap, 1),
        );
        let derivatives = [lead.derivative, advance.derivative];
        self.domain = Some((domain, derivatives));
        derivatives
    }
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
