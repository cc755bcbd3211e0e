//! `popgd simulate --images`: training on images.

use super::simulate::{at_once, early_end};
use serde_json::{Map, Value};

use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::plot::{self, simulate::images::Picture};
use crate::output::simulate::images as output;
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{csv, json};
use crate::settings::Format;
use crate::simulate::images;
use crate::simulate::images::settings::ImageSettings;
use crate::simulate::images::task::Task;
use crate::simulate::settings::SimulateSettings;

/// Trains, and writes what was asked for.
///
/// # Errors
/// As [`images::simulate`]; what cannot be written; an interrupt, after what was measured until
/// then is written.
pub(super) fn execute(
    settings: &SimulateSettings,
    images: &ImageSettings,
    warnings: &[Warning],
) -> Result<(), Failure> {
    let base = &settings.base;
    let sink = Sink::open(base.output.output.as_deref(), "--output")?;
    let picture = plot::open(base)?;
    interrupt::listen();
    let task = Task::prepare(settings, images)?;
    if base.dry_run {
        return sink.write(tell(settings, images, task, warnings)?.as_bytes());
    }
    let simulation = images::simulate(settings, task)?;
    let text = match base.output.format {
        Format::Table => {
            output::table::text(settings, images, &simulation, Style::for_results(&base.output))
        }
        Format::Json => output::json::text(settings, images, &simulation, warnings),
        Format::Csv => output::csv::text(&simulation)?,
    };
    let printed = sink.write(text.as_bytes());
    if let Some(target) = picture {
        Picture { settings, images, simulation: &simulation }.write(target)?;
    }
    printed?;
    match simulation.interrupted {
        true => early_end(settings, &simulation.runs),
        false => Ok(()),
    }
}

/// What would be done, and how long it would take.
fn tell(
    settings: &SimulateSettings,
    images: &ImageSettings,
    task: Task,
    warnings: &[Warning],
) -> Result<String, Failure> {
    let seconds = |&batch: &usize| images::time_per_step(&task, batch).as_secs_f64();
    let step: f64 = settings.batches.iter().map(seconds).sum();
    let runs = settings.base.model.steps as f64 * settings.seeds as f64;
    let seconds = step * runs / at_once(settings) as f64;
    if settings.base.output.format == Format::Csv {
        let record = vec!["expected_seconds".to_owned(), csv::float(seconds)];
        return csv::text(&["key", "value"].map(str::to_owned), [record]);
    }
    if settings.base.output.format == Format::Json {
        let mut document = json::document("simulate", &settings.base, warnings);
        let mut plan = Map::new();
        plan.insert("expected_seconds".into(), json::float(seconds));
        document.insert("dry_run".into(), Value::Object(plan));
        return Ok(json::text(document));
    }
    Ok(format!(
        "{}\n{}\n{}\nexpected to take about {} here\n",
        output::table::title(settings),
        output::table::teacher(images, &task),
        output::table::training(settings, &task),
        crate::dry_run::duration(seconds),
    ))
}
