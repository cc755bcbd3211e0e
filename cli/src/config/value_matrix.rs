//! The value matrix V* of the teacher: its shape, its norm, and its entries where they matter.

use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::CommandKind;
use super::values::Values;
use crate::error::Failure;
use crate::number::Exact;
use crate::presets;
use crate::settings::{Matrix, Task, TeacherNorm};

/// Matrices larger than this would not fit into memory.
const MAX_ENTRIES: usize = 1 << 26;

/// What is known of V*.
#[derive(Clone, Debug)]
pub struct ValueMatrix {
    /// M.
    pub channels: usize,
    /// d.
    pub features: usize,
    /// ‖V*‖_F.
    pub norm: TeacherNorm,
    /// The matrix itself, if it was given.
    pub given: Option<Matrix>,
}

impl ValueMatrix {
    /// As given.
    ///
    /// # Errors
    /// Everything that can be wrong with it.
    pub fn resolve(values: &Values, command: CommandKind, task: Task) -> Result<Self, Failure> {
        if let Some(table) = values.table("v")? {
            return from_rows(values, task, table.matrix()?);
        }
        let (channels, features) = shape(values, task)?;
        let norm = match norm(values)? {
            Some(norm) => norm,
            None if task == Task::Sts => {
                TeacherNorm::Square(Exact::integer(u64::try_from(features).unwrap_or(u64::MAX)))
            }
            None => TeacherNorm::Norm(Exact::integer(match command {
                CommandKind::Run => 1,
                CommandKind::Rates
                | CommandKind::Certify
                | CommandKind::Precision
                | CommandKind::Ood => 4,
                // With a smaller one the plateau before the rates is long.
                CommandKind::Simulate => 20,
            })),
        };
        let known = Self { channels, features, norm, given: None };
        values
            .check_range(&known.square_norm(), "the square of the teacher norm")
            .map_err(|message| values.fail("teacher_norm", message))?;
        Ok(known)
    }

    /// ‖V*‖_F².
    pub fn square_norm(&self) -> Exact {
        match &self.norm {
            TeacherNorm::Norm(norm) => norm.square(),
            TeacherNorm::Square(square) => square.clone(),
        }
    }

    /// Whether D ‖V*‖², which bounds the loss, can be computed with.
    ///
    /// # Errors
    /// A norm that is too large.
    pub fn check_scale(&self, values: &Values, tokens: u64) -> Result<(), Failure> {
        let key = if self.given.is_some() { "v" } else { "teacher_norm" };
        values
            .check_range(
                &(&Exact::integer(tokens) * &self.square_norm()),
                "the number of tokens times the square of the teacher norm, the size of the loss,",
            )
            .map_err(|message| values.fail(key, message))
    }

    /// V* in full: as given; for sparse token selection a multiple of I; otherwise drawn from the
    /// seed, with standard Gaussian entries before it is scaled to its norm.
    ///
    /// # Errors
    /// Too many entries to hold them.
    pub fn matrix(&self, values: &Values, task: Task, seed: u64) -> Result<Matrix, Failure> {
        if let Some(matrix) = &self.given {
            return Ok(matrix.clone());
        }
        let (rows, columns) = (self.channels, self.features);
        let length = rows.checked_mul(columns).filter(|&length| length <= MAX_ENTRIES);
        let Some(length) = length else {
            return Err(values.fail(
                "channels",
                format_args!(
                    "a dense run holds V*, and {rows} × {columns} entries are too many: expected \
                     at most 2^26, or --method lumped"
                ),
            ));
        };
        let norm = match &self.norm {
            TeacherNorm::Norm(norm) => norm.to_f64(),
            TeacherNorm::Square(square) => square.to_f64().sqrt(),
        };
        let drawn: Vec<f64> = if task == Task::Sts {
            (0..length).map(|at| if at.is_multiple_of(columns + 1) { 1.0 } else { 0.0 }).collect()
        } else {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            (0..length).map(|_| StandardNormal.sample(&mut random)).collect()
        };
        let length_of_drawn = drawn.iter().map(|x| x * x).sum::<f64>().sqrt();
        let entries = drawn.iter().map(|x| x / length_of_drawn * norm);
        let entries: Option<Vec<Exact>> = entries.map(Exact::from_f64).collect();
        // Only a norm beside the range of floats could spoil them, and that was refused.
        let entries = entries.ok_or_else(|| values.fail("teacher_norm", "out of range"))?;
        Ok(Matrix { rows, columns, entries })
    }
}

fn from_rows(values: &Values, task: Task, matrix: Matrix) -> Result<ValueMatrix, Failure> {
    let square: Exact = matrix.entries.iter().map(Exact::square).sum();
    if square.is_zero() {
        return Err(
            values.fail("v", "all entries are 0: expected a teacher with something to learn")
        );
    }
    values
        .check_range(&square, "the sum of the squares of its entries")
        .map_err(|message| values.fail("v", message))?;
    for (key, found, what) in
        [("channels", matrix.rows, "rows"), ("features", matrix.columns, "columns")]
    {
        if let Some(given) = values.integer(key)?
            && usize::try_from(given) != Ok(found)
        {
            let message = format!(
                "expected {found}, the number of {what} of v, found {given}; it may be left out"
            );
            return Err(values.fail(key, message));
        }
    }
    if task == Task::Gslp && matrix.rows != 1 {
        let message =
            format!("the task gslp has one channel: expected 1 row, found {}", matrix.rows);
        return Err(values.fail("v", message));
    }
    Ok(ValueMatrix {
        channels: matrix.rows,
        features: matrix.columns,
        norm: TeacherNorm::Square(square),
        given: Some(matrix),
    })
}

/// M and d.
fn shape(values: &Values, task: Task) -> Result<(usize, usize), Failure> {
    let preset = presets::of(task);
    let size = |key: &str| {
        let Some(size) = values.integer(key)? else { return Ok(None) };
        match usize::try_from(size) {
            Ok(0) => Err(values.fail(key, "expected at least 1, found 0")),
            Ok(size) => Ok(Some(size)),
            Err(_) => Err(values.fail(key, format_args!("{size} is too large for this machine"))),
        }
    };
    let (channels, features) = (size("channels")?, size("features")?);
    let default = |size: u64| usize::try_from(size).unwrap_or(1);
    match task {
        Task::Sts => match (channels, features) {
            (Some(channels), Some(features)) if channels != features => Err(values.fail(
                "channels",
                format_args!(
                    "the task sts has V* = I, so expected as many as --features, \
                     {features}, found {channels}"
                ),
            )),
            (Some(size), _) | (None, Some(size)) => Ok((size, size)),
            (None, None) => Ok((default(preset.channels), default(preset.features))),
        },
        Task::Gslp => match channels {
            None | Some(1) => Ok((1, features.unwrap_or(default(preset.features)))),
            Some(found) => Err(values.fail(
                "channels",
                format_args!("the task gslp has one channel: expected 1, found {found}"),
            )),
        },
        Task::Cnn | Task::Gcn | Task::Custom => Ok((
            channels.unwrap_or(default(preset.channels)),
            features.unwrap_or(default(preset.features)),
        )),
    }
}

/// ‖V*‖_F: a number, or the root of one.
pub(super) fn norm(values: &Values) -> Result<Option<TeacherNorm>, Failure> {
    const KEY: &str = "teacher_norm";
    let positive = |value: Exact| {
        if value.is_positive() {
            Ok(value)
        } else {
            Err(values.fail(KEY, format_args!("expected a norm above 0, found {value}")))
        }
    };
    let root = values
        .text(KEY)?
        .map(str::trim)
        .and_then(|text| text.strip_prefix("sqrt(").and_then(|text| text.strip_suffix(')')));
    if let Some(text) = root {
        let square = Exact::parse(text).map_err(|error| values.fail(KEY, error))?;
        values.check_range(&square, text).map_err(|message| values.fail(KEY, message))?;
        return Ok(Some(TeacherNorm::Square(positive(square)?)));
    }
    let Some(norm) = values.number(KEY)? else { return Ok(None) };
    Ok(Some(TeacherNorm::Norm(positive(norm)?)))
}
