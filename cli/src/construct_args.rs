//! Flags of `popgd construct`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::cli::{FORMATS, SCALARS};

const MIRROR_DESCENT_EXAMPLES: &str = "\
Examples:
  popgd construct mirror-descent
  popgd construct mirror-descent --alphabet 10 --order 6 --length 200 --instances 1000
  popgd construct mirror-descent --steps 3 --rate 1/7 --scalar interval64 --format json
  popgd construct mirror-descent --transitions pi.csv --sequences tokens.csv --order 2
  popgd construct mirror-descent --plot leakage.svg

--transitions has q rows of q probabilities; --sequences one sequence of tokens a row, tokens
being numbered from 0. Both are .csv, .npy or .json files.";

/// Flags of `construct`.
#[derive(Clone, Debug, Args)]
pub struct ConstructArgs {
    /// Which transformer.
    #[command(subcommand)]
    pub construction: Construction,
}

/// The constructions.
#[derive(Clone, Debug, Subcommand)]
pub enum Construction {
    /// Three disentangled layers that take a mirror-descent step for the weights of a mixture of
    /// transition distributions
    #[command(after_help = MIRROR_DESCENT_EXAMPLES)]
    MirrorDescent(Box<MirrorDescentArgs>),
    /// Layers of softmax attention that each take a step of normalised gradient descent for
    /// in-context logistic regression
    NormalizedGd(NormalizedGdArgs),
    /// Softmax attention over the atoms of a measure, for distribution regression
    AttentionOperator(AttentionOperatorArgs),
}

/// Flags that all constructions have.
#[derive(Clone, Debug, Default, Args)]
pub struct SharedArgs {
    /// Read a configuration, TOML or JSON; flags win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the resolved configuration, and stop
    #[arg(long)]
    pub dry_run: bool,

    /// Seed of everything that is drawn [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Instances", allow_hyphen_values = true)]
    pub seed: Option<String>,

    /// On how many random instances the transformer is run beside its algorithm
    #[arg(long, value_name = "N", help_heading = "Instances", allow_hyphen_values = true)]
    pub instances: Option<String>,

    /// What to compute with; intervals enclose the exact values [default: f64]
    #[arg(long, help_heading = "Computation", value_parser = PossibleValuesParser::new(SCALARS))]
    pub scalar: Option<String>,

    /// The form of the result [default: table]
    #[arg(long, help_heading = "Output", value_parser = PossibleValuesParser::new(FORMATS))]
    pub format: Option<String>,

    /// Write the result to a file, in one piece, instead of to standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Also draw the result: SVG or PNG, by the ending
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
}

/// Flags of `construct mirror-descent`.
#[derive(Clone, Debug, Default, Args)]
pub struct MirrorDescentArgs {
    /// What all constructions have.
    #[command(flatten)]
    pub shared: SharedArgs,

    /// q, the number of different tokens [default: 10, or the size of --transitions]
    #[arg(long, value_name = "Q", help_heading = "Model", allow_hyphen_values = true)]
    pub alphabet: Option<String>,

    /// m, how many tokens back the mixture reaches [default: 3]
    #[arg(long, short = 'm', value_name = "M", help_heading = "Model", allow_hyphen_values = true)]
    pub order: Option<String>,

    /// T, the number of tokens of a sequence [default: 100]
    #[arg(long, short = 'T', value_name = "T", help_heading = "Model", allow_hyphen_values = true)]
    pub length: Option<String>,

    /// a, of the prior Dirichlet(a, …, a) of the weights [default: 1]
    #[arg(long, value_name = "A", help_heading = "Model", allow_hyphen_values = true)]
    pub concentration: Option<String>,

    /// π, from a file: q rows that sum to 1 [default: drawn, every row uniform on the simplex]
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub transitions: Option<PathBuf>,

    /// Sequences of tokens 0, …, q−1 from a file, one a row, instead of random instances
    #[arg(long, value_name = "FILE", help_heading = "Instances")]
    pub sequences: Option<PathBuf>,

    /// η, the step size [default: 1/(ma+1)]
    #[arg(
        long,
        visible_aliases = ["eta", "step-size"],
        value_name = "RATE",
        help_heading = "Construction",
        allow_hyphen_values = true
    )]
    pub rate: Option<String>,

    /// How many mirror-descent steps, each one layer more [default: 1]
    #[arg(long, value_name = "N", help_heading = "Construction", allow_hyphen_values = true)]
    pub steps: Option<String>,

    /// δ, finite strengths of the mask, whose leakage is measured, separated by commas
    /// [default: 4,8,12,16,20]
    #[arg(long, value_name = "LIST", help_heading = "Construction", allow_hyphen_values = true)]
    pub mask_strength: Option<String>,
}

/// Flags of `construct normalized-gd`.
#[derive(Clone, Debug, Default, Args)]
pub struct NormalizedGdArgs {
    /// What all constructions have.
    #[command(flatten)]
    pub shared: SharedArgs,
}

/// Flags of `construct attention-operator`.
#[derive(Clone, Debug, Default, Args)]
pub struct AttentionOperatorArgs {
    /// What all constructions have.
    #[command(flatten)]
    pub shared: SharedArgs,
}
