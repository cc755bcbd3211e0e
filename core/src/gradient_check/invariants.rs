//! What the paper's argument needs of every step, proven for symbolic states.

use alloc::vec;
use alloc::vec::Vec;

use super::claim::{Claim, differences, with_any_slope};
use super::exact::Judge;
use super::program::{Case, Coded, Encodings, Gradient, Inputs, Program, Slope};
use crate::Error;
use crate::descent::accumulate::Accumulate;
use crate::descent::lumped::{Lumped, LumpedModel};
use crate::model::activation::Activation;
use crate::model::classes::{Class, TwoLevel};
use crate::model::teacher::Shape;
use crate::scalar::Scalar;
use crate::scalar::symbolic::{Arena, Expr};

/// Proves or refutes the invariants of notes 1 and 2 for these sizes and this slope, positions
/// being the identity.
///
/// # Errors
/// [`Error::Empty`] if a size is 0.
pub fn check(shape: Shape, slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    with_any_slope(slope, |slope| of_slope(shape, slope, seed))
}

fn of_slope(shape: Shape, slope: Slope, seed: u64) -> Result<Vec<Claim>, Error> {
    let arena = Arena::new();
    let mut judge = Judge::new(&arena, seed);
    for name in ["tau", "D", "K", "v", "eta", "kappa", "scale"] {
        judge.assume_positive(name);
    }
    let case = Case { shape, slope, encodings: Encodings::Identity };
    let inputs = case.inputs(|name| arena.symbol(name));
    let state = State { loss: Coded.loss(&inputs)?, gradient: Coded.gradient(&inputs)?, inputs };
    let mut claims = vec![Claim::judge(
        &mut judge,
        "columns of the logit gradient sum to 0",
        state.column_sums(),
    )];
    if shape.features >= 2 {
        let formulas = state.rotation(arena.symbol("theta"))?;
        claims.push(Claim::judge(&mut judge, "rotating features changes nothing", formulas));
    }
    if shape.tokens >= 2 {
        let formulas = state.permutation()?;
        claims.push(Claim::judge(&mut judge, "permuting tokens changes nothing", formulas));
    }
    let (rows, forces) = proportional(&case, &arena)?;
    claims.push(Claim::judge(&mut judge, "W_V = cV* stays a multiple of V*", rows));
    if shape.tokens >= 2 {
        let name = "tokens of equal weight keep equal logits";
        claims.push(Claim::judge(&mut judge, name, forces));
    }
    let first = first_step(&case, &arena)?;
    claims.push(Claim::judge(&mut judge, "the first step from zero", first));
    let coefficients = coefficients(&arena, slope)?;
    claims.push(Claim::judge(&mut judge, "C2 and C3 as in the paper", coefficients));
    let kernel = kernel(&arena, slope);
    claims.push(Claim::judge(&mut judge, "the kernel of the activation", kernel));
    let norms = norm_and_gain(&arena, slope);
    claims.push(Claim::judge(&mut judge, "norm and gain act through their product", norms));
    Ok(claims)
}

/// A symbolic state with its loss and gradient.
struct State<'a> {
    inputs: Inputs<Expr<'a>>,
    loss: Expr<'a>,
    gradient: Gradient<Expr<'a>>,
}

impl<'a> State<'a> {
    fn column_sums(&self) -> Vec<Expr<'a>> {
        let tokens = self.inputs.shape.tokens;
        let zero = self.loss.zero();
        let of_column = |column: usize| {
            let entries = self.gradient.key_query.iter().skip(column).step_by(tokens.max(1));
            entries.fold(zero, |sum, &entry| sum + entry)
        };
        (0..tokens).map(of_column).collect()
    }

    /// The first two features are rotated by the angle.
    fn rotation(&self, angle: Expr<'a>) -> Result<Vec<Expr<'a>>, Error> {
        let (cosine, sine) = (angle.cos(), angle.sin());
        let features = self.inputs.shape.features;
        let rotated = |values: &[Expr<'a>]| {
            let mut values = values.to_vec();
            for row in values.chunks_exact_mut(features.max(1)) {
                if let [x, y, ..] = row {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
            }
            values
        };
        let inputs = Inputs {
            value_matrix: rotated(&self.inputs.value_matrix),
            teacher_values: rotated(&self.inputs.teacher_values),
            ..self.inputs.clone()
        };
        let gradient = Coded.gradient(&inputs)?;
        let mut formulas = vec![Coded.loss(&inputs)? - self.loss];
        formulas.extend(differences(&gradient.value_matrix, &rotated(&self.gradient.value_matrix)));
        formulas.extend(differences(&gradient.key_query, &self.gradient.key_query));
        Ok(formulas)
    }

    /// Tokens move on by one place, in rows and columns.
    fn permutation(&self) -> Result<Vec<Expr<'a>>, Error> {
        let tokens = self.inputs.shape.tokens;
        let permuted = |matrix: &[Expr<'a>]| -> Vec<Expr<'a>> {
            let from = |place: usize| (place + 1) % tokens.max(1);
            (0..matrix.len())
                .filter_map(|at| {
                    let (row, column) = (at / tokens.max(1), at % tokens.max(1));
                    matrix.get(from(row) * tokens + from(column)).copied()
                })
                .collect()
        };
        let inputs = Inputs {
            key_query: permuted(&self.inputs.key_query),
            teacher_scores: permuted(&self.inputs.teacher_scores),
            ..self.inputs.clone()
        };
        let gradient = Coded.gradient(&inputs)?;
        let mut formulas = vec![Coded.loss(&inputs)? - self.loss];
        formulas.extend(differences(&gradient.value_matrix, &self.gradient.value_matrix));
        formulas.extend(differences(&gradient.key_query, &permuted(&self.gradient.key_query)));
        Ok(formulas)
    }
}

/// At W_V = cV*, with equal logits where weights are equal (those of the first two tokens of each
/// query): the minors of gradient and V*, and the differences of forces on these tokens.
fn proportional<'a>(
    case: &Case,
    arena: &'a Arena,
) -> Result<(Vec<Expr<'a>>, Vec<Expr<'a>>), Error> {
    let tokens = case.shape.tokens;
    let mut inputs = case.inputs(|name| arena.symbol(name));
    let c = arena.symbol("c");
    inputs.value_matrix = inputs.teacher_values.iter().map(|&v| c * v).collect();
    for row in inputs.teacher_scores.chunks_exact_mut(tokens.max(1)) {
        if let [first, second, ..] = row {
            *second = *first;
        }
    }
    // Row i of W_KQ holds token i of every query.
    if let (Some(first), true) = (inputs.key_query.get(..tokens).map(<[_]>::to_vec), tokens > 1) {
        for (slot, value) in inputs.key_query.iter_mut().skip(tokens).zip(first) {
            *slot = value;
        }
    }
    let gradient = Coded.gradient(&inputs)?;
    let values = &inputs.teacher_values;
    let mut rows = Vec::new();
    if let (Some(&slope), Some(&v)) = (gradient.value_matrix.first(), values.first()) {
        let others = gradient.value_matrix.iter().zip(values);
        rows.extend(others.map(|(&other_slope, &other)| slope * other - other_slope * v));
    }
    let forces = gradient.key_query.iter().zip(gradient.key_query.iter().skip(tokens));
    let forces = forces.take(tokens).map(|(&a, &b)| a - b).collect();
    Ok((rows, forces))
}

/// From zero, `∂L/∂W_V = −σ′(0) α Σ_j ⟨s_j, s*_j⟩ V*` with s_j uniform and σ′(0) = 1, and
/// `∂L/∂W_KQ = 0`.
fn first_step<'a>(case: &Case, arena: &'a Arena) -> Result<Vec<Expr<'a>>, Error> {
    let mut inputs = case.inputs(|name| arena.symbol(name));
    let zero = inputs.temperature.zero();
    inputs.value_matrix.fill(zero);
    inputs.key_query.fill(zero);
    let gradient = Coded.gradient(&inputs)?;
    let tokens = zero.integer(i64::try_from(case.shape.tokens).unwrap_or(i64::MAX));
    let overlap = inputs.teacher_scores.iter().fold(zero, |sum, &weight| sum + weight) / tokens;
    let alpha = (zero.one() + inputs.slope) * zero.rational(1, 2);
    let mut formulas: Vec<Expr<'a>> = gradient
        .value_matrix
        .iter()
        .zip(&inputs.teacher_values)
        .map(|(&slope, &v)| slope + alpha * overlap * v)
        .collect();
    formulas.extend(gradient.key_query);
    Ok(formulas)
}

/// `K C2 = (D − K) C3`, `C1 = c`, and the score in the group is
/// `1/(K + (D−K) e^{−(C2+C3)√κ})`; there are none where tokens outside of the group have weight.
fn coefficients(arena: &Arena, slope: Slope) -> Result<Vec<Expr<'_>>, Error> {
    let symbol = |name: &str| arena.symbol(name);
    let (tokens, group, gap) = (symbol("D"), symbol("K"), symbol("delta"));
    let (one, c) = (gap.one(), symbol("c"));
    let two_level = TwoLevel::new(tokens, group);
    let outside = tokens - group;
    let mut formulas = match coefficients_of(two_level.class(), slope, c, gap)? {
        (Some([c1, c2, c3]), Some(inside)) => {
            let exponent = (c2 + c3) * symbol("kappa").sqrt();
            let score = one / (group + outside * (-exponent).exp());
            vec![c1 - c, group * c2 - outside * c3, inside - score]
        }
        // They must be there: 1 is not 0.
        _ => vec![one],
    };
    let (counts, weights) = ([group, outside], [symbol("w1"), symbol("w2")]);
    let weighted = Class { columns: tokens, counts: &counts, weights: &weights };
    let (found, _) = coefficients_of(weighted, slope, c, gap)?;
    formulas.push(if found.is_none() { one.zero() } else { one });
    Ok(formulas)
}

/// C1, C2 and C3 of a state of one class, if there are such, and its first score.
fn coefficients_of<'a>(
    class: Class<'_, Expr<'a>>,
    slope: Slope,
    c: Expr<'a>,
    gap: Expr<'a>,
) -> Result<(Option<[Expr<'a>; 3]>, Option<Expr<'a>>), Error> {
    let symbol = |name: &str| c.arena().symbol(name);
    let classes = [class];
    let model = two_level_model(slope, &classes, symbol("v"), symbol("kappa"), symbol("eta"));
    let mut memory = vec![gap; model.memory()];
    let state = [gap, gap.zero()];
    let mut run = Lumped::from_state(model, Accumulate::Plain, c, &state, &mut memory)?;
    Ok((run.coefficients(), run.scores().first().copied()))
}

/// α = (1+s)/2, g = (1+s²)/2, b = (1−s)²/(2π); κ̂(0) = g, κ̂(π/2) = b, `dκ̂/dθ = −pull sin θ`, and the gap
/// is g − κ̂ (note 1). Loss and gradient would agree for any other α and β, too.
fn kernel(arena: &Arena, slope: Slope) -> Vec<Expr<'_>> {
    let [angle, x, y] = ["theta", "x", "y"].map(|name| arena.symbol(name));
    let (zero, one) = (x.zero(), x.one());
    let slope = slope_of(slope, x);
    let activation = Activation::leaky_relu(slope);
    let half = one.rational(1, 2);
    let kernel = activation.kernel(angle);
    let direction = y.atan2(x);
    vec![
        activation.slope() - slope,
        activation.linear() - (one + slope) * half,
        activation.gain() - (one + slope.square()) * half,
        activation.bend() - (one - slope).square() * half / one.pi(),
        activation.kernel(zero) - activation.gain(),
        activation.kernel(x.exp().atan2(zero)) - activation.bend(),
        kernel.derivative("theta") + activation.pull(angle) * angle.sin(),
        activation.gap(y, x) + activation.kernel(direction) - activation.gain(),
        Activation::identity(x).slope() - one,
        Activation::relu(x).slope(),
        Activation::absolute_value(x).slope() + one,
    ]
}

/// The step does not change if the norm is multiplied and κ divided by its square.
fn norm_and_gain(arena: &Arena, slope: Slope) -> Vec<Expr<'_>> {
    let symbol = |name: &str| arena.symbol(name);
    let (norm, gain, scale) = (symbol("v"), symbol("kappa"), symbol("scale"));
    let two_level = TwoLevel::new(symbol("D"), symbol("K"));
    let classes = [two_level.class()];
    let step = |norm, gain| {
        let model = two_level_model(slope, &classes, norm, gain, symbol("eta"));
        let logits = [symbol("delta"), norm.zero()];
        let (mut scores, mut increments) = (logits, logits);
        let of_c = model.increments(symbol("c"), &logits, &mut scores, &mut increments);
        let [of_gap, of_last] = increments;
        [of_c, of_gap, of_last]
    };
    differences(&step(norm, gain), &step(norm * scale, gain / scale.square()))
}

fn slope_of(slope: Slope, context: Expr<'_>) -> Expr<'_> {
    match slope {
        Slope::Symbol => context.arena().symbol("slope"),
        Slope::Fraction(numerator, denominator) => context.rational(numerator, denominator),
    }
}

fn two_level_model<'a, 'b>(
    slope: Slope,
    classes: &'b [Class<'b, Expr<'a>>],
    teacher_norm: Expr<'a>,
    logit_gain: Expr<'a>,
    rate: Expr<'a>,
) -> LumpedModel<'b, Expr<'a>> {
    LumpedModel {
        activation: Activation::leaky_relu(slope_of(slope, rate)),
        classes,
        teacher_norm,
        logit_gain,
        rate,
        slope_at_zero: rate.one(),
    }
}
