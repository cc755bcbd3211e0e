//! Certificates as JSON, and back.

use popgd_core::Interval;
use popgd_core::descent::Quantities;
use popgd_core::descent::forever::Claim;
use popgd_core::descent::forever::recheck::Checkpoint;
use serde_json::{Map, Value};

use super::{Certificate, Enclosed, Findings, Problem, Reading};
use crate::asymptotics::Quantity;
use crate::number::Exact;
use crate::output::json;
use crate::provenance;
use crate::scalar::Number;

/// The certificate as a value.
pub fn to_json(certificate: &Certificate) -> Value {
    let Certificate { problem, checkpoints, contraction, clock, claim, findings } = certificate;
    object([
        ("problem", problem_to_json(problem)),
        ("t0", json::integer(certificate.late())),
        ("lambda", interval(*contraction)),
        ("mu", interval(*clock)),
        ("checkpoints", checkpoints.iter().map(checkpoint_to_json).collect()),
        ("region", object([("x0", json::float(claim.top)), ("lag", interval(claim.lag))])),
        (
            "clocks",
            object([("upper", json::float(claim.upper)), ("lower", json::float(claim.lower))]),
        ),
        (
            "claims",
            object([
                ("status", "proven".into()),
                ("at", findings.at.iter().map(reading_to_json).collect()),
                ("later", quantities(&findings.later)),
                ("limits", quantities(&findings.limits)),
                ("over_stated", quantities(&findings.over_stated)),
            ]),
        ),
    ])
}

/// The key of the hash in a document.
pub const HASH: &str = "certificate_hash";

/// The hash that a document carries: of all of it but the hash itself.
pub fn hash(document: &Map<String, Value>) -> String {
    let mut rest = document.clone();
    rest.remove(HASH);
    provenance::hash(&Value::Object(rest))
}

fn problem_to_json(problem: &Problem) -> Value {
    let exact = |value: &Exact| Value::from(value.to_string());
    object([
        ("tokens", json::integer(problem.tokens)),
        ("group", json::integer(problem.group)),
        ("slope", exact(&problem.slope)),
        ("slope_at_zero", exact(&problem.slope_at_zero)),
        ("square_norm", exact(&problem.square_norm)),
        ("logit_gain", exact(&problem.logit_gain)),
        ("rate", exact(&problem.rate)),
        ("from_zero", problem.from_zero.into()),
    ])
}

fn checkpoint_to_json(checkpoint: &Checkpoint<f64>) -> Value {
    object([
        ("t", json::integer(checkpoint.steps)),
        ("c", interval(checkpoint.c)),
        ("gap", interval(checkpoint.gap)),
    ])
}

/// A reading, as a document has it.
pub fn reading_to_json(reading: &Reading) -> Value {
    let mut map = Map::new();
    map.insert("t".into(), json::integer(reading.steps));
    map.insert("tangent".into(), interval(reading.tangent));
    if let Value::Object(more) = quantities(&reading.quantities) {
        map.extend(more);
    }
    Value::Object(map)
}

fn quantities(of: &Quantities<Enclosed>) -> Value {
    object(Quantity::ALL.map(|quantity| (quantity.key(), interval(quantity.of(of)))))
}

fn interval(value: Enclosed) -> Value {
    json::number(Number::Interval { lo: value.lo(), hi: value.hi() })
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Reads a certificate; what is wrong with it is named by its place.
///
/// # Errors
/// The first thing that is missing or is not what it should be.
pub fn from_json(value: &Value) -> Result<Certificate, String> {
    let certificate = read(value)?;
    if read_integer(value, "t0")? != certificate.late() {
        return Err("`t0`: expected the step of the last checkpoint".to_owned());
    }
    // Nothing may be said that is not checked: it must be written out as it stands.
    match foreign(value, &to_json(&certificate)) {
        Some(place) => Err(format!("{place} is no part of a certificate")),
        None => Ok(certificate),
    }
}

/// Where a value has keys, or words, that another one of the same make has not.
fn foreign(found: &Value, made: &Value) -> Option<String> {
    match (found, made) {
        (Value::Object(found), Value::Object(made)) => found.iter().find_map(|(key, value)| {
            let Some(own) = made.get(key) else { return Some(format!("`{key}`")) };
            foreign(value, own)
        }),
        (Value::Array(found), Value::Array(made)) => {
            found.iter().zip(made).find_map(|(found, made)| foreign(found, made))
        }
        (Value::String(found), Value::String(made)) if Exact::parse(found).is_err() => {
            (found != made).then(|| format!("\"{found}\""))
        }
        _ => None,
    }
}

fn read(value: &Value) -> Result<Certificate, String> {
    let problem = field(value, "problem")?;
    let (region, clocks) = (field(value, "region")?, field(value, "clocks")?);
    let claims = field(value, "claims")?;
    if field(claims, "status")?.as_str() != Some("proven") {
        return Err("`status`: expected \"proven\"".to_owned());
    }
    Ok(Certificate {
        problem: Problem {
            tokens: read_integer(problem, "tokens")?,
            group: read_integer(problem, "group")?,
            slope: read_exact(problem, "slope")?,
            slope_at_zero: read_exact(problem, "slope_at_zero")?,
            square_norm: read_exact(problem, "square_norm")?,
            logit_gain: read_exact(problem, "logit_gain")?,
            rate: read_exact(problem, "rate")?,
            from_zero: field(problem, "from_zero")?
                .as_bool()
                .ok_or("`from_zero`: expected true or false")?,
        },
        checkpoints: list(value, "checkpoints")?
            .iter()
            .map(|item| {
                Ok(Checkpoint {
                    steps: read_integer(item, "t")?,
                    c: read_interval(item, "c")?,
                    gap: read_interval(item, "gap")?,
                })
            })
            .collect::<Result<_, String>>()?,
        contraction: read_interval(value, "lambda")?,
        clock: read_interval(value, "mu")?,
        claim: Claim {
            top: read_float(region, "x0")?,
            lag: read_interval(region, "lag")?,
            upper: read_float(clocks, "upper")?,
            lower: read_float(clocks, "lower")?,
        },
        findings: Findings {
            at: list(claims, "at")?
                .iter()
                .map(|item| {
                    Ok(Reading {
                        steps: read_integer(item, "t")?,
                        tangent: read_interval(item, "tangent")?,
                        quantities: read_quantities(item)?,
                    })
                })
                .collect::<Result<_, String>>()?,
            later: read_quantities(field(claims, "later")?)?,
            limits: read_quantities(field(claims, "limits")?)?,
            over_stated: read_quantities(field(claims, "over_stated")?)?,
        },
    })
}

fn field<'v>(value: &'v Value, key: &str) -> Result<&'v Value, String> {
    value.get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>, String> {
    field(value, key)?.as_array().ok_or_else(|| format!("`{key}`: expected a list"))
}

/// A number as it stands in JSON, as text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn read_exact(value: &Value, key: &str) -> Result<Exact, String> {
    let text = text_of(field(value, key)?).ok_or_else(|| format!("`{key}`: expected a number"))?;
    Exact::parse(&text).map_err(|error| format!("`{key}`: {error}"))
}

fn read_integer(value: &Value, key: &str) -> Result<u64, String> {
    let text = text_of(field(value, key)?).ok_or_else(|| format!("`{key}`: expected a number"))?;
    Exact::parse_integer(&text).map_err(|error| format!("`{key}`: {error}"))
}

fn read_float(value: &Value, key: &str) -> Result<f64, String> {
    let text = text_of(field(value, key)?);
    let float = text.and_then(|text| text.parse().ok()).filter(|x: &f64| x.is_finite());
    float.ok_or_else(|| format!("`{key}`: expected a finite number"))
}

fn read_interval(value: &Value, key: &str) -> Result<Enclosed, String> {
    let ends = field(value, key)?;
    let place = |error: String| format!("`{key}`: {error}");
    let (lo, hi) = (read_float(ends, "lo").map_err(place)?, read_float(ends, "hi").map_err(place)?);
    Interval::new(lo, hi).ok_or_else(|| format!("`{key}`: expected lo ≤ hi"))
}

fn read_quantities(value: &Value) -> Result<Quantities<Enclosed>, String> {
    let [excess_loss, score_error, value_error] =
        ["excess_loss", "score_error", "value_error"].map(|key| read_interval(value, key));
    Ok(Quantities {
        excess_loss: excess_loss?,
        score_error: score_error?,
        value_error: value_error?,
    })
}
