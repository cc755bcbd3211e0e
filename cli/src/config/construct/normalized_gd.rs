//! What `popgd construct normalized-gd` runs.

use serde_json::Value;

use super::super::{Arguments, echo};
use super::{check_size, in_range, shared};
use crate::construct::normalized_gd::{Labelled, NormalizedGdSettings};
use crate::construct_args::NormalizedGdArgs;
use crate::error::Failure;
use crate::number::Exact;

const OWN: [&str; 6] = ["features", "samples", "labelled", "rate", "steps", "train"];

/// Its flags, by key.
pub(super) fn flags(arguments: &mut Arguments, args: &NormalizedGdArgs) -> Result<(), Failure> {
    let NormalizedGdArgs { shared, features, samples, labelled, rate, steps, train } = args;
    arguments.shared(shared)?;
    for (key, value) in [
        ("features", features),
        ("samples", samples),
        ("rate", rate),
        ("steps", steps),
        ("train", train),
    ] {
        arguments.text(key, value.as_deref());
    }
    arguments.path("labelled", labelled.as_deref())
}

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(arguments: &Arguments) -> Result<NormalizedGdSettings, Failure> {
    let mut values = arguments.values()?;
    if values.has("labelled") && values.has("instances") {
        let message = "the labelled samples are the one instance: leave it out";
        return Err(values.fail("instances", message));
    }
    let (shared, mut echo) = shared(&mut values, "normalized-gd", &OWN, 100)?;
    let labelled = match values.table("labelled")? {
        None => None,
        Some(table) => Some(read(table)?),
    };
    if let Some(given) = &labelled {
        check_size(&given.square_radius(), shared.scalar, "samples")?;
    }
    let found = labelled.as_ref().map(|given| (given.features as u64, given.labels.len() as u64));
    let (own_features, own_samples) = found.unwrap_or((4, 16));
    let features = in_range(&values, "features", own_features, 1..=1000)?;
    let samples = in_range(&values, "samples", own_samples, 1..=100_000)?;
    for (key, wanted, own) in
        [("features", features, own_features), ("samples", samples, own_samples)]
    {
        if labelled.is_some() && wanted != own {
            let message = format!("expected {own}, as labelled has; it may be left out");
            return Err(values.fail(key, message));
        }
    }
    let steps = in_range(&values, "steps", 50, 1..=1_000_000)?;
    let train = in_range(&values, "train", 1000, 0..=100_000)?;
    let rate = match values.number("rate")? {
        Some(rate) if rate.is_positive() => rate,
        Some(rate) => {
            return Err(values.fail("rate", format_args!("expected more than 0, found {rate}")));
        }
        None => match &labelled {
            Some(given) => given.square_radius().reciprocal().unwrap_or_else(Exact::one),
            None => Exact::one(),
        },
    };
    if labelled.is_some() {
        echo.remove("instances");
    }
    echo.insert("features".into(), echo::integer(features));
    echo.insert("samples".into(), echo::integer(samples));
    if let Some(given) = &labelled {
        echo.insert("labelled".into(), given.to_json());
    }
    echo.insert("rate".into(), echo::number(&rate));
    echo.insert("steps".into(), echo::integer(steps));
    echo.insert("train".into(), echo::integer(train));
    Ok(NormalizedGdSettings {
        shared,
        features: features as usize,
        samples: samples as usize,
        labelled,
        rate,
        steps,
        train,
        echo: Value::Object(echo),
    })
}

/// Labels and features.
fn read(table: crate::data::Table) -> Result<Labelled, Failure> {
    let (one, minus) = (Exact::one(), -&Exact::one());
    let mut labels = Vec::new();
    for (row, entries) in table.rows.iter().enumerate() {
        labels.push(match entries.first() {
            Some(label) if *label == one => true,
            Some(label) if *label == minus => false,
            Some(label) => {
                let message = format!("expected a label 1 or -1, found {label}");
                return Err(table.fail(row, 0, message));
            }
            None => return Err(table.fail_all("a row is empty")),
        });
    }
    let place = table.place.clone();
    let matrix = table.matrix()?;
    if matrix.columns < 2 {
        let message = "expected a label and at least one feature a row, found labels alone";
        return Err(Failure::usage(format!("{place}: {message}")));
    }
    let features = matrix.columns - 1;
    let rows = matrix.entries.chunks_exact(matrix.columns);
    Ok(Labelled { labels, features, entries: rows.flat_map(|row| row[1..].to_vec()).collect() })
}
