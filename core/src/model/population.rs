//! The exact population loss of a student, and its gradient.
//!
//! Student `σ(W X S)` and teacher `σ(V X S*)` see the same X with independent standard Gaussian
//! entries. Entry (m, j) of their outputs depends on X through `⟨w_m ⊗ s_j, X⟩` and
//! `⟨v_m ⊗ s*_j, X⟩` only, so the loss is a sum of M·D terms in closed form (note 1).
//!
//! Domain: any finite W and V*, any S. The wedge takes fourth powers of entries, so for full
//! accuracy entries of W and V* that are not 0 should lie between 10⁻⁷⁰ and 10⁷⁰ in magnitude for
//! `f64`, between 10⁻⁸ and 10⁸ for `f32`: there nothing over- or underflows. The square of the
//! angle between a column of S and its target must not underflow either.

use super::alignment::Alignment;
use super::teacher::Teacher;
use crate::Error;
use crate::Scalar;
use crate::error::check_length;

/// `L − L_opt = ½ E ‖σ(W X S) − σ(V X S*)‖²`: what the student could still gain.
///
/// `value_matrix` is W, M × d, row by row; `scores` is S, D × D, one row per query (row j holds
/// column j of S).
///
/// # Errors
/// [`Error::Length`] if a slice does not fit the teacher's shape.
pub fn excess_loss<S: Scalar>(
    teacher: &Teacher<'_, S>,
    value_matrix: &[S],
    scores: &[S],
) -> Result<S, Error> {
    let shape = teacher.shape();
    check_length("value matrix", shape.value_entries(), value_matrix.len())?;
    check_length("scores", shape.score_entries(), scores.len())?;
    Ok(sum_of_excess(teacher, value_matrix, scores))
}

/// [`excess_loss`], for slices that are known to fit.
pub(crate) fn sum_of_excess<S: Scalar>(
    teacher: &Teacher<'_, S>,
    value_matrix: &[S],
    scores: &[S],
) -> S {
    let (shape, context) = (teacher.shape(), teacher.context());
    let mut excess = context.zero();
    for (own, target) in shape.queries(scores).zip(shape.queries(teacher.scores())) {
        let column = Alignment::of(context, None, own, target);
        for (own, target) in
            shape.channels(value_matrix).zip(shape.channels(teacher.value_matrix()))
        {
            let row = Alignment::of(context, None, own, target);
            excess = excess + teacher.activation().half_square_distance(&row.tensor(&column));
        }
    }
    excess
}

/// `L_opt = ½ E ‖E‖² = ½ M D · deviation²` for label noise of this standard deviation in every
/// entry: the part of the loss that no student can remove.
pub fn irreducible_loss<S: Scalar>(channels: S, tokens: S, deviation: S) -> S {
    channels * tokens * deviation.square() * deviation.rational(1, 2)
}

/// How many scalars of scratch [`gradient`] asks for.
pub const fn gradient_scratch(channels: usize) -> usize {
    channels.saturating_mul(8)
}

/// The gradient of the loss with respect to W and to the logits Z, S being their column-wise
/// softmax.
///
/// Shapes: `value_matrix`, `value_gradient` M × d, row by row; `scores`, `logit_gradient` D × D,
/// one row per query; `scratch` at least [`gradient_scratch`]`(M)` long (its content does not
/// matter). Where a row of W is 0 the loss has no derivative, and the gradient is what descent
/// from zero uses: the expectation with σ′(0) = `slope_at_zero` (note 1, Stein's lemma).
///
/// With `pull = g − bθ` and `drag = b ‖u ∧ u*‖/‖u‖²` the gradient of a term with respect to
/// `u = w ⊗ s` is `(g − drag) u − pull u*`.
///
/// # Errors
/// [`Error::Length`] if a slice does not fit the teacher's shape.
pub fn gradient<S: Scalar>(
    teacher: &Teacher<'_, S>,
    value_matrix: &[S],
    scores: &[S],
    slope_at_zero: S,
    value_gradient: &mut [S],
    logit_gradient: &mut [S],
    scratch: &mut [S],
) -> Result<(), Error> {
    let shape = teacher.shape();
    check_length("value matrix", shape.value_entries(), value_matrix.len())?;
    check_length("scores", shape.score_entries(), scores.len())?;
    check_length("value gradient", shape.value_entries(), value_gradient.len())?;
    check_length("logit gradient", shape.score_entries(), logit_gradient.len())?;
    let mut rows = Rows::split(shape.channels, scratch)?;
    write_gradient(
        teacher,
        value_matrix,
        scores,
        slope_at_zero,
        value_gradient,
        logit_gradient,
        &mut rows,
    );
    Ok(())
}

/// [`gradient`], for slices that are known to fit.
pub(crate) fn write_gradient<S: Scalar>(
    teacher: &Teacher<'_, S>,
    value_matrix: &[S],
    scores: &[S],
    slope_at_zero: S,
    value_gradient: &mut [S],
    logit_gradient: &mut [S],
    rows: &mut Rows<'_, S>,
) {
    let (shape, context) = (teacher.shape(), teacher.context());
    rows.align(teacher, value_matrix);

    let columns = shape.queries(scores).zip(shape.queries(teacher.scores()));
    for ((own, target), gradient) in columns.zip(shape.queries_mut(logit_gradient)) {
        let column = Alignment::of(context, None, own, target);
        let (stay, pull) = rows.add_column(teacher, slope_at_zero, &column);
        let mut mean = context.zero();
        for ((slot, &score), &goal) in gradient.iter_mut().zip(own).zip(target) {
            *slot = stay * score - pull * goal;
            mean = mean + score * *slot;
        }
        for (slot, &score) in gradient.iter_mut().zip(own) {
            *slot = score * (*slot - mean);
        }
    }

    let stays_and_pulls = rows.stay.iter().zip(rows.pull.iter());
    let own_and_target = shape.channels(value_matrix).zip(shape.channels(teacher.value_matrix()));
    for (((&stay, &pull), (own, target)), gradient) in
        stays_and_pulls.zip(own_and_target).zip(shape.channels_mut(value_gradient))
    {
        for ((slot, &weight), &goal) in gradient.iter_mut().zip(own).zip(target) {
            *slot = stay * weight - pull * goal;
        }
    }
}

/// What the gradient keeps of every row of W while it goes through the columns of S, in
/// separate slices so that angles are taken for all rows at once.
#[derive(Debug)]
pub(crate) struct Rows<'a, S> {
    own: &'a mut [S],
    target: &'a mut [S],
    inner: &'a mut [S],
    wedge: &'a mut [S],
    sine: &'a mut [S],
    cosine: &'a mut [S],
    /// Σ_j (g − drag) ‖s_j‖², the coefficient of w_m in its gradient.
    stay: &'a mut [S],
    /// Σ_j pull ⟨s_j, s*_j⟩, the coefficient of −v_m.
    pull: &'a mut [S],
}

impl<'a, S: Scalar> Rows<'a, S> {
    pub(crate) fn split(channels: usize, scratch: &'a mut [S]) -> Result<Self, Error> {
        let mut rest = scratch;
        let found = rest.len();
        let mut part = || {
            let (part, tail) = core::mem::take(&mut rest).split_at_mut_checked(channels)?;
            rest = tail;
            Some(part)
        };
        let mut parts = || {
            Some(Self {
                own: part()?,
                target: part()?,
                inner: part()?,
                wedge: part()?,
                sine: part()?,
                cosine: part()?,
                stay: part()?,
                pull: part()?,
            })
        };
        parts().ok_or(Error::Length {
            what: "gradient scratch",
            expected: gradient_scratch(channels),
            found,
        })
    }

    fn align(&mut self, teacher: &Teacher<'_, S>, value_matrix: &[S]) {
        let (shape, context) = (teacher.shape(), teacher.context());
        let lengths = self.own.iter_mut().zip(self.target.iter_mut());
        let areas = self.inner.iter_mut().zip(self.wedge.iter_mut());
        let vectors = shape.channels(value_matrix).zip(shape.channels(teacher.value_matrix()));
        for (((own, target), (inner, wedge)), (weights, goals)) in lengths.zip(areas).zip(vectors) {
            let row = Alignment::of(context, None, weights, goals);
            (*own, *target, *inner, *wedge) = (row.own, row.target, row.inner, row.wedge);
        }
        self.stay.fill(context.zero());
        self.pull.fill(context.zero());
    }

    /// Adds what column j contributes to the rows' coefficients, and returns those of s_j and
    /// −s*_j in the gradient with respect to s_j: Σ_m (g − drag) ‖w_m‖² and Σ_m pull ⟨w_m, v_m⟩.
    fn add_column(
        &mut self,
        teacher: &Teacher<'_, S>,
        slope_at_zero: S,
        column: &Alignment<S>,
    ) -> (S, S) {
        let context = teacher.context();
        let activation = teacher.activation();
        let (gain, bend) = (activation.gain(), activation.bend());
        let at_zero = activation.linear() * slope_at_zero;

        let slots = self.sine.iter_mut().zip(self.cosine.iter_mut());
        for ((sine, cosine), row) in
            slots.zip(alignments(self.own, self.target, self.inner, self.wedge))
        {
            let entry = row.tensor(column);
            (*sine, *cosine) = (entry.wedge, entry.inner);
        }
        S::atan2_slice(self.sine, self.cosine);

        let (mut stay_of_column, mut pull_of_column) = (context.zero(), context.zero());
        let rows = alignments(self.own, self.target, self.inner, self.wedge);
        let angles = self.sine.iter().zip(self.cosine.iter());
        let sums = self.stay.iter_mut().zip(self.pull.iter_mut());
        for ((Alignment { own, inner, .. }, (&wedge, &angle)), (stay_sum, pull_sum)) in
            rows.zip(angles).zip(sums)
        {
            let length = own * column.own;
            let square = length.square();
            let stay = square.if_zero(gain, gain - bend * wedge / square);
            let pull = square.if_zero(at_zero, activation.pull(angle));
            stay_of_column = stay_of_column + stay * own.square();
            pull_of_column = pull_of_column + pull * inner;
            *stay_sum = *stay_sum + stay * column.own.square();
            *pull_sum = *pull_sum + pull * column.inner;
        }
        (stay_of_column, pull_of_column)
    }
}

fn alignments<'a, S: Scalar>(
    own: &'a [S],
    target: &'a [S],
    inner: &'a [S],
    wedge: &'a [S],
) -> impl Iterator<Item = Alignment<S>> {
    let lengths = own.iter().zip(target);
    let areas = inner.iter().zip(wedge);
    lengths.zip(areas).map(|((&own, &target), (&inner, &wedge))| Alignment {
        own,
        target,
        inner,
        wedge,
    })
}
