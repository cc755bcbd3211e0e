//! What `popgd certify` proved, or found in a certificate, in every form.

use serde_json::{Map, Value};

use crate::asymptotics::Quantity;
use crate::certificate::check::Outcome;
use crate::certificate::{Certificate, Enclosed, Reading, file};
use crate::error::Failure;
use crate::output::csv;
use crate::output::digits::{column, grouped, short};
use crate::output::json;
use crate::output::style::Style;
use crate::output::table;
use crate::provenance::{SCHEMA, VERSION};
use crate::scalar::Number;
use crate::settings::ModelSettings;

/// For people: the state at T₀, then what holds for ever.
pub fn for_people(model: &ModelSettings, certificate: &Certificate, style: Style) -> String {
    let findings = &certificate.findings;
    let start = certificate.late();
    let mut text = table::heading(&ModelSettings { steps: start, ..model.clone() }, style);
    text.push_str(&format!(
        "\n{}\n",
        style.bold(&format!("For every T ≥ T₀ = {} (proven)", grouped(start)))
    ));
    text.push_str(&for_ever(certificate));
    text.push_str(&style.dim(&style.prose(
        "At least and at most: bounds over all T ≥ T₀ together. Limit: as T → ∞, the sharp constant.",
    )));
    text.push_str(&format!(
        "\n\n{}\n",
        style.bold("Theorem 3.1: c · bound ≤ quantity ≤ C · bound for every T ≥ T₀ (proven)")
    ));
    text.push_str(&theorem(certificate));
    text.push_str(&format!("\n{}\n", style.bold("At these steps (proven)")));
    text.push_str(&readings(&findings.at));
    text.push_str(&style.dim("Two lines a figure: its lower and its upper end.\n"));
    text.push_str(&format!("\n{}\n", style.bold("What it rests on")));
    text.push_str(&style.prose(&foundations(certificate)));
    text
}

fn for_ever(certificate: &Certificate) -> String {
    let findings = &certificate.findings;
    let rows = Quantity::ALL.map(|quantity| {
        let (over_time, limit) = (quantity.of(&findings.later), quantity.of(&findings.limits));
        vec![
            format!("{} {}", quantity.name(), quantity.formula()),
            quantity.time().to_owned(),
            least(over_time),
            most(over_time),
            short(limit.midpoint()),
        ]
    });
    table::text(&table::table(&["", "times", "at least", "at most", "limit"], rows))
}

fn theorem(certificate: &Certificate) -> String {
    let rows = Quantity::ALL.map(|quantity| {
        let bound = match quantity {
            Quantity::ScoreError => "D^5/2/(‖V*‖ √(ηT))",
            Quantity::ValueError => "D² √(K/(ηT))",
            Quantity::ExcessLoss => "K D⁴/(ηT)",
        };
        let over = quantity.of(&certificate.findings.over_stated);
        let name = format!("{} {}", quantity.name(), quantity.formula());
        vec![name, bound.to_owned(), least(over), most(over)]
    });
    table::text(&table::table(&["", "bound", "c", "C"], rows))
}

/// The lower end in few digits, rounded down.
fn least(enclosed: Enclosed) -> String {
    rounded(enclosed.lo(), false)
}

/// The upper end in few digits, rounded up.
fn most(enclosed: Enclosed) -> String {
    rounded(enclosed.hi(), true)
}

/// Six digits, rounded so that a bound stays one.
fn rounded(value: f64, up: bool) -> String {
    let text = format!("{value:.5e}");
    let read: f64 = text.parse().unwrap_or(value);
    let wrong = if up { read < value } else { read > value };
    if !wrong || !value.is_finite() || value == 0.0 {
        return short(read);
    }
    let step = 10_f64.powi(value.abs().log10().floor() as i32 - 5);
    let moved = if up { value + step } else { value - step };
    let text = format!("{moved:.5e}");
    short(text.parse().unwrap_or(moved))
}

fn readings(readings: &[Reading]) -> String {
    let ends = |read: &dyn Fn(&Reading) -> Enclosed| {
        let numbers: Vec<_> = readings.iter().map(|reading| Some(number(read(reading)))).collect();
        column(&numbers)
    };
    let mut columns = vec![readings.iter().map(|reading| grouped(reading.steps)).collect()];
    columns.push(ends(&|reading| reading.tangent));
    for quantity in Quantity::ALL {
        columns.push(ends(&|reading| quantity.of(&reading.quantities)));
    }
    let rows = (0..readings.len()).map(|at| {
        columns.iter().filter_map(|column: &Vec<String>| column.get(at).cloned()).collect()
    });
    let heads = ["T", "tan θ", "score error", "value error", "excess loss"];
    table::text(&table::table(&heads, rows))
}

fn foundations(certificate: &Certificate) -> String {
    let Certificate { claim, clock, contraction, checkpoints, .. } = certificate;
    format!(
        "{} enclosed states lead to T₀. From there on tan θ = x is at most {} and falls, and \
         c = c*(x)(1 + ŷx³) with ŷ in [{}, {}]; λ = {}, μ = {}.\nClocks: Ψ + ({}) x advances by at most μ \
         a step, Ψ − ({}) x by at least μ (note 8).\n",
        grouped(checkpoints.len() as u64),
        rounded(claim.top, true),
        rounded(claim.lag.lo(), false),
        rounded(claim.lag.hi(), true),
        short(contraction.midpoint()),
        short(clock.midpoint()),
        rounded(claim.upper, true),
        rounded(claim.lower, true),
    )
}

fn number(enclosed: Enclosed) -> Number {
    Number::Interval { lo: enclosed.lo(), hi: enclosed.hi() }
}

/// One line a step.
///
/// # Errors
/// None in practice: writing to memory.
pub fn csv(certificate: &Certificate) -> Result<String, Failure> {
    let mut header = vec!["t".to_owned()];
    for name in ["tangent", "score_error", "value_error", "excess_loss"] {
        header.extend([format!("{name}_lo"), format!("{name}_hi")]);
    }
    let records = certificate.findings.at.iter().map(|reading| {
        let mut record = vec![reading.steps.to_string()];
        let quantities = Quantity::ALL.map(|quantity| quantity.of(&reading.quantities));
        for enclosed in std::iter::once(reading.tangent).chain(quantities) {
            record.extend([csv::float(enclosed.lo()), csv::float(enclosed.hi())]);
        }
        record
    });
    csv::text(&header, records)
}

/// What a check found, in words: what was proven, of what.
pub fn check_for_people(certificate: &Certificate, outcome: &Outcome, intact: bool) -> String {
    let problem = &certificate.problem;
    let start = match (problem.from_zero, certificate.checkpoints.first()) {
        (false, Some(state)) => format!(
            "from a given state, c in [{:?}, {:?}] and δ in [{:?}, {:?}]",
            state.c.lo(),
            state.c.hi(),
            state.gap.lo(),
            state.gap.hi()
        ),
        _ => "from zero".to_owned(),
    };
    let segments = certificate.checkpoints.len().saturating_sub(1);
    let proof = match outcome {
        Outcome::Fails(reason) => format!("fails: {reason}"),
        _ => format!(
            "holds: {} segments run again in other coordinates, the region and its clocks \
             verified, every figure derived anew",
            grouped(segments as u64)
        ),
    };
    let hash = if intact { "matches" } else { "differs: the file was altered" };
    let mut text = format!(
        "of     D = {}, K = {}, slope {}, ‖V*‖² = {}, κ = {}, η = {}, {start}\n",
        grouped(problem.tokens),
        grouped(problem.group),
        problem.slope,
        problem.square_norm,
        problem.logit_gain,
        problem.rate,
    );
    text.push_str(&format!("proof  {proof}\nhash   {hash}\n"));
    if *outcome == Outcome::Holds {
        text.push_str(&format!("\nFor every T ≥ T₀ = {} (proven)\n", grouped(certificate.late())));
        text.push_str(&for_ever(certificate));
    }
    text
}

/// What a check found, as a document: the problem and what was proven of it are those of the
/// certificate.
pub fn check_document(
    certificate: &Certificate,
    outcome: &Outcome,
    intact: bool,
) -> Map<String, Value> {
    let mut found = Map::new();
    found.insert("proof".into(), proof_word(outcome).into());
    if let Outcome::Fails(reason) = outcome {
        found.insert("reason".into(), reason.as_str().into());
    }
    found.insert("hash".into(), hash_word(intact).into());
    found.insert("checkpoints".into(), json::integer(certificate.checkpoints.len() as u64));
    let written = file::to_json(certificate);
    let keys: &[&str] = match outcome {
        Outcome::Holds => &["problem", "t0", "claims"],
        _ => &["problem", "t0"],
    };
    for key in keys {
        found.extend(written.get(key).map(|value| ((*key).to_owned(), value.clone())));
    }
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    document.insert("popgd".into(), VERSION.into());
    document.insert("command".into(), "certify".into());
    document.insert("check".into(), Value::Object(found));
    document
}

/// What a check found, as a line.
///
/// # Errors
/// None in practice: writing to memory.
pub fn check_csv(outcome: &Outcome, intact: bool) -> Result<String, Failure> {
    let header = ["proof", "hash"].map(str::to_owned);
    csv::text(&header, [vec![proof_word(outcome).to_owned(), hash_word(intact).to_owned()]])
}

fn proof_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::Fails(_) => "fails",
        Outcome::TooLong { .. } | Outcome::Interrupted => "open",
    }
}

fn hash_word(intact: bool) -> &'static str {
    if intact { "matches" } else { "differs" }
}
