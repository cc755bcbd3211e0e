//! A run that ended before its last step, as the failure that it is.

use crate::error::Failure;
use crate::settings::{ScalarKind, Settings};
use crate::trajectory::{End, Trajectory};

/// Nothing wrong with a complete run.
///
/// # Errors
/// [`Failure::Interrupted`]; [`Failure::Undecided`] for enclosures that grew without bound;
/// [`Failure::NotFinite`] (exit code 1) for floats that are no longer finite.
pub fn early_end(settings: &Settings, trajectory: &Trajectory) -> Result<(), Failure> {
    let written = match trajectory.rows.last() {
        Some(row) => format!("what was recorded up to step {} is written", row.t),
        None => "nothing was recorded before".to_owned(),
    };
    match trajectory.end {
        End::Complete => Ok(()),
        End::Interrupted { after } => Err(Failure::Interrupted(format!(
            "interrupted after {after} of {} steps; {written}",
            settings.model.steps
        ))),
        End::NotFinite { at } => Err(match settings.model.scalar {
            scalar @ (ScalarKind::Interval32 | ScalarKind::Interval64) => {
                let wider = if scalar == ScalarKind::Interval32 {
                    ", or use --scalar interval64, which carries further"
                } else {
                    ""
                };
                Failure::Undecided(format!(
                    "the enclosure grew without bound at step {at}; {written}. Plain interval \
                     steps carry no further: lower --steps below {at}{wider}, or use floats \
                     (--scalar f64)"
                ))
            }
            ScalarKind::F32 | ScalarKind::F64 => Failure::NotFinite(format!(
                "the result of step {at} is not finite; {written}. Check the --rate and the start"
            )),
        }),
    }
}
