//! The exact posterior mean of λ under the prior Dirichlet(a, …, a), by dynamic programming.
//!
//! Which of the m earlier tokens produced token k is not seen; given how often each lag did, n =
//! (n_1, …, n_m), λ is Dirichlet again. So `E[λ_g | y] = (E[n_g | y] + a)/(N + m a)`, and the
//! distribution of n grows token by token as that of Pólya's urn: from n to n + e_g with a weight
//! `p_kg (n_g + a)`. There are C(N+m−1, m−1) states for N tokens of evidence (\[derived\], note 11).
//!
//! States are kept as (n_1, …, n_{m−1}), in lexicographic order among those with a sum up to N. A
//! state comes after all that lead to it, so that one array, gone through backwards, is enough.

use crate::error::check_length;
use crate::in_context::attention::{BalancedSum, balanced_sum};
use crate::in_context::mirror_descent::mixture::Mixture;
use crate::in_context::mirror_descent::transformer::to_integer;
use crate::{Error, Scalar};

/// The most states that [`mean`] takes on.
pub const MOST_STATES: usize = 1_000_000;

/// The largest order: more lags have more than [`MOST_STATES`] states for any four tokens.
const MOST_LAGS: usize = 128;

/// C(N+m−1, m−1), the number of states for N tokens of evidence and m lags; nothing beyond
/// [`MOST_STATES`], or without lags.
#[must_use]
pub fn states(order: usize, evidence: usize) -> Option<usize> {
    let dimensions = order.checked_sub(1)?;
    let count = simplex(evidence, dimensions);
    (count <= MOST_STATES && order <= MOST_LAGS).then_some(count)
}

/// The posterior mean of λ given a sequence, for the prior Dirichlet(a, …, a), to `mean` (m numbers).
/// `states` has [`states`](states()) entries.
///
/// # Errors
/// As [`Mixture::evidence`]; [`Error::TooLarge`] if there are too many states;
/// [`Error::NotPositive`] unless a is certainly positive; [`Error::Length`] for slices that do not
/// fit; [`Error::NotFinite`] if all weights vanish below the smallest number.
pub fn mean<S: Scalar>(
    mixture: &Mixture<'_, S>,
    tokens: &[usize],
    concentration: S,
    mean: &mut [S],
    states: &mut [S],
) -> Result<(), Error> {
    let evidence = mixture.evidence(tokens)?;
    let order = mixture.order();
    let too_large = Error::TooLarge { what: "states of the posterior", most: MOST_STATES };
    let count = self::states(order, evidence).ok_or(too_large)?;
    check_length("states of the posterior", count, states.len())?;
    check_length("posterior mean", order, mean.len())?;
    let a = concentration;
    if a.is_zero() || !a.is_number() || !(a.sign() - a.one()).is_zero() {
        return Err(Error::NotPositive { what: "concentration of the prior" });
    }
    let zero = a.zero();
    let urn = Urn { order, evidence, concentration: a };

    states.fill(zero);
    if let Some(first) = states.first_mut() {
        *first = a.one();
    }
    let mut seen = [zero; MOST_LAGS];
    for step in 0..evidence {
        for (slot, p) in seen.iter_mut().zip(mixture.seen(tokens, order.saturating_add(step))) {
            *slot = p;
        }
        urn.grow(step, seen.get(..order).unwrap_or(&[]), states);
        // Neither very likely nor very unlikely sequences leave the range. An enclosure of the total
        // would double the width of all with every token.
        let total = balanced_sum(zero, states.iter().copied()).detached();
        for state in states.iter_mut() {
            *state = *state / total;
        }
    }

    let total = balanced_sum(zero, states.iter().copied());
    let whole = a.integer(to_integer(evidence)) + a.integer(to_integer(order)) * a;
    for (lag, slot) in mean.iter_mut().enumerate() {
        *slot = (urn.expected(lag, states) / total + a) / whole;
        if !slot.is_number() {
            return Err(Error::NotFinite { what: "posterior mean" });
        }
    }
    Ok(())
}

/// Counts of m lags, and the prior they start from.
struct Urn<S> {
    order: usize,
    evidence: usize,
    concentration: S,
}

impl<S: Scalar> Urn<S> {
    /// From the distribution of counts after `step` tokens to that after one more, up to a factor.
    fn grow(&self, step: usize, seen: &[S], states: &mut [S]) {
        let a = self.concentration;
        let weight = |count: usize, lag: usize| {
            let p = seen.get(lag).copied().unwrap_or(a);
            p * (a.integer(to_integer(count)) + a)
        };
        let last = self.order.saturating_sub(1);
        let reach = step.saturating_add(1);
        self.backwards(reach, |row| {
            for n in (0..=row.longest).rev() {
                let at = row.start.saturating_add(n);
                let before = |back: usize| at.checked_sub(back).and_then(|from| states.get(from));
                // From the same place: the last lag, whose count is what is left, gained one.
                let left = reach.saturating_sub(row.sum).saturating_sub(n);
                let mut sum = a.zero();
                if let (Some(left), Some(&state)) = (left.checked_sub(1), before(0)) {
                    sum = sum + state * weight(left, last);
                }
                for (lag, &count) in row.counts.iter().enumerate() {
                    let Some(less) = count.checked_sub(1) else { continue };
                    let back = row.back.get(lag).copied().unwrap_or(0);
                    if let Some(&state) = before(back) {
                        sum = sum + state * weight(less, lag);
                    }
                }
                // Along the row itself; with a single lag there is none.
                if let (Some(less), Some(&state), true) = (n.checked_sub(1), before(1), last > 0) {
                    sum = sum + state * weight(less, last.saturating_sub(1));
                }
                if let Some(slot) = states.get_mut(at) {
                    *slot = sum;
                }
            }
        });
    }

    /// Σ of states times the count of a lag.
    fn expected(&self, lag: usize, states: &[S]) -> S {
        let a = self.concentration;
        let last = self.order.saturating_sub(1);
        let mut sum = BalancedSum::new(a.zero());
        self.backwards(self.evidence, |row| {
            for n in 0..=row.longest {
                let count = if lag == last {
                    self.evidence.saturating_sub(row.sum).saturating_sub(n)
                } else if lag.saturating_add(1) == last {
                    n
                } else {
                    row.counts.get(lag).copied().unwrap_or(0)
                };
                if let Some(&state) = states.get(row.start.saturating_add(n)) {
                    sum.add(state * a.integer(to_integer(count)));
                }
            }
        });
        sum.total().unwrap_or(a)
    }

    /// Calls `visit` for every row of states whose counts sum to at most `reach`, backwards.
    fn backwards(&self, reach: usize, mut visit: impl FnMut(&Row<'_>)) {
        let dimensions = self.order.saturating_sub(1);
        // All counts but the one along the row.
        let heads = dimensions.saturating_sub(1).min(MOST_LAGS);
        let (mut all_counts, mut all_back) = ([0_usize; MOST_LAGS], [0_usize; MOST_LAGS]);
        let Some(counts) = all_counts.get_mut(..heads) else { return };
        let Some(back) = all_back.get_mut(..heads) else { return };
        if let Some(first) = counts.first_mut() {
            *first = reach;
        }
        loop {
            let sum = counts.iter().fold(0_usize, |sum, &count| sum.saturating_add(count));
            let start = self.rank(dimensions, counts, heads);
            for lag in 0..heads {
                if counts.get(lag).is_some_and(|&count| count > 0) {
                    let earlier = self.rank(dimensions, counts, lag);
                    if let Some(slot) = back.get_mut(lag) {
                        *slot = start.saturating_sub(earlier);
                    }
                }
            }
            // With a single lag the only state is the empty tuple.
            let longest = if dimensions == 0 { 0 } else { reach.saturating_sub(sum) };
            visit(&Row { start, sum, longest, counts, back });
            // The tuple before: the last positive count loses one, what is behind it gets the most.
            let Some(at) = counts.iter().rposition(|&count| count > 0) else { return };
            let mut room = reach;
            for (lag, slot) in counts.iter_mut().enumerate() {
                if lag == at {
                    *slot = slot.saturating_sub(1);
                }
                if lag == at.saturating_add(1) {
                    *slot = room;
                }
                room = room.saturating_sub(*slot);
            }
        }
    }

    /// How many tuples come before that of these counts, followed by 0; one less of the count
    /// `reduced`, if there is such.
    fn rank(&self, dimensions: usize, counts: &[usize], reduced: usize) -> usize {
        let (mut room, mut before) = (self.evidence, 0_usize);
        for (lag, &count) in counts.iter().enumerate() {
            let count = if lag == reduced { count.saturating_sub(1) } else { count };
            // Those with a smaller count here: all that fit, less those with this count or more.
            let behind = dimensions.saturating_sub(lag);
            let rest = room.saturating_sub(count);
            let fewer = simplex(room, behind).saturating_sub(simplex(rest, behind));
            before = before.saturating_add(fewer);
            room = rest;
        }
        before
    }
}

/// A run of neighbouring states that differ in the count of the last lag but one.
struct Row<'r> {
    /// Where that count is 0.
    start: usize,
    /// The sum of the other counts.
    sum: usize,
    /// The largest such count that is reached.
    longest: usize,
    /// The other counts.
    counts: &'r [usize],
    /// How far back the state is in which one of them is less by one.
    back: &'r [usize],
}

/// C(n + d, d), the number of tuples of d counts that sum to at most n; the largest number if it is
/// larger.
fn simplex(n: usize, dimensions: usize) -> usize {
    let mut count = 1_u128;
    for k in 1..=dimensions.min(MOST_LAGS) {
        let factor = (n as u128).saturating_add(k as u128);
        count = count.saturating_mul(factor).checked_div(k as u128).unwrap_or(u128::MAX);
        if count > u128::from(u64::MAX) {
            return usize::MAX;
        }
    }
    usize::try_from(count).unwrap_or(usize::MAX)
}
