//! `popgd precision`: how far single precision carries, where plain sums stand still, and what an
//! enclosure says of it.
//!
//! One run is made in eight ways at once: in `f32` and `f64`, with plain and compensated sums, in
//! interval arithmetic of either precision step by step, and enclosed in mean-value form. The last
//! is a proof of where the exact run is, so that the errors of all others are known, and not
//! estimated from a run with more digits. `popgd precision --at 10^3,10^4,10^5,10^6,10^7` prints
//!
//! ```text
//! CNN with average pooling, D = 36 tokens, K = 4, ReLU
//! ‖V*‖ = 4, κ = 1/36, η = 1/18, 10,000,000 steps
//! lumped, in eight ways
//!
//! Where plain sums stand still
//!               δ apart   δ predicted    placed     seen   T predicted        seen      passed
//! ─────────────────────────────────────────────────────────────────────────────────────────────
//!  f32 plain    4.77e-7        5.1368    5.1368   5.1368     1,862,775   1,862,751   2,125,525
//!  f64 plain   1.78e-15       14.8438   14.8438        –     4.9276e14           –   5.6295e14
//! δ: gap between the logits, where its floats are this far apart. Placed: by starting there. Passed: when the exact run is at that δ.
//!
//! Relative error of the excess loss
//!  T            f32 plain   f32 compensated   f64 plain   f64 compensated
//! ────────────────────────────────────────────────────────────────────────
//!  1,000          -1.9e-8           -1.9e-8     < 1e-14           < 1e-14
//!  10,000         -9.1e-7           -2.5e-7     < 6e-14           < 6e-14
//!  100,000         8.5e-5           -7.7e-8     < 2e-13           < 1e-13
//!  1,000,000       0.0562            4.8e-7     < 4e-13           < 3e-13
//!  10,000,000      3.7535           -2.0e-7     1.1e-12           < 8e-13
//! Against enclosure64, which contains the exact run: proven.
//!
//! Relative width of its enclosures (proven)
//!  T            interval32   interval64   enclosure32   enclosure64
//! ──────────────────────────────────────────────────────────────────
//!  1,000                 –       1.5e-2        6.7e-6       1.3e-14
//!  10,000                –            –        4.4e-5       8.0e-14
//!  100,000               –            –        2.5e-4       1.8e-13
//!  1,000,000             –            –             –       4.2e-13
//!  10,000,000            –            –             –       1.1e-12
//! interval32 is unbounded from step 566; interval64 is unbounded from step 1,287; enclosure32 is unbounded from step 399,489.
//! ```
//!
//! A plain sum stands still where a step moves the gap δ between logits by less than half of the
//! spacing of floats, and then for ever, as the next step starts from the same state. `predicted` is
//! what [`popgd_core::theory::stall`] says of that; `seen` is when it happens in the run; `placed`
//! comes from starting around the predicted state, which is a way to see it in `f64` too, where no
//! run gets there. Relative to the exact run a plain sum is slow where increments are rounded down and
//! fast where they are rounded up, arrives there early, and from then on its loss is too large in
//! proportion to T. Compensated sums cure it. `--plot` draws it:
//!
#![doc = include_str!("../../pictures/precision.svg")]
//!
//! Step by step intervals forget that errors belong together, and are soon unbounded; enclosures with
//! ends in `f32` last for some 10⁵ steps, with ends in `f64` for the whole run. Note 9 of the
//! repository's `proofs-notes` derives the prediction.

pub mod judge;
pub mod stalls;
pub mod ways;

pub use judge::{Findings, Judged};
pub use stalls::StallFindings;
pub use ways::{Reading, Record, Standstill, Way};
