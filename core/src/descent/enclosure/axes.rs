//! Coordinates in which errors do not grow more than descent makes them.
//!
//! Descent is a gradient step in the metric `M = diag(1, κv²/n (diag(1/m) + 11ᵀ/m₀), …)` on c
//! and logit differences (note 8), so its Jacobian is symmetric in coordinates A with AAᵀ = M. There
//! it has orthogonal eigenvectors, and a box along these shrinks with the eigenvalues. Nothing
//! here is rigorous, nor need it be: the enclosure holds for any A.

use crate::Scalar;
use crate::model::lumped::LumpedModel;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// Entry (row, column) of a square matrix, row by row.
pub(super) fn at<F: Copy>(matrix: &[F], side: usize, row: usize, column: usize) -> Option<F> {
    matrix.get(row * side + column).copied()
}

fn entry<F: Float>(matrix: &[F], side: usize, row: usize, column: usize) -> F {
    at(matrix, side, row, column).unwrap_or(F::ZERO)
}

fn put<F>(matrix: &mut [F], side: usize, row: usize, column: usize, value: F) {
    if let Some(slot) = matrix.get_mut(row * side + column) {
        *slot = value;
    }
}

/// A lower triangular A with AAᵀ = M, and its inverse.
pub(super) fn natural<F: Float>(
    model: &LumpedModel<'_, Interval<F>>,
    side: usize,
    axes: &mut [F],
    inverse: &mut [F],
) {
    axes.fill(F::ZERO);
    inverse.fill(F::ZERO);
    put(axes, side, 0, 0, F::ONE);
    let stiffness = (model.logit_gain * model.teacher_norm.square()).midpoint();
    let mut first = 1;
    for class in model.classes {
        let reference = super::reference(class);
        let Some(common) = class.counts.get(reference) else { continue };
        let others = || class.counts.iter().enumerate().filter(|&(level, _)| level != reference);
        let scale = stiffness / class.columns.midpoint();
        let shared = F::ONE / common.midpoint();
        // Cholesky's decomposition of the block of this class.
        for (i, (_, count)) in others().enumerate() {
            for j in 0..=i {
                let own = if i == j { F::ONE / count.midpoint() } else { F::ZERO };
                let mut rest = scale * (own + shared);
                for k in 0..j {
                    rest = rest
                        - entry(axes, side, first + i, first + k)
                            * entry(axes, side, first + j, first + k);
                }
                let value = if i == j {
                    rest.sqrt()
                } else {
                    rest / entry(axes, side, first + j, first + j)
                };
                put(axes, side, first + i, first + j, value);
            }
        }
        first += others().count();
    }
    invert_lower(side, axes, inverse);
}

/// The inverse of a lower triangular matrix.
fn invert_lower<F: Float>(side: usize, lower: &[F], inverse: &mut [F]) {
    for column in 0..side {
        for row in column..side {
            let mut rest = if row == column { F::ONE } else { F::ZERO };
            for k in column..row {
                rest = rest - entry(lower, side, row, k) * entry(inverse, side, k, column);
            }
            put(inverse, side, row, column, rest / entry(lower, side, row, row));
        }
    }
}

/// Turns the axes A, and B = A⁻¹ with them, towards the eigenvectors of the map whose derivative
/// is I + `slope`, by Jacobi's rotations of the symmetric B · `slope` · A (which is overwritten).
///
/// What couples two axes so weakly that it does not matter is left alone, lest two that decay
/// alike are turned to and fro.
pub(super) fn turn<F: Float>(
    side: usize,
    slope: &[F],
    axes: &mut [F],
    inverse: &mut [F],
    form: &mut [F],
) {
    for row in 0..side {
        for column in 0..side {
            let mut sum = F::ZERO;
            for i in 0..side {
                let mut inner = F::ZERO;
                for j in 0..side {
                    inner = inner + entry(slope, side, i, j) * entry(axes, side, j, column);
                }
                sum = sum + entry(inverse, side, row, i) * inner;
            }
            put(form, side, row, column, sum);
        }
    }
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..side {
            for q in p + 1..side {
                turned |= rotate(side, p, q, axes, inverse, form);
            }
        }
        if !turned {
            break;
        }
    }
}

/// More than enough: the convergence is quadratic.
const SWEEPS: usize = 12;

/// One rotation of the axes p and q, unless they hardly matter to each other.
fn rotate<F: Float>(
    side: usize,
    p: usize,
    q: usize,
    axes: &mut [F],
    inverse: &mut [F],
    form: &mut [F],
) -> bool {
    let (a, b) = (entry(form, side, p, p), entry(form, side, q, q));
    let half = F::from_f64(0.5);
    let coupling = half * (entry(form, side, p, q) + entry(form, side, q, p));
    let slower = a.abs().min(b.abs());
    // Left alone, the coupling q moves the slower eigenvalue by about q²/|a − b|, or by q if they are
    // alike: compare with that eigenvalue.
    let apart = F::from_f64(1e-4) * slower * (a - b).abs();
    let alike = F::from_f64(0.05) * slower;
    if !(coupling.is_finite() && coupling * coupling > apart.max(alike * alike)) {
        return false;
    }
    let middle = half * (b - a) / coupling;
    let root = (middle * middle + F::ONE).sqrt();
    let tangent =
        if middle < F::ZERO { F::ONE / (middle - root) } else { F::ONE / (middle + root) };
    let cosine = F::ONE / (tangent * tangent + F::ONE).sqrt();
    let sine = tangent * cosine;
    if !(sine.abs() > F::UNIT_ROUNDOFF) {
        return false;
    }
    for k in 0..side {
        let (along, beside) = (k * side + p, k * side + q);
        mix(axes, along, beside, cosine, sine);
        mix(form, along, beside, cosine, sine);
    }
    for k in 0..side {
        let (along, beside) = (p * side + k, q * side + k);
        mix(inverse, along, beside, cosine, sine);
        mix(form, along, beside, cosine, sine);
    }
    true
}

/// Rotates two entries of a matrix, as coordinates of a plane.
fn mix<F: Float>(matrix: &mut [F], first: usize, second: usize, cosine: F, sine: F) {
    if let (Some(&x), Some(&y)) = (matrix.get(first), matrix.get(second)) {
        if let Some(slot) = matrix.get_mut(first) {
            *slot = cosine * x - sine * y;
        }
        if let Some(slot) = matrix.get_mut(second) {
            *slot = sine * x + cosine * y;
        }
    }
}
