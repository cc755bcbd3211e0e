//! What `popgd ood` found, in every form.

mod document;
mod lines;

use crate::error::{Failure, Warning};
use crate::ood::check::{Check, DataCheck, TokenCheck};
use crate::ood::report::{Figure, Outcome, Report, Row, Statement};
use crate::ood::settings::{Inputs, OodSettings};
use crate::ood::slopes::{Power, Series, TOLERANCE};
use crate::ood::tail::Verdict;
use crate::output::digits::{grouped, ratio, short};
use crate::output::json;
use crate::output::style::{Style, wrapped};
use crate::output::table;
use crate::settings::{Format, Settings};

/// Letters in a line of prose.
const WIDTH: usize = 80;

/// The result in the form that was asked for.
///
/// # Errors
/// None in practice: writing to memory.
pub fn text(
    settings: &Settings,
    ood: &OodSettings,
    report: &Report,
    warnings: &[Warning],
) -> Result<String, Failure> {
    match settings.output.format {
        Format::Table => {
            Ok(for_people(settings, ood, report, Style::for_results(&settings.output)))
        }
        Format::Json => {
            let mut document = json::document("ood", settings, warnings);
            document::insert(&mut document, report);
            Ok(json::text(document))
        }
        Format::Csv => lines::text(report),
    }
}

/// Inputs and labels in words.
pub fn question(ood: &OodSettings) -> String {
    let inputs = match &ood.inputs {
        Inputs::Family { family, centred, scale } => {
            let centred = if *centred { ", centred" } else { "" };
            let scale = if *scale == 1.0 { String::new() } else { format!(", times {scale}") };
            format!("{}{centred}{scale}", family.name())
        }
        Inputs::Gaussian(law) if law.correlation != 0.0 => {
            format!("gaussian, neighbouring tokens with correlation {}", law.correlation)
        }
        Inputs::Gaussian(_) => "gaussian of a given covariance".to_owned(),
        Inputs::File(path) => path.display().to_string(),
    };
    let noise = if ood.noise > 0.0 {
        format!(" with noise of deviation {}", short(ood.noise))
    } else {
        String::new()
    };
    format!("Inputs: {inputs}; labels: {}{noise}", ood.labels.name())
}

fn for_people(settings: &Settings, ood: &OodSettings, report: &Report, style: Style) -> String {
    let mut text = table::heading(&settings.model, style);
    text.push_str(&style.prose(&question(ood)));
    text.push_str(&format!("\n\n{}\n", style.bold("Are second moments finite?")));
    text.push_str(&moments(&report.check, style));
    if report.rows.is_empty() {
        return text;
    }
    text.push_str(&format!(
        "\n{}\n",
        style.bold("What the student loses to the teacher, ½E‖Ỹ − student‖² − ½E‖Ỹ − teacher‖²")
    ));
    text.push_str(&gaps(report));
    text.push_str(&style.dim(&wrapped(&legend(ood, report), WIDTH)));
    text.push_str(&format!("\n\n{}\n", style.bold("By which power of T does it fall?")));
    text.push_str(&slopes(report, style));
    if let Some(sharp) = report.sharp {
        let error = match sharp.error {
            Some(error) if error > 0.0 => format!(" ± {}", short(error)),
            _ => String::new(),
        };
        text.push_str(&wrapped(
            &format!(
                "ηT Δ² tends to {} (note 10); at the last step it is {}{error} times that.",
                short(sharp.constant),
                short(sharp.at_end)
            ),
            WIDTH,
        ));
        text.push('\n');
    }
    if let Some(from) = report.noise_from {
        text.push_str(&wrapped(
            &format!(
                "On {} samples the noise of labels is larger than the population gap from T ≈ {} on: \
                 from there the batch gap follows 1/√T, of either sign.",
                grouped(report.batch),
                short(from)
            ),
            WIDTH,
        ));
        text.push('\n');
    }
    if let Some(statement) = &report.statement {
        text.push_str(&format!("\n{}\n", style.bold("Theorem 3.2, with numbers")));
        text.push_str(&theorem(report, statement, style));
    }
    text
}

fn moments(check: &Check, style: Style) -> String {
    let sentence = wrapped(&capital(&check.sentence), WIDTH);
    let mut text = match check.verdict {
        Verdict::Holds => style.good(&sentence),
        Verdict::Fails => style.bad(&sentence),
        Verdict::CannotTell => style.open(&sentence),
    };
    text.push_str(".\n");
    if let Some(entry) = check.entry {
        text.push_str(&format!(
            "an entry has mean {} and variance {}",
            short(entry.mean),
            short(entry.variance)
        ));
        text.push_str(&check.largest_moment.map_or(String::new(), |moment| {
            format!("; ξ = E‖x̃_i‖² = {} (exact)\n", short(moment))
        }));
    } else if let (Some(data), Some(moment)) = (&check.data, check.largest_moment) {
        text.push_str(&format!(
            "{} samples; ξ = max E‖x̃_i‖² is about {}\n",
            grouped(data.samples),
            short(moment)
        ));
        text.push_str(&heaviest(data));
        text.push_str(&style.dim(&wrapped(NOTE_ON_TAILS, WIDTH)));
        text.push('\n');
    } else if let Some(moment) = check.largest_moment {
        text.push_str(&format!("ξ = E‖x̃_i‖² = {} (exact)\n", short(moment)));
    }
    text
}

/// A table of the columns of heaviest tails.
fn heaviest(data: &DataCheck) -> String {
    let inputs =
        data.tokens.iter().enumerate().map(|(at, token)| (format!("x̃, {}", at + 1), token));
    let responses = data.responses.iter().enumerate();
    let responses = responses.map(|(at, column)| (format!("ỹ, {}", at + 1), column));
    let mut worst: Vec<(String, &TokenCheck)> = inputs.chain(responses).collect();
    let heavy = |token: &TokenCheck| token.tail.map_or(0.0, |tail| tail.estimate);
    worst.sort_by(|a, b| heavy(a.1).total_cmp(&heavy(b.1)));
    let rows = worst.into_iter().take(5).map(|(name, token)| {
        let index = |read: fn(&crate::ood::tail::TailIndex) -> f64| {
            token.tail.as_ref().map_or("–".to_owned(), |tail| short(read(tail)))
        };
        vec![
            name,
            short(token.moment),
            if token.bounds_hold() {
                format!("{} … {}", short(token.moment_least), short(token.moment_most))
            } else {
                "–".to_owned()
            },
            index(|tail| tail.estimate),
            index(|tail| tail.least),
            index(|tail| tail.most),
        ]
    });
    let heads = ["token", "E‖·‖²", "95 %", "tail index", "at least", "at most"];
    table::text(&table::table(&heads, rows))
}

const NOTE_ON_TAILS: &str = "The tokens of heaviest tails. Tail index: Hill's estimate, with bounds of \
    99 % over all parts of the tail that were looked at, which suppose independent records and tails that \
    go on as their largest values show them; rarer outliers than the sample has are not seen. A moment \
    has bounds where its tail index is above 4.";

fn gaps(report: &Report) -> String {
    let with_error = |figure: &Figure| match figure.error {
        Some(error) if !figure.exact => format!("{} ± {}", short(figure.value), short(error)),
        _ => short(figure.value),
    };
    let batch = format!("on {}", grouped(report.batch));
    let heads = ["T", "Δ²", "gap", "bound", &batch];
    let rows = report.rows.iter().map(|row| {
        vec![
            grouped(row.t),
            with_error(&row.square_distance),
            with_error(&row.gap),
            short(row.bound),
            row.batch_gap.map_or("–".to_owned(), short),
        ]
    });
    table::text(&table::table(&heads, rows))
}

fn legend(ood: &OodSettings, report: &Report) -> String {
    let exact = report.rows.iter().all(|row| row.gap.exact);
    let source = match (exact, &ood.inputs) {
        (true, _) => "The gap is exact".to_owned(),
        (false, inputs) => {
            let of = if matches!(inputs, Inputs::File(_)) { "records" } else { "samples" };
            let error = if report.has_errors {
                ", ± a standard error"
            } else if report.check.has_fourth_moments {
                "; they are too few for so heavy a tail, and nothing can be said of how far off they are"
            } else {
                "; fourth moments are infinite, or may be, so that nothing can be said of how far off they \
                 are"
            };
            format!("Means over {} {of}{error}", grouped(report.samples))
        }
    };
    let told = report.rows.iter().filter_map(Row::is_below);
    let below = match told.clone().count() {
        0 => String::new(),
        count => format!(
            "; the gap is not above it{} at {} of {count} steps",
            match report.rows.iter().any(|row| !row.gap.exact && !row.of_sample) {
                true => " by more than four standard errors",
                false => "",
            },
            told.filter(|is_below| *is_below).count()
        ),
    };
    let noise = report
        .label_distance
        .filter(|distance| *distance > 0.0)
        .map_or(String::new(), |r| format!(" + RΔ with R ≤ {}", short(r)));
    format!(
        "{source}. Δ² = E‖student − teacher‖². Bound: ½Δ²{noise} from second moments alone, σ stretching \
         squares by at most {}{below}. On {}: one batch of so many \
         samples, noise included.",
        short(report.amplification),
        grouped(report.batch)
    )
}

fn slopes(report: &Report, style: Style) -> String {
    let rows = report.slopes.iter().map(|slope| {
        let name = match slope.series {
            Series::Population => "population gap",
            Series::Batch => "finite-batch gap",
            Series::Bound => "bound",
        };
        let near = match slope.power {
            Power::One => style.good("1/T"),
            Power::Half => style.good("1/√T"),
            Power::Neither => style.bad("neither"),
            Power::Open => style.open("open"),
        };
        vec![
            name.to_owned(),
            match (slope.slope, slope.uncertainty) {
                (Some(slope), Some(error)) if error >= 0.0005 => {
                    format!("{} ± {}", ratio(slope), ratio(error))
                }
                (slope, _) => slope.map_or("–".to_owned(), ratio),
            },
            slope.sign_changes.to_string(),
            near,
        ]
    });
    let mut text =
        table::text(&table::table(&["", "last decade", "sign changes", "falls like"], rows));
    let note = format!(
        "Slope of ln|gap| against ln T over the last decade, ± what standard errors may move it at most; \
         within {TOLERANCE} of −1 or −½."
    );
    text.push_str(&style.dim(&wrapped(&note, WIDTH)));
    text.push('\n');
    text
}

fn theorem(report: &Report, statement: &Statement, style: Style) -> String {
    let (epsilon, of_sample) = (short(statement.epsilon), report.check.data.is_some());
    let is = |exact: bool| if exact { "=" } else { "≈" };
    let mut text = format!(
        "ξ is the larger of max E‖x̃_i‖² {} {} and max E‖ỹ_i‖² ≈ {}.\n",
        is(!of_sample),
        short(statement.inputs),
        short(statement.labels)
    );
    let over = |steps: f64| statement.stated.map_or("–".to_owned(), |all| short(steps / all));
    let reached = statement.reached;
    let measured = match (reached.about, reached.after) {
        (Some(about), _) => (short(about), over(about)),
        (None, Some(after)) => (format!("> {}", grouped(after)), "–".to_owned()),
        (None, None) => ("–".to_owned(), "–".to_owned()),
    };
    let proven = match statement.proven_steps() {
        Some(steps) => (grouped(steps), over(steps as f64)),
        None => ("–".to_owned(), "–".to_owned()),
    };
    let stated = statement.stated.map_or("–".to_owned(), short);
    let name = if of_sample { "by the bound, for the moments of this sample" } else { "proven" };
    let rows = [
        ("measured, between recorded steps".to_owned(), measured),
        (name.to_owned(), proven),
        ("T_ε = K D⁶ ξ² ‖V*‖²/(ηε²), stated up to a constant".to_owned(), (stated, "1".to_owned())),
    ];
    let rows = rows.into_iter().map(|(name, (steps, over))| vec![name, steps, over]);
    let head = format!("|gap| ≤ {epsilon} from T");
    text.push_str(&table::text(&table::table(&["", &head, "over T_ε"], rows)));
    let sentence = match report.outcome(statement) {
        Outcome::Holds => style.good(&wrapped(
            match of_sample {
                true => {
                    "Verdict on Theorem 3.2: it holds, with constant 1, for inputs and labels with the \
                     moments of this sample."
                }
                false => "Verdict on Theorem 3.2: it holds, with constant 1, for these inputs and labels.",
            },
            WIDTH,
        )),
        Outcome::Exceeds => style.bad(&wrapped(
            &format!(
                "Verdict on Theorem 3.2: with constant 1 it fails; the gap is still above {epsilon} after \
                 T = {} steps.",
                reached.surely_after.map_or("–".to_owned(), grouped)
            ),
            WIDTH,
        )),
        Outcome::Open => {
            let reason = match (&statement.stated, statement.proven_steps()) {
                (None, _) => "the teacher is none of the paper's, which has one size of groups",
                _ if report.check.verdict != Verdict::Holds => {
                    "whether second moments are finite cannot be told"
                }
                (_, None) => "nothing is proven of this ε",
                (_, Some(_)) => {
                    "what is proven needs more steps than T_ε, and no recorded step beyond T_ε has a \
                     larger gap"
                }
            };
            style.open(&wrapped(&format!("Verdict on Theorem 3.2: open; {reason}."), WIDTH))
        }
    };
    text.push_str(&sentence);
    text.push('\n');
    let more = match &statement.proven {
        Err(reason) => Some(format!("Nothing is proven: {reason}.")),
        Ok(proven) => match proven.steps {
            None => Some("Nothing is proven: it takes more than 2^62 steps.".to_owned()),
            Some(steps) if steps == proven.late => Some(format!(
                "Bounds are proven from T₀ = {} on, where they are at most {}: the least step that \
                 can be proven may be smaller (--from-step).",
                grouped(steps),
                short(proven.bound_at_late)
            )),
            Some(_) => None,
        },
    };
    if let Some(more) = more {
        text.push_str(&style.open(&wrapped(&more, WIDTH)));
        text.push('\n');
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
