//! The final state of a run, as JSON or as NumPy arrays.

use npyz::WriterBuilder;
use serde_json::{Map, Value};

use crate::error::Failure;
use crate::output::json;
use crate::output::sink::{Sink, extension, with_suffix};
use crate::scalar::Number;
use crate::settings::{Method, Settings};
use crate::trajectory::{State, Trajectory};

/// The arrays of a dense run, by the ending that each adds to the name of its file.
const ARRAYS: [&str; 3] = ["value-matrix", "scores", "logits"];

/// Where a state goes: one JSON file, or one `.npy` file an array.
#[derive(Debug)]
pub enum Destination {
    /// One document.
    Json(Sink),
    /// W_V, S and Z.
    Arrays([Sink; 3]),
}

/// Opens what `--save-state` names, if it was given.
///
/// # Errors
/// If it ends neither in `.json` nor in `.npy`, if a lumped run was to be saved as arrays, or if
/// a file cannot be made.
pub fn open(settings: &Settings) -> Result<Option<Destination>, Failure> {
    const FLAG: &str = "--save-state";
    let Some(path) = &settings.output.save_state else { return Ok(None) };
    match extension(path).as_str() {
        "json" => Ok(Some(Destination::Json(Sink::file(path, FLAG)?))),
        "npy" if settings.model.method == Method::Dense => {
            let file = |suffix| Sink::file(&with_suffix(path, suffix), FLAG);
            let [values, scores, logits] = ARRAYS;
            Ok(Some(Destination::Arrays([file(values)?, file(scores)?, file(logits)?])))
        }
        "npy" => Err(Failure::usage(format!(
            "{FLAG} {}: a lumped run has no matrices; save it as .json, or add --method dense",
            path.display()
        ))),
        _ => Err(Failure::usage(format!(
            "{FLAG} {}: a name that ends in .json or .npy was expected",
            path.display()
        ))),
    }
}

/// Writes a state.
///
/// # Errors
/// What the system reports.
pub fn write(
    destination: Destination,
    settings: &Settings,
    trajectory: &Trajectory,
    state: &State,
) -> Result<(), Failure> {
    match destination {
        Destination::Json(sink) => {
            let mut document = json::document("run", settings, &[]);
            let t = trajectory.rows.last().map_or(0, |row| row.t);
            document.insert("t".into(), json::integer(t));
            insert_state(&mut document, state);
            sink.write(json::text(document).as_bytes())
        }
        Destination::Arrays([to_values, to_scores, to_logits]) => {
            let State::Dense { tokens, channels, features, value_matrix, scores, logits, .. } =
                state
            else {
                return Ok(());
            };
            let square = (*tokens, *tokens);
            to_values.write(&npy(value_matrix, (*channels, *features))?)?;
            to_scores.write(&npy(scores, square)?)?;
            to_logits.write(&npy(logits, square)?)
        }
    }
}

/// What a configuration file takes as a start: `state` after a lumped run, `w0` and `kq0` after
/// a dense one; and beside it what it means.
fn insert_state(document: &mut Map<String, Value>, state: &State) {
    match state {
        State::Lumped { c, classes } => {
            let logits = classes.iter().flat_map(|class| &class.levels);
            let mut start = Map::new();
            start.insert("c".into(), json::number(*c));
            start.insert("logits".into(), logits.map(|level| json::number(level.logit)).collect());
            document.insert("state".into(), Value::Object(start));
            let classes = classes.iter().map(|class| {
                let levels = class.levels.iter().map(|level| {
                    let mut map = Map::new();
                    map.insert("count".into(), json::integer(level.count));
                    map.insert("weight".into(), json::number(level.weight));
                    map.insert("score".into(), json::number(level.score));
                    map.insert("logit".into(), json::number(level.logit));
                    Value::Object(map)
                });
                let mut map = Map::new();
                map.insert("count".into(), json::integer(class.count));
                map.insert("levels".into(), levels.collect());
                Value::Object(map)
            });
            document.insert("classes".into(), classes.collect());
        }
        State::Dense { tokens, features, value_matrix, scores, logits, key_query, .. } => {
            document.insert("w0".into(), matrix(value_matrix, *features));
            if let Some(key_query) = key_query {
                document.insert("kq0".into(), matrix(key_query, *tokens));
            }
            document.insert("scores".into(), matrix(scores, *tokens));
            document.insert("logits".into(), matrix(logits, *tokens));
        }
    }
}

fn matrix(entries: &[Number], columns: usize) -> Value {
    entries
        .chunks(columns.max(1))
        .map(|row| row.iter().map(|&entry| json::number(entry)).collect::<Value>())
        .collect()
}

/// A matrix as `.npy`; intervals as pairs along a third axis.
fn npy(entries: &[Number], (rows, columns): (usize, usize)) -> Result<Vec<u8>, Failure> {
    let shape = [rows as u64, columns as u64];
    let paired = [rows as u64, columns as u64, 2];
    let single = |x: f64| x as f32;
    match entries.first() {
        Some(Number::Single(_)) => array(&shape, entries.iter().map(|n| single(n.center()))),
        Some(Number::Interval { .. }) => array(&paired, entries.iter().flat_map(|&n| ends(n))),
        Some(Number::SingleInterval { .. }) => {
            array(&paired, entries.iter().flat_map(|&n| ends(n).map(single)))
        }
        Some(Number::Float(_)) | None => array(&shape, entries.iter().map(|n| n.center())),
    }
}

fn ends(number: Number) -> [f64; 2] {
    match number {
        Number::Interval { lo, hi } => [lo, hi],
        Number::SingleInterval { lo, hi } => [f64::from(lo), f64::from(hi)],
        Number::Float(_) | Number::Single(_) => [number.center(); 2],
    }
}

fn array<T: npyz::AutoSerialize>(
    shape: &[u64],
    entries: impl Iterator<Item = T>,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut writer =
        npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut bytes).begin_nd()?;
    writer.extend(entries)?;
    writer.finish()?;
    Ok(bytes)
}
