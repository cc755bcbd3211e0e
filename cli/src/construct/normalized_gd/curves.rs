//! How margin and dual approach their limits, in floats.

use popgd_core::Error;
use popgd_core::in_context::normalized_descent::Samples;
use popgd_core::in_context::normalized_descent::bounds::Terms;

use super::instance::{self, Instance};
use super::{NormalizedGdSettings, bounds};
use crate::construct::report::{Curve, Limit};

/// So far runs are followed.
const STEPS: u64 = 100_000;

/// Points a decade.
const DENSITY: f64 = 6.0;

/// Curves of the first instance with a known margin; of one's own samples, how far apart the two
/// bounds of γ are.
pub(super) fn of(settings: &NormalizedGdSettings) -> Result<Vec<Curve>, Error> {
    // Long runs of many samples would take long.
    let work = (settings.features * settings.samples) as u64;
    let steps = STEPS.min(1_000_000_000 / work.max(1)).max(100);
    let (rows, known, rate, radius) = match &settings.labelled {
        Some(_) => {
            let own = Instance::<f64>::of(settings, 0).ok();
            let Some(own) = own.filter(Instance::is_bounded) else { return Ok(Vec::new()) };
            (own.rows, None, own.rate, own.radius)
        }
        None => {
            let (rows, known) = instance::draw(settings, 0);
            let rate = settings.rate.to_f64();
            if rate > 1.0 {
                return Ok(Vec::new());
            }
            (rows, known, rate, 1.0)
        }
    };
    let samples = Samples::new(settings.features, &rows)?;
    let terms = Terms { samples: samples.count() as f64, radius, rate };
    let mut weights = vec![0.0; settings.features];
    let mut scratch = vec![0.0; samples.count() + settings.features];
    let (mut margin, mut dual, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 1;
    for step in 1..=steps {
        samples.step(rate, &mut weights, &mut scratch, |x| x)?;
        if step < next && step < steps {
            continue;
        }
        next = ((step as f64) * 10_f64.powf(1.0 / DENSITY)).ceil() as u64;
        let time = step as f64;
        let (least, most) = bounds::between(&samples, &weights)?;
        match known {
            Some(known) => {
                margin.push((time, known - least, terms.margin_gap(known, time)));
                let gap = 0.5 * (most * most - known * known);
                dual.push((time, gap, terms.dual_gap(time)));
            }
            None => apart.push((time, most - least, f64::NAN)),
        }
    }
    let curve = |name, title: &str, points: Vec<(f64, f64, f64)>, claimed| {
        // What is lost in rounding is not drawn.
        let points: Vec<_> = points.into_iter().filter(|(_, y, _)| *y > 1e-13).collect();
        let bounds = points.iter().map(|point| point.2).filter(|bound| bound.is_finite());
        Curve {
            name,
            title: title.to_owned(),
            against: "steps t",
            bounds: bounds.collect(),
            points: points.iter().map(|&(x, y, _)| (x, y)).collect(),
            claimed,
            tolerance: 0.05,
            limit: Limit::Large,
        }
    };
    // Before ηγ²t is large a run has not come to where 1/t is to be seen.
    let is_long = known.is_some_and(|known| rate * known * known * steps as f64 >= 500.0);
    let claimed = is_long.then_some(-1.0);
    let curves = [
        curve("margin_gap", "gap of the margin", margin, claimed),
        curve("dual_gap", "gap of the dual", dual, None),
        curve("margin_between", "distance of the bounds of γ", apart, None),
    ];
    Ok(curves.into_iter().filter(|curve| curve.points.len() > 2).collect())
}
