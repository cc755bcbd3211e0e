//! The samples of a question: drawn from a law, or read from a file, in blocks that are added in
//! their order.

use std::path::Path;

use popgd_core::Activation;
use popgd_core::theory::moments::TokenSums;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::check::{self, Check};
use super::gap::{Conditional, MOST_TOKENS_FOR_GRAM, Noise, Scene, Tally, add_block};
use super::records::{Layout, Records};
use super::run::Question;
use super::sampler::Sampler;
use super::settings::{Inputs, Labels};
use super::tail::{self, Largest};
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// How many samples a block has: fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 256;

/// How many blocks are done between two looks at the keyboard.
const ROUND: usize = 64;

/// How many numbers a block of a file has, about.
const NUMBERS: usize = 1 << 17;

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
        let blocks = samples.div_ceil(BLOCK);
        let progress = Progress::of("block", blocks as u64, self.quiet);
        let mut tally = Tally::new(&scene);
        // Streams of blocks are 2^128 draws apart.
        let mut next = start.clone();
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
                    (BLOCK.min(samples - (done + at) * BLOCK), own)
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
        let inputs = sampler.draw(usize::try_from(self.ood.batch).unwrap_or(0), &mut random);
        let deviation = self.deviation();
        let noise: Noise<'_> = (deviation > 0.0).then_some((&mut random, deviation));
        add_block(&scene, &inputs, None, noise, &mut batch);
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
        let rows = (NUMBERS / layout.length().max(1)).max(1);
        let mut memory = vec![0.0; TokenSums::<f64>::memory(tokens)];
        let mut sums = TokenSums::new(0.0, tokens, &mut memory)
            .map_err(|error| Failure::usage(error.to_string()))?;
        let mut largest = vec![Largest::default(); tokens];
        let mut centre: Option<Vec<f64>> = None;
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
            let centre =
                &*centre.get_or_insert_with(|| tail::medians(&blocks[0].0, layout.length()));
            if !self.ood.moments_only {
                for block in blocks {
                    self.add_to_batch(&scene, block, &mut random, &mut batch);
                }
            }
            let has_responses = responses.is_some();
            let results: Vec<(Norms, Tally)> = self.pool.install(|| {
                blocks
                    .par_iter()
                    .map(|(input, response)| {
                        let mut own = Tally::new(&scene);
                        if !self.ood.moments_only {
                            let response = has_responses.then_some(&response[..]);
                            add_block(&scene, input, response, None, &mut own);
                        }
                        (Norms::of(input, centre, tokens), own)
                    })
                    .collect()
            });
            for (at, (norms, own)) in results.iter().enumerate() {
                tally.merge(own);
                let Norms { whole, about } = norms;
                let pairs = whole.chunks_exact(tokens).zip(about.chunks_exact(tokens));
                for (row, (norms, about)) in pairs.enumerate() {
                    if norms.iter().chain(about).any(|norm| !norm.is_finite()) {
                        let before = inputs.count()
                            - (blocks.iter().skip(at))
                                .map(|(input, _)| (input.len() / layout.length()) as u64)
                                .sum::<u64>();
                        return Err(Failure::usage(format!(
                            "{}: record {}: the square of a number overflows: expected numbers \
                             below 1e150",
                            path.display(),
                            before + row as u64 + 1
                        )));
                    }
                    // Its length is that of the sums.
                    let _ = sums.push(norms);
                    for (largest, &norm) in largest.iter_mut().zip(about) {
                        largest.push(norm);
                    }
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
        inputs.check_not_empty()?;
        let check = check::of_data(&sums, &largest);
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

/// Of every token of every record.
struct Norms {
    /// ‖x̃_i‖².
    whole: Vec<f64>,
    /// ‖x̃_i − m_i‖², m being the centre.
    about: Vec<f64>,
}

impl Norms {
    /// Of records as long as their centre.
    fn of(records: &[f64], centre: &[f64], tokens: usize) -> Self {
        let features = centre.len() / tokens.max(1);
        let count = records.len() / features.max(1);
        let (mut whole, mut about) = (vec![0.0; count], vec![0.0; count]);
        let slots = whole.chunks_exact_mut(tokens).zip(about.chunks_exact_mut(tokens));
        for (record, (whole, about)) in records.chunks_exact(centre.len().max(1)).zip(slots) {
            let rows = record.chunks_exact(tokens).zip(centre.chunks_exact(tokens));
            for (row, middle) in rows {
                for ((whole, about), (x, m)) in
                    whole.iter_mut().zip(about.iter_mut()).zip(row.iter().zip(middle))
                {
                    *whole += x * x;
                    *about += (x - m) * (x - m);
                }
            }
        }
        Self { whole, about }
    }
}
