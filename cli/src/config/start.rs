//! Positions and starts: what a run begins with, and what makes it a dense one.

use std::collections::BTreeMap;

use super::scores::{Target, dense_side};
use super::tree::Kind;
use super::value_matrix::ValueMatrix;
use super::values::Values;
use crate::error::Failure;
use crate::number::{Exact, Span};
use crate::settings::{Matrix, Method, PositionSettings, StateSettings};

/// For floats PᵀP = I must hold entry by entry up to this; for intervals exactly.
const ORTHOGONALITY: f64 = 1e-12;

/// What a run begins with.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// P.
    pub(super) positions: PositionSettings,
    /// W_V(0).
    pub(super) value_matrix: Option<Matrix<Span>>,
    /// W_KQ(0).
    pub(super) key_query: Option<Matrix<Span>>,
    /// Z(0), in its place.
    pub(super) logits: Option<Matrix<Span>>,
    /// The start of a lumped run.
    pub(super) state: Option<StateSettings>,
    /// In full matrices or not.
    pub(super) method: Method,
}

impl Start {
    /// A token whose position is 0 looks at all tokens alike, whatever W_KQ is: descent cannot
    /// teach it anything else.
    fn check_positions(&self, values: &Values, target: &Target) -> Result<(), Failure> {
        let PositionSettings::General(p) = &self.positions else { return Ok(()) };
        let is_zero = |column: &usize| {
            p.entries.iter().skip(*column).step_by(p.columns.max(1)).all(Exact::is_zero)
        };
        if self.logits.is_some() {
            return Ok(());
        }
        match (0..p.columns).find(|column| is_zero(column) && !target.is_flat(*column)) {
            Some(column) => Err(values.fail(
                "p",
                format_args!(
                    "column {}, the position of token {}, is 0: its attention stays the same for \
                     all tokens, and descent cannot reach the teacher; give every token a position \
                     of its own",
                    column + 1,
                    column + 1
                ),
            )),
            None => Ok(()),
        }
    }

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
        const SQUARE: &str = "tokens × tokens";
        let square = |key: &str| {
            if !values.has(key) {
                return Ok(None);
            }
            let side = dense_side(values, target.tokens)?;
            values.spans(key, (side, side), SQUARE)
        };
        let positions = match values.table("p")? {
            Some(table) => {
                let side = dense_side(values, target.tokens)?;
                classify(table.matrix_of(side, side, SQUARE)?, values.is_rigorous())
            }
            None => PositionSettings::Identity,
        };
        let key_query = square("kq0")?;
        let logits = square("logits")?;
        let value_matrix = values.spans("w0", (v.channels, v.features), "channels × features")?;
        let method = method(values, &positions)?;
        let state = state(values, target)?;
        if state.is_some() && method == Method::Dense {
            let message = "is the start of a lumped run: start a dense one with w0 and kq0 instead";
            return Err(values.fail("state", message));
        }
        let start = Self { positions, value_matrix, key_query, logits, state, method };
        start.check_positions(values, target)?;
        Ok(start)
    }
}

/// How the run is done: as asked for, or as the rest needs it.
fn method(values: &Values, positions: &PositionSettings) -> Result<Method, Failure> {
    let needs_dense = if values.has("w0") {
        Some(("w0", "a start in full matrices"))
    } else if values.has("kq0") {
        Some(("kq0", "a start in full matrices"))
    } else if values.has("logits") {
        Some(("logits", "a start in full matrices"))
    } else if let PositionSettings::General(_) = positions {
        let what = if values.is_rigorous() {
            "positions that are not orthogonal (for intervals PᵀP = I exactly)"
        } else {
            "positions that are not orthogonal (PᵀP = I within 1e-12)"
        };
        Some(("p", what))
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

/// What is known of P. An enclosure of the run for another P, however near, is none of this one.
fn classify(matrix: Matrix, exactly: bool) -> PositionSettings {
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
    if orthogonal && (!exactly || is_orthogonal(&matrix)) {
        PositionSettings::Orthogonal(matrix)
    } else {
        PositionSettings::General(matrix)
    }
}

/// Whether PᵀP = I, in rational numbers.
fn is_orthogonal(matrix: &Matrix) -> bool {
    let side = matrix.columns;
    // Zeros cost nothing: exact orthogonal matrices are often sparse.
    let columns: Vec<BTreeMap<usize, &Exact>> = (0..side)
        .map(|column| {
            let entries = matrix.entries.iter().skip(column).step_by(side).enumerate();
            entries.filter(|(_, entry)| !entry.is_zero()).collect()
        })
        .collect();
    let product = |a: &BTreeMap<usize, &Exact>, b: &BTreeMap<usize, &Exact>| -> Exact {
        a.iter().filter_map(|(row, &x)| b.get(row).map(|&y| x * y)).sum()
    };
    // The lengths first: they give away most of what was rounded.
    columns.iter().all(|column| product(column, column) == Exact::one())
        && columns
            .iter()
            .enumerate()
            .all(|(i, a)| columns.iter().take(i).all(|b| product(a, b).is_zero()))
}

/// The start of a lumped run.
fn state(values: &Values, target: &Target) -> Result<Option<StateSettings>, Failure> {
    const KEY: &str = "state";
    let Some(given) = values.get(KEY) else { return Ok(None) };
    let fields = values.fields(KEY, &given.node, &["c", "logits"])?;
    let (Some(c), Some(logits)) = (fields.get("c"), fields.get("logits")) else { return Ok(None) };
    let c = values.span_of(c).map_err(|message| values.fail(KEY, format_args!("c: {message}")))?;
    if c.hi.is_negative() {
        let message = format!(
            "c: expected at least 0, found {}: start from a negative factor with --method dense \
             and w0",
            c.hi
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
        let logit = values.span_of(item);
        read.push(logit.map_err(|message| {
            values.fail(KEY, format_args!("logits, entry {}: {message}", index + 1))
        })?);
    }
    // The levels were sorted, and their logits go with them.
    let logits = target.order.iter().filter_map(|&from| read.get(from).cloned()).collect();
    Ok(Some(StateSettings { c, logits }))
}
