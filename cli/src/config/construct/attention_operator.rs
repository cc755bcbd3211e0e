//! What `popgd construct attention-operator` runs.

use serde_json::Value;

use super::super::{Arguments, echo};
use super::{check_size, in_range, shared};
use crate::construct::attention_operator::{Atoms, AttentionOperatorSettings};
use crate::construct_args::AttentionOperatorArgs;
use crate::error::Failure;

const OWN: [&str; 5] = ["features", "samples", "atoms", "prompts", "rank"];

/// Its flags, by key.
pub(super) fn flags(
    arguments: &mut Arguments,
    args: &AttentionOperatorArgs,
) -> Result<(), Failure> {
    let AttentionOperatorArgs { shared, features, samples, atoms, prompts, rank } = args;
    arguments.shared(shared)?;
    for (key, value) in
        [("features", features), ("samples", samples), ("prompts", prompts), ("rank", rank)]
    {
        arguments.text(key, value.as_deref());
    }
    arguments.path("atoms", atoms.as_deref())
}

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(arguments: &Arguments) -> Result<AttentionOperatorSettings, Failure> {
    let mut values = arguments.values()?;
    if values.has("atoms") && values.has("instances") {
        let message = "the atoms are the one instance: leave it out";
        return Err(values.fail("instances", message));
    }
    let (shared, mut echo) = shared(&mut values, "attention-operator", &OWN, 100)?;
    let atoms = match values.table("atoms")? {
        None => None,
        Some(table) => Some(read(table)?),
    };
    if let Some(given) = &atoms {
        check_size(&given.square_radius(), shared.scalar, "atoms")?;
    }
    let found = atoms.as_ref().map(|given| (given.dimension as u64, given.weights.len() as u64));
    let (own_features, own_samples) = found.unwrap_or((4, 16));
    let features = in_range(&values, "features", own_features, 1..=100)?;
    let samples = in_range(&values, "samples", own_samples, 1..=1000)?;
    for (key, wanted, own) in
        [("features", features, own_features), ("samples", samples, own_samples)]
    {
        if atoms.is_some() && wanted != own {
            let message = format!("expected {own}, as atoms has; it may be left out");
            return Err(values.fail(key, message));
        }
    }
    let prompts = in_range(&values, "prompts", 4, 0..=1000)?;
    let rank = in_range(&values, "rank", 1, 1..=features)?;
    if atoms.is_some() {
        echo.remove("instances");
    }
    echo.insert("features".into(), echo::integer(features));
    echo.insert("samples".into(), echo::integer(samples));
    if let Some(given) = &atoms {
        echo.insert("atoms".into(), given.to_json());
    }
    echo.insert("prompts".into(), echo::integer(prompts));
    echo.insert("rank".into(), echo::integer(rank));
    Ok(AttentionOperatorSettings {
        shared,
        dimension: features as usize,
        count: samples as usize,
        atoms,
        prompts: prompts as usize,
        rank: rank as usize,
        echo: Value::Object(echo),
    })
}

/// Weights and coordinates.
fn read(table: crate::data::Table) -> Result<Atoms, Failure> {
    for (row, entries) in table.rows.iter().enumerate() {
        if let Some(weight) = entries.first().filter(|weight| weight.is_negative()) {
            let message = format!("expected a weight of 0 or more, found {weight}");
            return Err(table.fail(row, 0, message));
        }
    }
    if table.rows.iter().all(|row| row.first().is_none_or(|weight| weight.is_zero())) {
        return Err(table.fail_all("all weights are 0: expected at least one that is not"));
    }
    let place = table.place.clone();
    let matrix = table.matrix()?;
    if matrix.columns < 2 {
        let message = "expected a weight and at least one coordinate a row, found weights alone";
        return Err(Failure::usage(format!("{place}: {message}")));
    }
    let rows = || matrix.entries.chunks_exact(matrix.columns);
    Ok(Atoms {
        dimension: matrix.columns - 1,
        weights: rows().map(|row| row[0].clone()).collect(),
        entries: rows().flat_map(|row| row[1..].to_vec()).collect(),
    })
}
