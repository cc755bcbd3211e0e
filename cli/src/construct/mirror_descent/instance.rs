//! Instances: a mixture and a sequence of it, and the transformer and its algorithm run on that.

use popgd_core::Error;
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::stacked::Stacked;
use popgd_core::in_context::mirror_descent::transformer::Transformer;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::scalar::Logarithm;
use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::settings::MirrorDescent;
use crate::number::Exact;
use crate::scalar::CliScalar;

/// A scalar that the construction runs in.
pub trait RunScalar: CliScalar + Logarithm {
    /// How far below the weights of tokens those of ghosts are, as a power of e.
    const GHOST_SHIFT: f64;
}

impl RunScalar for f64 {
    const GHOST_SHIFT: f64 = 100.0;
}

impl RunScalar for f32 {
    const GHOST_SHIFT: f64 = 30.0;
}

impl RunScalar for popgd_core::Interval<f64> {
    const GHOST_SHIFT: f64 = 100.0;
}

impl RunScalar for popgd_core::Interval<f32> {
    const GHOST_SHIFT: f64 = 30.0;
}

/// A mixture, and a sequence drawn from it or given.
#[derive(Clone, Debug)]
pub struct Instance {
    /// q.
    pub alphabet: usize,
    /// m.
    pub order: usize,
    /// π.
    pub transitions: Vec<Exact>,
    /// y.
    pub tokens: Vec<usize>,
    /// The λ that it was drawn with.
    pub weights: Option<Vec<f64>>,
}

/// λ, and the distribution of the next token.
pub type Outcome<S> = (Vec<S>, Vec<S>);

impl Instance {
    /// The instance of this number.
    ///
    /// # Errors
    /// None for sizes that are checked.
    pub fn new(settings: &MirrorDescent, number: usize) -> Result<Self, Error> {
        let (alphabet, order) = (settings.alphabet, settings.order);
        // Instances have streams of their own, so that the same number is the same instance.
        let seed = settings.shared.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let drawn = {
            let mut uniform = || unit(&mut random);
            let mut matrix = vec![0.0; alphabet * alphabet];
            for row in matrix.chunks_exact_mut(alphabet) {
                sampling::uniform_distribution(row, &mut uniform);
            }
            matrix
        };
        let given = settings.transitions.as_ref();
        let in_floats = given.map_or(drawn, |given| given.iter().map(Exact::to_f64).collect());
        let exact = |matrix: &[f64]| matrix.iter().filter_map(|&p| Exact::from_f64(p)).collect();
        let transitions = given.cloned().unwrap_or_else(|| exact(&in_floats));
        let mixture = Mixture::new(alphabet, order, &in_floats)?;
        if let Some(sequences) = &settings.sequences {
            let tokens = sequences.get(number).cloned().unwrap_or_default();
            return Ok(Self { alphabet, order, transitions, tokens, weights: None });
        }
        let weights = dirichlet(order, settings.concentration.to_f64(), &mut random);
        let mut tokens = vec![0; settings.length];
        sampling::sequence(&mixture, &weights, &mut tokens, || unit(&mut random))?;
        Ok(Self { alphabet, order, transitions, tokens, weights: Some(weights) })
    }

    /// N = T − m.
    pub fn evidence(&self) -> usize {
        self.tokens.len().saturating_sub(self.order)
    }

    /// π in a scalar.
    pub fn transitions<S: CliScalar>(&self) -> Vec<S> {
        self.transitions.iter().map(S::from_exact).collect()
    }

    /// What the algorithm finds.
    ///
    /// # Errors
    /// As [`Mixture::descend`].
    pub fn descend<S: RunScalar>(&self, rate: S, steps: usize) -> Result<Outcome<S>, Error> {
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
    pub fn attend<S: RunScalar>(
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
            let shift = rate.lift(S::GHOST_SHIFT);
            let stacked = Stacked::new(mixture, length, rate, steps, shift, &mut memory)?;
            let mut scratch = vec![rate; stacked.scratch()];
            stacked.run(&self.tokens, &mut weights, &mut next, &mut scratch)?;
        }
        Ok((weights, next))
    }

    /// The gradient at the uniform λ.
    ///
    /// # Errors
    /// As [`Mixture::gradient`].
    pub fn first_gradient(&self) -> Result<Vec<f64>, Error> {
        let transitions = self.transitions();
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let weights = vec![1.0 / self.order as f64; self.order];
        let mut gradient = vec![0.0; self.order];
        mixture.gradient(&self.tokens, &weights, &mut gradient)?;
        Ok(gradient)
    }

    /// The posterior mean of λ; nothing if it has more states than `most`.
    ///
    /// # Errors
    /// As [`posterior::mean`].
    pub fn bayes(&self, concentration: f64, most: usize) -> Result<Option<Vec<f64>>, Error> {
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
    pub fn nearly_uniform(&self, epsilon: &Exact, most: usize) -> Option<Self> {
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

    /// 1/L, a rate at which no step lowers the likelihood; nothing if there is none.
    ///
    /// # Errors
    /// As [`Mixture::smoothness`], but for its overflow.
    pub fn safe_rate(&self) -> Result<Option<f64>, Error> {
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
    pub fn gain(&self, rate: f64, steps: usize) -> Result<Option<f64>, Error> {
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

/// A number in [0, 1).
fn unit(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// λ ~ Dirichlet(a, …, a), as gamma variables over their sum; even if all of them vanish.
fn dirichlet(order: usize, concentration: f64, random: &mut impl Rng) -> Vec<f64> {
    let mut weights = vec![1.0; order];
    if let Ok(gamma) = Gamma::new(concentration, 1.0) {
        weights.iter_mut().for_each(|weight| *weight = gamma.sample(random));
    }
    let sum: f64 = weights.iter().sum();
    let usable = sum > 0.0 && sum.is_finite();
    let even = 1.0 / order as f64;
    weights.iter().map(|weight| if usable { weight / sum } else { even }).collect()
}
