//! `popgd rates`: the rates of Theorem 3.1 beside what descent does.

use crate::asymptotics::{self, Approach, Doubt, Verdict};
use crate::dry_run;
use crate::early_end::early_end;
use crate::engine;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::output::plot::{self, Picture};
use crate::output::sink::Sink;
use crate::output::style::Style;
use crate::output::{json, rates, state};
use crate::progress::Progress;
use crate::settings::{Format, Settings, Task};

/// Runs, measures, and says what that means for the theorem.
///
/// # Errors
/// As [`run`](super::run::execute); [`Failure::Undecided`] if rates cannot be read off yet, or
/// if there are none; with `strict`, [`Failure::Refuted`] if one differs.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    if settings.dry_run {
        return dry_run::execute("rates", settings, warnings);
    }
    let output = Sink::open(settings.output.output.as_deref(), "--output")?;
    let picture = plot::open(settings)?;
    let saved = state::open(settings)?;

    interrupt::listen();
    let model = &settings.model;
    let mut at = asymptotics::measured_steps(model.steps);
    at.extend(&settings.at);
    at.sort_unstable();
    at.dedup();
    let progress = Progress::new(model.steps, settings.output.quiet);
    let recording = engine::run(model, &at, &progress)?;
    drop(progress);

    let trajectory = &recording.trajectory;
    let approach = asymptotics::judge(model, trajectory, &settings.at);
    let text = match settings.output.format {
        Format::Table => {
            let style = Style::for_results(&settings.output);
            rates::for_people(model, &approach, style)
        }
        Format::Json => {
            let mut document = json::document("rates", settings, warnings);
            rates::insert(&mut document, &approach);
            json::insert_trajectory(&mut document, trajectory);
            json::text(document)
        }
        Format::Csv => rates::csv(&approach)?,
    };
    let printed = output.write(text.as_bytes());
    if let (Some(destination), Some(state)) = (saved, &recording.state) {
        state::write(destination, settings, trajectory, state)?;
    }
    if let Some(picture) = picture {
        Picture::of_rates(settings, trajectory, &approach).write(picture)?;
    }
    printed?;
    early_end(settings, trajectory)?;
    verdict(settings, &approach)
}

/// The exit code that the findings amount to.
fn verdict(settings: &Settings, approach: &Approach) -> Result<(), Failure> {
    let (rates, open) = match approach {
        Approach::Geometric { .. } => {
            let mend = if settings.model.task == Task::Custom {
                "take weights with a zero in some column"
            } else {
                "take a --group smaller than --tokens"
            };
            return Err(Failure::Undecided(format!(
                "convergence is geometric: there is no power of T to compare with; {mend}"
            )));
        }
        Approach::Powers { rates, doubt, mend, .. } => (rates, doubt.zip(*mend)),
    };
    let differing: Vec<_> = rates
        .iter()
        .filter(|rate| rate.verdict == Verdict::Differs)
        .map(|rate| rate.quantity.name())
        .collect();
    if settings.strict && !differing.is_empty() {
        let names = differing.join(" and ");
        return Err(Failure::Refuted(format!("measured rates differ from the theorem: {names}")));
    }
    match open {
        Some((doubt, mend)) => {
            let remedy = rates::remedy(&settings.model, doubt, mend);
            let found = match doubt {
                Doubt::TooFewSteps | Doubt::BurnIn => "too early to call this a rate",
                _ => "not decided",
            };
            Err(Failure::Undecided(format!("{found}; {remedy}")))
        }
        None => Ok(()),
    }
}
