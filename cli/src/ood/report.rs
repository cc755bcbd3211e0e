//! What was found.

use super::check::Check;
use super::gap::Estimate;
use super::slopes::Slope;

/// A figure, and whether it is exact but for rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its standard error; 0 of what is exact.
    pub error: f64,
    /// Whether it comes from a closed form.
    pub exact: bool,
}

impl Figure {
    /// From a closed form.
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0, exact: true }
    }

    /// From samples.
    pub fn measured(estimate: Estimate) -> Self {
        Self { value: estimate.value, error: estimate.error, exact: false }
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
}

impl Row {
    /// Whether the gap is below the bound, as far as its standard error allows to say.
    pub fn is_below(&self) -> bool {
        self.gap.value.abs() - 4.0 * self.gap.error <= self.bound * (1.0 + 1e-9)
    }
}

/// The limit of ηTΔ² and how near the last step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharp {
    /// The limit.
    pub constant: f64,
    /// ηTΔ² at the last step, over it.
    pub at_end: f64,
    /// The standard error of that.
    pub error: f64,
}

/// What Theorem 3.2 says with numbers in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// ε.
    pub epsilon: f64,
    /// Second moments of inputs: ξ.
    pub inputs: f64,
    /// Second moments of labels.
    pub labels: f64,
    /// T_ε without its constant.
    pub stated: f64,
    /// What is proven, or why nothing is.
    pub proven: Result<Proven, String>,
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
    /// Whether the user ended it before all samples were looked at.
    pub interrupted: bool,
}

impl Report {
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
            interrupted: false,
        }
    }
}
