//! Latent mixtures of transition distributions, learnt in context by mirror descent (note 11; after
//! D'Angelo and Flammarion, *Transformers Learn Latent Mixture Models In-Context via Mirror
//! Descent*, 2026).
//!
//! Tokens 0, …, q−1 follow `P(y_t = j | past, λ) = Σ_{g=1..m} λ_g π(y_{t−g}, j)`, with known π and
//! weights λ that are drawn anew, from a Dirichlet prior, for every sequence. Who reads a sequence
//! learns λ from it:
//!
//! | module | how |
//! |---|---|
//! | [`mixture`] | the algorithm: exponentiated gradient steps on the likelihood, and when they never lower it |
//! | [`transformer`] | three layers of attention that are one such step, up to the mask |
//! | [`stacked`] | two layers a step, for as many steps as wanted |
//! | [`posterior`] | the exact posterior mean of λ, to which one step is close |
//! | [`sampling`] | sequences to try that on |
//!
//! ```
//! use popgd_core::in_context::mirror_descent::{mixture::Mixture, posterior, transformer::Transformer};
//!
//! let transitions = [0.6, 0.4, 0.3, 0.7];
//! let mixture = Mixture::new(2, 2, &transitions)?;
//! let tokens = [0, 1, 1, 0, 0, 0, 1];
//! let rate = 1.0 / 3.0; // 1/(m a + 1) for the prior Dirichlet(a, …, a), a = 1
//!
//! let (mut algorithm, mut attention, mut bayes) = ([0.0_f64; 2], [0.0; 2], [0.0; 2]);
//! let mut scratch = [0.0; 4];
//! mixture.descend(&tokens, rate, 1, &mut algorithm, &mut scratch)?;
//!
//! let mut memory = vec![0.0; Transformer::<f64>::memory(2, 2, 7, false)];
//! let transformer = Transformer::new(mixture, 7, rate, None, &mut memory)?;
//! let mut scratch = vec![0.0; transformer.scratch()];
//! let mut next = [0.0; 2];
//! transformer.run(&tokens, &mut attention, &mut next, &mut scratch)?;
//!
//! let mut states = vec![0.0; posterior::states(2, 5).unwrap()];
//! posterior::mean(&mixture, &tokens, 1.0, &mut bayes, &mut states)?;
//!
//! assert!((algorithm[0] - attention[0]).abs() < 1e-15);
//! assert!((algorithm[0] - bayes[0]).abs() < 0.01);
//! # Ok::<(), popgd_core::Error>(())
//! ```

pub mod mixture;
pub mod posterior;
pub mod sampling;
pub mod stacked;
pub mod transformer;
