//! The samples of a question: drawn from a law, or read from a file, in blocks that are added in
//! their order.

use std::path::Path;

use popgd_core::Activation;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::check::{self, Check};
use super::gap::{Conditional, MOST_TOKENS_FOR_GRAM, Noise, Scene, Tally, add_block};
use super::records::{Layout, Records};
use super::run::Question;
use super::sampler::Sampler;
use super::settings::{Inputs, Labels};
use super::watch::{Norms, Watch};
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
        let mut inputs = Records::open(path, layout)?;
        let responses = match &self.ood.labels {
            Labels::File(path) => {
                let layout = Layout { rows: channels, columns: tokens, what: "M × D" };
                Some(Records::open(path, layout)?)
            }
            _ => None,
        };
        let mut responses = responses;
        let rows = fitting(layout.length());
        let (mut memory, mut other) = (vec![0.0; Watch::memory(tokens)], Vec::new());
        let broken = || Failure::usage("tokens: expected at least one");
        let mut watch = Watch::new(tokens, &mut memory).ok_or_else(broken)?;
        let mut responses_watch = match &responses {
            None => None,
            Some(_) => {
                other.resize(Watch::memory(tokens), 0.0);
                Some(Watch::new(tokens, &mut other).ok_or_else(broken)?)
            }
        };
        let mut tally = Tally::new(&scene);
        let mut batch = Tally::new(&scene);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.model.seed);
        random.long_jump();
        let mut interrupted = false;
        let threads = self.pool.current_num_threads().max(1);
        let mut buffers: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); 2 * threads];
        loop {
            if interrupt::requested() {
                interrupted = true;
                break;
            }
            let mut filled = 0;
            for (input, response) in &mut buffers {
                let before = inputs.count();
                let found = inputs.next(rows, input)?;
                if let Some(responses) = &mut responses {
                    let paired = responses.next(rows, response)?;
                    if paired != found {
                        return Err(unequal(&inputs, responses, before, found, paired));
                    }
                }
                if found == 0 {
                    break;
                }
                filled += 1;
            }
            if filled == 0 {
                break;
            }
            let blocks = &buffers[..filled];
            // The first block is the same for any number of threads.
            watch.look(&blocks[0].0, layout.length());
            if let Some(watch) = &mut responses_watch {
                watch.look(&blocks[0].1, channels * tokens);
            }
            if !self.ood.moments_only {
                for block in blocks {
                    self.add_to_batch(&scene, block, &mut random, &mut batch);
                }
            }
            let has_responses = responses.is_some();
            let (inputs_watch, labels_watch) = (&watch, responses_watch.as_ref());
            let results: Vec<(Norms, Option<Norms>, Tally)> = self.pool.install(|| {
                blocks
                    .par_iter()
                    .map(|(input, response)| {
                        let mut own = Tally::new(&scene);
                        if !self.ood.moments_only {
                            let response = has_responses.then_some(&response[..]);
                            add_block(&scene, input, response, None, &mut own);
                        }
                        let labels = labels_watch.map(|watch| watch.norms(response));
                        (inputs_watch.norms(input), labels, own)
                    })
                    .collect()
            });
            for (at, (norms, labels, own)) in results.iter().enumerate() {
                tally.merge(own);
                let before = || {
                    let later = blocks.iter().skip(at);
                    let later = later.map(|(input, _)| (input.len() / layout.length()) as u64);
                    inputs.count() - later.sum::<u64>()
                };
                let overflow = |path: &Path, row: usize| {
                    Failure::usage(format!(
                        "{}: record {}: the fourth power of a number overflows: expected numbers \
                         below 1e75",
                        path.display(),
                        before() + row as u64 + 1
                    ))
                };
                watch.take(norms).map_err(|row| overflow(path, row))?;
                if let (Some(watch), Some(labels), Some(file)) =
                    (&mut responses_watch, labels, &responses)
                {
                    watch.take(labels).map_err(|row| overflow(file.path(), row))?;
                }
            }
            if blocks.iter().any(|(input, _)| input.len() < rows * layout.length()) {
                break;
            }
        }
        if let Some(responses) = &mut responses
            && !interrupted
        {
            let (input, response) = (&mut Vec::new(), &mut Vec::new());
            let (found, paired) = (inputs.next(1, input)?, responses.next(1, response)?);
            if found != paired {
                return Err(unequal(
                    &inputs,
                    responses,
                    inputs.count() - found as u64,
                    found,
                    paired,
                ));
            }
        }
        if interrupted && inputs.count() == 0 {
            let message = "interrupted before anything was read";
            return Err(Failure::Interrupted(message.to_owned()));
        }
        inputs.check_not_empty()?;
        let check = check::of_data(&watch, responses_watch.as_ref());
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

fn unequal(
    inputs: &Records,
    responses: &Records,
    before: u64,
    found: usize,
    paired: usize,
) -> Failure {
    Failure::usage(format!(
        "{}: expected as many records as {} has: {} end after {}, and the others go on",
        responses.path().display(),
        inputs.path().display(),
        if found < paired { "inputs" } else { "responses" },
        before + found.min(paired) as u64
    ))
}
