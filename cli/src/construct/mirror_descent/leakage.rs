//! What masks of finite strength leak, in floats: it is measured, not proven.

use super::instance::Instance;
use super::settings::MirrorDescent;
use super::{ROUNDING, largest, told};
use crate::construct::comparison::greater;
use crate::construct::report::{Claim, Curve, Limit, Status, Verdict};
use crate::construct::share::Share;
use crate::error::Failure;
use crate::scalar::Number;

/// From this strength on terms of the order e^{−2δ} are small.
const STRONG: f64 = 8.0;

/// The claim that leakage is at most ½ηm² e^{−δ}, and its curve.
pub(super) fn of(
    settings: &MirrorDescent,
    few: &[Instance],
) -> Result<(Claim, Option<Curve>), Failure> {
    let rate = settings.rate.to_f64();
    let mut share = Share::default();
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    for strength in &settings.mask_strengths {
        let strength = strength.to_f64();
        let mut error = 0.0;
        for (number, instance) in few.iter().enumerate() {
            let masked = told(settings, number, instance.attend(rate, 1, None))?;
            let leaking = told(settings, number, instance.attend(rate, 1, Some(strength)))?;
            error = greater(error, largest(&masked.0, &leaking.0));
        }
        // δ takes the last digits of the logarithms that it is added to.
        let rounding = ROUNDING.max(4.0 * f64::EPSILON * strength);
        let bound = 0.5 * rate * (settings.order as f64).powi(2) * (-strength).exp();
        if strength >= STRONG && bound > rounding {
            let most = bound * (1.0 + bound) + rounding;
            share.add(Number::Float(error), Number::Float(most));
        }
        if error > 100.0 * rounding && strength.exp().is_finite() {
            points.push((strength.exp(), error));
            bounds.push(bound);
        }
    }
    let title = "leakage of finite masks over its bound ½ηm² e^−δ";
    let mut claim = share.claim("leakage_bound", title, Status::Measured);
    // The bound is up to terms of second order, which nothing says the size of.
    if claim.verdict == Verdict::Fails {
        claim.verdict = Verdict::Open;
    }
    let slope = |at: usize| {
        let ((x, y), (later, less)) = (*points.get(at)?, *points.get(at + 1)?);
        Some((less / y).ln() / (later / x).ln())
    };
    let last = points.len().checked_sub(2);
    // Only where it has settled: two pairs of strengths agree.
    let settled = last.and_then(|last| Some((slope(last)?, slope(last.checked_sub(1)?)?)));
    let is_settled = settled.is_some_and(|(last, before)| (last - before).abs() <= 0.02);
    let late = points.iter().position(|(x, _)| *x >= STRONG.exp()).unwrap_or(0);
    let (points, bounds) = if is_settled {
        (points.split_off(late), bounds.split_off(late))
    } else {
        (points, bounds)
    };
    let curve = Curve {
        name: "leakage",
        title: "leakage of masks".to_owned(),
        against: "e^δ, δ being the strength of the mask",
        claimed: (is_settled && points.len() > 2).then_some(-1.0),
        points,
        bounds,
        tolerance: 0.05,
        limit: Limit::Large,
    };
    Ok((claim, Some(curve).filter(|curve| curve.points.len() > 1)))
}
