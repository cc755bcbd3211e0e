//! The public ITF1788 test libraries against `Interval<f64>`.
//!
//! Read from the folder `ITF1788_DIR`, by default `../shared/itf1788` beside the repository. The
//! files are those of <https://github.com/oheim/ITF1788>, folder `itl`; without them the test says
//! that it is skipped. Results of arithmetic, root, fma, sets, relations, numeric functions and text
//! must be equal; those of elementary functions and integer powers must contain the expected
//! interval and be at most two floats wider on each side.

use std::collections::BTreeMap;
use std::path::PathBuf;

use popgd_core::Interval;
use popgd_core::scalar::Scalar;

type I = Interval<f64>;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Interval(I),
    Number(f64),
    Truth(bool),
    Text(String),
    /// A word or a decorated interval: nothing that is tested here.
    Other(String),
}

/// One line `operation arguments = results;`.
#[derive(Debug)]
struct Statement {
    operation: String,
    arguments: Vec<Value>,
    results: Vec<Value>,
    signal: Option<String>,
    source: String,
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    let (mut in_text, mut skipped) = (false, 0);
    while let Some(c) = rest.chars().next() {
        skipped = if !in_text && rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if !in_text && rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            in_text ^= c == '"';
            kept.push(c);
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    assert!(skipped > 0, "an empty file");
    kept
}

/// Words, texts in quotes, and intervals with what is attached to them.
fn tokens(statement: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut closing = None;
    for c in statement.chars() {
        let token = tokens.last_mut().expect("one at least");
        if closing.is_none() && c.is_whitespace() {
            if !token.is_empty() {
                tokens.push(String::new());
            }
            continue;
        }
        token.push(c);
        closing = match (closing, c) {
            (None, '[') => Some(']'),
            (None, '"') => Some('"'),
            (Some(end), c) if end == c => None,
            (closing, _) => closing,
        };
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Decimal tokens are rounded, hexadecimal ones are exact.
fn number(token: &str) -> Option<f64> {
    let lower = token.trim().to_ascii_lowercase();
    let (sign, size) = match lower.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, lower.strip_prefix('+').unwrap_or(&lower)),
    };
    let Some(hexadecimal) = size.strip_prefix("0x") else {
        return size.parse::<f64>().ok().map(|x| sign * x);
    };
    let (digits, exponent) = hexadecimal.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let significand = u128::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    assert!(significand == 0 || significand >> significand.trailing_zeros() < 1 << 53);
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    // In two steps: the first one is exact.
    let half = exponent / 2;
    Some(sign * (significand as f64 * 2_f64.powi(half)) * 2_f64.powi(exponent - half))
}

fn value(token: &str) -> Value {
    if let Some(text) = token.strip_prefix('"') {
        return Value::Text(text.trim_end_matches('"').to_owned());
    }
    if let Some(inner) = token.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let parts: Vec<_> = inner.split(',').map(str::trim).collect();
        let interval = match parts[..] {
            ["empty"] => Some(I::EMPTY),
            ["entire"] => Some(I::ENTIRE),
            [x] => number(x).map(I::point),
            [lo, hi] => number(lo).zip(number(hi)).and_then(|(lo, hi)| I::new(lo, hi)),
            _ => None,
        };
        return interval.map_or_else(|| Value::Other(token.to_owned()), Value::Interval);
    }
    match token {
        "true" => Value::Truth(true),
        "false" => Value::Truth(false),
        _ => number(token).map_or_else(|| Value::Other(token.to_owned()), Value::Number),
    }
}

fn statements(text: &str) -> Vec<Statement> {
    let text = without_comments(text);
    let mut statements = Vec::new();
    for line in text.split(';') {
        // The start of a test case, or the end of the one before.
        let start = line.find("testcase").and_then(|at| Some(at + line[at..].find('{')? + 1));
        let line = &line[start.unwrap_or(0)..];
        let source = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = tokens(line);
        let Some(equals) = words.iter().position(|word| word == "=").filter(|&at| at > 0) else {
            continue;
        };
        let mut results: Vec<_> = words[equals + 1..].to_vec();
        let signal = results.iter().position(|word| word == "signal").map(|at| {
            let signal = results[at + 1..].join(" ");
            results.truncate(at);
            signal
        });
        statements.push(Statement {
            operation: words[0].clone(),
            arguments: words[1..equals].iter().map(|word| value(word)).collect(),
            results: results.iter().map(|word| value(word)).collect(),
            signal,
            source,
        });
    }
    statements
}

enum Answer {
    /// Must be equal to what is expected.
    Exact(Vec<Value>),
    /// Must contain it, and be at most two floats wider on each side.
    Enclosure(I),
}

fn answer(operation: &str, arguments: &[Value]) -> Option<Answer> {
    use Value::{Interval as Int, Number, Text, Truth};
    let exact = |interval: I| Some(Answer::Exact(vec![Int(interval)]));
    let truth = |truth: bool| Some(Answer::Exact(vec![Truth(truth)]));
    let scalar = |x: f64| Some(Answer::Exact(vec![Number(x)]));
    let enclosure = |interval: I| Some(Answer::Enclosure(interval));
    match *arguments {
        [Int(x)] => match operation {
            "pos" => exact(x),
            "neg" => exact(-x),
            "recip" => exact(x.recip()),
            "sqr" => exact(x.square()),
            "sqrt" => exact(x.sqrt()),
            "abs" => exact(x.abs()),
            "exp" => enclosure(x.exp()),
            "log" => enclosure(x.ln()),
            "sin" => enclosure(x.sin()),
            "cos" => enclosure(x.cos()),
            "asin" => enclosure(x.asin()),
            "acos" => enclosure(x.acos()),
            "atan" => enclosure(x.atan()),
            "inf" => scalar(x.inf()),
            "sup" => scalar(x.sup()),
            "mid" => scalar(x.mid()),
            "rad" => scalar(x.rad()),
            "wid" => scalar(x.wid()),
            "mag" => scalar(x.mag()),
            "mig" => scalar(x.mig()),
            "midRad" => Some(Answer::Exact(vec![Number(x.mid()), Number(x.rad())])),
            "isEmpty" => truth(x.is_empty()),
            "isEntire" => truth(x.is_entire()),
            "isSingleton" => truth(x.is_singleton()),
            "isCommonInterval" => truth(x.is_common()),
            _ => None,
        },
        [Int(x), Int(y)] => match operation {
            "add" => exact(x + y),
            "sub" => exact(x - y),
            "mul" => exact(x * y),
            "div" => exact(x / y),
            "min" => exact(x.min(y)),
            "max" => exact(x.max(y)),
            "intersection" => exact(x.intersection(y)),
            "convexHull" => exact(x.hull(y)),
            "atan2" => enclosure(x.argument(y)),
            "equal" => truth(x == y),
            "subset" => truth(x.is_subset_of(y)),
            "interior" => truth(x.is_interior_to(y)),
            "disjoint" => truth(x.is_disjoint_from(y)),
            "less" => truth(x.is_weakly_less_than(y)),
            "strictLess" => truth(x.is_strictly_less_than(y)),
            "precedes" => truth(x.precedes(y)),
            "strictPrecedes" => truth(x.strictly_precedes(y)),
            _ => None,
        },
        [Int(x), Int(y), Int(z)] if operation == "fma" => exact(x.fma(y, z)),
        [Int(x), Number(n)] if operation == "pown" => enclosure(x.pown(n as i32)),
        [Number(x), Int(y)] if operation == "isMember" => truth(y.contains(x)),
        [Number(x), Number(y)] if operation == "b-numsToInterval" => {
            exact(I::new(x, y).unwrap_or(I::EMPTY))
        }
        [Text(ref text)] if operation == "b-textToInterval" => {
            exact(text.parse().unwrap_or(I::EMPTY))
        }
        _ => None,
    }
}

/// Equal, with NaN equal to itself and zeros told apart.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
        }
        // The sign of these zeros is not that of a number.
        _ => a == b,
    }
}

fn is_within_two_floats(wide: I, tight: I) -> bool {
    let widened = |x: f64, step: fn(f64) -> f64| step(step(x));
    if wide.is_empty() || tight.is_empty() {
        return wide == tight;
    }
    tight.is_subset_of(wide)
        && widened(tight.lo(), f64::next_down) <= wide.lo()
        && wide.hi() <= widened(tight.hi(), f64::next_up)
}

/// Why a statement is not for these intervals.
fn reason(statement: &Statement) -> &'static str {
    let is_decorated = |value: &Value| matches!(value, Value::Other(text) if text.starts_with('['));
    if statement.operation.starts_with("d-")
        || ["newDec", "setDec", "decorationPart", "intervalPart", "isNaI"]
            .contains(&statement.operation.as_str())
        || statement.arguments.iter().chain(&statement.results).any(is_decorated)
    {
        "decorated"
    } else {
        "not implemented"
    }
}

#[derive(Default)]
struct Counts {
    run: usize,
    exact: usize,
    contained: usize,
    skipped: BTreeMap<&'static str, usize>,
}

#[test]
fn bare_cases_of_the_implemented_operations() {
    let folder = std::env::var_os("ITF1788_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/itf1788")),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "SKIPPED: no folder {}. Set ITF1788_DIR to the folder itl of https://github.com/oheim/ITF1788",
            folder.display()
        );
        return;
    };
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut failures = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry of the folder").path();
        if path.extension().is_none_or(|extension| extension != "itl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let all = statements(&text);
        assert!(!all.is_empty(), "{}", path.display());
        for statement in all {
            let count = counts.entry(statement.operation.clone()).or_default();
            let has_other = |values: &[Value]| values.iter().any(|v| matches!(v, Value::Other(_)));
            let answer = answer(&statement.operation, &statement.arguments);
            let Some(answer) = answer.filter(|_| !has_other(&statement.results)) else {
                *count.skipped.entry(reason(&statement)).or_default() += 1;
                continue;
            };
            count.run += 1;
            let (same, contained) = match &answer {
                Answer::Exact(values) => (
                    values.len() == statement.results.len()
                        && values.iter().zip(&statement.results).all(|(a, b)| is_same(a, b)),
                    false,
                ),
                Answer::Enclosure(range) => match statement.results[..] {
                    [Value::Interval(expected)] => {
                        (*range == expected, is_within_two_floats(*range, expected))
                    }
                    _ => (false, false),
                },
            };
            let refused = match (&statement.arguments[..], statement.signal.as_deref()) {
                ([Value::Text(text)], Some("UndefinedOperation")) => text.parse::<I>().is_err(),
                ([Value::Text(text)], _) => text.parse::<I>().is_ok(),
                _ => true,
            };
            if same && refused {
                count.exact += 1;
            } else if contained {
                count.contained += 1;
            } else {
                let shown = match answer {
                    Answer::Exact(values) => format!("{values:?}"),
                    Answer::Enclosure(range) => format!("{range:x}"),
                };
                failures.push(format!("{} gave {shown}", statement.source));
            }
        }
    }
    println!("{:20} {:>5} {:>6} {:>10}  skipped", "operation", "run", "exact", "contained");
    let mut total = (0, 0, 0, 0);
    for (operation, count) in &counts {
        let skipped: Vec<_> =
            count.skipped.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        println!(
            "{operation:20} {:>5} {:>6} {:>10}  {}",
            count.run,
            count.exact,
            count.contained,
            skipped.join(", ")
        );
        total.0 += count.run;
        total.1 += count.exact;
        total.2 += count.contained;
        total.3 += count.skipped.values().sum::<usize>();
    }
    println!("{:20} {:>5} {:>6} {:>10}  {}", "in all", total.0, total.1, total.2, total.3);
    for failure in failures.iter().take(30) {
        println!("FAILED {failure}");
    }
    assert!(failures.is_empty(), "{} failures", failures.len());
    assert!(total.0 > 2000, "the library has become small");
}
