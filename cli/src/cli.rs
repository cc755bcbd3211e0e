//! The command line: flags, their help, and nothing else.
//!
//! Numbers stay text here. They are read exactly, together with those of a configuration file,
//! where everything is checked (see [`config`](crate::config)).

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

use crate::construct_args::ConstructArgs;
use crate::gradcheck_args::GradcheckArgs;
use crate::ood_args::OodArgs;
use crate::simulate_args::SimulateArgs;
use crate::sweep_args::SweepArgs;

/// Names of the tasks.
pub const TASKS: [&str; 4] = ["cnn", "gcn", "sts", "gslp"];
/// Names of the methods.
pub const METHODS: [&str; 2] = ["lumped", "dense"];
/// Names of the scalar types.
pub const SCALARS: [&str; 4] = ["f32", "f64", "interval32", "interval64"];
/// Ways to add up increments.
pub const ACCUMULATES: [&str; 2] = ["compensated", "plain"];
/// Conventions for σ′(0).
pub const SLOPES_AT_ZERO: [&str; 3] = ["right", "left", "mean"];
/// Forms of output.
pub const FORMATS: [&str; 3] = ["table", "json", "csv"];
/// When to use colours.
pub const COLORS: [&str; 3] = ["auto", "always", "never"];

const LONG_ABOUT: &str = "\
popgd runs gradient descent on the exact population loss of a one-layer transformer student \
that learns a teacher σ(V* X S*), and measures how fast it converges.

There is no sampling: expectations are in closed form, so a run shows the descent itself. By \
symmetry a run costs a few operations a step, whatever the number of tokens.

The schemas of JSON and CSV results are documented with the library, in the module \
popgd::output::json (`cargo doc -p popgd --open`, or docs.rs/popgd); they change only with the \
changelog.";

const EXAMPLES: &str = "\
Examples:
  popgd run --task cnn --tokens 36 --group 4
  popgd run --preset gcn --scalar interval64 --steps 500 --format json
  popgd run --config run.toml --at 1,10,100 --steps 100 --output run.csv --format csv
  popgd rates
  popgd rates --task sts --tokens 64 --group 8
  popgd gradcheck
  popgd precision
  popgd ood

`popgd help run` tells about every flag.";

const RUN_EXAMPLES: &str = "\
Examples:
  popgd run -D 36 -K 4 -T 1e6
  popgd run --tokens 10^6 --group 100 --activation leaky-relu:0.1 --logit-gain D^-2
  popgd run --preset sts --method dense --steps 1000 --save-state end.json
  popgd run --config run.toml --rate 1/40 --dry-run
  popgd run --config end.json --save-state later.json

A configuration file, TOML or JSON, has a key for every flag, in snake_case; flags win. Some keys
are for files only: v, s, classes, p, logit_scale, w0, kq0, logits, state, partition, edges,
adjacency, offsets. Numbers may be strings: \"1/3\" stays a third. A JSON result is a configuration
too, and repeats its run; a saved state goes on from there, for as many steps again. For example:

  # run.toml
  rate = 0.1
  steps = \"10^5\"
  v = [[1, 0], [0, 2]]
  s = \"scores.csv\"";

const RATES_EXAMPLES: &str = "\
Examples:
  popgd rates
  popgd rates --task gcn -D 20 -K 3 --teacher-norm 4 --steps 10^7
  popgd rates --config run.toml --format json --strict
  popgd rates --sweep tokens=256..2048*2 --common-norm auto
  popgd rates --sweep group=1,2,4,8 --sweep rate=1/100,1/50 --task sts -D 512 --product
  popgd rates --sweep tokens=64..512*2 --plan jobs.jsonl

A sweep is one run a value; see `--plan`, `--from` and `--resume` for more than one machine.";

const CERTIFY_EXAMPLES: &str = "\
Examples:
  popgd certify -D 16 -K 4
  popgd certify -D 1024 -K 4 --teacher-norm 40 --at 10^9,10^12,10^18
  popgd certify --config run.toml --format json --output certificate.json
  popgd certify --check certificate.json

The state at T₀ is enclosed in interval arithmetic; from there on the errors are bounded for every
later step. A certificate has all that a check needs, which uses formulas of its own. Exit codes:
3 if a certificate does not prove what it says, 1 if it does but the file was altered, 4 if
nothing can be proven, with the reason.";

const PRECISION_EXAMPLES: &str = "\
Examples:
  popgd precision
  popgd precision -D 16 -K 4 --steps 10^6 --format json
  popgd precision --task sts --points-per-decade 8 --plot precision.svg

One run is made in eight ways: f32 and f64, each with plain and with compensated sums, interval \
arithmetic step by step, and enclosures in mean-value form, which contain the exact run and so \
prove the errors of all others. A plain sum stands still once steps are less than half of the \
spacing of floats: when is predicted, and measured.";

const GRADCHECK_EXAMPLES: &str = "\
Examples:
  popgd gradcheck
  popgd gradcheck -D 4 -M 1 -d 3 --activation relu --positions identity
  popgd gradcheck --tokens 36 --features 4 --boxes 1
  popgd gradcheck -D 12 -K 4 --format json
  popgd gradcheck --print -D 2 -M 1 -d 2 --activation relu
  popgd gradcheck --print latex --output gradient.tex

The code that descends is run over formulas, intervals and floats. Proof: the coded gradient less \
the derivative of the coded loss is reduced to 0, for all numbers at once. Enclosure: both contain \
their values over a box, and must meet. Remainder: the loss differs from its linear part in second \
order if the gradient is right, in first order if it is wrong. Then steps: dense and lumped ones \
follow their gradients, are the same where they should be, and keep what the paper says they keep.

Exit codes: 0 if all agrees, 3 if something is refuted, 4 if something is undecided.";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  popgd simulate
  popgd simulate --preset gcn --steps 10^5 --seeds 2 --plot gcn.svg
  popgd simulate --batch 25,100,400,1600 --steps 1000
  popgd simulate --noise 5 --format json --output noisy.json
  popgd simulate --steps 10^6 --resume checkpoints

Every step draws a fresh batch; beside it runs descent on the exact loss. Results are the same to \
the last bit for any number of threads, and after any number of interruptions with --resume.";

const OOD_EXAMPLES: &str = "\
Examples:
  popgd ood
  popgd ood --inputs t:5 --labels worst --epsilon 0.1 --plot gap.svg
  popgd ood --inputs exponential --noise 1 --batch 100
  popgd ood --inputs gaussian --correlation 0.5
  popgd ood --inputs inputs.npy --labels responses.npy -D 36 -d 4 -M 2
  popgd ood --inputs inputs.csv -D 36 -d 4 --moments-only

Theorem 3.2 says that the student loses at most ε to its teacher on any inputs and labels with bounded
second moments. Are they bounded? What does it lose, what at most, and from which T on is that below
ε? A file has one record a line (.csv, .jsonl) or along its first axis (.npy): an input of d rows and
D columns, row by row, a response of M rows and D columns.

Exit codes: 0 if the hypothesis holds, 3 if it fails, 4 if the data cannot tell, or if nothing is
proven of an ε that was asked for.";

const COMPLETIONS_EXAMPLE: &str = "\
Example:
  popgd completions bash > ~/.local/share/bash-completion/completions/popgd";

/// Exact population gradient descent for transformer students: measures and proves rates.
#[derive(Clone, Debug, Parser)]
#[command(name = "popgd", version, long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub struct Cli {
    /// What everything has.
    #[command(flatten)]
    pub common: CommonArgs,

    /// What to do; nothing prints a short help.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Run gradient descent and print its trajectory
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Compare the rates of one configuration, or the exponents of a sweep, with the theorem
    #[command(after_help = RATES_EXAMPLES)]
    Rates(RatesArgs),
    /// Prove the rates for every step from some T₀ on, or check such a proof
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(CertifyArgs),
    /// Train on batches of samples as the paper does, beside the exact descent
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(SimulationArgs),
    /// Prove that the gradient of descent is the derivative of its loss, or find where it is not
    #[command(after_help = GRADCHECK_EXAMPLES)]
    Gradcheck(GradcheckArgs),
    /// Compare f32, f64, plain and compensated sums, intervals and enclosures in one run
    #[command(after_help = PRECISION_EXAMPLES)]
    Precision(PrecisionArgs),
    /// Measure and bound what the student loses on inputs and labels of another law
    #[command(after_help = OOD_EXAMPLES)]
    Ood(OodArgs),
    /// Run a transformer that is an algorithm beside the algorithm
    Construct(ConstructArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLE)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff
    #[command(after_help = "Example:\n  popgd man > popgd.1")]
    Man,
}

/// Flags that every subcommand has.
#[derive(Clone, Debug, Default, Args)]
pub struct CommonArgs {
    /// No progress and no warnings
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_parser = PossibleValuesParser::new(COLORS)
    )]
    pub color: Option<String>,
}

/// Flags of `run`.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    /// What determines the trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Run a job of a sweep (a line of `rates --plan`; - is standard input) and print its result,
    /// one line of JSON
    #[arg(long, value_name = "FILE", help_heading = "Jobs")]
    pub job: Option<PathBuf>,

    /// Also write the final state: JSON or .npy, by the ending
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_state: Option<PathBuf>,
}

/// Flags of `rates`.
#[derive(Clone, Debug, Default, Args)]
pub struct RatesArgs {
    /// What determines the trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Also write the final state: JSON or .npy, by the ending
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub save_state: Option<PathBuf>,
    /// How it is varied, and where that is computed.
    #[command(flatten)]
    pub sweep: SweepArgs,

    /// Fail with exit code 3 on a measured disagreement with the theorem
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

/// Flags of `certify`.
#[derive(Clone, Debug, Default, Args)]
pub struct CertifyArgs {
    /// What determines the trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// T₀, from which on everything is proven [default: soon after tan θ has fallen below 0.1]
    #[arg(long, value_name = "T0", help_heading = "Certificate", allow_hyphen_values = true)]
    pub from_step: Option<String>,

    /// Check a certificate (the JSON result of `certify`) from its contents alone
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub check: Option<PathBuf>,
}

/// Flags of `precision`.
#[derive(Clone, Debug, Default, Args)]
pub struct PrecisionArgs {
    /// What determines the trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Fail with exit code 3 if a plain sum stands still elsewhere than predicted
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
}

/// Flags of `simulate`.
#[derive(Clone, Debug, Default, Args)]
pub struct SimulationArgs {
    /// What determines the exact trajectory.
    #[command(flatten)]
    pub model: ModelArgs,

    /// How it is trained on samples.
    #[command(flatten)]
    pub simulation: SimulateArgs,
}

/// Flags that determine a trajectory, what is recorded of it, and how that is shown.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelArgs {
    /// Read a configuration, TOML or JSON; flags win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Print the resolved configuration, its limits and what to expect, and stop
    #[arg(long)]
    pub dry_run: bool,

    /// Task and sizes of the paper: cnn 36/4, gcn 20/3, sts 20/4, gslp 20/1 (tokens/group)
    #[arg(
        long,
        value_name = "TASK",
        help_heading = "Model",
        value_parser = PossibleValuesParser::new(TASKS)
    )]
    pub preset: Option<String>,

    /// The teacher's scores: average pooling, graph convolution, sparse token selection, or
    /// group-sparse linear predictor [default: cnn]
    #[arg(long, help_heading = "Model", value_parser = PossibleValuesParser::new(TASKS))]
    pub task: Option<String>,

    /// D, the number of tokens [default: 36 for cnn, otherwise 20]
    #[arg(long, short = 'D', value_name = "D", help_heading = "Model", allow_hyphen_values = true)]
    pub tokens: Option<String>,

    /// K, the number of tokens that a query averages [default: cnn 4, gcn 3, sts 4, gslp 1]
    #[arg(long, short = 'K', value_name = "K", help_heading = "Model", allow_hyphen_values = true)]
    pub group: Option<String>,

    /// M, the number of output channels [default: 2; sts 4, gslp 1]
    #[arg(long, short = 'M', value_name = "M", help_heading = "Model", allow_hyphen_values = true)]
    pub channels: Option<String>,

    /// d, the number of features of a token [default: 4]
    #[arg(long, short = 'd', value_name = "d", help_heading = "Model", allow_hyphen_values = true)]
    pub features: Option<String>,

    /// ‖V*‖_F, a number or sqrt(number) [default: 1, in rates, certify, precision and ood 4, in
    /// simulate 20; sts √d, for V* = I]
    #[arg(long, value_name = "NORM", help_heading = "Model", allow_hyphen_values = true)]
    pub teacher_norm: Option<String>,

    /// σ: identity, relu, abs, or leaky-relu:S with slope S below 0 [default: relu for cnn and
    /// gcn, identity for sts and gslp]
    #[arg(long, value_name = "NAME", help_heading = "Model", allow_hyphen_values = true)]
    pub activation: Option<String>,

    /// σ′(0): the derivative from the right, from the left, or their mean [default: right]
    #[arg(
        long,
        value_name = "SIDE",
        help_heading = "Model",
        value_parser = PossibleValuesParser::new(SLOPES_AT_ZERO)
    )]
    pub slope_at_zero: Option<String>,

    /// κ, how strongly logits react: a number, 1/D, 2/D, or D^-p [default: 1/D]
    #[arg(
        long,
        visible_alias = "kappa",
        value_name = "GAIN",
        help_heading = "Model",
        allow_hyphen_values = true
    )]
    pub logit_gain: Option<String>,

    /// η, the step size [default: 0.25/(g Σ‖s*‖²), which is 0.25·K/(gD)]
    #[arg(
        long,
        visible_aliases = ["eta", "step-size"],
        value_name = "RATE",
        help_heading = "Training",
        allow_hyphen_values = true
    )]
    pub rate: Option<String>,

    /// T, the number of steps [default: 10^5, in rates, precision and ood 10^7, in simulate 10^4; in
    /// certify the most to enclose, 10^9]
    #[arg(
        long,
        short = 'T',
        value_name = "T",
        help_heading = "Training",
        allow_hyphen_values = true
    )]
    pub steps: Option<String>,

    /// Standard deviation of the label noise [default: 0, in simulate 0.1]
    #[arg(long, value_name = "DEVIATION", help_heading = "Training", allow_hyphen_values = true)]
    pub noise: Option<String>,

    /// Seed of everything that is drawn, such as V* [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Training", allow_hyphen_values = true)]
    pub seed: Option<String>,

    /// Few scalars, or all of the matrices [default: lumped, unless the start or the positions
    /// need dense]
    #[arg(long, help_heading = "Computation", value_parser = PossibleValuesParser::new(METHODS))]
    pub method: Option<String>,

    /// What to compute with; intervals enclose the exact values [default: f64]
    #[arg(long, help_heading = "Computation", value_parser = PossibleValuesParser::new(SCALARS))]
    pub scalar: Option<String>,

    /// How increments are added up [default: compensated]
    #[arg(
        long,
        value_name = "HOW",
        help_heading = "Computation",
        value_parser = PossibleValuesParser::new(ACCUMULATES)
    )]
    pub accumulate: Option<String>,

    /// The steps to record, separated by commas; the last one always is
    #[arg(
        long,
        value_name = "STEPS",
        help_heading = "Output",
        allow_hyphen_values = true,
        conflicts_with = "points_per_decade"
    )]
    pub at: Option<String>,

    /// Record 0, T, and so many steps in every decade between [default: 4, in simulate 8]
    #[arg(long, value_name = "N", help_heading = "Output", allow_hyphen_values = true)]
    pub points_per_decade: Option<String>,

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
