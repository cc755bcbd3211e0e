//! Tables for people.

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::output::digits::{column, grouped};
use crate::output::style::Style;
use crate::output::words;
use crate::scalar::Number;
use crate::settings::{ModelSettings, ScalarKind};
use crate::trajectory::{Row, Trajectory};

/// Columns apart by space alone, and a rule below the heads.
const PLAIN: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

/// A table with these heads, all columns but the first aligned to the right.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(PLAIN).set_header(heads.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for index in 1..heads.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The text of a table, without spaces at line ends.
pub fn text(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The configuration in words.
pub fn heading(model: &ModelSettings, style: Style) -> String {
    heading_of(model, &words::computation(model), style)
}

/// The same for what is computed in another way.
pub fn heading_of(model: &ModelSettings, computation: &str, style: Style) -> String {
    let head = style.bold(&style.prose(&words::teacher(model)));
    let training = style.prose(&words::training(model));
    let computation = style.dim(&style.prose(computation));
    format!("{head}\n{training}\n{computation}\n")
}

/// A trajectory below its configuration.
pub fn trajectory(model: &ModelSettings, trajectory: &Trajectory, style: Style) -> String {
    let rows = &trajectory.rows;
    let mut heads = vec!["T"];
    let mut columns = vec![rows.iter().map(|row| grouped(row.t)).collect()];
    let mut add = |head, read: fn(&Row) -> Option<Number>| {
        let numbers: Vec<_> = rows.iter().map(read).collect();
        if numbers.iter().any(Option::is_some) {
            heads.push(head);
            columns.push(column(&numbers));
        }
    };
    add("C1", |row| row.c1);
    add("C2", |row| row.c2);
    add("C3", |row| row.c3);
    add("excess loss", |row| Some(row.excess_loss));
    add("score error", |row| Some(row.score_error));
    add("value error", |row| Some(row.value_error));

    let lines = (0..rows.len()).map(|at| {
        columns.iter().filter_map(|column: &Vec<String>| column.get(at).cloned()).collect()
    });
    let mut table = table(&heads, lines);
    if let Some(first) = table.column_mut(0) {
        first.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{}\n{}", heading(model, style), self::text(&table));
    if matches!(model.scalar, ScalarKind::Interval32 | ScalarKind::Interval64) {
        text.push_str(&style.dim("Two lines a figure: its lower and its upper end.\n"));
    }
    text
}
