//! Random labelled samples and random measures, of every kind that may be difficult.

use popgd_core::Interval;
use quickcheck::{Arbitrary, Gen};

/// Random numbers that are really spread as they should be: those of quickcheck are the special
/// ones more often. A counter through the mixing function of SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Of a seed that quickcheck draws.
    pub fn of(g: &mut Gen) -> Self {
        Self(u64::arbitrary(g))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0
    }

    /// A whole number in lo..=hi.
    pub fn between(&mut self, lo: usize, hi: usize) -> usize {
        lo + (self.uniform() * (hi - lo + 1) as f64) as usize
    }

    /// A whole number in 1..=most, of any order of magnitude.
    pub fn size(&mut self, most: usize) -> usize {
        ((most as f64).powf(self.uniform()).round() as usize).clamp(1, most)
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (length, angle) = (self.uniform(), self.uniform());
        (-2.0 * length.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// So many of them.
    pub fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }

    /// Student's t with so many degrees of freedom.
    pub fn student(&mut self, freedom: usize) -> f64 {
        let square: f64 = (0..freedom).map(|_| self.normal().powi(2)).sum();
        self.normal() / (square / freedom as f64).sqrt()
    }
}

/// The greater of two; what is no number is greater than all, where a maximum of floats would leave it out.
pub fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

/// Points, exactly.
pub fn points(numbers: &[f64]) -> Vec<Interval<f64>> {
    numbers.iter().map(|&x| Interval::point(x)).collect()
}

/// Labelled samples z = y x, n × d, for a run of so many steps.
#[derive(Clone, Debug)]
pub struct RandomSamples {
    /// d ≤ 20.
    pub features: usize,
    /// z, n ≤ 500 of them.
    pub rows: Vec<f64>,
    /// At most 200.
    pub steps: usize,
    /// η, with ηR² ≤ 1 for the largest ‖z‖ = R, unless the samples are large on purpose.
    pub rate: f64,
}

impl RandomSamples {
    /// The largest ‖z_i‖.
    pub fn radius(&self) -> f64 {
        self.rows.chunks_exact(self.features).map(norm).fold(0.0, greater)
    }

    /// Samples of these sizes.
    pub fn of(g: &mut Random, features: usize, count: usize, steps: usize) -> Self {
        let mut rows: Vec<f64> = g.normals(features * count);
        let kind = g.between(0, 6);
        match kind {
            // Separable, along the first axis.
            1 | 2 => rows.iter_mut().step_by(features).for_each(|x| *x = x.abs() + 0.1),
            // Each sample twice.
            3 => {
                let half = rows.len() / 2 / features * features;
                rows.copy_within(0..half, half);
            }
            // All on a line.
            4 => {
                let direction = rows[..features].to_vec();
                for row in rows.chunks_exact_mut(features) {
                    let factor = row[0];
                    row.iter_mut().zip(&direction).for_each(|(x, d)| *x = factor * d);
                }
            }
            5 => rows.iter_mut().for_each(|x| *x = g.student(1 + usize::from(*x > 0.0))),
            _ => {}
        }
        let mut samples = Self { features, rows, steps, rate: 1.0 };
        let radius = samples.radius();
        if kind == 6 {
            // Logits far beyond what has an exponential.
            samples.rows.iter_mut().for_each(|x| *x *= 1e3);
        } else if g.uniform() < 0.5 && radius > 0.0 {
            samples.rows.iter_mut().for_each(|x| *x /= 1.0001 * radius);
            samples.rate = 0.1 + 0.9 * g.uniform();
        } else if radius > 0.0 {
            samples.rate = (0.1 + 0.9 * g.uniform()) / (1.0001 * radius * radius);
        }
        samples
    }
}

impl Arbitrary for RandomSamples {
    fn arbitrary(g: &mut Gen) -> Self {
        // Mostly small, for time.
        let mut g = Random::of(g);
        let most = if g.between(0, 15) == 0 { 500 } else { 40 };
        let (features, count) = (g.size(20), g.size(most));
        let steps = g.size(if count <= 40 { 200 } else { 3 });
        Self::of(&mut g, features, count, steps)
    }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A measure of at most 64 atoms in at most 8 dimensions, and where to evaluate its operator.
#[derive(Clone, Debug)]
pub struct RandomMeasure {
    /// d.
    pub dimension: usize,
    /// n × d.
    pub atoms: Vec<f64>,
    /// n, some of them 0, not all.
    pub weights: Vec<f64>,
    /// A, d × d.
    pub matrix: Vec<f64>,
    /// x.
    pub query: Vec<f64>,
}

impl RandomMeasure {
    /// Of these sizes.
    pub fn of(g: &mut Random, dimension: usize, count: usize) -> Self {
        let scale = [1.0, 1.0, 0.01, 30.0][g.between(0, 3)];
        let mut atoms: Vec<f64> = (0..dimension * count).map(|_| scale * g.normal()).collect();
        if g.between(0, 5) == 0 {
            // The first and the last are the same.
            let last = atoms.len() - dimension;
            atoms.copy_within(..dimension, last);
        }
        let mut weights: Vec<f64> =
            (0..count).map(|_| if g.between(0, 7) == 0 { 0.0 } else { g.uniform() }).collect();
        weights[g.between(0, count - 1)] += 0.1;
        let (matrix, query) = (g.normals(dimension * dimension), g.normals(dimension));
        Self { dimension, atoms, weights, matrix, query }
    }
}

impl Arbitrary for RandomMeasure {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut g = Random::of(g);
        let (dimension, count) = (g.between(1, 8), g.between(1, 64));
        Self::of(&mut g, dimension, count)
    }
}
