//! What `popgd ood` found, in every form.

use serde_json::{Map, Value};

use crate::error::{Failure, Warning};
use crate::ood::check::{Check, TokenCheck};
use crate::ood::report::{Figure, Report, Row, Statement};
use crate::ood::settings::{Inputs, OodSettings};
use crate::ood::slopes::{Power, Series, TOLERANCE};
use crate::ood::tail::{CONFIDENCE, Verdict};
use crate::output::csv;
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
            insert(&mut document, report);
            Ok(json::text(document))
        }
        Format::Csv => lines(report),
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
        Inputs::Gaussian { .. } => "gaussian of a given covariance".to_owned(),
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
        let error =
            if sharp.error > 0.0 { format!(" ± {}", short(sharp.error)) } else { String::new() };
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
        let mut worst: Vec<(usize, &TokenCheck)> = data.tokens.iter().enumerate().collect();
        let heavy = |token: &TokenCheck| token.tail.map_or(0.0, |tail| tail.estimate);
        worst.sort_by(|a, b| heavy(a.1).total_cmp(&heavy(b.1)));
        let rows = worst.iter().take(5).map(|(at, token)| {
            let index = |read: fn(&crate::ood::tail::TailIndex) -> f64| {
                token.tail.as_ref().map_or("–".to_owned(), |tail| short(read(tail)))
            };
            vec![
                (at + 1).to_string(),
                short(token.moment),
                format!("{} … {}", short(token.moment_least), short(token.moment_most)),
                index(|tail| tail.estimate),
                index(|tail| tail.least),
                index(|tail| tail.most),
            ]
        });
        let heads = ["token", "E‖x̃‖²", "95 %", "tail index", "at least", "at most"];
        text.push_str(&table::text(&table::table(&heads, rows)));
        text.push_str(&style.dim(&wrapped(NOTE_ON_TAILS, WIDTH)));
        text.push('\n');
    } else if let Some(moment) = check.largest_moment {
        text.push_str(&format!("ξ = E‖x̃_i‖² = {} (exact)\n", short(moment)));
    }
    text
}

const NOTE_ON_TAILS: &str = "The tokens of heaviest tails. Tail index: Hill's estimate, with bounds of \
    99 % that suppose that tails go on as the largest values show them; rarer outliers than the sample \
    has are not seen. The bounds of a moment suppose a tail index above 4.";

fn gaps(report: &Report) -> String {
    let with_error = |figure: &Figure| {
        if figure.exact || figure.error == 0.0 {
            short(figure.value)
        } else {
            format!("{} ± {}", short(figure.value), short(figure.error))
        }
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
        (false, Inputs::File(_)) => format!("Means over {} records", grouped(report.samples)),
        (false, _) => format!("Means over {} samples, ± a standard error", grouped(report.samples)),
    };
    let below = report.rows.iter().filter(|row| row.is_below()).count();
    let noise = report
        .label_distance
        .filter(|distance| *distance > 0.0)
        .map_or(String::new(), |r| format!(" + RΔ with R ≤ {}", short(r)));
    format!(
        "{source}. Δ² = E‖student − teacher‖². Bound: ½Δ²{noise} from second moments alone, σ stretching \
         squares by at most {}; the gap is below it at {below} of {} steps. On {}: one batch of so many \
         samples, noise included.",
        short(report.amplification),
        report.rows.len(),
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
            slope.slope.map_or("–".to_owned(), ratio),
            slope.sign_changes.to_string(),
            near,
        ]
    });
    let mut text =
        table::text(&table::table(&["", "last decade", "sign changes", "falls like"], rows));
    text.push_str(&style.dim(&format!(
        "Slope of ln|gap| against ln T over the last decade; within {TOLERANCE} of −1 or −½.\n"
    )));
    text
}

fn theorem(report: &Report, statement: &Statement, style: Style) -> String {
    let epsilon = short(statement.epsilon);
    let mut text = format!(
        "E‖x̃_i‖² ≤ {}, E‖ỹ_i‖² ≤ {}; stated without its constant: T_ε = K D⁶ ξ² ‖V*‖²/(ηε²) = {}\n",
        short(statement.inputs),
        short(statement.labels),
        short(statement.stated)
    );
    let verdict = match &statement.proven {
        Ok(proven) => match proven.steps {
            Some(steps) => style.good(&wrapped(
                &format!(
                    "{}: the gap is at most {epsilon} for every T ≥ {}, which is {} of T_ε{}.",
                    match report.check.data {
                        None => "Proven",
                        Some(_) => {
                            "By the bound, for the moments of this sample, which are measured, those \
                             of responses untested"
                        }
                    },
                    grouped(steps),
                    short(steps as f64 / statement.stated),
                    if steps == proven.late {
                        format!(
                            " (T₀, from which on bounds are proven; there the bound is {})",
                            short(proven.bound_at_late)
                        )
                    } else {
                        String::new()
                    }
                ),
                WIDTH,
            )),
            None => style.open("Not proven: it takes more than 2^62 steps."),
        },
        Err(reason) => style.open(&wrapped(&format!("Nothing is proven: {reason}."), WIDTH)),
    };
    text.push_str(&verdict);
    text.push('\n');
    if !report.rows.iter().all(Row::is_below) {
        text.push_str(&style.bad("A measured gap is above the bound: this is an error in popgd."));
        text.push('\n');
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn insert(document: &mut Map<String, Value>, report: &Report) {
    document.insert("moments".into(), check(&report.check));
    if !report.rows.is_empty() {
        document.insert("samples".into(), json::integer(report.samples));
        document.insert("batch_samples".into(), json::integer(report.batch));
        document.insert("amplification".into(), json::float(report.amplification));
        if let Some(distance) = report.label_distance {
            document.insert("label_distance_at_most".into(), json::float(distance));
        }
        document.insert("gaps".into(), report.rows.iter().map(row).collect());
        document.insert("slopes".into(), report.slopes.iter().map(slope).collect());
    }
    if let Some(sharp) = report.sharp {
        let mut map = Map::new();
        map.insert("limit".into(), json::float(sharp.constant));
        map.insert("at_end_over_limit".into(), json::float(sharp.at_end));
        map.insert("standard_error".into(), json::float(sharp.error));
        document.insert("sharp_constant".into(), Value::Object(map));
    }
    if let Some(from) = report.noise_from {
        document.insert("noise_dominates_batch_from".into(), json::float(from));
    }
    if let Some(statement) = &report.statement {
        document.insert("theorem".into(), statement_to_json(statement, report));
    }
    if report.interrupted {
        let mut stopped = Map::new();
        stopped.insert("reason".into(), "interrupted".into());
        document.insert("stopped".into(), Value::Object(stopped));
    }
}

fn check(check: &Check) -> Value {
    let mut map = Map::new();
    map.insert("verdict".into(), check.verdict.name().into());
    let status = if check.data.is_some() { "measured" } else { "proven" };
    map.insert("status".into(), status.into());
    map.insert("sentence".into(), check.sentence.as_str().into());
    map.insert("largest".into(), check.largest_moment.map_or("inf".into(), json::float));
    if let Some(entry) = check.entry {
        map.insert("entry_mean".into(), json::float(entry.mean));
        map.insert("entry_variance".into(), json::float(entry.variance));
    }
    if let Some(data) = &check.data {
        map.insert("samples".into(), json::integer(data.samples));
        map.insert("confidence".into(), json::float(CONFIDENCE));
        let tokens = data.tokens.iter().map(|token| {
            let mut map = Map::new();
            map.insert("moment".into(), json::float(token.moment));
            map.insert("moment_least".into(), json::float(token.moment_least));
            map.insert("moment_most".into(), json::float(token.moment_most));
            map.insert("moment_bounds_hold".into(), token.bounds_hold().into());
            if let Some(tail) = token.tail {
                map.insert("tail_index".into(), json::float(tail.estimate));
                map.insert("tail_index_least".into(), json::float(tail.least));
                map.insert("tail_index_most".into(), json::float(tail.most));
                map.insert("order_statistics".into(), tail.order.into());
            }
            Value::Object(map)
        });
        map.insert("tokens".into(), tokens.collect());
    }
    Value::Object(map)
}

fn figure(figure: &Figure) -> Value {
    let mut map = Map::new();
    map.insert("value".into(), json::float(figure.value));
    if !figure.exact {
        map.insert("standard_error".into(), json::float(figure.error));
    }
    map.insert("status".into(), if figure.exact { "cited" } else { "measured" }.into());
    Value::Object(map)
}

fn row(row: &Row) -> Value {
    let mut map = Map::new();
    map.insert("t".into(), json::integer(row.t));
    map.insert("square_distance".into(), figure(&row.square_distance));
    map.insert("gap".into(), figure(&row.gap));
    map.insert("bound".into(), json::float(row.bound));
    map.insert("is_below".into(), row.is_below().into());
    if let Some(batch) = row.batch_gap {
        map.insert("batch_gap".into(), json::float(batch));
    }
    Value::Object(map)
}

fn slope(slope: &crate::ood::slopes::Slope) -> Value {
    let mut map = Map::new();
    map.insert("of".into(), slope.series.name().into());
    map.insert("from".into(), json::integer(slope.from));
    map.insert("slope".into(), slope.slope.map_or(Value::Null, json::float));
    map.insert("sign_changes".into(), slope.sign_changes.into());
    map.insert("power".into(), slope.power.name().into());
    Value::Object(map)
}

fn statement_to_json(statement: &Statement, report: &Report) -> Value {
    let mut map = Map::new();
    map.insert("epsilon".into(), json::float(statement.epsilon));
    map.insert("input_moment".into(), json::float(statement.inputs));
    map.insert("label_moment".into(), json::float(statement.labels));
    map.insert("stated_steps".into(), json::float(statement.stated));
    match &statement.proven {
        Ok(proven) => {
            let verdict = if proven.steps.is_some() { "holds" } else { "open" };
            map.insert("verdict".into(), verdict.into());
            // What rests on the moments of a sample is no more certain than these.
            let status = if report.check.data.is_some() { "measured" } else { "proven" };
            map.insert("status".into(), status.into());
            map.insert("proven_from".into(), json::integer(proven.late));
            map.insert("bound_there".into(), json::float(proven.bound_at_late));
            map.insert("steps".into(), proven.steps.map_or(Value::Null, json::integer));
            if let Some(steps) = proven.steps {
                let ratio = steps as f64 / statement.stated;
                map.insert("steps_over_stated".into(), json::float(ratio));
            }
        }
        Err(reason) => {
            map.insert("verdict".into(), "open".into());
            map.insert("reason".into(), reason.as_str().into());
        }
    }
    Value::Object(map)
}

/// One line a recorded step; of a moment check alone one line a token, or one.
fn lines(report: &Report) -> Result<String, Failure> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    if !report.rows.is_empty() {
        let header = names(&[
            "t",
            "square_distance",
            "square_distance_error",
            "gap",
            "gap_error",
            "bound",
            "batch_gap",
        ]);
        let records = report.rows.iter().map(|row| {
            let mut record = vec![row.t.to_string()];
            for figure in [row.square_distance, row.gap] {
                record.extend([csv::float(figure.value), csv::float(figure.error)]);
            }
            record.push(csv::float(row.bound));
            record.push(row.batch_gap.map_or(String::new(), csv::float));
            record
        });
        return csv::text(&header, records);
    }
    let verdict = report.check.verdict.name().to_owned();
    match &report.check.data {
        Some(data) => {
            let header = names(&[
                "token",
                "moment",
                "moment_least",
                "moment_most",
                "tail_index",
                "tail_index_least",
                "tail_index_most",
                "verdict",
            ]);
            let records = data.tokens.iter().enumerate().map(|(at, token)| {
                let mut record = vec![(at + 1).to_string()];
                let moments = [token.moment, token.moment_least, token.moment_most];
                record.extend(moments.map(csv::float));
                record.extend(match token.tail {
                    Some(tail) => [tail.estimate, tail.least, tail.most].map(csv::float),
                    None => Default::default(),
                });
                record.push(verdict.clone());
                record
            });
            csv::text(&header, records)
        }
        None => {
            let largest = report.check.largest_moment.unwrap_or(f64::INFINITY);
            csv::text(&names(&["moment", "verdict"]), [vec![csv::float(largest), verdict]])
        }
    }
}
