//! One program for every target: what it prints must be the same bits everywhere.
//!
//! ```text
//! program    what is computed and told, the same source for every board and scalar
//! lumped     the run in few scalars that it starts from
//! report     how numbers are told, bit by bit
//! board      what a target must be able to do, and how each does it
//! bin/       everything (compared), lumped (measured for its size), count (instructions a step)
//! ```
//!
//! There is no heap, and no way to panic: the handler calls a function that nobody defines, so an
//! image with a reachable panic does not link. `.ci/firmware` builds all of it, runs it in QEMU
//! and node, and compares.
#![no_std]

#[cfg(any(feature = "leak", not(any(target_os = "none", target_arch = "wasm32"))))]
extern crate std;

pub mod board;
pub mod lumped;
pub mod program;
pub mod report;

/// Makes `run`, a function of a board, what a binary does on every target.
#[macro_export]
macro_rules! entry {
    ($run:path) => {
        #[cfg(target_os = "none")]
        #[unsafe(no_mangle)]
        extern "C" fn start() -> ! {
            let mut board = $crate::board::Here::default();
            $run(&mut board);
            board.exit()
        }

        #[cfg(target_arch = "wasm32")]
        #[unsafe(no_mangle)]
        extern "C" fn start() {
            $run(&mut $crate::board::Here::default());
        }

        #[cfg(not(any(target_os = "none", target_arch = "wasm32")))]
        fn main() {
            $run(&mut $crate::board::Here::default());
        }
    };
}
