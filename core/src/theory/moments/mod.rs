//! Theorem 3.2: inputs of any law with second moments, an explicit bound on what the student then
//! loses to its teacher, and the moments of data.
//!
//! Student `σ(cV* X S)` and teacher `σ(V* X S*)` see inputs X̃ that need not be Gaussian nor
//! independent, and labels Ỹ that need not come from the teacher. With
//! `Δ² = E ‖student − teacher‖²` and `R² = E ‖E[Ỹ|X̃] − teacher‖²` the student loses
//!
//! ```text
//! ½ E‖Ỹ − student‖² − ½ E‖Ỹ − teacher‖²  =  ½Δ² + E⟨teacher − E[Ỹ|X̃], student − teacher⟩ ,
//! ```
//!
//! at most `½Δ² + RΔ` in magnitude, and Δ² is bounded by second moments alone ([`bound`]). Of the
//! inputs nothing counts but `E ⟨V*x̃_i, V*x̃_k⟩` for every two tokens ([`structure`]), which may be
//! known exactly or estimated from a stream ([`estimate`]). Derivations: note 10.

pub mod bound;
pub mod errors;
pub mod estimate;
pub mod structure;

pub use bound::{Law, amplification, gap_bound, mean_square, sharp_square_gap};
pub use errors::Errors;
pub use estimate::{SecondSums, TokenSums};
pub use structure::{InputMoments, TokenMoments};
