//! `popgd ood`: what the student loses on inputs and labels of another law.

use crate::dry_run;
use crate::error::{Failure, Warning};
use crate::interrupt;
use crate::ood::report::Report;
use crate::ood::run;
use crate::ood::tail::Verdict;
use crate::output::digits::{grouped, short};
use crate::output::ood as output;
use crate::output::plot;
use crate::output::sink::Sink;
use crate::settings::Settings;

/// Checks the hypothesis of Theorem 3.2, measures and bounds.
///
/// # Errors
/// [`Failure::Refuted`] if the hypothesis fails, or a measured gap is above its bound;
/// [`Failure::Undecided`] if that is open, or nothing is proven of an ε that was asked for; an
/// interrupt; after writing what was found. What is wrong with a file of data.
pub fn execute(settings: &Settings, warnings: &[Warning]) -> Result<(), Failure> {
    let Some(ood) = &settings.ood else { return Ok(()) };
    if settings.dry_run {
        return dry_run::execute("ood", settings, warnings);
    }
    let sink = Sink::open(settings.output.output.as_deref(), "--output")?;
    let picture = plot::open(settings)?;
    interrupt::listen();
    let report = run::report(settings, ood)?;
    let mut warnings = warnings.to_vec();
    if report.rows.iter().any(|row| row.gap.error.is_none()) {
        let found = [Warning::NoStandardErrors];
        crate::warn(settings.output.color.into(), settings, &found);
        warnings.extend(found);
    }
    let printed = sink.write(output::text(settings, ood, &report, &warnings)?.as_bytes());
    if let Some(target) = picture
        && !report.rows.is_empty()
    {
        plot::ood::Picture { settings, ood, report: &report }.write(target)?;
    }
    printed?;
    verdict(ood.epsilon_given, &report)
}

/// The exit code that the findings amount to.
fn verdict(epsilon_given: bool, report: &Report) -> Result<(), Failure> {
    let sentence = || report.check.sentence.clone();
    if report.interrupted {
        let message = "interrupted before all samples were looked at; what was found is written";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    match report.check.verdict {
        Verdict::Fails => return Err(Failure::Refuted(sentence())),
        Verdict::CannotTell => return Err(Failure::Undecided(sentence())),
        Verdict::Holds => {}
    }
    if let Some(row) = report.rows.iter().find(|row| row.is_below() == Some(false)) {
        return Err(Failure::Refuted(format!(
            "after {} steps the measured gap is above its bound, {} against {}: one of the two is an \
             error in popgd",
            grouped(row.t),
            short(row.gap.value.abs()),
            short(row.bound)
        )));
    }
    if let Some(statement) = report.statement.as_ref().filter(|_| epsilon_given) {
        match &statement.proven {
            Err(reason) => {
                return Err(Failure::Undecided(format!("--epsilon: nothing is proven: {reason}")));
            }
            Ok(proven) if proven.steps.is_none() => {
                return Err(Failure::Undecided(
                    "--epsilon: it takes more than 2^62 steps; take a larger one".to_owned(),
                ));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ood::check::Check;
    use crate::ood::report::{Figure, Row};

    fn check(found: Verdict) -> Check {
        Check {
            verdict: found,
            sentence: "so it is".to_owned(),
            largest_moment: None,
            entry: None,
            data: None,
            has_fourth_moments: true,
        }
    }

    /// Whether or not ε was asked for: a gap above its bound is never passed over.
    #[test]
    fn a_gap_above_its_bound_is_a_failure() {
        let row = |value: f64, error: Option<f64>| Row {
            t: 10,
            square_distance: Figure::exact(2.0 * value),
            gap: Figure { value, error, exact: error == Some(0.0) },
            batch_gap: None,
            bound: 1.0,
            of_sample: false,
        };
        for (value, error, code) in [
            (-1.5, Some(0.0), Some(3)),
            (1.5, Some(0.1), Some(3)),
            (1.5, Some(0.2), None),
            (1.5, None, None),
            (0.5, Some(0.0), None),
        ] {
            let rows = vec![row(0.1, Some(0.0)), row(value, error)];
            let report = Report { rows, ..Report::of_check(check(Verdict::Holds)) };
            let found = verdict(false, &report).err().map(|failure| failure.exit_code());
            assert_eq!(found, code, "{value} {error:?}");
        }
        let report = Report::of_check(check(Verdict::CannotTell));
        assert_eq!(verdict(false, &report).map_err(|failure| failure.exit_code()), Err(4));
    }
}
