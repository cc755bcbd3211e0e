//! Results of jobs in files: kept as they are done, and put together again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::job::{Job, Sweep, line, shown};
use super::outcome::Outcome;
use crate::error::Failure;
use crate::output::sink::Sink;

/// Where the result of a job is kept.
pub fn path(folder: &Path, job: &Job) -> PathBuf {
    let plan = job.sweep.plan.rsplit(':').next().unwrap_or_default();
    folder.join(format!("{plan}-{:05}.jsonl", job.index))
}

/// Keeps a result: its file appears whole or not at all.
///
/// # Errors
/// What the system reports.
pub fn keep(folder: &Path, outcome: &Outcome) -> Result<(), Failure> {
    let file = Sink::file(&path(folder, &outcome.job), "--resume")?;
    file.write(line(outcome.to_json()).as_bytes())
}

/// The result of a job, if it is kept.
///
/// # Errors
/// A file that holds something else: it is not overwritten.
pub fn kept(folder: &Path, job: &Job) -> Result<Option<Outcome>, Failure> {
    let path = path(folder, job);
    if !path.exists() {
        return Ok(None);
    }
    match read(&path)?.pop() {
        Some(outcome)
            if outcome.job.sweep.plan == job.sweep.plan && outcome.job.index == job.index =>
        {
            Ok(Some(outcome))
        }
        _ => Err(Failure::usage(format!(
            "{}: is not the result of job {} of this sweep: remove it, or --resume elsewhere",
            path.display(),
            job.index
        ))),
    }
}

/// All results in a file, one a line.
///
/// # Errors
/// An unreadable file, or a line that is no result.
pub fn read(path: &Path) -> Result<Vec<Outcome>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            let place = |message: &dyn std::fmt::Display| {
                Failure::usage(format!("{}:{}: {message}", path.display(), at + 1))
            };
            let value: Value = serde_json::from_str(line).map_err(|error| {
                place(&format_args!("broken off or not JSON ({error}): run this job anew"))
            })?;
            Outcome::from_json(&value).map_err(|failure| place(&failure))
        })
        .collect()
}

/// Puts the results of one sweep in order.
///
/// # Errors
/// Results of several sweeps, of one job twice, or of fewer jobs than there are.
pub fn merge(files: &[PathBuf]) -> Result<(Sweep, Vec<Outcome>), Failure> {
    let mut found: BTreeMap<usize, (Outcome, &Path)> = BTreeMap::new();
    let mut sweep: Option<(Sweep, &Path)> = None;
    for file in files {
        for outcome in read(file)? {
            let own = &outcome.job.sweep;
            match &sweep {
                None => sweep = Some((own.clone(), file)),
                Some((first, _)) if first == own => {}
                Some((_, other)) => {
                    return Err(Failure::usage(format!(
                        "--from: {} and {} are results of different sweeps: merge one sweep at a \
                         time",
                        other.display(),
                        file.display()
                    )));
                }
            }
            let (job, index) = (shown(&outcome.job.point), outcome.job.index);
            if let Some((earlier, other)) = found.get(&index) {
                let same = line(earlier.to_json()) == line(outcome.to_json());
                let what = if same {
                    "there is the same result twice: leave one file out"
                } else {
                    "there are two results that differ: run the job anew, and find out which \
                     machine is wrong"
                };
                return Err(Failure::usage(format!(
                    "--from: job {index} ({job}): {what} ({} and {})",
                    other.display(),
                    file.display()
                )));
            }
            found.insert(index, (outcome, file));
        }
    }
    let Some((sweep, _)) = sweep else {
        return Err(Failure::usage("--from: there is no result in these files"));
    };
    let missing: Vec<String> = (0..sweep.jobs)
        .filter(|index| !found.contains_key(index))
        .map(|index| index.to_string())
        .collect();
    if !missing.is_empty() {
        let (shown, rest) = missing.split_at(missing.len().min(12));
        let more = if rest.is_empty() { "" } else { ", …" };
        return Err(Failure::usage(format!(
            "--from: {} of {} results are missing: run the jobs {}{more} of the plan (counted from \
             0) too",
            missing.len(),
            sweep.jobs,
            shown.join(", "),
        )));
    }
    if let Some((beyond, (_, file))) = found.range(sweep.jobs..).next() {
        let message = format!("{}: there is no job {beyond} in this sweep", file.display());
        return Err(Failure::usage(message));
    }
    Ok((sweep, found.into_values().map(|(outcome, _)| outcome).collect()))
}

/// The files whose names match a pattern in which * stands for anything; a pattern without one is
/// a file.
///
/// # Errors
/// An unreadable folder, a * in the name of a folder, or no such file.
pub fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = Path::new(pattern);
    if !pattern.contains('*') {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if folder.to_string_lossy().contains('*') {
        let message =
            format!("--from {pattern}: * may stand in the name of a file, not of a folder");
        return Err(Failure::usage(message));
    }
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .filter(|path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|file| {
                matches(name, file) && (name.starts_with('.') || !file.starts_with('.'))
            })
        })
        .collect();
    found.sort();
    if found.is_empty() {
        return Err(Failure::usage(format!("--from {pattern}: there is no such file")));
    }
    Ok(found)
}

/// Whether a name fits a pattern in which * stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| matches(tail, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("*.jsonl", "a.jsonl", true),
            ("*.jsonl", "a.json", false),
            ("r*-*.j", "run-1.j", true),
            ("r*-*.j", "run1.j", false),
            ("*", "", true),
            ("κ*", "κ=1", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
