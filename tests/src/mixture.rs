//! Instances of the mixture of transition distributions.

use popgd_core::Error;
use popgd_core::in_context::mirror_descent::mixture::Mixture;
use popgd_core::in_context::mirror_descent::stacked::Stacked;
use popgd_core::in_context::mirror_descent::transformer::Transformer;
use popgd_core::in_context::mirror_descent::{posterior, sampling};
use popgd_core::scalar::Logarithm;
use quickcheck::{Arbitrary, Gen};

/// Uniform numbers in [0, 1) (SplitMix64): those of quickcheck prefer extremes.
pub fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A mixture with a sequence drawn from it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// q.
    pub alphabet: usize,
    /// m.
    pub order: usize,
    /// π.
    pub transitions: Vec<f64>,
    /// y.
    pub tokens: Vec<usize>,
}

impl Instance {
    /// One of these sizes, from uniform random numbers; every `sparse`-th transition or so is 0, if
    /// there is such.
    pub fn draw([alphabet, order, length]: [usize; 3], sparse: Option<u32>, g: &mut Gen) -> Self {
        let mut uniform = uniform(u64::arbitrary(g));
        let mut transitions = vec![0.0; alphabet * alphabet];
        for row in transitions.chunks_exact_mut(alphabet) {
            sampling::uniform_distribution(row, &mut uniform);
            let Some(sparse) = sparse else { continue };
            for slot in row.iter_mut().skip(1) {
                *slot = if uniform() * f64::from(sparse) < 1.0 { 0.0 } else { *slot };
            }
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
        let mut weights = vec![0.0; order];
        sampling::uniform_distribution(&mut weights, &mut uniform);
        let mut tokens = vec![0; length];
        let mixture = Mixture::new(alphabet, order, &transitions).expect("sizes that fit");
        sampling::sequence(&mixture, &weights, &mut tokens, &mut uniform).expect("sizes that fit");
        Self { alphabet, order, transitions, tokens }
    }

    /// π over another scalar.
    pub fn transitions<S: Logarithm>(&self, context: S) -> Vec<S> {
        self.transitions.iter().map(|&p| context.lift(p)).collect()
    }

    /// λ by so many steps of the algorithm.
    pub fn descend<S: Logarithm>(&self, rate: S, steps: usize) -> Result<Vec<S>, Error> {
        let transitions = self.transitions(rate);
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let mut weights = vec![rate; self.order];
        let mut scratch = vec![rate; 2 * self.order];
        mixture.descend(&self.tokens, rate, steps, &mut weights, &mut scratch)?;
        Ok(weights)
    }

    /// λ and the next token's distribution by the three layers.
    pub fn attend<S: Logarithm>(
        &self,
        rate: S,
        mask_strength: Option<S>,
    ) -> Result<(Vec<S>, Vec<S>), Error> {
        let (q, m, length) = (self.alphabet, self.order, self.tokens.len());
        let transitions = self.transitions(rate);
        let mixture = Mixture::new(q, m, &transitions)?;
        let mut memory =
            vec![rate; Transformer::<S>::memory(q, m, length, mask_strength.is_some())];
        let transformer = Transformer::new(mixture, length, rate, mask_strength, &mut memory)?;
        let mut scratch = vec![rate; transformer.scratch()];
        let (mut weights, mut next) = (vec![rate; m], vec![rate; q]);
        transformer.run(&self.tokens, &mut weights, &mut next, &mut scratch)?;
        Ok((weights, next))
    }

    /// The same for several steps, by two layers each, with ghosts of that weight.
    pub fn stack<S: Logarithm>(
        &self,
        rate: S,
        steps: usize,
        ghosts: S,
    ) -> Result<(Vec<S>, Vec<S>), Error> {
        let (q, m, length) = (self.alphabet, self.order, self.tokens.len());
        let transitions = self.transitions(rate);
        let mixture = Mixture::new(q, m, &transitions)?;
        let mut memory = vec![rate; Stacked::<S>::memory(q, m, length, steps)];
        let stacked = Stacked::new(mixture, length, rate, steps, ghosts, &mut memory)?;
        let mut scratch = vec![rate; stacked.scratch()];
        let (mut weights, mut next) = (vec![rate; m], vec![rate; q]);
        stacked.run(&self.tokens, &mut weights, &mut next, &mut scratch)?;
        Ok((weights, next))
    }

    /// One step by two layers, from λ = softmax(z).
    pub fn stack_from<S: Logarithm>(
        &self,
        logits: &[S],
        rate: S,
        ghosts: S,
    ) -> Result<(Vec<S>, Vec<S>), Error> {
        let (q, m, length) = (self.alphabet, self.order, self.tokens.len());
        let transitions = self.transitions(rate);
        let mixture = Mixture::new(q, m, &transitions)?;
        let mut memory = vec![rate; Stacked::<S>::memory(q, m, length, 1)];
        let stacked = Stacked::new(mixture, length, rate, 1, ghosts, &mut memory)?;
        let mut scratch = vec![rate; stacked.scratch()];
        let (mut weights, mut next) = (vec![rate; m], vec![rate; q]);
        stacked.run_from(logits, &self.tokens, &mut weights, &mut next, &mut scratch)?;
        Ok((weights, next))
    }

    /// The same by the algorithm: z and λ after it, and the next token's distribution.
    pub fn step<S: Logarithm>(&self, logits: &[S], rate: S) -> Result<[Vec<S>; 3], Error> {
        let transitions = self.transitions(rate);
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let mut logits = logits.to_vec();
        let (mut weights, mut gradient) = (logits.clone(), logits.clone());
        let mut next = vec![rate; self.alphabet];
        mixture.step(&self.tokens, rate, &mut logits, &mut weights, &mut gradient)?;
        mixture.predict(&self.tokens, &weights, &mut next)?;
        Ok([logits, weights, next])
    }

    /// The posterior mean of λ.
    pub fn bayes<S: Logarithm>(&self, concentration: S) -> Result<Vec<S>, Error> {
        let transitions = self.transitions(concentration);
        let mixture = Mixture::new(self.alphabet, self.order, &transitions)?;
        let evidence = self.tokens.len() - self.order;
        let count = posterior::states(self.order, evidence).unwrap_or(0);
        let mut states = vec![concentration; count];
        let mut mean = vec![concentration; self.order];
        posterior::mean(&mixture, &self.tokens, concentration, &mut mean, &mut states)?;
        Ok(mean)
    }
}
