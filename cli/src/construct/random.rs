//! What constructions draw.

use rand_distr::{Distribution, Gamma, StandardNormal, StandardUniform, StudentT};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Random numbers of one instance.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Those of instance `index` under this seed.
    pub fn of(seed: u64, index: u64) -> Self {
        let spread = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(spread)))
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        StandardUniform.sample(&mut self.0)
    }

    /// Standard normal numbers.
    pub fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| StandardNormal.sample(&mut self.0)).collect()
    }

    /// Numbers with heavy tails: Student's t with two degrees of freedom.
    pub fn heavy(&mut self, count: usize) -> Vec<f64> {
        let Ok(student) = StudentT::new(2.0) else { return vec![0.0; count] };
        (0..count).map(|_| student.sample(&mut self.0)).collect()
    }

    /// λ ~ Dirichlet(a, …, a), as gamma variables over their sum; even if all of them vanish.
    pub fn dirichlet(&mut self, count: usize, concentration: f64) -> Vec<f64> {
        let mut weights = vec![1.0; count];
        if let Ok(gamma) = Gamma::new(concentration, 1.0) {
            weights.iter_mut().for_each(|weight| *weight = gamma.sample(&mut self.0));
        }
        let sum: f64 = weights.iter().sum();
        let usable = sum > 0.0 && sum.is_finite();
        let even = 1.0 / count as f64;
        weights.iter().map(|weight| if usable { weight / sum } else { even }).collect()
    }
}

/// ‖x‖.
pub fn norm(numbers: &[f64]) -> f64 {
    numbers.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The longest of vectors of so many entries.
pub fn longest(numbers: &[f64], length: usize) -> f64 {
    numbers.chunks_exact(length).map(norm).fold(0.0, f64::max)
}

/// Vectors brought into the unit ball.
pub fn into_unit_ball(numbers: &mut [f64], length: usize) {
    // A little less, so that rounding leaves none outside.
    let radius = longest(numbers, length) * (1.0 + 1e-12);
    if radius > 0.0 {
        numbers.iter_mut().for_each(|x| *x /= radius);
    }
}
