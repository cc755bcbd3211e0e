//! Configuration files as one tree, TOML or JSON, in which numbers are still text.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use toml_edit::{Document, Item, Value};

use crate::error::Failure;

/// A value, and the line where it stands if the parser tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The value.
    pub kind: Kind,
    /// The line of the file, counted from 1.
    pub line: Option<usize>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing (JSON only).
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<(String, Node)>),
    /// A date or time (TOML only).
    Date,
}

impl Node {
    /// A value from outside of any file.
    pub fn new(kind: Kind) -> Self {
        Self { kind, line: None }
    }

    /// A text from outside of any file.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Kind::Text(text.into()))
    }

    /// A value of JSON, its numbers as they are written.
    pub fn from_json(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        Self::new(match value {
            Json::Null => Kind::Null,
            Json::Bool(value) => Kind::Bool(*value),
            Json::Number(number) => Kind::Number(number.to_string()),
            Json::String(text) => Kind::Text(text.clone()),
            Json::Array(items) => Kind::List(items.iter().map(Self::from_json).collect()),
            Json::Object(map) => Kind::Table(
                map.iter().map(|(key, value)| (key.clone(), Self::from_json(value))).collect(),
            ),
        })
    }

    /// What it is, in words.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a truth value",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a string",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
            Kind::Date => "a date",
        }
    }
}

/// Reads a configuration file: JSON if it ends in `.json`, or if it ends neither in that nor in
/// `.toml` and begins with a brace; TOML otherwise.
///
/// # Errors
/// An unreadable file, or a syntax error with its line.
pub fn read(path: &Path) -> Result<Vec<(String, Node)>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
    // A byte order mark is no content.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let is_json = ending.eq_ignore_ascii_case("json")
        || !ending.eq_ignore_ascii_case("toml") && text.trim_start().starts_with('{');
    if !is_json {
        return toml(text, path);
    }
    match json(text, path)?.kind {
        Kind::Table(entries) => Ok(entries),
        _ => Err(Failure::usage(format!(
            "{}: expected an object of keys and values, such as {{\"tokens\": 36}}",
            path.display()
        ))),
    }
}

/// Parses JSON.
///
/// # Errors
/// A syntax error, or a key that is given twice, with file and line.
pub fn json(text: &str, path: &Path) -> Result<Node, Failure> {
    let fail = |error: &serde_json::Error| {
        // The parser's own text ends in the position, which is said in front already.
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or(&full);
        Failure::usage(format!(
            "{}:{}:{}: invalid JSON: {message}",
            path.display(),
            error.line(),
            error.column()
        ))
    };
    serde_json::from_str::<UniqueKeys>(text).map_err(|error| fail(&error))?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| fail(&error))?;
    Ok(from_json(value))
}

fn from_json(value: serde_json::Value) -> Node {
    use serde_json::Value;
    Node::new(match value {
        Value::Null => Kind::Null,
        Value::Bool(value) => Kind::Bool(value),
        Value::Number(number) => Kind::Number(number.to_string()),
        Value::String(text) => Kind::Text(text),
        Value::Array(items) => Kind::List(items.into_iter().map(from_json).collect()),
        Value::Object(entries) => {
            Kind::Table(entries.into_iter().map(|(key, value)| (key, from_json(value))).collect())
        }
    })
}

/// Any JSON in which no object has a key twice: of two, the last would win in silence.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_bool<E>(self, _: bool) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<UniqueKeys, A::Error> {
        while items.next_element::<UniqueKeys>()?.is_some() {}
        Ok(UniqueKeys)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<UniqueKeys, A::Error> {
        let mut seen = HashSet::new();
        // Numbers, too, arrive as maps, of one entry.
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                entries.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom(format_args!("the key `{key}` is given twice")));
            }
            seen.insert(key);
            entries.next_value::<UniqueKeys>()?;
        }
        Ok(UniqueKeys)
    }
}

/// Parses TOML.
fn toml(text: &str, path: &Path) -> Result<Vec<(String, Node)>, Failure> {
    let mut text = text.to_owned();
    loop {
        let error = match Document::parse(text.as_str()) {
            Ok(document) => return Ok(Source::new(&text).table(document.as_table().iter())),
            Err(error) => error,
        };
        let span = error.span().unwrap_or(0..0);
        match overflowing(&text, error.message(), &span) {
            // The parser's own types are too small, but its text is all that we want of a number.
            Some(quoted) => text.replace_range(span, &quoted),
            None => {
                let (line, column) = Source::new(&text).position(span.start);
                let message: Vec<_> = error.message().split_whitespace().collect();
                return Err(Failure::usage(format!(
                    "{}:{line}:{column}: invalid TOML: {}",
                    path.display(),
                    message.join(" ")
                )));
            }
        }
    }
}

/// The decimal at `span` as a string, if it is one that the parser finds too large.
fn overflowing(text: &str, message: &str, span: &Range<usize>) -> Option<String> {
    let number = text.get(span.clone()).filter(|_| message.contains("overflow"))?;
    let decimal = |c: char| c.is_ascii_digit() || "+-._eE".contains(c);
    (!number.is_empty() && number.chars().all(decimal))
        .then(|| format!("\"{}\"", number.replace('_', "")))
}

/// The text that spans point into.
struct Source<'a> {
    text: &'a str,
    /// Where its lines begin.
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, lines: std::iter::once(0).chain(ends).collect() }
    }

    /// Line and column, counted from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        (line, column + 1)
    }

    fn node(&self, kind: Kind, span: Option<Range<usize>>) -> Node {
        Node { kind, line: span.map(|span| self.position(span.start).0) }
    }

    fn table<'t>(&self, entries: impl Iterator<Item = (&'t str, &'t Item)>) -> Vec<(String, Node)> {
        entries.filter_map(|(key, item)| Some((key.to_owned(), self.item(item)?))).collect()
    }

    fn item(&self, item: &Item) -> Option<Node> {
        let kind = match item {
            Item::None => return None,
            Item::Value(value) => return Some(self.value(value)),
            Item::Table(table) => Kind::Table(self.table(table.iter())),
            Item::ArrayOfTables(tables) => Kind::List(
                tables
                    .iter()
                    .map(|table| self.node(Kind::Table(self.table(table.iter())), table.span()))
                    .collect(),
            ),
        };
        Some(self.node(kind, item.span()))
    }

    fn value(&self, value: &Value) -> Node {
        let span = value.span();
        let written = || span.clone().and_then(|span| self.text.get(span));
        let kind = match value {
            Value::String(text) => Kind::Text(text.value().clone()),
            Value::Boolean(value) => Kind::Bool(*value.value()),
            Value::Datetime(_) => Kind::Date,
            Value::Integer(number) => Kind::Number(match written() {
                Some(text)
                    if !text.starts_with("0x")
                        && !text.starts_with("0o")
                        && !text.starts_with("0b") =>
                {
                    text.replace('_', "")
                }
                _ => number.value().to_string(),
            }),
            Value::Float(number) => Kind::Number(
                written().map_or_else(|| number.value().to_string(), |text| text.replace('_', "")),
            ),
            Value::Array(items) => Kind::List(items.iter().map(|item| self.value(item)).collect()),
            Value::InlineTable(table) => Kind::Table(
                table.iter().map(|(key, value)| (key.to_owned(), self.value(value))).collect(),
            ),
        };
        self.node(kind, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toml_of(text: &str) -> Result<Vec<(String, Node)>, Failure> {
        toml(text, Path::new("x.toml"))
    }

    #[test]
    fn numbers_keep_their_text() {
        let entries = toml_of("a = 0.10000000000000000000000000001\nb = 1_000\nd = 0x10").unwrap();
        let texts: Vec<_> = entries.iter().map(|(_, node)| node.kind.clone()).collect();
        let number = |text: &str| Kind::Number(text.to_owned());
        assert_eq!(
            texts,
            [number("0.10000000000000000000000000001"), number("1000"), number("16")]
        );
        assert_eq!(entries[2].1.line, Some(3));

        let node =
            json(r#"{"a": 0.10000000000000000000000000001, "b": 1E400}"#, Path::new("x.json"))
                .unwrap();
        let Kind::Table(entries) = node.kind else { panic!() };
        assert_eq!(entries[0].1.kind, number("0.10000000000000000000000000001"));
        let Kind::Number(text) = &entries[1].1.kind else { panic!() };
        assert!(
            text.eq_ignore_ascii_case("1e400") || text.eq_ignore_ascii_case("1e+400"),
            "{text}"
        );
    }

    #[test]
    fn numbers_beyond_the_types_of_the_parser_keep_their_text() {
        let entries = toml_of("a = [1e400, 9_223_372_036_854_775_808]\nb = -1e-400 # c").unwrap();
        let text = |text: &str| Kind::Text(text.to_owned());
        let Kind::List(items) = &entries[0].1.kind else { panic!() };
        assert_eq!(items[0].kind, text("1e400"));
        assert_eq!(items[1].kind, text("9223372036854775808"));
        assert_eq!(entries[1].1.line, Some(2));
        assert!(toml_of("a = 0xfffffffffffffffff").is_err());
    }

    #[test]
    fn tables_of_every_form_are_equal() {
        let inline =
            toml_of("classes = [{ count = 1, levels = [{ count = 2, weight = 0.5 }] }]").unwrap();
        let blocks =
            toml_of("[[classes]]\ncount = 1\n[[classes.levels]]\ncount = 2\nweight = 0.5").unwrap();
        fn plain(node: &Node) -> String {
            match &node.kind {
                Kind::List(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
                Kind::Table(entries) => {
                    entries.iter().map(|(key, node)| format!("{key}={{{}}}", plain(node))).collect()
                }
                kind => format!("{kind:?}"),
            }
        }
        assert_eq!(plain(&inline[0].1), plain(&blocks[0].1));
    }

    #[test]
    fn syntax_errors_name_the_line() {
        let message = toml_of("a = 1\nb = = 2\n").unwrap_err().to_string();
        assert!(message.starts_with("x.toml:2:"), "{message}");
        let message = json("{\"a\": 1,\n\"b\": }", Path::new("x.json")).unwrap_err().to_string();
        assert!(message.starts_with("x.json:2:"), "{message}");
        let message = json("{\"a\": 1,\n\"a\": 2}", Path::new("x.json")).unwrap_err().to_string();
        assert!(
            message.contains("`a` is given twice") && message.starts_with("x.json:2:"),
            "{message}"
        );
        let message = toml_of("a = 1\na = 2\n").unwrap_err().to_string();
        assert!(message.starts_with("x.toml:2:"), "{message}");
        assert!(!message.contains('\n'));
    }
}
