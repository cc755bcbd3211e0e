//! A lumped run of 10⁴ steps, or until intervals are unbounded, and nothing else: how much memory it takes.
#![cfg_attr(any(target_os = "none", target_arch = "wasm32"), no_std, no_main)]

#[cfg(feature = "heap")]
extern crate alloc;

use firmware::board::Board;
use firmware::lumped::with_run;
use firmware::report::{Bits, Report};
#[cfg(feature = "mismatch")]
use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;

#[cfg(not(any(feature = "f64", feature = "interval32", feature = "interval64")))]
type Number = f32;
#[cfg(feature = "f64")]
type Number = f64;
#[cfg(feature = "interval32")]
type Number = popgd_core::Interval<f32>;
#[cfg(feature = "interval64")]
type Number = popgd_core::Interval<f64>;

fn run(board: &mut dyn Board) {
    // What the checks must notice.
    #[cfg(feature = "heap")]
    core::hint::black_box(alloc::boxed::Box::new(core::hint::black_box(1)));
    #[cfg(feature = "panicking")]
    core::hint::black_box([1, 2, 3][core::hint::black_box(1)]);

    let mut report = Report::new(board);
    report.section::<Number>("lumped run");
    let done = with_run(Number::context(), Accumulate::Compensated, |mut run| {
        for step in 1..=10_000 {
            run.step();
            if !run.c().is_bounded() {
                report.count("unbounded from step", step);
                break;
            }
        }
        let c = run.c();
        #[cfg(feature = "mismatch")]
        let c = c + c * c.rational(1, 1 << 23);
        report.numbers("c", &[c]);
        report.numbers("logits", run.logits());
    });
    if done.is_none() {
        report.refused();
    }
    report.end();
}

firmware::entry!(run);
