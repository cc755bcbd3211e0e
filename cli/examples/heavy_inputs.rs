//! What inputs of another law do to training itself: online descent with fresh batches of 100, from
//! zero, for a ReLU teacher of D = 8 tokens in groups of 2 with M = d = 2 and ‖V*‖ = 4.
//!
//! `cargo run --release -p popgd --example heavy_inputs [STEPS [SEEDS]]` prints, for every law of
//! entries, the median over seeds of ‖S − S*‖ and ‖W_V − V*‖ at the end, and how many seeds ended
//! beyond all bounds. Laws are scaled to variance 1. The module `popgd::ood::pages` tells what it
//! showed.

use popgd::ood::family::Family;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

const TOKENS: usize = 8;
const GROUP: usize = 2;
const CHANNELS: usize = 2;
const FEATURES: usize = 2;
const BATCH: usize = 100;
const TEACHER: [f64; CHANNELS * FEATURES] = [2.4, -1.6, 1.2, 2.497_999_199_4];

/// W, and the logits, column by column.
struct Student {
    values: [f64; CHANNELS * FEATURES],
    logits: [[f64; TOKENS]; TOKENS],
}

fn softmax(logits: &[f64; TOKENS]) -> [f64; TOKENS] {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut scores = logits.map(|z| (z - largest).exp());
    let sum: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= sum);
    scores
}

fn target(column: usize, token: usize) -> f64 {
    if column / GROUP == token / GROUP { 1.0 / GROUP as f64 } else { 0.0 }
}

/// V X, a row of it.
fn seen(values: &[f64], input: &[f64]) -> [f64; TOKENS] {
    std::array::from_fn(|i| (0..FEATURES).map(|f| values[f] * input[f * TOKENS + i]).sum())
}

impl Student {
    fn new() -> Self {
        Self { values: [0.0; CHANNELS * FEATURES], logits: [[0.0; TOKENS]; TOKENS] }
    }

    /// One step on a batch: W by η, logits by η κ with κ = 1/D.
    fn step(&mut self, inputs: &[f64], rate: f64) {
        let scores: Vec<[f64; TOKENS]> = self.logits.iter().map(softmax).collect();
        let mut of_values = [0.0; CHANNELS * FEATURES];
        let mut of_scores = [[0.0; TOKENS]; TOKENS];
        for input in inputs.chunks_exact(FEATURES * TOKENS) {
            for m in 0..CHANNELS {
                let row = m * FEATURES..(m + 1) * FEATURES;
                let own = seen(&self.values[row.clone()], input);
                let goal = seen(&TEACHER[row], input);
                for (j, s) in scores.iter().enumerate() {
                    let before: f64 = own.iter().zip(s).map(|(u, s)| u * s).sum();
                    let wanted: f64 = (0..TOKENS).map(|i| goal[i] * target(j, i)).sum();
                    // σ′(0) = 1, without which nothing starts from zero.
                    let slope = if before < 0.0 { 0.0 } else { 1.0 };
                    let pull = slope * (before.max(0.0) - wanted.max(0.0));
                    for i in 0..TOKENS {
                        of_scores[j][i] += pull * own[i];
                        for f in 0..FEATURES {
                            of_values[m * FEATURES + f] += pull * s[i] * input[f * TOKENS + i];
                        }
                    }
                }
            }
        }
        let count = (inputs.len() / (FEATURES * TOKENS)) as f64;
        for (value, slope) in self.values.iter_mut().zip(of_values) {
            *value -= rate * slope / count;
        }
        for ((z, s), slope) in self.logits.iter_mut().zip(&scores).zip(of_scores) {
            let mean: f64 = s.iter().zip(slope).map(|(s, g)| s * g).sum();
            for i in 0..TOKENS {
                z[i] -= rate / TOKENS as f64 * s[i] * (slope[i] - mean) / count;
            }
        }
    }

    /// ‖S − S*‖ and ‖W − V*‖.
    fn errors(&self) -> [f64; 2] {
        let columns = self.logits.iter().map(softmax).enumerate();
        let of_scores: f64 = columns
            .flat_map(|(j, s)| (0..TOKENS).map(move |i| (s[i] - target(j, i)).powi(2)))
            .sum();
        let of_values: f64 = self.values.iter().zip(TEACHER).map(|(w, v)| (w - v).powi(2)).sum();
        [of_scores.sqrt(), of_values.sqrt()]
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (steps, seeds) = (number(20_000), number(5));
    // 0.25 K/(gD), the default of popgd.
    let rate = 0.25 * GROUP as f64 / (0.5 * TOKENS as f64);
    println!("{steps} steps of batches of {BATCH}, rate {rate}, {seeds} seeds\n");
    println!(
        "{:<22}{:>8}{:>12}{:>12}{:>10}",
        "entries", "mean", "‖S − S*‖", "‖W − V*‖", "diverged"
    );
    for (text, centred, slower) in [
        ("gaussian", true, 1.0),
        ("gumbel", true, 1.0),
        ("gumbel", false, 1.0),
        ("gumbel", false, 8.0),
        ("t:5", true, 1.0),
        ("t:3", true, 1.0),
        ("t:2.1", true, 1.0),
        ("t:2.1", true, 8.0),
    ] {
        let Ok(law) = Family::parse(text) else { continue };
        let Ok(moments) = law.moments() else { continue };
        let deviation = moments.variance.sqrt();
        let centre = if centred { moments.mean } else { 0.0 };
        let mut ends: Vec<[f64; 2]> = (0..seeds)
            .into_par_iter()
            .map(|seed| {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut student = Student::new();
                let mut inputs = vec![0.0; BATCH * FEATURES * TOKENS];
                for _ in 0..steps {
                    inputs.fill_with(|| (law.sample(&mut random) - centre) / deviation);
                    student.step(&inputs, rate / slower);
                }
                student.errors()
            })
            .collect();
        let bounded = |end: &[f64; 2]| end.iter().all(|x| *x < 100.0);
        let diverged = ends.iter().filter(|end| !bounded(end)).count();
        let median = |at: usize, ends: &mut Vec<[f64; 2]>| {
            ends.sort_by(|a, b| a[at].total_cmp(&b[at]));
            ends[ends.len() / 2][at]
        };
        let [scores, values] = [0, 1].map(|at| median(at, &mut ends));
        let slow = if slower > 1.0 { format!(", rate/{slower}") } else { String::new() };
        println!(
            "{:<22}{:>8.3}{:>12.4}{:>12.4}{:>10}",
            format!("{text}{slow}"),
            (moments.mean - centre) / deviation,
            scores,
            values,
            format!("{diverged}/{seeds}")
        );
    }
}
