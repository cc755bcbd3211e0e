//! What `popgd construct` builds, from flags and a file: what all constructions share. Each
//! construction has a module of its own.

pub mod attention_operator;
pub mod mirror_descent;
pub mod normalized_gd;

use serde_json::{Map, Value};

use super::values::Values;
use super::{Arguments, echo};
use crate::cli::{self, CommonArgs};
use crate::construct::settings::Shared;
use crate::construct_args::{Construction, SharedArgs};
use crate::error::Failure;
use crate::number::Exact;
use crate::settings::ScalarKind;

/// Keys that only `construct` has a use for.
pub(super) const KEYS: [&str; 14] = [
    "instances",
    "samples",
    "labelled",
    "train",
    "atoms",
    "prompts",
    "rank",
    "alphabet",
    "order",
    "length",
    "concentration",
    "transitions",
    "sequences",
    "mask_strength",
];

/// Keys that all constructions have.
const SHARED: [&str; 9] =
    ["seed", "instances", "scalar", "format", "output", "plot", "dry_run", "quiet", "color"];

/// More instances are a slip of the pen.
const MAX_INSTANCES: u64 = 1_000_000;

impl Arguments {
    /// Of `construct`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_construct(common: &CommonArgs, args: &Construction) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        match args {
            Construction::MirrorDescent(args) => mirror_descent::flags(&mut arguments, args)?,
            Construction::NormalizedGd(args) => normalized_gd::flags(&mut arguments, args)?,
            Construction::AttentionOperator(args) => {
                attention_operator::flags(&mut arguments, args)?;
            }
        }
        Ok(arguments)
    }

    /// The flags that all constructions have.
    fn shared(&mut self, args: &SharedArgs) -> Result<(), Failure> {
        let SharedArgs { config, dry_run, seed, instances, scalar, format, output, plot } = args;
        self.file(config.as_deref())?;
        self.switch("dry_run", *dry_run);
        for (key, value) in
            [("seed", seed), ("instances", instances), ("scalar", scalar), ("format", format)]
        {
            self.text(key, value.as_deref());
        }
        self.path("output", output.as_deref())?;
        self.path("plot", plot.as_deref())
    }
}

/// What all constructions have, every default filled in; `own` are the further keys of this one.
/// The configuration's echo begins with its seed, instances and scalar.
fn shared(
    values: &mut Values,
    command: &str,
    own: &[&str],
    default_instances: u64,
) -> Result<(Shared, Map<String, Value>), Failure> {
    if let Some(key) = values.keys().find(|key| !SHARED.contains(key) && !own.contains(key)) {
        let message = format!("`popgd construct {command}` has no use for it: leave it out");
        return Err(values.fail(key, message));
    }
    let scalar = match values.choice("scalar", &cli::SCALARS)? {
        Some("f32") => ScalarKind::F32,
        Some("interval32") => ScalarKind::Interval32,
        Some("interval64") => ScalarKind::Interval64,
        _ => ScalarKind::F64,
    };
    values.set_scalar(scalar);
    let instances = in_range(values, "instances", default_instances, 1..=MAX_INSTANCES)?;
    let shared = Shared {
        seed: values.integer("seed")?.unwrap_or(0),
        instances,
        scalar,
        output: super::output(values)?,
        dry_run: values.switch("dry_run")?,
    };
    let mut echo = Map::new();
    echo.insert("seed".into(), echo::integer(shared.seed));
    echo.insert("instances".into(), shared.instances.into());
    echo.insert("scalar".into(), crate::provenance::scalar_name(scalar).into());
    Ok((shared, echo))
}

/// An exact number as it stands in a configuration.
pub(crate) fn echoed(value: &Exact) -> Value {
    echo::number(value)
}

/// Refuses data whose squares do not fit the type: R² is that of the longest vector.
fn check_size(square: &Exact, scalar: ScalarKind, what: &str) -> Result<(), Failure> {
    let (least, most) = match scalar {
        ScalarKind::F64 | ScalarKind::Interval64 => (1e-280, 1e300),
        ScalarKind::F32 | ScalarKind::Interval32 => (1e-30, 1e36),
    };
    let size = square.to_f64();
    let (kind, way) = match () {
        () if size > most => ("large", "down"),
        () if size < least && !square.is_zero() => ("small", "up"),
        () => return Ok(()),
    };
    Err(Failure::NotFinite(format!(
        "squares of {what} that {kind} have no place in this type: scale the {what} {way}"
    )))
}

/// An integer within a range.
fn in_range(
    values: &Values,
    key: &str,
    default: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, Failure> {
    match values.integer(key)? {
        None => Ok(default),
        Some(value) if range.contains(&value) => Ok(value),
        Some(value) => {
            let (least, most) = (range.start(), range.end());
            Err(values.fail(key, format_args!("expected {least} to {most}, found {value}")))
        }
    }
}
