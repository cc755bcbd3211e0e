//! Instances: a mixture and a sequence of it, and the transformer and its algorithm run on that.

use popgd_core::Error;
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::stacked::Stacked;
use popgd_core::in_context::mirror_descent::transformer::Transformer;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::scalar::Logarithm;

use super::settings::MirrorDescent;
use crate::construct::comparison::Comparison;
use crate::construct::random::Random;
use crate::number::Exact;
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

/// A scalar that the construction runs in.
pub(super) trait RunScalar: CliScalar + Logarithm {
    /// The weight of ghosts beside those of tokens: a power of 2 below all rounding.
    const GHOSTS: f64;
}

/// The largest size of numbers, roughly.
fn largest<S: CliScalar>(numbers: &[S]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.report().center().abs()))
}

impl RunScalar for f64 {
    const GHOSTS: f64 = 1.0 / (1_u128 << 100) as f64 / (1_u64 << 40) as f64;
}

impl RunScalar for f32 {
    const GHOSTS: f64 = 1.0 / (1_u64 << 43) as f64;
}

impl RunScalar for popgd_core::Interval<f64> {
    const GHOSTS: f64 = 1.0 / (1_u128 << 100) as f64 / (1_u64 << 40) as f64;
}

impl RunScalar for popgd_core::Interval<f32> {
    const GHOSTS: f64 = 1.0 / (1_u64 << 43) as f64;
}

/// A mixture, and a sequence drawn from it or given.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// q.
    pub(super) alphabet: usize,
    /// m.
    pub(super) order: usize,
    /// π.
    pub(super) transitions: Vec<Exact>,
    /// y.
    pub(super) tokens: Vec<usize>,
}

/// λ, and the distribution of the next token.
pub(super) type Outcome<S> = (Vec<S>, Vec<S>);

impl Instance {
    /// The instance of this number.
    ///
    /// # Errors
    /// None for sizes that are checked.
    pub(super) fn new(settings: &MirrorDescent, number: usize) -> Result<Self, Error> {
        let (alphabet, order) = (settings.alphabet, settings.order);
        let mut random = Random::of(settings.shared.seed, number as u64);
        let mut drawn = vec![0.0; alphabet * alphabet];
        for row in drawn.chunks_exact_mut(alphabet) {
            sampling::uniform_distribution(row, || random.uniform());
        }
        let given = settings.transitions.as_ref();
        let in_floats = given.map_or(drawn, |given| given.iter().map(Exact::to_f64).collect());
        let exact = |matrix: &[f64]| matrix.iter().filter_map(|&p| Exact::from_f64(p)).collect();
        let transitions = given.cloned().unwrap_or_else(|| exact(&in_floats));
        let mixture = Mixture::new(alphabet, order, &in_floats)?;
        if let Some(sequences) = &settings.sequences {
            let tokens = sequences.get(number).cloned().unwrap_or_default();
            return Ok(Self { alphabet, order, transitions, tokens });
        }
        let weights = random.dirichlet(order, settings.concentration.to_f64());
        let mut tokens = vec![0; settings.length];
        sampling::sequence(&mixture, &weights, &mut tokens, || random.uniform())?;
        Ok(Self { alphabet, order, transitions, tokens })
    }

    /// N = T − m.
    pub(super) fn evidence(&self) -> usize {
        self.tokens.len().saturating_sub(self.order)
    }

    /// π in a scalar.
    pub(super) fn transitions<S: CliScalar>(&self) -> Vec<S> {
        self.transitions.iter().map(S::from_exact).collect()
    }

    /// What the algorithm finds.
    ///
    /// # Errors
    /// As [`Mixture::descend`].
    pub(super) fn descend<S: RunScalar>(&self, rate: S, steps: usize) -> Result<Outcome<S>, Error> {
        let transitions = self.transitions();
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let mut weights = vec![rate; self.order];
        let mut scratch = vec![rate; 2 * self.order];
        mixture.descend(&self.tokens, rate, steps, &mut weights, &mut scratch)?;
        let mut next = vec![rate; self.alphabet];
        mixture.predict(&self.tokens, &weights, &mut next)?;
        Ok((weights, next))
    }

    /// What the transformer finds: three layers, or two a step and one. A finite mask is for one
    /// step alone.
    ///
    /// # Errors
    /// As [`Transformer::run`].
    pub(super) fn attend<S: RunScalar>(
        &self,
        rate: S,
        steps: usize,
        mask_strength: Option<S>,
    ) -> Result<Outcome<S>, Error> {
        let (q, m, length) = (self.alphabet, self.order, self.tokens.len());
        let transitions = self.transitions();
        let mixture = Mixture::new(q, m, &transitions)?;
        let (mut weights, mut next) = (vec![rate; m], vec![rate; q]);
        if steps == 1 {
            let finite = mask_strength.is_some();
            let mut memory = vec![rate; Transformer::<S>::memory(q, m, length, finite)];
            let transformer = Transformer::new(mixture, length, rate, mask_strength, &mut memory)?;
            let mut scratch = vec![rate; transformer.scratch()];
            transformer.run(&self.tokens, &mut weights, &mut next, &mut scratch)?;
        } else {
            let mut memory = vec![rate; Stacked::<S>::memory(q, m, length, steps)];
            let ghosts = rate.lift(S::GHOSTS);
            let stacked = Stacked::new(mixture, length, rate, steps, ghosts, &mut memory)?;
            let mut scratch = vec![rate; stacked.scratch()];
            stacked.run(&self.tokens, &mut weights, &mut next, &mut scratch)?;
        }
        Ok((weights, next))
    }

    /// Compares transformer and algorithm, λ and the next token's distribution, entry by entry; of
    /// several steps one after the other, each from the same point λ. Returns λ by the former, at the end.
    ///
    /// # Errors
    /// As [`Stacked::run_from`] and [`Mixture::step`].
    pub(super) fn compare<S: RunScalar>(
        &self,
        rate: S,
        steps: usize,
        kind: ScalarKind,
        same: &mut [Comparison; 2],
    ) -> Result<Vec<S>, Error> {
        let (q, m, length) = (self.alphabet, self.order, self.tokens.len());
        let transitions = self.transitions();
        let mixture = Mixture::new(q, m, &transitions)?;
        // The layers of all steps are alike, but for the place where they leave the gradient.
        let mut memory = vec![rate; Stacked::<S>::memory(q, m, length, 1)];
        let ghosts = rate.lift(S::GHOSTS);
        let stacked = Stacked::new(mixture, length, rate, 1, ghosts, &mut memory)?;
        let mut scratch = vec![rate; stacked.scratch()];
        let mut logits = vec![rate.zero(); m];
        let (mut weights, mut next) = (vec![rate; m], vec![rate; q]);
        let (mut expected, mut gradient) = (vec![rate; m], vec![rate; m]);
        let mut expected_next = vec![rate; q];
        for _ in 0..steps {
            if steps == 1 {
                (weights, next) = self.attend(rate, 1, None)?;
            } else {
                stacked.run_from(&logits, &self.tokens, &mut weights, &mut next, &mut scratch)?;
            }
            let before = largest(&logits);
            mixture.step(&self.tokens, rate, &mut logits, &mut expected, &mut gradient)?;
            mixture.predict(&self.tokens, &expected, &mut expected_next)?;
            let moved = largest(&gradient) * rate.report().center().abs();
            let roundings = self.roundings(before, moved);
            let pairs = [(&weights, &expected), (&next, &expected_next)];
            for (comparison, (found, wanted)) in same.iter_mut().zip(pairs) {
                // Relative to the largest entry that the distribution has.
                let scale = largest(wanted);
                for (a, b) in found.iter().zip(wanted) {
                    comparison.add(kind, a.report(), b.report(), scale, roundings);
                }
            }
            // λ does not depend on what is common to all logits.
            let centers = logits.iter().map(|logit| logit.report().center());
            let most = centers.clone().fold(f64::NEG_INFINITY, f64::max);
            logits = centers.map(|logit| rate.lift(logit - most)).collect();
        }
        Ok(weights)
    }

    /// How many units in the last place of an entry of λ both may be apart after a step that moves
    /// logits by so much. Responsibilities are off by what logarithms and logits round, sums of
    /// them by the logarithm of their number; entries by twice what logits are.
    fn roundings(&self, before: f64, moved: f64) -> f64 {
        let pairs = (self.order..self.tokens.len()).flat_map(|k| {
            (1..=self.order)
                .filter_map(move |g| Some((*self.tokens.get(k - g)?, *self.tokens.get(k)?)))
        });
        let logarithm = |(from, to): (usize, usize)| -> Option<f64> {
            let p = self.transitions.get(from * self.alphabet + to)?.to_f64();
            Some(p.ln().abs()).filter(|x| x.is_finite())
        };
        let scores = before + pairs.filter_map(logarithm).fold(0.0, f64::max);
        let order = self.order as f64;
        let terms = (self.evidence().max(1) as f64).log2();
        let relative = 2.0 * scores + order + terms + 8.0;
        2.0 * (moved * relative + before + order + self.alphabet as f64 + 8.0)
    }

    /// The posterior mean of λ; nothing if it has more states than `most`.
    ///
    /// # Errors
    /// As [`posterior::mean`].
    pub(super) fn bayes(&self, concentration: f64, most: usize) -> Result<Option<Vec<f64>>, Error> {
        let count = posterior::states(self.order, self.evidence()).filter(|&count| count <= most);
        let Some(count) = count else { return Ok(None) };
        let transitions: Vec<f64> = self.transitions();
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let (mut states, mut mean) = (vec![0.0; count], vec![0.0; self.order]);
        posterior::mean(&mixture, &self.tokens, concentration, &mut mean, &mut states)?;
        Ok(Some(mean))
    }

    /// The same sequence, as far as the posterior has at most so many states, under
    /// `π_ε = 1/q + ε (π − 1/q)`.
    ///
    /// # Errors
    /// None for ε ≤ 1.
    pub(super) fn nearly_uniform(&self, epsilon: &Exact, most: usize) -> Option<Self> {
        let mut evidence = self.evidence();
        while posterior::states(self.order, evidence).is_none_or(|count| count > most) {
            evidence = evidence.checked_sub(1)?;
        }
        let even = Exact::ratio(1, self.alphabet as u64)?;
        let near = |p: &Exact| &even + &(epsilon * &(p - &even));
        let mut tokens = self.tokens.clone();
        tokens.truncate(self.order + evidence);
        let transitions = self.transitions.iter().map(near).collect();
        Some(Self { transitions, tokens, ..self.clone() })
    }

    /// T.
    pub(super) fn length(&self) -> usize {
        self.tokens.len()
    }

    /// 1/L, a rate at which no step lowers the likelihood; nothing if there is none.
    ///
    /// # Errors
    /// As [`Mixture::smoothness`], but for its overflow.
    pub(super) fn safe_rate(&self) -> Result<Option<f64>, Error> {
        let transitions: Vec<f64> = self.transitions();
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        match mixture.smoothness(&self.tokens) {
            Ok(smoothness) if smoothness > 0.0 => Ok(Some(1.0 / smoothness)),
            Ok(_) | Err(Error::NotFinite { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// By how much so many steps of a rate raise the log-likelihood of the uniform λ; nothing if
    /// they leave λ on a side of the simplex where the sequence is impossible.
    ///
    /// # Errors
    /// As [`Mixture::log_likelihood`], but for its overflow.
    pub(super) fn gain(&self, rate: f64, steps: usize) -> Result<Option<f64>, Error> {
        let transitions: Vec<f64> = self.transitions();
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let before = mixture.log_likelihood(&self.tokens, &self.descend(rate, 0)?.0)?;
        let after = mixture.log_likelihood(&self.tokens, &self.descend(rate, steps)?.0);
        let after = match after {
            Err(Error::NotFinite { .. }) => return Ok(None),
            after => after?,
        };
        let gain = after - before;
        // What rounding alone makes is neither a gain nor a loss.
        Ok(Some(if gain.abs() <= 1e-13 * before.abs() { 0.0 } else { gain }))
    }
}
