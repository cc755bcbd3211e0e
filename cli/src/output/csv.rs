//! CSV results: one line a record, intervals as two columns.

use crate::error::Failure;
use crate::scalar::Number;
use crate::trajectory::Trajectory;

/// A trajectory. Columns for c1, c2 and c3 are there if the run has them.
///
/// # Errors
/// None in practice: writing to memory.
pub fn trajectory(trajectory: &Trajectory) -> Result<String, Failure> {
    let rows = &trajectory.rows;
    let has = |c: Option<Number>| c.is_some();
    let mut names = vec![];
    if let Some(first) = rows.first() {
        names.extend(has(first.c1).then_some("c1"));
        names.extend(has(first.c2).then_some("c2"));
        names.extend(has(first.c3).then_some("c3"));
    }
    names.extend(["excess_loss", "score_error", "value_error"]);
    let interval = rows.first().is_some_and(|row| {
        matches!(row.excess_loss, Number::Interval { .. } | Number::SingleInterval { .. })
    });

    let mut header = vec!["t".to_owned()];
    for name in names {
        if interval {
            header.extend([format!("{name}_lo"), format!("{name}_hi")]);
        } else {
            header.push(name.to_owned());
        }
    }
    let records = rows.iter().map(|row| {
        let mut record = vec![row.t.to_string()];
        let numbers = [row.c1, row.c2, row.c3].into_iter().flatten();
        for number in numbers.chain([row.excess_loss, row.score_error, row.value_error]) {
            match number {
                Number::Float(value) => record.push(float(value)),
                Number::Single(value) => record.push(single(value)),
                Number::Interval { lo, hi } => record.extend([float(lo), float(hi)]),
                // With the digits of the doubles that they are, see `json::number`.
                Number::SingleInterval { lo, hi } => {
                    record.extend([float(lo.into()), float(hi.into())]);
                }
            }
        }
        record
    });
    text(&header, records)
}

/// A header and its records as text.
///
/// # Errors
/// None in practice: writing to memory.
pub fn text(
    header: &[String],
    records: impl IntoIterator<Item = Vec<String>>,
) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("writing CSV: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(|error| failed(&error))?;
    for record in records {
        writer.write_record(&record).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The shortest digits that give the same bits back.
pub fn float(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

fn single(value: f32) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}
