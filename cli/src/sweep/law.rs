//! The constant of a power law, from a run that is still approaching it.
//!
//! A quantity y falls like `C T^{−p}`, but late: as y/C T^p goes to 1 there are corrections in
//! T^{−1/2}, (ln T)/T, 1/T, …, of which the time lost in the burn-in is the largest and the
//! slowest to go. So the clock is read backwards. Let `w = y^{−1/(2p)}`, which grows like √T. The
//! step of a late state depends on the state alone, by a power series in 1/w (note 4, section 7:
//! w is √u up to such a series), and summing it up gives
//!
//! `T = a w² + b w + l ln w + k + e₁/w + e₂/w² + …`
//!
//! with no other logarithm: the burn-in is the k, the only constant of integration. All
//! coefficients are fitted to the run, by least squares relative to T; nothing but the form is
//! taken from theory. Then `C = a^p`. The form does not change if a number is taken from w: what
//! w is at the start is tried, because of a score error `a = rx/(1+rx)` that is exactly 1/(rx).

use crate::fit::{Points, least_squares};

/// Coefficients that are tried at least and at most.
const TERMS: std::ops::RangeInclusive<usize> = 5..=9;

/// More points than coefficients by so many.
const SPARE: usize = 3;

/// What rounding leaves open.
const FLOOR: f64 = 1e-9;

/// A constant and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// C.
    pub value: f64,
    /// By how much C moves if the series has one term less, or another window or shift is taken.
    /// It is no confidence interval; and 0 of a reading that was not extrapolated.
    pub uncertainty: f64,
}

impl Constant {
    /// What it can be trusted to, if that is known: a single reading has nothing to compare with.
    pub fn known_uncertainty(self) -> Option<f64> {
        (self.uncertainty > 0.0).then_some(self.uncertainty)
    }
}

/// Earliest point of a fit, as shares of the last.
const WINDOWS: [f64; 2] = [0.0, 0.3];

/// C of a quantity that falls like `C T^{−power}`, from points of one run late enough for the
/// series to converge; nothing if they are too few or not positive. `start` is its value at T = 0.
///
/// Of both shifts of w, two windows and the lengths of the series the one is taken that the last
/// term changes least; what it is trusted to is also how far the second best window and shift are.
pub fn constant(points: &Points, power: f64, start: f64) -> Option<Constant> {
    let end = points.last()?.0;
    let shift = start.powf(-0.5 / power);
    let mut found: Vec<Constant> = Vec::new();
    let mut taken = 0;
    for window in WINDOWS {
        let late: Vec<(f64, f64)> =
            points.iter().copied().filter(|&(t, _)| t >= window * end).collect();
        // The same points again would be no second opinion.
        if late.len() == std::mem::replace(&mut taken, late.len()) {
            continue;
        }
        found.extend(settle(&late, power, 0.0));
        if shift.is_finite() && shift > 0.0 {
            found.extend(settle(&late, power, shift));
        }
    }
    found.sort_by(|a, b| a.uncertainty.total_cmp(&b.uncertainty));
    let best = *found.first()?;
    let apart = found.get(1).map_or(0.0, |other| (other.value - best.value).abs());
    Some(Constant { uncertainty: best.uncertainty.max(apart), ..best })
}

/// C by the length of the series that its last term changes least.
fn settle(points: &Points, power: f64, shift: f64) -> Option<Constant> {
    let values: Vec<Option<f64>> =
        (*TERMS.start() - 1..=*TERMS.end()).map(|terms| fit(points, power, shift, terms)).collect();
    values
        .windows(2)
        .filter_map(|pair| {
            let (shorter, value) = (pair.first().copied()??, pair.last().copied()??);
            let uncertainty = f64::max((value - shorter).abs(), FLOOR * value);
            Some(Constant { value, uncertainty })
        })
        .min_by(|a, b| a.uncertainty.total_cmp(&b.uncertainty))
}

fn fit(points: &Points, power: f64, shift: f64, terms: usize) -> Option<f64> {
    if points.len() < terms + SPARE || !points.iter().all(|&(t, y)| t > 0.0 && y > 0.0) {
        return None;
    }
    let w: Vec<f64> = points.iter().map(|&(_, y)| y.powf(-0.5 / power) - shift).collect();
    if !w.iter().all(|&w| w > 0.0) {
        return None;
    }
    let end = *w.last()?;
    let s: Vec<f64> = w.iter().map(|w| end / w).collect();
    let column = |index: usize| -> Vec<f64> {
        s.iter()
            .map(|&s| match index {
                0..=2 => s.powi(index as i32),
                3 => s * s * s.ln(),
                _ => s.powi(index as i32 - 1),
            })
            .collect()
    };
    let columns: Vec<Vec<f64>> = (0..terms).map(column).collect();
    let values: Vec<f64> = points.iter().zip(&w).map(|(&(t, _), w)| t / (w * w)).collect();
    let leading = *least_squares(&columns, &values)?.first()?;
    (leading > 0.0).then(|| leading.powf(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a run whose w obeys `T = w² + 30 w + 7 ln w + lost + 5/w`.
    fn approach(lost: f64, power: f64) -> Vec<(f64, f64)> {
        (0..40)
            .map(|k| {
                let w = 30.0 * 1.06_f64.powi(k);
                let t = w * w + 30.0 * w + 7.0 * w.ln() + lost + 5.0 / w;
                (t, 3.0 * w.powf(-2.0 * power))
            })
            .collect()
    }

    #[test]
    fn a_late_burn_in_does_no_harm() {
        for power in [0.5, 1.0] {
            for lost in [0.0, 500.0, 50_000.0] {
                let found = constant(&approach(lost, power), power, 1.0).unwrap();
                assert!((found.value / 3.0 - 1.0).abs() < 1e-6, "{power} {lost}: {found:?}");
                assert!(found.uncertainty < 1e-4, "{found:?}");
            }
        }
    }

    #[test]
    fn another_law_is_not_taken_for_this() {
        // T^{−0.9} instead of 1/T: the series does not settle.
        let points: Vec<_> =
            (0..40).map(|k| 1e5 * 1.06_f64.powi(k)).map(|t: f64| (t, t.powf(-0.9))).collect();
        let found = constant(&points, 1.0, 1.0);
        assert!(found.is_none_or(|found| found.uncertainty > 1e-2 * found.value), "{found:?}");
    }

    #[test]
    fn too_few_points_give_nothing() {
        assert_eq!(constant(&approach(0.0, 1.0)[..6], 1.0, 1.0), None);
        assert_eq!(constant(&[(1.0, 0.0); 20], 1.0, 1.0), None);
    }
}
