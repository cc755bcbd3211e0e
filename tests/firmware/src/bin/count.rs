//! How many instructions a lumped step takes, for every scalar.
//!
//! Runs where the clock advances with every instruction (QEMU with `-icount`). Clocks have units of
//! their own: the loop of known length that is timed first says how many instructions one is.
#![cfg_attr(any(target_os = "none", target_arch = "wasm32"), no_std, no_main)]

use core::hint::black_box;
use firmware::board::Board;
use firmware::lumped::with_run;
use firmware::report::{Bits, print_digits};
use popgd_core::Interval;
use popgd_core::descent::accumulate::Accumulate;

const TURNS: u32 = 1_000_000;

fn run(board: &mut dyn Board) {
    // The second loop, of another length, shows that the clock is an even one.
    for turns in [TURNS, 3 * TURNS] {
        let start = board.clock();
        board.spin(black_box(turns));
        tell(board, "spin", "", u64::from(turns) * 2, start);
    }
    steps::<f32>(board);
    steps::<f64>(board);
    steps::<Interval<f32>>(board);
    steps::<Interval<f64>>(board);
}

/// Steps 101 to 200, long before intervals grow wide.
#[inline(never)]
fn steps<S: Bits>(board: &mut dyn Board) {
    const STEPS: u64 = 100;
    for (name, accumulate) in
        [("compensated", Accumulate::Compensated), ("plain", Accumulate::Plain)]
    {
        with_run(black_box(S::context()), black_box(accumulate), |mut run| {
            for _ in 0..STEPS {
                run.step();
            }
            let start = board.clock();
            for _ in 0..STEPS {
                run.step();
            }
            tell(board, S::NAME, name, STEPS, start);
            black_box(run.c());
        });
    }
}

/// `# count f32 plain steps ticks`, where there is a clock.
fn tell(board: &mut dyn Board, what: &str, how: &str, units: u64, start: Option<u64>) {
    let (Some(start), Some(end)) = (start, board.clock()) else { return };
    board.print("# count ");
    board.print(what);
    board.print(" ");
    board.print(how);
    for number in [units, end - start] {
        board.print(" ");
        print_digits::<10>(board, number, 12);
    }
    board.print("\n");
}

firmware::entry!(run);
