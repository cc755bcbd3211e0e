//! Straight lines and power laws through points, by least squares.

/// The combination of `columns` that lies closest to `values`: its coefficients, or nothing if
/// they are not determined.
///
/// By Gram–Schmidt, done twice, so that nearly parallel columns do no harm.
pub fn least_squares(columns: &[Vec<f64>], values: &[f64]) -> Option<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    // Row k of the triangle: the coefficients of column k in the basis.
    let mut triangle: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let length = dot(column, column).sqrt();
        let mut rest = column.clone();
        let mut row = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (unit, coefficient) in basis.iter().zip(&mut row) {
                let part = dot(unit, &rest);
                *coefficient += part;
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= part * u);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if !(left > 1e-12 * length) {
            return None;
        }
        rest.iter_mut().for_each(|x| *x /= left);
        row.push(left);
        basis.push(rest);
        triangle.push(row);
    }
    let mut solution = vec![0.0; columns.len()];
    for k in (0..columns.len()).rev() {
        let known: f64 = (k + 1..columns.len()).map(|l| triangle[l][k] * solution[l]).sum();
        solution[k] = (dot(&basis[k], values) - known) / triangle[k][k];
    }
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}

/// A quantity y at times t > 0, as points (t, y); y > 0.
pub type Points = [(f64, f64)];

/// The slope of ln y against ln t, together with as many finite-time corrections t^{−1/2}, t^{−1},
/// t^{−3/2}, … as asked for: with corrections it estimates the slope in the limit, without it is
/// that of the straight line.
pub fn slope(points: &Points, corrections: i32) -> Option<f64> {
    let end = points.last()?.0;
    let mut columns = vec![vec![1.0; points.len()], logarithms(points, end)];
    columns.extend((1..=corrections).map(|power| correction(points, end, power)));
    let values: Vec<f64> = points.iter().map(|&(_, y)| y.ln()).collect();
    if points.len() < columns.len() {
        return None;
    }
    least_squares(&columns, &values)?.get(1).copied()
}

/// The slope of ln y against ln t by a straight line, and its standard error where there are points
/// enough to judge it: three or more.
pub fn line(points: &Points) -> Option<(f64, Option<f64>)> {
    let end = points.last()?.0;
    let times = logarithms(points, end);
    let values: Vec<f64> = points.iter().map(|&(_, y)| y.ln()).collect();
    if points.len() < 2 {
        return None;
    }
    let solution = least_squares(&[vec![1.0; points.len()], times.clone()], &values)?;
    let (&level, &slope) = (solution.first()?, solution.get(1)?);
    let freedom = points.len() - 2;
    let count = points.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let spread: f64 = times.iter().map(|x| (x - mean) * (x - mean)).sum();
    let rest: f64 = times
        .iter()
        .zip(&values)
        .map(|(x, y)| (y - level - slope * x) * (y - level - slope * x))
        .sum();
    let error = (freedom > 0).then(|| (rest / freedom as f64 / spread).sqrt());
    Some((slope, error))
}

/// By how much [`slope`] may move at most, in units of what every ln y moves by.
pub fn sensitivity(points: &Points, corrections: i32) -> Option<f64> {
    let moved = |at: usize| {
        let units: Vec<(f64, f64)> = points
            .iter()
            .enumerate()
            .map(|(k, &(t, _))| (t, if k == at { std::f64::consts::E } else { 1.0 }))
            .collect();
        slope(&units, corrections).map(f64::abs)
    };
    (0..points.len()).map(moved).sum()
}

/// The limit of y t^{−slope} for a given slope, with as many corrections as in [`slope`].
pub fn limit_constant(points: &Points, slope: f64, corrections: i32) -> Option<f64> {
    let end = points.last()?.0;
    let mut columns = vec![vec![1.0; points.len()]];
    columns.extend((1..=corrections).map(|power| correction(points, end, power)));
    let times = logarithms(points, end);
    let values: Vec<f64> =
        points.iter().zip(times).map(|(&(_, y), time)| y.ln() - slope * time).collect();
    if points.len() < columns.len() {
        return None;
    }
    let logarithm = least_squares(&columns, &values)?.first().copied()?;
    Some((logarithm - slope * end.ln()).exp())
}

fn logarithms(points: &Points, end: f64) -> Vec<f64> {
    points.iter().map(|&(t, _)| (t / end).ln()).collect()
}

fn correction(points: &Points, end: f64, power: i32) -> Vec<f64> {
    points.iter().map(|&(t, _)| (t / end).sqrt().powi(-power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(law: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..9).map(|k| 10_f64.powf(5.0 + f64::from(k) / 8.0)).map(|t| (t, law(t))).collect()
    }

    #[test]
    fn a_pure_power_is_found() {
        let points = points(|t| 3.0 * t.powf(-0.5));
        for corrections in 0..4 {
            assert!((slope(&points, corrections).unwrap() + 0.5).abs() < 1e-9);
            let constant = limit_constant(&points, -0.5, corrections).unwrap();
            assert!((constant - 3.0).abs() < 1e-8, "{constant}");
        }
    }

    #[test]
    fn corrections_are_taken_out() {
        let points = points(|t| 3.0 / t * (1.0 + 60.0 / t.sqrt()));
        assert!((slope(&points, 0).unwrap() + 1.0).abs() > 0.03);
        assert!((slope(&points, 3).unwrap() + 1.0).abs() < 1e-3);
        assert!((limit_constant(&points, -1.0, 3).unwrap() - 3.0).abs() < 3e-3);
    }

    #[test]
    fn noise_moves_a_slope_by_no_more_than_its_sensitivity() {
        for corrections in 0..4 {
            let exact = points(|t| 3.0 / t);
            let bound = 1e-3 * sensitivity(&exact, corrections).unwrap();
            for mask in 0..512_u32 {
                let sign = |k: usize| if mask >> k & 1 == 1 { 1e-3 } else { -1e-3 };
                let noisy: Vec<_> = exact
                    .iter()
                    .enumerate()
                    .map(|(k, &(t, y))| (t, y * f64::exp(sign(k))))
                    .collect();
                let moved = (slope(&noisy, corrections).unwrap() + 1.0).abs();
                assert!(moved <= bound * (1.0 + 1e-9), "{moved} {bound}");
            }
        }
    }

    #[test]
    fn lines_know_how_uncertain_they_are() {
        // Of four points ±h off a line, in turn: the slope moves by −h/(5 Δ), as by hand.
        let h = 0.1_f64;
        let points: Vec<_> = (0..4)
            .map(|k| (f64::from(k).exp(), (-f64::from(k) + if k % 2 == 0 { h } else { -h }).exp()))
            .collect();
        let (slope, error) = line(&points).unwrap();
        assert!((slope + 1.0 + h * 2.0 / 5.0).abs() < 1e-12, "{slope}");
        // Sum of squares 4h² − (2h/5)²·5, over 2 degrees of freedom and a spread of 5.
        let expected = ((4.0 * h * h - 4.0 * h * h / 5.0) / 2.0 / 5.0).sqrt();
        assert!((error.unwrap() - expected).abs() < 1e-12);
        assert_eq!(line(&[(1.0, 1.0), (2.0, 0.5)]).unwrap().1, None);
        assert_eq!(line(&[(1.0, 1.0)]), None);
    }

    #[test]
    fn too_few_points_determine_nothing() {
        assert_eq!(slope(&[(1.0, 1.0)], 0), None);
        assert_eq!(slope(&[(1.0, 1.0), (2.0, 0.5)], 1), None);
        assert_eq!(slope(&[], 0), None);
        assert_eq!(slope(&[(2.0, 1.0), (2.0, 1.0)], 0), None);
    }
}
