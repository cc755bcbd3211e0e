//! One run of a sweep, self-contained: a line of JSON that any machine can compute.

use popgd_core::theory::exponents::Variable;
use serde_json::{Map, Value};

use crate::config::sweep::{Axis, key, name};
use crate::config::{self, Arguments, CommandKind};
use crate::error::Failure;
use crate::number::Exact;
use crate::output::json;
use crate::provenance::{self, SCHEMA, VERSION};
use crate::settings::Settings;

/// What all jobs of a sweep have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// A hash of all configurations in their order: jobs of one sweep know each other by it.
    pub plan: String,
    /// How many jobs there are.
    pub jobs: usize,
    /// What is varied.
    pub axes: Vec<Axis>,
    /// Every combination, or one variable at a time.
    pub product: bool,
}

impl Sweep {
    /// Of these configurations.
    pub fn of(
        axes: &[Axis],
        product: bool,
        resolved: &[(Vec<(Variable, Exact)>, Settings)],
    ) -> Self {
        let configs: Vec<Value> =
            resolved.iter().map(|(_, settings)| settings.echo.clone()).collect();
        let mut all = axes_to_json(axes, product);
        all.insert("configs".into(), Value::Array(configs));
        let plan = provenance::hash(&Value::Object(all));
        Self { plan, jobs: resolved.len(), axes: axes.to_vec(), product }
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Which of the sweep's.
    pub index: usize,
    /// The sweep.
    pub sweep: Sweep,
    /// The values of what is varied.
    pub point: Vec<(Variable, Exact)>,
    /// The whole configuration.
    pub settings: Settings,
}

impl Job {
    /// The job as a line of JSON has it.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("schema".into(), SCHEMA.into());
        map.insert("popgd".into(), VERSION.into());
        map.insert("job".into(), self.index.into());
        map.insert("jobs".into(), self.sweep.jobs.into());
        map.insert("plan".into(), self.sweep.plan.clone().into());
        map.insert(
            "sweep".into(),
            Value::Object(axes_to_json(&self.sweep.axes, self.sweep.product)),
        );
        map.insert("point".into(), Value::Object(point_to_json(&self.point)));
        map.insert("config".into(), self.settings.echo.clone());
        map
    }

    /// Reads a job, or a result, which has the same parts.
    ///
    /// # Errors
    /// What is wrong with it, without the place where it stands.
    pub fn from_json(value: &Value) -> Result<Self, Failure> {
        let missing = |what: &str| {
            Failure::usage(format!(
                "not a job of `popgd rates --plan`, nor a result of one: {what} is missing or wrong"
            ))
        };
        if value.get("schema").and_then(Value::as_u64) != Some(SCHEMA) {
            return Err(missing("`schema` 1"));
        }
        let version = value.get("popgd").and_then(Value::as_str).unwrap_or("none");
        if version != VERSION {
            return Err(Failure::usage(format!(
                "made by popgd {version}, and this is {VERSION}: plan the sweep anew, so that all \
                 its runs are of one version"
            )));
        }
        let count = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
                .ok_or_else(|| missing(&format!("`{key}`")))
        };
        let (index, jobs) = (count("job")?, count("jobs")?);
        let plan = value.get("plan").and_then(Value::as_str).ok_or_else(|| missing("`plan`"))?;
        let sweep = value.get("sweep").ok_or_else(|| missing("`sweep`"))?;
        let (axes, product) = axes_from_json(sweep).ok_or_else(|| missing("`sweep`"))?;
        let point = value.get("point").and_then(point_from_json);
        let config = value.get("config").ok_or_else(|| missing("`config`"))?;
        let (settings, _) = config::resolve(CommandKind::Rates, Arguments::of_echo(config)?)?;
        Ok(Self {
            index,
            sweep: Sweep { plan: plan.to_owned(), jobs, axes, product },
            point: point.ok_or_else(|| missing("`point`"))?,
            settings,
        })
    }
}

/// A point in words: `tokens = 256, rate = 0.1`.
pub fn shown(point: &[(Variable, Exact)]) -> String {
    let parts: Vec<_> =
        point.iter().map(|(variable, value)| format!("{} = {value}", name(*variable))).collect();
    parts.join(", ")
}

/// A point as JSON: numbers stay exact, as texts.
pub fn point_to_json(point: &[(Variable, Exact)]) -> Map<String, Value> {
    point
        .iter()
        .map(|(variable, value)| (key(*variable).to_owned(), value.to_string().into()))
        .collect()
}

fn variable(name: &str) -> Option<Variable> {
    Variable::ALL.into_iter().find(|&variable| key(variable) == name)
}

fn exact(value: &Value) -> Option<Exact> {
    Exact::parse(value.as_str()?).ok()
}

fn point_from_json(value: &Value) -> Option<Vec<(Variable, Exact)>> {
    let map = value.as_object()?;
    map.iter().map(|(name, value)| Some((variable(name)?, exact(value)?))).collect()
}

/// What is varied, as JSON.
pub fn axes_to_json(axes: &[Axis], product: bool) -> Map<String, Value> {
    let axes = axes.iter().map(|axis| {
        let values = axis.values.iter().map(|value| Value::from(value.to_string())).collect();
        let mut map = Map::new();
        map.insert("variable".into(), key(axis.variable).into());
        map.insert("values".into(), Value::Array(values));
        Value::Object(map)
    });
    let mut map = Map::new();
    map.insert("axes".into(), axes.collect());
    map.insert("product".into(), product.into());
    map
}

fn axes_from_json(value: &Value) -> Option<(Vec<Axis>, bool)> {
    let axes = value.get("axes")?.as_array()?.iter().map(|axis| {
        let values = axis.get("values")?.as_array()?.iter().map(exact).collect::<Option<_>>()?;
        Some(Axis { variable: variable(axis.get("variable")?.as_str()?)?, values })
    });
    Some((axes.collect::<Option<_>>()?, value.get("product")?.as_bool()?))
}

/// One line of JSON.
pub fn line(map: Map<String, Value>) -> String {
    format!("{}\n", Value::Object(map))
}

/// A float of results that may be missing.
pub fn optional(value: Option<f64>) -> Value {
    value.map_or(Value::Null, json::float)
}
