//! What is checked: loss and gradient as functions of everything they depend on.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::descent::accumulate::Accumulate;
use crate::descent::dense::{Dense, DenseModel, Metric};
use crate::error::check_length;
use crate::model::activation::Activation;
use crate::model::population::excess_loss;
use crate::model::positions::Positions;
use crate::model::teacher::{Shape, Teacher};
use crate::{Error, Scalar};

/// The slope of the activation on the negative side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slope {
    /// Any: the input named `slope`.
    Symbol,
    /// The fraction of these integers: (1, 1) is the identity, (0, 1) is ReLU.
    Fraction(i64, i64),
}

impl Slope {
    /// Whether it is a number for which the code does what it does for a symbol: for −1, 0 and 1
    /// terms vanish.
    pub(super) fn is_generic(self) -> bool {
        match self {
            Self::Symbol => false,
            Self::Fraction(numerator, denominator) => {
                numerator != 0
                    && numerator != denominator
                    && numerator.checked_neg() != Some(denominator)
            }
        }
    }
}

/// The positional encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encodings {
    /// P = I.
    Identity,
    /// Any P, its entries being inputs.
    General,
}

/// For which sizes, activation and positions to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// D, M and d.
    pub shape: Shape,
    /// s.
    pub slope: Slope,
    /// P.
    pub encodings: Encodings,
}

/// One of the two trained matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// W_V, M × d.
    Value,
    /// W_KQ, D × D.
    KeyQuery,
}

/// The place of a trained number; rows and columns count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// In which matrix.
    pub block: Block,
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
}

/// `W_V[1,2]`, counted from 1.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = match self.block {
            Block::Value => "W_V",
            Block::KeyQuery => "W_KQ",
        };
        write!(f, "{block}[{},{}]", self.row + 1, self.column + 1)
    }
}

/// A value for everything that loss and gradient depend on, in the layouts of the library.
#[derive(Clone, Debug)]
pub struct Inputs<S> {
    /// D, M and d.
    pub shape: Shape,
    /// s.
    pub slope: S,
    /// τ.
    pub temperature: S,
    /// W_V, M × d.
    pub value_matrix: Vec<S>,
    /// W_KQ, D × D.
    pub key_query: Vec<S>,
    /// V*, M × d.
    pub teacher_values: Vec<S>,
    /// S*, D × D, one row per query.
    pub teacher_scores: Vec<S>,
    /// P, D × D; `None` for the identity.
    pub positions: Option<Vec<S>>,
}

impl<S: Copy> Inputs<S> {
    /// The same inputs in another scalar.
    pub fn map<T>(&self, mut convert: impl FnMut(S) -> T) -> Inputs<T> {
        let mut all = |values: &[S]| values.iter().map(|&x| convert(x)).collect();
        Inputs {
            shape: self.shape,
            value_matrix: all(&self.value_matrix),
            key_query: all(&self.key_query),
            teacher_values: all(&self.teacher_values),
            teacher_scores: all(&self.teacher_scores),
            positions: self.positions.as_deref().map(all),
            slope: convert(self.slope),
            temperature: convert(self.temperature),
        }
    }
}

/// The derivatives of the loss with respect to both blocks, in their layouts.
#[derive(Clone, Debug)]
pub struct Gradient<S> {
    /// ∂L/∂W_V.
    pub value_matrix: Vec<S>,
    /// ∂L/∂W_KQ.
    pub key_query: Vec<S>,
}

impl<S: Copy> Gradient<S> {
    /// All entries, first of W_V and then of W_KQ, as [`Case::entries`] lists their places.
    pub fn iter(&self) -> impl Iterator<Item = S> + '_ {
        self.value_matrix.iter().chain(&self.key_query).copied()
    }

    /// Whether there is a derivative for every trained number: none may be left unchecked.
    pub(super) fn fits(self, shape: Shape) -> Result<Self, Error> {
        check_length("gradient of W_V", shape.value_entries(), self.value_matrix.len())?;
        check_length("gradient of W_KQ", shape.score_entries(), self.key_query.len())?;
        Ok(self)
    }
}

impl Case {
    /// The places of all trained numbers, row by row, first of W_V and then of W_KQ.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + use<> {
        let Shape { tokens, channels, features } = self.shape;
        let of = |block, rows, columns| {
            (0..rows)
                .flat_map(move |row| (0..columns).map(move |column| Entry { block, row, column }))
        };
        of(Block::Value, channels, features).chain(of(Block::KeyQuery, tokens, tokens))
    }

    /// The name of a trained number: `w12` of W_V and `q12` of W_KQ, counted from 1.
    #[must_use]
    pub fn name(&self, entry: Entry) -> String {
        let letter = match entry.block {
            Block::Value => "w",
            Block::KeyQuery => "q",
        };
        self.indexed(letter, entry.row, entry.column)
    }

    fn indexed(&self, letter: &str, row: usize, column: usize) -> String {
        let Shape { tokens, channels, features } = self.shape;
        let separator = if tokens.max(channels).max(features) < 10 { "" } else { "_" };
        format!("{letter}{}{separator}{}", row + 1, column + 1)
    }

    /// The inputs, from a value for each name: `w` W_V, `q` W_KQ, `v` V*, `s` S* (`s12` the weight of
    /// token 1 in query 2), `p` P, each with row and column, `tau` and, if it is symbolic,
    /// `slope`.
    pub fn inputs<S: Scalar>(&self, mut value: impl FnMut(&str) -> S) -> Inputs<S> {
        let Shape { tokens, channels, features } = self.shape;
        let temperature = value("tau");
        let mut matrix = |letter: &str, rows: usize, columns: usize, transposed: bool| {
            let mut entries = Vec::new();
            for row in 0..rows {
                for column in 0..columns {
                    let (i, j) = if transposed { (column, row) } else { (row, column) };
                    entries.push(value(&self.indexed(letter, i, j)));
                }
            }
            entries
        };
        Inputs {
            shape: self.shape,
            value_matrix: matrix("w", channels, features, false),
            key_query: matrix("q", tokens, tokens, false),
            teacher_values: matrix("v", channels, features, false),
            teacher_scores: matrix("s", tokens, tokens, true),
            positions: match self.encodings {
                Encodings::Identity => None,
                Encodings::General => Some(matrix("p", tokens, tokens, false)),
            },
            slope: match self.slope {
                Slope::Symbol => value("slope"),
                Slope::Fraction(numerator, denominator) => {
                    temperature.rational(numerator, denominator)
                }
            },
            temperature,
        }
    }
}

/// A loss, and what is said to be its gradient, over any scalar.
pub trait Program {
    /// The loss, or any function that differs from it by a constant.
    ///
    /// # Errors
    /// If the inputs do not fit together.
    fn loss<S: Scalar>(&self, inputs: &Inputs<S>) -> Result<S, Error> {
        let scores = scores(inputs)?;
        excess_loss(&teacher(inputs)?, &inputs.value_matrix, &scores)
    }

    /// What is said to be the gradient.
    ///
    /// # Errors
    /// If the inputs do not fit together.
    fn gradient<S: Scalar>(&self, inputs: &Inputs<S>) -> Result<Gradient<S>, Error>;
}

/// Loss and gradient of this crate: what [`Dense`] descends with.
#[derive(Clone, Copy, Debug)]
pub struct Coded;

impl Program for Coded {
    fn gradient<S: Scalar>(&self, inputs: &Inputs<S>) -> Result<Gradient<S>, Error> {
        let (one, tokens) = (inputs.slope.one(), inputs.shape.tokens);
        let model = DenseModel {
            teacher: teacher(inputs)?,
            metric: Metric::Gain(one),
            rate: one,
            slope_at_zero: one,
        };
        let mut memory = vec![one; model.memory()];
        let logits = logits(inputs)?;
        let mut run = Dense::from_state(
            model,
            Accumulate::Plain,
            &inputs.value_matrix,
            &logits,
            &mut memory,
        )?;
        let (of_values, of_logits) = run.gradient();
        let mut key_query = vec![one; inputs.shape.score_entries()];
        let mut scratch = key_query.clone();
        positions(inputs).key_query_gradient(
            tokens,
            of_logits,
            inputs.temperature,
            &mut key_query,
            &mut scratch,
        )?;
        Ok(Gradient { value_matrix: of_values.to_vec(), key_query })
    }
}

/// The teacher of these inputs.
pub(super) fn teacher<S: Scalar>(inputs: &Inputs<S>) -> Result<Teacher<'_, S>, Error> {
    let activation = Activation::leaky_relu(inputs.slope);
    Teacher::new(inputs.shape, activation, &inputs.teacher_values, &inputs.teacher_scores)
}

fn positions<S: Scalar>(inputs: &Inputs<S>) -> Positions<'_, S> {
    inputs.positions.as_deref().map_or(Positions::Identity, Positions::General)
}

/// Z = PᵀW_KQP/τ, one row per query.
pub(super) fn logits<S: Scalar>(inputs: &Inputs<S>) -> Result<Vec<S>, Error> {
    let mut logits = vec![inputs.temperature; inputs.shape.score_entries()];
    let mut scratch = logits.clone();
    positions(inputs).logits(
        inputs.shape.tokens,
        &inputs.key_query,
        inputs.temperature,
        &mut logits,
        &mut scratch,
    )?;
    Ok(logits)
}

/// S, the softmax of the logits.
pub(super) fn scores<S: Scalar>(inputs: &Inputs<S>) -> Result<Vec<S>, Error> {
    let logits = logits(inputs)?;
    let mut scores = logits.clone();
    for (z, s) in inputs.shape.queries(&logits).zip(inputs.shape.queries_mut(&mut scores)) {
        S::softmax(None, z, s);
    }
    Ok(scores)
}
