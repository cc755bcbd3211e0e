//! Findings as CSV: a line a claim.

use crate::construct::report::Report;
use crate::error::Failure;
use crate::output::csv;

pub(super) fn text(report: &Report) -> Result<String, Failure> {
    let header = ["claim", "about", "checked", "worst", "at_least", "at_most", "status", "verdict"];
    let records = report.all_claims().into_iter().map(|claim| {
        let least = claim.allowed.0;
        vec![
            claim.name.to_owned(),
            claim.title,
            claim.checked.to_string(),
            csv::float(claim.measured),
            if least == f64::NEG_INFINITY { String::new() } else { csv::float(least) },
            csv::float(claim.allowed.1),
            claim.status.name().to_owned(),
            claim.verdict.name().to_owned(),
        ]
    });
    csv::text(&header.map(str::to_owned), records)
}
