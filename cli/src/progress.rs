//! A progress bar on standard error, only where someone is watching, and waiting.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs have no bar: it would only flash.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that counts steps, or the like.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// When to show it; none if never.
    due: Option<Instant>,
    /// Whether it is shown.
    shown: AtomicBool,
}

impl Progress {
    /// A bar for so many steps; invisible if `quiet`, or if standard error is not a terminal.
    pub fn new(steps: u64, quiet: bool) -> Self {
        Self::of("step", steps, quiet)
    }

    /// A bar for so many of something else.
    pub fn of(unit: &str, count: u64, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
        let template = format!(
            "{{bar:30}} {{percent:>3}} %  {unit} {{human_pos}} of {{human_len}}, {{eta}} left"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        let due = (!quiet && std::io::stderr().is_terminal()).then(|| Instant::now() + PATIENCE);
        Self { bar, due, shown: AtomicBool::new(false) }
    }

    /// So many steps are done.
    pub fn reached(&self, steps: u64) {
        if self.due.is_some_and(|due| Instant::now() >= due)
            && !self.shown.swap(true, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        }
        self.bar.set_position(steps);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
