//! `popgd run --job`: one job of a sweep, on whatever machine.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::config::Arguments;
use crate::error::Failure;
use crate::interrupt;
use crate::output::sink::Sink;
use crate::sweep::job::{Job, line};
use crate::sweep::measure;
use crate::sweep::outcome::Outcome;

/// Flags that go together with a job: everything else stands in it.
const ALLOWED: [&str; 3] = ["output", "quiet", "color"];

/// Runs the job in a file, or on standard input for `-`, and prints its result as one line.
///
/// # Errors
/// What is no job; what cannot be written; an interrupt.
pub fn execute(file: &Path, output: Option<&Path>, arguments: &Arguments) -> Result<(), Failure> {
    if let Some(key) = arguments.flagged().find(|key| !ALLOWED.contains(key)) {
        let flag = crate::config::values::flag_of(key);
        return Err(Failure::usage(format!(
            "{flag}: cannot be given with --job, which has it all"
        )));
    }
    let (text, name) = read(file)?;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(job), None) = (lines.next(), lines.next()) else {
        return Err(Failure::usage(format!(
            "--job {name}: expected one job, on one line; take one of a plan with \
             `sed -n 1p plan.jsonl`"
        )));
    };
    let failed =
        |message: &dyn std::fmt::Display| Failure::usage(format!("--job {name}: {message}"));
    let value: Value = serde_json::from_str(job).map_err(|error| failed(&error))?;
    let job = Job::from_json(&value).map_err(|failure| failed(&failure))?;
    let sink = Sink::open(output, "--output")?;
    interrupt::listen();
    match measure::measure(&job.settings.model)? {
        Some(findings) => sink.write(line(Outcome { job, findings }.to_json()).as_bytes()),
        None => Err(Failure::Interrupted(
            "interrupted: this job has no result yet; run it again".to_owned(),
        )),
    }
}

fn read(file: &Path) -> Result<(String, String), Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::Io(format!("--job -: {error}")))?;
        return Ok((text, "-".to_owned()));
    }
    let text = std::fs::read_to_string(file).map_err(|error| Failure::unreadable(file, &error))?;
    Ok((text, file.display().to_string()))
}
