//! The report for people.

use popgd_core::gradient_check::claim::Claim;
use popgd_core::gradient_check::exact::{self, EntryProof};

use super::{heading, json::block_name, overall, word};
use crate::dry_run::duration;
use crate::gradcheck::report::{
    Check, Enclosed, EntryFindings, GradientFindings, Order, Report, Topic, Verdict, positions,
};
use crate::gradcheck::settings::{GradcheckSettings, Proof};
use crate::output::digits::{ratio, short};
use crate::output::style::Style;
use crate::output::style::wrapped;
use crate::output::table;

/// With more trained numbers than these a table has one line a matrix.
const MANY: usize = 40;

pub(super) fn text(settings: &GradcheckSettings, report: &Report) -> String {
    let style = Style::for_results(&settings.output);
    let mut text = format!("{}\n", style.bold(&style.prose(&heading(settings))));
    for found in &report.gradients {
        let title = format!(
            "Coded gradient less derivative of the loss, {}",
            positions(found.encodings).formula
        );
        text.push_str(&format!("\n{}\n", style.bold(&title)));
        text.push_str(&coloured(&entries(found), style));
        if let Some(seconds) = found.proof_left_out {
            text.push_str(&style.open(&format!("{}\n", left_out(settings, seconds))));
        }
    }
    let about = explanation(settings, report);
    if !about.is_empty() {
        text.push_str(&style.dim(&format!("{}\n", wrapped(&about, 80))));
    }
    let orders: Vec<_> = report
        .gradients
        .iter()
        .flat_map(|found| found.orders.iter().map(move |order| (Some(found.encodings), order)))
        .chain(report.lumped_order.iter().map(|order| (None, order)))
        .map(|(encodings, order)| {
            let place = encodings.map_or(String::new(), |e| format!("{}, ", positions(e).formula));
            (format!("{place}{}", order.block), order)
        })
        .collect();
    if !orders.is_empty() {
        text.push_str(&format!("\n{}\n", style.bold("Order of the Taylor remainder (f64)")));
        text.push_str(&coloured(&order_table(&orders), style));
        text.push_str(&style.dim("2 if the gradient is right, 1 if it is wrong; measured.\n"));
    }
    if !report.lumped.is_empty() {
        text.push_str(&format!("\n{}\n", style.bold("Lumped step less derivative of its loss")));
        text.push_str(&coloured(&lumped_table(&report.lumped), style));
    }
    if !report.claims.is_empty() {
        let proven = all_proven(report.claims.iter().map(|(_, claim)| claim.verdict));
        let title = if proven { "Steps, for all numbers" } else { "Steps" };
        text.push_str(&format!("\n{}\n", style.bold(title)));
        text.push_str(&coloured(&claim_table(settings, &report.claims), style));
    }
    if report.claims_left_out {
        let text_of = "Without the proof of the gradient those of dense steps and symmetries at \
                       this size are left out too.";
        text.push_str(&style.open(&format!("{}\n", wrapped(text_of, 80))));
    }
    if let Some(seconds) = report.comparison_left_out {
        let text_of = format!(
            "Lumped and dense steps are not compared: at this size that would take about {}. Give \
             --proof always to compare them all the same.",
            duration(seconds)
        );
        text.push_str(&style.open(&format!("{}\n", wrapped(&text_of, 80))));
    }
    text.push_str(&format!("\n{}\n", conclusion(report, style)));
    text
}

fn all_proven(verdicts: impl IntoIterator<Item = exact::Verdict>) -> bool {
    verdicts.into_iter().all(|verdict| verdict == exact::Verdict::Proven)
}

/// What the verdicts on entries mean, as far as there are such.
fn explanation(settings: &GradcheckSettings, report: &Report) -> String {
    let entries = || report.gradients.iter().flat_map(|found| &found.entries);
    let mut proofs = entries().filter_map(|entry| entry.proof).peekable();
    let mut sentences = Vec::new();
    if proofs.peek().is_some() && all_proven(proofs.map(|proof| proof.verdict)) {
        sentences.push("Proof: the difference is 0 for all numbers.".to_owned());
    }
    if entries().any(|entry| entry.enclosed.is_some()) {
        sentences.push(format!(
            "Enclosed: at most so large at any point of {} random boxes of radius {}.",
            settings.boxes,
            short(settings.radius)
        ));
    }
    sentences.join(" ")
}

fn left_out(settings: &GradcheckSettings, seconds: f64) -> String {
    let text = match settings.proof {
        Proof::Never => "Not proven, as asked.".to_owned(),
        _ => format!(
            "Not proven: at this size that would take about {}. Give --proof always to prove it \
             all the same, or take fewer --tokens, --channels or --features.",
            duration(seconds)
        ),
    };
    wrapped(&text, 80)
}

fn conclusion(report: &Report, style: Style) -> String {
    match overall(report) {
        "proven" => style.good("Proven: the coded gradient is the derivative of the coded loss."),
        "consistent" => style.good("Consistent: nothing speaks against the coded gradient."),
        "refuted" => style.bad("Refuted: see the lines above."),
        _ => style.open("Undecided: see the lines above."),
    }
}

/// Verdicts in colour, after the layout, which does not know of it.
fn coloured(text: &str, style: Style) -> String {
    let of_line = |line: &str| {
        for (words, colour) in [
            (
                ["proven", "consistent", "right"].as_slice(),
                Style::good as fn(Style, &str) -> String,
            ),
            (["refuted", "wrong"].as_slice(), Style::bad),
            (["undecided"].as_slice(), Style::open),
        ] {
            for &word in words {
                if let Some(front) = line.strip_suffix(word) {
                    return format!("{front}{}\n", colour(style, word));
                }
            }
        }
        format!("{line}\n")
    };
    text.lines()
        .enumerate()
        .map(|(at, line)| if at < 2 { format!("{line}\n") } else { of_line(line) })
        .collect()
}

/// Left, with the verdict in words at the end of every line.
fn with_verdicts(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = table::table(heads, rows);
    if let Some(column) = heads.len().checked_sub(1).and_then(|last| table.column_mut(last)) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    table::text(&table)
}

fn entries(found: &GradientFindings) -> String {
    let proofs = found.entries.iter().any(|entry| entry.proof.is_some());
    let boxes = found.entries.iter().any(|entry| entry.enclosed.is_some());
    let mut heads = vec![""];
    if proofs {
        heads.extend(["operations", "terms"]);
    }
    if boxes {
        heads.push("enclosed");
    }
    heads.push("verdict");
    let rows = if found.entries.len() > MANY { by_block(found) } else { one_by_one(found) };
    let rows = rows.into_iter().map(|(name, proof, boxes_of, verdict)| {
        let mut row = vec![name];
        if proofs {
            let numbers =
                proof.map(|(operations, terms)| [operations, terms].map(|n| n.to_string()));
            row.extend(numbers.unwrap_or(["–".to_owned(), "–".to_owned()]));
        }
        if boxes {
            row.push(boxes_of.map_or("–".to_owned(), |size| format!("{size:.1e}")));
        }
        row.push(verdict.to_owned());
        row
    });
    with_verdicts(&heads, rows)
}

type EntryRow = (String, Option<(usize, usize)>, Option<f64>, &'static str);

fn one_by_one(found: &GradientFindings) -> Vec<EntryRow> {
    let row = |entry: &EntryFindings| {
        let work = |proof: &EntryProof| (proof.operations, proof.terms);
        let name = entry.entry.to_string();
        (name, entry.proof.as_ref().map(work), most(entry), verdict_of([entry]))
    };
    found.entries.iter().map(row).collect()
}

fn by_block(found: &GradientFindings) -> Vec<EntryRow> {
    let blocks = found.entries.chunk_by(|a, b| a.entry.block == b.entry.block);
    let row = |entries: &[EntryFindings]| {
        let block = entries.first().map_or("", |entry| block_name(entry.entry.block));
        let proofs = || entries.iter().filter_map(|entry| entry.proof.as_ref());
        let work = proofs().map(|proof| proof.operations).max();
        let work = work.zip(proofs().map(|proof| proof.terms).max());
        let widest = entries.iter().filter_map(most).reduce(f64::max);
        (format!("{block}, {} entries", entries.len()), work, widest, verdict_of(entries))
    };
    blocks.map(row).collect()
}

fn most(entry: &EntryFindings) -> Option<f64> {
    entry.enclosed.map(|Enclosed { difference_at_most, .. }| difference_at_most)
}

/// The worst of all, or the strongest that all have.
fn verdict_of<'a>(entries: impl IntoIterator<Item = &'a EntryFindings>) -> &'static str {
    let (mut worst, mut proven) = (Verdict::Agrees, true);
    for entry in entries {
        let proof = entry.proof.as_ref().map(|proof| Verdict::from(&proof.verdict));
        proven &= proof.is_some();
        let boxes = entry.enclosed.map(|boxes| boxes.verdict).filter(|_| !entry.is_settled());
        worst = proof.into_iter().chain(boxes).fold(worst, Verdict::max);
    }
    word(if proven { Check::Proof } else { Check::Enclosure }, worst)
}

fn order_table(orders: &[(String, &Order)]) -> String {
    let rows = orders.iter().map(|(name, order)| {
        vec![
            name.clone(),
            order.order.map_or("–".to_owned(), ratio),
            order.right.to_string(),
            order.wrong.to_string(),
            order.silent.to_string(),
            word(Check::Remainder, order.verdict()).to_owned(),
        ]
    });
    with_verdicts(&["moving", "order", "right", "wrong", "silent", "verdict"], rows)
}

fn lumped_table(lumped: &[(String, Enclosed)]) -> String {
    let rows = lumped.iter().map(|(name, found)| {
        let verdict = word(Check::Enclosure, found.verdict).to_owned();
        vec![format!("step of {name}"), format!("{:.1e}", found.difference_at_most), verdict]
    });
    with_verdicts(&["", "enclosed", "verdict"], rows)
}

/// Claims for many sizes are one line, unless one of them is not proven.
fn claim_table(settings: &GradcheckSettings, claims: &[(Topic, Claim)]) -> String {
    let is_proven = |claim: &Claim| Verdict::from(&claim.verdict) == Verdict::Agrees;
    let row = |name: String, claim: &Claim| {
        vec![
            name,
            claim.formulas.to_string(),
            claim.operations.to_string(),
            claim.terms.to_string(),
            word(Check::Proof, (&claim.verdict).into()).to_owned(),
        ]
    };
    let mut rows = Vec::new();
    let mut same: Option<Claim> = None;
    for (topic, claim) in claims {
        match topic {
            Topic::LumpedIsDense if settings.group.is_none() && is_proven(claim) => {
                let all = same.get_or_insert_with(|| Claim {
                    name: "lumped = dense, every 1 ≤ K ≤ D ≤ 6".to_owned(),
                    formulas: 0,
                    ..claim.clone()
                });
                all.formulas += claim.formulas;
                all.operations = all.operations.max(claim.operations);
                all.terms = all.terms.max(claim.terms);
            }
            Topic::DenseStep(encodings) => {
                rows.push(row(format!("{}, {}", claim.name, positions(*encodings).formula), claim));
            }
            _ => rows.push(row(claim.name.clone(), claim)),
        }
    }
    if let Some(all) = same {
        rows.push(row(all.name.clone(), &all));
    }
    with_verdicts(&["", "formulas", "operations", "terms", "verdict"], rows)
}
