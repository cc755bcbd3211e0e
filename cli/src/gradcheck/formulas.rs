//! Loss and gradient of descent, printed.

use popgd_core::gradient_check::{Coded, exact};

use super::settings::{Formulas, GradcheckSettings};
use super::{out_of_order, report};
use crate::error::Failure;

const LEGEND: &str = "\
w is W_V, q is W_KQ, v is V*, p is P, each by row and column; s is S* (s12: token 1, query 2);
tau is the temperature, slope that of the activation below 0. L is the excess loss, dw11 its
derivative by w11 as descent computes it; t1, t2, ... are what the formulas share.";

const PREFIXES: &str = "These have an i before them where P = I, a g for any P: iL and gL.";

/// Loss and gradient of descent as formulas, after a legend in comments; as LaTeX in one
/// environment.
///
/// # Errors
/// None in practice: sizes are checked.
pub fn text(settings: &GradcheckSettings) -> Result<String, Failure> {
    const BEGIN: &str = "\\begin{aligned}\n";
    const END: &str = "\\end{aligned}";
    let latex = settings.print == Some(Formulas::Latex);
    let comment = if latex { '%' } else { '#' };
    // A single token has the score 1 whatever its position.
    let alone = settings.shape.tokens == 1;
    let blocks = if alone { settings.positions.get(..1) } else { None };
    let blocks = blocks.unwrap_or(&settings.positions);
    let several = blocks.len() > 1;
    let mut text = String::new();
    for line in LEGEND.lines().chain(several.then_some(PREFIXES)) {
        text.push_str(&format!("{comment} {line}\n"));
    }
    text.push_str(if latex { BEGIN } else { "" });
    for &encodings in blocks {
        let words = report::positions(encodings);
        let prefix = if several { words.prefix } else { "" };
        let mut place = words.formula;
        if alone && settings.positions.len() > 1 {
            place = "P = I or any other, which is the same for a single token";
        }
        text.push_str(&format!("{comment} Positions: {place}.\n"));
        if several && latex {
            text.push_str(&format!("& \\text{{Positions: }} {} \\\\\n", words.latex));
        }
        let listing = exact::with_formulas(&settings.case(encodings), &Coded, prefix, |listing| {
            if latex { format!("{listing:#}") } else { listing.to_string() }
        });
        let listing = listing.map_err(out_of_order)?;
        let body = listing.strip_prefix(BEGIN).and_then(|body| body.strip_suffix(END));
        text.push_str(body.unwrap_or(&listing));
    }
    if latex {
        text.push_str(&format!("{END}\n"));
    }
    Ok(text)
}
