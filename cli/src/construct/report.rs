//! What a construction was found to be, whatever the construction: claims, and curves.

use crate::fit;
use crate::scalar::Number;

/// How a claim was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// In intervals: for certain.
    Proven,
    /// In floats.
    Measured,
}

impl Status {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Measured => "measured",
        }
    }
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds wherever it was looked at.
    Holds,
    /// It does not, somewhere.
    Fails,
    /// Enclosures are too wide to tell, numbers are too large, or a fit is not what it should be.
    Open,
    /// There was nothing to look at.
    NotApplicable,
}

impl Verdict {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Open => "open",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// A claim, and the worst that was found of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name in results.
    pub name: &'static str,
    /// The same in words.
    pub title: String,
    /// How often it was looked at.
    pub checked: u64,
    /// The worst figure.
    pub measured: f64,
    /// The least and the most that it may be.
    pub allowed: (f64, f64),
    /// How it was looked at.
    pub status: Status,
    /// What came of it.
    pub verdict: Verdict,
}

impl Claim {
    /// That a figure is not more than this.
    pub fn at_most(
        name: &'static str,
        title: impl Into<String>,
        checked: u64,
        measured: f64,
        most: f64,
        status: Status,
    ) -> Self {
        Self::between(name, title, checked, measured, (f64::NEG_INFINITY, most), status)
    }

    /// That a figure is within these.
    pub fn between(
        name: &'static str,
        title: impl Into<String>,
        checked: u64,
        measured: f64,
        allowed: (f64, f64),
        status: Status,
    ) -> Self {
        let verdict = if checked == 0 {
            Verdict::Open
        } else if allowed.0 <= measured && measured <= allowed.1 {
            Verdict::Holds
        } else {
            Verdict::Fails
        };
        Self { name, title: title.into(), checked, measured, allowed, status, verdict }
    }

    /// The same, where there was nothing to look at.
    #[must_use]
    pub fn not_applicable(mut self) -> Self {
        self.verdict = Verdict::NotApplicable;
        self
    }

    /// The same, but not decided.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.verdict = Verdict::Open;
        self
    }
}

/// A figure against another, with what bounds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in results.
    pub name: &'static str,
    /// The same in words.
    pub title: String,
    /// What it is against.
    pub against: &'static str,
    /// Pairs of both, all positive, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The bound at each of them, if there is one.
    pub bounds: Vec<f64>,
    /// The power that is claimed of it, if one is.
    pub claimed: Option<f64>,
    /// How far a fitted power may be from that.
    pub tolerance: f64,
    /// Where the power is to be seen.
    pub limit: Limit,
}

/// Which end of a curve has a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As what it is against falls.
    Small,
    /// As that grows.
    Large,
}

impl Curve {
    /// The power over the decade next to its limit, and the least figure that it was fitted from; only of a
    /// curve of which a power is claimed, for of others it may mean nothing.
    pub fn order(&self) -> Option<(f64, f64)> {
        self.claimed?;
        let (first, end) = (self.points.first()?.0, self.points.last()?.0);
        let is_near = |x: f64| match self.limit {
            Limit::Small => x <= first * 10.5,
            Limit::Large => x >= end / 10.5,
        };
        let near: Vec<_> = self.points.iter().copied().filter(|(x, _)| is_near(*x)).collect();
        let points = if near.len() >= 3 { near } else { self.points.clone() };
        Some((fit::slope(&points, 0)?, points.first()?.0))
    }
}

/// All that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// `construct …`.
    pub command: &'static str,
    /// What was run, in a line.
    pub title: String,
    /// And with which numbers.
    pub subtitle: String,
    /// The claims.
    pub claims: Vec<Claim>,
    /// The curves.
    pub curves: Vec<Curve>,
    /// What is told beside: of one's own data, and what is no claim.
    pub answers: Vec<Answer>,
    /// How many instances were looked at, if the user stopped it before all were.
    pub stopped: Option<u64>,
}

/// A result that is no claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its name in results.
    pub name: String,
    /// The same in words.
    pub title: String,
    /// Its entries.
    pub numbers: Vec<Number>,
}

impl Report {
    /// Claims, and those of the orders of curves.
    pub fn all_claims(&self) -> Vec<Claim> {
        let orders = self.curves.iter().filter_map(|curve| {
            let (claimed, order) = (curve.claimed?, curve.order().map(|(order, _)| order));
            let mut claim = Claim::between(
                curve.name,
                format!("order of the {} in {}", curve.title, curve.against),
                if order.is_some() { curve.points.len() as u64 } else { 0 },
                order.unwrap_or(f64::NAN),
                (claimed - curve.tolerance, claimed + curve.tolerance),
                Status::Measured,
            );
            // A fit is no counterexample.
            if claim.verdict == Verdict::Fails {
                claim.verdict = Verdict::Open;
            }
            Some(claim)
        });
        self.claims.iter().cloned().chain(orders).collect()
    }
}
