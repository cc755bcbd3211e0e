//! The teacher of a student of images: the first layer of a network that was trained on them.

use rand_distr::{Distribution, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::network::{Examples, Network, Weights};
use super::patches::{AREA, Patches};
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::simulate::problem::Problem;

/// Images in a batch of this training, and its rate.
const BATCH: usize = 100;
const RATE: f64 = 0.1;

/// Where V* comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// It was given.
    Given,
    /// It is the first layer of a trained network.
    Trained {
        /// How often the network saw every image.
        epochs: usize,
        /// The share of the images kept back that it classifies rightly.
        accuracy: f64,
        /// ‖V*‖ before it was scaled.
        norm: f64,
    },
}

/// Images with their classes.
#[derive(Clone, Copy, Debug)]
pub struct Classified<'a> {
    /// The images.
    pub patches: &'a Patches,
    /// Their classes.
    pub classes: &'a [u8],
}

impl Classified<'_> {
    fn examples(&self, images: &[usize]) -> Examples<f64> {
        let inputs = images.iter().flat_map(|&image| self.patches.pooled(image)).collect();
        let class = |&image: &usize| self.classes.get(image).copied().unwrap_or(0);
        Examples { inputs, classes: images.iter().map(class).collect() }
    }
}

/// Trains a network on some images, and returns its first layer scaled to ‖V*‖ of the problem, and
/// where that comes from.
///
/// # Errors
/// An interrupt; weights that are no longer finite, or a first layer of 0.
pub fn train(
    problem: &Problem,
    images: Classified<'_>,
    (training, kept_back): (&[usize], &[usize]),
    epochs: usize,
    random: &mut Xoshiro256PlusPlus,
    quiet: bool,
) -> Result<(Vec<f64>, Origin), Failure> {
    let network = Network {
        channels: problem.shape.channels,
        features: AREA,
        windows: images.patches.tokens() / AREA,
        classes: images.classes.iter().max().map_or(1, |&class| usize::from(class) + 1),
        activation: problem.activation,
    };
    let mut weights = network.start(random);
    let mut order = training.to_vec();
    let progress = Progress::of("image", (epochs * order.len()) as u64, quiet);
    for epoch in 0..epochs {
        shuffle(&mut order, random);
        for (at, batch) in order.chunks(BATCH).enumerate() {
            if interrupt::requested() {
                return Err(Failure::Interrupted(
                    "interrupted while the network of the teacher was trained; nothing is written"
                        .to_owned(),
                ));
            }
            let (_, gradient) = network.gradient(&weights, &images.examples(batch));
            descend(&mut weights, &gradient);
            progress.reached((epoch * order.len() + at * BATCH + batch.len()) as u64);
        }
    }
    let norm = weights.filters.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return Err(Failure::NotFinite(
            "the network of the teacher could not be trained on these images: its first layer is \
             not finite; give a first layer with --filters"
                .to_owned(),
        ));
    }
    let scale = problem.teacher_norm() / norm;
    let accuracy = network.accuracy(&weights, &images.examples(kept_back));
    let filters = weights.filters.iter().map(|x| scale * x).collect();
    Ok((filters, Origin::Trained { epochs, accuracy, norm }))
}

fn descend(weights: &mut Weights<f64>, gradient: &Weights<f64>) {
    let step = |weights: &mut [f64], gradient: &[f64]| {
        for (weight, slope) in weights.iter_mut().zip(gradient) {
            *weight -= RATE * slope;
        }
    };
    step(&mut weights.filters, &gradient.filters);
    step(&mut weights.linear, &gradient.linear);
    step(&mut weights.offsets, &gradient.offsets);
}

/// Puts a list into a random order, every one as likely as any other.
pub fn shuffle(list: &mut [usize], random: &mut Xoshiro256PlusPlus) {
    for last in (1..list.len()).rev() {
        if let Ok(law) = Uniform::new_inclusive(0, last) {
            list.swap(last, law.sample(random));
        }
    }
}
