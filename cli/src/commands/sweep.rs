//! `popgd rates --sweep`: many runs, and the exponents they show together.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::ColorChoice;
use rayon::prelude::*;

use crate::asymptotics::Verdict;
use crate::config::sweep::{Source, SweepSettings};
use crate::config::{self, Arguments, CommandKind};
use crate::error::Failure;
use crate::interrupt;
use crate::output::plot;
use crate::output::sink::Sink;
use crate::output::sweep::Report;
use crate::progress::Progress;
use crate::settings::{Format, Settings};
use crate::sweep::exponents::{Exponent, Measure};
use crate::sweep::job::{Job, line};
use crate::sweep::outcome::Outcome;
use crate::sweep::planner::{self, Plan};
use crate::sweep::{measure, store};

/// Plans, runs, merges, and says what that means for the theorem.
///
/// # Errors
/// As [`rates`](super::rates::execute), and what is wrong with jobs and their results.
pub fn execute(
    arguments: &Arguments,
    wanted: &SweepSettings,
    color: ColorChoice,
) -> Result<(), Failure> {
    if let Source::Files(pattern) = &wanted.source {
        let settings = config::resolve(CommandKind::Rates, arguments.clone())?.0;
        let outputs = Outputs::open(&settings)?;
        let (sweep, outcomes) = store::merge(&store::matching(pattern)?)?;
        return outputs.write(&settings, &Report::of(&sweep, &outcomes, &[]));
    }
    let plan = planner::plan(arguments, wanted)?;
    let Some(first) = plan.jobs.first() else {
        return Err(Failure::usage("--sweep: there is nothing to run"));
    };
    let settings = first.settings.clone();
    if !settings.output.quiet {
        for warning in &plan.warnings {
            crate::tell(color, "warning", "33", warning);
        }
        // A table has them in it.
        let told = settings.output.format == Format::Table && wanted.source == Source::Here;
        for remark in plan.remarks.iter().filter(|_| !told) {
            crate::tell(color, "note", "36", remark);
        }
    }
    if let Source::Plan(path) = &wanted.source {
        let text: String = plan.jobs.iter().map(|job| line(job.to_json())).collect();
        return Sink::file(path, "--plan")?.write(text.as_bytes());
    }
    if settings.dry_run {
        let text = crate::output::sweep::plan(&plan);
        return Sink::open(settings.output.output.as_deref(), "--output")?.write(text.as_bytes());
    }
    let outputs = Outputs::open(&settings)?;
    let outcomes = run(&plan, wanted, settings.output.quiet)?;
    let report = Report::of(&first.sweep, &outcomes, &plan.remarks);
    outputs.write(&settings, &report)?;
    match report.missing() {
        None => Ok(()),
        Some(missing) => Err(Failure::Interrupted(hint(&missing, wanted))),
    }
}

/// What to do after an interrupt.
fn hint(missing: &str, wanted: &SweepSettings) -> String {
    match &wanted.resume {
        Some(folder) => {
            format!("{missing}; the same command goes on from {}", folder.display())
        }
        None => format!(
            "{missing}, and those are reported; the same command begins anew, but with --resume \
             FOLDER from the start it goes on where it was"
        ),
    }
}

/// Runs what is not done yet, the longest runs first; after an interrupt some are missing.
fn run(plan: &Plan, wanted: &SweepSettings, quiet: bool) -> Result<Vec<Outcome>, Failure> {
    interrupt::listen();
    let mut done: Vec<Option<Outcome>> = Vec::with_capacity(plan.jobs.len());
    if let Some(folder) = &wanted.resume {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Io(format!("--resume {}: {error}", folder.display())))?;
        for job in &plan.jobs {
            done.push(store::kept(folder, job)?);
        }
    } else {
        done.resize(plan.jobs.len(), None);
    }
    let mut open: Vec<&Job> = plan
        .jobs
        .iter()
        .zip(&done)
        .filter(|(_, done)| done.is_none())
        .map(|(job, _)| job)
        .collect();
    open.sort_by_key(|job| std::cmp::Reverse(job.settings.model.steps));

    let total = open.iter().map(|job| job.settings.model.steps).sum();
    let (progress, made) = (Progress::new(total, quiet), AtomicU64::new(0));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(wanted.threads)
        .build()
        .map_err(|error| Failure::Io(format!("--threads: {error}")))?;
    let results: Mutex<Vec<Result<Outcome, Failure>>> = Mutex::new(Vec::new());
    let failed = std::sync::atomic::AtomicBool::new(false);
    // One by one off the front, so that the longest start first.
    pool.install(|| {
        open.into_iter().par_bridge().for_each(|job| {
            if interrupt::requested() || failed.load(Ordering::Relaxed) {
                return;
            }
            let result = match one(job, wanted) {
                Ok(None) => return,
                Ok(Some(outcome)) => Ok(outcome),
                Err(failure) => {
                    failed.store(true, Ordering::Relaxed);
                    Err(failure)
                }
            };
            let steps = job.settings.model.steps;
            progress.reached(made.fetch_add(steps, Ordering::Relaxed) + steps);
            results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(result);
        });
    });
    drop(progress);
    for result in results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        let outcome = result?;
        if let Some(slot) = done.get_mut(outcome.job.index) {
            *slot = Some(outcome);
        }
    }
    Ok(done.into_iter().flatten().collect())
}

fn one(job: &Job, wanted: &SweepSettings) -> Result<Option<Outcome>, Failure> {
    let Some(findings) = measure::measure(&job.settings.model)? else { return Ok(None) };
    let outcome = Outcome { job: job.clone(), findings };
    if let Some(folder) = &wanted.resume {
        store::keep(folder, &outcome)?;
    }
    Ok(Some(outcome))
}

/// Where the report goes.
struct Outputs {
    text: Sink,
    picture: Option<plot::Target>,
}

impl Outputs {
    fn open(settings: &Settings) -> Result<Self, Failure> {
        Ok(Self {
            text: Sink::open(settings.output.output.as_deref(), "--output")?,
            picture: plot::open(settings)?,
        })
    }

    fn write(self, settings: &Settings, report: &Report<'_>) -> Result<(), Failure> {
        let text = match settings.output.format {
            Format::Table => report.for_people(&settings.output),
            Format::Json => report.json(),
            Format::Csv => report.csv()?,
        };
        let printed = self.text.write(text.as_bytes());
        if let Some(picture) = self.picture
            && !report.outcomes.is_empty()
        {
            plot::sweep::Picture { report }.write(picture)?;
        }
        printed?;
        if report.stopped {
            return Ok(());
        }
        verdict(settings, report)
    }
}

/// The exit code that the findings amount to.
fn verdict(settings: &Settings, report: &Report<'_>) -> Result<(), Failure> {
    // The burn-in is told, but the theorem is about the three quantities.
    let asked = |exponent: &&Exponent| {
        exponent.verdict != Verdict::Inconclusive || exponent.measure != Measure::BurnIn
    };
    let named = |wanted: Verdict| -> Vec<String> {
        report
            .parts
            .iter()
            .flat_map(|part| {
                part.exponents.iter().filter(asked).map(move |exponent| (part, exponent))
            })
            .filter(|(_, exponent)| exponent.verdict == wanted)
            .map(|(part, exponent)| {
                let variable = config::sweep::name(part.series.variable);
                let reason = exponent.reason.as_deref().map_or(String::new(), |r| format!(", {r}"));
                format!("{} in {variable}{reason}", exponent.measure.name())
            })
            .collect()
    };
    let differing = named(Verdict::Differs);
    if settings.strict && !differing.is_empty() {
        let names = differing.join("; ");
        return Err(Failure::Refuted(format!(
            "measured exponents differ from the theorem: {names}"
        )));
    }
    let open = named(Verdict::Inconclusive);
    if !open.is_empty() {
        return Err(Failure::Undecided(format!("not decided: {}", open.join("; "))));
    }
    if report.geometric() {
        return Err(Failure::Undecided(
            "convergence is geometric: there is no power of T to compare with".to_owned(),
        ));
    }
    Ok(())
}
