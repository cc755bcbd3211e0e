//! A transformer and its algorithm, number by number.

use super::report::{Claim, Status};
use crate::scalar::Number;
use crate::settings::ScalarKind;

/// Floats may be so many units in the last place apart, beside what the roundings of logits do.
pub const ULPS: f64 = 16.0;

/// Enclosures may be so many units in the last place wide: 1e−12 of doubles.
const WIDTH: f64 = 1e-12 / f64::EPSILON;

/// The worst of all that was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    compared: u64,
    disjoint: u64,
    ulps: f64,
    excess: f64,
    width: f64,
}

/// The distance of 1 and the next number of this type.
pub fn epsilon(kind: ScalarKind) -> f64 {
    match kind {
        ScalarKind::F64 | ScalarKind::Interval64 => f64::EPSILON,
        ScalarKind::F32 | ScalarKind::Interval32 => f64::from(f32::EPSILON),
    }
}

/// Whether results are enclosed.
pub fn is_rigorous(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::Interval32 | ScalarKind::Interval64)
}

/// What is said of results of this type.
pub fn status(kind: ScalarKind) -> Status {
    if is_rigorous(kind) { Status::Proven } else { Status::Measured }
}

fn ends(number: Number) -> (f64, f64) {
    match number {
        Number::Float(x) => (x, x),
        Number::Single(x) => (x.into(), x.into()),
        Number::Interval { lo, hi } => (lo, hi),
        Number::SingleInterval { lo, hi } => (lo.into(), hi.into()),
    }
}

/// The lower end of an enclosure, or the number itself.
pub fn lower(number: Number) -> f64 {
    ends(number).0
}

/// The upper end of an enclosure, or the number itself.
pub fn upper(number: Number) -> f64 {
    ends(number).1
}

/// The width of an enclosure.
pub fn width(number: Number) -> f64 {
    let (lo, hi) = ends(number);
    hi - lo
}

impl Comparison {
    /// Compares two numbers, relative to `scale`; `logits` is about how large the exponents
    /// behind them are, whose roundings the exponential passes on.
    pub fn add(&mut self, kind: ScalarKind, a: Number, b: Number, scale: f64, logits: f64) {
        self.compared += 1;
        let unit = epsilon(kind) * scale;
        let relative = |size: f64| if size == 0.0 { 0.0 } else { size / unit };
        let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(a), ends(b));
        let is_disjoint = !(a_lo <= b_hi && b_lo <= a_hi);
        if is_rigorous(kind) {
            self.disjoint += u64::from(is_disjoint);
        }
        let ulps = relative((a.center() - b.center()).abs());
        // What is no number is as far off as can be.
        let worst = |x: f64, y: f64| if y.is_nan() { f64::INFINITY } else { x.max(y) };
        self.ulps = worst(self.ulps, ulps);
        self.excess = worst(self.excess, ulps / (ULPS + logits));
        let allowance = 1.0 + logits / 400.0;
        self.width = worst(self.width, relative(width(a).max(width(b))) / allowance);
    }

    /// Whether anything was compared.
    pub fn is_used(&self) -> bool {
        self.compared > 0
    }

    /// That both are the same, and over intervals how wide.
    pub fn claims(&self, kind: ScalarKind, name: &'static str, title: &str) -> Vec<Claim> {
        if !is_rigorous(kind) {
            let claim = |measured, most, title: String| {
                Claim::at_most(name, title, self.compared, measured, most, Status::Measured)
            };
            let mut claim = claim(self.ulps, ULPS, format!("{title}: ulps apart"));
            // Large logits allow for more.
            if self.excess <= 1.0 && self.compared > 0 {
                claim.allowed.1 = claim.allowed.1.max(self.ulps);
                claim.verdict = super::report::Verdict::Holds;
            }
            return vec![claim];
        }
        vec![
            Claim::at_most(
                name,
                format!("{title}: enclosures that do not meet"),
                self.compared,
                self.disjoint as f64,
                0.0,
                Status::Proven,
            ),
            Claim::at_most(
                "width",
                format!("{title}: width of enclosures"),
                self.compared,
                self.width * epsilon(kind),
                WIDTH * epsilon(kind),
                Status::Proven,
            ),
        ]
    }
}
