//! For people: the verdicts first, then what they rest on.

use popgd_core::theory::exponents::Variable;

use super::{Part, Report, letter, normalised, shown_limit, stated};
use crate::asymptotics::{TOLERANCE, Verdict};
use crate::config::sweep::name;
use crate::output::digits::{grouped, short, signed};
use crate::output::style::Style;
use crate::output::{table, words};
use crate::sweep::exponents::{Exponent, Measure, WIDE};
use crate::sweep::halves::{AtStart, Halves};
use crate::sweep::job::shown;
use crate::sweep::law::Constant;
use crate::sweep::measure::Findings;
use crate::sweep::outcome::Outcome;
use crate::sweep::planner::Plan;

/// The runs of a sweep before they are made.
pub fn plan(plan: &Plan) -> String {
    let heads = ["run", "values", "K/D", "‖V*‖", "κ", "η", "steps"];
    let lines = plan.jobs.iter().map(|job| {
        let model = &job.settings.model;
        let narrow =
            model.group.map_or("–".to_owned(), |group| format!("{group}/{}", model.tokens));
        let norm = crate::engine::with_lumped_model::<f64, _>(model, |lumped| lumped.teacher_norm);
        vec![
            job.index.to_string(),
            shown(&job.point),
            narrow,
            short(norm),
            short(model.logit_gain.to_f64()),
            short(model.rate.to_f64()),
            grouped(model.steps),
        ]
    });
    let mut text = table::text(&table::table(&heads, lines));
    for remark in &plan.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

pub(super) fn for_people(report: &Report<'_>, style: Style) -> String {
    let mut text = String::new();
    if let Some(first) = report.outcomes.first() {
        let model = &first.job.settings.model;
        text.push_str(&format!("{}\n", style.bold(&words::teacher(model))));
        text.push_str(&format!(
            "{} runs; the first has {}\n",
            report.outcomes.len(),
            words::training(model)
        ));
        text.push_str(&style.dim(&format!("{}\n", words::computation(model))));
    }
    for remark in report.remarks {
        text.push_str(&style.dim(&format!("{remark}\n")));
    }
    for part in &report.parts {
        text.push_str(&of_part(part, style));
    }
    let powers = |run: &Outcome| matches!(run.findings, Findings::Powers { .. });
    if report.outcomes.iter().any(powers) {
        text.push_str(&format!(
            "\n{}\n",
            style.bold("Every run: measured constants beside the exact ones")
        ));
        text.push_str(&runs(report.outcomes));
        text.push_str(&style.dim(
            "Ratios measured/exact: at the last step, and as T → ∞, extrapolated from the run alone.\n\
             ± is what the last term of that extrapolation moves, or another window: no confidence\n\
             interval.\n",
        ));
    }
    text.push_str(&geometric(report.outcomes));
    if let Some(missing) = report.missing() {
        text.push_str(&style.open(&format!("{missing}\n")));
    }
    text
}

fn of_part(part: &Part<'_>, style: Style) -> String {
    let variable = part.series.variable;
    let at = if part.series.others.is_empty() {
        String::new()
    } else {
        format!(" at {}", shown(&part.series.others))
    };
    let values: Vec<String> = part.series.runs.iter().map(|(value, _)| short(*value)).collect();
    let mut text = format!(
        "\n{}\n",
        style.bold(&format!(
            "Exponents in {}{at}, from {} = {}",
            letter(variable),
            name(variable),
            values.join(", ")
        ))
    );
    if part.exponents.is_empty() {
        text.push_str("none: there is no power of T in these runs\n");
        return text;
    }
    let limit_head = match variable {
        Variable::Tokens | Variable::Group => "as D/K → ∞",
        Variable::Steps => "as T → ∞",
        Variable::TeacherNorm | Variable::Rate => "in the limit",
    };
    text.push_str(&exponents(&part.exponents, limit_head, style));
    text.push_str(&style.dim(&format!(
        "Claimed: Theorem 3.1. Exact: the closed form between the first and the last value; ≈ of the\n\
         burn-in: predicted. Measured: the same from the runs. It agrees if the limit is within\n\
         {TOLERANCE} of the claim.\n"
    )));
    for exponent in &part.exponents {
        if let Some(reason) = &exponent.reason {
            let line = format!("{}: inconclusive, {reason}\n", exponent.measure.name());
            text.push_str(&style.open(&line));
        }
    }
    let wide = part.series.least_width();
    if wide < WIDE && matches!(variable, Variable::Tokens | Variable::Group) {
        text.push_str(&style.open(&format!(
            "D is only {} K in one of these runs: below 32 K exponents are far from their limit, and\n\
             all rests on the extrapolation.\n",
            short(wide)
        )));
    }
    if part.exponents.iter().any(|exponent| exponent.secants.len() > 1) {
        text.push_str("\nBetween neighbours, measured (exact):\n");
        text.push_str(&secants(&part.exponents));
    }
    if !part.halves.is_empty() {
        text.push_str(&halves(&part.halves, style));
    }
    if let Some(start) = &part.start {
        text.push_str(&at_start(start, style));
    }
    text
}

/// Exact, or predicted and marked so.
fn closed_form(measure: Measure, value: Option<f64>, digits: usize) -> String {
    let Some(value) = value else { return "–".to_owned() };
    let mark = if measure == Measure::BurnIn { "≈" } else { "" };
    format!("{mark}{}", signed(value, digits))
}

fn trusted(value: Option<Constant>, digits: usize) -> String {
    let Some(found) = value else { return "–".to_owned() };
    let least = 10_f64.powi(-(digits as i32));
    format!("{} ± {:.digits$}", signed(found.value, digits), found.uncertainty.max(least))
}

fn exponents(list: &[Exponent], limit_head: &str, style: Style) -> String {
    let heads = ["", "", "claimed", "exact", "measured", limit_head, "verdict"];
    let lines = list.iter().map(|exponent| {
        vec![
            exponent.measure.name().to_owned(),
            exponent.measure.formula().to_owned(),
            signed(exponent.claimed, 3),
            closed_form(exponent.measure, exponent.exact, 3),
            exponent.measured.map_or("–".to_owned(), |found| signed(found.value, 3)),
            if shown_limit(exponent) { trusted(exponent.limit, 3) } else { "–".to_owned() },
            exponent.verdict.name().to_owned(),
        ]
    });
    let mut table = table::table(&heads, lines);
    for index in [1, 6] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(comfy_table::CellAlignment::Left);
        }
    }
    let mut text = String::new();
    for (line, words) in table::text(&table).lines().enumerate() {
        // Colour after the layout, which does not know of it.
        let verdict = line.checked_sub(2).and_then(|at| list.get(at)).map(|found| found.verdict);
        let coloured = verdict.and_then(|verdict| {
            let front = words.strip_suffix(verdict.name())?;
            let word = match verdict {
                Verdict::Agrees => style.good(verdict.name()),
                Verdict::Differs => style.bad(verdict.name()),
                Verdict::Inconclusive => style.open(verdict.name()),
            };
            Some(format!("{front}{word}"))
        });
        text.push_str(coloured.as_deref().unwrap_or(words));
        text.push('\n');
    }
    text
}

fn secants(list: &[Exponent]) -> String {
    let Some(first) = list.first() else { return String::new() };
    let mut heads = vec!["from", "to"];
    heads.extend(list.iter().map(|exponent| exponent.measure.name()));
    let lines = first.secants.iter().enumerate().map(|(at, secant)| {
        let mut line = vec![short(secant.from), short(secant.to)];
        line.extend(list.iter().map(|exponent| {
            exponent.secants.get(at).map_or("–".to_owned(), |secant| {
                let measured =
                    secant.measured.map_or("–".to_owned(), |found| signed(found.value, 4));
                format!("{measured} ({})", closed_form(exponent.measure, secant.exact, 4))
            })
        }));
        line
    });
    let mut table = table::table(&heads, lines);
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    table::text(&table)
}

fn halves(list: &[Halves], style: Style) -> String {
    let mut text = format!(
        "\n{}\n",
        style.bold("Does each half of Theorem 3.1 hold with a constant that does not depend on D?")
    );
    let heads =
        ["", "stated", "ratio goes like", "upper", "least c̄", "lower", "largest c̲", "c̲, c̄ from T*"];
    let lines = list.iter().map(|half| {
        let power = format!("D^{}", signed(half.exponent.value, 3));
        vec![
            normalised(half.quantity).to_owned(),
            stated(half.quantity).to_owned(),
            power,
            half.upper.name().to_owned(),
            short(half.least_upper),
            half.lower.name().to_owned(),
            short(half.largest_lower),
            half.from_start
                .map_or("–".to_owned(), |[low, high]| format!("{:.2e}, {:.2e}", low, high)),
        ]
    });
    let mut table = table::table(&heads, lines);
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    text.push_str(&table::text(&table));
    text.push_str(&style.dim(
        "Ratio: the limit measured, over what is stated. An upper half needs one that does not grow\n\
         with D, a lower half one that does not fall. c̄ and c̲ are what this sweep admits at best, in\n\
         the limit, and at the recorded steps from T* on.\n\
         Measured on gradient descent on the population loss; the paper's appendices were not read,\n\
         and its constants may be meant otherwise.\n",
    ));
    text
}

fn at_start(start: &AtStart, style: Style) -> String {
    let mut text = format!(
        "\n{}\n",
        style.bold("Without limits: the excess loss at T* = K D²/(η‖V*‖²), where its bounds begin")
    );
    let heads = ["D", "T*", "at T = 0", "at T*", "stated bound at T*", "at T* ÷ bound"];
    let lines = start.rows.iter().map(|(tokens, row)| {
        let or_none = |value: Option<f64>| value.map_or("–".to_owned(), short);
        vec![
            short(*tokens),
            short(row.steps),
            short(row.excess_at_zero),
            or_none(row.excess),
            short(row.stated),
            row.excess.map_or("–".to_owned(), |excess| format!("{:.2e}", excess / row.stated)),
        ]
    });
    let mut table = table::table(&heads, lines);
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    text.push_str(&table::text(&table));
    let goes = |power: f64| format!("goes like D^{}", signed(power, 3));
    let at_start = start.exponent.map_or(String::new(), |power| format!(", which {}", goes(power)));
    let at_zero = start.exponent_at_zero.map_or(String::new(), |power| {
        format!(".\nAlready the loss at T = 0, over the bound, {}, whatever κ is", goes(power))
    });
    text.push_str(&style.dim(&format!(
        "A lower half with constant c̲ needs c̲ ≤ the last column{at_start}{at_zero}.\n"
    )));
    text
}

fn runs(outcomes: &[Outcome]) -> String {
    let heads = [
        "run",
        "values",
        "steps",
        "tan θ",
        "score error",
        "→ ∞",
        "value error",
        "→ ∞",
        "excess loss",
        "→ ∞",
        "T_b/T*",
        "T_b ÷ predicted",
    ];
    let lines = outcomes.iter().filter_map(|run| {
        let Findings::Powers { tangent, quantities, start, burn_in, .. } = &run.findings else {
            return None;
        };
        let mut line = vec![
            run.job.index.to_string(),
            shown(&run.job.point),
            short(run.job.settings.model.steps as f64),
            short((tangent * 1e5).round() / 1e5),
        ];
        for found in quantities {
            line.push(format!("{:.4}", found.at_end / found.exact));
            line.push(found.limit.map_or("–".to_owned(), |limit| {
                let uncertainty = limit.uncertainty / found.exact;
                format!("{:.5} ± {:.0e}", limit.value / found.exact, uncertainty)
            }));
        }
        let measured = burn_in.and_then(|burn_in| burn_in.measured);
        let start = start.map(|start| start.steps);
        let over = measured.zip(start).map(|(measured, start)| measured / start);
        line.push(over.map_or("–".to_owned(), |ratio| format!("{ratio:.4}")));
        let predicted = measured.zip(*burn_in).map(|(measured, burn_in)| {
            let mark = if burn_in.is_doubtful() { " !" } else { "" };
            format!("{:.4}{mark}", measured / burn_in.predicted)
        });
        line.push(predicted.unwrap_or("–".to_owned()));
        Some(line)
    });
    let table = table::table(&heads, lines);
    let mut text = table::text(&table);
    let flagged = outcomes.iter().any(|run| {
        matches!(&run.findings, Findings::Powers { burn_in: Some(burn_in), .. }
            if burn_in.is_doubtful())
    });
    if flagged {
        text.push_str(
            "!: that burn-in is predicted within 1 % is not assured: for that κ‖V*‖² must be small beside K², and\n\
             (1 + ½ ln(D/K)) (D − K)/(λK) steps, λ = ηgD/K, be few beside T_b.\n",
        );
    }
    text
}

fn geometric(outcomes: &[Outcome]) -> String {
    let lines: Vec<Vec<String>> = outcomes
        .iter()
        .filter_map(|run| match run.findings {
            Findings::Geometric { measured, predicted } => {
                let show = |factor: Option<f64>| factor.map_or("–".to_owned(), short);
                Some(vec![shown(&run.job.point), show(measured), show(predicted)])
            }
            Findings::Powers { .. } => None,
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let heads = ["geometric: factor a step", "measured", "predicted"];
    let open = lines.iter().any(|line| line.get(1).is_some_and(|found| found == "–"));
    let mut text = format!("\n{}", table::text(&table::table(&heads, lines)));
    if open {
        text.push_str("–: inconclusive, two windows of the run do not agree: let it go on\n");
    }
    text
}
