//! The samples of a question: drawn from a law, or read from a file, in blocks that are added in
//! their order.

use std::path::Path;

use popgd_core::Activation;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::check::{self, Check};
use super::gap::{Conditional, MOST_TOKENS_FOR_GRAM, Noise, Scene, Tally, add_block};
use super::pairs::{Block, Pairs};
use super::records::{Layout, Records};
use super::run::Question;
use super::sampler::Sampler;
use super::settings::{Inputs, Labels};
use super::watch::{Part, Watch};
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// How many samples a block has at most.
const BLOCK: usize = 256;

/// How many blocks are done between two looks at the keyboard.
const ROUND: usize = 64;

/// How many numbers a block has at most, if that is enough for a sample.
const NUMBERS: usize = 1 << 17;

/// How many samples of so many numbers fit into a block: fixed, so that sums do not depend on the
/// number of threads.
fn fitting(length: usize) -> usize {
    (NUMBERS / length.max(1)).max(1)
}

/// What samples gave.
pub(super) struct Found {
    /// Of data only.
    pub(super) check: Option<Check>,
    /// Over all samples.
    pub(super) tally: Tally,
    /// Over the finite batch, noise included.
    pub(super) batch: Tally,
    /// Whether the user ended it before all samples were looked at.
    pub(super) interrupted: bool,
}

impl Question<'_> {
    fn scene(&self, labels: Conditional) -> Scene<'_> {
        let tokens = usize::try_from(self.model.tokens).unwrap_or(0);
        let group = self.model.group.unwrap_or(1);
        Scene {
            tokens,
            channels: self.model.channels,
            features: self.model.features,
            activation: Activation::leaky_relu(self.model.slope.to_f64()),
            teacher: &self.ood.teacher,
            weights: self.weights,
            shift: usize::try_from(group).unwrap_or(1),
            points: self.points,
            labels,
            keeps_gram: matches!(self.ood.inputs, Inputs::File(_))
                && tokens <= MOST_TOKENS_FOR_GRAM,
        }
    }

    fn conditional(&self) -> Conditional {
        match self.ood.labels {
            Labels::Teacher | Labels::Worst => Conditional::Teacher,
            Labels::Zero | Labels::Independent => Conditional::Zero,
            Labels::Another => Conditional::Another,
            Labels::File(_) => Conditional::Given,
        }
    }

    /// The deviation of all that is drawn on top of the mean of labels.
    pub(super) fn deviation(&self) -> f64 {
        let own = if self.ood.labels == Labels::Independent { 1.0 } else { 0.0 };
        self.ood.noise.hypot(own)
    }

    /// Over a law.
    ///
    /// # Errors
    /// None but for a covariance that is none.
    pub(super) fn over_law(&self) -> Result<Found, Failure> {
        let scene = self.scene(self.conditional());
        let Some(sampler) = Sampler::new(&self.ood.inputs, &scene) else {
            return Err(Failure::usage("covariance: expected a matrix that is positive definite"));
        };
        let start = Xoshiro256PlusPlus::seed_from_u64(self.model.seed);
        let samples = usize::try_from(self.ood.samples).unwrap_or(usize::MAX);
        let size = fitting(scene.features * scene.tokens).min(BLOCK);
        let blocks = samples.div_ceil(size);
        let progress = Progress::of("block", blocks as u64, self.quiet);
        let mut tally = Tally::new(&scene);
        // Streams of blocks are 2^128 draws apart; V* was drawn from the first.
        let mut next = start.clone();
        next.jump();
        let mut done = 0;
        let mut interrupted = false;
        while done < blocks {
            if interrupt::requested() {
                interrupted = true;
                break;
            }
            let round = ROUND.min(blocks - done);
            let streams: Vec<(usize, Xoshiro256PlusPlus)> = (0..round)
                .map(|at| {
                    let own = next.clone();
                    next.jump();
                    (size.min(samples - (done + at) * size), own)
                })
                .collect();
            let results: Vec<Tally> = self.pool.install(|| {
                streams
                    .into_par_iter()
                    .map(|(count, mut random)| {
                        let inputs = sampler.draw(count, &mut random);
                        let mut own = Tally::new(&scene);
                        add_block(&scene, &inputs, None, None, &mut own);
                        own
                    })
                    .collect()
            });
            for own in &results {
                tally.merge(own);
            }
            done += round;
            progress.reached(done as u64);
        }
        // The batch has a stream of its own, beyond those of all blocks.
        let mut random = start;
        random.long_jump();
        let mut batch = Tally::new(&scene);
        let deviation = self.deviation();
        let wanted = usize::try_from(self.ood.batch).unwrap_or(usize::MAX);
        let most = fitting(scene.features * scene.tokens);
        for start in (0..wanted).step_by(most) {
            if interrupt::requested() {
                interrupted = true;
                break;
            }
            let inputs = sampler.draw(most.min(wanted - start), &mut random);
            let noise: Noise<'_> = (deviation > 0.0).then_some((&mut random, deviation));
            let mut own = Tally::new(&scene);
            add_block(&scene, &inputs, None, noise, &mut own);
            batch.merge(&own);
        }
        Ok(Found { check: None, tally, batch, interrupted })
    }

    /// Over the records of a file, once through.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn over_data(&self, path: &Path) -> Result<Found, Failure> {
        let scene = self.scene(self.conditional());
        let Scene { tokens, features, channels, .. } = scene;
        let layout = Layout { rows: features, columns: tokens, what: "d × D" };
        let inputs = Records::open(path, layout)?;
        let responses = match &self.ood.labels {
            Labels::File(path) => {
                let layout = Layout { rows: channels, columns: tokens, what: "M × D" };
                Some(Records::open(path, layout)?)
            }
            _ => None,
        };
        let mut pairs = Pairs::new(inputs, responses, fitting(layout.length()));
        let (mut memory, mut other) = (Vec::new(), Vec::new());
        let mut watch = self::watch(tokens, &mut memory)?;
        let mut labels = match pairs.responses() {
            None => None,
            Some(_) => Some(self::watch(tokens, &mut other)?),
        };
        let mut tally = Tally::new(&scene);
        let mut batch = Tally::new(&scene);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.model.seed);
        random.long_jump();
        let mut interrupted = false;
        let count = 2 * self.pool.current_num_threads().max(1);
        let mut blocks: Vec<Block> = vec![Default::default(); count];
        let mut coming: Vec<Block> = vec![Default::default(); count];
        let mut slots =
            vec![(vec![0.0; Watch::memory(tokens)], vec![0.0; Watch::memory(tokens)]); count];
        let mut done: u64 = 0;
        let mut filled = pairs.fill(&mut blocks)?;
        while filled > 0 {
            if interrupt::requested() {
                interrupted = true;
                break;
            }
            let round = &blocks[..filled];
            // The first block is the same for any number of threads.
            watch.look(&round[0].0, layout.length());
            if let Some(labels) = &mut labels {
                labels.look(&round[0].1, channels * tokens);
            }
            if !self.ood.moments_only {
                for block in round {
                    self.add_to_batch(&scene, block, &mut random, &mut batch);
                }
            }
            let (of_inputs, of_labels) = (&watch, labels.as_ref());
            let (moments_only, slots) = (self.ood.moments_only, &mut slots);
            let mut found: Vec<Looked<'_>> = Vec::new();
            let mut read = Ok(0);
            // The next blocks are read while these are looked at.
            self.pool.in_place_scope(|scope| {
                scope.spawn(|_| {
                    let pairs = round.par_iter().zip(slots.par_iter_mut());
                    let looked = pairs.map(|((input, response), (first, second))| {
                        let mut own = Tally::new(&scene);
                        if !moments_only {
                            let response = of_labels.map(|_| &response[..]);
                            add_block(&scene, input, response, None, &mut own);
                        }
                        let labels = of_labels.map(|watch| watch.part(response, second));
                        Looked { inputs: of_inputs.part(input, first), labels, tally: own }
                    });
                    found = looked.collect();
                });
                read = pairs.fill(&mut coming);
            });
            for (looked, (input, _)) in found.iter().zip(round) {
                tally.merge(&looked.tally);
                let overflow = |records: &Records, row: usize| {
                    Failure::usage(format!(
                        "{}: record {}: the fourth power of a number overflows, or its square \
                         underflows: expected sizes between 1e-150 and 1e75",
                        records.path().display(),
                        done + row as u64 + 1
                    ))
                };
                watch.take(&looked.inputs).map_err(|row| overflow(pairs.inputs(), row))?;
                if let (Some(labels), Some(part), Some(file)) =
                    (&mut labels, &looked.labels, pairs.responses())
                {
                    labels.take(part).map_err(|row| overflow(file, row))?;
                }
                done += (input.len() / layout.length()) as u64;
            }
            drop(found);
            filled = read?;
            std::mem::swap(&mut blocks, &mut coming);
        }
        if interrupted && done == 0 {
            let message = "interrupted before anything was looked at";
            return Err(Failure::Interrupted(message.to_owned()));
        }
        pairs.inputs().check_not_empty()?;
        let check = check::of_data(&watch, labels.as_ref());
        Ok(Found { check: Some(check), tally, batch, interrupted })
    }

    /// The first records, with noise of their own, as long as the batch is short of them.
    fn add_to_batch(
        &self,
        scene: &Scene<'_>,
        block: &(Vec<f64>, Vec<f64>),
        random: &mut Xoshiro256PlusPlus,
        batch: &mut Tally,
    ) {
        let left = self.ood.batch.saturating_sub(batch.count);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let (input, response) = block;
        let length = left.saturating_mul(scene.features * scene.tokens).min(input.len());
        if length == 0 {
            return;
        }
        let deviation = self.deviation();
        let noise: Noise<'_> = (deviation > 0.0).then_some((random, deviation));
        let response = (!response.is_empty()).then_some(&response[..]);
        add_block(scene, &input[..length], response, noise, batch);
    }
}

/// Of nothing yet.
fn watch<'m>(columns: usize, memory: &'m mut Vec<f64>) -> Result<Watch<'m>, Failure> {
    memory.resize(Watch::memory(columns), 0.0);
    Watch::new(columns, memory).ok_or_else(|| Failure::usage("tokens: expected at least one"))
}

/// What was seen of a block.
struct Looked<'m> {
    inputs: Part<'m>,
    labels: Option<Part<'m>>,
    tally: Tally,
}
