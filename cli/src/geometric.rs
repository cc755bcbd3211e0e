//! Where every column has full support: no power of T, but a factor a step.
//!
//! Near the teacher descent is `e ← (1 − ηgA) e` with the curvature operator gA (note 4). The
//! slowest of its modes decides: the factor is the largest |1 − ηλ| over its eigenvalues λ ≠ 0.

use popgd_core::descent::lumped::LumpedModel;
use popgd_core::scalar::float::Float;

use crate::engine::with_lumped_model;
use crate::settings::ModelSettings;

/// Larger models are not asked for their eigenvalues.
const MAX_LEVELS: usize = 400;

/// One minus the factor by which the errors of a model shrink a step in the end; none if it has
/// zeros, is too large, or does not move.
///
/// With c and the logits of one class after the other, and in coordinates in which it is
/// symmetric, the operator is `g J Jᵀ`: an entry of level ℓ of a class is moved by c with
/// `√n √m w`, and by the logits of its class with `√κ v (diag w − w wᵀ)`.
pub fn shrinkage(model: &ModelSettings) -> Option<f64> {
    with_lumped_model::<f64, _>(model, |lumped| {
        let levels = lumped.levels();
        let open = lumped.classes.iter().any(|class| class.support(0.0).1 > 0.0);
        if levels > MAX_LEVELS || open {
            return None;
        }
        let mut operator = operator(&lumped);
        let values = eigenvalues(&mut operator);
        let largest = values.iter().copied().fold(0.0, f64::max);
        let moving = values.into_iter().filter(|value| *value > 1e-10 * largest);
        // 1 − |1 − ηλ|, of the slowest mode, to its last digits.
        let lost = moving.map(|value| lumped.rate * value);
        let lost = lost.map(|lost| if lost <= 1.0 { lost } else { 2.0 - lost });
        let least = lost.fold(f64::INFINITY, f64::min);
        (largest > 0.0 && Float::is_finite(least)).then_some(least)
    })
}

/// g A on lumped vectors, symmetric: entries are weighted with √(n m).
fn operator(lumped: &LumpedModel<'_, f64>) -> Vec<Vec<f64>> {
    let gain = lumped.activation.gain();
    let scale = gain * lumped.logit_gain * lumped.teacher_norm * lumped.teacher_norm;
    let mut entries: Vec<(usize, f64, f64, f64)> = Vec::new();
    for (index, class) in lumped.classes.iter().enumerate() {
        entries.extend(class.levels().map(|(count, weight)| (index, class.columns, count, weight)));
    }
    // M = diag w − w wᵀ of a class, √m on both sides.
    let softmax = |a: usize, b: usize| -> f64 {
        let ((class, _, m, w), (other, _, k, x)) = (entries[a], entries[b]);
        if class != other {
            return 0.0;
        }
        (if a == b { w } else { 0.0 }) - (m * k).sqrt() * w * x
    };
    let size = entries.len();
    (0..size)
        .map(|a| {
            (0..size)
                .map(|b| {
                    let ((_, n, m, w), (_, l, k, x)) = (entries[a], entries[b]);
                    let square: f64 = (0..size).map(|i| softmax(a, i) * softmax(i, b)).sum();
                    gain * (n * m).sqrt() * w * (l * k).sqrt() * x + scale * square
                })
                .collect()
        })
        .collect()
}

/// The eigenvalues of a symmetric matrix, by Jacobi's rotations.
fn eigenvalues(matrix: &mut [Vec<f64>]) -> Vec<f64> {
    let size = matrix.len();
    for _ in 0..60 {
        let off: f64 = (0..size)
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| matrix[a][b] * matrix[a][b])
            .sum();
        let trace: f64 = (0..size).map(|a| matrix[a][a] * matrix[a][a]).sum();
        if off <= 1e-30 * trace {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                if matrix[p][q] == 0.0 {
                    continue;
                }
                let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for row in matrix.iter_mut() {
                    let (x, y) = (row[p], row[q]);
                    row[p] = cosine * x - sine * y;
                    row[q] = sine * x + cosine * y;
                }
                let (upper, lower) = (matrix[p].clone(), matrix[q].clone());
                for (at, (x, y)) in upper.into_iter().zip(lower).enumerate() {
                    matrix[p][at] = cosine * x - sine * y;
                    matrix[q][at] = sine * x + cosine * y;
                }
            }
        }
    }
    (0..size).map(|a| matrix[a][a]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let mut matrix = vec![vec![2.0, 1.0, 0.0], vec![1.0, 2.0, 0.0], vec![0.0, 0.0, 5.0]];
        let mut found = eigenvalues(&mut matrix);
        found.sort_by(f64::total_cmp);
        for (found, expected) in found.into_iter().zip([1.0, 3.0, 5.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}
