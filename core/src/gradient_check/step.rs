//! A dense step is descent on both blocks, though it moves logits and never sees W_KQ.

use alloc::vec;
use alloc::vec::Vec;

use super::claim::{Claim, differences, with_any_slope};
use super::exact::Judge;
use super::program::{Case, Coded, Encodings, Inputs, Program, logits, teacher};
use crate::Error;
use crate::descent::accumulate::Accumulate;
use crate::descent::dense::{Dense, DenseModel, Metric};
use crate::model::positions::Positions;
use crate::scalar::Scalar;
use crate::scalar::symbolic::{Arena, Expr};

/// Proves or refutes that a step takes W_V to `W_V − η ∂L/∂W_V` and the logits to those of
/// `W_KQ − η ∂L/∂W_KQ`, with the coded gradient.
///
/// # Errors
/// [`Error::Empty`] if a size is 0.
pub fn check(case: &Case, seed: u64) -> Result<Vec<Claim>, Error> {
    with_any_slope(case.slope, |slope| of_case(&Case { slope, ..*case }, seed))
}

fn of_case(case: &Case, seed: u64) -> Result<Vec<Claim>, Error> {
    let arena = Arena::new();
    let mut judge = Judge::new(&arena, seed);
    judge.assume_positive("tau");
    judge.assume_positive("eta");
    let inputs = case.inputs(|name| arena.symbol(name));
    let rate = arena.symbol("eta");
    let gradient = Coded.gradient(&inputs)?;
    let value_matrix = moved(rate, &inputs.value_matrix, &gradient.value_matrix);
    let key_query = moved(rate, &inputs.key_query, &gradient.key_query);
    let stepped_logits = logits(&Inputs { key_query, ..inputs.clone() })?;

    let mut gram = vec![rate; inputs.shape.score_entries()];
    let temperature = inputs.temperature;
    let metric = match (case.encodings, &inputs.positions) {
        (Encodings::General, Some(p)) => {
            Positions::General(p).gram(rate.one(), inputs.shape.tokens, &mut gram)?;
            Metric::Gram { gram: &gram, temperature }
        }
        _ => Metric::Gain(rate.one() / temperature.square()),
    };
    let model = DenseModel { teacher: teacher(&inputs)?, metric, rate, slope_at_zero: rate.one() };
    let mut memory = vec![rate; model.memory()];
    let start = logits(&inputs)?;
    let mut run =
        Dense::from_state(model, Accumulate::Plain, &inputs.value_matrix, &start, &mut memory)?;
    run.step();
    let values = differences(run.value_matrix(), &value_matrix);
    let logits = differences(run.logits(), &stepped_logits);
    Ok(vec![
        Claim::judge(&mut judge, "a dense step moves W_V against its gradient", values),
        Claim::judge(&mut judge, "a dense step moves the logits as W_KQ would", logits),
    ])
}

/// x − η g for every entry.
fn moved<'a>(rate: Expr<'a>, from: &[Expr<'a>], against: &[Expr<'a>]) -> Vec<Expr<'a>> {
    from.iter().zip(against).map(|(&x, &slope)| x - rate * slope).collect()
}
