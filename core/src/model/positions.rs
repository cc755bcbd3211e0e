//! Positional encodings P: how the key–query matrix makes logits, and how logits move when it
//! moves.
//!
//! The student sees W_KQ only through its logits `Z = Pᵀ W_KQ P / τ`. By the chain rule
//! `∂L/∂W_KQ = P (∂L/∂Z) Pᵀ / τ`, so a descent step on W_KQ moves the logits by
//! `−η Γ (∂L/∂Z) Γ / τ²` with `Γ = PᵀP`: descent on W_KQ *is* descent on Z in the metric of Γ
//! (note 1). For PᵀP = γI that is `−η κ ∂L/∂Z` with the logit gain `κ = γ²/τ²`.
//!
//! Layout: W_KQ and P are D × D, row by row, column i of P being the encoding of token i. Logits
//! have one row per query, like scores: entry `j D + i` is Z_{ij}.

use crate::error::check_length;
use crate::slices::rows_mut;
use crate::{Error, Scalar};

/// Positional encodings of D tokens.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a, S> {
    /// P = I.
    Identity,
    /// PᵀP = I; that it holds is the caller's promise.
    Orthogonal(&'a [S]),
    /// Any P. A step costs D³ then, not D².
    General(&'a [S]),
}

impl<S: Scalar> Positions<'_, S> {
    /// Z = Pᵀ W_KQ P / τ, written to `logits`; `scratch` is D × D.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice is not D × D long.
    pub fn logits(
        &self,
        tokens: usize,
        key_query: &[S],
        temperature: S,
        logits: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        // Stored with one row per query: Zᵀ = Pᵀ W_KQᵀ P / τ.
        let side = |p: &[S], i, k| entry(p, tokens, k, i);
        self.conjugate(tokens, side, key_query, temperature, logits, scratch)
    }

    /// ∂L/∂W_KQ = P (∂L/∂Z) Pᵀ / τ, written to `key_query_gradient`; `scratch` is D × D.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice is not D × D long.
    pub fn key_query_gradient(
        &self,
        tokens: usize,
        logit_gradient: &[S],
        temperature: S,
        key_query_gradient: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        let side = |p: &[S], i, k| entry(p, tokens, i, k);
        self.conjugate(tokens, side, logit_gradient, temperature, key_query_gradient, scratch)
    }

    /// Q Mᵀ Qᵀ / τ, Q being P or Pᵀ, whose entries `side` takes from P.
    fn conjugate(
        &self,
        tokens: usize,
        side: impl Fn(&[S], usize, usize) -> Option<S>,
        matrix: &[S],
        temperature: S,
        result: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        self.check(tokens, matrix, result, scratch)?;
        match *self {
            Self::Identity => transpose(tokens, matrix, result),
            Self::Orthogonal(p) | Self::General(p) => {
                let transposed = |k, j| entry(matrix, tokens, j, k);
                product(tokens, temperature, |i, k| side(p, i, k), transposed, scratch);
                let half = |i, k| entry(scratch, tokens, i, k);
                product(tokens, temperature, half, |k, j| side(p, j, k), result);
            }
        }
        for slot in result {
            *slot = *slot / temperature;
        }
        Ok(())
    }

    /// How a step on W_KQ moves the logits, for a temperature τ. `gram` is D × D and holds Γ for as
    /// long as the metric is used; only general positions write to it.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice that is needed is not D × D long.
    pub fn metric<'g>(
        &self,
        tokens: usize,
        temperature: S,
        gram: &'g mut [S],
    ) -> Result<Metric<'g, S>, Error> {
        match self {
            Self::Identity | Self::Orthogonal(_) => {
                Ok(Metric::Gain(temperature.one() / temperature.square()))
            }
            Self::General(_) => {
                self.gram(temperature.one(), tokens, gram)?;
                Ok(Metric::Gram { gram, temperature })
            }
        }
    }

    /// Γ = PᵀP, written to `gram`.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice is not D × D long.
    pub fn gram(&self, one: S, tokens: usize, gram: &mut [S]) -> Result<(), Error> {
        check_length("Gram matrix", tokens.saturating_mul(tokens), gram.len())?;
        match *self {
            Self::Identity | Self::Orthogonal(_) => {
                for (i, row) in rows_mut(gram, tokens).enumerate() {
                    for (j, slot) in row.iter_mut().enumerate() {
                        *slot = if i == j { one } else { one.zero() };
                    }
                }
            }
            Self::General(p) => {
                check_length("positions", tokens.saturating_mul(tokens), p.len())?;
                product(
                    tokens,
                    one,
                    |i, k| entry(p, tokens, k, i),
                    |k, j| entry(p, tokens, k, j),
                    gram,
                );
            }
        }
        Ok(())
    }

    fn check(&self, tokens: usize, from: &[S], to: &[S], scratch: &[S]) -> Result<(), Error> {
        let entries = tokens.saturating_mul(tokens);
        check_length("matrix of the key–query block", entries, from.len())?;
        check_length("result", entries, to.len())?;
        check_length("scratch", entries, scratch.len())?;
        match self {
            Self::Identity => Ok(()),
            Self::Orthogonal(p) | Self::General(p) => check_length("positions", entries, p.len()),
        }
    }
}

/// How a gradient step on W_KQ moves the logits.
#[derive(Clone, Copy, Debug)]
pub enum Metric<'a, S> {
    /// `Z ← Z − η κ ∂L/∂Z`: positions with PᵀP = γI, κ = γ²/τ² (1/D in the paper).
    Gain(S),
    /// `Z ← Z − η Γ (∂L/∂Z) Γ / τ²`: any positions, with their Gram matrix Γ = PᵀP (D × D).
    Gram {
        /// Γ.
        gram: &'a [S],
        /// τ.
        temperature: S,
    },
}

/// Γ G Γ for a symmetric Γ, in place of G; `scratch` is D × D. (Transposing G transposes the
/// result, so it does not matter which of its sides is stored along rows.)
pub(crate) fn congruence<S: Scalar>(
    context: S,
    tokens: usize,
    gram: &[S],
    gradient: &mut [S],
    scratch: &mut [S],
) {
    product(
        tokens,
        context,
        |i, k| entry(gram, tokens, i, k),
        |k, j| entry(gradient, tokens, k, j),
        scratch,
    );
    product(
        tokens,
        context,
        |i, k| entry(scratch, tokens, i, k),
        |k, j| entry(gram, tokens, k, j),
        gradient,
    );
}

fn entry<S: Copy>(matrix: &[S], side: usize, row: usize, column: usize) -> Option<S> {
    matrix.get(row.saturating_mul(side).saturating_add(column)).copied()
}

fn transpose<S: Copy>(side: usize, from: &[S], to: &mut [S]) {
    for (row, slots) in rows_mut(to, side).enumerate() {
        for (column, slot) in slots.iter_mut().enumerate() {
            if let Some(value) = entry(from, side, column, row) {
                *slot = value;
            }
        }
    }
}

/// The product of two square matrices given by their entries.
fn product<S: Scalar>(
    side: usize,
    context: S,
    left: impl Fn(usize, usize) -> Option<S>,
    right: impl Fn(usize, usize) -> Option<S>,
    result: &mut [S],
) {
    for (row, slots) in rows_mut(result, side).enumerate() {
        for (column, slot) in slots.iter_mut().enumerate() {
            *slot =
                (0..side).fold(context.zero(), |sum, k| match (left(row, k), right(k, column)) {
                    (Some(a), Some(b)) => sum + a * b,
                    _ => sum,
                });
        }
    }
}
