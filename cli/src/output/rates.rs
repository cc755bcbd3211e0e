//! What `popgd rates` found, in every form.

use serde_json::{Map, Value};

use crate::asymptotics::{
    Approach, Doubt, Mend, Quantity, Rate, TOLERANCE, Verdict, has_limit_law,
};
use crate::error::Failure;
use crate::output::csv;
use crate::output::digits::{grouped, ratio, short};
use crate::output::json;
use crate::output::style::{Style, wrapped};
use crate::output::table;
use crate::settings::{ModelSettings, ScalarKind, Task};

/// How many decades of local slopes a table shows.
const DECADES: f64 = 3.0;

/// Letters in a line of prose.
const WIDTH: usize = 80;

/// For people: the verdicts first, then what they rest on.
pub fn for_people(model: &ModelSettings, approach: &Approach, style: Style) -> String {
    let mut text = table::heading(model, style);
    text.push('\n');
    match approach {
        Approach::Powers { decade, tangents, doubt, mend, rates, .. } => {
            text.push_str(&format!(
                "{}\n",
                style.bold("Does each quantity fall by the power of T that Theorem 3.1 claims?")
            ));
            text.push_str(&verdicts(rates, style));
            text.push_str(&criterion(*decade, style));
            if let (Some(doubt), Some(mend)) = (doubt, mend) {
                let undecided = format!("Not decided: {}.", why(*doubt, *tangents));
                let undecided = format!("{undecided} {}", sentence(&remedy(model, *doubt, *mend)));
                text.push_str(&style.open(&wrapped(&undecided, WIDTH)));
                text.push('\n');
            }
            text.push_str(&format!("\n{}\n", style.bold("Slopes between recorded steps")));
            text.push_str(&local_slopes(rates));
            text.push_str(&format!("\n{}\n", style.bold("Size beside the exact limit law")));
            if has_limit_law(model) {
                text.push_str(&sizes(rates));
                text.push_str(&style.dim(&format!("{}\n", wrapped(SIZES, WIDTH))));
            } else {
                text.push_str(&format!("{}\n", wrapped(NO_LIMIT_LAW, WIDTH)));
            }
        }
        Approach::Geometric { measured, predicted } => {
            text.push_str(&geometric(model, *measured, *predicted, style));
        }
    }
    text
}

fn verdicts(rates: &[Rate], style: Style) -> String {
    let heads = ["", "claimed", "last decade", "as T → ∞", "verdict"];
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
            format!("{} {}", rate.quantity.name(), rate.quantity.formula()),
            ratio(claimed),
            plain,
            limit,
            rate.verdict.name().to_owned(),
        ]
    });
    let mut table = table::table(&heads, lines);
    if let Some(column) = table.column_mut(4) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
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

const SIZES: &str = "Exact limits are cited from note 4, whose proof assumes that the run \
    converges; Theorem 3.1 is cited without the constants that it leaves open; ratios are measured.";

const NO_LIMIT_LAW: &str = "none: the exact limits and the bounds of Theorem 3.1 are for positions \
    with PᵀP = γI, and these are others.";

/// What the verdicts rest on.
fn criterion(decade: Option<[u64; 2]>, style: Style) -> String {
    let from_to = match decade {
        Some([from, to]) => format!("T = {} … {}", grouped(from), grouped(to)),
        None => "fewer than 10 steps".to_owned(),
    };
    let text = format!(
        "Slopes of ln(quantity) against ln(T). Last decade: a straight line, {from_to}. As T → ∞: \
         the same points with corrections T^−1/2, T^−1, T^−3/2 taken out; the verdict (measured) is on this \
         slope, and it agrees if it is within {TOLERANCE} of the claim (cited)."
    );
    style.dim(&format!("{}\n", wrapped(&text, WIDTH)))
}

/// Why a verdict is withheld.
fn why(doubt: Doubt, [from, to]: [f64; 2]) -> String {
    match doubt {
        Doubt::TooFewSteps => "there is no decade of recorded steps yet".to_owned(),
        Doubt::BrokenOff => "the run broke off before its last step".to_owned(),
        Doubt::Vanished => "figures are exactly 0, below what this scalar resolves: attention is \
                            at its goal but for rounding, which is where the first steps have \
                            taken it"
            .to_owned(),
        Doubt::Standing => format!(
            "tan θ, the distance of attention from its goal, does not fall: it is {} at both ends \
             of the last decade",
            short(to)
        ),
        Doubt::Frozen => format!(
            "tan θ, the distance of attention from its goal, is already {} and moves no more: the \
             first steps, or the start, have taken it that far",
            short(to)
        ),
        Doubt::BurnIn => format!(
            "too early: tan θ, the distance of attention from its goal, is {} at the start of the \
             last decade and {} at its end; a rate is read only where it stays below 0.2",
            short(from),
            short(to)
        ),
        Doubt::OtherClock => format!(
            "tan θ does not fall like T^−1/2 over the last decade, from {} to {}: the run began \
             ahead (from a late state, or by a first step that went far) or has lost steps in \
             burn-in, so that T is not yet the time that counts",
            short(from),
            short(to)
        ),
        Doubt::Rounding => "plain sums lose increments to rounding after so many steps".to_owned(),
        Doubt::SlowModes => "c, or differences between tokens of unequal weights, relax so slowly \
                             that they have not died out in the last decade"
            .to_owned(),
        Doubt::Corrections => "the corrections are still too large to be taken out".to_owned(),
        Doubt::Size => "slopes are near the claim, but sizes do not come within 5 % of the exact \
                        limits, so the limit is not reached"
            .to_owned(),
        Doubt::OutsideTheorem => "the slope is another one, but positions without PᵀP = γI are \
                                  not what Theorem 3.1 is about"
            .to_owned(),
    }
}

/// What would help, without a capital and a full stop.
pub fn remedy(model: &ModelSettings, doubt: Doubt, mend: Mend) -> String {
    let slower = "a smaller --rate or --teacher-norm";
    match (mend, doubt) {
        (Mend::Longer(steps), _) => format!("run longer: --steps {steps}"),
        (Mend::TooLong(steps), _) => {
            let steps = if steps.is_finite() {
                format!("about {} steps, which are out of reach", short(rounded(steps)))
            } else {
                "more steps than can be counted".to_owned()
            };
            let instead = match doubt {
                Doubt::OtherClock if model.state.is_some() => "another start",
                Doubt::OtherClock => slower,
                Doubt::SlowModes => "a larger --rate or --teacher-norm, or weights less unequal",
                _ if model.state.is_some() => "another start, or a larger --rate or --teacher-norm",
                _ => "a larger --rate or --teacher-norm",
            };
            format!("it would take {steps}; choose {instead}")
        }
        (Mend::Otherwise, Doubt::BrokenOff) => match model.scalar {
            ScalarKind::Interval32 => {
                "plain interval steps carry no further: use --scalar interval64, or f64 without \
                 enclosing"
                    .to_owned()
            }
            ScalarKind::Interval64 => {
                "plain interval steps carry no further: measure with --scalar f64".to_owned()
            }
            ScalarKind::F32 | ScalarKind::F64 => "check the --rate and the start".to_owned(),
        },
        (Mend::Otherwise, Doubt::Rounding) => "use --accumulate compensated".to_owned(),
        (Mend::Otherwise, Doubt::OutsideTheorem) => {
            "leave out p, or take an orthogonal one".to_owned()
        }
        (Mend::Otherwise, Doubt::Vanished | Doubt::Frozen) => {
            format!("more steps do not help; choose {slower}, or another start")
        }
        (Mend::Otherwise, _) if !has_limit_law(model) => {
            "more steps do not help; check p, the start, the --rate and the --teacher-norm"
                .to_owned()
        }
        (Mend::Otherwise, _) => {
            "more steps do not help; check the start, the --rate and the --teacher-norm".to_owned()
        }
    }
}

/// To two digits: a prediction deserves no more.
fn rounded(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// With a capital and a full stop, unless it ends in what is to be typed.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let head: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if text.contains("--steps ") { "" } else { "." };
    format!("{head}{}{stop}", letters.as_str())
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
    let heads = ["", "Theorem 3.1", "exact limit", "measured ÷ exact", "as T → ∞"];
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
        Some(vec![
            format!("{factor} {formula}"),
            size.stated.map_or("–".to_owned(), short),
            short(size.sharp),
            ratio(size.at_end),
            limit,
        ])
    });
    table::text(&table::table(&heads, lines))
}

fn geometric(
    model: &ModelSettings,
    measured: Option<f64>,
    predicted: Option<f64>,
    style: Style,
) -> String {
    let mut text = style.bold("No power of T: convergence is geometric.\n");
    let columns = if model.task == Task::Custom { "" } else { ", that is K < D" };
    let told = format!(
        "No column of S* has a zero, so attention need not go to a limit at infinity. (The rates \
         of Theorem 3.1 are for columns with zeros{columns}.) |c − 1| shrinks in every step by a \
         factor:"
    );
    text.push_str(&wrapped(&told, WIDTH));
    // A factor near 1 is told by what it lacks.
    let show = |lost: Option<f64>| match lost {
        None => "–".to_owned(),
        Some(lost) if lost.abs() < 1e-3 => format!("1 − {}", short(lost)),
        Some(lost) => short(1.0 - lost),
    };
    let (measured, predicted) = (show(measured), show(predicted));
    text.push_str(&format!(
        "\n  measured   {measured}\n  predicted  {predicted}   (cited: note 4)\n"
    ));
    text
}

/// The part of the JSON document that `rates` adds.
pub fn insert(document: &mut Map<String, Value>, approach: &Approach) {
    match approach {
        Approach::Powers { decade, tangents: [start, end], past_burn_in, doubt, mend, rates } => {
            let mut asymptotic = Map::new();
            asymptotic.insert("past_burn_in".into(), (*past_burn_in).into());
            asymptotic.insert("tangent_at_decade_start".into(), json::float(*start));
            asymptotic.insert("tangent_at_end".into(), json::float(*end));
            if let Some(doubt) = doubt {
                asymptotic.insert("doubt".into(), doubt.name().into());
            }
            match mend {
                Some(Mend::Longer(steps)) => {
                    asymptotic.insert("needed_steps".into(), json::integer(*steps));
                }
                Some(Mend::TooLong(steps)) => {
                    asymptotic.insert("unreachable_steps".into(), json::float(*steps));
                }
                Some(Mend::Otherwise) | None => {}
            }
            document.insert("asymptotic".into(), Value::Object(asymptotic));
            document.insert("tolerance".into(), TOLERANCE.into());
            let rates = rates.iter().map(|found| rate(found, *decade)).collect();
            document.insert("rates".into(), Value::Array(rates));
        }
        Approach::Geometric { measured, predicted } => {
            let mut map = Map::new();
            let mut insert = |name: &str, lost: Option<f64>, status: &str| {
                if let Some(lost) = lost {
                    let mut claimed = Map::new();
                    claimed.insert("factor".into(), json::float(1.0 - lost));
                    claimed.insert("one_minus_factor".into(), json::float(lost));
                    claimed.insert("status".into(), status.into());
                    map.insert(name.into(), Value::Object(claimed));
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

fn rate(rate: &Rate, decade: Option<[u64; 2]>) -> Value {
    // A limit is not given before it is one.
    let settled = rate.verdict != Verdict::Inconclusive;
    let mut map = Map::new();
    map.insert("quantity".into(), rate.quantity.key().into());
    map.insert("verdict".into(), rate.verdict.name().into());
    if let Some(doubt) = rate.doubt {
        map.insert("doubt".into(), doubt.name().into());
    }
    map.insert("claimed".into(), claim("slope", json::float(rate.quantity.claimed()), "cited"));
    if let (Some(slope), Some([from, to])) = (rate.slope, decade) {
        let mut measured = Map::new();
        measured.insert("slope".into(), json::float(slope.plain));
        if settled {
            measured.insert("limit_slope".into(), json::float(slope.limit));
            measured.insert("uncertainty".into(), json::float(slope.uncertainty));
        }
        measured.insert("from".into(), json::integer(from));
        measured.insert("to".into(), json::integer(to));
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
                "stated_constant",
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
                    number(rate.size.and_then(|size| size.stated)),
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
            [[measured, predicted].map(|lost| number(lost.map(|lost| 1.0 - lost))).to_vec()],
        ),
    }
}
