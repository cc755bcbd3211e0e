//! Random problems for quickcheck.

use crate::problem::DenseProblem;
use popgd_core::model::teacher::Shape;
use quickcheck::{Arbitrary, Gen};

/// A number in [−1, 1].
pub fn unit(g: &mut Gen) -> f64 {
    f64::from(i32::arbitrary(g)) / f64::from(i32::MAX)
}

/// A whole number in lo..=hi.
pub fn between(g: &mut Gen, lo: usize, hi: usize) -> usize {
    lo + usize::from(u8::arbitrary(g)) % (hi - lo + 1)
}

/// Entries in [−1, 1].
pub fn entries(g: &mut Gen, count: usize) -> Vec<f64> {
    (0..count).map(|_| unit(g)).collect()
}

/// A column-stochastic matrix, one row per query, about half of its entries 0.
pub fn scores(g: &mut Gen, tokens: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for _ in 0..tokens {
        let mut row: Vec<f64> =
            (0..tokens).map(|_| if bool::arbitrary(g) { unit(g).abs() } else { 0.0 }).collect();
        row[between(g, 0, tokens - 1)] += 0.1;
        let sum: f64 = row.iter().sum();
        all.extend(row.into_iter().map(|x| x / sum));
    }
    all
}

/// An orthogonal matrix: a product of Householder reflections.
pub fn orthogonal(g: &mut Gen, side: usize) -> Vec<f64> {
    let mut matrix: Vec<f64> =
        (0..side * side).map(|k| if k % (side + 1) == 0 { 1.0 } else { 0.0 }).collect();
    for _ in 0..side {
        let mut normal = entries(g, side);
        normal[0] += 1.5;
        let square: f64 = normal.iter().map(|x| x * x).sum();
        for row in matrix.chunks_exact_mut(side) {
            let along: f64 = row.iter().zip(&normal).map(|(x, n)| x * n).sum();
            for (x, n) in row.iter_mut().zip(&normal) {
                *x -= 2.0 * along / square * n;
            }
        }
    }
    matrix
}

/// The product of two matrices, `left` having rows of length `inner`.
pub fn product(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
    let width = right.len() / inner;
    left.chunks_exact(inner)
        .flat_map(|row| {
            (0..width).map(move |j| {
                row.iter().enumerate().map(|(k, x)| x * right[k * width + j]).sum::<f64>()
            })
        })
        .collect()
}

/// A small problem of any kind: sizes up to 12, any slope, teacher, start and positions.
#[derive(Clone, Debug)]
pub struct RandomProblem(pub DenseProblem);

impl Arbitrary for RandomProblem {
    fn arbitrary(g: &mut Gen) -> Self {
        // Mostly small; a share beyond eight entries, where wedges are taken by chords.
        let longest = if between(g, 0, 4) == 0 { 12 } else { 5 };
        let shape = Shape {
            tokens: between(g, 1, longest),
            channels: between(g, 1, 3),
            features: between(g, 1, longest - 2),
        };
        let slope = *g.choose(&[1.0, 0.4, 0.0, -0.3, -1.0, 2.0]).unwrap();
        let teacher_values = entries(g, shape.value_entries());
        let teacher_scores = scores(g, shape.tokens);
        let mut problem =
            DenseProblem::from_zero(shape, slope, teacher_values, teacher_scores, 0.05);
        problem.start_values = entries(g, shape.value_entries());
        problem.start_key_query = entries(g, shape.score_entries());
        problem.temperature = 0.5 + unit(g).abs();
        match between(g, 0, 2) {
            0 => {}
            1 => problem.positions = Some(orthogonal(g, shape.tokens)),
            _ => {
                problem.positions = Some(entries(g, shape.score_entries()));
                problem.orthogonal = false;
            }
        }
        Self(problem)
    }
}
