//! What is drawn: inputs, noise and labels, all of it from streams that depend on the seed, the
//! run, the batch size, the purpose and the step alone.
//!
//! So a run that goes on from a checkpoint draws what it would have drawn, and so does a run on any
//! other thread.

use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::ood::family::Family;

/// What a stream is for: streams of different purposes have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The batch of a step.
    Training,
    /// A batch of the same kind, to measure on.
    Evaluation,
    /// A batch of other inputs, to measure on.
    OutOfDistribution,
    /// Which images are kept back, and the network that a teacher is taken from.
    Images,
}

/// The stream for one step of one run.
pub fn stream(seed: u64, run: u64, batch: u64, purpose: Purpose, step: u64) -> Xoshiro256PlusPlus {
    let words = [seed, run, batch, purpose as u64, step];
    let mixed = words.into_iter().fold(0, |state, word| mix(state ^ mix(word)));
    Xoshiro256PlusPlus::seed_from_u64(mixed)
}

/// The finalizer of SplitMix64, which maps 64-bit words one to one and scatters them.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Fills a slice with independent entries of one law.
pub fn fill(law: &Family, random: &mut Xoshiro256PlusPlus, slots: &mut [f64]) {
    slots.fill_with(|| law.sample(random));
}

/// The law of inputs in training: standard Gaussian.
pub const TRAINING: Family = Family::Gaussian { deviation: 1.0 };

/// Adds independent Gaussian noise of this standard deviation; none is drawn if it is 0.
pub fn add_noise(random: &mut Xoshiro256PlusPlus, deviation: f64, slots: &mut [f64]) {
    if deviation != 0.0 {
        for slot in slots {
            let noise: f64 = StandardNormal.sample(random);
            *slot += deviation * noise;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(of: [u64; 3], purpose: Purpose) -> Vec<f64> {
        let [run, batch, step] = of;
        let mut slots = vec![0.0; 1 << 14];
        fill(&TRAINING, &mut stream(7, run, batch, purpose, step), &mut slots);
        slots
    }

    #[test]
    fn streams_are_repeatable_and_unrelated() {
        let first = drawn([0, 100, 5], Purpose::Training);
        assert_eq!(first, drawn([0, 100, 5], Purpose::Training));
        let others = [
            drawn([1, 100, 5], Purpose::Training),
            drawn([0, 101, 5], Purpose::Training),
            drawn([0, 100, 6], Purpose::Training),
            drawn([0, 100, 5], Purpose::Evaluation),
        ];
        for other in others {
            let product: f64 = first.iter().zip(&other).map(|(x, y)| x * y).sum();
            // Six deviations of the mean of so many products of independent normals.
            assert!((product / first.len() as f64).abs() < 6.0 / (first.len() as f64).sqrt());
        }
    }
}
