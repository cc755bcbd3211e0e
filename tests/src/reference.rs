//! The reference trajectories: 34-digit values of an independent computation.

use crate::problem::{DenseProblem, LumpedProblem, OwnedClass};
use num_bigint::BigInt;
use num_rational::BigRational;
use popgd_core::model::teacher::Shape;
use popgd_core::scalar::interval::Interval;
use serde::Deserialize;

/// A number printed to 25 digits.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Decimal(pub String);

impl Decimal {
    /// Exactly.
    ///
    /// # Panics
    /// If it is no decimal.
    pub fn to_rational(&self) -> BigRational {
        let (mantissa, exponent) = self.0.split_once('e').unwrap_or((&self.0, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let power = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
        let scale = BigInt::from(10).pow(power.unsigned_abs());
        if power < 0 { BigRational::new(digits, scale) } else { (digits * scale).into() }
    }

    /// Whether it is in an interval, exactly.
    ///
    /// # Panics
    /// If it is no decimal.
    pub fn is_in(&self, interval: Interval<f64>) -> bool {
        let value = self.to_rational();
        let end = |x: f64| BigRational::from_float(x);
        let above = end(interval.lo()).map_or(interval.lo() < 0.0, |lo| lo <= value);
        above && end(interval.hi()).map_or(interval.hi() > 0.0, |hi| value <= hi)
    }

    /// Rounded to nearest.
    ///
    /// # Panics
    /// If it is no number.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap()
    }
}

/// `reduced.json`: two-level runs from zero.
#[derive(Debug, Deserialize)]
pub struct Reduced {
    /// What was run, in exact decimals.
    pub config: ReducedConfig,
    /// Some of its states.
    pub trajectory: Vec<ReducedPoint>,
}

/// The configuration of a two-level run.
#[derive(Debug, Deserialize)]
pub struct ReducedConfig {
    /// D.
    pub tokens: u32,
    /// K.
    pub group: u32,
    /// ‖V*‖_F.
    pub teacher_norm: Decimal,
    /// η.
    pub rate: Decimal,
    /// κ.
    pub logit_gain: Decimal,
    /// σ by name.
    pub activation: String,
}

/// A state of a two-level run.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ReducedPoint {
    pub t: u64,
    pub c1: Decimal,
    pub delta: Decimal,
    pub c2: Decimal,
    pub c3: Decimal,
    pub excess_loss: Decimal,
    pub score_error: Decimal,
    pub value_error: Decimal,
}

/// `dense.json`: runs with general matrices.
#[derive(Debug, Deserialize)]
pub struct DenseReference {
    /// What was run, in binary doubles.
    pub config: DenseConfig,
    /// Some of its states.
    pub trajectory: Vec<DensePoint>,
}

/// The configuration of a dense run.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct DenseConfig {
    pub v: Vec<Vec<f64>>,
    pub s: Vec<Vec<f64>>,
    pub p: Vec<Vec<f64>>,
    pub logit_scale: f64,
    pub w0: Vec<Vec<f64>>,
    pub kq0: Vec<Vec<f64>>,
    pub rate: f64,
    pub activation: String,
}

/// A state of a dense run.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct DensePoint {
    pub t: u64,
    pub excess_loss: Decimal,
    pub score_error: Decimal,
    pub value_error: Decimal,
    pub grad_w: Option<Vec<Vec<Decimal>>>,
    pub grad_kq: Option<Vec<Vec<Decimal>>>,
}

/// The slope of an activation by its name.
///
/// # Panics
/// If the name is unknown.
pub fn slope(activation: &str) -> f64 {
    match activation {
        "identity" => 1.0,
        "relu" => 0.0,
        _ => activation.strip_prefix("leaky-relu:").unwrap().parse().unwrap(),
    }
}

/// The two-level runs.
///
/// # Panics
/// If the file is damaged.
pub fn reduced() -> Vec<Reduced> {
    serde_json::from_str(include_str!("../reference/reduced.json")).unwrap()
}

/// The dense runs.
///
/// # Panics
/// If the file is damaged.
pub fn dense() -> Vec<DenseReference> {
    serde_json::from_str(include_str!("../reference/dense.json")).unwrap()
}

/// A matrix, row by row.
pub fn flatten(matrix: &[Vec<f64>]) -> Vec<f64> {
    matrix.concat()
}

/// A matrix, column by column: scores as core stores them.
pub fn by_column(matrix: &[Vec<f64>]) -> Vec<f64> {
    let width = matrix.first().map_or(0, Vec::len);
    (0..width).flat_map(|j| matrix.iter().map(move |row| row[j])).collect()
}

impl ReducedConfig {
    /// The problem, rounded to doubles.
    pub fn problem(&self) -> LumpedProblem {
        LumpedProblem::two_level(
            self.tokens.into(),
            self.group.into(),
            slope(&self.activation),
            self.teacher_norm.to_f64(),
            self.logit_gain.to_f64(),
            self.rate.to_f64(),
        )
    }
}

impl DenseConfig {
    /// The problem.
    pub fn problem(&self) -> DenseProblem {
        DenseProblem {
            shape: Shape {
                tokens: self.s.len(),
                channels: self.v.len(),
                features: self.v[0].len(),
            },
            slope: slope(&self.activation),
            teacher_values: flatten(&self.v),
            teacher_scores: by_column(&self.s),
            positions: Some(flatten(&self.p)),
            orthogonal: false,
            temperature: self.logit_scale,
            start_values: flatten(&self.w0),
            start_key_query: flatten(&self.kq0),
            rate: self.rate,
            slope_at_zero: 1.0,
        }
    }
}

/// `extra.json`: what the two files above leave out. Its schema is told in `generate.py`.
#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Extra {
    pub expectations: Vec<Expectation>,
    pub small_excess: Vec<SmallExcess>,
    pub lumped: Vec<LumpedReference>,
    pub classes: Vec<ClassesReference>,
    pub limits: Vec<Limits>,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Expectation {
    pub slope: Decimal,
    pub angle: Decimal,
    pub sin: Decimal,
    pub cos: Decimal,
    pub kappa: Decimal,
    pub gap: Decimal,
    pub pull: Decimal,
    pub moments: Vec<Moments>,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Moments {
    pub a: Decimal,
    pub b: Decimal,
    pub second_moment: Decimal,
    pub product: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct SmallExcess {
    pub tokens: u32,
    pub group: u32,
    pub slope: Decimal,
    pub teacher_norm: Decimal,
    pub c1: Decimal,
    pub delta: Decimal,
    pub f32: bool,
    pub ratio: Decimal,
    pub excess_loss: Decimal,
    pub score_error: Decimal,
    pub value_error: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LumpedReference {
    pub config: LumpedConfig,
    pub trajectory: Vec<LumpedPoint>,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LumpedConfig {
    pub tokens: u32,
    pub group: u32,
    pub slope: Decimal,
    pub teacher_norm: Decimal,
    pub rate: Decimal,
    pub logit_gain: Decimal,
    pub start: Start,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Start {
    pub c1: Decimal,
    pub delta: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LumpedPoint {
    pub t: u64,
    pub c1: Decimal,
    pub delta: Decimal,
    pub excess_loss: Decimal,
    pub score_error: Decimal,
    pub value_error: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ClassesReference {
    pub config: ClassesConfig,
    pub trajectory: Vec<DensePoint>,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ClassesConfig {
    pub v: Vec<Vec<f64>>,
    pub s: Vec<Vec<f64>>,
    pub slope: f64,
    pub rate: f64,
    pub logit_gain: f64,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Limits {
    pub config: LimitsConfig,
    pub excess_constant: Decimal,
    pub value_constant: Decimal,
    pub score_constant: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LimitsConfig {
    pub tokens: u32,
    pub columns: Vec<Columns>,
    pub slope: Decimal,
    pub teacher_norm: Decimal,
    pub rate: Decimal,
    pub logit_gain: Decimal,
}

#[derive(Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Columns {
    pub count: u32,
    pub weights: Vec<f64>,
}

/// The rest.
///
/// # Panics
/// If the file is damaged.
pub fn extra() -> Extra {
    serde_json::from_str(include_str!("../reference/extra.json")).unwrap()
}

/// The class of a column with these weights, the rest of its tokens having none: levels in
/// decreasing weight, the one of weight 0 last.
pub fn class_of(columns: f64, tokens: usize, weights: &[f64]) -> OwnedClass {
    let mut levels: Vec<(f64, f64)> = Vec::new();
    let mut sorted: Vec<f64> = weights.iter().copied().filter(|&w| w > 0.0).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let zeros = tokens - sorted.len();
    for weight in sorted {
        match levels.last_mut() {
            Some((count, last)) if *last == weight => *count += 1.0,
            _ => levels.push((1.0, weight)),
        }
    }
    if zeros > 0 {
        levels.push((zeros as f64, 0.0));
    }
    (columns, levels)
}

impl LimitsConfig {
    /// The problem, rounded to doubles.
    pub fn problem(&self) -> LumpedProblem {
        let tokens = self.tokens as usize;
        let classes =
            self.columns.iter().map(|c| class_of(c.count.into(), tokens, &c.weights)).collect();
        LumpedProblem {
            classes,
            slope: self.slope.to_f64(),
            teacher_norm: self.teacher_norm.to_f64(),
            logit_gain: self.logit_gain.to_f64(),
            rate: self.rate.to_f64(),
            slope_at_zero: 1.0,
        }
    }
}

impl ClassesConfig {
    /// The problem in full matrices.
    pub fn dense(&self) -> DenseProblem {
        let shape =
            Shape { tokens: self.s.len(), channels: self.v.len(), features: self.v[0].len() };
        DenseProblem {
            temperature: self.logit_gain.sqrt().recip(),
            ..DenseProblem::from_zero(
                shape,
                self.slope,
                flatten(&self.v),
                by_column(&self.s),
                self.rate,
            )
        }
    }

    /// The same, lumped; every column a class of its own.
    pub fn lumped(&self) -> LumpedProblem {
        let tokens = self.s.len();
        LumpedProblem {
            classes: by_column(&self.s)
                .chunks_exact(tokens)
                .map(|column| class_of(1.0, tokens, column))
                .collect(),
            slope: self.slope,
            teacher_norm: self.dense().teacher_norm(),
            logit_gain: self.logit_gain,
            rate: self.rate,
            slope_at_zero: 1.0,
        }
    }
}
