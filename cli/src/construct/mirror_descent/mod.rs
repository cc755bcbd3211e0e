//! `popgd construct mirror-descent`: the transformer beside mirror descent, and mirror descent beside
//! exact Bayes.

pub mod findings;
pub mod instance;
pub mod settings;

use crate::config::Arguments;
use crate::config::construct::mirror_descent as config;
use crate::error::Failure;
use crate::interrupt;
use crate::output::construct::mirror_descent as output;
use crate::output::plot::target;
use crate::output::sink::Sink;
use crate::progress::Progress;

/// Runs the transformer beside its algorithm, tells, and says what that means.
///
/// # Errors
/// What is wrong with the input; [`Failure::Refuted`] if the two are not the same,
/// [`Failure::Interrupted`], and where results cannot be written.
pub fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let settings = config::resolve(arguments)?;
    let sink = Sink::open(settings.shared.output.output.as_deref(), "--output")?;
    let picture = target::of_path(settings.shared.output.plot.as_deref())?;
    if settings.shared.dry_run {
        return sink.write(output::plan(&settings)?.as_bytes());
    }
    interrupt::listen();
    let progress =
        Progress::of("sequence", settings.shared.instances, settings.shared.output.quiet);
    let findings = findings::measure(&settings, &progress)?;
    drop(progress);
    sink.write(output::text(&settings, &findings)?.as_bytes())?;
    if let Some(picture) = picture {
        output::draw(&settings, &findings, picture)?;
    }
    if let Some(number) = findings.refuted() {
        return Err(Failure::Refuted(format!(
            "refuted: on sequence {}, counted from 1, the transformer does not do what the \
             algorithm does",
            number + 1
        )));
    }
    if let Some(number) = findings.lowered() {
        return Err(Failure::Refuted(format!(
            "refuted: on sequence {}, counted from 1, a step of the rate 1/L lowers the likelihood",
            number + 1
        )));
    }
    if let Some(number) = findings.too_wide() {
        return Err(Failure::Undecided(format!(
            "not decided: on sequence {}, counted from 1, the enclosures are wider than {}; choose \
             --scalar interval64, a smaller --rate, or fewer --steps",
            number + 1,
            findings::WIDEST
        )));
    }
    if findings.interrupted {
        let message = "interrupted before all sequences were tried; what was found is written";
        return Err(Failure::Interrupted(message.to_owned()));
    }
    Ok(())
}
