//! Claims about formulas, by name.

use alloc::string::String;
use alloc::vec::Vec;

use super::exact::{Judge, Verdict};
use super::program::Slope;
use crate::Error;
use crate::scalar::symbolic::Expr;

/// A claim that some formulas are 0, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What is claimed.
    pub name: String,
    /// How many formulas it is about.
    pub formulas: usize,
    /// The worst verdict on any of them.
    pub verdict: Verdict,
    /// The number of distinct operations in the largest of them.
    pub operations: usize,
    /// The largest number of terms in the proof.
    pub terms: usize,
}

impl Claim {
    /// Judges the claim that all of these formulas are 0.
    pub fn judge<'a>(
        judge: &mut Judge<'a>,
        name: impl Into<String>,
        formulas: impl IntoIterator<Item = Expr<'a>>,
    ) -> Self {
        let mut claim = Self {
            name: name.into(),
            formulas: 0,
            // Of nothing, nothing is proven.
            verdict: Verdict::Undecided,
            operations: 0,
            terms: 0,
        };
        for formula in formulas {
            let (verdict, terms) = judge.zero(formula);
            claim.formulas += 1;
            claim.operations = claim.operations.max(formula.node_count());
            claim.terms = claim.terms.max(terms);
            if claim.formulas == 1 {
                claim.verdict = verdict;
            }
            claim.verdict = match (claim.verdict, verdict) {
                (refuted @ Verdict::Refuted { .. }, _) => refuted,
                (_, verdict @ Verdict::Refuted { .. }) => verdict,
                (Verdict::Proven, verdict) => verdict,
                (undecided, _) => undecided,
            };
        }
        claim
    }
}

/// Whether there are claims and every one is proven.
#[must_use]
pub fn all_proven(claims: &[Claim]) -> bool {
    !claims.is_empty() && claims.iter().all(|claim| claim.verdict == Verdict::Proven)
}

/// Judges claims for a slope, and those that stay open for every slope at once: what is proven for
/// every slope is proven for this one.
///
/// Very large and very small slopes make sums look like 0, and then the normal form says nothing.
pub(super) fn with_any_slope(
    slope: Slope,
    judged: impl Fn(Slope) -> Result<Vec<Claim>, Error>,
) -> Result<Vec<Claim>, Error> {
    let mut claims = judged(slope)?;
    let open = |claim: &Claim| claim.verdict == Verdict::Undecided;
    if slope.is_generic() && claims.iter().any(open) {
        for claim in judged(Slope::Symbol)? {
            let same = claims.iter_mut().find(|known| open(known) && known.name == claim.name);
            if let (Some(known), Verdict::Proven) = (same, claim.verdict) {
                *known = claim;
            }
        }
    }
    Ok(claims)
}

/// a − b for each pair.
pub(super) fn differences<'a>(a: &[Expr<'a>], b: &[Expr<'a>]) -> Vec<Expr<'a>> {
    a.iter().zip(b).map(|(&a, &b)| a - b).collect()
}
