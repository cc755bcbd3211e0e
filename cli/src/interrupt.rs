//! Requests to stop, by Ctrl-C or from the system: finish the chunk of steps at hand, write what
//! was computed, and end.
//!
//! A hangup is left alone, so that `nohup` works.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

/// How soon a signal is seen. Whoever is sent two within this time is asked once: a terminal and
/// the program that started us may both pass on one Ctrl-C.
const GLANCE: Duration = Duration::from_millis(20);

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Files that are of no use unless they are completed.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on the first SIGINT or SIGTERM is noted instead of ending the process; the second one
/// ends it at once, for whoever does not want to wait.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let signalled = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&signalled);
        let watcher = std::thread::Builder::new().name("signals".into()).spawn(move || {
            loop {
                std::thread::sleep(GLANCE);
                if seen.swap(false, Ordering::SeqCst) && REQUESTED.swap(true, Ordering::SeqCst) {
                    remove_temporaries();
                    std::process::exit(130);
                }
            }
        });
        // Without somebody to watch them, signals had better end the process as ever.
        if watcher.is_ok() {
            for signal in [SIGINT, SIGTERM] {
                let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
            }
        }
    });
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// This file is removed if the process must end at once.
pub fn guard(path: &Path) {
    listen();
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// This file is complete, or gone.
pub fn release(path: &Path) {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != path);
}

fn remove_temporaries() {
    for path in TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = std::fs::remove_file(path);
    }
}
