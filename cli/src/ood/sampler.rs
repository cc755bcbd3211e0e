//! Inputs of a law, drawn.

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::gap::Scene;
use super::settings::{Gaussian, Inputs};

/// Draws inputs.
#[derive(Debug)]
pub struct Sampler<'a> {
    inputs: &'a Inputs,
    features: usize,
    tokens: usize,
    /// What is taken off an entry before it is scaled.
    centre: f64,
    /// L with LLᵀ the covariance of a token, or of all of X̃, row by row.
    root: Vec<f64>,
}

impl<'a> Sampler<'a> {
    /// For a scene; none if the covariance has a negative eigenvalue.
    pub fn new(inputs: &'a Inputs, scene: &Scene<'_>) -> Option<Self> {
        let centre = match inputs {
            Inputs::Family { family, centred: true, .. } => {
                family.moments().map_or(0.0, |moments| moments.mean)
            }
            _ => 0.0,
        };
        let root = match inputs {
            Inputs::Gaussian(law) => square_root(&law.covariance, law.mean.len())?,
            _ => Vec::new(),
        };
        Some(Self { inputs, features: scene.features, tokens: scene.tokens, centre, root })
    }

    /// So many inputs, each row by row.
    pub fn draw(&self, count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let size = self.features * self.tokens;
        let mut drawn = vec![0.0; count * size];
        match self.inputs {
            Inputs::Family { family, scale, .. } => {
                for slot in &mut drawn {
                    *slot = scale * (family.sample(random) - self.centre);
                }
            }
            Inputs::Gaussian(law) if law.is_whole(self.features) => {
                let mut standard = vec![0.0; size];
                for input in drawn.chunks_exact_mut(size) {
                    standard.fill_with(|| StandardNormal.sample(random));
                    let rows = self.root.chunks_exact(size).zip(&law.mean);
                    for (slot, (row, mean)) in input.iter_mut().zip(rows) {
                        *slot = mean + row.iter().zip(&standard).map(|(l, z)| l * z).sum::<f64>();
                    }
                }
            }
            Inputs::Gaussian(law) => {
                for input in drawn.chunks_exact_mut(size) {
                    self.tokens(law, input, random);
                }
            }
            Inputs::File(_) => {}
        }
        drawn
    }

    /// One input, token by token, each going on from the one before as their correlation says.
    fn tokens(&self, law: &Gaussian, input: &mut [f64], random: &mut Xoshiro256PlusPlus) {
        let fresh = (1.0 - law.correlation * law.correlation).sqrt();
        let mut standard = vec![0.0; self.features];
        for token in 0..self.tokens {
            for slot in &mut standard {
                let drawn: f64 = StandardNormal.sample(random);
                *slot = if token == 0 { drawn } else { law.correlation * *slot + fresh * drawn };
            }
            for (feature, row) in self.root.chunks_exact(self.features).enumerate() {
                let sum: f64 = row.iter().zip(&standard).map(|(l, z)| l * z).sum();
                input[feature * self.tokens + token] = law.mean[feature] + sum;
            }
        }
    }
}

/// The lower triangular root of a positive semidefinite matrix, by Cholesky.
pub fn square_root(matrix: &[f64], side: usize) -> Option<Vec<f64>> {
    let mut root = vec![0.0; side * side];
    let largest = (0..side).map(|i| matrix[i * side + i]).fold(0.0, f64::max);
    for i in 0..side {
        for k in 0..=i {
            let known: f64 = (0..k).map(|l| root[i * side + l] * root[k * side + l]).sum();
            let left = matrix[i * side + k] - known;
            if i == k {
                if left < -1e-12 * largest {
                    return None;
                }
                root[i * side + i] = left.max(0.0).sqrt();
            } else if root[k * side + k] > 1e-7 * largest.sqrt() {
                root[i * side + k] = left / root[k * side + k];
            } else if left.abs() > 1e-7 * largest {
                return None;
            }
        }
    }
    Some(root)
}
