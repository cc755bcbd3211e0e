//! What a teacher sees of the second moments of inputs.

use popgd_core::model::teacher::Shape;
use popgd_core::theory::moments::{InputMoments, TokenMoments};
use popgd_core::{Interval, Scalar};

use super::family::EnclosedMoments;
use super::path::around;
use super::settings::{Gaussian, Inputs};

/// What is known of the second moments of inputs.
#[derive(Clone, Debug)]
pub enum Seen<'a> {
    /// Independent entries of one law.
    Entries(EnclosedMoments),
    /// Gaussian inputs.
    Gaussian(&'a Gaussian),
    /// Of data: `E⟨V*x̃_i, V*x̃_k⟩` for every pair of tokens, for the teacher's V*.
    Full {
        /// D × D.
        gram: Vec<f64>,
        /// The largest entry on its diagonal.
        largest: f64,
    },
    /// Of data: the largest `E‖V*x̃_i‖²`, for the teacher's V*.
    Bounded {
        /// ω².
        square: f64,
    },
}

/// A scalar that such moments can be computed in.
pub trait Enters: Scalar {
    /// A number that is only known to be in an interval.
    fn enclosed(interval: Interval<f64>) -> Self;

    /// A rounded number.
    fn rounded(value: f64) -> Self;
}

impl Enters for f64 {
    fn enclosed(interval: Interval<f64>) -> Self {
        interval.midpoint()
    }

    fn rounded(value: f64) -> Self {
        value
    }
}

impl Enters for Interval<f64> {
    fn enclosed(interval: Interval<f64>) -> Self {
        interval
    }

    fn rounded(value: f64) -> Self {
        around(value)
    }
}

impl<'a> Seen<'a> {
    /// Of a law with finite second moments.
    pub fn of_law(inputs: &'a Inputs) -> Option<Self> {
        match inputs {
            Inputs::Family { family, centred, scale } => {
                let EnclosedMoments { mean, variance } = family.enclosed_moments().ok()?;
                let scale = around(*scale);
                let mean = if *centred { Interval::point(0.0) } else { scale * mean };
                Some(Self::Entries(EnclosedMoments { mean, variance: scale.square() * variance }))
            }
            Inputs::Gaussian(gaussian) => Some(Self::Gaussian(gaussian)),
            Inputs::File(_) => None,
        }
    }

    /// Of independent tokens, for a row v of V*: v·μ and vᵀΣv.
    pub fn along(&self, row: &[f64]) -> Option<(f64, f64)> {
        let square = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
        match self {
            Self::Entries(EnclosedMoments { mean, variance }) => {
                let sum: f64 = row.iter().sum();
                Some((mean.midpoint() * sum, variance.midpoint() * square(row)))
            }
            Self::Gaussian(law) if law.has_independent_tokens(row.len()) => {
                let dot = |line: &[f64]| row.iter().zip(line).map(|(v, c)| v * c).sum::<f64>();
                let lines = law.covariance.chunks_exact(row.len());
                let spread = row.iter().zip(lines).map(|(v, line)| v * dot(line)).sum();
                Some((dot(&law.mean), spread))
            }
            _ => None,
        }
    }

    /// Token by token what this V* sees, `gram` being memory for D² numbers.
    pub fn tokens<'g, S: Enters>(
        &self,
        shape: Shape,
        value_matrix: &[f64],
        gram: &'g mut Vec<S>,
    ) -> TokenMoments<'g, S> {
        let values: Vec<S> = value_matrix.iter().map(|&v| S::rounded(v)).collect();
        let zero = S::rounded(0.0);
        // The sizes fit, so that this is not reached; nothing is known then.
        let unknown = || TokenMoments::Bounded { square: S::rounded(f64::INFINITY) };
        match self {
            Self::Entries(EnclosedMoments { mean, variance }) => {
                let (mean, variance) = (S::enclosed(*mean), S::enclosed(*variance));
                let isotropic = InputMoments::Isotropic { variance };
                let Ok(TokenMoments::Exchangeable { own, .. }) =
                    isotropic.seen_by(shape, &values, &mut [])
                else {
                    return unknown();
                };
                let rows = values.chunks(shape.features.max(1));
                let sums = rows.map(|row| row.iter().fold(zero, |sum, &v| sum + v));
                let cross = sums.fold(zero, |all, sum| all + (sum * mean).square());
                TokenMoments::Exchangeable { own: own + cross, cross }
            }
            Self::Gaussian(law) => {
                let mean: Vec<S> = law.mean.iter().map(|&x| S::rounded(x)).collect();
                let covariance: Vec<S> = law.covariance.iter().map(|&x| S::rounded(x)).collect();
                gram.resize(shape.tokens * shape.tokens, zero);
                if law.is_whole(shape.features) {
                    let side = mean.len().max(1);
                    let pairs = covariance.iter().enumerate();
                    let second: Vec<S> =
                        pairs.map(|(at, &c)| c + mean[at / side] * mean[at % side]).collect();
                    let full = InputMoments::Full { second: &second };
                    return full.seen_by(shape, &values, gram).unwrap_or_else(|_| unknown());
                }
                let one = InputMoments::Independent { mean: &mean, covariance: &covariance };
                let Ok(TokenMoments::Exchangeable { own, cross }) =
                    one.seen_by(shape, &values, &mut [])
                else {
                    return unknown();
                };
                if law.correlation == 0.0 {
                    return TokenMoments::Exchangeable { own, cross };
                }
                let mut powers = vec![zero.one()];
                for apart in 1..shape.tokens {
                    powers.push(powers[apart - 1] * S::rounded(law.correlation));
                }
                for (at, slot) in gram.iter_mut().enumerate() {
                    let apart = (at / shape.tokens).abs_diff(at % shape.tokens);
                    *slot = powers[apart] * (own - cross) + cross;
                }
                TokenMoments::Full { gram }
            }
            Self::Full { gram: known, .. } => {
                gram.clear();
                gram.extend(known.iter().map(|&x| S::rounded(x)));
                TokenMoments::Full { gram }
            }
            Self::Bounded { square } => TokenMoments::Bounded { square: S::rounded(*square) },
        }
    }

    /// The same where columns do not say which tokens they belong to: of pairs of tokens the largest
    /// `E‖V*x̃_i‖²` is left.
    pub fn lumped_tokens(
        &self,
        shape: Shape,
        value_matrix: &[f64],
    ) -> TokenMoments<'static, Interval<f64>> {
        let mut gram = Vec::new();
        match self.tokens(shape, value_matrix, &mut gram) {
            TokenMoments::Exchangeable { own, cross } => TokenMoments::Exchangeable { own, cross },
            TokenMoments::Bounded { square } => TokenMoments::Bounded { square },
            TokenMoments::Full { gram } => {
                let own = gram.iter().step_by(shape.tokens + 1);
                let square = own.fold(Interval::point(0.0), |most, &square| most.max(square));
                TokenMoments::Bounded { square }
            }
        }
    }
}
