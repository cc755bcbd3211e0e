//! Whether a rate converges: refused on the formula, because a run beyond its limit can look
//! converged for millions of steps.

use super::scores::Target;
use super::training::{gain, shown};
use super::value_matrix::ValueMatrix;
use super::values::Values;
use crate::error::{Failure, Warning};
use crate::number::Exact;
use crate::plan;
use crate::settings::{Matrix, Method, ModelSettings, PositionSettings, ScalarKind};

/// From so many steps on plain sums lose increments, in `f32` and in `f64`.
const STALLS: (u64, u64) = (300_000, 100_000_000_000_000);

/// The rates from which on descent does not converge; none where nothing limits it.
struct Limits {
    lumped: Option<Exact>,
    dense: Option<Exact>,
    /// Whether both come from formulas.
    exact: bool,
}

/// The default rate where positive weights differ within a column: they couple c and the logits,
/// and the formula 0.25/(g Σ‖s*‖²) may be beyond what converges.
///
/// # Errors
/// If the model does not hang together.
pub(super) fn temper_default_rate(
    model: &mut ModelSettings,
    target: &Target,
) -> Result<(), Failure> {
    if target.is_uniform() {
        return Ok(());
    }
    let computed = plan::limits(model)?;
    let limit = computed.lumped.min(computed.dense);
    if limit.is_finite() && limit > 0.0 && model.rate.to_f64() > 0.25 * limit {
        // Three digits, rounded down: short enough to be typed again.
        let text = format!("{:.2e}", 0.249 * limit);
        model.rate = text.parse().unwrap_or_else(|_| model.rate.clone());
    }
    Ok(())
}

/// Refuses rates at which descent does not converge, and says what else is doubtful.
///
/// # Errors
/// A rate beyond the limit of the method.
pub(super) fn check(
    values: &Values,
    model: &ModelSettings,
    target: &Target,
    v: &ValueMatrix,
) -> Result<Vec<Warning>, Failure> {
    let mut warnings = Vec::new();
    if let Some(limits) = limits(model, target, v)? {
        let reaches =
            |limit: &Option<Exact>| limit.as_ref().is_some_and(|limit| model.rate >= *limit);
        let (own, formula) = match model.method {
            Method::Lumped => (&limits.lumped, "2/(g Σ‖s*‖²) = "),
            Method::Dense if reaches(&limits.lumped) => (&limits.lumped, "2/(g Σ‖s*‖²) = "),
            Method::Dense if target.group.is_some() => {
                (&limits.dense, "of a dense run, 2K²/(gκ‖V*‖²) = ")
            }
            Method::Dense => (&limits.dense, "of a dense run, "),
        };
        if let Some(limit) = own.as_ref().filter(|_| reaches(own)) {
            let formula = match (limits.exact, model.method) {
                (true, _) => formula,
                (false, Method::Lumped) => "for these weights, ",
                (false, Method::Dense) => "of a dense run, ",
            };
            let rate = shown(&model.rate);
            let found = if values.has("rate") { rate } else { format!("the default, {rate},") };
            let message = format!(
                "{found} is not below the stability limit {formula}{}: descent would not \
                 converge; choose a smaller one, such as --rate {}",
                shown(limit),
                suggestion(limit)
            );
            return Err(values.fail("rate", message));
        }
        if let Some(limit) = limits.dense.as_ref().filter(|_| reaches(&limits.dense)) {
            let rate = shown(&model.rate);
            warnings.push(Warning::BeyondDenseLimit { rate, limit: limit.to_f64() });
        }
    }
    let (most, name) = match model.scalar {
        ScalarKind::F32 => (STALLS.0, "f32"),
        ScalarKind::F64 => (STALLS.1, "f64"),
        ScalarKind::Interval32 | ScalarKind::Interval64 => (u64::MAX, "intervals"),
    };
    if !model.compensated && model.steps > most {
        warnings.push(Warning::Stalls { steps: model.steps, scalar: name });
    }
    Ok(warnings)
}

/// The limits of a model, or nothing if its rate is certainly below all of them.
///
/// The curvature at the optimum is that along W_V, `g Σ‖s*‖²`, and that along the logits, at most
/// `gκ‖V*‖²‖Γ‖²` times the largest weight; together they are at most their sum. Where no
/// positive weights differ within a column they do not couple, and a lumped run does not see the
/// second one, so that both limits are known exactly; otherwise they are computed.
fn limits(
    model: &ModelSettings,
    target: &Target,
    v: &ValueMatrix,
) -> Result<Option<Limits>, Failure> {
    let gain = gain(&model.slope);
    let along_values = &gain * &target.square_norm();
    let gram_bound = match model.dense.as_ref().map(|dense| &dense.positions) {
        Some(PositionSettings::General(p)) => Some(square_norm_bound(p)),
        _ => None,
    };
    let per_weight = &(&gain * &model.logit_gain) * &v.square_norm();
    let stretch = gram_bound.as_ref().map_or_else(Exact::one, Exact::square);
    let along_logits = &(&per_weight * &stretch) * &target.largest_weight();
    let two = Exact::integer(2);
    if &model.rate * &(&along_values + &along_logits) < two {
        return Ok(None);
    }
    let value_limit = two.checked_div(&along_values);
    if target.is_uniform() && gram_bound.is_none() {
        let within = two.checked_div(&(&per_weight * &target.shared_weight().square()));
        let dense = smaller(value_limit.clone(), within);
        return Ok(Some(Limits { lumped: value_limit, dense, exact: true }));
    }
    let computed = plan::limits(model)?;
    // A curvature that overflows leaves no rate.
    let float = |limit: f64| {
        if limit == f64::INFINITY {
            None
        } else {
            Some(Exact::from_f64(limit).unwrap_or_else(Exact::zero))
        }
    };
    let lumped = smaller(value_limit, float(computed.lumped));
    let dense = smaller(lumped.clone(), float(computed.dense));
    Ok(Some(Limits { lumped, dense, exact: false }))
}

fn smaller(a: Option<Exact>, b: Option<Exact>) -> Option<Exact> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A bound for ‖Γ‖ = ‖P‖²: the product of the largest sums of a row and of a column.
fn square_norm_bound(p: &Matrix) -> Exact {
    let largest = |sums: Vec<Exact>| sums.into_iter().max().unwrap_or_else(Exact::zero);
    let rows = p.entries.chunks(p.columns.max(1)).map(|row| row.iter().map(Exact::abs).sum());
    let columns = (0..p.columns)
        .map(|at| p.entries.iter().skip(at).step_by(p.columns.max(1)).map(Exact::abs).sum());
    &largest(rows.collect()) * &largest(columns.collect())
}

/// A quarter of a limit, short enough to type.
fn suggestion(limit: &Exact) -> String {
    format!("{:.1e}", limit.to_f64() / 4.0)
}
