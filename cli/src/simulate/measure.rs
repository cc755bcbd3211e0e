//! What is measured during training, under which names.

/// A figure of a student.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `(1/2N) Σ (‖Y − TF‖² − ‖Y − f*‖²)` on a fresh batch, as the paper measures it.
    BatchExcess,
    /// L − L_opt in closed form.
    ExcessLoss,
    /// ‖S − S*‖_F.
    ScoreError,
    /// ‖W_V − V*‖_F.
    ValueError,
    /// cos(W_V, V*).
    Cosine,
    /// ‖W_V − W_V of the exact run‖_F.
    ValueDistance,
    /// ‖S − S of the exact run‖_F.
    ScoreDistance,
    /// `½ E ‖TF − f*‖²` over exponential inputs, estimated from a batch: the out-of-distribution gap
    /// of the population, if noise is all that labels differ from the teacher's by.
    OodHalfSquare,
    /// `(1/2N) Σ (‖Ỹ − TF‖² − ‖Ỹ − f*‖²)` with Ỹ = f* plus noise, as the paper measures it.
    OodTeacher,
    /// The same with labels that have nothing to do with the inputs.
    OodUnrelated,
    /// The same, averaged over these labels: what is left is a mean over inputs.
    OodUnrelatedMean,
    /// `OodHalfSquare` of the exact run, on the same inputs.
    ExactOodHalfSquare,
    /// `OodTeacher` of the exact run, with the same labels.
    ExactOodTeacher,
    /// `OodUnrelated` of the exact run, with the same labels.
    ExactOodUnrelated,
    /// `OodUnrelatedMean` of the exact run, on the same inputs.
    ExactOodUnrelatedMean,
    /// On images: `½ E ‖TF − f*‖²` over those that are trained on.
    TrainingLoss,
    /// The same over images kept back.
    KeptBackLoss,
    /// On images: the mean over queries of the weight that they put on their own window.
    WindowWeight,
    /// Of the full model: the size of W_V on inputs.
    ValueInputs,
    /// Of the full model: the size of W_V on positions.
    ValuePositions,
    /// Of the full model: the size of W_KQ between inputs.
    KeysInputs,
    /// Of the full model: the size of W_KQ between inputs and positions.
    KeysInputsPositions,
    /// Of the full model: the size of W_KQ between positions and inputs.
    KeysPositionsInputs,
    /// Of the full model: the size of W_KQ between positions.
    KeysPositions,
}

impl Measure {
    /// Those of the position-only student, in the order of their columns.
    pub const POSITION_ONLY: [Self; 15] = [
        Self::BatchExcess,
        Self::ExcessLoss,
        Self::ScoreError,
        Self::ValueError,
        Self::Cosine,
        Self::ValueDistance,
        Self::ScoreDistance,
        Self::OodHalfSquare,
        Self::OodTeacher,
        Self::OodUnrelated,
        Self::OodUnrelatedMean,
        Self::ExactOodHalfSquare,
        Self::ExactOodTeacher,
        Self::ExactOodUnrelated,
        Self::ExactOodUnrelatedMean,
    ];

    /// Those of the full model. Its attention depends on the input: the score error is the root of a
    /// mean square; value error and cosine are of W_V on inputs.
    pub const FULL: [Self; 10] = [
        Self::BatchExcess,
        Self::ScoreError,
        Self::ValueError,
        Self::Cosine,
        Self::ValueInputs,
        Self::ValuePositions,
        Self::KeysInputs,
        Self::KeysInputsPositions,
        Self::KeysPositionsInputs,
        Self::KeysPositions,
    ];

    /// Those of a student of images, in the order of their columns.
    pub const IMAGES: [Self; 6] = [
        Self::TrainingLoss,
        Self::KeptBackLoss,
        Self::ScoreError,
        Self::ValueError,
        Self::Cosine,
        Self::WindowWeight,
    ];

    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Self::BatchExcess => "batch_excess",
            Self::ExcessLoss => "excess_loss",
            Self::ScoreError => "score_error",
            Self::ValueError => "value_error",
            Self::Cosine => "cosine",
            Self::ValueDistance => "value_distance",
            Self::ScoreDistance => "score_distance",
            Self::OodHalfSquare => "ood_half_square",
            Self::OodTeacher => "ood_teacher",
            Self::OodUnrelated => "ood_unrelated",
            Self::OodUnrelatedMean => "ood_unrelated_mean",
            Self::ExactOodHalfSquare => "exact_ood_half_square",
            Self::ExactOodTeacher => "exact_ood_teacher",
            Self::ExactOodUnrelated => "exact_ood_unrelated",
            Self::ExactOodUnrelatedMean => "exact_ood_unrelated_mean",
            Self::TrainingLoss => "training_loss",
            Self::KeptBackLoss => "kept_back_loss",
            Self::WindowWeight => "window_weight",
            Self::ValueInputs => "value_inputs",
            Self::ValuePositions => "value_positions",
            Self::KeysInputs => "keys_inputs",
            Self::KeysInputsPositions => "keys_inputs_positions",
            Self::KeysPositionsInputs => "keys_positions_inputs",
            Self::KeysPositions => "keys_positions",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::BatchExcess => "excess loss, on a batch",
            Self::ExcessLoss => "excess loss, exact",
            Self::ScoreError => "score error ‖S − S*‖",
            Self::ValueError => "value error ‖W_V − V*‖",
            Self::Cosine => "cos(W_V, V*)",
            Self::ValueDistance => "‖W_V − exact run‖",
            Self::ScoreDistance => "‖S − exact run‖",
            Self::OodHalfSquare | Self::ExactOodHalfSquare => "OOD, ½E‖TF − f*‖²",
            Self::OodTeacher | Self::ExactOodTeacher => "OOD, noisy teacher labels",
            Self::OodUnrelated | Self::ExactOodUnrelated => "OOD, unrelated labels",
            Self::OodUnrelatedMean | Self::ExactOodUnrelatedMean => "OOD, unrelated, label mean",
            Self::TrainingLoss => "½E‖TF − f*‖², images of training",
            Self::KeptBackLoss => "½E‖TF − f*‖², images kept back",
            Self::WindowWeight => "weight on the own window, mean",
            Self::ValueInputs => "W_V, inputs",
            Self::ValuePositions => "W_V, positions",
            Self::KeysInputs => "W_KQ, inputs × inputs",
            Self::KeysInputsPositions => "W_KQ, inputs × positions",
            Self::KeysPositionsInputs => "W_KQ, positions × inputs",
            Self::KeysPositions => "W_KQ, positions × positions",
        }
    }

    /// The exponent of T that the theorem, or for other inputs note 14, has for it late in a run
    /// without noise; none where there is no single one.
    pub fn predicted(self) -> Option<f64> {
        match self {
            Self::BatchExcess | Self::ExcessLoss => Some(-1.0),
            Self::OodHalfSquare | Self::ExactOodHalfSquare => Some(-1.0),
            Self::ScoreError | Self::ValueError => Some(-0.5),
            Self::OodUnrelatedMean | Self::ExactOodUnrelatedMean => Some(-0.5),
            _ => None,
        }
    }

    /// The same figure of the exact run, where it is measured run by run.
    pub fn of_exact_run(self) -> Option<Self> {
        match self {
            Self::OodHalfSquare => Some(Self::ExactOodHalfSquare),
            Self::OodTeacher => Some(Self::ExactOodTeacher),
            Self::OodUnrelated => Some(Self::ExactOodUnrelated),
            Self::OodUnrelatedMean => Some(Self::ExactOodUnrelatedMean),
            _ => None,
        }
    }
}

/// What was measured after `t` steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number of steps.
    pub t: u64,
    /// What, in the order of columns.
    pub measures: &'static [Measure],
    /// The values of these.
    pub values: Vec<f64>,
}

impl Row {
    /// A value; NaN if it was not measured.
    pub fn get(&self, measure: Measure) -> f64 {
        let column = self.measures.iter().position(|&other| other == measure);
        column.and_then(|at| self.values.get(at)).copied().unwrap_or(f64::NAN)
    }
}
