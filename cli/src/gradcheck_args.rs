//! Flags of `popgd gradcheck`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::FORMATS;

/// Kinds of positions to check.
pub const POSITIONS: [&str; 3] = ["identity", "general", "both"];
/// When to prove.
pub const PROOFS: [&str; 3] = ["auto", "always", "never"];
/// Forms of formulas.
pub const FORMULAS: [&str; 2] = ["text", "latex"];

/// Flags of `gradcheck`.
#[derive(Clone, Debug, Default, Args)]
pub struct GradcheckArgs {
    /// Read a configuration, TOML or JSON; flags win over it. Of a configuration for `run`, sizes,
    /// group, activation, seed and output count
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the resolved configuration and how long to expect, and stop
    #[arg(long)]
    pub dry_run: bool,

    /// D, the number of tokens [default: 3]
    #[arg(long, short = 'D', value_name = "D", help_heading = "Model", allow_hyphen_values = true)]
    pub tokens: Option<String>,

    /// K: compare lumped and dense steps for D tokens in groups of K [default: for every
    /// 1 ≤ K ≤ D ≤ 6]
    #[arg(long, short = 'K', value_name = "K", help_heading = "Model", allow_hyphen_values = true)]
    pub group: Option<String>,

    /// M, the number of output channels [default: 2]
    #[arg(long, short = 'M', value_name = "M", help_heading = "Model", allow_hyphen_values = true)]
    pub channels: Option<String>,

    /// d, the number of features of a token [default: 2]
    #[arg(long, short = 'd', value_name = "d", help_heading = "Model", allow_hyphen_values = true)]
    pub features: Option<String>,

    /// σ: identity, relu, abs, leaky-relu:S with slope S below 0, or leaky-relu for every slope at
    /// once [default: leaky-relu]
    #[arg(long, value_name = "NAME", help_heading = "Model", allow_hyphen_values = true)]
    pub activation: Option<String>,

    /// P = I, any P, or one after the other [default: both]
    #[arg(
        long,
        value_name = "KIND",
        help_heading = "Model",
        value_parser = PossibleValuesParser::new(POSITIONS)
    )]
    pub positions: Option<String>,

    /// Whether to prove: if it takes seconds, whatever it takes, or not [default: auto]
    #[arg(
        long,
        value_name = "WHEN",
        help_heading = "Checks",
        value_parser = PossibleValuesParser::new(PROOFS)
    )]
    pub proof: Option<String>,

    /// Over how many random boxes gradient and derivative are enclosed [default: 4]
    #[arg(long, value_name = "N", help_heading = "Checks", allow_hyphen_values = true)]
    pub boxes: Option<String>,

    /// How far a box reaches from its centre in every number, about 1 in size [default: 1e-9]
    #[arg(long, value_name = "R", help_heading = "Checks", allow_hyphen_values = true)]
    pub radius: Option<String>,

    /// At how many random points the order of the Taylor remainder is measured [default: 8]
    #[arg(long, value_name = "N", help_heading = "Checks", allow_hyphen_values = true)]
    pub remainders: Option<String>,

    /// Seed of boxes and points [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Checks", allow_hyphen_values = true)]
    pub seed: Option<String>,

    /// Check nothing, but print loss and gradient as formulas, with names for what they share
    /// [forms: text, latex]
    #[arg(
        long,
        value_name = "FORM",
        help_heading = "Output",
        num_args = 0..=1,
        default_missing_value = "text",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(FORMULAS),
        conflicts_with = "format"
    )]
    pub print: Option<String>,

    /// The form of the result [default: table]
    #[arg(long, help_heading = "Output", value_parser = PossibleValuesParser::new(FORMATS))]
    pub format: Option<String>,

    /// Write the result to a file, in one piece, instead of to standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
}
