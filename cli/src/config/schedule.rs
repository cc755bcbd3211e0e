//! Which steps of a run are recorded.

use super::tree::Node;
use super::values::{Values, integer_of};
use crate::error::Failure;

/// How many steps a decade are recorded where nothing is said.
pub const DEFAULT_PER_DECADE: u64 = 4;
const MAX_PER_DECADE: u64 = 1000;

/// How recorded steps are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One by one.
    Listed(Vec<u64>),
    /// 0, the last, and so many in every decade between.
    PerDecade(u64),
}

impl Schedule {
    /// As given, for a run of so many steps, with so many recorded a decade if nothing is said.
    ///
    /// # Errors
    /// A step beyond the last, and what is not a step.
    pub fn resolve(values: &Values, steps: u64, per_decade: u64) -> Result<Self, Failure> {
        if let Some(items) = values.list("at") {
            let step = |item: &Node| {
                let step = integer_of(item).map_err(|message| values.fail("at", message))?;
                if step > steps {
                    let message = format!(
                        "step {step} is beyond the last one, {steps}: leave it out, or raise {} \
                         to {step}",
                        values.label("steps")
                    );
                    return Err(values.fail("at", message));
                }
                Ok(step)
            };
            let mut listed = items.iter().map(step).collect::<Result<Vec<_>, _>>()?;
            if listed.is_empty() {
                return Err(values.fail("at", "expected at least one step"));
            }
            listed.sort_unstable();
            listed.dedup();
            return Ok(Self::Listed(listed));
        }
        let count = values.integer("points_per_decade")?.unwrap_or(per_decade);
        if !(1..=MAX_PER_DECADE).contains(&count) {
            let message =
                format!("expected 1 to {MAX_PER_DECADE} recorded steps a decade, found {count}");
            return Err(values.fail("points_per_decade", message));
        }
        Ok(Self::PerDecade(count))
    }

    /// As given, for a command that speaks of any step.
    ///
    /// # Errors
    /// What is not a step.
    pub fn beyond(values: &Values) -> Result<Self, Failure> {
        if values.has("at") {
            Self::resolve(values, u64::MAX, DEFAULT_PER_DECADE)
        } else {
            Ok(Self::Listed(Vec::new()))
        }
    }

    /// The steps that were asked for, one by one.
    pub fn listed(&self) -> Vec<u64> {
        match self {
            Self::Listed(steps) => steps.clone(),
            Self::PerDecade(_) => Vec::new(),
        }
    }

    /// The recorded steps: increasing, none beyond the last, always with the last.
    pub fn steps(&self, last: u64) -> Vec<u64> {
        let mut steps = match self {
            Self::Listed(steps) => steps.clone(),
            Self::PerDecade(count) => per_decade(*count, last),
        };
        steps.push(last);
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// 0 and the rounded 10^(k/count) below `last`.
fn per_decade(count: u64, last: u64) -> Vec<u64> {
    let mut steps = vec![0];
    let mut decade = 1_u64;
    loop {
        for k in 0..count {
            // Whole powers of ten must not depend on how powers are rounded.
            let factor = if k == 0 { 1.0 } else { 10_f64.powf(k as f64 / count as f64) };
            let step = (factor * decade as f64).round();
            if step > last as f64 {
                return steps;
            }
            // At most `last`, so it fits; beyond 2^53 only such steps are met as floats hold.
            steps.push((step as u64).min(last));
        }
        match decade.checked_mul(10) {
            Some(next) => decade = next,
            None => return steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_increasing_and_have_both_ends() {
        assert_eq!(Schedule::PerDecade(1).steps(1000), [0, 1, 10, 100, 1000]);
        assert_eq!(Schedule::PerDecade(4).steps(20), [0, 1, 2, 3, 6, 10, 18, 20]);
        assert_eq!(Schedule::PerDecade(4).steps(0), [0]);
        assert_eq!(Schedule::PerDecade(4).steps(1), [0, 1]);
        let long = Schedule::PerDecade(1000).steps(1 << 63);
        assert!(long.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(long.last(), Some(&(1 << 63)));
        assert!(long.contains(&1_000_000_000_000_000_000));
    }

    #[test]
    fn listed_steps_gain_the_last() {
        assert_eq!(Schedule::Listed(vec![1, 10]).steps(100), [1, 10, 100]);
        assert_eq!(Schedule::Listed(vec![1, 10]).steps(10), [1, 10]);
    }
}
