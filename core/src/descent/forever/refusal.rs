//! Why nothing is claimed for all later steps.

use core::fmt;

/// What stands in the way of a statement about every later step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// Not a single class of columns with one level of equal weights and one of zeros.
    NotTwoLevel,
    /// Every token is in the group (D = K): the errors shrink geometrically, not like a power.
    Geometric,
    /// λ = ηgD/K is not certainly between 0 and 2.
    NotStable {
        /// λ.
        contraction: f64,
    },
    /// The scores are too far from those of the teacher, or too little is known of them.
    TooEarly {
        /// An upper bound of x = tan θ.
        tangent: f64,
        /// What it must not exceed.
        limit: f64,
    },
    /// c is not certainly positive.
    FactorNotPositive,
    /// x₀² (κv²/K²) max(1, λ/(2−λ)) is not small: a step moves the logits too far for c to follow.
    Coupling {
        /// Its value.
        value: f64,
    },
    /// The region could not be shown to be mapped into itself.
    NotInvariant {
        /// From this x downwards.
        tangent: f64,
    },
    /// A clock of the claim does not bound the advance of every step.
    ClockFails {
        /// At this x.
        tangent: f64,
    },
    /// The state is not in the region of the claim.
    OutsideRegion,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotTwoLevel => f.write_str(
                "columns of one kind are needed, with equal weights in the group and 0 outside of it",
            ),
            Self::Geometric => {
                f.write_str("every token is in the group: convergence is geometric, no power of T")
            }
            Self::NotStable { contraction } => {
                write!(f, "λ = ηgD/K = {contraction:e} is not certainly between 0 and 2")
            }
            Self::TooEarly { tangent, limit } => {
                write!(f, "tan θ may be {tangent}, and must be at most {limit}")
            }
            Self::FactorNotPositive => f.write_str("c is not certainly positive"),
            Self::Coupling { value } => write!(
                f,
                "x₀² (κv²/K²) max(1, λ/(2−λ)) = {value} is not small: logits move too far in a step"
            ),
            Self::NotInvariant { tangent } => {
                write!(f, "the region is not shown to be mapped into itself at tan θ = {tangent}")
            }
            Self::ClockFails { tangent } => {
                write!(f, "a clock does not bound the advance of a step at tan θ = {tangent}")
            }
            Self::OutsideRegion => {
                f.write_str("the state is not in the region: c is too far from what is best for its scores")
            }
        }
    }
}

impl core::error::Error for Refusal {}
