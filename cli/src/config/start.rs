//! Positions and starts: what a run begins with, and what makes it a dense one.

use super::scores::{Target, dense_side};
use super::tree::Kind;
use super::value_matrix::ValueMatrix;
use super::values::Values;
use crate::error::Failure;
use crate::number::Exact;
use crate::settings::{Matrix, Method, PositionSettings, StateSettings};

/// PᵀP = I must hold entry by entry up to this.
const ORTHOGONALITY: f64 = 1e-12;

/// What a run begins with.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// P.
    pub(super) positions: PositionSettings,
    /// W_V(0).
    pub(super) value_matrix: Option<Matrix>,
    /// W_KQ(0).
    pub(super) key_query: Option<Matrix>,
    /// The start of a lumped run.
    pub(super) state: Option<StateSettings>,
    /// In full matrices or not.
    pub(super) method: Method,
}

impl Start {
    /// As given.
    ///
    /// # Errors
    /// Matrices of a wrong size, a state with c < 0 or a wrong number of logits, and a method
    /// that does not fit.
    pub(super) fn resolve(
        values: &Values,
        target: &Target,
        v: &ValueMatrix,
    ) -> Result<Self, Failure> {
        let square = |key: &str| {
            if !values.has(key) {
                return Ok(None);
            }
            let side = dense_side(values, target.tokens)?;
            let Some(table) = values.table(key)? else { return Ok(None) };
            table.matrix_of(side, side, "tokens × tokens").map(Some)
        };
        let positions = square("p")?.map_or(PositionSettings::Identity, classify);
        let key_query = square("kq0")?;
        let value_matrix = match values.table("w0")? {
            Some(table) => Some(table.matrix_of(v.channels, v.features, "channels × features")?),
            None => None,
        };
        let method = method(values, &positions)?;
        let state = state(values, target)?;
        if state.is_some() && method == Method::Dense {
            let message = "is the start of a lumped run: start a dense one with w0 and kq0 instead";
            return Err(values.fail("state", message));
        }
        Ok(Self { positions, value_matrix, key_query, state, method })
    }
}

/// How the run is done: as asked for, or as the rest needs it.
fn method(values: &Values, positions: &PositionSettings) -> Result<Method, Failure> {
    let needs_dense = if values.has("w0") {
        Some(("w0", "a start in full matrices"))
    } else if values.has("kq0") {
        Some(("kq0", "a start in full matrices"))
    } else if let PositionSettings::General(_) = positions {
        Some(("p", "positions that are not orthogonal (PᵀP = I within 1e-12)"))
    } else {
        None
    };
    match (values.choice("method", &crate::cli::METHODS)?, needs_dense) {
        (Some("lumped"), Some((key, what))) => Err(values.fail(
            "method",
            format_args!("a lumped run cannot have {what}: leave out `{key}`, or use dense"),
        )),
        (Some("dense"), _) | (None, Some(_)) => Ok(Method::Dense),
        _ => Ok(Method::Lumped),
    }
}

/// What is known of P.
fn classify(matrix: Matrix) -> PositionSettings {
    let side = matrix.columns;
    let on_diagonal = |at: usize| at.is_multiple_of(side + 1);
    let (zero, one) = (Exact::zero(), Exact::one());
    let mut entries = matrix.entries.iter().enumerate();
    if entries.all(|(at, entry)| *entry == *if on_diagonal(at) { &one } else { &zero }) {
        return PositionSettings::Identity;
    }
    // By columns, which is by rows of the transposed.
    let columns: Vec<Vec<f64>> = (0..side)
        .map(|column| matrix.entries.iter().skip(column).step_by(side).map(Exact::to_f64).collect())
        .collect();
    let orthogonal = columns.iter().enumerate().all(|(i, a)| {
        columns.iter().enumerate().take(i + 1).all(|(j, b)| {
            let product: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
            (product - if i == j { 1.0 } else { 0.0 }).abs() <= ORTHOGONALITY
        })
    });
    if orthogonal {
        PositionSettings::Orthogonal(matrix)
    } else {
        PositionSettings::General(matrix)
    }
}

/// The start of a lumped run.
fn state(values: &Values, target: &Target) -> Result<Option<StateSettings>, Failure> {
    const KEY: &str = "state";
    let Some(given) = values.get(KEY) else { return Ok(None) };
    let fields = values.fields(KEY, &given.node, &["c", "logits"])?;
    let (Some(c), Some(logits)) = (fields.get("c"), fields.get("logits")) else { return Ok(None) };
    let c =
        values.number_of(c).map_err(|message| values.fail(KEY, format_args!("c: {message}")))?;
    if c.is_negative() {
        let message = format!(
            "c: expected at least 0, found {c}: descent from a negative factor ends in a bad basin"
        );
        return Err(values.fail(KEY, message));
    }
    let Kind::List(items) = &logits.kind else {
        let message = format!("logits: expected a list of numbers, found {}", logits.name());
        return Err(values.fail(KEY, message));
    };
    let expected = target.order.len();
    if items.len() != expected {
        let message = format!(
            "logits: expected {expected}, one for every level of every class, found {}",
            items.len()
        );
        return Err(values.fail(KEY, message));
    }
    let mut read = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let logit = values.number_of(item);
        read.push(logit.map_err(|message| {
            values.fail(KEY, format_args!("logits, entry {}: {message}", index + 1))
        })?);
    }
    // The levels were sorted, and their logits go with them.
    let logits = target.order.iter().filter_map(|&from| read.get(from).cloned()).collect();
    Ok(Some(StateSettings { c, logits }))
}
