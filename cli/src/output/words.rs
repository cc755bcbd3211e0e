//! A configuration in words, for headings and titles.

use crate::output::digits::{grouped, short};
use crate::provenance::scalar_name;
use crate::settings::{ClassSettings, Method, ModelSettings, PositionSettings, Task, TeacherNorm};

/// The teacher: `CNN with average pooling, D = 36 tokens in groups of K = 4, ReLU`.
pub fn teacher(model: &ModelSettings) -> String {
    let task = match model.task {
        Task::Cnn => "CNN with average pooling",
        Task::Gcn => "graph convolution",
        Task::Sts => "sparse token selection",
        Task::Gslp => "group-sparse linear predictor",
        Task::Custom => "custom scores",
    };
    let groups = match model.group {
        Some(group) => format!("{}, K = {}", tokens(model.tokens), grouped(group)),
        None => format!("{}, {}", tokens(model.tokens), classes(&model.classes)),
    };
    format!("{task}, {groups}, {}", activation(model))
}

/// `D = 1,000 tokens`.
fn tokens(count: u64) -> String {
    format!("D = {} {}", grouped(count), if count == 1 { "token" } else { "tokens" })
}

fn classes(classes: &[ClassSettings]) -> String {
    let levels: usize = classes.iter().map(|class| class.levels.len()).sum();
    let (many, much) =
        (plural(classes.len(), "class", "classes"), plural(levels, "level", "levels"));
    format!("{many} of columns with {much}")
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn activation(model: &ModelSettings) -> String {
    match model.slope.to_f64() {
        1.0 => "identity".to_owned(),
        0.0 => "ReLU".to_owned(),
        -1.0 => "absolute value".to_owned(),
        _ => format!("leaky ReLU of slope {}", model.slope),
    }
}

/// The training: `‖V*‖ = 1, κ = 1/36, η = 1/18, 10,000,000 steps`.
pub fn training(model: &ModelSettings) -> String {
    let norm = match &model.teacher_norm {
        TeacherNorm::Norm(norm) => exact(norm),
        TeacherNorm::Square(square) => short(square.to_f64().sqrt()),
    };
    let steps = grouped(model.steps);
    format!(
        "‖V*‖ = {norm}, κ = {}, η = {}, {steps} {}",
        exact(&model.logit_gain),
        exact(&model.rate),
        if model.steps == 1 { "step" } else { "steps" }
    )
}

/// How it is computed: `lumped, f64, compensated sums`.
pub fn computation(model: &ModelSettings) -> String {
    let mut parts = vec![match &model.dense {
        None => "lumped".to_owned(),
        Some(dense) => {
            let positions = match dense.positions {
                PositionSettings::Identity => "",
                PositionSettings::Orthogonal(_) => ", orthogonal positions",
                PositionSettings::General(_) => ", general positions",
            };
            format!("dense, M = {}, d = {}{positions}", model.channels, model.features)
        }
    }];
    parts.push(scalar_name(model.scalar).to_owned());
    parts.push(if model.compensated { "compensated sums" } else { "plain sums" }.to_owned());
    let started = match model.method {
        Method::Lumped => model.state.is_some(),
        Method::Dense => model.dense.as_ref().is_some_and(|dense| {
            dense.start_value_matrix.is_some()
                || dense.start_key_query.is_some()
                || dense.start_logits.is_some()
        }),
    };
    parts.push(if started { "from a given state" } else { "from zero" }.to_owned());
    parts.join(", ")
}

/// An exact number as it was given if that is short, in a few digits otherwise.
pub fn exact(value: &crate::number::Exact) -> String {
    let text = value.to_string();
    if text.chars().count() <= 10 { text } else { short(value.to_f64()) }
}
