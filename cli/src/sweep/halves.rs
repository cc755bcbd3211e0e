//! Which halves of the bounds Θ(…) of Theorem 3.1 hold with constants that do not depend on D.
//!
//! A bound `c̲ B ≤ quantity ≤ c̄ B` holds for all D with the same c̲ > 0 if and only if quantity/B
//! does not go to 0 with D, and with the same c̄ if it does not go to ∞. Both are read off the
//! sweep: the exponent of the ratio in D, and its extremes.

use popgd_core::theory::exponents::Variable;

use super::exponents::{Exponent, Measure, Series};
use super::law::Constant;
use super::measure::{Findings, Start};
use crate::asymptotics::{Quantity, TOLERANCE};

/// Whether half of a bound holds for all D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// With one constant.
    Yes,
    /// Only with a constant that depends on D.
    No,
    /// The sweep does not tell.
    Open,
}

impl Holds {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "holds",
            Self::No => "fails",
            Self::Open => "open",
        }
    }
}

/// Both halves of the bound of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Halves {
    /// Which.
    pub quantity: Quantity,
    /// D and the ratio of the measured constant to what is stated.
    pub ratios: Vec<(f64, f64)>,
    /// The exponent of the ratio in D, as D/K → ∞.
    pub exponent: Constant,
    /// Whether the upper half holds.
    pub upper: Holds,
    /// Whether the lower half holds.
    pub lower: Holds,
    /// The smallest c̄ that the limits in the sweep admit.
    pub least_upper: f64,
    /// The largest c̲ that they admit.
    pub largest_lower: f64,
    /// The same if the bound is to hold from T* on, at the recorded steps.
    pub from_start: Option<[f64; 2]>,
}

/// The bounds of Theorem 3.1 at the first step for which they are claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct AtStart {
    /// D, K and what was found.
    pub rows: Vec<(f64, Start)>,
    /// The exponent in D of excess(T*)/bound(T*), where all runs reach T*.
    pub exponent: Option<f64>,
    /// The exponent in D of excess(0)/bound(T*).
    pub exponent_at_zero: Option<f64>,
}

/// The halves of all three bounds; nothing for variables other than D, or if constants are
/// missing.
pub fn halves(series: &Series<'_>, exponents: &[Exponent]) -> Vec<Halves> {
    if series.variable != Variable::Tokens {
        return Vec::new();
    }
    exponents
        .iter()
        .filter_map(|exponent| match exponent.measure {
            Measure::Constant(quantity) => of_quantity(series, exponent, quantity),
            Measure::BurnIn => None,
        })
        .collect()
}

fn of_quantity(series: &Series<'_>, exponent: &Exponent, quantity: Quantity) -> Option<Halves> {
    let limit = exponent.limit?;
    let mut ratios = Vec::new();
    let mut from_start: Option<[f64; 2]> = None;
    for (at, run) in &series.runs {
        let Findings::Powers { quantities, .. } = &run.findings else { return None };
        let found = quantities.iter().find(|found| found.quantity == quantity)?;
        ratios.push((*at, found.limit?.value / found.stated?));
        if let Some([low, high]) = found.extremes {
            let [least, most] = from_start.unwrap_or([low, high]);
            from_start = Some([least.min(low), most.max(high)]);
        }
    }
    let ratio = Constant { value: limit.value - exponent.claimed, uncertainty: limit.uncertainty };
    Some(Halves {
        quantity,
        least_upper: ratios.iter().map(|pair| pair.1).fold(0.0, f64::max),
        largest_lower: ratios.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min),
        ratios,
        exponent: ratio,
        upper: half(ratio.value, ratio.uncertainty),
        lower: half(-ratio.value, ratio.uncertainty),
        from_start,
    })
}

/// Whether a half holds, of which the ratio may not grow with D, if it grows with this power.
fn half(growth: f64, uncertainty: f64) -> Holds {
    let open = TOLERANCE + uncertainty;
    if growth > open {
        Holds::No
    } else if growth < -open || (growth.abs() <= TOLERANCE && uncertainty <= TOLERANCE) {
        Holds::Yes
    } else {
        Holds::Open
    }
}

/// What happens at T*; nothing for variables other than D.
pub fn at_start(series: &Series<'_>) -> Option<AtStart> {
    if series.variable != Variable::Tokens {
        return None;
    }
    let rows: Vec<(f64, Start)> = series
        .runs
        .iter()
        .map(|(at, run)| match &run.findings {
            Findings::Powers { start: Some(start), .. } => Some((*at, *start)),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let exponent = |value: fn(&Start) -> Option<f64>| -> Option<f64> {
        let ((a, first), (b, last)) = (rows.first()?, rows.last()?);
        let found = (value(last)? / value(first)?).ln() / (b / a).ln();
        found.is_finite().then_some(found)
    };
    Some(AtStart {
        exponent: exponent(|start| Some(start.excess? / start.stated)),
        exponent_at_zero: exponent(|start| Some(start.excess_at_zero / start.stated)),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_is_open_where_its_uncertainty_reaches() {
        for (growth, uncertainty, expected) in [
            (0.021, 0.02, Holds::Open),
            (0.041, 0.02, Holds::No),
            (0.019, 0.02, Holds::Yes),
            (0.0, 0.021, Holds::Open),
            (-0.021, 0.02, Holds::Open),
            (-1.0, 0.5, Holds::Yes),
            (1.0, 0.5, Holds::No),
        ] {
            assert_eq!(half(growth, uncertainty), expected, "{growth} ± {uncertainty}");
        }
    }
}
