//! Findings for people.

use crate::construct::report::{Claim, Report, Verdict};
use crate::output::digits::{column, grouped, ratio, short};
use crate::output::style::Style;
use crate::output::table;
use crate::settings::OutputSettings;

pub(super) fn text(output: &OutputSettings, report: &Report) -> String {
    let style = Style::for_results(output);
    let mut text = format!("{}\n", style.bold(&style.prose(&report.title)));
    text.push_str(&format!("{}\n", style.prose(&report.subtitle)));
    let rows = report.claims.iter().map(row);
    text.push_str(&format!("\n{}", with_verdicts(style, "", rows)));
    let orders: Vec<Claim> = report.all_claims().split_off(report.claims.len());
    if !orders.is_empty() {
        let rows = orders.iter().map(|claim| {
            let mut row = row(claim);
            row[2] = ratio(claim.measured);
            row[3] = format!("{} … {}", ratio(claim.allowed.0), ratio(claim.allowed.1));
            row
        });
        text.push_str(&format!("\n{}", with_verdicts(style, "Orders", rows)));
    }
    if let Some(finished) = report.stopped {
        text.push_str(&format!("\nInterrupted after {} instances.\n", grouped(finished)));
    }
    for answer in &report.answers {
        text.push_str(&format!("\n{}\n", style.bold(&answer.title)));
        let numbers: Vec<_> = answer.numbers.iter().copied().map(Some).collect();
        let rows = column(&numbers)
            .into_iter()
            .enumerate()
            .map(|(at, number)| vec![(at + 1).to_string(), number]);
        text.push_str(&table::text(&table::table(&["", &answer.name], rows)));
    }
    text
}

fn row(claim: &Claim) -> Vec<String> {
    let (least, most) = claim.allowed;
    let allowed = match (least == f64::NEG_INFINITY, most == f64::INFINITY) {
        (true, true) => "–".to_owned(),
        (true, _) => format!("≤ {}", short(most)),
        (_, true) => format!("≥ {}", short(least)),
        _ => format!("{} … {}", short(least), short(most)),
    };
    vec![
        claim.title.clone(),
        grouped(claim.checked),
        format!("{:.3e}", claim.measured),
        allowed,
        match claim.verdict {
            Verdict::Holds => claim.status.name().to_owned(),
            other => other.name().to_owned(),
        },
    ]
}

/// The verdict at the end of every line, in colour, after the layout, which does not know of it.
fn with_verdicts(style: Style, head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let heads = [head, "checked", "worst", "allowed", "verdict"];
    let mut table = table::table(&heads, rows);
    if let Some(last) = table.column_mut(heads.len() - 1) {
        last.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    let coloured = |line: &str| match line.rsplit_once(' ') {
        Some((front, word @ ("proven" | "measured"))) => format!("{front} {}\n", style.good(word)),
        Some((front, word @ "fails")) => format!("{front} {}\n", style.bad(word)),
        Some((front, word @ "open")) => format!("{front} {}\n", style.open(word)),
        _ => format!("{line}\n"),
    };
    table::text(&table).lines().map(coloured).collect()
}
