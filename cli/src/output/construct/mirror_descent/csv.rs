//! The findings as CSV: a line for every sequence.

use crate::construct::mirror_descent::findings::{Findings, Sequence};
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::error::Failure;
use crate::output::csv::{self, float};

const COLUMNS: [&str; 11] = [
    "sequence",
    "length",
    "agrees",
    "difference",
    "next_difference",
    "relative_width",
    "from_bayes",
    "uniform_from_bayes",
    "gain",
    "safe_rate",
    "safe_gain",
];

pub(super) fn text(findings: &Findings) -> Result<String, Failure> {
    let optional = |figure: Option<f64>| figure.map_or(String::new(), float);
    let record = |(number, found): (usize, &Sequence)| {
        vec![
            (number + 1).to_string(),
            found.length.to_string(),
            found.agrees.to_string(),
            float(found.difference),
            float(found.next_difference),
            optional(found.relative_width),
            optional(found.from_bayes),
            optional(found.uniform_from_bayes),
            optional(found.gain),
            optional(found.safe_rate),
            optional(found.safe_gain),
        ]
    };
    csv::text(&COLUMNS.map(str::to_owned), findings.sequences.iter().enumerate().map(record))
}

pub(super) fn plan(settings: &MirrorDescent) -> Result<String, Failure> {
    let entries = settings.echo.as_object().into_iter().flatten();
    let plain = entries.map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        vec![key.clone(), value]
    });
    csv::text(&["key".to_owned(), "value".to_owned()], plain)
}
