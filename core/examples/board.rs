//! A program for one's own board: trains a student without std, without a heap and, with the
//! handler below, without a way to panic.
//!
//! On a computer it prints what it finds:
//!
//! ```sh
//! cargo run --release -p popgd-core --example board
//! ```
//!
//! For a microcontroller take everything but the part marked "computer" into a crate of your own, with `popgd-core` and whatever starts your board as dependencies. With `cortex-m-rt` and
//! `cortex-m-semihosting`, for example, that is
//!
//! ```text
//! #[cortex_m_rt::entry]
//! fn main() -> ! {
//!     if let Ok(found) = train() {
//!         let _ = cortex_m_semihosting::hprintln!("c = {:08x}", found.c.to_bits());
//!     }
//!     loop {}
//! }
//! ```
//!
//! and `rustup target add thumbv6m-none-eabi` all that has to be installed. (The bits of a float, and not
//! its decimals: what prints these in the core library can panic.)
#![cfg_attr(target_os = "none", no_std, no_main)]

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::Quantities;
use popgd_core::model::classes::TwoLevel;
use popgd_core::theory::stability::check_lumped;
use popgd_core::{Activation, Error};

/// The numbers to compute with. Any scalar does: on a Cortex-M0 `f64` takes 2.8 times as many
/// instructions, `popgd_core::Interval<f32>` 17 times, for bounds on the exact result in the
/// place of numbers (rustc 1.95, optimised for size).
type Number = f32;

/// How many steps to make.
const STEPS: u32 = 10_000;

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// c, with W_V = c V*.
    pub c: Number,
    /// The gap between the logits of tokens within a group and outside of it.
    pub gap: Number,
    /// The excess loss and both errors.
    pub quantities: Quantities<Number>,
}

/// Trains a student on average pooling: 36 tokens in groups of 4.
///
/// # Errors
/// Whatever is wrong with the model: it is a value, never a panic.
#[inline(never)]
pub fn train() -> Result<Found, Error> {
    let (tokens, group): (Number, Number) = (36.0, 4.0);

    // The teacher: every column of S* has `group` entries 1/K, all others 0. Any number of classes
    // of columns with any weights is described likewise, see `model::classes`.
    let teacher = TwoLevel::new(tokens, group);
    let activation = Activation::relu(1.0);
    let classes = [teacher.class()];
    let model = LumpedModel {
        activation,
        classes: &classes,
        teacher_norm: 4.0,
        logit_gain: 1.0 / tokens, // orthonormal positions, temperature √D
        rate: 0.25 * group / (activation.gain() * tokens),
        slope_at_zero: 1.0, // σ′(0): where training from zero gets its first step from
    };

    // Memory is the caller's, and may be anything: a local array, a static, part of a larger buffer.
    // `model.memory()` tells how much a run needs; a wrong length is an error.
    let mut memory: [Number; 8] = [0.0; 8];

    // A rate beyond the limit of stability would look like training for a long time.
    check_lumped(&model, &mut [0.0; 4])?;

    // In f32, compensated sums are worth their few instructions: plain ones stand still for ever
    // after some two million steps (`theory::stall`).
    let mut run = Lumped::from_zero(model, Accumulate::Compensated, &mut memory)?;
    for _ in 0..STEPS {
        run.step();
    }
    let gap = run.logits().first().copied().unwrap_or_default();
    Ok(Found { c: run.c(), gap, quantities: run.quantities() })
}

/// Computer: prints what was found.
#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Error> {
    let Found { c, gap, quantities } = train()?;
    println!("after {STEPS} steps c = {c}, gap = {gap}, bits {:08x}", c.to_bits());
    println!("excess loss {}", quantities.excess_loss);
    Ok(())
}

/// Core has no panics to handle, but the language asks for a handler. In the place of the loop, a
/// call of a function that is declared and nowhere defined makes the linker prove that there are
/// none; tests/firmware does that.
#[cfg(target_os = "none")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
