//! What was given: flags over a file, every value with its origin, read as what is expected.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::keys::{self, EXCLUSIVE, REPLACEMENTS};
use super::overridden;
use super::saved;
use super::tree::{Kind, Node};
use crate::data::{self, Table};
use crate::error::{Failure, Warning};
use crate::number::{Exact, NumberError, Span};
use crate::settings::{Matrix, ScalarKind};

/// Where a value comes from: what messages begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag(&'static str),
    /// A file.
    File {
        /// Its path.
        path: Rc<Path>,
        /// The line, if it is known.
        line: Option<usize>,
        /// The key.
        key: &'static str,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(key) => write!(f, "{}", flag_of(key)),
            Self::File { path, line: Some(line), key } => {
                write!(f, "{}:{line}: {key}", path.display())
            }
            Self::File { path, line: None, key } => write!(f, "{}: {key}", path.display()),
        }
    }
}

/// The flag that a key belongs to.
pub fn flag_of(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub struct Given {
    /// The value.
    pub node: Node,
    /// Where it comes from.
    pub origin: Origin,
}

/// All that was given, by key.
#[derive(Clone, Debug, Default)]
pub struct Values {
    entries: BTreeMap<&'static str, Given>,
    /// What files named in the configuration file are relative to.
    folder: PathBuf,
    /// What numbers must fit into.
    range: Range,
    /// What a flag took the place of, and should be told.
    replaced: Vec<Warning>,
}

/// The scalar types that numbers must fit into.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    single: bool,
    /// Whether results enclose the exact ones.
    rigorous: bool,
}

impl Values {
    /// Puts flags over the keys of a file.
    ///
    /// # Errors
    /// An unknown key, two keys that exclude each other, and a value that a flag replaces but that
    /// is wrong all the same.
    pub fn gather(
        flags: Vec<(&'static str, Node)>,
        file: Option<(PathBuf, Vec<(String, Node)>)>,
    ) -> Result<Self, Failure> {
        let mut values = Self::default();
        if let Some((path, entries)) = file {
            values.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
            let path: Rc<Path> = path.into();
            for (name, node) in saved::configuration(entries, &path)? {
                let Some(key) = keys::find(&name) else {
                    return Err(unknown_key(&path, node.line, &name, keys::suggest(&name)));
                };
                let origin =
                    Origin::File { path: Rc::clone(&path), line: node.line, key: key.name };
                values.entries.insert(key.name, Given { node, origin });
            }
            values.check_exclusive()?;
        }
        for (key, _) in &flags {
            overridden::check(&values, key)?;
        }
        for (key, node) in flags {
            values.replace(key, &node)?;
            values.entries.insert(key, Given { node, origin: Origin::Flag(key) });
        }
        values.check_exclusive()?;
        Ok(values)
    }

    /// Takes out of the file what a flag says in another way.
    fn replace(&mut self, flag: &'static str, node: &Node) -> Result<(), Failure> {
        for replacement in REPLACEMENTS.iter().filter(|replacement| replacement.flag == flag) {
            for key in replacement.keys {
                let Some(given) = self.get(key) else { continue };
                let Origin::File { .. } = given.origin else { continue };
                // A task and its preset go together.
                if given.node.kind == node.kind {
                    continue;
                }
                overridden::check(self, key)?;
                if let Some(given) = self.entries.remove(key)
                    && replacement.warns
                {
                    let (flag, key) = (flag_of(flag), given.origin.to_string());
                    self.replaced.push(Warning::Replaced { flag, key });
                }
            }
        }
        Ok(())
    }

    /// What flags took the place of.
    pub fn replaced(&self) -> Vec<Warning> {
        self.replaced.clone()
    }

    fn check_exclusive(&self) -> Result<(), Failure> {
        for group in EXCLUSIVE {
            let given: Vec<_> = group.keys.iter().filter_map(|key| self.origin(key)).collect();
            if let [first, second, ..] = given[..] {
                return Err(Failure::usage(format!(
                    "{second}: cannot be given together with `{first}`: {}; leave one of them out",
                    group.reason
                )));
            }
        }
        Ok(())
    }

    /// From now on numbers must fit into this type.
    pub fn set_scalar(&mut self, scalar: ScalarKind) {
        self.range = Range {
            single: matches!(scalar, ScalarKind::F32 | ScalarKind::Interval32),
            rigorous: matches!(scalar, ScalarKind::Interval32 | ScalarKind::Interval64),
        };
    }

    /// Whether the scalar type encloses: then nothing may be taken for what it only nearly is.
    pub fn is_rigorous(&self) -> bool {
        self.range.rigorous
    }

    /// Whether a key was given.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// All keys that were given.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.entries.keys().copied()
    }

    /// A value as it was given.
    pub fn get(&self, key: &str) -> Option<&Given> {
        self.entries.get(key)
    }

    /// Where a value comes from.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.entries.get(key).map(|given| &given.origin)
    }

    /// What a message about a key begins with, whether it was given or not.
    pub fn label(&self, key: &str) -> String {
        match self.origin(key) {
            Some(origin) => origin.to_string(),
            None if keys::find(key).is_some_and(|key| key.flag) => flag_of(key),
            None => key.to_owned(),
        }
    }

    /// An error about a key.
    pub fn fail(&self, key: &str, message: impl fmt::Display) -> Failure {
        Failure::usage(format!("{}: {message}", self.label(key)))
    }

    /// The text of a number or string.
    pub fn text(&self, key: &str) -> Result<Option<&str>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        match &given.node.kind {
            Kind::Text(text) | Kind::Number(text) => Ok(Some(text)),
            _ => {
                Err(self.fail(key, format_args!("expected a string, found {}", given.node.name())))
            }
        }
    }

    /// A finite number that the scalar type can hold.
    pub fn number(&self, key: &str) -> Result<Option<Exact>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        self.number_of(&given.node).map(Some).map_err(|message| self.fail(key, message))
    }

    /// The number that a value is, or what is wrong with it.
    pub fn number_of(&self, node: &Node) -> Result<Exact, String> {
        let text = match &node.kind {
            Kind::Text(text) | Kind::Number(text) => text,
            _ => return Err(format!("expected a number, found {}", node.name())),
        };
        let value = Exact::parse(text).map_err(|error| after_flag(text, &error))?;
        self.check_range(&value, text)?;
        Ok(value)
    }

    /// A number or, for intervals, an enclosure `{lo, hi}`; or what is wrong with it.
    pub fn span_of(&self, node: &Node) -> Result<Span, String> {
        if !matches!(node.kind, Kind::Table(_)) {
            return self.number_of(node).map(Span::from);
        }
        let lo = self.number_of(&end_of(node, "lo")?)?;
        let hi = self.number_of(&end_of(node, "hi")?)?;
        self.enclosure(lo, hi)
    }

    fn enclosure(&self, lo: Exact, hi: Exact) -> Result<Span, String> {
        if lo > hi {
            return Err(format!("the lower end {lo} is above the upper end {hi}"));
        }
        if lo != hi && !self.range.rigorous {
            return Err("an enclosure {lo, hi} needs --scalar interval32 or interval64; a float \
                        starts from a number"
                .to_owned());
        }
        Ok(Span { lo, hi })
    }

    /// A matrix of this shape whose entries are numbers or, for intervals, enclosures.
    ///
    /// # Errors
    /// As [`table`](Self::table), and another shape.
    pub fn spans(
        &self,
        key: &str,
        (rows, columns): (usize, usize),
        why: &str,
    ) -> Result<Option<Matrix<Span>>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        let end = |name: &str| -> Result<Option<Matrix>, Failure> {
            let node = end_of(&given.node, name).map_err(|message| self.fail(key, message))?;
            self.table_from(key, &node)?.matrix_of(rows, columns, why).map(Some)
        };
        let (Some(lower), Some(upper)) = (end("lo")?, end("hi")?) else { return Ok(None) };
        let entries = lower.entries.into_iter().zip(upper.entries);
        let entries: Result<_, String> = entries.map(|(lo, hi)| self.enclosure(lo, hi)).collect();
        let entries = entries.map_err(|message| self.fail(key, message))?;
        Ok(Some(Matrix { rows, columns, entries }))
    }

    /// Whether the scalar type can hold a number without turning it into 0 or ∞.
    pub fn check_range(&self, value: &Exact, text: &str) -> Result<(), String> {
        let (name, fits, smallest, largest) = if self.range.single {
            let rounded = value.to_f32();
            let fits = rounded.is_finite() && (rounded == 0.0) == value.is_zero();
            ("f32", fits, "1e-45", "3.4e38")
        } else {
            let rounded = value.to_f64();
            let fits = rounded.is_finite() && (rounded == 0.0) == value.is_zero();
            ("f64", fits, "5e-324", "1.8e308")
        };
        if fits {
            Ok(())
        } else {
            Err(format!(
                "{} is out of range: expected 0, or a size between {smallest} and {largest}, \
                 which {name} can hold",
                text.trim()
            ))
        }
    }

    /// An integer from 0 to 2^63.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        integer_of(&given.node).map(Some).map_err(|message| self.fail(key, message))
    }

    /// One of several names.
    pub fn choice(
        &self,
        key: &str,
        names: &[&'static str],
    ) -> Result<Option<&'static str>, Failure> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if let Some(name) = names.iter().find(|&&name| name == text) {
            return Ok(Some(name));
        }
        let hint = match keys::closest(&text.to_lowercase(), names.iter().copied()) {
            Some(name) => format!(" (did you mean `{name}`?)"),
            None => String::new(),
        };
        let expected = names.join(", ");
        Err(self.fail(key, format_args!("expected one of {expected}, found `{text}`{hint}")))
    }

    /// A truth value; false if it was not given.
    pub fn switch(&self, key: &str) -> Result<bool, Failure> {
        match self.get(key).map(|given| &given.node) {
            None => Ok(false),
            Some(Node { kind: Kind::Bool(value), .. }) => Ok(*value),
            Some(node) => {
                Err(self.fail(key, format_args!("expected true or false, found {}", node.name())))
            }
        }
    }

    /// A path, as the user wrote it.
    pub fn path(&self, key: &str) -> Result<Option<PathBuf>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        match &given.node.kind {
            Kind::Text(text) if !text.is_empty() => Ok(Some(PathBuf::from(text))),
            _ => Err(self.fail(key, "expected the path of a file")),
        }
    }

    /// Rows of numbers, inline or in a file.
    pub fn table(&self, key: &str) -> Result<Option<Table>, Failure> {
        let Some(given) = self.get(key) else { return Ok(None) };
        self.table_from(key, &given.node).map(Some)
    }

    fn table_from(&self, key: &str, node: &Node) -> Result<Table, Failure> {
        let table = match &node.kind {
            Kind::Text(name) => {
                let path = self.folder.join(name);
                let mut table = data::read(&path).map_err(|failure| match failure {
                    Failure::Usage(message) => self.fail(key, message),
                    other => other,
                })?;
                // Whatever is found wrong later is told with the key as well.
                table.place = format!("{}: {}", self.label(key), table.place);
                table
            }
            Kind::List(_) => Table::from_node(node, &self.label(key)).map_err(Failure::Usage)?,
            _ => {
                let message = format!(
                    "expected rows of numbers, or the name of a .csv, .npy or .json file; found {}",
                    node.name()
                );
                return Err(self.fail(key, message));
            }
        };
        for (row, entries) in table.rows.iter().enumerate() {
            for (column, entry) in entries.iter().enumerate() {
                self.check_range(entry, &entry.to_string())
                    .map_err(|message| table.fail(row, column, message))?;
            }
        }
        Ok(table)
    }

    /// The entries of a list; a single value is a list of one.
    pub fn list(&self, key: &str) -> Option<Vec<Node>> {
        let node = &self.get(key)?.node;
        Some(match &node.kind {
            Kind::List(items) => items.clone(),
            Kind::Text(text) if text.contains(',') => text
                .split(',')
                .map(|part| Node { kind: Kind::Text(part.to_owned()), line: node.line })
                .collect(),
            _ => vec![node.clone()],
        })
    }

    /// The entries of a table, each one of these names.
    pub fn fields<'a>(
        &self,
        key: &str,
        node: &'a Node,
        names: &[&'static str],
    ) -> Result<BTreeMap<&'static str, &'a Node>, Failure> {
        let Kind::Table(entries) = &node.kind else {
            let message = format!(
                "expected a table with the keys {}, found {}",
                names.join(" and "),
                node.name()
            );
            return Err(self.fail(key, message));
        };
        let mut fields = BTreeMap::new();
        for (name, value) in entries {
            let Some(known) = names.iter().find(|&known| known == name) else {
                let hint = match keys::closest(name, names.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("expected {}", names.join(" and ")),
                };
                return Err(self.fail(key, format_args!("unknown key `{name}`: {hint}")));
            };
            fields.insert(*known, value);
        }
        for name in names {
            if !fields.contains_key(name) {
                return Err(self.fail(key, format_args!("the key `{name}` is missing")));
            }
        }
        Ok(fields)
    }
}

/// The same with the lower or the upper end in the place of every `{lo, hi}`.
fn end_of(node: &Node, end: &str) -> Result<Node, String> {
    let kind = match &node.kind {
        Kind::List(items) => {
            Kind::List(items.iter().map(|item| end_of(item, end)).collect::<Result<_, _>>()?)
        }
        Kind::Table(entries) => match &entries[..] {
            [(lo, first), (hi, second)] if (lo.as_str(), hi.as_str()) == ("lo", "hi") => {
                if end == "lo" { first.kind.clone() } else { second.kind.clone() }
            }
            _ => {
                return Err("expected a number, or an enclosure {lo, hi}, found a table".to_owned());
            }
        },
        plain => plain.clone(),
    };
    Ok(Node { kind, line: node.line })
}

/// An integer from 0 to 2^63, or what is wrong with it.
pub fn integer_of(node: &Node) -> Result<u64, String> {
    match &node.kind {
        Kind::Text(text) | Kind::Number(text) => {
            Exact::parse_integer(text).map_err(|error| after_flag(text, &error))
        }
        _ => Err(format!("expected an integer, found {}", node.name())),
    }
}

/// The message of a number, for the case that a flag stands where its value was expected.
pub(super) fn after_flag(text: &str, error: &NumberError) -> String {
    if text.starts_with("--") {
        format!("a number is missing: it is followed by {text}")
    } else {
        error.to_string()
    }
}

fn unknown_key(path: &Path, line: Option<usize>, name: &str, meant: Option<&str>) -> Failure {
    let place = match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    };
    let hint = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            "`popgd help run` lists the flags, and every flag is a key in snake_case".to_owned()
        }
    };
    Failure::usage(format!("{place}: unknown key `{name}`: {hint}"))
}
