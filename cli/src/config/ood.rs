//! What `popgd ood` asks, from flags and a file.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::scores::Target;
use super::value_matrix::ValueMatrix;
use super::values::Values;
use crate::error::Failure;
use crate::number::Exact;
use crate::ood::family::Family;
use crate::ood::sampler::square_root;
use crate::ood::settings::{Gaussian, Inputs, Labels, OodSettings, TeacherMatrices};
use crate::output::sink::extension;
use crate::settings::{ClassSettings, ModelSettings, Task};

/// Keys that only `ood` has a use for.
pub(super) const KEYS: [&str; 12] = [
    "inputs",
    "centred",
    "scale",
    "labels",
    "label_distance",
    "epsilon",
    "samples",
    "batch",
    "moments_only",
    "covariance",
    "mean",
    "correlation",
];

/// A sample costs D² operations.
const MAX_TOKENS: u64 = 1024;

/// The tail of every token of data is kept, some kilobytes each.
const MAX_TOKENS_OF_DATA: u64 = 1 << 14;

/// A few records, or inputs, are in memory for every thread.
const MAX_RECORD: usize = 1 << 20;

/// Of tokens that depend on one another bounds cost D³ operations a step.
const MAX_DEPENDENT_TOKENS: usize = 256;

/// A draw costs the square of the side of a covariance.
const MAX_SIDE: usize = 1024;

/// Second moments beyond this, or below its reciprocal, have squares that floats cannot hold.
const MAX_MOMENT: f64 = 1e100;

/// More samples are a slip of the pen.
const MAX_SAMPLES: u64 = 1_000_000_000;

/// No machine has more processors, and starting many threads takes minutes.
const MAX_THREADS: u64 = 1024;

/// The same for the finite batch, which one thread does.
const MAX_BATCH: u64 = 1_000_000;

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub(super) fn resolve(
    values: &Values,
    target: &Target,
    value_matrix: &ValueMatrix,
    model: &ModelSettings,
) -> Result<OodSettings, Failure> {
    if model.dense.is_some() {
        let message = "ood follows lumped runs: leave out --method dense, and starts and positions \
                       that need it";
        return Err(values.fail("method", message));
    }
    let inputs = inputs(values, model)?;
    let moments_only = values.switch("moments_only")?;
    if moments_only && values.has("plot") {
        return Err(values.fail("plot", "there is nothing to draw of moments: leave it out"));
    }
    if !moments_only && model.tokens > MAX_TOKENS {
        let message = format!(
            "a sample costs D² operations: expected at most {MAX_TOKENS} tokens, found {}; or give \
             --moments-only",
            model.tokens
        );
        return Err(values.fail("tokens", message));
    }
    check_sizes(values, model, moments_only && !matches!(inputs, Inputs::File(_)))?;
    for key in ["epsilon", "label_distance"] {
        if moments_only && values.has(key) {
            let message = "it is not about moments: leave it out, or --moments-only";
            return Err(values.fail(key, message));
        }
    }
    let labels = labels(values, &inputs)?;
    let label_distance = match values.number("label_distance")? {
        None => None,
        Some(_) if labels != Labels::Worst => {
            let message = "it is that of the worst labels: leave it out, or give --labels worst";
            return Err(values.fail("label_distance", message));
        }
        Some(distance) if distance.is_negative() => {
            let message = format!("expected 0 or more, found {distance}");
            return Err(values.fail("label_distance", message));
        }
        Some(distance) => Some(distance.to_f64()),
    };
    let epsilon = match values.number("epsilon")? {
        None => 0.01,
        Some(epsilon) if epsilon.is_positive() => epsilon.to_f64(),
        Some(epsilon) => {
            let message = format!("expected a number above 0, found {epsilon}");
            return Err(values.fail("epsilon", message));
        }
    };
    let count = |key: &str, default: u64, least: u64, most: u64| match values.integer(key)? {
        None => Ok(default),
        Some(count) if (least..=most).contains(&count) => Ok(count),
        Some(count) => {
            Err(values.fail(key, format_args!("expected {least} to {most}, found {count}")))
        }
    };
    let threads = match values.integer("threads")? {
        Some(0) => return Err(values.fail("threads", "expected at least 1")),
        Some(many) if many > MAX_THREADS => {
            let message = format!("expected at most {MAX_THREADS}, found {many}");
            return Err(values.fail("threads", message));
        }
        threads => threads.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
    };
    Ok(OodSettings {
        teacher: teacher(values, target, value_matrix, model, moments_only)?,
        inputs,
        labels,
        noise: model.noise.to_f64(),
        label_distance,
        epsilon,
        epsilon_given: values.has("epsilon"),
        samples: count("samples", 100_000, 2, MAX_SAMPLES)?,
        batch: count("batch", 100, 2, MAX_BATCH)?,
        moments_only,
        threads,
    })
}

/// Whether what is kept fits into memory; of the moments of a law nothing is.
fn check_sizes(values: &Values, model: &ModelSettings, of_law: bool) -> Result<(), Failure> {
    if of_law {
        return Ok(());
    }
    if model.tokens > MAX_TOKENS_OF_DATA {
        let message = format!("expected at most {MAX_TOKENS_OF_DATA}, found {}", model.tokens);
        return Err(values.fail("tokens", message));
    }
    let tokens = usize::try_from(model.tokens).unwrap_or(usize::MAX);
    let (channels, features) = (model.channels, model.features);
    for (key, first, second, what) in [
        ("features", features, tokens, "d × D, the numbers of an input,"),
        ("channels", channels, tokens, "M × D, the numbers of a response,"),
        ("channels", channels, features, "M × d, the numbers of V*,"),
    ] {
        if first.checked_mul(second).is_none_or(|size| size > MAX_RECORD) {
            let message = format!(
                "{what} must be at most {MAX_RECORD} to be held in memory, found {first} × {second}"
            );
            return Err(values.fail(key, message));
        }
    }
    Ok(())
}

/// Whether floats can hold squares of second moments.
fn check_moment(values: &Values, key: &str, square: f64) -> Result<(), Failure> {
    if square > 1.0 / MAX_MOMENT && square < MAX_MOMENT {
        return Ok(());
    }
    let message = format!(
        "the mean square of an entry is {square:e}: expected one between 1e-100 and 1e100, of which \
         floats can hold all that is computed"
    );
    Err(values.fail(key, message))
}

fn inputs(values: &Values, model: &ModelSettings) -> Result<Inputs, Failure> {
    const KEY: &str = "inputs";
    let text = values.text(KEY)?.unwrap_or("exponential").trim().to_owned();
    let of_laws = ["centred", "scale"];
    let of_gaussian = ["covariance", "mean", "correlation"];
    if is_file(&text) {
        let foreign = of_laws.iter().chain(&of_gaussian).find(|key| values.has(key));
        if let Some(key) = foreign {
            return Err(values.fail(key, "data are taken as they are: leave it out"));
        }
        let path = values.path(KEY)?.unwrap_or_default();
        return Ok(Inputs::File(path));
    }
    let family = Family::parse(&text).map_err(|message| values.fail(KEY, message))?;
    if let Some(given) = of_gaussian.iter().find(|key| values.has(key)) {
        if text != "gaussian" && text != "normal" {
            let message = "only gaussian inputs take it: leave it out, or give --inputs gaussian";
            return Err(values.fail(given, message));
        }
        if let Some(key) = of_laws.iter().find(|key| values.has(key)) {
            let message = format!("{given} says it already: leave one of them out");
            return Err(values.fail(key, message));
        }
        return gaussian(values, model);
    }
    let scale = match values.number("scale")? {
        None => 1.0,
        Some(scale) if scale.is_zero() => {
            return Err(values.fail("scale", "expected a number other than 0"));
        }
        Some(scale) => scale.to_f64(),
    };
    if let Ok(moments) = family.moments() {
        let square = moments.variance + moments.mean * moments.mean;
        check_moment(values, KEY, square)?;
        let key = if scale == 1.0 { KEY } else { "scale" };
        check_moment(values, key, scale * scale * square)?;
    }
    Ok(Inputs::Family { family, centred: values.switch("centred")?, scale })
}

fn gaussian(values: &Values, model: &ModelSettings) -> Result<Inputs, Failure> {
    let features = model.features;
    let tokens = usize::try_from(model.tokens).unwrap_or(usize::MAX);
    // Of a token, or of all of X̃.
    let (token, whole) = (features, features.saturating_mul(tokens));
    let floats = |entries: &[Exact]| entries.iter().map(Exact::to_f64).collect::<Vec<f64>>();
    let correlation = match values.number("correlation")? {
        None => 0.0,
        Some(rho) if rho.abs() <= Exact::one() => rho.to_f64(),
        Some(rho) => {
            return Err(values.fail("correlation", format_args!("expected −1 to 1, found {rho}")));
        }
    };
    let table = values.table("covariance")?;
    let side = match &table {
        Some(table) if table.rows.len() == whole => whole,
        _ => token,
    };
    if side > MAX_SIDE {
        let key = if table.is_some() { "covariance" } else { "features" };
        let message = format!("a covariance has at most {MAX_SIDE} rows, and {side} are needed");
        return Err(values.fail(key, message));
    }
    if side != token && correlation != 0.0 {
        let message = "the covariance of all of X̃ says it already: leave one of them out";
        return Err(values.fail("correlation", message));
    }
    let covariance = match table {
        None => (0..side * side).map(|at| f64::from(u8::from(at % (side + 1) == 0))).collect(),
        Some(table) => {
            let why = format!("of a token, or {whole} × {whole} of all of X̃, row by row");
            floats(&table.matrix_of(side, side, &why)?.entries)
        }
    };
    if tokens > MAX_DEPENDENT_TOKENS && (side != token || correlation != 0.0) {
        let message = format!(
            "expected at most {MAX_DEPENDENT_TOKENS} where tokens depend on one another, found {tokens}"
        );
        return Err(values.fail("tokens", message));
    }
    let symmetric =
        (0..side).all(|i| (0..i).all(|k| covariance[i * side + k] == covariance[k * side + i]));
    if !symmetric || square_root(&covariance, side).is_none() {
        let message = "expected a symmetric matrix with no negative eigenvalue";
        return Err(values.fail("covariance", message));
    }
    let mean = match values.table("mean")? {
        None => vec![0.0; side],
        Some(table) => floats(&table.list()?),
    };
    // The mean of a token is that of all of them.
    let mean = match mean.len() {
        length if length == side => mean,
        length if length == token => {
            mean.iter().flat_map(|&mean| std::iter::repeat_n(mean, tokens)).collect()
        }
        length => {
            let message = format!("expected {token} numbers, one a feature, found {length}");
            return Err(values.fail("mean", message));
        }
    };
    let gaussian = Gaussian { mean, covariance, correlation };
    for square in gaussian.square_norms(features, tokens) {
        check_moment(values, "covariance", square)?;
    }
    Ok(Inputs::Gaussian(gaussian))
}

fn is_file(text: &str) -> bool {
    let ending = extension(std::path::Path::new(text));
    ["csv", "npy", "jsonl", "ndjson"].contains(&ending.as_str())
}

fn labels(values: &Values, inputs: &Inputs) -> Result<Labels, Failure> {
    const KEY: &str = "labels";
    let text = values.text(KEY)?.unwrap_or("teacher").trim().to_owned();
    Ok(match text.as_str() {
        "teacher" => Labels::Teacher,
        "zero" => Labels::Zero,
        "independent" => Labels::Independent,
        "another" => Labels::Another,
        "worst" => Labels::Worst,
        file if is_file(file) => {
            if !matches!(inputs, Inputs::File(_)) {
                let message = "responses in a file belong to inputs in a file: give --inputs too";
                return Err(values.fail(KEY, message));
            }
            Labels::File(values.path(KEY)?.unwrap_or_default())
        }
        _ => {
            let message = format!(
                "expected teacher, zero, independent, another, worst, or a file that ends in .csv, \
                 .npy or .jsonl; found `{text}`"
            );
            return Err(values.fail(KEY, message));
        }
    })
}

/// The teacher in full, and another one.
fn teacher(
    values: &Values,
    target: &Target,
    value_matrix: &ValueMatrix,
    model: &ModelSettings,
    moments_only: bool,
) -> Result<TeacherMatrices, Failure> {
    if moments_only {
        let (value_matrix, other_value_matrix, levels) = Default::default();
        return Ok(TeacherMatrices { value_matrix, other_value_matrix, levels });
    }
    let floats = |entries: &[Exact]| entries.iter().map(Exact::to_f64).collect();
    let own = value_matrix.matrix(values, target.task, model.seed)?;
    let drawn = ValueMatrix { given: None, ..value_matrix.clone() };
    let other = drawn.matrix(values, Task::Custom, model.seed.wrapping_add(1))?;
    Ok(TeacherMatrices {
        value_matrix: floats(&own.entries),
        other_value_matrix: floats(&other.entries),
        levels: levels(values, target, model)?,
    })
}

/// Which level of which class every entry of S* is on, column by column.
fn levels(values: &Values, target: &Target, model: &ModelSettings) -> Result<Vec<u32>, Failure> {
    let scores = target.matrix(values)?;
    let tokens = scores.columns;
    // Of every class its first level, by counts of its weights.
    let mut known: BTreeMap<Vec<(String, u64)>, (u32, &ClassSettings)> = BTreeMap::new();
    let mut first = 0;
    for class in &model.classes {
        let mut sorted: Vec<(String, u64)> =
            class.levels.iter().map(|level| (level.weight.to_string(), level.count)).collect();
        sorted.sort();
        known.insert(sorted, (first, class));
        first += u32::try_from(class.levels.len()).unwrap_or(u32::MAX);
    }
    let mut levels = Vec::with_capacity(tokens * tokens);
    for column in 0..tokens {
        let weights: Vec<&Exact> = scores.entries.iter().skip(column).step_by(tokens).collect();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let texts: Vec<String> = weights.iter().map(|weight| weight.to_string()).collect();
        for text in &texts {
            *counts.entry(text.clone()).or_default() += 1;
        }
        let sorted: Vec<(String, u64)> = counts.into_iter().collect();
        let Some(&(start, class)) = known.get(&sorted) else {
            return Err(values.fail("s", "its columns could not be matched with their classes"));
        };
        for text in &texts {
            let level = class.levels.iter().position(|level| level.weight.to_string() == *text);
            levels.push(start + u32::try_from(level.unwrap_or(0)).unwrap_or(0));
        }
    }
    Ok(levels)
}

/// What was asked, for the echo of a configuration.
pub(super) fn echo(values: &Values, ood: &OodSettings, map: &mut Map<String, Value>) {
    let text = |key: &str, default: &str| {
        values.text(key).ok().flatten().map_or(default, str::trim).to_owned()
    };
    map.insert("inputs".into(), text("inputs", "exponential").into());
    let rows = |entries: &[f64], columns: usize| -> Value {
        entries.chunks(columns.max(1)).map(|row| row.iter().copied().collect::<Value>()).collect()
    };
    match &ood.inputs {
        Inputs::Family { centred, scale, .. } => {
            map.insert("centred".into(), (*centred).into());
            map.insert("scale".into(), (*scale).into());
        }
        Inputs::Gaussian(law) => {
            map.insert("mean".into(), law.mean.iter().copied().collect());
            map.insert("covariance".into(), rows(&law.covariance, law.mean.len()));
            if law.correlation != 0.0 {
                map.insert("correlation".into(), law.correlation.into());
            }
        }
        Inputs::File(_) => {}
    }
    map.insert("labels".into(), text("labels", "teacher").into());
    if let Some(distance) = ood.label_distance {
        map.insert("label_distance".into(), distance.into());
    }
    if !ood.moments_only {
        map.insert("epsilon".into(), ood.epsilon.into());
    }
    map.insert("samples".into(), super::echo::integer(ood.samples));
    map.insert("batch".into(), super::echo::integer(ood.batch));
    map.insert("moments_only".into(), ood.moments_only.into());
}
