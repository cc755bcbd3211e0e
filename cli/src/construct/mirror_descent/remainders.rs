//! How one step nears the posterior mean as π nears uniform, in floats.

use super::instance::{Instance, Outcome};
use super::settings::MirrorDescent;
use super::{ROUNDING, largest, told};
use crate::construct::comparison::greater;
use crate::construct::report::{Curve, Limit};
use crate::error::Failure;
use crate::number::Exact;

/// Sequences are cut to where the posterior has at most so many states: it is computed some dozen times,
/// and less evidence is nearer to the limit that orders are about.
const STATES: usize = 5_000;
/// An order is settled if the three least pairs of ε give it up to this, and is then as claimed up to this.
const TOLERANCE: f64 = 0.05;

/// The curves at the rate 1/(ma+1), and at twice that. An order is claimed of those that have settled:
/// with much evidence ε = 1/4096 is far from uniform still.
pub(super) fn of(settings: &MirrorDescent, few: &[Instance]) -> Result<Vec<Curve>, Failure> {
    let a = &settings.concentration;
    let whole = &(&Exact::integer(settings.order as u64) * a) + &Exact::one();
    let right = whole.reciprocal().unwrap_or_else(Exact::one);
    let wrong = &Exact::integer(2) * &right;
    // With two lags the terms of second order vanish.
    let order = if settings.order == 2 { 3.0 } else { 2.0 };
    let names = [("remainder_right", right, order), ("remainder_wrong", wrong, 1.0)];
    let mut curves = Vec::new();
    for (name, rate, claimed) in names {
        let (mut points, mut length) = (Vec::new(), 0);
        for power in (4..=12).rev() {
            let epsilon = Exact::ratio(1, 1 << power).unwrap_or_else(Exact::one);
            let mut error = 0.0;
            for (number, instance) in few.iter().enumerate() {
                let Some(near) = instance.nearly_uniform(&epsilon, STATES) else { continue };
                length = length.max(near.length());
                let step: Outcome<f64> = told(settings, number, near.descend(rate.to_f64(), 1))?;
                let bayes = told(settings, number, near.bayes(a.to_f64(), STATES))?;
                if let Some(bayes) = bayes {
                    error = greater(error, largest(&step.0, &bayes));
                }
            }
            // A remainder of rounding alone has no order.
            if error > 100.0 * ROUNDING {
                points.push((epsilon.to_f64(), error));
            }
        }
        let between = |at: usize| {
            let ((x, y), (more, larger)) = (*points.get(at)?, *points.get(at + 1)?);
            Some((larger / y).ln() / (more / x).ln())
        };
        // The fit is over the three least pairs of ε.
        let is_settled = between(0)
            .zip(between(2))
            .is_some_and(|(last, before)| (last - before).abs() <= TOLERANCE);
        curves.push(Curve {
            name,
            title: format!("step less posterior mean at η = {rate}, of the first {length} tokens"),
            against: "ε, π being 1/q + εD",
            points,
            bounds: Vec::new(),
            claimed: is_settled.then_some(claimed),
            tolerance: TOLERANCE,
            limit: Limit::Small,
        });
    }
    Ok(curves.into_iter().filter(|curve| curve.points.len() > 1).collect())
}
