//! What `popgd simulate` does, from flags and a file.

mod images;

use serde_json::{Map, Value};

use super::values::{Values, integer_of};
use super::{Arguments, CommandKind};
use crate::error::{Failure, Warning};
use crate::ood::family::Family;
use crate::simulate::settings::SimulateSettings;

/// Keys that `simulate` has a use for, and not every other command.
pub(super) const KEYS: [&str; 11] = [
    "batch",
    "seeds",
    "inputs",
    "evaluation",
    "checkpoint_every",
    "full_model",
    "images",
    "digits",
    "filters",
    "epochs",
    "images_digest",
];

/// Larger batches or more runs than these are a slip of the pen.
const MOST: u64 = 1_000_000;

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(arguments: &Arguments) -> Result<(SimulateSettings, Vec<Warning>), Failure> {
    let values = arguments.values()?;
    let batches = batches(&values)?;
    let mut images = images::resolve(&values)?;
    let seeds = count(&values, "seeds", if images.is_some() { 1 } else { 4 }, MOST)?;
    let law = values.text("inputs")?.unwrap_or("exponential").to_owned();
    let inputs = Family::parse(&law).map_err(|message| values.fail("inputs", message))?;
    let samples = if images.is_some() { 1000 } else { 100 };
    let evaluation = count(&values, "evaluation", samples, MOST)?;
    let checkpoint_every = match values.has("checkpoint_every") {
        false => None,
        true if !values.has("resume") => {
            let message = "checkpoints need a folder: give --resume FOLDER too";
            return Err(values.fail("checkpoint_every", message));
        }
        true => Some(count(&values, "checkpoint_every", 1, u64::MAX)? as u64),
    };
    let full_model = values.switch("full_model")?;
    if let Some(key) = ["w0", "kq0", "logits"].into_iter().find(|key| full_model && values.has(key))
    {
        return Err(values.fail(key, "the full model starts from 0: leave it out"));
    }
    let threads = match values.has("threads") {
        false => 0,
        true => count(&values, "threads", 1, MOST)?,
    };
    let resume = values.path("resume")?;
    if values.text("method")? == Some("lumped") {
        let message = "training moves every entry by itself: leave it out";
        return Err(values.fail("method", message));
    }
    let mut arguments = arguments.with("method", "dense");
    if let Some(images) = &images {
        arguments = images::model(&values, images, &arguments)?;
    }
    let (mut base, warnings) = super::resolve(CommandKind::Simulate, arguments)?;
    if let Some(images) = &mut images {
        let filters = base.model.dense.as_ref().map(|dense| &dense.value_matrix);
        images::identify(&values, images, filters)?;
    }
    if let Value::Object(echo) = &mut base.echo {
        add(echo, &batches, seeds, evaluation);
        match &images {
            Some(images) => images::echo(&values, images, echo)?,
            None => drop(echo.insert("inputs".into(), law.into())),
        }
        if full_model {
            echo.insert("full_model".into(), true.into());
        }
    }
    let settings = SimulateSettings {
        base,
        full_model,
        batches,
        seeds,
        evaluation,
        inputs,
        resume,
        checkpoint_every,
        threads,
        images,
    };
    Ok((settings, warnings))
}

/// Whatever results depend on.
fn add(echo: &mut Map<String, Value>, batches: &[usize], seeds: usize, evaluation: usize) {
    let batches = match batches {
        [one] => Value::from(*one),
        many => many.to_vec().into(),
    };
    echo.insert("batch".into(), batches);
    echo.insert("seeds".into(), seeds.into());
    echo.insert("evaluation".into(), evaluation.into());
}

fn batches(values: &Values) -> Result<Vec<usize>, Failure> {
    let Some(items) = values.list("batch") else { return Ok(vec![100]) };
    let size = |item| {
        let size = integer_of(item).map_err(|message| values.fail("batch", message))?;
        in_range(values, "batch", size, MOST)
    };
    let mut sizes = items.iter().map(size).collect::<Result<Vec<_>, _>>()?;
    if sizes.is_empty() {
        return Err(values.fail("batch", "expected at least one size"));
    }
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

fn count(values: &Values, key: &str, default: usize, most: u64) -> Result<usize, Failure> {
    match values.integer(key)? {
        None => Ok(default),
        Some(count) => in_range(values, key, count, most),
    }
}

fn in_range(values: &Values, key: &str, count: u64, most: u64) -> Result<usize, Failure> {
    let size = usize::try_from(count).ok().filter(|_| (1..=most).contains(&count));
    size.ok_or_else(|| values.fail(key, format_args!("expected 1 to {most}, found {count}")))
}
