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

const NORMALIZED_GD_EXAMPLES: &str = "\
Examples:
  popgd construct normalized-gd
  popgd construct normalized-gd -d 20 -n 500 --layers 200 --instances 10
  popgd construct normalized-gd --scalar interval64 --format json
  popgd construct normalized-gd --labelled samples.csv --layers 1000
  popgd construct normalized-gd --plot margin.svg

--labelled has a sample a row: its label, 1 or -1, then its features. It is a .csv, .npy or .json
file.";

const ATTENTION_OPERATOR_EXAMPLES: &str = "\
Examples:
  popgd construct attention-operator
  popgd construct attention-operator -d 8 -n 64 --scalar interval64
  popgd construct attention-operator --atoms measure.csv --format json
  popgd construct attention-operator --rank 2 --prompts 8 --plot sampling.svg

--atoms has an atom a row: its weight, which is not negative, then its coordinates. It is a .csv,
.npy or .json file.";

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
    #[command(after_help = NORMALIZED_GD_EXAMPLES)]
    NormalizedGd(NormalizedGdArgs),
    /// Softmax attention over the atoms of a measure, for distribution regression
    #[command(after_help = ATTENTION_OPERATOR_EXAMPLES)]
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

    /// On how many random instances the transformer is run beside its algorithm; data of one's own
    /// take their place [default: 100]
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

    /// S, how many mirror-descent steps: 2S + 1 layers [default: 1]
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

    /// d, the number of features of a sample [default: 4, or as --labelled has]
    #[arg(long, short = 'd', value_name = "d", help_heading = "Model", allow_hyphen_values = true)]
    pub features: Option<String>,

    /// n, the number of samples in the context [default: 16, or as --labelled has]
    #[arg(long, short = 'n', value_name = "N", help_heading = "Model", allow_hyphen_values = true)]
    pub samples: Option<String>,

    /// Labelled vectors from a file, one a row: a label 1 or -1, then the features
    #[arg(long, value_name = "FILE", help_heading = "Instances")]
    pub labelled: Option<PathBuf>,

    /// η, the step size [default: 1 for random samples, which are in the unit ball; 1/R² for
    /// labelled ones, R being the longest]
    #[arg(
        long,
        visible_aliases = ["eta", "step-size"],
        value_name = "RATE",
        help_heading = "Construction",
        allow_hyphen_values = true
    )]
    pub rate: Option<String>,

    /// k, the number of layers, each of which is a step [default: 50]
    #[arg(
        long,
        short = 'k',
        visible_alias = "layers",
        value_name = "K",
        help_heading = "Construction",
        allow_hyphen_values = true
    )]
    pub steps: Option<String>,

    /// For how many steps a layer is trained to imitate one of descent; 0 for none
    /// [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Construction", allow_hyphen_values = true)]
    pub train: Option<String>,
}

/// Flags of `construct attention-operator`.
#[derive(Clone, Debug, Default, Args)]
pub struct AttentionOperatorArgs {
    /// What all constructions have.
    #[command(flatten)]
    pub shared: SharedArgs,

    /// d, the number of coordinates of an atom [default: 4, or as --atoms has]
    #[arg(long, short = 'd', value_name = "d", help_heading = "Model", allow_hyphen_values = true)]
    pub features: Option<String>,

    /// n, the number of atoms of a measure [default: 16, or as --atoms has]
    #[arg(long, short = 'n', value_name = "N", help_heading = "Model", allow_hyphen_values = true)]
    pub samples: Option<String>,

    /// Weighted atoms from a file, one a row: a weight, then the coordinates
    #[arg(long, value_name = "FILE", help_heading = "Instances")]
    pub atoms: Option<PathBuf>,

    /// k, the number of prompt tokens [default: 4]
    #[arg(long, value_name = "K", help_heading = "Construction", allow_hyphen_values = true)]
    pub prompts: Option<String>,

    /// r, the rank of the change of A in fine-tuning [default: 1]
    #[arg(long, value_name = "R", help_heading = "Construction", allow_hyphen_values = true)]
    pub rank: Option<String>,
}
