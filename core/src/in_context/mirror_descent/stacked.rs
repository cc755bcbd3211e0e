//! Two layers of attention a step, for any number of steps of mirror descent (\[derived\], note 11).
//!
//! From the second step on, the gradient `Σ_k p_kg / Σ_h λ_h p_kh` at the λ reached so far is needed,
//! where softmax alone gives `λ_g p_kg / Σ_h λ_h p_kh`. So each token stands m + 1 times in the
//! sequence: once with the weight λ of its lag, and m times as a ghost, with the weight `ε λ_h` of
//! every lag h in turn. Of a token at lag g the ghosts together have `ε p_kg Σ_h λ_h = ε p_kg`, and
//! counted 1/ε times that is the gradient, but for the share that ghosts have in the denominator:
//!
//! `Σ_k p_kg / Σ_h (λ_h + ε) p_kh`, the gradient at λ + ε.
//!
//! It differs from that at λ by at most the factor `1 + ε/min λ`; ε may be far below all rounding, and
//! is exact if it is a power of 2: ghosts have a bias of ln ε, given as counts. Each step adds to the column what it found (residual), in a place of its own:
//! columns are `[onehot(y); G_1; …; G_S; z]`, λ = softmax(z). Evidence is gathered from both sides,
//! not causally: the gradient at token k needs a λ that later tokens have a part in.
//!
//! | layer | scores | adds |
//! |---|---|---|
//! | 2s − 1 | ln π, and z_h (or z_g, for the token itself) by R_A; ghosts count ε times | e_g/ε to G_s, by R_V |
//! | 2s | 0, over tokens k > m | η N (mean of G_s) to z, by W_V |
//! | last | z_g at the m last tokens | – (λ as weights) |

use crate::Error;
use crate::error::check_length;
use crate::in_context::attention::{Attention, Join};
use crate::in_context::mirror_descent::mixture::Mixture;
use crate::in_context::mirror_descent::transformer::{logarithms, read_out, to_integer};
use crate::scalar::Logarithm;
use crate::slices::split_off_mut;

/// The transformer for so many steps on sequences of one length.
#[derive(Clone, Copy, Debug)]
pub struct Stacked<'a, S> {
    mixture: Mixture<'a, S>,
    sizes: Sizes,
    key_query: &'a [S],
    nothing: &'a [S],
    window: &'a [S],
    recent: &'a [S],
    /// How often a column counts as a key of layers 2s − 1.
    counts: &'a [S],
    /// R_V of layer 2s − 1 and W_V of layer 2s, for s = 1, …, S.
    steps: &'a [S],
}

/// What does not fit, if memory does not.
const MEMORY: &str = "memory of the transformer";

/// q, m, T and S.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    alphabet: usize,
    order: usize,
    length: usize,
    steps: usize,
}

impl Sizes {
    /// m + 1, how often a token stands in the sequence.
    fn copies(&self) -> usize {
        self.order.saturating_add(1)
    }

    /// The number of columns.
    fn columns(&self) -> usize {
        self.length.saturating_mul(self.copies())
    }

    /// Where G_s begins, s counting from 0; where z begins, for s = S.
    fn place(&self, step: usize) -> usize {
        self.alphabet.saturating_add(step.saturating_mul(self.order))
    }

    /// The number of features.
    fn width(&self) -> usize {
        self.place(self.steps.saturating_add(1))
    }

    /// Numbers in a table that reaches m tokens back.
    fn table(&self) -> usize {
        self.copies().saturating_mul(self.order).saturating_add(1).saturating_mul(self.width())
    }

    /// W_A, a W_V of zeros, two tables of R_A, counts of keys, and R_V and W_V for every step.
    fn parts(&self) -> [usize; 6] {
        let (square, table) = (self.width().saturating_mul(self.width()), self.table());
        let steps = self.steps.saturating_mul(square.saturating_add(table));
        [square, square, table, table, self.columns(), steps]
    }
}

impl<'a, S: Logarithm> Stacked<'a, S> {
    /// How many numbers the weights need, for q tokens, order m, length T and so many steps.
    #[must_use]
    pub fn memory(alphabet: usize, order: usize, length: usize, steps: usize) -> usize {
        let sizes = Sizes { alphabet, order, length, steps };
        sizes.parts().iter().fold(0, |sum, &part| sum.saturating_add(part))
    }

    /// The transformer that takes so many steps of rate η on sequences of T tokens (`length`), with
    /// ghosts of the weight ε > 0 (`ghosts`), best a power of 2, whose inverse is exact: 2^−140 is far below
    /// the rounding of `f64`, 2^−43 below that of `f32`.
    ///
    /// # Errors
    /// [`Error::TooFew`] if T < m, [`Error::Length`] unless `memory` has
    /// [`memory`](Self::memory) entries, [`Error::NotFinite`] if a weight is no number.
    pub fn new(
        mixture: Mixture<'a, S>,
        length: usize,
        rate: S,
        steps: usize,
        ghosts: S,
        memory: &'a mut [S],
    ) -> Result<Self, Error> {
        let (alphabet, order) = (mixture.alphabet(), mixture.order());
        if length < order {
            return Err(Error::TooFew {
                what: "tokens of a sequence",
                least: order,
                found: length,
            });
        }
        let sizes = Sizes { alphabet, order, length, steps };
        check_length(MEMORY, Self::memory(alphabet, order, length, steps), memory.len())?;
        let (zero, one, width) = (rate.zero(), rate.one(), sizes.width());
        memory.fill(zero);
        let mut rest = memory;
        let mut parts =
            sizes.parts().map(|size| split_off_mut(&mut rest, size).unwrap_or_default());
        let [key_query, _, window, recent, counts, blocks] = &mut parts;

        logarithms(&mixture, key_query, width)?;
        let z = sizes.place(steps);
        let put = |table: &mut [S], row: usize, column: usize, value: S| {
            let slot =
                table.chunks_exact_mut(width.max(1)).nth(row).and_then(|row| row.get_mut(column));
            if let Some(slot) = slot {
                *slot = value;
            }
        };
        for lag in 1..=order {
            // The token itself is farthest away, its ghosts for h = 1, …, m come nearer.
            let itself = lag.saturating_mul(sizes.copies());
            put(window, itself, z.saturating_add(lag - 1), one);
            for h in 1..=order {
                let ghost = itself.saturating_sub(h);
                put(window, ghost, z.saturating_add(h - 1), one);
            }
            put(recent, (lag - 1).saturating_mul(sizes.copies()), z.saturating_add(lag - 1), one);
        }
        for column in counts.chunks_exact_mut(sizes.copies()) {
            column.fill(ghosts);
            if let Some(itself) = column.first_mut() {
                *itself = one;
            }
        }
        let back = one / ghosts;
        let scale = rate * zero.integer(to_integer(length.saturating_sub(order)));
        let table = sizes.table();
        for (step, block) in blocks.chunks_exact_mut(block_size(&sizes)).enumerate() {
            let Some((values, matrix)) = block.split_at_mut_checked(table) else { continue };
            let found = sizes.place(step);
            for lag in 1..=order {
                for h in 1..=order {
                    let ghost = lag.saturating_mul(sizes.copies()).saturating_sub(h);
                    put(values, ghost, found.saturating_add(lag - 1), back);
                }
                put(matrix, z.saturating_add(lag - 1), found.saturating_add(lag - 1), scale);
            }
        }
        if !parts.iter().all(|part| part.iter().all(|x| x.is_number())) {
            return Err(Error::NotFinite { what: "weights of the transformer" });
        }
        let [key_query, nothing, window, recent, counts, steps] = parts.map(|part| &*part);
        Ok(Self { mixture, sizes, key_query, nothing, window, recent, counts, steps })
    }

    /// How many numbers [`run`](Self::run) needs for itself.
    #[must_use]
    pub fn scratch(&self) -> usize {
        let (columns, width) = (self.sizes.columns(), self.sizes.width());
        // Columns before and after a layer.
        columns
            .saturating_mul(width.saturating_mul(2).saturating_add(5))
            .saturating_add(width.saturating_mul(2))
    }

    /// Runs it on a sequence, as [`Transformer::run`](super::transformer::Transformer::run) does.
    ///
    /// # Errors
    /// As there.
    pub fn run(
        &self,
        tokens: &[usize],
        weights: &mut [S],
        next: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        self.run_from(&[], tokens, weights, next, scratch)
    }

    /// The same from λ = softmax(z) for any logits z (m numbers; none for the uniform λ), which all
    /// columns carry. So layers can be looked at step by step: in intervals, each from a point.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Length`] about z.
    pub fn run_from(
        &self,
        logits: &[S],
        tokens: &[usize],
        weights: &mut [S],
        next: &mut [S],
        scratch: &mut [S],
    ) -> Result<(), Error> {
        let Sizes { alphabet, order, length, steps } = self.sizes;
        let (copies, columns, width) =
            (self.sizes.copies(), self.sizes.columns(), self.sizes.width());
        check_length("tokens of the sequence", length, tokens.len())?;
        self.mixture.evidence(tokens)?;
        check_length("weights of the mixture", order, weights.len())?;
        check_length("distribution of the next token", alphabet, next.len())?;
        check_length(MEMORY, self.scratch(), scratch.len())?;
        if !logits.is_empty() {
            check_length("logits of the mixture", order, logits.len())?;
        }
        let missing = Error::Empty { what: MEMORY };
        let zero = self.mixture.context().ok_or(missing)?.zero();
        let mut rest = scratch;
        let entries = columns.saturating_mul(width);
        let mut here = split_off_mut(&mut rest, entries).ok_or(missing)?;
        let mut there = split_off_mut(&mut rest, entries).ok_or(missing)?;
        let row = split_off_mut(&mut rest, columns).ok_or(missing)?;

        here.fill(zero);
        for (token, copies) in
            tokens.iter().zip(here.chunks_exact_mut(copies.saturating_mul(width).max(1)))
        {
            for column in copies.chunks_exact_mut(width.max(1)) {
                if let Some(slot) = column.get_mut(*token) {
                    *slot = zero.one();
                }
                for (slot, &logit) in column.iter_mut().skip(self.sizes.place(steps)).zip(logits) {
                    *slot = logit;
                }
            }
        }
        let token = |column: usize| column / copies.max(1);
        let is_copy = |column: usize| column % copies.max(1) != 0;
        let possible = |query: usize, key: usize| {
            let pair = tokens.get(token(key)).zip(tokens.get(token(query)));
            let p = pair.and_then(|(&from, &to)| self.mixture.transition(from, to));
            p.is_some_and(|p| !p.is_zero())
        };
        // Copies ask for nothing: they attend to themselves, where nothing is to be had.
        let within = |query: usize, key: usize| {
            if is_copy(query) {
                query == key
            } else {
                key < query
                    && token(query).wrapping_sub(token(key)) <= order
                    && possible(query, key)
            }
        };
        let evidence = |query: usize, key: usize| {
            if is_copy(query) { query == key } else { !is_copy(key) && token(key) >= order }
        };
        let asked = order.saturating_mul(copies)..columns;
        let last = columns.saturating_sub(copies);
        if length > order {
            for block in self.steps.chunks_exact(block_size(&self.sizes)).take(steps) {
                let (values, matrix) = block.split_at_checked(self.sizes.table()).ok_or(missing)?;
                let gradient = Attention {
                    key_query: Some(self.key_query),
                    relative_scores: self.window,
                    key_counts: Some(self.counts),
                    value: Some(self.nothing),
                    relative_values: values,
                    relative_width: width,
                    join: Join::Add,
                    ..Attention::uniform(width)
                };
                gradient.apply(here, asked.clone(), within, there, rest)?;
                core::mem::swap(&mut here, &mut there);
                let gather =
                    Attention { value: Some(matrix), join: Join::Add, ..Attention::uniform(width) };
                gather.apply(here, asked.clone(), evidence, there, rest)?;
                core::mem::swap(&mut here, &mut there);
            }
        }
        let readout = Attention { relative_scores: self.recent, ..Attention::uniform(width) };
        let recent = |query: usize, key: usize| {
            key <= query && !is_copy(key) && token(query).wrapping_sub(token(key)) < order
        };
        readout.weights(here, last, recent, row, rest)?;
        let of_tokens = row.iter().step_by(copies.max(1)).rev();
        for (slot, &weight) in weights.iter_mut().zip(of_tokens) {
            *slot = weight;
        }
        let attended = rest.get_mut(..alphabet).ok_or(missing)?;
        attended.fill(zero);
        for (&weight, &token) in weights.iter().zip(tokens.iter().rev()) {
            if let Some(slot) = attended.get_mut(token) {
                *slot = *slot + weight;
            }
        }
        read_out(&self.mixture, attended, next);
        Ok(())
    }
}

/// R_V and W_V of one step together.
fn block_size(sizes: &Sizes) -> usize {
    sizes.table().saturating_add(sizes.width().saturating_mul(sizes.width())).max(1)
}
