//! What may be known of the second moments of inputs, and what a teacher sees of them.

use crate::error::check_length;
use crate::model::teacher::Shape;
use crate::{Error, Scalar};

/// The second moments of X̃, whose columns are the tokens x̃_i of d features.
#[derive(Clone, Copy, Debug)]
pub enum InputMoments<'a, S> {
    /// All entries uncorrelated, with mean 0 and this variance.
    Isotropic {
        /// The variance of an entry.
        variance: S,
    },
    /// No more than `E‖x̃_i‖² ≤ ξ` for every token; tokens may depend on one another.
    Bounded {
        /// ξ.
        square: S,
    },
    /// Uncorrelated tokens of one mean and one covariance.
    Independent {
        /// E x̃_i, d entries.
        mean: &'a [S],
        /// The covariance of x̃_i, d × d.
        covariance: &'a [S],
    },
    /// All of `E[x̃_i x̃_kᵀ]`.
    Full {
        /// dD × dD: entry (f, i) of X̃ has index fD + i, as X̃ row by row.
        second: &'a [S],
    },
}

/// `E ⟨V*x̃_i, V*x̃_k⟩`: what a teacher sees of the second moments of its inputs.
#[derive(Clone, Copy, Debug)]
pub enum TokenMoments<'a, S> {
    /// The same for all tokens, and for all pairs of different ones.
    Exchangeable {
        /// `E‖V*x̃_i‖²`.
        own: S,
        /// `E⟨V*x̃_i, V*x̃_k⟩` for i ≠ k.
        cross: S,
    },
    /// No more than `E‖V*x̃_i‖² ≤ ω²` for every token.
    Bounded {
        /// ω².
        square: S,
    },
    /// For every two tokens.
    Full {
        /// D × D, symmetric.
        gram: &'a [S],
    },
}

impl<S: Scalar> InputMoments<'_, S> {
    /// What a teacher with this V* sees of them.
    ///
    /// `value_matrix` is V*, M × d row by row; `gram` has D² entries if all moments are known, and is
    /// left alone otherwise. Of a bound ξ it makes `ω² = ‖V*‖_F² ξ`; whoever knows the operator norm
    /// of V*, or E‖V*x̃_i‖² itself, gives [`TokenMoments::Bounded`] directly and has a better one.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice does not fit the shape.
    pub fn seen_by<'g>(
        &self,
        shape: Shape,
        value_matrix: &[S],
        gram: &'g mut [S],
    ) -> Result<TokenMoments<'g, S>, Error>
    where
        S: 'g,
    {
        check_length("value matrix", shape.value_entries(), value_matrix.len())?;
        let features = shape.features;
        match *self {
            Self::Isotropic { variance } => {
                let own = variance * square_norm(variance, value_matrix);
                Ok(TokenMoments::Exchangeable { own, cross: variance.zero() })
            }
            Self::Bounded { square } => {
                let square = square * square_norm(square, value_matrix);
                Ok(TokenMoments::Bounded { square })
            }
            Self::Independent { mean, covariance } => {
                let squares = features.saturating_mul(features);
                check_length("mean of a token", features, mean.len())?;
                check_length("covariance of a token", squares, covariance.len())?;
                let Some(&context) = covariance.first() else {
                    return Err(Error::Empty { what: "features" });
                };
                let (mut cross, mut spread) = (context.zero(), context.zero());
                for row in shape.channels(value_matrix) {
                    cross = cross + context.dot(row, mean).square();
                    spread = spread + quadratic(context, covariance, row);
                }
                Ok(TokenMoments::Exchangeable { own: spread + cross, cross })
            }
            Self::Full { second } => {
                let side = features.saturating_mul(shape.tokens);
                check_length("second moments", side.saturating_mul(side), second.len())?;
                check_length("moments of tokens", shape.score_entries(), gram.len())?;
                let Some(&context) = second.first() else {
                    return Err(Error::Empty { what: "second moments" });
                };
                for (at, slot) in gram.iter_mut().enumerate() {
                    let (i, k) = match (at.checked_div(shape.tokens), at.checked_rem(shape.tokens))
                    {
                        (Some(i), Some(k)) => (i, k),
                        _ => (0, 0),
                    };
                    let mut sum = context.zero();
                    for row in shape.channels(value_matrix) {
                        for (f, &left) in row.iter().enumerate() {
                            let moments = second
                                .chunks(side.max(1))
                                .nth(f.saturating_mul(shape.tokens).saturating_add(i))
                                .unwrap_or(&[]);
                            let entries = moments.iter().skip(k).step_by(shape.tokens.max(1));
                            for (&right, &moment) in row.iter().zip(entries) {
                                sum = sum + left * moment * right;
                            }
                        }
                    }
                    *slot = sum;
                }
                Ok(TokenMoments::Full { gram })
            }
        }
    }
}

/// Σ x².
fn square_norm<S: Scalar>(context: S, entries: &[S]) -> S {
    entries.iter().fold(context.zero(), |sum, x| sum + x.square())
}

/// xᵀ A x, for a matrix with rows as long as x.
pub(super) fn quadratic<S: Scalar>(context: S, matrix: &[S], vector: &[S]) -> S {
    let rows = matrix.chunks(vector.len().max(1));
    vector
        .iter()
        .zip(rows)
        .fold(context.zero(), |sum, (&x, row)| sum + x * context.dot(row, vector))
}
