//! `popgd simulate`: training on samples, beside the exact descent.

use crate::dry_run;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::digits::grouped;
use crate::output::plot::{self, simulate::Picture};
use crate::output::simulate as output;
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::settings::Format;
use crate::simulate::settings::SimulateSettings;
use crate::simulate::{self, runs::Runs};

/// Trains, and writes what was asked for.
///
/// # Errors
/// As [`simulate::simulate`]; what cannot be written; an interrupt, after what was measured until
/// then is written.
pub fn execute(settings: &SimulateSettings, warnings: &[Warning]) -> Result<(), Failure> {
    if let Some(images) = &settings.images {
        return super::simulate_images::execute(settings, images, warnings);
    }
    let base = &settings.base;
    if base.dry_run {
        let samples = |batch: &usize| -> Result<f64, Failure> {
            let step = simulate::time_per_step(settings, *batch)?.as_secs_f64();
            Ok(step * base.model.steps as f64 * settings.seeds as f64)
        };
        let total = settings.batches.iter().map(samples).sum::<Result<f64, _>>()?;
        plot::open(base)?;
        return dry_run::tell("simulate", base, warnings, total / at_once(settings) as f64);
    }
    let sink = Sink::open(base.output.output.as_deref(), "--output")?;
    let picture = plot::open(base)?;
    interrupt::listen();
    let simulation = simulate::simulate(settings)?;
    let text = match base.output.format {
        Format::Table => {
            output::table::text(settings, &simulation, Style::for_results(&base.output))
        }
        Format::Json => output::json::text(settings, &simulation, warnings),
        Format::Csv => output::csv::text(&simulation)?,
    };
    let printed = sink.write(text.as_bytes());
    if let Some(target) = picture {
        Picture { settings, simulation: &simulation }.write(target)?;
    }
    printed?;
    match simulation.interrupted {
        true => early_end(settings, &simulation.runs),
        false => Ok(()),
    }
}

/// How many runs go on at the same time.
pub(super) fn at_once(settings: &SimulateSettings) -> usize {
    let threads = match settings.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    threads.min(settings.seeds * settings.batches.len()).max(1)
}

/// An interrupt, as the failure that it is.
pub(super) fn early_end(settings: &SimulateSettings, runs: &Runs) -> Result<(), Failure> {
    let steps = settings.base.model.steps;
    let done = runs.0.iter().map(|run| run.steps).min().unwrap_or(0);
    if done == steps {
        return Ok(());
    }
    let onward = match &settings.resume {
        Some(folder) => format!("the same command goes on from {}", folder.display()),
        None => "the same command begins anew, but with --resume FOLDER from the start it goes on \
                 where it was"
            .to_owned(),
    };
    Err(Failure::Interrupted(format!(
        "interrupted after {} of {} steps in the slowest run; what was measured is written; {onward}",
        grouped(done),
        grouped(steps)
    )))
}
