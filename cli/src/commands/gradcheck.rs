//! `popgd gradcheck`: is the gradient of descent the derivative of its loss?

use popgd_core::gradient_check::{Coded, Program, Slope};

use crate::error::Failure;
use crate::gradcheck::report::{Check, Objection, Report, Verdict};
use crate::gradcheck::settings::GradcheckSettings;
use crate::gradcheck::{self, Watch};
use crate::interrupt;
use crate::output::digits::short;
use crate::output::gradcheck as output;
use crate::output::sink::Sink;
use crate::progress::Progress;

/// Checks, tells, and says what that means.
///
/// # Errors
/// [`Failure::Refuted`] if the gradient or a claim about steps is wrong, [`Failure::Undecided`] if
/// that is open, [`Failure::Interrupted`], and where results cannot be written.
pub fn execute(settings: &GradcheckSettings) -> Result<(), Failure> {
    execute_with(settings, &Coded)
}

/// The same for any program, such as a wrong one.
fn execute_with<P: Program>(settings: &GradcheckSettings, program: &P) -> Result<(), Failure> {
    let sink = Sink::open(settings.output.output.as_deref(), "--output")?;
    if settings.dry_run {
        return sink.write(output::plan::text(settings)?.as_bytes());
    }
    if settings.print.is_some() {
        return sink.write(gradcheck::formulas::text(settings)?.as_bytes());
    }
    interrupt::listen();
    let progress = Progress::of("check", gradcheck::count(settings), settings.output.quiet);
    let report = gradcheck::check(settings, program, &Watch::new(&progress))?;
    drop(progress);
    sink.write(output::text(settings, &report)?.as_bytes())?;
    verdict(settings, &report)
}

/// The exit code that the findings amount to.
fn verdict(settings: &GradcheckSettings, report: &Report) -> Result<(), Failure> {
    let objections = report.objections();
    let of = |verdict| objections.iter().filter(move |objection| objection.verdict == verdict);
    let more = |count: usize| match count {
        0 | 1 => String::new(),
        many => format!("; and {} more", many - 1),
    };
    if let Some(first) = of(Verdict::Refuted).next() {
        let others = more(of(Verdict::Refuted).count());
        return Err(Failure::Refuted(format!("refuted: {}{others}", in_words(first))));
    }
    if report.interrupted {
        return Err(Failure::Interrupted(
            "interrupted before all checks were made; what was found is written".to_owned(),
        ));
    }
    if let Some(first) = of(Verdict::Undecided).next() {
        let mend = match first.check {
            Check::Proof if settings.slope == Slope::Symbol => {
                "take smaller sizes, or a number for the slope of --activation"
            }
            Check::Proof => "take smaller sizes, or every slope at once: --activation leaky-relu",
            Check::Enclosure => "choose a smaller --radius",
            Check::Remainder => "take more --remainders, another --seed, or --boxes",
        };
        let others = more(of(Verdict::Undecided).count());
        let message = format!("not decided: {}{others}; {mend}", in_words(first));
        return Err(Failure::Undecided(message));
    }
    Ok(())
}

fn in_words(objection: &Objection) -> String {
    let Objection { subject, check, difference, .. } = objection;
    match difference {
        Some(size) => format!("{subject} by {}, off by {}", check.name(), short(*size)),
        None => format!("{subject} by {}", check.name()),
    }
}

#[cfg(test)]
mod tests;
