//! Prints loss and gradient as formulas, one definition to a line.
//!
//! `cargo run --features symbolic --example formulas -- M d D SLOPE POSITIONS [latex]`, with SLOPE
//! `symbol` or a fraction such as `0/1`, and POSITIONS `identity` or `general`. The symbols are
//! those of `Case::inputs`; `L` is the loss, `dw12` its derivative with respect to `w12`.

use std::process::ExitCode;

use popgd_core::gradient_check::{Case, Coded, Encodings, Slope, exact};
use popgd_core::model::teacher::Shape;

fn case(arguments: &[String]) -> Option<Case> {
    let [channels, features, tokens, slope, positions, ..] = arguments else { return None };
    let shape = Shape {
        channels: channels.parse().ok()?,
        features: features.parse().ok()?,
        tokens: tokens.parse().ok()?,
    };
    let slope = match slope.split_once('/') {
        None if slope == "symbol" => Slope::Symbol,
        None => return None,
        Some((numerator, denominator)) => {
            Slope::Fraction(numerator.parse().ok()?, denominator.parse().ok()?)
        }
    };
    let encodings = match positions.as_str() {
        "identity" => Encodings::Identity,
        "general" => Encodings::General,
        _ => return None,
    };
    Some(Case { shape, slope, encodings })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(case) = case(&arguments) else {
        eprintln!("usage: formulas M d D (symbol|A/B) (identity|general) [latex]");
        return ExitCode::from(2);
    };
    let latex = arguments.get(5).is_some_and(|style| style == "latex");
    let printed = exact::with_formulas(&case, &Coded, |listing| {
        if latex { println!("{listing:#}") } else { print!("{listing}") }
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
