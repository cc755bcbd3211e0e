//! What `popgd construct mirror-descent` runs.

use serde_json::Value;

use super::super::values::Values;
use super::super::{Arguments, echo};
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::construct_args::MirrorDescentArgs;
use crate::error::Failure;
use crate::number::Exact;
use crate::output::digits::grouped;
use crate::settings::Matrix;

/// Its flags, by key.
pub(super) fn flags(arguments: &mut Arguments, args: &MirrorDescentArgs) -> Result<(), Failure> {
    let MirrorDescentArgs {
        shared,
        alphabet,
        order,
        length,
        concentration,
        transitions,
        sequences,
        rate,
        steps,
        mask_strength,
    } = args;
    arguments.shared(shared)?;
    for (key, value) in [
        ("alphabet", alphabet),
        ("order", order),
        ("length", length),
        ("concentration", concentration),
        ("rate", rate),
        ("steps", steps),
        ("mask_strength", mask_strength),
    ] {
        arguments.text(key, value.as_deref());
    }
    arguments.path("transitions", transitions.as_deref())?;
    arguments.path("sequences", sequences.as_deref())
}

/// Its keys beside those that all constructions have.
const OWN: [&str; 9] = [
    "alphabet",
    "order",
    "length",
    "concentration",
    "transitions",
    "sequences",
    "rate",
    "steps",
    "mask_strength",
];

/// More tokens make q² transitions too many.
const MAX_ALPHABET: u64 = 1000;
/// More lags are a slip of the pen.
const MAX_ORDER: u64 = 64;
/// Every token looks at all before it.
const MAX_LENGTH: u64 = 10_000;
/// A transformer may hold so many numbers, and there is one on every core.
const MAX_NUMBERS: u64 = 1 << 25;
/// Every step is two layers.
const MAX_STEPS: u64 = 100;
/// Rows of π may miss 1 by the rounding of their entries.
const SLACK: (u64, u64) = (1, 1_000_000_000_000);

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(arguments: &Arguments) -> Result<MirrorDescent, Failure> {
    let mut values = arguments.values()?;
    if values.has("sequences") {
        for key in ["instances", "length"] {
            if values.has(key) {
                let message = "the sequences say it: leave it out";
                return Err(values.fail(key, message));
            }
        }
    }
    let (mut shared, mut echo) = super::shared(&mut values, "mirror-descent", &OWN, 100)?;
    let transitions = transitions(&values)?;
    let default_alphabet = transitions.as_ref().map_or(10, |matrix| matrix.rows as u64);
    let alphabet = super::in_range(&values, "alphabet", default_alphabet, 1..=MAX_ALPHABET)?;
    if let Some(matrix) = transitions.as_ref().filter(|matrix| matrix.rows as u64 != alphabet) {
        let message = format!("the transitions have {} rows: leave it out", matrix.rows);
        return Err(values.fail("alphabet", message));
    }
    let order = super::in_range(&values, "order", 3, 1..=MAX_ORDER)?;
    let length = super::in_range(&values, "length", 100.max(order), order..=MAX_LENGTH)?;
    let concentration = match values.number("concentration")? {
        None => Exact::one(),
        Some(a) if a.is_positive() => a,
        Some(a) => {
            let message = format!("expected a number above 0, found {a}");
            return Err(values.fail("concentration", message));
        }
    };
    let sequences = sequences(&values, alphabet, order)?;
    if let Some(sequences) = &sequences {
        shared.instances = sequences.len() as u64;
    }
    let whole = &(&Exact::integer(order) * &concentration) + &Exact::one();
    let rate = match values.number("rate")? {
        Some(rate) if rate.is_negative() => {
            let message = format!("expected 0 or more, found {rate}");
            return Err(values.fail("rate", message));
        }
        Some(rate) => rate,
        None => whole.reciprocal().unwrap_or_else(Exact::one),
    };
    let steps = super::in_range(&values, "steps", 1, 1..=MAX_STEPS)?;
    let mask_strengths = strengths(&values)?;
    let longest = match &sequences {
        Some(sequences) => sequences.iter().map(Vec::len).max().unwrap_or(0) as u64,
        None => length,
    };
    let numbers = numbers(alphabet, order, longest, steps);
    if numbers > MAX_NUMBERS {
        return Err(Failure::usage(format!(
            "a transformer of this size holds about {} numbers, more than {}: take fewer tokens \
             (--alphabet, --length), a smaller --order or fewer --steps",
            grouped(numbers),
            grouped(MAX_NUMBERS)
        )));
    }

    if sequences.is_some() {
        echo.remove("instances");
    }
    echo.insert("alphabet".into(), alphabet.into());
    echo.insert("order".into(), order.into());
    if sequences.is_none() {
        echo.insert("length".into(), length.into());
    }
    echo.insert("concentration".into(), echo::number(&concentration));
    echo.insert("rate".into(), echo::number(&rate));
    echo.insert("steps".into(), steps.into());
    let list = mask_strengths.iter().map(echo::number).collect();
    echo.insert("mask_strength".into(), Value::Array(list));
    if let Some(matrix) = &transitions {
        let rows = matrix.entries.chunks(matrix.columns.max(1));
        let rows = rows.map(|row| Value::Array(row.iter().map(echo::number).collect()));
        echo.insert("transitions".into(), rows.collect());
    }
    if let Some(sequences) = &sequences {
        let rows = sequences.iter().map(|row| Value::from(row.clone()));
        echo.insert("sequences".into(), rows.collect());
    }
    Ok(MirrorDescent {
        shared,
        alphabet: alphabet as usize,
        order: order as usize,
        length: length as usize,
        concentration,
        transitions: transitions.map(|matrix| matrix.entries),
        sequences,
        rate,
        steps: steps as usize,
        mask_strengths,
        echo: Value::Object(echo),
    })
}

/// About how many numbers a transformer holds, columns and weights.
fn numbers(alphabet: u64, order: u64, length: u64, steps: u64) -> u64 {
    if steps == 1 {
        // Columns of all layers.
        return length * (15 * alphabet + 11 * order + 5) + alphabet * alphabet;
    }
    let width = alphabet + (steps + 1) * order;
    let table = (order * order + order + 1) * width;
    (steps + 2) * (width * width + table) + 2 * length * (order + 1) * (width + 3)
}

/// π, whose rows are distributions.
fn transitions(values: &Values) -> Result<Option<Matrix>, Failure> {
    let Some(table) = values.table("transitions")? else { return Ok(None) };
    let size = table.rows.len();
    if size as u64 > MAX_ALPHABET {
        return Err(table.fail_all(format!("expected at most {MAX_ALPHABET} rows, found {size}")));
    }
    for (row, entries) in table.rows.iter().enumerate() {
        if let Some(column) = entries.iter().position(Exact::is_negative) {
            return Err(table.fail(row, column, "a probability is not negative"));
        }
        let sum: Exact = entries.iter().cloned().sum();
        let off = (&sum - &Exact::one()).abs();
        if Exact::ratio(SLACK.0, SLACK.1).is_some_and(|slack| off > slack) {
            let message = format!("row {} is no distribution: its sum is {sum}, not 1", row + 1);
            return Err(table.fail_all(message));
        }
    }
    let why = "a row for each token, a column for each that may follow it";
    table.matrix_of(size, size, why).map(Some)
}

/// Sequences of tokens below q, each as long as the order at least.
fn sequences(
    values: &Values,
    alphabet: u64,
    order: u64,
) -> Result<Option<Vec<Vec<usize>>>, Failure> {
    let Some(table) = values.table("sequences")? else { return Ok(None) };
    if table.rows.is_empty() {
        return Err(table.fail_all("it is empty, and at least one sequence was expected"));
    }
    let mut sequences = Vec::with_capacity(table.rows.len());
    for (row, entries) in table.rows.iter().enumerate() {
        let length = entries.len() as u64;
        if !(order..=MAX_LENGTH).contains(&length) {
            return Err(table.fail_all(format!(
                "row {}: expected {order} to {MAX_LENGTH} tokens, for the order is {order}; found \
                 {length}",
                row + 1
            )));
        }
        let mut sequence = Vec::with_capacity(entries.len());
        for (column, entry) in entries.iter().enumerate() {
            let token = entry.to_integer().filter(|&token| token < alphabet);
            let Some(token) = token.and_then(|token| usize::try_from(token).ok()) else {
                let message = format!("expected a token, 0 to {}, found {entry}", alphabet - 1);
                return Err(table.fail(row, column, message));
            };
            sequence.push(token);
        }
        sequences.push(sequence);
    }
    Ok(Some(sequences))
}

/// δ, one or several.
fn strengths(values: &Values) -> Result<Vec<Exact>, Failure> {
    let Some(list) = values.list("mask_strength") else {
        return Ok([4, 8, 12, 16, 20].map(Exact::integer).to_vec());
    };
    let mut strengths = Vec::with_capacity(list.len());
    for node in &list {
        let strength =
            values.number_of(node).map_err(|message| values.fail("mask_strength", message))?;
        if !strength.is_positive() {
            let message = format!("expected strengths above 0, found {strength}");
            return Err(values.fail("mask_strength", message));
        }
        strengths.push(strength);
    }
    strengths.sort();
    strengths.dedup();
    Ok(strengths)
}
