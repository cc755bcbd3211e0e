//! Ctrl-C: finish the chunk of steps at hand, write what was computed, and stop.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt (or a request to terminate) is noted instead of ending the process;
/// the second one ends it at once, for whoever does not want to wait.
pub fn listen() {
    // An error means that a handler is already in place: ours, from an earlier call.
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
