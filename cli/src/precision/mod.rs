//! `popgd precision`: how far single precision carries, where plain sums stand still, and what an
//! enclosure says of it.
//!
//! One run is made in eight ways at once: in `f32` and `f64`, with plain and compensated sums, in
//! interval arithmetic of either precision, and enclosed in mean-value form. The last is a proof of
//! where the exact run is, so the error of every other way is known, and not estimated from a run
//! with more digits. A plain sum stalls where a step moves the gap δ between logits by less than
//! half of the spacing of floats; [`popgd_core::theory::stall`] says when that is, and it is
//! compared with when it is.

pub mod judge;
pub mod stalls;
pub mod ways;

pub use judge::{Findings, Judged};
pub use stalls::StallFindings;
pub use ways::{Reading, Record, Standstill, Way};
