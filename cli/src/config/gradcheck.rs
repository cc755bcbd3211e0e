//! What `popgd gradcheck` checks, from flags and a file.

use popgd_core::gradient_check::{Encodings, Slope};
use popgd_core::model::teacher::Shape;
use serde_json::{Map, Value};

use super::values::Values;
use super::{Arguments, training};
use crate::error::Failure;
use crate::gradcheck::settings::{Formulas, GradcheckSettings, Proof};
use crate::gradcheck_args::{FORMULAS, POSITIONS, PROOFS};
use crate::number::Exact;

/// Keys that only `gradcheck` has a use for.
pub(super) const KEYS: [&str; 6] = ["positions", "proof", "boxes", "radius", "remainders", "print"];

/// D² trained numbers are checked one by one: beyond this nobody waits for them.
const MAX_SIZE: u64 = 1000;

/// More random boxes or points are a slip of the pen.
const MAX_SAMPLES: u64 = 1_000_000;

/// Every slope at once.
const ANY_SLOPE: &str = "leaky-relu";

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(arguments: &Arguments) -> Result<GradcheckSettings, Failure> {
    let values = arguments.values()?;
    check_sizes(&values)?;
    let tokens = size(&values, "tokens", 3)?;
    let shape = Shape {
        tokens,
        channels: size(&values, "channels", 2)?,
        features: size(&values, "features", 2)?,
    };
    let group = match values.integer("group")? {
        None => None,
        Some(group) => {
            let in_range = usize::try_from(group).ok().filter(|group| (1..=tokens).contains(group));
            let message = || format!("expected 1 to {tokens}, the number of tokens; found {group}");
            Some(in_range.ok_or_else(|| values.fail("group", message()))?)
        }
    };
    let (slope, activation) = slope(&values)?;
    let positions = match values.choice("positions", &POSITIONS)? {
        Some(name) => name,
        // A file for `run` that has a P.
        None if values.has("p") => "general",
        None => "both",
    };
    let proof = values.choice("proof", &PROOFS)?.unwrap_or("auto");
    let boxes = samples(&values, "boxes", 4)?;
    let remainders = samples(&values, "remainders", 8)?;
    if (proof, boxes, remainders) == ("never", 0, 0) {
        let message = "without proofs, boxes and remainders nothing is left to check of the \
                       gradient: leave one of --proof, --boxes and --remainders out";
        return Err(values.fail("proof", message));
    }
    let radius = match values.number("radius")? {
        None => Exact::ratio(1, 1_000_000_000).unwrap_or_else(Exact::zero),
        Some(radius) if radius.is_negative() => {
            let message = format!("expected 0 or more, found {radius}");
            return Err(values.fail("radius", message));
        }
        Some(radius) => radius,
    };
    let seed = values.integer("seed")?.unwrap_or(0);
    let print = values.choice("print", &FORMULAS)?;
    if print.is_some() && values.switch("dry_run")? {
        let message = "formulas are printed without checks, of which --dry-run tells: leave one \
                       of both out";
        return Err(values.fail("print", message));
    }
    if print.is_some() && values.has("format") {
        let message = "formulas are text or latex, which --print chooses: leave --format out";
        return Err(values.fail("format", message));
    }

    let mut echo = Map::new();
    echo.insert("tokens".into(), tokens.into());
    if let Some(group) = group {
        echo.insert("group".into(), group.into());
    }
    echo.insert("channels".into(), shape.channels.into());
    echo.insert("features".into(), shape.features.into());
    echo.insert("activation".into(), activation.into());
    echo.insert("positions".into(), positions.into());
    echo.insert("proof".into(), proof.into());
    echo.insert("boxes".into(), boxes.into());
    echo.insert("radius".into(), super::echo::number(&radius));
    echo.insert("remainders".into(), remainders.into());
    echo.insert("seed".into(), super::echo::integer(seed));
    Ok(GradcheckSettings {
        shape,
        group,
        slope,
        positions: match positions {
            "identity" => vec![Encodings::Identity],
            "general" => vec![Encodings::General],
            _ => vec![Encodings::Identity, Encodings::General],
        },
        proof: match proof {
            "always" => Proof::Always,
            "never" => Proof::Never,
            _ => Proof::Auto,
        },
        boxes,
        radius: radius.to_f64(),
        remainders,
        seed,
        print: print.map(|form| if form == "latex" { Formulas::Latex } else { Formulas::Text }),
        output: super::output(&values)?,
        dry_run: values.switch("dry_run")?,
        echo: Value::Object(echo),
    })
}

/// Refuses keys of a run that determine sizes where the size itself is not given: a default would
/// be another model.
fn check_sizes(values: &Values) -> Result<(), Failure> {
    const OF_TOKENS: &[&str] = &[
        "preset",
        "classes",
        "s",
        "p",
        "partition",
        "edges",
        "adjacency",
        "offsets",
        "kq0",
        "logits",
    ];
    const OF_VALUES: &[&str] = &["preset", "v", "w0"];
    for (size, keys) in [("tokens", OF_TOKENS), ("channels", OF_VALUES), ("features", OF_VALUES)] {
        let determines = keys.iter().find(|key| values.has(key));
        if let (Some(key), false) = (determines, values.has(size)) {
            let message = format!("gradcheck does not take sizes from it: give --{size}");
            return Err(values.fail(key, message));
        }
    }
    Ok(())
}

fn size(values: &Values, key: &str, default: usize) -> Result<usize, Failure> {
    let Some(size) = values.integer(key)? else { return Ok(default) };
    let in_range = (1..=MAX_SIZE).contains(&size).then(|| usize::try_from(size).ok()).flatten();
    in_range.ok_or_else(|| {
        let why = "every trained number is checked by itself";
        values.fail(key, format_args!("expected 1 to {MAX_SIZE}, because {why}; found {size}"))
    })
}

fn samples(values: &Values, key: &str, default: u64) -> Result<u64, Failure> {
    match values.integer(key)? {
        None => Ok(default),
        Some(count) if count <= MAX_SAMPLES => Ok(count),
        Some(count) => {
            let message = format!("expected 0 to {MAX_SAMPLES}, found {count}");
            Err(values.fail(key, message))
        }
    }
}

/// The slope, and the name of the activation that has it.
fn slope(values: &Values) -> Result<(Slope, String), Failure> {
    match values.text("activation")? {
        None => return Ok((Slope::Symbol, ANY_SLOPE.to_owned())),
        Some(text) if text.trim() == ANY_SLOPE => {
            return Ok((Slope::Symbol, ANY_SLOPE.to_owned()));
        }
        Some(_) => {}
    }
    let slope = training::activation(values, ANY_SLOPE)?;
    match slope.to_fraction() {
        Some((numerator, denominator)) => {
            Ok((Slope::Fraction(numerator, denominator), super::echo::activation(&slope)))
        }
        None => {
            let message = format!(
                "the slope {slope} has too many digits for a proof: leave it out (leaky-relu is \
                 every slope), or take a fraction of 64-bit integers"
            );
            Err(values.fail("activation", message))
        }
    }
}
