//! Which power of what: the exponents that Theorem 3.1 states, and those that descent has.
//!
//! All are exponents of `ηT (L − L_opt)`, `√(ηT) ‖S − S*‖_F` and `√(ηT) ‖W_V − V*‖_F`, so that the
//! rate and the number of steps are out of the way, for D tokens in groups of K.

use crate::Scalar;
use crate::model::Quantities;

/// What a teacher or its training can be varied in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// D, the logit gain being κ = D^{−p}.
    Tokens,
    /// K.
    Group,
    /// ‖V*‖_F.
    TeacherNorm,
    /// η.
    Rate,
    /// T.
    Steps,
}

impl Variable {
    /// Every variable.
    pub const ALL: [Self; 5] =
        [Self::Tokens, Self::Group, Self::TeacherNorm, Self::Rate, Self::Steps];

    /// The exponents in Theorem 3.1.
    pub fn stated(self) -> Quantities<f64> {
        let [excess_loss, score_error, value_error] = match self {
            Self::Tokens => [4.0, 2.5, 2.0],
            Self::Group => [1.0, 0.0, 0.5],
            Self::TeacherNorm => [0.0, -1.0, 0.0],
            Self::Rate | Self::Steps => [0.0; 3],
        };
        Quantities { excess_loss, score_error, value_error }
    }

    /// The exponents of the sharp constants at D and K, that is, their logarithmic derivatives,
    /// where the logit gain is κ = D^{−p} (note 4).
    pub fn local<S: Scalar>(self, tokens: S, group: S, gain_power: S) -> Quantities<S> {
        let (zero, half) = (tokens.zero(), tokens.rational(1, 2));
        let rest = tokens - group;
        let [excess_loss, score_error, value_error] = match self {
            Self::Tokens => {
                let share = tokens / rest;
                let of_gain = half * gain_power;
                [share + gain_power, half * (share + share.one()) + of_gain, share - half + of_gain]
            }
            Self::Group => {
                let share = group / rest;
                [share.one() - share, -(half * share), half - share]
            }
            Self::TeacherNorm => [zero, -zero.one(), zero],
            Self::Rate | Self::Steps => [zero; 3],
        };
        Quantities { excess_loss, score_error, value_error }
    }

    /// The limits of [`local`](Self::local) as D/K → ∞.
    pub fn asymptotic(self, gain_power: f64) -> Quantities<f64> {
        let [excess_loss, score_error, value_error] = match self {
            Self::Tokens => [1.0 + gain_power, 1.0 + 0.5 * gain_power, 0.5 + 0.5 * gain_power],
            Self::Group => [1.0, 0.0, 0.5],
            Self::TeacherNorm => [0.0, -1.0, 0.0],
            Self::Rate | Self::Steps => [0.0; 3],
        };
        Quantities { excess_loss, score_error, value_error }
    }
}
