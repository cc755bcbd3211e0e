//! What a run leaves behind: rows, an end, and a state.

use crate::scalar::Number;

/// What was recorded after `t` steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// How many steps were made.
    pub t: u64,
    /// C1, with W_V = C1 V*; a dense run has none.
    pub c1: Option<Number>,
    /// C2; only a single class of two levels has it.
    pub c2: Option<Number>,
    /// C3; only a single class of two levels has it.
    pub c3: Option<Number>,
    /// L − L_opt.
    pub excess_loss: Number,
    /// ‖S − S*‖_F.
    pub score_error: Number,
    /// ‖W_V − V*‖_F.
    pub value_error: Number,
    /// The widest tangent of the angle between a column of S and its goal, over the columns
    /// with zeros; none if every column has full support. Below 0.2 a run is past its burn-in.
    pub tangent: Option<f64>,
}

impl Row {
    /// Whether every figure is finite.
    pub fn is_finite(&self) -> bool {
        [self.c1, self.c2, self.c3]
            .into_iter()
            .flatten()
            .chain([self.excess_loss, self.score_error, self.value_error])
            .all(Number::is_finite)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All steps were made.
    Complete,
    /// The user stopped it after this many steps.
    Interrupted {
        /// The last step that was made.
        after: u64,
    },
    /// A figure overflowed, or an enclosure grew without bound, in this step. Nothing from that
    /// step on is recorded.
    NotFinite {
        /// The first step whose result is not finite.
        at: u64,
    },
}

/// Rows in the order of their steps, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// One row a recorded step.
    pub rows: Vec<Row>,
    /// How the run ended.
    pub end: End,
}

/// The state that a run ended in.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Of a lumped run.
    Lumped {
        /// c, with W_V = c V*.
        c: Number,
        /// Class after class.
        classes: Vec<ClassState>,
    },
    /// Of a dense run; matrices row by row, S and Z as on paper (row i, column j).
    Dense {
        /// D.
        tokens: usize,
        /// M.
        channels: usize,
        /// d.
        features: usize,
        /// W_V, M × d.
        value_matrix: Vec<Number>,
        /// S, D × D.
        scores: Vec<Number>,
        /// Z = PᵀW_KQP/τ, D × D.
        logits: Vec<Number>,
        /// W_KQ, D × D, where P determines it plainly: PᵀP = I.
        key_query: Option<Vec<Number>>,
    },
}

/// Columns that are permutations of one another.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassState {
    /// How many columns.
    pub count: u64,
    /// Their levels.
    pub levels: Vec<LevelState>,
}

/// Tokens of equal target weight.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelState {
    /// How many tokens.
    pub count: u64,
    /// The target weight of each.
    pub weight: Number,
    /// The logit of each, relative to the last level of the class.
    pub logit: Number,
    /// The score of each.
    pub score: Number,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What was recorded.
    pub trajectory: Trajectory,
    /// The state at its end; none if that is not finite.
    pub state: Option<State>,
}
