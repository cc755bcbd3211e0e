//! The descent on few scalars: its step is the gradient of its own loss, for symbolic counts,
//! weights and norm; and it is what descent on full matrices does.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::claim::{Claim, differences, with_any_slope};
use super::exact::Judge;
use super::program::Slope;
use crate::Error;
use crate::descent::accumulate::Accumulate;
use crate::descent::dense::{Dense, DenseModel, Metric};
use crate::descent::lumped::{Lumped, LumpedModel};
use crate::model::activation::Activation;
use crate::model::classes::{Class, TwoLevel};
use crate::model::teacher::{Shape, Teacher, average_pooling, token_selection};
use crate::scalar::Scalar;
use crate::scalar::symbolic::{Arena, Expr};

/// Symbols that are positive in everything below.
const POSITIVE: [&str; 6] = ["D", "K", "n", "v", "eta", "kappa"];

fn activation(slope: Slope, context: Expr<'_>) -> Activation<Expr<'_>> {
    Activation::leaky_relu(match slope {
        Slope::Symbol => context.arena().symbol("slope"),
        Slope::Fraction(numerator, denominator) => context.rational(numerator, denominator),
    })
}

/// The step of c and of the logits is the gradient of the lumped loss, in the metric that the dense
/// step induces:
/// `Δc = −(η/v²) ∂L/∂c` and `Δz_ℓ = −ηκ [∂L/∂z_ℓ/(n m_ℓ) − ∂L/∂z_last/(n m_last)]`, z counting
/// relative to the last level of the class.
///
/// For the two-level class with symbolic D and K; for a class of three levels, the last of weight
/// 0, with symbolic counts and weights; for one of two levels of any weight; and for a mixture of
/// two classes. And that the score error of three levels is what it should be, Σ m w being 1.
///
/// # Errors
/// None that can occur.
pub fn step_is_the_gradient(slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    with_any_slope(slope, |slope| families(slope, seed))
}

fn families(slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    let arena = Arena::new();
    let mut judge = Judge::new(&arena, seed);
    POSITIVE.iter().for_each(|name| judge.assume_positive(name));
    for name in ["n1", "n2", "m1", "m2", "m3", "w1", "w2"] {
        judge.assume_positive(name);
    }
    let symbol = |name: &str| arena.symbol(name);
    let (zero, one) = (symbol("c").zero(), symbol("c").one());
    let two_level = TwoLevel::new(symbol("D"), symbol("K"));
    let counts = ["m1", "m2", "m3"].map(symbol);
    let weights = [symbol("w1"), symbol("w2"), zero];
    let (pair, pair_weights) = ([symbol("m1"), symbol("m2")], [symbol("w1"), symbol("w2")]);
    let single = ([symbol("D")], [one / symbol("D")]);
    let three = Class { columns: symbol("n"), counts: &counts, weights: &weights };
    let two = Class { columns: symbol("n"), counts: &pair, weights: &pair_weights };
    let full = Class { columns: symbol("n2"), counts: &single.0, weights: &single.1 };
    let mixed = Class { columns: symbol("n1"), ..two_level.class() };
    let families: [(&str, &[Class<'_, Expr<'_>>]); 4] = [
        ("two levels, any D and K", &[two_level.class()]),
        ("three levels, one of weight 0", &[three]),
        ("two levels of any weight", &[two]),
        ("two classes", &[mixed, full]),
    ];
    let mut claims = Vec::new();
    for (family, classes) in families {
        let model = model(classes, slope, one);
        let formulas = step_less_gradient(&model, symbol("c"), symbol);
        claims.push(Claim::judge(
            &mut judge,
            format!("lumped step = gradient: {family}"),
            formulas,
        ));
    }
    // Deviations are centred with the help of Σ m w = 1.
    let [m1, m2, _] = counts;
    let proper = [symbol("w1"), (one - m1 * symbol("w1")) / m2, zero];
    let class = Class { columns: symbol("n"), counts: &counts, weights: &proper };
    let name = "score error: three levels, one of weight 0";
    claims.push(Claim::judge(&mut judge, name, [score_error(class, slope, symbol("c"))]));
    Ok(claims)
}

/// ‖S − S*‖² less `Σ n m (s − w)²`.
fn score_error<'a>(class: Class<'_, Expr<'a>>, slope: Slope, c: Expr<'a>) -> Expr<'a> {
    let symbol = |name: &str| c.arena().symbol(name);
    let classes = [class];
    let model = model(&classes, slope, c);
    let logits: Vec<Expr<'a>> =
        (0..class.counts.len()).map(|level| symbol(&format!("z{}", level + 1))).collect();
    let (mut scores, mut scratch) = (logits.clone(), logits.clone());
    let error = model.quantities(c, &logits, &mut scores, &mut scratch).score_error;
    let squares = class.levels().zip(&scores).map(|((m, w), &s)| m * (s - w).square());
    error.square() - class.columns * squares.fold(c.zero(), |sum, square| sum + square)
}

/// A model of these classes, all else being symbols.
fn model<'a, 'b>(
    classes: &'b [Class<'b, Expr<'a>>],
    slope: Slope,
    context: Expr<'a>,
) -> LumpedModel<'b, Expr<'a>> {
    let symbol = |name: &str| context.arena().symbol(name);
    LumpedModel {
        activation: activation(slope, context),
        classes,
        teacher_norm: symbol("v"),
        logit_gain: symbol("kappa"),
        rate: symbol("eta"),
        slope_at_zero: context.one(),
    }
}

/// What the step adds, less what the gradient of the loss says.
fn step_less_gradient<'a>(
    model: &LumpedModel<'_, Expr<'a>>,
    c: Expr<'a>,
    symbol: impl Fn(&str) -> Expr<'a>,
) -> Vec<Expr<'a>> {
    let levels = model.levels();
    let names: Vec<String> = (0..levels).map(|level| format!("z{}", level + 1)).collect();
    let logits: Vec<Expr<'a>> = names.iter().map(|name| symbol(name)).collect();
    let (mut scores, mut increments) = (logits.clone(), logits.clone());
    let increment_of_c = model.increments(c, &logits, &mut scores, &mut increments);
    let mut scratch = logits.clone();
    let loss = model.quantities(c, &logits, &mut scores, &mut scratch).excess_loss;

    let square = model.teacher_norm.square();
    let mut differences = vec![increment_of_c + model.rate / square * loss.derivative("c")];
    let mut level = 0;
    for class in model.classes {
        let slopes: Vec<Expr<'a>> = class
            .counts
            .iter()
            .zip(names.iter().skip(level))
            .map(|(&count, name)| loss.derivative(name) / (class.columns * count))
            .collect();
        let Some(&last) = slopes.last() else { continue };
        for (&slope, &increment) in slopes.iter().zip(increments.iter().skip(level)) {
            differences.push(increment + model.rate * model.logit_gain * (slope - last));
        }
        level += class.counts.len();
    }
    differences
}

/// From W_V = cV* and equal logits δ in the groups, 0 outside, one dense step does what the lumped
/// step says, and both have the same excess loss, ‖S − S*‖ and ‖W_V − V*‖; for D tokens in groups
/// of K, M = d = 2 and any V*. The same from zero. The teacher is token selection and, if K divides D, average pooling.
///
/// # Errors
/// [`Error::Group`] unless 1 ≤ K ≤ D.
pub fn is_dense(tokens: usize, group: usize, slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    with_any_slope(slope, |slope| of_group(tokens, group, slope, seed))
}

fn of_group(tokens: usize, group: usize, slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    let arena = Arena::new();
    let one = arena.rational(1, 1);
    let squares = tokens.saturating_mul(tokens);
    let mut selection = vec![one; squares];
    let selected: Vec<usize> = (0..group).collect();
    token_selection(one, tokens, &selected, &mut selection)?;
    let mut teachers = vec![("token selection", selection)];
    if tokens % group.max(1) == 0 {
        let mut pooling = vec![one; squares];
        average_pooling(one, tokens, group, &mut pooling)?;
        teachers.push(("average pooling", pooling));
    }
    let mut judge = Judge::new(&arena, seed);
    POSITIVE.iter().for_each(|name| judge.assume_positive(name));
    let mut claims = Vec::new();
    for (task, scores) in teachers {
        let name = format!("lumped = dense: D = {tokens}, K = {group}, {task}");
        let start = [arena.symbol("c"), arena.symbol("delta")];
        let formulas = dense_less_lumped(start, (tokens, group), slope, &scores)?;
        claims.push(Claim::judge(&mut judge, name, formulas));
        let name = format!("lumped = dense from zero: D = {tokens}, K = {group}, {task}");
        let formulas = dense_less_lumped([one.zero(); 2], (tokens, group), slope, &scores)?;
        claims.push(Claim::judge(&mut judge, name, formulas));
    }
    Ok(claims)
}

fn dense_less_lumped<'a>(
    [c, gap]: [Expr<'a>; 2],
    (tokens, group): (usize, usize),
    slope: Slope,
    teacher_scores: &[Expr<'a>],
) -> Result<Vec<Expr<'a>>, Error> {
    let shape = Shape { tokens, channels: 2, features: 2 };
    let symbol = |name: &str| c.arena().symbol(name);
    let (rate, gain, slope_at_zero) = (symbol("eta"), symbol("kappa"), symbol("slope_at_zero"));
    let (zero, one) = (c.zero(), c.one());
    let values = ["v11", "v12", "v21", "v22"].map(symbol);
    let activation = activation(slope, c);

    let start: Vec<Expr<'a>> = values.iter().map(|&v| c * v).collect();
    let logits: Vec<Expr<'a>> =
        teacher_scores.iter().map(|weight| if weight.is_zero() { zero } else { gap }).collect();
    let model = DenseModel {
        teacher: Teacher::new(shape, activation, &values, teacher_scores)?,
        metric: Metric::Gain(gain),
        rate,
        slope_at_zero,
    };
    let mut memory = vec![one; model.memory()];
    let mut dense = Dense::from_state(model, Accumulate::Plain, &start, &logits, &mut memory)?;
    let dense_before = dense.quantities();
    dense.step();

    let count = |count: usize| one.integer(i64::try_from(count).unwrap_or(i64::MAX));
    let two_level = TwoLevel::new(count(tokens), count(group));
    let classes = [two_level.class()];
    let model = LumpedModel {
        activation,
        classes: &classes,
        teacher_norm: one.dot(&values, &values).norm(),
        logit_gain: gain,
        rate,
        slope_at_zero,
    };
    let mut memory = vec![one; model.memory()];
    // Only differences of logits count.
    let shift = symbol("shift");
    let state = [gap + shift, shift];
    let state = if group == tokens { &state[..1] } else { &state };
    let mut lumped = Lumped::from_state(model, Accumulate::Plain, c, state, &mut memory)?;
    let lumped_before = lumped.quantities();
    lumped.step();

    let mut formulas = vec![
        dense_before.excess_loss - lumped_before.excess_loss,
        dense_before.score_error - lumped_before.score_error,
        dense_before.value_error - lumped_before.value_error,
    ];
    let stepped: Vec<Expr<'a>> = values.iter().map(|&v| lumped.c() * v).collect();
    formulas.extend(differences(dense.value_matrix(), &stepped));
    // Logits count up to a common shift: against the first outside the group, or in it.
    let new_gap = lumped.logits().first().copied().unwrap_or(zero);
    for (column, weights) in shape.queries(dense.logits()).zip(shape.queries(teacher_scores)) {
        let pairs = || column.iter().zip(weights);
        let reference = pairs().find(|(_, weight)| weight.is_zero()).or(pairs().next());
        let Some((&reference, _)) = reference else { continue };
        for (&logit, weight) in pairs() {
            let expected = if weight.is_zero() || group == tokens { zero } else { new_gap };
            formulas.push(logit - reference - expected);
        }
    }
    Ok(formulas)
}
