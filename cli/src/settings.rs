//! A configuration after every default is filled in and everything is checked: what commands
//! work from. Numbers are exact; every scalar rounds or encloses them itself.

use crate::number::{Exact, Span};

/// Where the teacher's scores come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Example 2.1, convolution with average pooling.
    Cnn,
    /// Example 2.2, graph convolution.
    Gcn,
    /// Example 2.3, sparse token selection.
    Sts,
    /// Example 2.5, group-sparse linear predictor.
    Gslp,
    /// Scores or classes given in a file.
    Custom,
}

/// In full matrices, or collapsed to few scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One softmax a class, one logit a level.
    Lumped,
    /// All of W_V and of the logits.
    Dense,
}

/// The type that a run computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `Interval<f32>`.
    Interval32,
    /// `Interval<f64>`.
    Interval64,
}

/// Columns of S* that are permutations of one another.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSettings {
    /// How many columns.
    pub count: u64,
    /// Their levels.
    pub levels: Vec<LevelSettings>,
}

/// Tokens of equal target weight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LevelSettings {
    /// How many tokens.
    pub count: u64,
    /// The target weight of each.
    pub weight: Exact,
}

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T = Exact> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The entries, row by row.
    pub entries: Vec<T>,
}

/// Positional encodings.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionSettings {
    /// P = I (an orthogonal P from the paper gives the same run).
    Identity,
    /// A given P, found orthogonal: PᵀP = I, for floats within 1e−12 entry by entry, for
    /// intervals exactly.
    Orthogonal(Matrix),
    /// A given P.
    General(Matrix),
}

/// What a dense run needs beyond a lumped one.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseSettings {
    /// V*, M × d.
    pub value_matrix: Matrix,
    /// S*, D × D as written on paper: row i, column j, columns sum to 1.
    pub scores: Matrix,
    /// P.
    pub positions: PositionSettings,
    /// τ, where logit_scale was given with p; otherwise `logit_gain` holds κ.
    pub logit_scale: Option<Exact>,
    /// W_V(0); zero if absent.
    pub start_value_matrix: Option<Matrix<Span>>,
    /// W_KQ(0); zero if absent.
    pub start_key_query: Option<Matrix<Span>>,
    /// Z(0) = PᵀW_KQ(0)P/τ, D × D as on paper, in the place of W_KQ(0): descent needs no more of
    /// it.
    pub start_logits: Option<Matrix<Span>>,
}

/// Where a lumped run starts if not from zero.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSettings {
    /// c ≥ 0.
    pub c: Span,
    /// One logit a level, class after class.
    pub logits: Vec<Span>,
}

/// ‖V*‖_F.
#[derive(Clone, Debug, PartialEq)]
pub enum TeacherNorm {
    /// Given.
    Norm(Exact),
    /// Of a given V*: its square.
    Square(Exact),
}

/// The model and its training: everything that determines a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSettings {
    /// Where S* comes from.
    pub task: Task,
    /// D.
    pub tokens: u64,
    /// K, where all columns have the same number of equal positive weights.
    pub group: Option<u64>,
    /// M.
    pub channels: usize,
    /// d.
    pub features: usize,
    /// The slope s of the activation.
    pub slope: Exact,
    /// σ′(0).
    pub slope_at_zero: Exact,
    /// ‖V*‖_F.
    pub teacher_norm: TeacherNorm,
    /// κ. With general positions: 1/τ².
    pub logit_gain: Exact,
    /// η.
    pub rate: Exact,
    /// T.
    pub steps: u64,
    /// Standard deviation of the label noise.
    pub noise: Exact,
    /// Seeds V*, and whatever else is drawn.
    pub seed: u64,
    /// The classes of columns of S*.
    pub classes: Vec<ClassSettings>,
    /// Where a lumped run starts, if not from zero.
    pub state: Option<StateSettings>,
    /// Present if and only if `method` is dense.
    pub dense: Option<DenseSettings>,
    /// How the run is done.
    pub method: Method,
    /// What it computes with.
    pub scalar: ScalarKind,
    /// Whether sums are compensated.
    pub compensated: bool,
}

/// How results leave the program.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// What is printed.
    pub format: Format,
    /// Where to, if not to standard output. Written atomically.
    pub output: Option<std::path::PathBuf>,
    /// A picture, SVG or PNG by its ending.
    pub plot: Option<std::path::PathBuf>,
    /// The final state, JSON or .npy by its ending.
    pub save_state: Option<std::path::PathBuf>,
    /// No progress, no warnings.
    pub quiet: bool,
    /// Whether tables have colours.
    pub color: ColorChoice,
}

/// When tables have colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<ColorChoice> for clap::ColorChoice {
    fn from(choice: ColorChoice) -> Self {
        match choice {
            ColorChoice::Always => Self::Always,
            ColorChoice::Never => Self::Never,
            ColorChoice::Auto => Self::Auto,
        }
    }
}

/// The form of printed results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// One document, see the schema.
    Json,
    /// One line a recorded step.
    Csv,
}

/// A whole resolved configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What is run.
    pub model: ModelSettings,
    /// The recorded steps: increasing, each ≤ steps, always with the last.
    pub at: Vec<u64>,
    /// How results leave.
    pub output: OutputSettings,
    /// T₀, if it was asked for (`certify`).
    pub from_step: Option<u64>,
    /// Print the resolved configuration and stop.
    pub dry_run: bool,
    /// Treat a measured disagreement with the theorem as failure (`rates`).
    pub strict: bool,
    /// What is asked beside that (`ood`).
    pub ood: Option<crate::ood::settings::OodSettings>,
    /// The configuration as JSON, every default filled in, keys as in files: echoed into results.
    pub echo: serde_json::Value,
}
