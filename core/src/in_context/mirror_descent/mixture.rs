//! The mixture, its likelihood, and mirror descent on it.

use crate::error::check_length;
use crate::in_context::attention::balanced_sum;
use crate::scalar::Logarithm;
use crate::slices::split_off_mut;
use crate::{Error, Scalar};

/// A mixture of transition distributions: `P(y_t = j | past) = Σ_{g=1..m} λ_g π(y_{t−g}, j)`.
#[derive(Clone, Copy, Debug)]
pub struct Mixture<'a, S> {
    alphabet: usize,
    order: usize,
    transitions: &'a [S],
}

impl<'a, S: Scalar> Mixture<'a, S> {
    /// The mixture of order m over q tokens with transition probabilities π (q × q, one row for each
    /// earlier token). That rows are distributions is the caller's promise.
    ///
    /// # Errors
    /// [`Error::Empty`] if q or m is 0, [`Error::Length`] if π is not q² long.
    pub fn new(alphabet: usize, order: usize, transitions: &'a [S]) -> Result<Self, Error> {
        for (what, size) in [("alphabet", alphabet), ("order of the mixture", order)] {
            if size == 0 {
                return Err(Error::Empty { what });
            }
        }
        check_length("transitions", alphabet.saturating_mul(alphabet), transitions.len())?;
        Ok(Self { alphabet, order, transitions })
    }

    /// q, the number of different tokens.
    #[must_use]
    pub fn alphabet(&self) -> usize {
        self.alphabet
    }

    /// m, how many tokens back the mixture reaches.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// π, q × q.
    #[must_use]
    pub fn transitions(&self) -> &'a [S] {
        self.transitions
    }

    /// N = T − m, the number of tokens that say something about λ, if the sequence is one: at least
    /// m tokens, each below q, none of which is impossible.
    ///
    /// # Errors
    /// [`Error::TooFew`], [`Error::Index`]; [`Error::Impossible`] if all π(y_{k−g}, y_k) are
    /// certainly 0 for some k.
    pub fn evidence(&self, tokens: &[usize]) -> Result<usize, Error> {
        self.check_tokens(tokens)?;
        for position in self.order..tokens.len() {
            if self.seen(tokens, position).all(|p| p.is_zero()) {
                return Err(Error::Impossible { position });
            }
        }
        Ok(tokens.len().saturating_sub(self.order))
    }

    fn check_tokens(&self, tokens: &[usize]) -> Result<(), Error> {
        let (least, found) = (self.order, tokens.len());
        if found < least {
            return Err(Error::TooFew { what: "tokens of a sequence", least, found });
        }
        match tokens.iter().find(|&&token| token >= self.alphabet) {
            Some(&index) => Err(Error::Index { index, tokens: self.alphabet }),
            None => Ok(()),
        }
    }

    /// A number that says where constants live.
    pub(super) fn context(&self) -> Option<S> {
        self.transitions.first().copied()
    }

    /// π(from, to), for tokens that exist.
    pub(super) fn transition(&self, from: usize, to: usize) -> Option<S> {
        self.transitions.get(from.saturating_mul(self.alphabet).saturating_add(to)).copied()
    }

    /// p_kg = π(y_{k−g}, y_k) for g = 1, …, m.
    pub(super) fn seen<'t>(
        &self,
        tokens: &'t [usize],
        position: usize,
    ) -> impl DoubleEndedIterator<Item = S> + use<'t, 'a, S> {
        let mixture = *self;
        (1..=self.order).filter_map(move |g| {
            let from = *tokens.get(position.checked_sub(g)?)?;
            mixture.transition(from, *tokens.get(position)?)
        })
    }

    /// `Σ_g λ_g p_kg`, the probability of the token at a position given those before.
    fn probability(&self, tokens: &[usize], position: usize, weights: &[S], zero: S) -> S {
        let terms = self.seen(tokens, position).zip(weights);
        terms.fold(zero, |sum, (p, &weight)| sum + weight * p)
    }

    /// The gradient of the log-likelihood `Σ_k ln Σ_g λ_g p_kg`, k = m+1, …, T, at λ:
    /// `Σ_k p_kg / Σ_h λ_h p_kh`. At the uniform λ it is m times the sum of the responsibilities
    /// `γ_k(g) = p_kg / Σ_h p_kh`. With no evidence (T = m) it is 0.
    ///
    /// # Errors
    /// As [`evidence`](Self::evidence); [`Error::Length`] unless λ and `gradient` have m entries;
    /// [`Error::NotFinite`] if λ is 0 where the evidence needs it.
    pub fn gradient(
        &self,
        tokens: &[usize],
        weights: &[S],
        gradient: &mut [S],
    ) -> Result<(), Error> {
        self.evidence(tokens)?;
        check_length("weights of the mixture", self.order, weights.len())?;
        check_length("gradient", self.order, gradient.len())?;
        let zero = self.context().ok_or(Error::Empty { what: "alphabet" })?.zero();
        for (g, slot) in gradient.iter_mut().enumerate() {
            let terms = (self.order..tokens.len()).map(|k| {
                let own = self.seen(tokens, k).nth(g).unwrap_or(zero);
                if own.is_zero() { own } else { own / self.probability(tokens, k, weights, zero) }
            });
            *slot = balanced_sum(zero, terms);
            if !slot.is_number() {
                return Err(Error::NotFinite { what: "gradient of the likelihood" });
            }
        }
        Ok(())
    }

    /// One step of mirror descent with the entropy, that is, of exponentiated gradient,
    /// `λ_g ← λ_g e^{η ∂_g} / Σ_h λ_h e^{η ∂_h}`: adds η ∂ to the logits z of `λ = softmax(z)`, and
    /// writes the new λ to `weights`. `gradient` becomes ∂ at the old λ.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient); [`Error::NotFinite`] if a logit is or becomes no number.
    pub fn step(
        &self,
        tokens: &[usize],
        rate: S,
        logits: &mut [S],
        weights: &mut [S],
        gradient: &mut [S],
    ) -> Result<(), Error> {
        check_length("logits of the mixture", self.order, logits.len())?;
        check_length("weights of the mixture", self.order, weights.len())?;
        let finite = |logits: &[S]| {
            let all = logits.iter().all(|logit| logit.is_number());
            if all { Ok(()) } else { Err(Error::NotFinite { what: "logits of the mixture" }) }
        };
        finite(logits)?;
        S::softmax(None, logits, weights);
        self.gradient(tokens, weights, gradient)?;
        for (logit, &slope) in logits.iter_mut().zip(gradient.iter()) {
            *logit = *logit + rate * slope;
        }
        finite(logits)?;
        S::softmax(None, logits, weights);
        Ok(())
    }

    /// So many [steps](Self::step) from the uniform λ. The first one gives
    /// `softmax_g(η m Σ_k γ_k(g))`. `scratch` has 2 m entries.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn descend(
        &self,
        tokens: &[usize],
        rate: S,
        steps: usize,
        weights: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        self.evidence(tokens)?;
        check_length("weights of the mixture", self.order, weights.len())?;
        let mut rest = scratch;
        let what = "scratch of mirror descent";
        check_length(what, self.order.saturating_mul(2), rest.len())?;
        let logits = split_off_mut(&mut rest, self.order).ok_or(Error::Empty { what })?;
        logits.fill(rate.zero());
        S::softmax(None, logits, weights);
        for _ in 0..steps {
            self.step(tokens, rate, logits, weights, rest)?;
        }
        Ok(())
    }

    /// `Σ_g λ_g π(y_{T+1−g}, ·)`, the distribution of the next token (q numbers).
    ///
    /// # Errors
    /// [`Error::TooFew`], [`Error::Index`] about the tokens, [`Error::Length`] about the slices.
    pub fn predict(&self, tokens: &[usize], weights: &[S], next: &mut [S]) -> Result<(), Error> {
        self.check_tokens(tokens)?;
        check_length("weights of the mixture", self.order, weights.len())?;
        check_length("distribution of the next token", self.alphabet, next.len())?;
        for (token, slot) in next.iter_mut().enumerate() {
            let recent = tokens.iter().rev().zip(weights);
            let terms = recent
                .filter_map(|(&from, &weight)| self.transition(from, token).map(|p| weight * p));
            *slot = terms.reduce(|sum, term| sum + term).unwrap_or(*slot);
        }
        Ok(())
    }

    /// L = Σ_k (M_k − m_k)² / (4 M_k m_k), with M_k and m_k the largest and the least p_kg: steps of a
    /// rate up to 1/L never lower the likelihood, wherever they start (note 11). Of floats it is
    /// rounded, of intervals enclosed.
    ///
    /// # Errors
    /// As [`evidence`](Self::evidence); [`Error::NotFinite`] if some p_kg is 0 and another is not:
    /// then no rate is small enough for every start.
    pub fn smoothness(&self, tokens: &[usize]) -> Result<S, Error> {
        self.evidence(tokens)?;
        let zero = self.context().ok_or(Error::Empty { what: "alphabet" })?.zero();
        // (a − b)²/(4ab) is the larger, the farther a and b are apart in ratio. Its maximum over pairs
        // has no cancellation, as that of max and min of p by sums and differences would.
        let of_pair = |a: S, b: S| {
            let spread = a - b;
            if spread.is_zero() { spread } else { (spread / a) * (spread / b) }
        };
        let terms = (self.order..tokens.len()).map(|k| {
            let most = self.seen(tokens, k).enumerate().fold(zero, |most, (i, a)| {
                self.seen(tokens, k).take(i).fold(most, |most, b| {
                    let own = of_pair(a, b);
                    // max{x, y} = (x + y + |x − y|)/2.
                    (most + own + (most - own).absolute()) * zero.rational(1, 2)
                })
            });
            most * zero.rational(1, 4)
        });
        let sum = balanced_sum(zero, terms);
        if sum.is_number() { Ok(sum) } else { Err(Error::NotFinite { what: "smoothness" }) }
    }
}

impl<S: Logarithm> Mixture<'_, S> {
    /// The log-likelihood `Σ_k ln Σ_g λ_g p_kg`, k = m+1, …, T.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient).
    pub fn log_likelihood(&self, tokens: &[usize], weights: &[S]) -> Result<S, Error> {
        self.evidence(tokens)?;
        check_length("weights of the mixture", self.order, weights.len())?;
        let zero = self.context().ok_or(Error::Empty { what: "alphabet" })?.zero();
        let terms = (self.order..tokens.len())
            .map(|position| self.probability(tokens, position, weights, zero).ln());
        let sum = balanced_sum(zero, terms);
        if sum.is_number() { Ok(sum) } else { Err(Error::NotFinite { what: "likelihood" }) }
    }
}
