//! The report as CSV: a line for every trained number and check, and for every claim.

use popgd_core::gradient_check::exact;

use super::{kind, topic, word};
use crate::error::Failure;
use crate::gradcheck::report::{Check, Enclosed, Order, Report, Topic, Verdict, size};
use crate::output::csv::{self, float};

const COLUMNS: [&str; 11] = [
    "about",
    "positions",
    "of",
    "check",
    "verdict",
    "status",
    "operations",
    "terms",
    "order",
    "difference_at_least",
    "difference_at_most",
];

/// A line; figures that a check does not have are empty.
struct Line<'a> {
    about: &'a str,
    positions: &'a str,
    of: String,
    check: Check,
    verdict: Verdict,
    figures: [String; 5],
}

impl Line<'_> {
    fn record(self) -> Vec<String> {
        let status = match (self.check, self.verdict) {
            (_, Verdict::Undecided) => "",
            (Check::Remainder, Verdict::Agrees) => "measured",
            // The bounds are proven, not that both are equal.
            (Check::Enclosure, Verdict::Agrees) => "",
            _ => "proven",
        };
        let check = match self.check {
            Check::Proof => "proof",
            Check::Enclosure => "enclosure",
            Check::Remainder => "remainder",
        };
        let verdict = word(self.check, self.verdict);
        let mut record = vec![self.about.to_owned(), self.positions.to_owned(), self.of];
        record.extend([check, verdict, status].map(str::to_owned));
        record.extend(self.figures);
        record
    }
}

pub(super) fn text(report: &Report) -> Result<String, Failure> {
    let none = String::new;
    let proven = |verdict: &exact::Verdict, operations: usize, terms: usize| {
        let size = size(verdict).map_or(none(), float);
        [operations.to_string(), terms.to_string(), none(), size, none()]
    };
    let enclosed = |found: &Enclosed| {
        let [least, most] = [found.difference_at_least, found.difference_at_most].map(float);
        [none(), none(), none(), least, most]
    };
    let ordered = |found: &Order| {
        let least = if found.refuted > 0 { float(found.difference) } else { none() };
        [none(), none(), found.order.map_or(none(), float), least, none()]
    };
    let mut records = Vec::new();
    for gradient in &report.gradients {
        let (about, positions) = ("gradient", kind(gradient.encodings));
        for found in &gradient.entries {
            let of = found.entry.to_string();
            if let Some(proof) = &found.proof {
                let figures = proven(&proof.verdict, proof.operations, proof.terms);
                let (check, verdict) = (Check::Proof, (&proof.verdict).into());
                let of = of.clone();
                records.push(Line { about, positions, of, check, verdict, figures }.record());
            }
            if let Some(boxes) = &found.enclosed {
                let (check, verdict, figures) = (Check::Enclosure, boxes.verdict, enclosed(boxes));
                records.push(Line { about, positions, of, check, verdict, figures }.record());
            }
        }
        for order in &gradient.orders {
            let (of, check, verdict) = (order.block.to_owned(), Check::Remainder, order.verdict());
            let figures = ordered(order);
            records.push(Line { about, positions, of, check, verdict, figures }.record());
        }
    }
    let (about, positions) = ("lumped_step", "");
    for (name, found) in &report.lumped {
        let (of, check) = (name.clone(), Check::Enclosure);
        let (verdict, figures) = (found.verdict, enclosed(found));
        records.push(Line { about, positions, of, check, verdict, figures }.record());
    }
    if let Some(order) = &report.lumped_order {
        let (of, check, verdict) = ("all".to_owned(), Check::Remainder, order.verdict());
        let figures = ordered(order);
        records.push(Line { about, positions, of, check, verdict, figures }.record());
    }
    for (about, claim) in &report.claims {
        let positions = if let Topic::DenseStep(encodings) = about { kind(*encodings) } else { "" };
        let (about, of, check) = (topic(*about), claim.name.clone(), Check::Proof);
        let verdict = (&claim.verdict).into();
        let figures = proven(&claim.verdict, claim.operations, claim.terms);
        records.push(Line { about, positions, of, check, verdict, figures }.record());
    }
    csv::text(&COLUMNS.map(str::to_owned), records)
}
