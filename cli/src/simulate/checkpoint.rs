//! Checkpoints: all that a run needs to go on, in a file that appears whole or not at all.
//!
//! What is drawn depends on the step alone, so that parameters, the number of steps and what was
//! measured so far are enough. Floats are written with the digits that give the same bits back: a run
//! that was ended at any moment, by whatever means, goes on to the same result to the last bit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::measure::{Measure, Row};
use super::settings::SimulateSettings;
use crate::error::Failure;
use crate::output::json;
use crate::output::sink::Sink;
use crate::provenance;

/// The time between two checkpoints of a run.
pub const INTERVAL: Duration = Duration::from_secs(2);

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The number of steps made.
    pub t: u64,
    /// W_V.
    pub values: Vec<f64>,
    /// W_KQ, or the logits that stand for it.
    pub keys: Vec<f64>,
    /// What was measured so far.
    pub rows: Vec<Row>,
}

/// The checkpoints of one simulation.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    /// Of the configuration: checkpoints of another one are not looked at.
    hash: String,
}

impl Store {
    /// In this folder, which is made if it is not there.
    ///
    /// # Errors
    /// What the system reports.
    pub fn open(folder: &Path, settings: &SimulateSettings) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Io(format!("--resume {}: {error}", folder.display())))?;
        let mut identity = settings.base.echo.clone();
        if let Some(map) = identity.as_object_mut() {
            map.insert("popgd".into(), provenance::VERSION.into());
        }
        let hash = provenance::hash(&identity);
        let hash = hash.rsplit(':').next().unwrap_or_default().to_owned();
        Ok(Self { folder: folder.to_owned(), hash })
    }

    fn path(&self, batch: usize, index: usize) -> PathBuf {
        self.folder.join(format!("{}-{batch}-{index}.json", self.hash))
    }

    /// Where this run stands, if it was begun.
    ///
    /// # Errors
    /// A file that is not such a checkpoint: it is not overwritten.
    pub fn load(
        &self,
        measures: &'static [Measure],
        at: &[u64],
        (batch, index): (usize, usize),
    ) -> Result<Option<Checkpoint>, Failure> {
        let path = self.path(batch, index);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::unreadable(&path, &error)),
        };
        // What was measured belongs to the recorded steps up to there; that at the very step may
        // not have been measured yet.
        let fits = |found: &Checkpoint| {
            let measured = found.rows.iter().map(|row| row.t);
            let due = at.iter().filter(|&&t| t < found.t).count();
            let most = at.iter().filter(|&&t| t <= found.t).count();
            (due..=most).contains(&found.rows.len())
                && measured.eq(at.iter().copied().take(found.rows.len()))
                && found.rows.iter().all(|row| row.values.len() == measures.len())
        };
        let found = parse(&text, measures).filter(fits);
        found.map(Some).ok_or_else(|| self.damaged(batch, index))
    }

    /// What is said of a file that is no checkpoint.
    pub fn damaged(&self, batch: usize, index: usize) -> Failure {
        Failure::usage(format!(
            "{}: is not a checkpoint of this simulation: remove it, or --resume elsewhere",
            self.path(batch, index).display()
        ))
    }

    /// Keeps where a run stands.
    ///
    /// # Errors
    /// What the system reports.
    pub fn save(
        &self,
        (batch, index): (usize, usize),
        t: u64,
        (values, keys): (&[f64], &[f64]),
        rows: &[Row],
    ) -> Result<(), Failure> {
        let mut map = Map::new();
        map.insert("t".into(), t.into());
        map.insert("w0".into(), list(values));
        map.insert("keys".into(), list(keys));
        let rows = rows.iter().map(|row| {
            let mut entries = vec![Value::from(row.t)];
            entries.extend(row.values.iter().map(|&value| json::float(value)));
            Value::from(entries)
        });
        map.insert("rows".into(), rows.collect());
        let text = Value::Object(map).to_string();
        Sink::file(&self.path(batch, index), "--resume")?.write(text.as_bytes())
    }
}

fn list(numbers: &[f64]) -> Value {
    numbers.iter().map(|&x| json::float(x)).collect()
}

fn parse(text: &str, measures: &'static [Measure]) -> Option<Checkpoint> {
    let document: Value = serde_json::from_str(text).ok()?;
    let numbers = |key: &str| floats(document.get(key)?.as_array()?);
    let row = |row: &Value| {
        let (t, values) = row.as_array()?.split_first()?;
        Some(Row { t: t.as_u64()?, measures, values: floats(values)? })
    };
    Some(Checkpoint {
        t: document.get("t")?.as_u64()?,
        values: numbers("w0")?,
        keys: numbers("keys")?,
        rows: document.get("rows")?.as_array()?.iter().map(row).collect::<Option<_>>()?,
    })
}

fn floats(values: &[Value]) -> Option<Vec<f64>> {
    // What is not finite is written as text.
    let float = |value: &Value| match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_f64(),
    };
    values.iter().map(float).collect()
}
