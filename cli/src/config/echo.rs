//! The resolved configuration as JSON: fed back as a configuration file, it gives the same run.

use serde_json::{Map, Number, Value};

use super::Resolved;
use super::scores::Layout;
use crate::number::{Exact, Span};
use crate::presets;
use crate::settings::{
    ClassSettings, Matrix, Method, PositionSettings, ScalarKind, Task, TeacherNorm,
};

use super::schedule::Schedule;

/// Integers beyond this are strings, because many readers of JSON hold numbers as `f64`.
const MAX_PLAIN_INTEGER: u64 = 1 << 53;

/// The configuration, every default filled in.
pub(super) fn echo(resolved: &Resolved) -> Value {
    let Resolved { model, target, value_matrix, schedule, slope_at_zero, .. } = resolved;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    if model.task != Task::Custom {
        put("task", presets::of(model.task).name.into());
    }
    put("tokens", integer(model.tokens));
    if let Some(group) = model.group {
        put("group", integer(group));
    }
    match (&target.layout, &model.dense) {
        (Layout::Partition(labels), _) => {
            put("partition", labels.iter().map(|&label| length(label)).collect())
        }
        (Layout::Edges(edges), _) => put(
            "edges",
            edges.iter().map(|&(from, to)| Value::from(vec![length(from), length(to)])).collect(),
        ),
        (Layout::Offsets(offsets), _) => {
            put("offsets", offsets.iter().map(|&offset| length(offset)).collect())
        }
        (Layout::Matrix(matrix), Some(_)) => put("s", rows(matrix)),
        // A lumped run needs no more of a matrix than its classes.
        (Layout::Matrix(_), None) | (Layout::Any, _) => put("classes", classes(&model.classes)),
        (Layout::Consecutive | Layout::Circle | Layout::Selection, _) => {}
    }
    put("channels", length(model.channels));
    put("features", length(model.features));
    match (&value_matrix.given, &model.teacher_norm) {
        (Some(matrix), _) => put("v", rows(matrix)),
        (None, TeacherNorm::Norm(norm)) => put("teacher_norm", number(norm)),
        (None, TeacherNorm::Square(square)) => {
            put("teacher_norm", format!("sqrt({square})").into())
        }
    }
    put("activation", activation(&model.slope).into());
    put("slope_at_zero", (*slope_at_zero).into());
    let mut gain = Some(&model.logit_gain);
    if let Some(dense) = &model.dense {
        match &dense.positions {
            PositionSettings::Identity => {}
            PositionSettings::Orthogonal(matrix) | PositionSettings::General(matrix) => {
                put("p", rows(matrix));
                if let Some(scale) = &dense.logit_scale {
                    put("logit_scale", number(scale));
                    gain = None;
                }
            }
        }
        if let Some(matrix) = &dense.start_value_matrix {
            put("w0", span_rows(matrix));
        }
        if let Some(matrix) = &dense.start_key_query {
            put("kq0", span_rows(matrix));
        }
        if let Some(matrix) = &dense.start_logits {
            put("logits", span_rows(matrix));
        }
    }
    if let Some(gain) = gain {
        put("logit_gain", number(gain));
    }
    put("rate", number(&model.rate));
    put("steps", integer(model.steps));
    put("noise", number(&model.noise));
    put("seed", integer(model.seed));
    if let Some(state) = &model.state {
        let mut entries = Map::new();
        entries.insert("c".to_owned(), span(&state.c));
        entries.insert("logits".to_owned(), state.logits.iter().map(span).collect());
        put("state", Value::Object(entries));
    }
    put(
        "method",
        match model.method {
            Method::Lumped => "lumped".into(),
            Method::Dense => "dense".into(),
        },
    );
    put(
        "scalar",
        match model.scalar {
            ScalarKind::F32 => "f32".into(),
            ScalarKind::F64 => "f64".into(),
            ScalarKind::Interval32 => "interval32".into(),
            ScalarKind::Interval64 => "interval64".into(),
        },
    );
    put("accumulate", if model.compensated { "compensated".into() } else { "plain".into() });
    match schedule {
        Schedule::Listed(steps) => put("at", steps.iter().map(|&step| integer(step)).collect()),
        Schedule::PerDecade(count) => put("points_per_decade", integer(*count)),
    }
    Value::Object(map)
}

/// The name of the activation with this slope.
pub(super) fn activation(slope: &Exact) -> String {
    if *slope == Exact::one() {
        "identity".to_owned()
    } else if slope.is_zero() {
        "relu".to_owned()
    } else if *slope == -&Exact::one() {
        "abs".to_owned()
    } else {
        format!("leaky-relu:{slope}")
    }
}

fn classes(classes: &[ClassSettings]) -> Value {
    classes
        .iter()
        .map(|class| {
            let levels: Value = class
                .levels
                .iter()
                .map(|level| {
                    let mut map = Map::new();
                    map.insert("count".to_owned(), integer(level.count));
                    map.insert("weight".to_owned(), number(&level.weight));
                    Value::Object(map)
                })
                .collect();
            let mut map = Map::new();
            map.insert("count".to_owned(), integer(class.count));
            map.insert("levels".to_owned(), levels);
            Value::Object(map)
        })
        .collect()
}

fn rows(matrix: &Matrix) -> Value {
    matrix
        .entries
        .chunks(matrix.columns.max(1))
        .map(|row| row.iter().map(number).collect::<Value>())
        .collect()
}

fn span_rows(matrix: &Matrix<Span>) -> Value {
    matrix
        .entries
        .chunks(matrix.columns.max(1))
        .map(|row| row.iter().map(span).collect::<Value>())
        .collect()
}

/// A number, or `{"lo", "hi"}`.
fn span(value: &Span) -> Value {
    if value.is_point() {
        return number(&value.lo);
    }
    let mut map = Map::new();
    map.insert("lo".to_owned(), number(&value.lo));
    map.insert("hi".to_owned(), number(&value.hi));
    Value::Object(map)
}

fn length(value: usize) -> Value {
    u64::try_from(value).map_or_else(|_| value.to_string().into(), integer)
}

pub(super) fn integer(value: u64) -> Value {
    if value <= MAX_PLAIN_INTEGER { value.into() } else { value.to_string().into() }
}

/// A JSON number where any reader gets the exact value from it, otherwise a string.
pub(super) fn number(value: &Exact) -> Value {
    let text = value.to_string();
    let plain = match value.abs().to_integer() {
        Some(integer) => integer <= MAX_PLAIN_INTEGER,
        None => !text.contains('/') && value.is_f64(),
    };
    match text.parse::<Number>() {
        Ok(number) if plain => Value::Number(number),
        _ => Value::String(text),
    }
}
