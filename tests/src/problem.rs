//! Problems that own their matrices, to be run over any scalar.

use popgd_core::Scalar;
use popgd_core::descent::accumulate::Accumulate;
use popgd_core::descent::dense::{Dense, DenseModel};
use popgd_core::descent::lumped::{Lumped, LumpedModel};
use popgd_core::model::activation::Activation;
use popgd_core::model::classes::Class;
use popgd_core::model::positions::Positions;
use popgd_core::model::teacher::{Shape, Teacher};

/// A slope as it was meant: slopes of the suites and references are exact decimals, most of them
/// tenths, so that an enclosure must contain the tenth and not only its double.
fn slope<S: Scalar>(context: S, slope: f64) -> S {
    let tenths = (10.0 * slope).round();
    if tenths / 10.0 == slope { context.rational(tenths as i64, 10) } else { context.lift(slope) }
}

/// A teacher, a student and a way to train it, in full matrices.
#[derive(Clone, Debug)]
pub struct DenseProblem {
    /// D, M, d.
    pub shape: Shape,
    /// Slope of the activation.
    pub slope: f64,
    /// V*, M × d.
    pub teacher_values: Vec<f64>,
    /// S*, D × D, one row per query.
    pub teacher_scores: Vec<f64>,
    /// P, D × D, if it is not the identity.
    pub positions: Option<Vec<f64>>,
    /// Whether P is known to be orthogonal.
    pub orthogonal: bool,
    /// τ.
    pub temperature: f64,
    /// W_V(0).
    pub start_values: Vec<f64>,
    /// W_KQ(0).
    pub start_key_query: Vec<f64>,
    /// η.
    pub rate: f64,
    /// σ′(0).
    pub slope_at_zero: f64,
}

impl DenseProblem {
    /// A problem with P = I, τ = √D, from W_V = W_KQ = 0.
    pub fn from_zero(
        shape: Shape,
        slope: f64,
        teacher_values: Vec<f64>,
        teacher_scores: Vec<f64>,
        rate: f64,
    ) -> Self {
        Self {
            shape,
            slope,
            positions: None,
            orthogonal: true,
            temperature: (shape.tokens as f64).sqrt(),
            start_values: vec![0.0; teacher_values.len()],
            start_key_query: vec![0.0; teacher_scores.len()],
            teacher_values,
            teacher_scores,
            rate,
            slope_at_zero: 1.0,
        }
    }

    /// ‖V*‖_F.
    pub fn teacher_norm(&self) -> f64 {
        self.teacher_values.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// The positions, over the scalars of `p`.
    pub fn positions<'a, S: Scalar>(&self, p: &'a [S]) -> Positions<'a, S> {
        match (&self.positions, self.orthogonal) {
            (None, _) => Positions::Identity,
            (Some(_), true) => Positions::Orthogonal(p),
            (Some(_), false) => Positions::General(p),
        }
    }

    /// Builds the run over the scalar type of `context` and hands it over.
    ///
    /// # Panics
    /// If a matrix does not fit the shape.
    pub fn with_run<S: Scalar, R>(
        &self,
        context: S,
        accumulate: Accumulate,
        visit: impl FnOnce(&mut Dense<'_, S>) -> R,
    ) -> R {
        let lift = |values: &[f64]| values.iter().map(|&x| context.lift(x)).collect::<Vec<S>>();
        let tokens = self.shape.tokens;
        let squares = self.shape.score_entries();
        let temperature = context.lift(self.temperature);
        let (values, scores) = (lift(&self.teacher_values), lift(&self.teacher_scores));
        let activation = Activation::leaky_relu(slope(context, self.slope));
        let teacher = Teacher::new(self.shape, activation, &values, &scores).unwrap();
        let p = self.positions.as_deref().map(lift).unwrap_or_default();
        let positions = self.positions(&p);
        let mut logits = vec![context; squares];
        let mut scratch = vec![context; squares];
        positions
            .logits(tokens, &lift(&self.start_key_query), temperature, &mut logits, &mut scratch)
            .unwrap();
        let mut gram = vec![context; squares];
        let metric = positions.metric(tokens, temperature, &mut gram).unwrap();
        let model = DenseModel {
            teacher,
            metric,
            rate: context.lift(self.rate),
            slope_at_zero: context.lift(self.slope_at_zero),
        };
        let mut memory = vec![context; model.memory()];
        let start = lift(&self.start_values);
        let mut run = Dense::from_state(model, accumulate, &start, &logits, &mut memory).unwrap();
        visit(&mut run)
    }
}

/// Columns of S* that are permutations of one another: how many, and (count, weight) of levels.
pub type OwnedClass = (f64, Vec<(f64, f64)>);

/// A lumped problem that owns its classes.
#[derive(Clone, Debug)]
pub struct LumpedProblem {
    /// The classes.
    pub classes: Vec<OwnedClass>,
    /// Slope of the activation.
    pub slope: f64,
    /// ‖V*‖_F.
    pub teacher_norm: f64,
    /// κ.
    pub logit_gain: f64,
    /// η.
    pub rate: f64,
    /// σ′(0).
    pub slope_at_zero: f64,
}

impl LumpedProblem {
    /// One class of D columns with K tokens of weight 1/K.
    pub fn two_level(
        tokens: f64,
        group: f64,
        slope: f64,
        teacher_norm: f64,
        logit_gain: f64,
        rate: f64,
    ) -> Self {
        let mut levels = vec![(group, 1.0 / group)];
        if tokens > group {
            levels.push((tokens - group, 0.0));
        }
        Self {
            classes: vec![(tokens, levels)],
            slope,
            teacher_norm,
            logit_gain,
            rate,
            slope_at_zero: 1.0,
        }
    }

    /// The rate that gives λ = η Σ g n‖s*‖².
    pub fn at_lambda(mut self, lambda: f64) -> Self {
        let gain = 0.5 * (1.0 + self.slope * self.slope);
        let sum: f64 = self
            .classes
            .iter()
            .map(|(n, levels)| n * levels.iter().map(|(m, w)| m * w * w).sum::<f64>())
            .sum();
        self.rate = lambda / (gain * sum);
        self
    }

    /// Builds the model over the scalar type of `context` and hands it over.
    pub fn with_model<S: Scalar, R>(
        &self,
        context: S,
        visit: impl FnOnce(LumpedModel<'_, S>) -> R,
    ) -> R {
        let lift = |x: f64| context.lift(x);
        let levels: Vec<(S, Vec<S>, Vec<S>)> = self
            .classes
            .iter()
            .map(|(columns, levels)| {
                let counts = levels.iter().map(|&(m, _)| lift(m)).collect();
                (lift(*columns), counts, levels.iter().map(|&(_, w)| lift(w)).collect())
            })
            .collect();
        let classes: Vec<Class<'_, S>> = levels
            .iter()
            .map(|(columns, counts, weights)| Class { columns: *columns, counts, weights })
            .collect();
        visit(LumpedModel {
            activation: Activation::leaky_relu(slope(context, self.slope)),
            classes: &classes,
            teacher_norm: lift(self.teacher_norm),
            logit_gain: lift(self.logit_gain),
            rate: lift(self.rate),
            slope_at_zero: lift(self.slope_at_zero),
        })
    }

    /// A run from zero over the scalar type of `context`.
    ///
    /// # Panics
    /// If the classes are not well formed.
    pub fn with_run<S: Scalar, R>(
        &self,
        context: S,
        accumulate: Accumulate,
        visit: impl FnOnce(&mut Lumped<'_, S>) -> R,
    ) -> R {
        self.with_model(context, |model| {
            let mut memory = vec![context; model.memory()];
            visit(&mut Lumped::from_zero(model, accumulate, &mut memory).unwrap())
        })
    }
}
