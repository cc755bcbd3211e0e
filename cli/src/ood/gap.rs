//! What the student loses, sample by sample, at all recorded steps at once.
//!
//! Samples come in blocks of fixed size; each block is added up by itself, and the blocks are added
//! in their order: the result has the same bits whatever the number of threads.

use popgd_core::Activation;
use popgd_core::theory::moments::SecondSums;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::path::Point;
use super::settings::TeacherMatrices;

/// Up to this many tokens all second moments of a sample are kept.
pub const MOST_TOKENS_FOR_GRAM: usize = 128;

/// What student and teacher are made of.
#[derive(Debug)]
pub struct Scene<'a> {
    /// D.
    pub tokens: usize,
    /// M.
    pub channels: usize,
    /// d.
    pub features: usize,
    /// σ.
    pub activation: Activation<f64>,
    /// The teacher in full.
    pub teacher: &'a TeacherMatrices,
    /// The weights of the levels of S*.
    pub weights: &'a [f64],
    /// By how many tokens the groups of the other teacher are moved.
    pub shift: usize,
    /// The student.
    pub points: &'a [Point],
    /// What labels are, given the input.
    pub labels: Conditional,
    /// Whether all second moments are kept.
    pub keeps_gram: bool,
}

/// The mean of labels, given the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditional {
    /// The teacher.
    Teacher,
    /// 0.
    Zero,
    /// Another teacher.
    Another,
    /// As given with the sample.
    Given,
}

/// What is drawn on top of labels: this deviation, from this stream.
pub type Noise<'a> = Option<(&'a mut Xoshiro256PlusPlus, f64)>;

/// Sums over samples at one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Of ‖student − teacher‖².
    pub distance: f64,
    /// Of its square.
    pub distance_square: f64,
    /// Of what the student loses.
    pub gap: f64,
    /// Of its square.
    pub gap_square: f64,
}

/// Sums over samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many samples.
    pub count: u64,
    /// At every recorded step.
    pub steps: Vec<Sums>,
    /// For every channel, how many outputs of the teacher are above 0 before σ.
    pub positive: Vec<u64>,
    /// Of the square of how many there are in a sample.
    pub positive_square: Vec<u64>,
    /// Of ‖label − teacher‖².
    pub label_distance: f64,
    /// Of ‖teacher‖², column by column.
    pub teacher_columns: Vec<f64>,
    /// Of ‖label‖², column by column.
    pub label_columns: Vec<f64>,
    /// Of ‖V*x̃_i‖², token by token.
    pub seen: Vec<f64>,
    /// Memory of the second moments of the rows of V*X̃; empty if they are not kept.
    pub gram: Vec<f64>,
}

/// What a mean is, and how far it may be off: its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

fn estimate(sum: f64, squares: f64, count: u64) -> Estimate {
    let n = count as f64;
    let value = sum / n;
    let variance = ((squares - sum * value) / (n - 1.0)).max(0.0);
    Estimate { value, error: if count > 1 { (variance / n).sqrt() } else { f64::INFINITY } }
}

impl Tally {
    /// Of nothing yet.
    pub fn new(scene: &Scene<'_>) -> Self {
        Self {
            count: 0,
            steps: vec![Sums::default(); scene.points.len()],
            positive: vec![0; scene.channels],
            positive_square: vec![0; scene.channels],
            label_distance: 0.0,
            teacher_columns: vec![0.0; scene.tokens],
            label_columns: vec![0.0; scene.tokens],
            seen: vec![0.0; scene.tokens],
            gram: if scene.keeps_gram {
                vec![0.0; SecondSums::<f64>::memory(scene.tokens)]
            } else {
                Vec::new()
            },
        }
    }

    /// Takes in another block. Sums of second moments are pairs of a sum and what it lost, of which
    /// sums are sums too.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for (own, other) in self.steps.iter_mut().zip(&other.steps) {
            own.distance += other.distance;
            own.distance_square += other.distance_square;
            own.gap += other.gap;
            own.gap_square += other.gap_square;
        }
        for (own, other) in [
            (&mut self.positive, &other.positive),
            (&mut self.positive_square, &other.positive_square),
        ] {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
        self.label_distance += other.label_distance;
        for (own, other) in [
            (&mut self.teacher_columns, &other.teacher_columns),
            (&mut self.label_columns, &other.label_columns),
            (&mut self.seen, &other.seen),
            (&mut self.gram, &other.gram),
        ] {
            own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
        }
    }

    /// Δ² at a recorded step.
    pub fn square_distance(&self, step: usize) -> Option<Estimate> {
        let sums = self.steps.get(step).filter(|_| self.count > 0)?;
        Some(estimate(sums.distance, sums.distance_square, self.count))
    }

    /// What the student loses at a recorded step.
    pub fn gap(&self, step: usize) -> Option<Estimate> {
        let sums = self.steps.get(step).filter(|_| self.count > 0)?;
        Some(estimate(sums.gap, sums.gap_square, self.count))
    }

    /// The share of a channel's outputs that are above 0 before σ, of which a sample has so many.
    pub fn share_above(&self, channel: usize, outputs: usize) -> Option<Estimate> {
        let (&sum, &squares) = self.positive.get(channel).zip(self.positive_square.get(channel))?;
        let of_counts = estimate(sum as f64, squares as f64, self.count);
        let outputs = outputs as f64;
        Some(Estimate { value: of_counts.value / outputs, error: of_counts.error / outputs })
    }

    /// The largest mean of ‖V*x̃_i‖².
    pub fn largest_seen(&self) -> f64 {
        self.seen.iter().fold(0.0, |largest: f64, &sum| largest.max(sum / self.count as f64))
    }

    /// The largest mean of ‖ỹ_j‖² of a column.
    pub fn largest_label(&self) -> f64 {
        let sums = self.label_columns.iter();
        sums.fold(0.0, |largest: f64, &sum| largest.max(sum / self.count as f64))
    }

    /// `E⟨V*x̃_i, V*x̃_k⟩`, D × D, if it was kept.
    pub fn token_moments(&self, tokens: usize) -> Option<Vec<f64>> {
        if self.gram.is_empty() || self.count == 0 {
            return None;
        }
        let (_, seconds) = self.gram.split_at_checked(2 * tokens)?;
        let mut moments = vec![0.0; tokens * tokens];
        let mut cells = seconds.chunks(2);
        for i in 0..tokens {
            for k in 0..=i {
                let mean = cells.next()?.iter().sum::<f64>() / self.count as f64;
                moments[i * tokens + k] = mean;
                moments[k * tokens + i] = mean;
            }
        }
        Some(moments)
    }
}

/// Adds up a block: `inputs` holds X̃ row by row, sample after sample, `responses` the labels.
pub fn add_block(
    scene: &Scene<'_>,
    inputs: &[f64],
    responses: Option<&[f64]>,
    mut noise: Noise<'_>,
    tally: &mut Tally,
) {
    let Scene { tokens, channels, .. } = *scene;
    let outputs = channels * tokens;
    let levels = scene.weights.len();
    let mut work = Work {
        seen: vec![0.0; outputs],
        other: vec![0.0; outputs],
        sums: vec![0.0; outputs * levels],
        before: vec![0.0; outputs],
        after: vec![0.0; outputs],
        missing: vec![0.0; outputs],
    };
    for (at, input) in inputs.chunks_exact(tokens * scene.features).enumerate() {
        let response = responses.and_then(|all| all.get(at * outputs..(at + 1) * outputs));
        work.look(scene, input);
        work.label(scene, input, response, &mut noise);
        work.add(scene, tally);
    }
    if scene.keeps_gram {
        // Rows of V*X̃ of one sample are not samples of their own: only their sum counts.
        add_gram(scene, inputs, tally);
    }
}

fn add_gram(scene: &Scene<'_>, inputs: &[f64], tally: &mut Tally) {
    let mut memory = vec![0.0; tally.gram.len()];
    let Ok(mut sums) = SecondSums::new(0.0, scene.tokens, &mut memory) else { return };
    let mut row = vec![0.0; scene.tokens];
    for input in inputs.chunks_exact(scene.tokens * scene.features) {
        for values in scene.teacher.value_matrix.chunks_exact(scene.features) {
            project(values, input, scene.tokens, &mut row);
            // Its length is that of a row.
            let _ = sums.push(&row);
        }
    }
    tally.gram.iter_mut().zip(&memory).for_each(|(own, other)| *own += other);
}

/// v X̃, for a row v of V*.
fn project(values: &[f64], input: &[f64], tokens: usize, row: &mut [f64]) {
    row.fill(0.0);
    for (&value, features) in values.iter().zip(input.chunks_exact(tokens)) {
        for (slot, x) in row.iter_mut().zip(features) {
            *slot += value * x;
        }
    }
}

/// What is computed of one sample; all but `sums` is M × D.
struct Work {
    /// V* X̃.
    seen: Vec<f64>,
    /// The same with the V* of another teacher.
    other: Vec<f64>,
    /// For every output, the sums of `seen` over the tokens of every level.
    sums: Vec<f64>,
    /// The teacher before σ.
    before: Vec<f64>,
    /// The teacher.
    after: Vec<f64>,
    /// The teacher less the label.
    missing: Vec<f64>,
}

impl Work {
    fn look(&mut self, scene: &Scene<'_>, input: &[f64]) {
        let Scene { tokens, features, .. } = *scene;
        let levels = scene.weights.len();
        for (values, row) in scene
            .teacher
            .value_matrix
            .chunks_exact(features)
            .zip(self.seen.chunks_exact_mut(tokens))
        {
            project(values, input, tokens, row);
        }
        self.sums.fill(0.0);
        for (channel, row) in self.seen.chunks_exact(tokens).enumerate() {
            for (query, places) in scene.teacher.levels.chunks_exact(tokens).enumerate() {
                let output = channel * tokens + query;
                let sums = &mut self.sums[output * levels..(output + 1) * levels];
                for (&place, x) in places.iter().zip(row) {
                    sums[place as usize] += x;
                }
                let before = sums.iter().zip(scene.weights).map(|(sum, w)| sum * w).sum();
                self.before[output] = before;
                self.after[output] = scene.activation.apply(before);
            }
        }
    }

    fn label(
        &mut self,
        scene: &Scene<'_>,
        input: &[f64],
        response: Option<&[f64]>,
        noise: &mut Noise<'_>,
    ) {
        match (scene.labels, response) {
            (Conditional::Teacher, _) => self.missing.fill(0.0),
            (Conditional::Given, Some(response)) => {
                let pairs = self.after.iter().zip(response);
                for (slot, (teacher, label)) in self.missing.iter_mut().zip(pairs) {
                    *slot = teacher - label;
                }
            }
            (Conditional::Zero | Conditional::Given, _) => {
                self.missing.copy_from_slice(&self.after);
            }
            (Conditional::Another, _) => self.other_teacher(scene, input),
        }
        if let Some((random, deviation)) = noise {
            for slot in &mut self.missing {
                let drawn: f64 = StandardNormal.sample(*random);
                *slot -= *deviation * drawn;
            }
        }
    }

    fn other_teacher(&mut self, scene: &Scene<'_>, input: &[f64]) {
        let Scene { tokens, features, .. } = *scene;
        for (channel, values) in scene.teacher.other_value_matrix.chunks_exact(features).enumerate()
        {
            let row = &mut self.other[channel * tokens..(channel + 1) * tokens];
            project(values, input, tokens, row);
            row.rotate_left(scene.shift % tokens);
            for (query, places) in scene.teacher.levels.chunks_exact(tokens).enumerate() {
                let before: f64 = places
                    .iter()
                    .zip(row.iter())
                    .map(|(&p, x)| scene.weights[p as usize] * x)
                    .sum();
                let output = channel * tokens + query;
                self.missing[output] = self.after[output] - scene.activation.apply(before);
            }
        }
    }

    fn add(&self, scene: &Scene<'_>, tally: &mut Tally) {
        let Scene { tokens, .. } = *scene;
        let levels = scene.weights.len();
        let slope = scene.activation.slope();
        for (point, totals) in scene.points.iter().zip(&mut tally.steps) {
            let (mut distance, mut inner) = (0.0, 0.0);
            let outputs = self.before.iter().zip(&self.missing);
            for ((&before, missing), sums) in outputs.zip(self.sums.chunks_exact(levels)) {
                let moved: f64 = sums.iter().zip(&point.errors).map(|(sum, e)| sum * e).sum();
                let then = before + moved;
                // On one side of the kink nothing cancels.
                let difference = match (before < 0.0, then < 0.0) {
                    (false, false) => moved,
                    (true, true) => slope * moved,
                    (true, false) => then - slope * before,
                    (false, true) => slope * then - before,
                };
                distance += difference * difference;
                inner += missing * difference;
            }
            let gap = 0.5 * distance + inner;
            totals.distance += distance;
            totals.distance_square += distance * distance;
            totals.gap += gap;
            totals.gap_square += gap * gap;
        }
        tally.count += 1;
        let counts = tally.positive.iter_mut().zip(&mut tally.positive_square);
        for ((positive, square), row) in counts.zip(self.before.chunks_exact(tokens)) {
            let count = row.iter().filter(|x| **x > 0.0).count() as u64;
            *positive += count;
            *square += count * count;
        }
        tally.label_distance += self.missing.iter().map(|x| x * x).sum::<f64>();
        for (teacher, missing) in
            self.after.chunks_exact(tokens).zip(self.missing.chunks_exact(tokens))
        {
            let columns = tally.teacher_columns.iter_mut().zip(&mut tally.label_columns);
            for ((own, label), (y, missing)) in columns.zip(teacher.iter().zip(missing)) {
                *own += y * y;
                *label += (y - missing) * (y - missing);
            }
        }
        for row in self.seen.chunks_exact(tokens) {
            for (sum, x) in tally.seen.iter_mut().zip(row) {
                *sum += x * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use popgd_core::theory::moments::{Errors, TokenMoments, mean_square};
    use rand_core::SeedableRng;

    use super::*;

    fn scene<'a>(
        slope: f64,
        teacher: &'a TeacherMatrices,
        points: &'a [Point],
        labels: Conditional,
    ) -> Scene<'a> {
        Scene {
            tokens: 4,
            channels: 2,
            features: 3,
            activation: Activation::leaky_relu(slope),
            teacher,
            weights: &[0.5, 0.0],
            shift: 2,
            points,
            labels,
            keeps_gram: true,
        }
    }

    fn teacher() -> TeacherMatrices {
        // Groups {0, 1} and {2, 3}.
        let level = |column: usize, token: usize| u32::from(column / 2 != token / 2);
        TeacherMatrices {
            value_matrix: vec![0.3, -1.2, 0.7, 1.1, 0.4, -0.6],
            other_value_matrix: vec![-0.2, 0.9, 0.1, 0.5, -0.8, 0.3],
            levels: (0..16).map(|at| level(at / 4, at % 4)).collect(),
        }
    }

    fn points() -> Vec<Point> {
        [[-0.1, 0.2], [-1e-7, 3e-4]]
            .into_iter()
            .map(|errors| Point { t: 1, errors: errors.to_vec(), ahead: 0.0, excess_loss: 0.0 })
            .collect()
    }

    fn inputs(count: usize) -> Vec<f64> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        (0..12 * count).map(|_| StandardNormal.sample(&mut random)).collect()
    }

    /// For the identity the gap on a sample is the formula with the second moments of that sample.
    #[test]
    fn the_gap_of_the_identity_is_its_formula() {
        let (teacher, points, inputs) = (teacher(), points(), inputs(1000));
        let scene = scene(1.0, &teacher, &points, Conditional::Teacher);
        let mut tally = Tally::new(&scene);
        for block in inputs.chunks(12 * 256) {
            let mut own = Tally::new(&scene);
            add_block(&scene, block, None, None, &mut own);
            tally.merge(&own);
        }
        let gram = tally.token_moments(4).unwrap();
        for (at, point) in points.iter().enumerate() {
            let columns: Vec<f64> =
                teacher.levels.iter().map(|&level| point.errors[level as usize]).collect();
            let errors = Errors::Dense { tokens: 4, columns: &columns };
            let formula = mean_square(1.0, &TokenMoments::Full { gram: &gram }, &errors).unwrap();
            let measured = tally.gap(at).unwrap().value;
            assert!((measured / (0.5 * formula) - 1.0).abs() < 1e-12, "{measured} {formula}");
        }
    }

    /// Every label against its definition, written out.
    #[test]
    fn gaps_are_differences_of_losses() {
        let (teacher, points, inputs) = (teacher(), points(), inputs(20));
        let activation = Activation::leaky_relu(0.3);
        let weights = [0.5, 0.0];
        let responses: Vec<f64> = inputs.iter().take(20 * 8).map(|x| x * x).collect();
        let output = |values: &[f64], input: &[f64], column: &dyn Fn(usize, usize) -> f64| {
            let mut out = vec![0.0; 8];
            for (at, slot) in out.iter_mut().enumerate() {
                let (m, j) = (at / 4, at % 4);
                let sum = (0..4)
                    .map(|i| {
                        let seen: f64 = (0..3).map(|f| values[3 * m + f] * input[4 * f + i]).sum();
                        seen * column(j, i)
                    })
                    .sum();
                *slot = activation.apply(sum);
            }
            out
        };
        let level = |j: usize, i: usize| teacher.levels[4 * j + i] as usize;
        for labels in
            [Conditional::Teacher, Conditional::Zero, Conditional::Another, Conditional::Given]
        {
            let scene = scene(0.3, &teacher, &points, labels);
            let mut tally = Tally::new(&scene);
            add_block(&scene, &inputs, Some(&responses), None, &mut tally);
            for (at, point) in points.iter().enumerate() {
                let mut sum = 0.0;
                for (n, input) in inputs.chunks(12).enumerate() {
                    let own = output(&teacher.value_matrix, input, &|j, i| {
                        weights[level(j, i)] + point.errors[level(j, i)]
                    });
                    let goal = output(&teacher.value_matrix, input, &|j, i| weights[level(j, i)]);
                    let label = match labels {
                        Conditional::Teacher => goal.clone(),
                        Conditional::Zero => vec![0.0; 8],
                        // Its groups are two tokens further.
                        Conditional::Another => {
                            output(&teacher.other_value_matrix, input, &|j, i| {
                                weights[level(j, (i + 2) % 4)]
                            })
                        }
                        Conditional::Given => responses[8 * n..8 * (n + 1)].to_vec(),
                    };
                    let loss = |out: &[f64]| {
                        0.5 * out.iter().zip(&label).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
                    };
                    sum += loss(&own) - loss(&goal);
                }
                let found = tally.gap(at).unwrap().value;
                let size = if at == 0 { 1e-12 } else { 1e-10 };
                assert!((found - sum / 20.0).abs() < size, "{labels:?}: {found} {}", sum / 20.0);
            }
        }
    }
}
