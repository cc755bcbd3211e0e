//! Flags of `popgd ood`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ModelArgs;

/// Flags of `ood`.
#[derive(Clone, Debug, Default, Args)]
pub struct OodArgs {
    /// What determines the trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The law of all entries of X̃, or a file of inputs (.csv, .npy, .jsonl). Laws: gaussian,
    /// exponential, laplace, rademacher, gumbel, cauchy (each with a scale if wanted, as in
    /// gaussian:2), uniform:HALF-WIDTH, lognormal:DEVIATION, t:NU, pareto:ALPHA; or a mixture, such as
    /// 0.9*gaussian+0.1*t:3 [default: exponential]
    #[arg(long, value_name = "LAW|FILE", help_heading = "Out of distribution")]
    pub inputs: Option<String>,

    /// Of gaussian inputs: a file (.csv, .npy, .json) with the covariance of a token, d × d, or that of
    /// all of X̃ row by row, dD × dD [default: I]
    #[arg(long, value_name = "FILE", help_heading = "Out of distribution")]
    pub covariance: Option<PathBuf>,

    /// Of gaussian inputs: a file with the mean of a token, d numbers, or of all of X̃ if its covariance
    /// is given [default: 0]
    #[arg(long, value_name = "FILE", help_heading = "Out of distribution")]
    pub mean: Option<PathBuf>,

    /// Of gaussian inputs: tokens i and k have RHO^|i−k| times the covariance of a token [default: 0,
    /// independent tokens]
    #[arg(
        long,
        value_name = "RHO",
        help_heading = "Out of distribution",
        allow_hyphen_values = true
    )]
    pub correlation: Option<String>,

    /// Take its mean off the law
    #[arg(long, help_heading = "Out of distribution")]
    pub centred: bool,

    /// Multiply inputs of a law by this [default: 1]
    #[arg(
        long,
        value_name = "FACTOR",
        help_heading = "Out of distribution",
        allow_hyphen_values = true
    )]
    pub scale: Option<String>,

    /// teacher, zero, independent (standard Gaussian), another (groups moved on by K tokens, which are
    /// the same if K = D, and another V*), worst (what the student loses most with), or a file of
    /// responses; --noise is added to each [default: teacher]
    #[arg(long, value_name = "LABELS|FILE", help_heading = "Out of distribution")]
    pub labels: Option<String>,

    /// R, how far worst labels are from the teacher [default: the bound on how far 0 is]
    #[arg(
        long,
        value_name = "R",
        help_heading = "Out of distribution",
        allow_hyphen_values = true
    )]
    pub label_distance: Option<String>,

    /// ε: from which T on is the gap at most so large? [default: 0.01]
    #[arg(
        long,
        value_name = "EPSILON",
        help_heading = "Out of distribution",
        allow_hyphen_values = true
    )]
    pub epsilon: Option<String>,

    /// T₀, from which on everything is proven [default: soon after tan θ has fallen below 0.1]
    #[arg(
        long,
        value_name = "T0",
        help_heading = "Out of distribution",
        allow_hyphen_values = true
    )]
    pub from_step: Option<String>,

    /// How many samples of a law are drawn [default: 10^5]
    #[arg(long, value_name = "N", help_heading = "Samples", allow_hyphen_values = true)]
    pub samples: Option<String>,

    /// How many samples, noise included, the finite batch has that the paper plots [default: 100]
    #[arg(long, value_name = "N", help_heading = "Samples", allow_hyphen_values = true)]
    pub batch: Option<String>,

    /// Only check whether second moments are finite
    #[arg(long, help_heading = "Samples")]
    pub moments_only: bool,

    /// How many threads; results do not depend on it [default: one a processor]
    #[arg(long, value_name = "N", help_heading = "Samples", allow_hyphen_values = true)]
    pub threads: Option<String>,
}
