//! What `popgd rates` found, in every form.

use serde_json::{Map, Value};

use crate::asymptotics::{Approach, Quantity, Rate, TOLERANCE, Verdict};
use crate::error::Failure;
use crate::output::csv;
use crate::output::digits::{grouped, ratio, short};
use crate::output::json;
use crate::output::style::Style;
use crate::output::table;
use crate::settings::ModelSettings;
use crate::trajectory::Trajectory;

/// How many decades of local slopes a table shows.
const DECADES: f64 = 3.0;

/// For people: the verdicts first, then what they rest on.
pub fn for_people(
    model: &ModelSettings,
    trajectory: &Trajectory,
    approach: &Approach,
    style: Style,
) -> String {
    let mut text = table::heading(model, style);
    text.push('\n');
    match approach {
        Approach::Powers { tangents, past_burn_in, needed, rates } => {
            text.push_str(&format!(
                "{}\n",
                style.bold("Does each quantity fall by the power of T that Theorem 3.1 claims?")
            ));
            text.push_str(&verdicts(rates, style));
            text.push_str(&reason(trajectory, *tangents, *past_burn_in, *needed, style));
            text.push_str(&format!("\n{}\n", style.bold("Slopes between recorded steps")));
            text.push_str(&local_slopes(rates));
            text.push_str(&format!("\n{}\n", style.bold("Size beside the exact limit law")));
            text.push_str(&sizes(rates));
        }
        Approach::Geometric { measured, predicted } => {
            text.push_str(&geometric(*measured, *predicted, style));
        }
    }
    text
}

fn verdicts(rates: &[Rate], style: Style) -> String {
    let heads = ["", "", "claimed", "last decade", "as T → ∞", "verdict (measured)"];
    let lines = rates.iter().map(|rate| {
        let claimed = rate.quantity.claimed();
        let (plain, limit) = match rate.slope {
            Some(slope) => (
                ratio(slope.plain),
                format!("{} ± {:.3}", ratio(slope.limit), slope.uncertainty.max(0.001)),
            ),
            None => ("–".to_owned(), "–".to_owned()),
        };
        // A slope before its time is not shown as a limit.
        let limit = if rate.verdict == Verdict::Inconclusive { "–".to_owned() } else { limit };
        vec![
            rate.quantity.name().to_owned(),
            rate.quantity.formula().to_owned(),
            ratio(claimed),
            plain,
            limit,
            rate.verdict.name().to_owned(),
        ]
    });
    let mut table = table::table(&heads, lines);
    for index in [1, 5] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(comfy_table::CellAlignment::Left);
        }
    }
    let mut text = String::new();
    for (line, words) in table::text(&table).lines().enumerate() {
        // Colour after the layout, which does not know of it.
        let verdict = line.checked_sub(2).and_then(|at| rates.get(at)).map(|rate| rate.verdict);
        let coloured = match verdict {
            Some(verdict) => words.strip_suffix(verdict.name()).map(|front| {
                let word = match verdict {
                    Verdict::Agrees => style.good(verdict.name()),
                    Verdict::Differs => style.bad(verdict.name()),
                    Verdict::Inconclusive => style.open(verdict.name()),
                };
                format!("{front}{word}")
            }),
            None => None,
        };
        text.push_str(coloured.as_deref().unwrap_or(words));
        text.push('\n');
    }
    text
}

/// The criterion, and where it is not met, what would.
fn reason(
    trajectory: &Trajectory,
    [start, end]: [f64; 2],
    past_burn_in: bool,
    needed: Option<u64>,
    style: Style,
) -> String {
    let from_to = match trajectory.rows.last() {
        Some(row) if row.t >= 10 => {
            format!("T = {} … {}", grouped(row.t.div_ceil(10)), grouped(row.t))
        }
        _ => "fewer than 10 steps".to_owned(),
    };
    let mut text = style.dim(&format!(
        "Slopes of ln(quantity) against ln(T). Last decade: a straight line, {from_to}.\n\
         As T → ∞: the same points with corrections T^−1/2, T^−1, T^−3/2 taken out; the verdict is\n\
         on this slope, and it agrees if it is within {TOLERANCE} of the claim.\n"
    ));
    if let Some(needed) = needed {
        let why = if past_burn_in {
            "the corrections are still too large to be taken out".to_owned()
        } else {
            format!(
                "tan θ, the distance of attention from its goal, is {} at the start of the last\n\
                 decade and {} at its end; a rate is read only where it stays below 0.2",
                ratio(start),
                ratio(end)
            )
        };
        text.push_str(&style.open(&format!("Too early to tell: {why}.\n")));
        text.push_str(&style.open(&format!("Run longer: --steps {needed}\n")));
    }
    text
}

fn local_slopes(rates: &[Rate]) -> String {
    let Some(first) = rates.first() else { return String::new() };
    let end = first.local.last().map_or(0.0, |slope| slope.to as f64);
    let mut heads = vec!["T from", "to"];
    heads.extend(rates.iter().map(|rate| rate.quantity.name()));
    let recent =
        first.local.iter().filter(|slope| slope.from as f64 >= end * 10_f64.powf(-DECADES) * 0.999);
    let lines = recent.map(|slope| {
        let mut line = vec![grouped(slope.from), grouped(slope.to)];
        line.extend(rates.iter().map(|rate| {
            let found = rate.local.iter().find(|other| other.from == slope.from);
            found.map_or("–".to_owned(), |found| ratio(found.slope))
        }));
        line
    });
    let mut table = table::table(&heads, lines);
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    if table.row_count() == 0 {
        return "none: record more steps, see --points-per-decade\n".to_owned();
    }
    table::text(&table)
}

fn sizes(rates: &[Rate]) -> String {
    let heads = ["", "exact limit", "measured ÷ exact at T", "as T → ∞"];
    let lines = rates.iter().filter_map(|rate| {
        let size = rate.size?;
        let factor = if rate.quantity.claimed() == -1.0 { "ηT" } else { "√(ηT)" };
        let formula = match rate.quantity {
            Quantity::ExcessLoss => "(L − L_opt)",
            Quantity::ScoreError | Quantity::ValueError => rate.quantity.formula(),
        };
        let limit = match size.limit {
            Some(limit) if rate.verdict != Verdict::Inconclusive => ratio(limit),
            _ => "–".to_owned(),
        };
        Some(vec![format!("{factor} {formula}"), short(size.sharp), ratio(size.at_end), limit])
    });
    table::text(&table::table(&heads, lines))
}

fn geometric(measured: Option<f64>, predicted: Option<f64>, style: Style) -> String {
    let mut text = style.bold("No power of T: convergence is geometric.\n");
    text.push_str(
        "No column of S* has a zero, so attention need not go to a limit at infinity. (The rates\n\
         of Theorem 3.1 are for columns with zeros, that is K < D.) |c − 1| shrinks in every step\n\
         by a factor:\n",
    );
    let show = |factor: Option<f64>| factor.map_or("–".to_owned(), short);
    text.push_str(&format!("  measured   {}\n  predicted  {}\n", show(measured), show(predicted)));
    text
}

/// The part of the JSON document that `rates` adds.
pub fn insert(document: &mut Map<String, Value>, trajectory: &Trajectory, approach: &Approach) {
    match approach {
        Approach::Powers { tangents: [start, end], past_burn_in, needed, rates } => {
            let mut asymptotic = Map::new();
            asymptotic.insert("past_burn_in".into(), (*past_burn_in).into());
            asymptotic.insert("tangent_at_decade_start".into(), json::float(*start));
            asymptotic.insert("tangent_at_end".into(), json::float(*end));
            if let Some(needed) = needed {
                asymptotic.insert("needed_steps".into(), json::integer(*needed));
            }
            document.insert("asymptotic".into(), Value::Object(asymptotic));
            document.insert("tolerance".into(), TOLERANCE.into());
            let rates = rates.iter().map(|found| rate(found, trajectory)).collect();
            document.insert("rates".into(), Value::Array(rates));
        }
        Approach::Geometric { measured, predicted } => {
            let mut map = Map::new();
            let mut insert = |name: &str, factor: Option<f64>, status: &str| {
                if let Some(factor) = factor {
                    map.insert(name.into(), claim("factor", json::float(factor), status));
                }
            };
            insert("measured", *measured, "measured");
            insert("predicted", *predicted, "cited");
            document.insert("geometric".into(), Value::Object(map));
        }
    }
}

fn claim(name: &str, value: Value, status: &str) -> Value {
    let mut map = Map::new();
    map.insert(name.into(), value);
    map.insert("status".into(), status.into());
    Value::Object(map)
}

fn rate(rate: &Rate, trajectory: &Trajectory) -> Value {
    // A limit is not given before it is one.
    let settled = rate.verdict != Verdict::Inconclusive;
    let mut map = Map::new();
    map.insert("quantity".into(), rate.quantity.key().into());
    map.insert("verdict".into(), rate.verdict.name().into());
    map.insert("claimed".into(), claim("slope", json::float(rate.quantity.claimed()), "cited"));
    if let Some(slope) = rate.slope {
        let end = trajectory.rows.last().map_or(0, |row| row.t);
        let mut measured = Map::new();
        measured.insert("slope".into(), json::float(slope.plain));
        if settled {
            measured.insert("limit_slope".into(), json::float(slope.limit));
            measured.insert("uncertainty".into(), json::float(slope.uncertainty));
        }
        measured.insert("from".into(), json::integer(end.div_ceil(10)));
        measured.insert("to".into(), json::integer(end));
        measured.insert("status".into(), "measured".into());
        map.insert("measured".into(), Value::Object(measured));
    }
    if let Some(size) = rate.size {
        let mut constant = Map::new();
        constant.insert("exact".into(), claim("value", json::float(size.sharp), "cited"));
        if let Some(stated) = size.stated {
            constant.insert("stated".into(), claim("value", json::float(stated), "cited"));
        }
        let mut ratio = Map::new();
        ratio.insert("at_end".into(), json::float(size.at_end));
        let limit = size.limit.filter(|_| settled);
        ratio.extend(limit.map(|limit| ("limit".into(), json::float(limit))));
        ratio.insert("status".into(), "measured".into());
        constant.insert("measured_over_exact".into(), Value::Object(ratio));
        map.insert("constant".into(), Value::Object(constant));
    }
    let local = rate.local.iter().map(|local| {
        let mut map = Map::new();
        map.insert("from".into(), json::integer(local.from));
        map.insert("to".into(), json::integer(local.to));
        map.insert("slope".into(), json::float(local.slope));
        Value::Object(map)
    });
    map.insert("local_slopes".into(), local.collect());
    Value::Object(map)
}

/// One line a quantity.
///
/// # Errors
/// None in practice: writing to memory.
pub fn csv(approach: &Approach) -> Result<String, Failure> {
    let number = |value: Option<f64>| value.map_or_else(String::new, csv::float);
    match approach {
        Approach::Powers { rates, .. } => {
            let header = [
                "quantity",
                "claimed_slope",
                "measured_slope",
                "limit_slope",
                "uncertainty",
                "exact_constant",
                "measured_over_exact_at_end",
                "measured_over_exact_limit",
                "verdict",
            ];
            let records = rates.iter().map(|rate| {
                let settled = rate.verdict != Verdict::Inconclusive;
                let slope = rate.slope.filter(|_| settled);
                let size = rate.size.filter(|_| settled);
                vec![
                    rate.quantity.key().to_owned(),
                    csv::float(rate.quantity.claimed()),
                    number(rate.slope.map(|slope| slope.plain)),
                    number(slope.map(|slope| slope.limit)),
                    number(slope.map(|slope| slope.uncertainty)),
                    number(rate.size.map(|size| size.sharp)),
                    number(rate.size.map(|size| size.at_end)),
                    number(size.and_then(|size| size.limit)),
                    rate.verdict.name().to_owned(),
                ]
            });
            csv::text(&header.map(str::to_owned), records)
        }
        Approach::Geometric { measured, predicted } => csv::text(
            &["measured_factor", "predicted_factor"].map(str::to_owned),
            [vec![number(*measured), number(*predicted)]],
        ),
    }
}
