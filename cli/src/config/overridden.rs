//! Values of a file that a flag replaces: what is wrong with them is said all the same, because
//! the next run without the flag would fail.

use super::training;
use super::values::{Values, integer_of};
use crate::cli;
use crate::error::Failure;

/// Refuses a value that cannot be right, whatever the rest of the configuration says.
///
/// # Errors
/// As where the value is used.
pub(super) fn check(values: &Values, key: &str) -> Result<(), Failure> {
    match key {
        "tokens" | "group" | "channels" | "features" | "points_per_decade" => {
            match values.integer(key)? {
                Some(0) => Err(values.fail(key, "expected at least 1, found 0")),
                _ => Ok(()),
            }
        }
        "steps" | "seed" => values.integer(key).map(drop),
        "at" => values.list(key).unwrap_or_default().iter().try_for_each(|item| {
            integer_of(item).map(drop).map_err(|message| values.fail(key, message))
        }),
        "rate" => match values.number(key)? {
            Some(rate) if !rate.is_positive() => {
                Err(values.fail(key, format_args!("expected a rate above 0, found {rate}")))
            }
            _ => Ok(()),
        },
        "noise" => match values.number(key)? {
            Some(noise) if noise.is_negative() => {
                let message = format!("expected a standard deviation of at least 0, found {noise}");
                Err(values.fail(key, message))
            }
            _ => Ok(()),
        },
        "teacher_norm" => super::value_matrix::norm(values).map(drop),
        "activation" => training::activation(values, "relu").map(drop),
        "logit_gain" => training::logit_gain_of(values, 2).map(drop),
        "logit_scale" => values.number(key).map(drop),
        "task" | "preset" => values.choice(key, &cli::TASKS).map(drop),
        "slope_at_zero" => values.choice(key, &cli::SLOPES_AT_ZERO).map(drop),
        "method" => values.choice(key, &cli::METHODS).map(drop),
        "scalar" => values.choice(key, &cli::SCALARS).map(drop),
        "accumulate" => values.choice(key, &cli::ACCUMULATES).map(drop),
        "format" => values.choice(key, &cli::FORMATS).map(drop),
        "color" => values.choice(key, &cli::COLORS).map(drop),
        "output" | "plot" | "save_state" => values.path(key).map(drop),
        "dry_run" | "quiet" | "strict" => values.switch(key).map(drop),
        _ => Ok(()),
    }
}
