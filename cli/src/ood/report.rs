//! What was found.

use super::check::Check;
use super::gap::Estimate;
use super::slopes::Slope;
use super::tail::Verdict;

/// A figure, and whether it is exact but for rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its standard error; 0 of what is exact, none where fourth moments may be infinite.
    pub error: Option<f64>,
    /// Whether it comes from a closed form.
    pub exact: bool,
}

impl Figure {
    /// From a closed form.
    pub fn exact(value: f64) -> Self {
        Self { value, error: Some(0.0), exact: true }
    }

    /// In results.
    pub fn status(&self) -> &'static str {
        if self.exact { "cited" } else { "measured" }
    }

    /// From samples of a law with, or perhaps without, fourth moments.
    pub fn measured(estimate: Option<Estimate>, has_fourth_moments: bool) -> Self {
        let Some(estimate) = estimate else {
            return Self { value: f64::NAN, error: None, exact: false };
        };
        let error = has_fourth_moments.then_some(estimate.error).filter(|error| error.is_finite());
        Self { value: estimate.value, error, exact: false }
    }
}

/// What there is to say of a recorded step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// T.
    pub t: u64,
    /// Δ².
    pub square_distance: Figure,
    /// What the student loses to the teacher.
    pub gap: Figure,
    /// The same on a batch of few samples, noise included.
    pub batch_gap: Option<f64>,
    /// ½Δ̄² + R̄Δ̄, from second moments.
    pub bound: f64,
    /// Whether gap and bound are those of one sample.
    pub of_sample: bool,
}

impl Row {
    /// Whether all of it is finite.
    pub fn is_finite(&self) -> bool {
        let figures = [self.square_distance.value, self.gap.value, self.bound];
        figures.into_iter().chain(self.batch_gap).all(f64::is_finite)
    }

    /// Whether the gap is below the bound: in a closed form and on the sample itself, whose moments
    /// the bound has, but for rounding; over a law up to four standard errors, and unknown without.
    pub fn is_below(&self) -> Option<bool> {
        let size = self.gap.value.abs();
        if self.of_sample {
            return Some(size <= self.bound * (1.0 + 1e-6));
        }
        Some(size - 4.0 * self.gap.error? <= self.bound * (1.0 + 1e-9))
    }
}

/// The limit of ηTΔ² and how near the last step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharp {
    /// The limit.
    pub constant: f64,
    /// ηTΔ² at the last step, over it.
    pub at_end: f64,
    /// The standard error of that, that of the measured p_m included; none without fourth moments.
    pub error: Option<f64>,
}

/// What Theorem 3.2 says with numbers in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// ε.
    pub epsilon: f64,
    /// Second moments of inputs: ξ.
    pub inputs: f64,
    /// Second moments of labels, measured (of worst labels an upper bound).
    pub labels: f64,
    /// T_ε without its constant; none for a teacher that is none of the paper's.
    pub stated: Option<f64>,
    /// What is proven, or why nothing is.
    pub proven: Result<Proven, String>,
    /// What recorded steps show.
    pub reached: Reached,
}

/// When the gap is at most ε, as recorded steps show it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reached {
    /// The last recorded step at which |gap| is above ε.
    pub after: Option<u64>,
    /// The first from which on it is at most ε at all of them.
    pub by: Option<u64>,
    /// Between the two, on a line of both logarithms.
    pub about: Option<f64>,
    /// The last at which it is above ε by more than four standard errors.
    pub surely_after: Option<u64>,
}

impl Reached {
    /// By rows in the order of their steps.
    pub fn of(rows: &[Row], epsilon: f64) -> Self {
        let size = |row: &Row| row.gap.value.abs();
        let surely = |row: &&Row| match row.gap.error {
            Some(error) => size(row) - 4.0 * error > epsilon,
            None => row.of_sample && size(row) > epsilon,
        };
        let last = rows.iter().rposition(|row| size(row) > epsilon);
        let first = rows.get(last.map_or(0, |last| last + 1));
        let last = last.and_then(|at| rows.get(at));
        let about = match (last, first) {
            (Some(last), Some(first)) if last.t > 0 => {
                let fall = (size(first) / size(last)).ln();
                let share = ((epsilon / size(last)).ln() / fall).clamp(0.0, 1.0);
                let way = (first.t as f64 / last.t as f64).ln();
                Some(last.t as f64 * (share * way).exp())
            }
            (_, first) => first.map(|row| row.t as f64),
        };
        Self {
            after: last.map(|row| row.t),
            by: first.map(|row| row.t),
            about,
            surely_after: rows.iter().rev().find(surely).map(|row| row.t),
        }
    }
}

/// What becomes of Theorem 3.2 if the constant in T_ε is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The gap is at most ε from T_ε on, by the bound.
    Holds,
    /// It is above ε at a later step: the constant must be larger.
    Exceeds,
    /// Neither is known.
    Open,
}

impl Outcome {
    /// In results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Exceeds => "exceeds",
            Self::Open => "open",
        }
    }
}

impl Statement {
    /// From which step on the bound is at most ε.
    pub fn proven_steps(&self) -> Option<u64> {
        self.proven.as_ref().ok()?.steps
    }

    /// The verdict on T_ε with constant 1.
    pub fn outcome(&self) -> Outcome {
        let Some(stated) = self.stated else { return Outcome::Open };
        if self.proven_steps().is_some_and(|steps| steps as f64 <= stated) {
            Outcome::Holds
        } else if self.reached.surely_after.is_some_and(|t| t as f64 > stated) {
            Outcome::Exceeds
        } else {
            Outcome::Open
        }
    }
}

/// What is proven for every later step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proven {
    /// T₀, from which on bounds are proven.
    pub late: u64,
    /// The bound for all T ≥ T₀ together.
    pub bound_at_late: f64,
    /// From this T on the gap is at most ε; none if that is beyond 2⁶².
    pub steps: Option<u64>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The moment check.
    pub check: Check,
    /// How many samples the gap was measured on.
    pub samples: u64,
    /// How many samples the finite batch has.
    pub batch: u64,
    /// R̄, a bound of the distance of labels from the teacher, their noise left out.
    pub label_distance: Option<f64>,
    /// What σ may stretch a mean square by.
    pub amplification: f64,
    /// Step by step.
    pub rows: Vec<Row>,
    /// The limit law, where there is one.
    pub sharp: Option<Sharp>,
    /// Powers of T.
    pub slopes: Vec<Slope>,
    /// Theorem 3.2.
    pub statement: Option<Statement>,
    /// From this T on the batch gap is mostly noise; none without noise or limit law.
    pub noise_from: Option<f64>,
    /// Whether standard errors of means of squares are told.
    pub has_errors: bool,
    /// Whether the user ended it before all samples were looked at.
    pub interrupted: bool,
}

impl Report {
    /// The verdict on what the theorem states: open too where it is open whether its hypothesis holds.
    pub fn outcome(&self, statement: &Statement) -> Outcome {
        match statement.outcome() {
            Outcome::Holds if self.check.verdict != Verdict::Holds => Outcome::Open,
            outcome => outcome,
        }
    }

    /// Of a moment check alone.
    pub fn of_check(check: Check) -> Self {
        Self {
            check,
            samples: 0,
            batch: 0,
            label_distance: None,
            amplification: 1.0,
            rows: Vec::new(),
            sharp: None,
            slopes: Vec::new(),
            statement: None,
            noise_from: None,
            has_errors: true,
            interrupted: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(t: u64, gap: f64, error: Option<f64>) -> Row {
        let figure = Figure { value: gap, error, exact: error == Some(0.0) };
        let (square_distance, bound) = (figure, 1.0);
        Row { t, square_distance, gap: figure, batch_gap: None, bound, of_sample: false }
    }

    fn statement(stated: f64, steps: Option<u64>, rows: &[Row]) -> Statement {
        Statement {
            epsilon: 0.1,
            inputs: 1.0,
            labels: 1.0,
            stated: Some(stated),
            proven: Ok(Proven { late: 1, bound_at_late: 1.0, steps }),
            reached: Reached::of(rows, 0.1),
        }
    }

    #[test]
    fn the_least_step_is_found_between_recorded_ones() {
        // −1/T: at most 0.1 from T = 10 on.
        let rows: Vec<Row> =
            [1, 4, 16, 64].map(|t| row(t, -1.0 / t as f64, Some(0.0))).into_iter().collect();
        let reached = Reached::of(&rows, 0.1);
        assert_eq!((reached.after, reached.by, reached.surely_after), (Some(4), Some(16), Some(4)));
        assert!((reached.about.unwrap() - 10.0).abs() < 1e-9, "{reached:?}");
        // Not yet, and always.
        assert_eq!(Reached::of(&rows[..2], 0.1).by, None);
        assert_eq!(Reached::of(&rows[2..], 0.1).after, None);
        // A gap that is above ε by chance only.
        let noisy = [row(1, 0.2, Some(0.05)), row(2, 0.01, Some(0.05))];
        assert_eq!(Reached::of(&noisy, 0.1).surely_after, None);
    }

    #[test]
    fn the_verdict_can_go_either_way() {
        let rows = [row(10, 1.0, Some(0.0)), row(1000, 0.01, Some(0.0))];
        assert_eq!(statement(500.0, Some(400), &rows).outcome(), Outcome::Holds);
        assert_eq!(statement(5.0, Some(400), &rows).outcome(), Outcome::Exceeds);
        assert_eq!(statement(50.0, Some(400), &rows).outcome(), Outcome::Open);
        assert_eq!(statement(50.0, None, &rows).outcome(), Outcome::Open);
    }

    #[test]
    fn whether_a_gap_is_below_its_bound_needs_an_error() {
        assert_eq!(row(1, 1.1, Some(0.0)).is_below(), Some(false));
        assert_eq!(row(1, 1.1, Some(0.1)).is_below(), Some(true));
        assert_eq!(row(1, 0.1, None).is_below(), None);
        assert_eq!(Row { of_sample: true, ..row(1, 1.1, Some(9.0)) }.is_below(), Some(false));
    }
}
