//! What the suites share: the reference data, problems that own their matrices, and generators
//! of random problems.

pub mod enclosed;
pub mod generate;
pub mod mixture;
pub mod problem;
pub mod property;
pub mod reference;
pub mod samples;

/// |a − b| relative to the larger of the two.
pub fn relative_difference(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) }
}

/// The largest |aᵢ − bᵢ|, relative to the largest entry of b.
///
/// # Panics
/// If the lengths differ.
pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(0.0_f64, |scale, x| scale.max(x.abs()));
    let difference = a.iter().zip(b).fold(0.0_f64, |largest, (x, y)| largest.max((x - y).abs()));
    if difference == 0.0 { 0.0 } else { difference / scale }
}
