//! By which power of T does a gap fall?

use super::report::Row;
use crate::fit;

/// A slope agrees with a power if it is as near as this.
pub const TOLERANCE: f64 = 0.05;

/// What falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// The gap over the whole law, or all data.
    Population,
    /// The gap on the finite batch.
    Batch,
    /// The bound.
    Bound,
}

impl Series {
    /// In results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Population => "population_gap",
            Self::Batch => "batch_gap",
            Self::Bound => "bound",
        }
    }
}

/// What the slope is near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// 1/T.
    One,
    /// 1/√T.
    Half,
    /// Neither.
    Neither,
    /// Not to be read.
    Open,
}

impl Power {
    /// In results.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "-1",
            Self::Half => "-1/2",
            Self::Neither => "neither",
            Self::Open => "open",
        }
    }
}

/// A slope over the last decade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Of what.
    pub series: Series,
    /// The first step of the decade.
    pub from: u64,
    /// The slope of ln|·| against ln T; none if the sign changes within it.
    pub slope: Option<f64>,
    /// How far standard errors may move it at most; none if there is no slope, or no errors.
    pub uncertainty: Option<f64>,
    /// How often the sign changes, over all recorded steps.
    pub sign_changes: usize,
    /// What it is near.
    pub power: Power,
}

/// A value and its standard error.
type Known = (f64, Option<f64>);

/// The slopes of everything there is.
pub fn slopes(rows: &[Row]) -> Vec<Slope> {
    let series = |series: Series, value: &dyn Fn(&Row) -> Option<Known>| {
        let points: Vec<(u64, f64, Option<f64>)> = rows
            .iter()
            .filter(|row| row.t > 0)
            .filter_map(|row| value(row).map(|(y, error)| (row.t, y, error)))
            .collect();
        slope(series, &points)
    };
    let exact = |y: f64| Some((y, Some(0.0)));
    [
        series(Series::Population, &|row| Some((row.gap.value, row.gap.error))),
        series(Series::Batch, &|row| row.batch_gap.and_then(exact)),
        series(Series::Bound, &|row| exact(row.bound)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn slope(series: Series, points: &[(u64, f64, Option<f64>)]) -> Option<Slope> {
    let last = points.last()?.0;
    let from = last / 10;
    let signs = points.windows(2).filter(|pair| pair[0].1 * pair[1].1 < 0.0).count();
    let decade: Vec<&(u64, f64, Option<f64>)> =
        points.iter().filter(|point| point.0 >= from).collect();
    let begins = decade.first()?.0;
    let one_sign = decade.windows(2).all(|pair| pair[0].1 * pair[1].1 > 0.0);
    let wide = begins <= last / 9 && decade.len() >= 3;
    let curve: Vec<(f64, f64)> = decade.iter().map(|p| (p.0 as f64, p.1.abs())).collect();
    let slope = if one_sign && wide { fit::slope(&curve, 0) } else { None };
    let noise = decade
        .iter()
        .try_fold(0.0_f64, |most, point| point.2.map(|error| most.max(error / point.1.abs())));
    // Samples are the same at all steps, so that errors move a slope much less than this.
    let sensitivity = fit::sensitivity(&curve, 0).filter(|_| slope.is_some());
    let uncertainty = noise.zip(sensitivity).map(|(noise, units)| noise * units);
    let near = |slope: f64, power: f64| (slope - power).abs() <= TOLERANCE;
    let power = match slope {
        None => Power::Open,
        Some(_) if noise.is_some_and(|noise| noise > 0.25) => Power::Open,
        Some(_) if uncertainty.is_some_and(|uncertainty| uncertainty > TOLERANCE) => Power::Open,
        Some(slope) if near(slope, -1.0) => Power::One,
        Some(slope) if near(slope, -0.5) => Power::Half,
        Some(_) => Power::Neither,
    };
    Some(Slope { series, from: begins, slope, uncertainty, sign_changes: signs, power })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(law: impl Fn(f64) -> f64) -> Vec<(u64, f64, Option<f64>)> {
        (0..=24)
            .map(|k| 10_f64.powf(f64::from(k) / 4.0).round())
            .map(|t| (t as u64, law(t), Some(0.0)))
            .collect()
    }

    #[test]
    fn powers_are_told_apart() {
        let power = |law: &dyn Fn(f64) -> f64| slope(Series::Population, &points(law)).unwrap();
        assert_eq!(power(&|t| 3.0 / t).power, Power::One);
        assert_eq!(power(&|t| -3.0 / t.sqrt()).power, Power::Half);
        assert_eq!(power(&|t| 3.0 / t.powf(0.7)).power, Power::Neither);
        // 1/T gives way to −1/√T: one change of sign, before the last decade.
        let mixed = power(&|t| 30.0 / t - 1.0 / t.sqrt());
        assert_eq!((mixed.sign_changes, mixed.power), (1, Power::Half));
        let late = power(&|t| 600.0 / t - 1.0 / t.sqrt());
        assert_eq!((late.sign_changes, late.slope, late.power), (1, None, Power::Open));
    }

    #[test]
    fn a_slope_of_noise_is_open() {
        let noisy: Vec<_> =
            points(|t| 1.0 / t).into_iter().map(|(t, y, _)| (t, y, Some(y))).collect();
        let found = slope(Series::Population, &noisy).unwrap();
        assert_eq!(found.power, Power::Open);
        assert!(found.uncertainty.unwrap() > 0.5);
        // Errors that nobody knows say nothing against the slope of one and the same sample.
        let heavy: Vec<_> = points(|t| 1.0 / t).into_iter().map(|(t, y, _)| (t, y, None)).collect();
        let found = slope(Series::Population, &heavy).unwrap();
        assert_eq!((found.power, found.uncertainty), (Power::One, None));
    }
}
