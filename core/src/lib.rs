//! Exact population gradient descent for a transformer student that learns a teacher, over any
//! scalar: floats, intervals, duals, symbols.
//!
//! A one-layer transformer with position-only attention, `X ↦ σ(W_V X S)` with
//! `S = softmax(PᵀW_KQP/τ)`, is trained on the population loss against a teacher
//! `X ↦ σ(V* X S*)`, with Gaussian X. Loss and gradient are sums of closed-form Gaussian
//! expectations, so gradient descent can be run *exactly*, without a sample ever being drawn. The
//! setting is that of Zhang, Zhao, Gu and Cao, *Transformers Trained via Gradient Descent Can
//! Provably Learn a Class of Teacher Models* (2026), cited as "the paper".
//!
//! * No `std`, no heap, no `unsafe`; no panic on any input. Matrices live in slices of the caller.
//! * Every formula is written once, over the trait [`Scalar`].
//! * The derivations are in the repository's `proofs-notes`, cited as "note 1", "note 2", …
//!
//! # The map
//! | wing | what it holds |
//! |---|---|
//! | [`scalar`] | what we compute with: the trait, `f32` and `f64`, [`Interval`], [`Dual`], `Expr` |
//! | [`model`] | what is computed: [`Activation`], teachers, the exact loss and its gradient |
//! | [`theory`] | what is claimed: Theorems 3.1 and 3.2, sharp constants, burn-in, stability limits, second moments |
//! | [`descent`] | how it runs: [`Dense`] in full matrices, [`Lumped`] in a few scalars |
//! | [`in_context`] | transformers that carry out an algorithm, with explicit weights |
//! | `gradient_check` | is the gradient right? proofs and other checks (feature `symbolic`) |
//!
//! # A teacher of one's own
//! Three tokens; the teacher passes on the first, the mean of the last two, and a weighted mean of
//! all. Matrices of scores have one row per query, which sums to 1.
//! ```
//! use popgd_core::descent::accumulate::Accumulate;
//! use popgd_core::descent::dense::{DenseModel, Metric};
//! use popgd_core::model::teacher::{Shape, Teacher};
//! use popgd_core::{Activation, Dense};
//!
//! let shape = Shape { tokens: 3, channels: 2, features: 2 };
//! let value_matrix = [1.0, -0.5, 0.25, 0.75];
//! let scores = [
//!     1.0, 0.0, 0.0,
//!     0.0, 0.5, 0.5,
//!     0.5, 0.25, 0.25,
//! ];
//! let teacher = Teacher::new(shape, Activation::relu(1.0), &value_matrix, &scores)?;
//! let model = DenseModel {
//!     teacher,
//!     metric: Metric::Gain(1.0 / 3.0), // orthonormal positions, temperature √D
//!     rate: 0.5,
//!     slope_at_zero: 1.0,
//! };
//! let mut memory = [0.0; 73];
//! assert_eq!(memory.len(), model.memory());
//! let mut student = Dense::from_zero(model, Accumulate::Compensated, &mut memory)?;
//! let before = student.quantities();
//! for _ in 0..10_000 {
//!     student.step();
//! }
//! let after = student.quantities();
//! assert!(after.excess_loss < 1e-3 * before.excess_loss);
//! assert!(after.value_error < 0.05 && after.score_error < 0.05);
//! # Ok::<(), popgd_core::Error>(())
//! ```
//!
//! # The same, enclosed
//! With intervals for numbers the very same code returns bounds on the exact result:
//! ```
//! use popgd_core::{Activation, Interval};
//!
//! let relu = Activation::relu(Interval::point(1.0_f64));
//! let kernel = relu.kernel(Interval::point(1.0));
//! assert!(kernel.lo() < kernel.hi() && kernel.width() < 1e-15);
//! ```
//!
//! # Features
//! | feature | adds | needs |
//! |---|---|---|
//! | none | everything but `Expr` | `core` |
//! | `symbolic` | `scalar::symbolic`: the formulas themselves; `gradient_check`: proof that the gradient is one | a heap (`alloc`) |
//! | `serde` | [`Interval`] (read with its ends checked), [`Activation`] (as its slope), [`Quantities`](model::Quantities), [`Shape`](model::teacher::Shape), [`Accumulate`](descent::accumulate::Accumulate), [`Stall`](theory::stall::Stall) through serde | `serde` without std |
//!
//! There is no feature `alloc`: nothing but `symbolic` allocates, and that has it without a word.
//! Every set of features builds for a Cortex-M0 (`thumbv6m-none-eabi`). `serde` adds nothing to a program
//! that does not use it (measured); one with `symbolic` needs an allocator.
//!
//! # On a microcontroller
//! `examples/board.rs` of this crate is a program to start from: it trains in f32, with 32 bytes of
//! memory for the run beside its model. The same bits come out of every processor with
//! IEEE 754 arithmetic, or without any: elementary functions are those of `libm`, never of a
//! platform. In the repository `.ci/firmware` shows that on Cortex-M0, M3 and M4F, on RISC-V, in
//! WebAssembly and on the host, enclosures included, and measures a program that makes 10⁴ lumped
//! steps (rustc 1.95.0, `opt-level = "s"`, fat LTO; no static data; instructions in QEMU):
//!
//! | text / stack, bytes | `f32` | `f64` | `interval32` | `interval64` |
//! |---|---|---|---|---|
//! | Cortex-M0 (thumbv6m) | 11,024 / 644 | 15,632 / 804 | 35,984 / 1,308 | 52,352 / 2,084 |
//! | Cortex-M3 (thumbv7m) | 10,496 / 596 | 15,024 / 748 | 35,136 / 1,160 | 50,032 / 1,904 |
//! | Cortex-M4F (thumbv7em, hard float) | 8,120 / 604 | 15,824 / 852 | 36,136 / 1,332 | 59,952 / 3,348 |
//! | RISC-V (riscv32imac) | 11,656 / 676 | 17,992 / 900 | 42,928 / 1,084 | 59,488 / 1,756 |
//!
//! | instructions a step, compensated / plain | `f32` | `f64` | `interval32` | `interval64` |
//! |---|---|---|---|---|
//! | Cortex-M0 (thumbv6m) | 16,116 / 14,667 | 45,163 / 42,481 | 267,366 / 266,300 | 471,674 / 469,901 |
//! | Cortex-M4F (thumbv7em, hard float) | 1,085 / 1,064 | 15,824 / 14,295 | 42,244 / 42,061 | 202,750 / 201,223 |
//! | RISC-V (riscv32imac) | 8,629 / 7,695 | 17,808 / 16,205 | 149,036 / 148,354 | 225,747 / 224,532 |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "popgd-core needs SSE2 on 32-bit x86: without it floats are computed with the extended \
     precision of the x87 and rounded twice, and no enclosure would be proven"
);

#[cfg(feature = "symbolic")]
extern crate alloc;

pub mod descent;
pub mod error;
#[cfg(feature = "symbolic")]
pub mod gradient_check;
pub mod in_context;
pub mod model;
pub mod scalar;
mod slices;
pub mod theory;

pub use descent::dense::Dense;
pub use descent::lumped::Lumped;
pub use error::Error;
pub use model::activation::Activation;
pub use model::teacher::Teacher;
pub use scalar::Scalar;
pub use scalar::dual::Dual;
pub use scalar::interval::Interval;
