//! `popgd run`: one trajectory, recorded.

use crate::dry_run;
use crate::early_end::early_end;
use crate::engine;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::plot::{self, Picture};
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{csv, json, state, table};
use crate::progress::Progress;
use crate::settings::{Format, Settings};

/// Runs, and writes what was asked for.
///
/// # Errors
/// What [`engine::run`] refuses, what cannot be written, and an early end: a result that is not
/// finite, or an interrupt. In the latter cases what was computed is written all the same.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    if settings.dry_run {
        return dry_run::execute("run", settings, warnings);
    }
    let output = Sink::open(settings.output.output.as_deref(), "--output")?;
    let picture = plot::open(settings)?;
    let saved = state::open(settings)?;

    interrupt::listen();
    let progress = Progress::new(settings.model.steps, settings.output.quiet);
    let recording = engine::run(&settings.model, &settings.at, &progress)?;
    drop(progress);

    let trajectory = &recording.trajectory;
    let text = match settings.output.format {
        Format::Table => {
            table::trajectory(&settings.model, trajectory, Style::for_results(&settings.output))
        }
        Format::Json => {
            let mut document = json::document("run", settings, warnings);
            json::insert_trajectory(&mut document, trajectory);
            json::text(document)
        }
        Format::Csv => csv::trajectory(trajectory)?,
    };
    // A reader who closed the pipe may still have asked for files.
    let printed = output.write(text.as_bytes());
    if let (Some(destination), Some(state)) = (saved, &recording.state) {
        state::write(destination, settings, trajectory, state)?;
    }
    if let Some(picture) = picture {
        Picture::of_run(settings, trajectory).write(picture)?;
    }
    printed?;
    early_end(settings, trajectory)
}
