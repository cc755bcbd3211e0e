//! From a question to a report.

use popgd_core::Activation;
use popgd_core::theory::moments::{Law, TokenSums, sharp_square_gap};
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::bounds::{Bounds, Distance, Seen, stated_steps};
use super::check::{self, Check};
use super::gap::{Conditional, MOST_TOKENS_FOR_GRAM, Noise, Scene, Tally, add_block};
use super::path::{self, Point};
use super::records::{Layout, Records};
use super::report::{Figure, Report, Row, Sharp, Statement};
use super::settings::{Inputs, Labels, OodSettings};
use super::slopes::slopes;
use super::tail::{self, Largest, Verdict};
use crate::certificate::make::Wanted;
use crate::engine::with_lumped_model;
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::settings::{ModelSettings, Settings};

/// How many samples a block has: fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 256;

/// How many blocks are done between two looks at the keyboard.
const ROUND: usize = 64;

/// How many numbers a block of a file has, about.
const NUMBERS: usize = 1 << 17;

/// Everything that a run needs.
struct Question<'a> {
    model: &'a ModelSettings,
    ood: &'a OodSettings,
    points: &'a [Point],
    weights: &'a [f64],
    from_step: Option<u64>,
    quiet: bool,
    pool: rayon::ThreadPool,
}

/// Checks, runs, measures.
///
/// # Errors
/// What is wrong with a file, a figure that is not finite, an interrupt before anything was found.
pub fn report(settings: &Settings, ood: &OodSettings) -> Result<Report, Failure> {
    let (model, quiet) = (&settings.model, settings.output.quiet);
    let is_file = matches!(ood.inputs, Inputs::File(_));
    let check = check::of_law(&ood.inputs, model.features);
    if !is_file && (ood.moments_only || check.verdict != Verdict::Holds) {
        return Ok(Report::of_check(check));
    }
    let points = if ood.moments_only {
        Vec::new()
    } else {
        let progress = Progress::new(model.steps, quiet);
        path::follow(model, &settings.at, &progress)?
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(ood.threads.unwrap_or(0))
        .build()
        .map_err(|error| Failure::Io(format!("--threads: {error}")))?;
    let (weights, _) = path::levels_of(model);
    let question = Question {
        model,
        ood,
        points: &points,
        weights: &weights,
        from_step: settings.from_step,
        quiet,
        pool,
    };
    let found = match &ood.inputs {
        Inputs::File(path) => question.over_data(path)?,
        _ => question.over_law()?,
    };
    let check = found.check.clone().unwrap_or(check);
    if ood.moments_only || check.verdict == Verdict::Fails {
        return Ok(Report { interrupted: found.interrupted, ..Report::of_check(check) });
    }
    question.answer(check, &found)
}

/// What samples gave.
struct Found {
    /// Of data only.
    check: Option<Check>,
    tally: Tally,
    batch: Tally,
    interrupted: bool,
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
    fn deviation(&self) -> f64 {
        let own = if self.ood.labels == Labels::Independent { 1.0 } else { 0.0 };
        self.ood.noise.hypot(own)
    }

    fn over_law(&self) -> Result<Found, Failure> {
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

    fn over_data(&self, path: &std::path::Path) -> Result<Found, Failure> {
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
            if batch.count == 0 && !self.ood.moments_only {
                self.first_batch(&scene, &blocks[0], &mut batch);
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

    /// The first records, with noise of their own.
    fn first_batch(&self, scene: &Scene<'_>, block: &(Vec<f64>, Vec<f64>), batch: &mut Tally) {
        let count = usize::try_from(self.ood.batch).unwrap_or(usize::MAX);
        let (input, response) = block;
        let length = count.saturating_mul(scene.features * scene.tokens).min(input.len());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.model.seed);
        random.long_jump();
        let deviation = self.deviation();
        let noise: Noise<'_> = (deviation > 0.0).then_some((&mut random, deviation));
        let response = (!response.is_empty()).then_some(&response[..]);
        add_block(scene, &input[..length], response, noise, batch);
    }

    fn answer(&self, check: Check, found: &Found) -> Result<Report, Failure> {
        let Question { model, ood, .. } = *self;
        let tokens = usize::try_from(model.tokens).unwrap_or(0);
        let tally = &found.tally;
        let seen = match Seen::of_law(&ood.inputs, model.features) {
            Some(seen) => seen,
            None => match tally.token_moments(tokens) {
                Some(gram) => Seen::Full { gram, largest: tally.largest_seen() },
                None => Seen::Bounded { square: tally.largest_seen() },
            },
        };
        let symmetric = match &ood.inputs {
            Inputs::Family { family, centred, .. } => {
                family.is_symmetric() && (*centred || family.moments().is_ok_and(|m| m.mean == 0.0))
            }
            Inputs::Gaussian { mean, .. } => mean.iter().all(|x| *x == 0.0),
            Inputs::File(_) => false,
        };
        let law = if symmetric { Law::Symmetric } else { Law::Any };
        let bounds = Bounds { model, ood, seen: &seen, law, levels: &ood.teacher.levels };
        let measured = (tally.label_distance / tally.count.max(1) as f64).sqrt();
        let distance = match &ood.labels {
            Labels::Teacher => Distance::Known(0.0),
            Labels::Zero | Labels::Independent => Distance::OfZero,
            Labels::Another => Distance::OfAnother,
            Labels::Worst => ood.label_distance.map_or(Distance::OfZero, Distance::Known),
            Labels::File(_) => Distance::Known(measured),
        };
        let label_distance = bounds.label_distance(distance, self.weights);
        let is_identity = model.slope.to_f64() == 1.0;
        let is_gaussian = symmetric
            && match &ood.inputs {
                Inputs::Family { family, .. } => {
                    matches!(family, super::family::Family::Gaussian { .. })
                }
                Inputs::Gaussian { .. } => true,
                Inputs::File(_) => false,
            };
        let exact = Exact { bounds: &bounds, weights: self.weights, is_identity, is_gaussian };
        let mut rows = Vec::with_capacity(self.points.len());
        for (at, point) in self.points.iter().enumerate() {
            let distance = match (exact.square_distance(point), tally.square_distance(at)) {
                (Some(value), _) => Figure::exact(value),
                (None, Some(estimate)) => Figure::measured(estimate),
                (None, None) => Figure { value: f64::NAN, error: f64::NAN, exact: false },
            };
            let worst = |square: f64| 0.5 * square + label_distance * square.sqrt();
            let gap = match &ood.labels {
                Labels::Worst => Figure {
                    value: worst(distance.value),
                    // The derivative of ½Δ² + RΔ in Δ².
                    error: distance.error * (0.5 + 0.5 * label_distance / distance.value.sqrt()),
                    exact: distance.exact,
                },
                labels => match (exact.gap(labels, point, &distance), tally.gap(at)) {
                    (Some(value), _) => Figure::exact(value),
                    (None, Some(estimate)) => Figure::measured(estimate),
                    (None, None) => Figure { value: f64::NAN, error: f64::NAN, exact: false },
                },
            };
            let batch_gap = found.batch.gap(at).zip(found.batch.square_distance(at)).map(
                |(gap, own)| match &ood.labels {
                    // The labels are those that are worst over the whole law.
                    Labels::Worst => gap.value + label_distance / distance.value.sqrt() * own.value,
                    _ => gap.value,
                },
            );
            rows.push(Row {
                t: point.t,
                square_distance: distance,
                gap,
                batch_gap,
                bound: bounds.gap(point, label_distance),
            });
        }
        let sharp = self.sharp(&seen, symmetric, tally, &rows);
        let inputs = check.largest_moment.unwrap_or(f64::INFINITY);
        let labels = match ood.labels {
            Labels::Worst => {
                let columns = (model.tokens as f64).sqrt();
                let teacher = bounds.label_distance(Distance::OfZero, self.weights) / columns;
                (teacher + label_distance / columns).powi(2)
            }
            _ => tally.largest_label() + (self.deviation().powi(2)) * model.channels as f64,
        };
        let wanted = Wanted { from_step: self.from_step, at: &[], quiet: self.quiet };
        let statement = match stated_steps(model, inputs.max(labels), ood.epsilon) {
            None => None,
            Some(stated) => Some(Statement {
                epsilon: ood.epsilon,
                inputs,
                labels,
                stated,
                proven: bounds.proven(distance, ood.epsilon, wanted)?,
            }),
        };
        let noise_from = sharp.and_then(|sharp| {
            let rate = model.rate.to_f64();
            let crossing = 4.0 * self.deviation().powi(2) / ood.batch as f64;
            (crossing > 0.0).then(|| sharp.constant / (rate * crossing))
        });
        Ok(Report {
            check,
            samples: tally.count,
            label_distance: Some(label_distance),
            amplification: bounds.amplification(),
            slopes: slopes(&rows),
            rows,
            sharp,
            statement,
            noise_from,
            interrupted: found.interrupted,
        })
    }

    /// The limit law of Δ², for independent tokens of one law.
    fn sharp(&self, seen: &Seen, symmetric: bool, tally: &Tally, rows: &[Row]) -> Option<Sharp> {
        let Seen::Law { mean, covariance } = seen else { return None };
        let model = self.model;
        let group = model.group.filter(|group| *group < model.tokens)?;
        let slope = model.slope.to_f64();
        if let Inputs::Family { family, .. } = &self.ood.inputs
            && slope != 1.0
            && family.has_atoms()
        {
            return None;
        }
        let (mut of_mean, mut of_spread) = (0.0, 0.0);
        let draws = (tally.count * model.tokens) as f64;
        for (at, row) in self.ood.teacher.value_matrix.chunks_exact(model.features).enumerate() {
            let share = if symmetric {
                0.5
            } else if slope == 1.0 {
                1.0
            } else {
                tally.positive.get(at).map_or(f64::NAN, |count| *count as f64 / draws)
            };
            let weight = share + slope * slope * (1.0 - share);
            let along: f64 = row.iter().zip(mean).map(|(v, x)| v * x).sum();
            let spread: f64 = row
                .iter()
                .zip(covariance.chunks_exact(model.features))
                .map(|(v, line)| v * row.iter().zip(line).map(|(w, c)| w * c).sum::<f64>())
                .sum();
            of_mean += weight * along * along;
            of_spread += weight * spread;
        }
        let constant = with_lumped_model::<f64, _>(model, |lumped| {
            sharp_square_gap(
                &lumped.activation,
                model.tokens as f64,
                group as f64,
                lumped.teacher_norm,
                lumped.logit_gain,
                of_mean,
                of_spread,
            )
        });
        let last = rows.last().filter(|row| row.t > 0)?;
        let time = model.rate.to_f64() * last.t as f64 / constant;
        Some(Sharp {
            constant,
            at_end: time * last.square_distance.value,
            error: time * last.square_distance.error,
        })
    }
}

/// What is known in closed form.
struct Exact<'a> {
    bounds: &'a Bounds<'a>,
    weights: &'a [f64],
    is_identity: bool,
    is_gaussian: bool,
}

impl Exact<'_> {
    /// Δ².
    fn square_distance(&self, point: &Point) -> Option<f64> {
        if matches!(self.bounds.seen, Seen::Bounded { .. }) {
            return None;
        }
        if self.is_identity {
            return Some(self.bounds.before_activation(point));
        }
        if !self.is_gaussian {
            return None;
        }
        // Centred Gaussian tokens: that of training, with tr V*ΣV*ᵀ in the place of ‖V*‖².
        let spread = self.bounds.mean_square_of_one_token()?;
        let norm = with_lumped_model::<f64, _>(self.bounds.model, |lumped| lumped.teacher_norm);
        Some(2.0 * point.excess_loss * spread / (norm * norm))
    }

    /// What the student loses.
    fn gap(&self, labels: &Labels, point: &Point, distance: &Figure) -> Option<f64> {
        match labels {
            Labels::Teacher if distance.exact => Some(0.5 * distance.value),
            // E‖σ(u)‖² is a multiple of E‖u‖² for the identity and for symmetric laws.
            Labels::Zero | Labels::Independent
                if (self.is_identity || self.bounds.law == Law::Symmetric)
                    && !matches!(self.bounds.seen, Seen::Bounded { .. }) =>
            {
                let values = &self.bounds.ood.teacher.value_matrix;
                let student: Vec<f64> =
                    self.weights.iter().zip(&point.errors).map(|(w, e)| w + e).collect();
                let own = self.bounds.mean_square(values, &student, 1.0 + point.ahead);
                let teacher = self.bounds.mean_square(values, self.weights, 1.0);
                Some(0.5 * self.bounds.amplification() * (own - teacher))
            }
            _ => None,
        }
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

/// Draws inputs.
struct Sampler<'a> {
    inputs: &'a Inputs,
    features: usize,
    tokens: usize,
    /// What is taken off an entry before it is scaled.
    centre: f64,
    /// L with LLᵀ the covariance, row by row.
    root: Vec<f64>,
}

impl<'a> Sampler<'a> {
    fn new(inputs: &'a Inputs, scene: &Scene<'_>) -> Option<Self> {
        let centre = match inputs {
            Inputs::Family { family, centred: true, .. } => {
                family.moments().map_or(0.0, |moments| moments.mean)
            }
            _ => 0.0,
        };
        let root = match inputs {
            Inputs::Gaussian { covariance, .. } => square_root(covariance, scene.features)?,
            _ => Vec::new(),
        };
        Some(Self { inputs, features: scene.features, tokens: scene.tokens, centre, root })
    }

    fn draw(&self, count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let size = self.features * self.tokens;
        let mut drawn = vec![0.0; count * size];
        match self.inputs {
            Inputs::Family { family, scale, .. } => {
                for slot in &mut drawn {
                    *slot = scale * (family.sample(random) - self.centre);
                }
            }
            Inputs::Gaussian { mean, .. } => {
                let mut standard = vec![0.0; self.features];
                for input in drawn.chunks_exact_mut(size) {
                    for token in 0..self.tokens {
                        standard.fill_with(|| StandardNormal.sample(random));
                        for (feature, row) in self.root.chunks_exact(self.features).enumerate() {
                            let sum: f64 = row.iter().zip(&standard).map(|(l, z)| l * z).sum();
                            input[feature * self.tokens + token] = mean[feature] + sum;
                        }
                    }
                }
            }
            Inputs::File(_) => {}
        }
        drawn
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
