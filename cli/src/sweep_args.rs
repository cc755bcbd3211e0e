//! Flags of sweeps: what `popgd rates` varies, and where its runs are computed.

use std::path::PathBuf;

use clap::Args;

/// Flags of a sweep.
#[derive(Clone, Debug, Default, Args)]
pub struct SweepArgs {
    /// Vary tokens, group, teacher-norm, rate or steps: VAR=a,b,c, or VAR=lo..hi*f by factors of
    /// f. May be repeated: one variable at a time, the others as they are
    #[arg(long, value_name = "VAR=VALUES", help_heading = "Sweep")]
    pub sweep: Vec<String>,

    /// Every combination of the values of all sweeps
    #[arg(long, help_heading = "Sweep")]
    pub product: bool,

    /// One ‖V*‖_F for all runs: a number, or auto, the largest at which attention still moves
    /// slowly (κ‖V*‖² ≤ K²/10, ηκ‖V*‖² ≤ 1/10); only κ‖V*‖² counts, and burn-in gets shorter
    #[arg(long, value_name = "auto|NORM", help_heading = "Sweep", allow_hyphen_values = true)]
    pub common_norm: Option<String>,

    /// Write the runs of the sweep as jobs, one a line, and stop; `popgd run --job` does one
    #[arg(long, value_name = "FILE", help_heading = "Jobs")]
    pub plan: Option<PathBuf>,

    /// Take the results of jobs from these files, in any order; * stands for anything
    #[arg(long, value_name = "PATTERN", help_heading = "Jobs")]
    pub from: Option<String>,

    /// Keep each result in this folder as it is done, and skip what is there already
    #[arg(long, value_name = "FOLDER", help_heading = "Jobs")]
    pub resume: Option<PathBuf>,

    /// How many runs at the same time [default: one a processor]
    #[arg(long, value_name = "N", help_heading = "Jobs", allow_hyphen_values = true)]
    pub threads: Option<String>,
}
