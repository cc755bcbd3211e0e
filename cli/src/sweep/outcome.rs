//! A finished job as a line of JSON, and back.

use serde_json::{Map, Value};

use super::job::{Job, optional};
use super::law::Constant;
use super::measure::{BurnIn, Finding, Findings, Record, Start};
use crate::asymptotics::Quantity;
use crate::error::Failure;
use crate::output::json;
use crate::provenance::Provenance;

/// A finished job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was asked.
    pub job: Job,
    /// What came out.
    pub findings: Findings,
}

impl Outcome {
    /// The result as a line of JSON has it.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = self.job.to_json();
        map.insert("provenance".into(), Provenance::of(&self.job.settings).to_json());
        map.insert("findings".into(), to_json(&self.findings));
        map
    }

    /// Reads a result.
    ///
    /// # Errors
    /// What is wrong with it, without the place where it stands.
    pub fn from_json(value: &Value) -> Result<Self, Failure> {
        let job = Job::from_json(value)?;
        let Some(findings) = value.get("findings") else {
            return Err(Failure::usage(
                "this is a job without its result: run it with `popgd run --job`",
            ));
        };
        let claimed = value.pointer("/provenance/config_hash").and_then(Value::as_str);
        if claimed != Some(&Provenance::of(&job.settings).config_hash) {
            return Err(Failure::usage(
                "the configuration is not the one that was run: its hash differs; run the job anew",
            ));
        }
        let Some(findings) = from_json(findings) else {
            return Err(Failure::usage("`findings` are not those of a job: run it anew"));
        };
        Ok(Self { job, findings })
    }
}

fn constant(value: Option<Constant>) -> Value {
    value.map_or(Value::Null, |constant| {
        let mut map = Map::new();
        map.insert("value".into(), json::float(constant.value));
        map.insert("uncertainty".into(), json::float(constant.uncertainty));
        map.insert("status".into(), "measured".into());
        Value::Object(map)
    })
}

fn to_json(findings: &Findings) -> Value {
    let mut map = Map::new();
    match findings {
        Findings::Geometric { measured, predicted } => {
            map.insert("approach".into(), "geometric".into());
            let mut factor = |key: &str, value: Option<f64>, status: &str| {
                let value = value.map_or(Value::Null, |value| {
                    let mut part = Map::new();
                    part.insert("value".into(), json::float(value));
                    part.insert("status".into(), status.into());
                    Value::Object(part)
                });
                map.insert(key.into(), value);
            };
            factor("measured_factor", *measured, "measured");
            factor("predicted_factor", *predicted, "predicted");
        }
        Findings::Powers { settled, needed, tangent, quantities, start, burn_in, records } => {
            map.insert("approach".into(), "powers".into());
            map.insert("settled".into(), (*settled).into());
            if let Some(needed) = needed {
                map.insert("needed_steps".into(), json::integer(*needed));
            }
            map.insert("tangent_at_end".into(), json::float(*tangent));
            map.insert("constants".into(), quantities.iter().map(finding).collect());
            if let Some(start) = start {
                let mut part = Map::new();
                part.insert("steps".into(), json::float(start.steps));
                part.insert("excess_at_zero".into(), json::float(start.excess_at_zero));
                part.insert("excess".into(), optional(start.excess));
                part.insert("stated".into(), json::float(start.stated));
                map.insert("stated_start".into(), Value::Object(part));
            }
            if let Some(burn_in) = burn_in {
                let mut part = Map::new();
                part.insert("measured".into(), optional(burn_in.measured));
                part.insert("predicted".into(), json::float(burn_in.predicted));
                part.insert("predicted_within".into(), json::float(burn_in.uncertainty));
                part.insert("stiffness".into(), json::float(burn_in.stiffness));
                map.insert("burn_in".into(), Value::Object(part));
            }
            let records = records.iter().map(|record| {
                let mut row = vec![json::integer(record.t), optional(record.tangent)];
                row.extend(record.values.map(json::float));
                Value::Array(row)
            });
            map.insert("records".into(), records.collect());
        }
    }
    Value::Object(map)
}

fn finding(finding: &Finding) -> Value {
    let mut map = Map::new();
    map.insert("quantity".into(), finding.quantity.key().into());
    map.insert("exact".into(), json::float(finding.exact));
    map.insert("at_end".into(), json::float(finding.at_end));
    map.insert("limit".into(), constant(finding.limit));
    map.insert("power_of_steps".into(), constant(finding.power));
    map.insert("stated".into(), optional(finding.stated));
    let extremes = finding.extremes.map(|ends| ends.map(json::float).to_vec());
    map.insert("over_stated".into(), extremes.map_or(Value::Null, Value::Array));
    Value::Object(map)
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => match text.as_str() {
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            "nan" => Some(f64::NAN),
            _ => None,
        },
        other => other.as_f64(),
    }
}

/// A part that may be null, but not anything else.
fn maybe<T>(value: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    match value {
        None | Some(Value::Null) => Some(None),
        Some(value) => read(value).map(Some),
    }
}

fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn from_json(value: &Value) -> Option<Findings> {
    match value.get("approach")?.as_str()? {
        "geometric" => Some(Findings::Geometric {
            measured: maybe(value.get("measured_factor"), |part| float(part.get("value")?))?,
            predicted: maybe(value.get("predicted_factor"), |part| float(part.get("value")?))?,
        }),
        "powers" => {
            let list = |key: &str| value.get(key)?.as_array();
            let found = list("constants")?.iter().zip(Quantity::ALL);
            let quantities: Vec<Finding> = found
                .map(|(value, quantity)| finding_of(value, quantity))
                .collect::<Option<_>>()?;
            Some(Findings::Powers {
                settled: value.get("settled")?.as_bool()?,
                needed: maybe(value.get("needed_steps"), integer)?,
                tangent: float(value.get("tangent_at_end")?)?,
                quantities: (quantities.len() == 3).then_some(quantities)?,
                start: maybe(value.get("stated_start"), |part| {
                    Some(Start {
                        steps: float(part.get("steps")?)?,
                        excess_at_zero: float(part.get("excess_at_zero")?)?,
                        excess: maybe(part.get("excess"), float)?,
                        stated: float(part.get("stated")?)?,
                    })
                })?,
                burn_in: maybe(value.get("burn_in"), |part| {
                    Some(BurnIn {
                        measured: maybe(part.get("measured"), float)?,
                        predicted: float(part.get("predicted")?)?,
                        uncertainty: float(part.get("predicted_within")?)?,
                        stiffness: float(part.get("stiffness")?)?,
                    })
                })?,
                records: list("records")?.iter().map(record).collect::<Option<_>>()?,
            })
        }
        _ => None,
    }
}

fn finding_of(value: &Value, quantity: Quantity) -> Option<Finding> {
    if value.get("quantity")?.as_str()? != quantity.key() {
        return None;
    }
    let constant = |key: &str| {
        maybe(value.get(key), |part| {
            let (value, uncertainty) = (part.get("value")?, part.get("uncertainty")?);
            Some(Constant { value: float(value)?, uncertainty: float(uncertainty)? })
        })
    };
    Some(Finding {
        quantity,
        exact: float(value.get("exact")?)?,
        at_end: float(value.get("at_end")?)?,
        limit: constant("limit")?,
        power: constant("power_of_steps")?,
        stated: maybe(value.get("stated"), float)?,
        extremes: maybe(value.get("over_stated"), |ends| match ends.as_array()?.as_slice() {
            [low, high] => Some([float(low)?, float(high)?]),
            _ => None,
        })?,
    })
}

fn record(value: &Value) -> Option<Record> {
    let [t, tangent, a, b, c] = value.as_array()?.as_slice() else { return None };
    Some(Record {
        t: integer(t)?,
        tangent: maybe(Some(tangent), float)?,
        values: [float(a)?, float(b)?, float(c)?],
    })
}
