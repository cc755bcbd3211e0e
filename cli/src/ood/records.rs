//! A person's own data, read in a stream: CSV, .npy, JSON lines; of any length.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use npyz::{NpyHeader, Order, TypeChar, TypeStr};
use serde_json::Number;

use super::lines::Lines;
use crate::data::{has_a_size, mend};
use crate::error::Failure;
use crate::output::sink::extension;

/// One matrix a record: rows × columns numbers, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Rows of the matrix: features of inputs, channels of responses.
    pub rows: usize,
    /// Columns of the matrix: tokens.
    pub columns: usize,
    /// What these are, for messages, such as `d × D`.
    pub what: &'static str,
}

impl Layout {
    /// How many numbers a record has; sizes were checked with the configuration.
    pub fn length(&self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// How long a line of text may be: no number has so many digits.
    fn longest(&self) -> usize {
        self.length().saturating_mul(512).saturating_add(1 << 16)
    }

    fn expected(&self) -> String {
        format!("{} numbers ({} = {} × {})", self.length(), self.what, self.rows, self.columns)
    }
}

/// A file of records.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    layout: Layout,
    form: Form,
    read: u64,
}

#[derive(Debug)]
enum Form {
    Csv { lines: Lines, blank: Option<u64> },
    Json { lines: Lines },
    Array { file: File, kind: Kind, bytes: Vec<u8>, offset: u64, left: u64 },
}

/// How a number is written in an array.
#[derive(Clone, Copy, Debug)]
struct Kind {
    size: usize,
    big_endian: bool,
    letter: Letter,
}

#[derive(Clone, Copy, Debug)]
enum Letter {
    Float,
    Signed,
    Unsigned,
}

impl Records {
    /// Opens a file, by its ending.
    ///
    /// # Errors
    /// An unknown ending, an unreadable file, an array of another shape.
    pub fn open(path: &Path, layout: Layout) -> Result<Self, Failure> {
        let open = || File::open(path).map_err(|error| Failure::unreadable(path, &error));
        if std::fs::metadata(path).is_ok_and(|found| found.is_dir()) {
            return Err(Failure::usage(format!(
                "{}: it is a folder, and a file was expected",
                path.display()
            )));
        }
        let form = match extension(path).as_str() {
            "csv" => Form::Csv { lines: Lines::new(open()?, layout.longest()), blank: None },
            "jsonl" | "ndjson" => Form::Json { lines: Lines::new(open()?, layout.longest()) },
            "npy" => array(path, open()?, layout)?,
            _ => {
                return Err(Failure::usage(format!(
                    "{}: the ending is not known: expected a .csv, .npy or .jsonl file",
                    path.display()
                )));
            }
        };
        Ok(Self { path: path.to_owned(), layout, form, read: 0 })
    }

    /// How many records were read.
    pub fn count(&self) -> u64 {
        self.read
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads up to so many records into `numbers`, which is emptied first; none at the end.
    ///
    /// # Errors
    /// What is wrong with a record, with its line or its offset.
    pub fn next(&mut self, most: usize, numbers: &mut Vec<f64>) -> Result<usize, Failure> {
        numbers.clear();
        let Self { path, layout, form, read } = self;
        let place = path.display();
        let mut found = 0;
        match form {
            Form::Csv { lines, blank } => {
                while found < most {
                    let Some(line) = lines.next(path)? else { break };
                    let line = line.trim();
                    if line.starts_with('#') {
                        continue;
                    }
                    if line.is_empty() {
                        // Where a record is one number, an empty line may be one that is missing.
                        if layout.length() == 1 && *read + found as u64 > 0 {
                            *blank = blank.or(Some(lines.number()));
                        }
                        continue;
                    }
                    if let Some(number) = *blank {
                        return Err(Failure::usage(format!(
                            "{place}:{number}: it is empty, and a number was expected"
                        )));
                    }
                    let is_first = *read == 0 && found == 0;
                    if let Err(message) = fields(line, layout, is_first, numbers) {
                        let number = lines.number();
                        return Err(Failure::usage(format!("{place}:{number}: {message}")));
                    }
                    found += 1;
                }
            }
            Form::Json { lines } => {
                while found < most {
                    let Some(line) = lines.next(path)? else { break };
                    if line.trim().is_empty() {
                        continue;
                    }
                    if let Err(message) = json(line, layout, numbers) {
                        let number = lines.number();
                        return Err(Failure::usage(format!("{place}:{number}: {message}")));
                    }
                    found += 1;
                }
            }
            Form::Array { file, kind, bytes, offset, left } => {
                let length = layout.length();
                let wanted = u64::try_from(most).unwrap_or(u64::MAX).min(*left);
                let wanted = usize::try_from(wanted).unwrap_or(most);
                bytes.resize(wanted * length * kind.size, 0);
                file.read_exact(bytes).map_err(|error| match error.kind() {
                    std::io::ErrorKind::UnexpectedEof => truncated(path),
                    _ => Failure::unreadable(path, &error),
                })?;
                kind.decode(bytes, numbers);
                if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
                    return Err(Failure::usage(format!(
                        "{place}: record {}, number {}, at byte {}: {} is not finite: expected a \
                         finite number",
                        *read + (at / length) as u64 + 1,
                        at % length + 1,
                        *offset + (at * kind.size) as u64,
                        numbers.get(at).copied().unwrap_or(f64::NAN)
                    )));
                }
                *offset += bytes.len() as u64;
                *left -= wanted as u64;
                found = wanted;
            }
        }
        *read += found as u64;
        Ok(found)
    }

    /// An error if nothing was read at all.
    ///
    /// # Errors
    /// An empty file.
    pub fn check_not_empty(&self) -> Result<(), Failure> {
        if self.read > 0 {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{}: it is empty, and at least one record of {} was expected",
            self.path.display(),
            self.layout.expected()
        )))
    }
}

fn truncated(path: &Path) -> Failure {
    Failure::usage(format!("{}: the file is truncated or damaged", path.display()))
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("`{text}` is not finite: expected a finite number")),
        Err(_) => {
            let quoted: String = text.chars().take(40).collect();
            Err(format!("`{quoted}` is not a number"))
        }
    }
}

/// One record of CSV: numbers between commas, in quotes or not.
fn fields(
    line: &str,
    layout: &Layout,
    is_first: bool,
    numbers: &mut Vec<f64>,
) -> Result<(), String> {
    let bare = |text: &'_ str| -> String {
        let text = text.trim();
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.unwrap_or(text).trim().to_owned()
    };
    let start = numbers.len();
    for (column, text) in line.split(',').enumerate() {
        if let Ok(value) = text.trim().parse::<f64>()
            && value.is_finite()
        {
            numbers.push(value);
            continue;
        }
        let text = bare(text);
        let found = line.split(',').count();
        numbers.push(finite(&text).map_err(|message| match mend(&text, is_first) {
            Some(hint) => hint,
            None if found != layout.length() => {
                format!("expected {}, found {found}", layout.expected())
            }
            None => format!("column {}: {message}", column + 1),
        })?);
    }
    let found = numbers.len() - start;
    if found == layout.length() {
        Ok(())
    } else {
        Err(format!("expected {}, found {found}", layout.expected()))
    }
}

/// One record of JSON: a list of numbers, or a list of such lists.
fn json(line: &str, layout: &Layout, numbers: &mut Vec<f64>) -> Result<(), String> {
    let invalid = |error: serde_json::Error| {
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or(&full);
        format!(
            "column {}: invalid JSON: {message}; expected {}",
            error.column(),
            layout.expected()
        )
    };
    let start = numbers.len();
    let is_nested =
        line.trim_start().strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('['));
    if is_nested {
        let rows: Vec<Vec<Number>> = serde_json::from_str(line).map_err(invalid)?;
        if rows.len() != layout.rows {
            return Err(format!(
                "expected {} rows ({}), found {}",
                layout.rows,
                layout.what,
                rows.len()
            ));
        }
        for (at, row) in rows.into_iter().enumerate() {
            if row.len() != layout.columns {
                return Err(format!(
                    "row {}: expected {} numbers, found {}",
                    at + 1,
                    layout.columns,
                    row.len()
                ));
            }
            numbers.extend(row.iter().map(nearest));
        }
    } else {
        let row: Vec<Number> = serde_json::from_str(line).map_err(invalid)?;
        if row.len() != layout.length() {
            return Err(format!("expected {}, found {}", layout.expected(), row.len()));
        }
        numbers.extend(row.iter().map(nearest));
    }
    match numbers.iter().skip(start).position(|x| !x.is_finite()) {
        Some(at) => Err(format!("number {} is not finite", at + 1)),
        None => Ok(()),
    }
}

/// The float nearest to a number: the parser's own way is off by a rounding now and then.
fn nearest(number: &Number) -> f64 {
    number.as_str().parse().unwrap_or(f64::NAN)
}

/// The header of an array, and whether what follows has the size that it says.
fn array(path: &Path, mut file: File, layout: Layout) -> Result<Form, Failure> {
    let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let size = file.metadata().map_err(|error| Failure::unreadable(path, &error))?.len();
    // A header is short; a file that is none must not be read whole in search of its end.
    let mut head = Vec::new();
    let mut start = (&mut file).take(1 << 16);
    start.read_to_end(&mut head).map_err(|error| Failure::unreadable(path, &error))?;
    if !has_a_size(&head) {
        return Err(fail("not a valid .npy file: its shape is beyond all sizes".to_owned()));
    }
    let mut rest = head.as_slice();
    let header = NpyHeader::from_reader(&mut rest)
        .map_err(|error| fail(format!("not a valid .npy file: {error}")))?;
    let offset = (head.len() - rest.len()) as u64;
    let (rows, columns) = (layout.rows as u64, layout.columns as u64);
    let count = match *header.shape() {
        [count, length] if length == rows * columns => count,
        [count, inner, outer] if inner == rows && outer == columns => count,
        ref other => {
            let shape: Vec<String> = other.iter().map(u64::to_string).collect();
            return Err(fail(format!(
                "expected an array of n × {} or n × {rows} × {columns} ({}), found {}",
                rows * columns,
                layout.what,
                shape.join(" × ")
            )));
        }
    };
    // In both orders the same: a single column of numbers, or a single row.
    let is_line = match *header.shape() {
        [count, length] => count <= 1 || length == 1,
        _ => count <= 1 && (rows == 1 || columns == 1),
    };
    if header.order() != Order::C && !is_line {
        return Err(fail(
            "it is in Fortran's order, so that records are scattered over the file: save it again \
             with numpy.ascontiguousarray"
                .to_owned(),
        ));
    }
    let npyz::DType::Plain(dtype) = header.dtype() else {
        return Err(fail("expected an array of real numbers, found records".to_owned()));
    };
    let kind = Kind::of(&dtype)
        .ok_or_else(|| fail(format!("expected an array of real numbers, found one of {dtype}")))?;
    let needed =
        count.checked_mul(rows * columns).and_then(|numbers| numbers.checked_mul(kind.size as u64));
    if needed != Some(size - offset) {
        return Err(fail(format!(
            "expected {count} records of {} numbers of {} bytes after the header of {offset}, found \
             {} bytes: the file is truncated or damaged",
            rows * columns,
            kind.size,
            size - offset
        )));
    }
    use std::io::Seek;
    file.seek(std::io::SeekFrom::Start(offset))
        .map_err(|error| Failure::unreadable(path, &error))?;
    Ok(Form::Array { file, kind, bytes: Vec::new(), offset, left: count })
}

impl Kind {
    fn of(dtype: &TypeStr) -> Option<Self> {
        let size = dtype.num_bytes()?;
        let letter = match dtype.type_char() {
            TypeChar::Float => Letter::Float,
            TypeChar::Int => Letter::Signed,
            TypeChar::Uint | TypeChar::Bool => Letter::Unsigned,
            _ => return None,
        };
        let known = match letter {
            Letter::Float => matches!(size, 4 | 8),
            _ => matches!(size, 1 | 2 | 4 | 8),
        };
        let big_endian = dtype.endianness() == npyz::Endianness::Big;
        known.then_some(Self { size, big_endian, letter })
    }

    fn decode(self, bytes: &[u8], numbers: &mut Vec<f64>) {
        macro_rules! numbers {
            ($number:ty) => {
                numbers.extend(bytes.as_chunks().0.iter().map(|&chunk| {
                    let number = if self.big_endian {
                        <$number>::from_be_bytes(chunk)
                    } else {
                        <$number>::from_le_bytes(chunk)
                    };
                    number as f64
                }))
            };
        }
        match (self.letter, self.size) {
            (Letter::Float, 8) => numbers!(f64),
            (Letter::Float, _) => numbers!(f32),
            (Letter::Signed, 1) => numbers!(i8),
            (Letter::Signed, 2) => numbers!(i16),
            (Letter::Signed, 4) => numbers!(i32),
            (Letter::Signed, _) => numbers!(i64),
            (Letter::Unsigned, 1) => numbers!(u8),
            (Letter::Unsigned, 2) => numbers!(u16),
            (Letter::Unsigned, 4) => numbers!(u32),
            (Letter::Unsigned, _) => numbers!(u64),
        }
    }
}
