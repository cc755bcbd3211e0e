//! What `popgd ood` found, as CSV.

use crate::error::Failure;
use crate::ood::check::TokenCheck;
use crate::ood::report::Report;
use crate::output::csv;

/// One line a recorded step; of a moment check alone one line a token, or one.
pub(super) fn text(report: &Report) -> Result<String, Failure> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    if !report.rows.is_empty() {
        let header = names(&[
            "t",
            "square_distance",
            "square_distance_error",
            "square_distance_status",
            "gap",
            "gap_error",
            "gap_status",
            "bound",
            "is_below",
            "batch_gap",
        ]);
        let records = report.rows.iter().map(|row| {
            let mut record = vec![row.t.to_string()];
            for figure in [row.square_distance, row.gap] {
                record.extend([
                    csv::float(figure.value),
                    figure.error.map_or(String::new(), csv::float),
                    figure.status().to_owned(),
                ]);
            }
            record.push(csv::float(row.bound));
            record.push(row.is_below().map_or(String::new(), |is_below| is_below.to_string()));
            record.push(row.batch_gap.map_or(String::new(), csv::float));
            record
        });
        return csv::text(&header, records);
    }
    let verdict = report.check.verdict.name().to_owned();
    match &report.check.data {
        Some(data) => {
            let header = names(&[
                "of",
                "token",
                "moment",
                "moment_least",
                "moment_most",
                "tail_index",
                "tail_index_least",
                "tail_index_most",
                "verdict",
            ]);
            let record = |of: &str, at: usize, column: &TokenCheck| {
                let mut record = vec![of.to_owned(), (at + 1).to_string()];
                let moments = [column.moment, column.moment_least, column.moment_most];
                record.extend(moments.map(csv::float));
                record.extend(match column.tail {
                    Some(tail) => [tail.estimate, tail.least, tail.most].map(csv::float),
                    None => Default::default(),
                });
                record.push(verdict.clone());
                record
            };
            let inputs = data.tokens.iter().enumerate();
            let inputs = inputs.map(|(at, column)| record("inputs", at, column));
            let responses = data.responses.iter().enumerate();
            let responses = responses.map(|(at, column)| record("responses", at, column));
            let records = inputs.chain(responses);
            csv::text(&header, records)
        }
        None => {
            let largest = report.check.largest_moment.unwrap_or(f64::INFINITY);
            csv::text(&names(&["moment", "verdict"]), [vec![csv::float(largest), verdict]])
        }
    }
}
