//! Measures to run on.

use popgd_core::in_context::attention::Attention;
use popgd_core::in_context::attention_operator::{Measure, slope};
use popgd_core::{Error, Scalar};

use super::AttentionOperatorSettings;
use crate::construct::comparison::{Comparison, softmax_roundings};
use crate::construct::random::{Random, into_unit_ball};
use crate::number::Exact;
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

/// A measure, a matrix and a query.
#[derive(Clone, Debug)]
pub(super) struct Instance<S> {
    /// d.
    pub(super) dimension: usize,
    /// Y, atom by atom.
    pub(super) atoms: Vec<S>,
    /// One an atom.
    pub(super) weights: Vec<S>,
    /// A, d × d.
    pub(super) matrix: Vec<S>,
    /// x.
    pub(super) query: Vec<S>,
    /// R.
    pub(super) radius: S,
}

/// A float, exactly.
pub(super) fn exact<S: CliScalar>(x: f64) -> S {
    S::from_exact(&Exact::from_f64(x).unwrap_or_else(Exact::zero))
}

/// Floats, exactly.
pub(super) fn exactly<S: CliScalar>(numbers: &[f64]) -> Vec<S> {
    numbers.iter().map(|&x| exact(x)).collect()
}

/// Roughly how large a number is.
pub(super) fn center<S: CliScalar>(x: S) -> f64 {
    x.report().center()
}

/// ‖x‖.
pub(super) fn norm<S: Scalar>(numbers: &[S], zero: S) -> S {
    numbers.iter().fold(zero, |sum, x| sum + x.square()).norm()
}

impl<S: CliScalar> Instance<S> {
    /// One's own with A = I, or the random one of this index: atoms in the unit ball, a normal A.
    pub(super) fn of(settings: &AttentionOperatorSettings, index: u64) -> Self {
        let (dimension, count) = (settings.dimension, settings.count);
        let mut random = Random::of(settings.shared.seed, index);
        let mut query = random.normals(dimension);
        if let Some(own) = &settings.atoms {
            let square = own.square_radius();
            let radius = S::from_exact(&square).sqrt();
            // So that exponents are of a few units.
            let length = square.to_f64().sqrt();
            if length > 0.0 {
                query.iter_mut().for_each(|x| *x /= length);
            }
            let identity: Vec<f64> = (0..dimension * dimension)
                .map(|at| if at % (dimension + 1) == 0 { 1.0 } else { 0.0 })
                .collect();
            return Self {
                dimension,
                atoms: own.entries.iter().map(S::from_exact).collect(),
                weights: own.weights.iter().map(S::from_exact).collect(),
                matrix: exactly(&identity),
                query: exactly(&query),
                radius,
            };
        }
        let mut atoms = random.normals(dimension * count);
        into_unit_ball(&mut atoms, dimension);
        // Some have no weight.
        let mut weights: Vec<f64> = (0..count)
            .map(|_| Some(random.uniform()).filter(|x| *x > 0.1).unwrap_or(0.0))
            .collect();
        weights[0] += 0.5;
        let matrix = random.normals(dimension * dimension);
        let radius = exact(1.0);
        Self {
            dimension,
            atoms: exactly(&atoms),
            weights: exactly(&weights),
            matrix: exactly(&matrix),
            query: exactly(&query),
            radius,
        }
    }

    /// The measure.
    pub(super) fn measure(&self) -> Result<Measure<'_, S>, Error> {
        Measure::new(self.dimension, &self.atoms, Some(&self.weights))
    }

    /// Aᵀx, for another A of the same size.
    pub(super) fn slope_of(&self, matrix: &[S]) -> Result<Vec<S>, Error> {
        let mut along = self.query.clone();
        slope(matrix, &self.query, &mut along)?;
        Ok(along)
    }

    /// The operator with another A, by its definition.
    pub(super) fn value_with(&self, matrix: &[S]) -> Result<Vec<S>, Error> {
        let along = self.slope_of(matrix)?;
        let measure = self.measure()?;
        let mut mean = along.clone();
        measure.tilt(&along, measure.reference(&along, center), &mut mean)?;
        Ok(mean)
    }

    /// The largest coordinate of tokens, and how many units in its last place two means of them may be
    /// apart.
    pub(super) fn sizes(&self, tokens: &[S]) -> (f64, f64) {
        let centers = |numbers: &[S]| numbers.iter().map(|&x| center(x)).collect::<Vec<f64>>();
        let (tokens, query, matrix) =
            (centers(tokens), centers(&self.query), centers(&self.matrix));
        let largest = tokens.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // Σ_ij x_i A_ij y_j, and the same of absolute values.
        let exponent = |atom: &[f64], of: fn(f64) -> f64| -> f64 {
            let rows = query.iter().zip(matrix.chunks_exact(self.dimension));
            let row = |(x, row): (&f64, &[f64])| -> f64 {
                row.iter().zip(atom).map(|(a, y)| of(x * a * y)).sum()
            };
            rows.map(row).sum()
        };
        let (mut products, mut logit) = (0.0_f64, 0.0_f64);
        for atom in tokens.chunks_exact(self.dimension) {
            products = products.max(exponent(atom, f64::abs));
            logit = logit.max(exponent(atom, |x| x).abs());
        }
        // Each exponent is a sum of d sums of d products.
        let count = tokens.len() / self.dimension;
        (largest, softmax_roundings(2 * self.dimension, products, logit, count))
    }

    /// Softmax attention over the atoms beside the definition; the latter's value.
    pub(super) fn compare_heads(
        &self,
        kind: ScalarKind,
        heads: &mut Comparison,
    ) -> Result<Vec<S>, Error> {
        let value = self.value_with(&self.matrix)?;
        let head = attend(&self.atoms, &self.weights, &self.matrix, &self.query)?;
        let (scale, roundings) = self.sizes(&self.atoms);
        for (a, b) in head.iter().zip(&value) {
            heads.add(kind, a.report(), b.report(), scale, roundings);
        }
        Ok(value)
    }
}

/// What a query receives from one head of softmax attention over tokens, each standing for as many
/// as its weight says.
pub(super) fn attend<S: Scalar>(
    tokens: &[S],
    weights: &[S],
    matrix: &[S],
    query: &[S],
) -> Result<Vec<S>, Error> {
    let (width, count) = (query.len(), weights.len());
    let columns = [tokens, query].concat();
    // The query comes last, and is no key.
    let counts: Vec<S> =
        weights.iter().copied().chain(query.iter().map(|x| x.one()).take(1)).collect();
    let layer = Attention {
        key_query: Some(matrix),
        key_counts: Some(&counts),
        ..Attention::uniform(width)
    };
    let fill = counts.last().copied().ok_or(Error::Empty { what: "query" })?;
    let mut output = vec![fill; (count + 1) * layer.output_width()];
    let mut scratch = vec![fill; layer.scratch(count + 1)];
    layer.apply(&columns, count..count + 1, |_, key| key < count, &mut output, &mut scratch)?;
    Ok(output.split_off(output.len() - width))
}
