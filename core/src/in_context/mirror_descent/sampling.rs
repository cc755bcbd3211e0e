//! Sequences of the mixture, drawn from uniform random numbers of the caller's: whoever seeds them
//! decides what is drawn, on any machine alike.

use crate::Error;
use crate::error::check_length;
use crate::in_context::mirror_descent::mixture::Mixture;

/// Draws λ (or a row of π) uniformly from the simplex, Dirichlet(1, …, 1), as exponential variables
/// over their sum. `uniform` gives numbers in \[0, 1).
pub fn uniform_distribution(weights: &mut [f64], mut uniform: impl FnMut() -> f64) {
    let mut sum = 0.0;
    for slot in weights.iter_mut() {
        *slot = -libm::log1p(-uniform());
        sum += *slot;
    }
    let even = 1.0 / weights.len() as f64;
    for slot in weights.iter_mut() {
        *slot = if sum > 0.0 { *slot / sum } else { even };
    }
}

/// Draws a sequence: its first m tokens uniformly, every further one by a lag, chosen by λ, and the
/// row of π at the token so far back.
///
/// # Errors
/// [`Error::Length`] unless λ has m entries, [`Error::TooFew`] unless there is room for m tokens.
pub fn sequence(
    mixture: &Mixture<'_, f64>,
    weights: &[f64],
    tokens: &mut [usize],
    mut uniform: impl FnMut() -> f64,
) -> Result<(), Error> {
    let (order, alphabet) = (mixture.order(), mixture.alphabet());
    check_length("weights of the mixture", order, weights.len())?;
    if tokens.len() < order {
        let (least, found) = (order, tokens.len());
        return Err(Error::TooFew { what: "tokens of a sequence", least, found });
    }
    for position in 0..tokens.len() {
        let drawn = if position < order {
            let place = (uniform() * alphabet as f64) as usize;
            place.min(alphabet.saturating_sub(1))
        } else {
            let lag = choose(weights.iter().copied(), uniform()).saturating_add(1);
            let from =
                position.checked_sub(lag).and_then(|at| tokens.get(at)).copied().unwrap_or(0);
            let row = mixture.transitions().chunks_exact(alphabet.max(1)).nth(from).unwrap_or(&[]);
            choose(row.iter().copied(), uniform())
        };
        if let Some(slot) = tokens.get_mut(position) {
            *slot = drawn;
        }
    }
    Ok(())
}

/// The index that a number in \[0, 1) falls to; one of probability 0 never is.
fn choose(probabilities: impl Iterator<Item = f64>, mut at: f64) -> usize {
    let mut chosen = 0;
    for (index, p) in probabilities.enumerate() {
        if p > 0.0 {
            chosen = index;
            if at < p {
                break;
            }
            at -= p;
        }
    }
    chosen
}
