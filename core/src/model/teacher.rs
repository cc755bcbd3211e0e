//! Teachers `f*(X) = σ(V* X S*)`: the paper's examples, and any column-stochastic S*.
//!
//! A matrix of scores is stored with one row per query: entry `j D + i` is S_{ij}, the weight
//! that query j gives to token i, and every row sums to 1.

use super::activation::Activation;
use crate::error::check_length;
use crate::slices::{rows, rows_mut};
use crate::{Error, Scalar};

/// The sizes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// D, the number of tokens: columns of X, and side of S.
    pub tokens: usize,
    /// M, the number of output channels: rows of W and V*.
    pub channels: usize,
    /// d, the number of features of a token: rows of X, columns of W and V*.
    pub features: usize,
}

impl Shape {
    /// M d, the number of entries of a value matrix.
    pub const fn value_entries(&self) -> usize {
        self.channels.saturating_mul(self.features)
    }

    /// D², the number of entries of a matrix of scores or logits.
    pub const fn score_entries(&self) -> usize {
        self.tokens.saturating_mul(self.tokens)
    }

    /// The rows of a matrix of scores, each the weights of one query.
    pub(crate) fn queries<'a, S>(&self, scores: &'a [S]) -> impl Iterator<Item = &'a [S]> {
        rows(scores, self.tokens)
    }

    /// The same, to write to.
    pub(crate) fn queries_mut<'a, S>(
        &self,
        scores: &'a mut [S],
    ) -> impl Iterator<Item = &'a mut [S]> {
        rows_mut(scores, self.tokens)
    }

    /// The rows of a value matrix, each the weights of one channel.
    pub(crate) fn channels<'a, S>(&self, value_matrix: &'a [S]) -> impl Iterator<Item = &'a [S]> {
        rows(value_matrix, self.features)
    }

    /// The same, to write to.
    pub(crate) fn channels_mut<'a, S>(
        &self,
        value_matrix: &'a mut [S],
    ) -> impl Iterator<Item = &'a mut [S]> {
        rows_mut(value_matrix, self.features)
    }
}

/// A teacher `X ↦ σ(V* X S*)`.
#[derive(Clone, Copy, Debug)]
pub struct Teacher<'a, S> {
    shape: Shape,
    activation: Activation<S>,
    value_matrix: &'a [S],
    scores: &'a [S],
}

impl<'a, S: Scalar> Teacher<'a, S> {
    /// A teacher with value matrix V* (M × d, row by row) and scores S* (D × D, one row per
    /// query). That every row of the scores sums to 1 is the caller's promise: the loss is exact
    /// without it, but no student can then reach its teacher.
    ///
    /// # Errors
    /// [`Error::Empty`] if a size is 0, [`Error::Length`] if a slice does not fit the shape.
    pub fn new(
        shape: Shape,
        activation: Activation<S>,
        value_matrix: &'a [S],
        scores: &'a [S],
    ) -> Result<Self, Error> {
        for (what, size) in
            [("tokens", shape.tokens), ("channels", shape.channels), ("features", shape.features)]
        {
            if size == 0 {
                return Err(Error::Empty { what });
            }
        }
        check_length("value matrix of the teacher", shape.value_entries(), value_matrix.len())?;
        check_length("scores of the teacher", shape.score_entries(), scores.len())?;
        Ok(Self { shape, activation, value_matrix, scores })
    }

    /// D, M and d.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// σ.
    pub fn activation(&self) -> &Activation<S> {
        &self.activation
    }

    /// V*, M × d, row by row.
    pub fn value_matrix(&self) -> &'a [S] {
        self.value_matrix
    }

    /// S*, D × D, one row per query.
    pub fn scores(&self) -> &'a [S] {
        self.scores
    }

    /// A value that says where constants live.
    pub(crate) fn context(&self) -> S {
        self.activation.slope()
    }
}

/// Example 2.1, **CNN with average pooling**: consecutive groups of K tokens, every token
/// averaged over its group: column i of S* is `1_g/K`, g the group of i.
///
/// # Errors
/// [`Error::Length`] if `scores` is not D × D long, [`Error::Group`] unless 1 ≤ K ≤ D,
/// [`Error::NotDivisible`] if K does not divide D.
pub fn average_pooling<S: Scalar>(
    one: S,
    tokens: usize,
    group: usize,
    scores: &mut [S],
) -> Result<(), Error> {
    check_group(tokens, group)?;
    if tokens % group.max(1) != 0 {
        return Err(Error::NotDivisible { tokens, group });
    }
    let label = |token: usize| token / group.max(1);
    fill(one, tokens, group, scores, |query, token| label(query) == label(token))
}

/// Example 2.1 with any partition: tokens with the same label form a group, all groups being
/// equally large. Returns the group size K.
///
/// # Errors
/// [`Error::Empty`] without tokens, [`Error::Length`] if `scores` is not D × D long,
/// [`Error::UnequalGroups`].
pub fn partition_pooling<S: Scalar>(
    one: S,
    labels: &[usize],
    scores: &mut [S],
) -> Result<usize, Error> {
    let size_of = |label: usize| labels.iter().filter(|&&other| other == label).count();
    let expected = size_of(*labels.first().ok_or(Error::Empty { what: "partition" })?);
    for (token, &label) in labels.iter().enumerate() {
        let size = size_of(label);
        if size != expected {
            return Err(Error::UnequalGroups { token, size, expected });
        }
    }
    fill(one, labels.len(), expected, scores, |query, token| {
        labels.get(query) == labels.get(token)
    })?;
    Ok(expected)
}

/// Example 2.2, **GCN** on a (K−1)-regular undirected graph with self-loops: `S* = Ã/K`.
/// Every edge is given once, in either direction, without self-loops. Returns K.
///
/// # Errors
/// [`Error::Empty`] without tokens, [`Error::Length`] if `scores` is not D × D long,
/// [`Error::Index`] for an edge to a vertex that does not exist, [`Error::Repeated`] for an
/// edge that was given before or joins a vertex to itself, [`Error::NotRegular`].
pub fn graph_convolution<S: Scalar>(
    one: S,
    tokens: usize,
    edges: &[(usize, usize)],
    scores: &mut [S],
) -> Result<usize, Error> {
    if tokens == 0 {
        return Err(Error::Empty { what: "graph" });
    }
    for (at, &(from, to)) in edges.iter().enumerate() {
        for index in [from, to] {
            if index >= tokens {
                return Err(Error::Index { index, tokens });
            }
        }
        let earlier = edges.iter().take(at);
        if from == to || earlier.clone().any(|&edge| edge == (from, to) || edge == (to, from)) {
            return Err(Error::Repeated { index: from });
        }
    }
    let degree_of =
        |vertex: usize| edges.iter().filter(|&&(from, to)| from == vertex || to == vertex).count();
    let expected = degree_of(0);
    for vertex in 0..tokens {
        let degree = degree_of(vertex);
        if degree != expected {
            return Err(Error::NotRegular { vertex, degree, expected });
        }
    }
    let group = expected + 1;
    let weight = one / one.integer(to_integer(group));
    check_length("scores", tokens.saturating_mul(tokens), scores.len())?;
    scores.fill(one.zero());
    let pairs = edges.iter().flat_map(|&(from, to)| [(from, to), (to, from)]);
    for (query, token) in pairs.chain((0..tokens).map(|vertex| (vertex, vertex))) {
        if let Some(slot) = scores.get_mut(query.saturating_mul(tokens).saturating_add(token)) {
            *slot = weight;
        }
    }
    Ok(group)
}

/// Example 2.2 on a circulant graph: token i is joined to i ± o for every offset o (the cycle is
/// the offset 1). Returns K.
///
/// # Errors
/// [`Error::Empty`] without tokens, [`Error::Length`] if `scores` is not D × D long,
/// [`Error::Repeated`] if an offset is a multiple of D, or reaches the same tokens as an earlier
/// one.
pub fn circulant_convolution<S: Scalar>(
    one: S,
    tokens: usize,
    offsets: &[usize],
    scores: &mut [S],
) -> Result<usize, Error> {
    if tokens == 0 {
        return Err(Error::Empty { what: "graph" });
    }
    // The distance on the circle that an offset reaches.
    let distance = |offset: usize| {
        let step = offset % tokens.max(1);
        step.min(tokens - step)
    };
    let mut group = 1;
    for (at, &offset) in offsets.iter().enumerate() {
        let reach = distance(offset);
        if reach == 0 || offsets.iter().take(at).any(|&earlier| distance(earlier) == reach) {
            return Err(Error::Repeated { index: offset });
        }
        group += if reach.saturating_mul(2) == tokens { 1 } else { 2 };
    }
    fill(one, tokens, group, scores, |query, token| {
        let apart = distance(query.abs_diff(token));
        apart == 0 || offsets.iter().any(|&offset| distance(offset) == apart)
    })?;
    Ok(group)
}

/// Example 2.3, **sparse token selection**: every query averages the same K selected tokens,
/// `S* = 1_g 1ᵀ/K`. (The paper takes V* = I and the identity activation.) Example 2.5, the
/// **group-sparse linear predictor**, is the case of one selected token, `S* = e 1ᵀ`, with M = 1.
///
/// # Errors
/// [`Error::Length`] if `scores` is not D × D long, [`Error::Group`] unless between 1 and D
/// tokens are selected, [`Error::Index`] and [`Error::Repeated`] for what is selected.
pub fn token_selection<S: Scalar>(
    one: S,
    tokens: usize,
    selected: &[usize],
    scores: &mut [S],
) -> Result<(), Error> {
    check_group(tokens, selected.len())?;
    for (at, &index) in selected.iter().enumerate() {
        if index >= tokens {
            return Err(Error::Index { index, tokens });
        }
        if selected.iter().take(at).any(|&earlier| earlier == index) {
            return Err(Error::Repeated { index });
        }
    }
    fill(one, tokens, selected.len(), scores, |_, token| selected.contains(&token))
}

/// `S* = I`, a single-layer network applied to every token by itself: K = 1 on the diagonal.
///
/// # Errors
/// [`Error::Length`] if `scores` is not D × D long.
pub fn single_layer<S: Scalar>(one: S, tokens: usize, scores: &mut [S]) -> Result<(), Error> {
    fill(one, tokens, 1, scores, |query, token| query == token)
}

fn check_group(tokens: usize, group: usize) -> Result<(), Error> {
    if group == 0 || group > tokens { Err(Error::Group { tokens, group }) } else { Ok(()) }
}

/// Writes 1/K where `attends(query, token)`, 0 elsewhere.
fn fill<S: Scalar>(
    one: S,
    tokens: usize,
    group: usize,
    scores: &mut [S],
    attends: impl Fn(usize, usize) -> bool,
) -> Result<(), Error> {
    check_length("scores", tokens.saturating_mul(tokens), scores.len())?;
    let (weight, zero) = (one / one.integer(to_integer(group)), one.zero());
    for (query, row) in rows_mut(scores, tokens).enumerate() {
        for (token, slot) in row.iter_mut().enumerate() {
            *slot = if attends(query, token) { weight } else { zero };
        }
    }
    Ok(())
}

/// A count as an `i64`; counts of what is in memory always fit.
fn to_integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
