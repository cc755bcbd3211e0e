//! What a sweep varies: `tokens=256..2048*2` read exactly.

use std::path::PathBuf;

use popgd_core::theory::exponents::Variable;

use super::tree::Kind;
use super::values::Values;
use super::{Arguments, keys};
use crate::error::Failure;
use crate::number::Exact;

/// More runs than these are a slip of the pen.
const MAX_VALUES: usize = 10_000;

/// One variable and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is varied.
    pub variable: Variable,
    /// In the order given, each once.
    pub values: Vec<Exact>,
}

/// Where results of jobs come from, and what is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// They are computed here.
    Here,
    /// They are only planned.
    Plan(PathBuf),
    /// They were computed elsewhere: a pattern of file names.
    Files(String),
}

/// ‖V*‖_F of all runs of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum CommonNorm {
    /// The largest at which attention moves slowly in every run.
    Auto,
    /// This.
    Norm(Exact),
}

/// A sweep as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepSettings {
    /// What is varied; empty if results come from files.
    pub axes: Vec<Axis>,
    /// Every combination, instead of one variable at a time.
    pub product: bool,
    /// A norm for all, if that was asked for.
    pub common_norm: Option<CommonNorm>,
    /// Whether steps were given.
    pub steps_given: bool,
    /// Where runs are computed.
    pub source: Source,
    /// Where results are kept.
    pub resume: Option<PathBuf>,
    /// How many runs at a time; 0 for one a processor.
    pub threads: usize,
}

/// The name of a variable on the command line.
pub fn name(variable: Variable) -> &'static str {
    match variable {
        Variable::Tokens => "tokens",
        Variable::Group => "group",
        Variable::TeacherNorm => "teacher-norm",
        Variable::Rate => "rate",
        Variable::Steps => "steps",
    }
}

/// The key of a variable.
pub fn key(variable: Variable) -> &'static str {
    match variable {
        Variable::TeacherNorm => "teacher_norm",
        other => name(other),
    }
}

/// The sweep that arguments ask for; none if they ask for a single run.
///
/// # Errors
/// What cannot be read, and what does not go together.
pub fn resolve(arguments: &Arguments) -> Result<Option<SweepSettings>, Failure> {
    let values = arguments.values()?;
    let axes = axes(&values)?;
    let from = values.text("from")?.map(str::to_owned);
    if axes.is_empty() && from.is_none() {
        for key in ["product", "common_norm", "plan", "resume", "threads"] {
            if values.has(key) {
                return Err(values.fail(key, "is for sweeps: give --sweep VAR=VALUES too"));
            }
        }
        return Ok(None);
    }
    if from.is_some() {
        let idle = ["sweep", "product", "common_norm", "resume", "threads"];
        if let Some(key) = idle.into_iter().find(|key| values.has(key)) {
            return Err(values.fail(key, "has nothing to do with --from: results know their sweep"));
        }
    }
    for axis in &axes {
        let own = key(axis.variable);
        if matches!(axis.variable, Variable::TeacherNorm) && values.has("common_norm") {
            return Err(
                values.fail("common_norm", "the norm is what --sweep varies: leave one out")
            );
        }
        let by_size = matches!(axis.variable, Variable::Tokens | Variable::Group);
        if let Some(given) = ["s", "classes"].into_iter().find(|key| values.has(key) && by_size) {
            let message = format!("{own} cannot be varied together with `{given}`, which fixes it");
            return Err(values.fail("sweep", message));
        }
    }
    let common_norm = match values.text("common_norm")? {
        None => None,
        Some("auto") => Some(CommonNorm::Auto),
        Some(_) => match values.number("common_norm")? {
            Some(norm) if norm.is_positive() => Some(CommonNorm::Norm(norm)),
            _ => return Err(values.fail("common_norm", "expected auto, or a norm above 0")),
        },
    };
    let threads = values.integer("threads")?;
    if threads == Some(0) {
        return Err(values.fail("threads", "expected at least 1"));
    }
    let source = match (values.path("plan")?, from) {
        (Some(path), _) => Source::Plan(path),
        (None, Some(pattern)) => Source::Files(pattern),
        (None, None) => Source::Here,
    };
    Ok(Some(SweepSettings {
        product: values.switch("product")?,
        common_norm,
        steps_given: values.has("steps"),
        source,
        resume: values.path("resume")?,
        threads: threads.map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX)),
        axes,
    }))
}

fn axes(values: &Values) -> Result<Vec<Axis>, Failure> {
    let Some(given) = values.get("sweep") else { return Ok(Vec::new()) };
    let texts: Vec<&str> = match &given.node.kind {
        Kind::Text(text) => vec![text],
        Kind::List(items) => items
            .iter()
            .map(|item| match &item.kind {
                Kind::Text(text) => Ok(text.as_str()),
                _ => Err(values.fail("sweep", "expected texts such as \"tokens=16,32\"")),
            })
            .collect::<Result<_, _>>()?,
        _ => return Err(values.fail("sweep", "expected a text such as \"tokens=16,32\"")),
    };
    let mut axes: Vec<Axis> = Vec::new();
    for text in texts {
        let axis = axis(text).map_err(|message| values.fail("sweep", message))?;
        if axes.iter().any(|other| other.variable == axis.variable) {
            let message =
                format!("{} is varied twice: put all values into one", name(axis.variable));
            return Err(values.fail("sweep", message));
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// `VAR=a,b,c` or `VAR=lo..hi*f`.
fn axis(text: &str) -> Result<Axis, String> {
    let names = Variable::ALL.map(name);
    let Some((variable, list)) = text.split_once('=') else {
        return Err(format!(
            "expected VAR=VALUES, such as tokens=256..2048*2 or rate=1/10,1/20; found `{text}`"
        ));
    };
    let wanted = variable.trim().replace('_', "-");
    let Some(variable) = Variable::ALL.into_iter().find(|&variable| name(variable) == wanted)
    else {
        let hint = keys::closest(&wanted, names.into_iter())
            .map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"));
        let names = names.join(", ");
        return Err(format!("`{wanted}` cannot be varied: expected one of {names}{hint}"));
    };
    let number = |text: &str| Exact::parse(text).map_err(|error| error.to_string());
    let values = match list.split_once("..") {
        None => list.split(',').map(number).collect::<Result<Vec<_>, _>>()?,
        Some((low, rest)) => {
            let Some((high, factor)) = rest.split_once('*') else {
                return Err(format!(
                    "a range needs a factor, such as {}..{}*2",
                    low.trim(),
                    rest.trim()
                ));
            };
            range(&number(low)?, &number(high)?, &number(factor)?)?
        }
    };
    let mut seen: Vec<&Exact> = values.iter().collect();
    seen.sort_unstable();
    if let Some([twice, _]) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("the value {twice} is there twice"));
    }
    if values.len() < 2 {
        return Err("expected at least two values to compare".to_owned());
    }
    let whole = !matches!(variable, Variable::TeacherNorm | Variable::Rate);
    for value in &values {
        if !value.is_positive() || whole && value.to_integer().is_none() {
            let kind = if whole { "integers above 0" } else { "numbers above 0" };
            return Err(format!("{} takes {kind}, found {value}", name(variable)));
        }
    }
    Ok(Axis { variable, values })
}

/// low, low·f, low·f², … up to high.
fn range(low: &Exact, high: &Exact, factor: &Exact) -> Result<Vec<Exact>, String> {
    if !low.is_positive() || low > high || *factor <= Exact::one() {
        return Err(format!(
            "expected a range upwards from above 0 with a factor above 1, found {low}..{high}*{factor}"
        ));
    }
    // Counted before they are made: exact powers of a factor next to 1 grow very long.
    let logarithm = |number: &Exact| number.to_f64().ln();
    let count = (logarithm(high) - logarithm(low)) / logarithm(factor);
    if !(count <= MAX_VALUES as f64) {
        return Err(format!("more than {MAX_VALUES} values: take a larger factor"));
    }
    let mut values = vec![low.clone()];
    while let Some(next) = values.last().map(|last| last * factor).filter(|next| next <= high) {
        values.push(next);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        axis(text).unwrap().values.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lists_and_ranges_are_exact() {
        assert_eq!(shown("tokens=256..2048*2"), ["256", "512", "1024", "2048"]);
        assert_eq!(shown("tokens=16..100*2"), ["16", "32", "64"]);
        assert_eq!(shown("rate=1/10,0.3"), ["0.1", "0.3"]);
        assert_eq!(shown("teacher_norm=1..3*3/2"), ["1", "1.5", "2.25"]);
        assert_eq!(axis("teacher-norm=1,2").unwrap().variable, Variable::TeacherNorm);
    }

    #[test]
    fn what_is_no_sweep_says_what_is() {
        for (text, part) in [
            ("tokens", "VAR=VALUES"),
            ("tokes=1,2", "did you mean `tokens`"),
            ("tokens=4,4", "twice"),
            ("tokens=4", "at least two"),
            ("tokens=4..64", "factor"),
            ("tokens=4..64*1", "factor above 1"),
            ("tokens=64..4*2", "upwards"),
            ("tokens=1/2,3", "integers"),
            ("rate=0,1", "above 0"),
            ("rate=1..1e9*1.0000001", "larger factor"),
        ] {
            let message = axis(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
