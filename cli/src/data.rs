//! Files of numbers: matrices and lists as `.csv`, `.npy` or `.json`, read exactly.

use std::collections::HashMap;
use std::path::Path;

use npyz::{NpyFile, NpyHeader, Order};

use crate::config::tree::{self, Kind, Node};
use crate::error::Failure;
use crate::number::Exact;
use crate::settings::Matrix;

/// Rows of numbers, not yet known to be equally long.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What messages begin with.
    pub place: String,
    /// The rows.
    pub rows: Vec<Vec<Exact>>,
}

impl Table {
    /// From a list of rows, or a list of numbers, which is one row.
    ///
    /// # Errors
    /// The message for the user.
    pub fn from_node(node: &Node, place: &str) -> Result<Self, String> {
        let Kind::List(items) = &node.kind else {
            return Err(format!("{place}: expected a list of rows, found {}", node.name()));
        };
        let mut cache = Cache::default();
        let nested = items.iter().any(|item| matches!(item.kind, Kind::List(_)));
        let mut rows = Vec::new();
        if nested {
            for (index, item) in items.iter().enumerate() {
                let Kind::List(entries) = &item.kind else {
                    return Err(format!(
                        "{place}, row {}: expected a list of numbers, found {}",
                        index + 1,
                        item.name()
                    ));
                };
                rows.push(cache.row(entries, place, index)?);
            }
        } else if !items.is_empty() {
            rows.push(cache.row(items, place, 0)?);
        }
        Ok(Self { place: place.to_owned(), rows })
    }

    /// An error about an entry; rows and columns count from 0 here, from 1 for the user.
    pub fn fail(&self, row: usize, column: usize, message: impl std::fmt::Display) -> Failure {
        Failure::usage(format!("{}, row {}, column {}: {message}", self.place, row + 1, column + 1))
    }

    /// An error about all of it.
    pub fn fail_all(&self, message: impl std::fmt::Display) -> Failure {
        Failure::usage(format!("{}: {message}", self.place))
    }

    /// As a matrix with rows of equal length.
    ///
    /// # Errors
    /// No rows, no columns, or a row of another length than the first.
    pub fn matrix(self) -> Result<Matrix, Failure> {
        let columns = self.rows.first().map_or(0, Vec::len);
        if columns == 0 {
            return Err(self.fail_all("it is empty, and at least one row of numbers was expected"));
        }
        for (index, row) in self.rows.iter().enumerate() {
            if row.len() != columns {
                return Err(Failure::usage(format!(
                    "{}, row {}: expected {columns} numbers as in row 1, found {}",
                    self.place,
                    index + 1,
                    row.len()
                )));
            }
        }
        let rows = self.rows.len();
        Ok(Matrix { rows, columns, entries: self.rows.into_iter().flatten().collect() })
    }

    /// As a matrix of this shape.
    ///
    /// # Errors
    /// As [`matrix`](Self::matrix), and any other shape.
    pub fn matrix_of(self, rows: usize, columns: usize, why: &str) -> Result<Matrix, Failure> {
        let place = self.place.clone();
        let matrix = self.matrix()?;
        if (matrix.rows, matrix.columns) == (rows, columns) {
            Ok(matrix)
        } else {
            Err(Failure::usage(format!(
                "{place}: expected {rows} × {columns} numbers ({why}), found {} × {}",
                matrix.rows, matrix.columns
            )))
        }
    }

    /// As one list: a single row, or a single column.
    ///
    /// # Errors
    /// More than one of both.
    pub fn list(self) -> Result<Vec<Exact>, Failure> {
        if self.rows.len() <= 1 || self.rows.iter().all(|row| row.len() == 1) {
            Ok(self.rows.into_iter().flatten().collect())
        } else {
            Err(self.fail_all("expected a list of numbers, found several rows"))
        }
    }
}

/// Matrices have few distinct texts: each is read once.
#[derive(Default)]
struct Cache {
    known: HashMap<String, Exact>,
}

impl Cache {
    fn number(&mut self, text: &str) -> Result<Exact, String> {
        if let Some(value) = self.known.get(text) {
            return Ok(value.clone());
        }
        let value = Exact::parse(text).map_err(|error| error.to_string())?;
        self.known.insert(text.to_owned(), value.clone());
        Ok(value)
    }

    fn row(&mut self, entries: &[Node], place: &str, row: usize) -> Result<Vec<Exact>, String> {
        let read = |(column, entry): (usize, &Node)| {
            let value = match &entry.kind {
                Kind::Text(text) | Kind::Number(text) => self.number(text),
                _ => Err(format!("expected a number, found {}", entry.name())),
            };
            value.map_err(|message| {
                format!("{place}, row {}, column {}: {message}", row + 1, column + 1)
            })
        };
        entries.iter().enumerate().map(read).collect()
    }
}

/// Reads a file of numbers, by its ending.
///
/// # Errors
/// An unknown ending, an unreadable or truncated file, and whatever is not a number, with file
/// and line.
pub fn read(path: &Path) -> Result<Table, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_lowercase();
    match ending.as_str() {
        "csv" => csv(path),
        "npy" => npy(path),
        "json" => {
            let text =
                std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
            let node = tree::json(&text, path)?;
            Table::from_node(&node, &path.display().to_string()).map_err(Failure::Usage)
        }
        _ => Err(Failure::usage(format!(
            "{}: the ending is not known: expected a .csv, .npy or .json file",
            path.display()
        ))),
    }
}

/// One row a line, separated by commas, without a header; lines that begin with `#` are skipped.
fn csv(path: &Path) -> Result<Table, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(path, &error))?;
    let place = path.display().to_string();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut cache = Cache::default();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            Failure::usage(format!("{place}:{line}: invalid CSV: {error}"))
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let fail = |column: usize, message: String| {
            let (row, column) = (rows.len() + 1, column + 1);
            Failure::usage(format!("{place}:{line}: row {row}, column {column}: {message}"))
        };
        let mut row = Vec::with_capacity(record.len());
        for (column, text) in record.iter().enumerate() {
            let value = cache
                .number(text)
                .map_err(|message| fail(column, mend(text, rows.is_empty()).unwrap_or(message)))?;
            row.push(value);
        }
        rows.push(row);
    }
    Ok(Table { place, rows })
}

/// What makes a number of a field, where that is plain to see.
pub(crate) fn mend(text: &str, is_first_row: bool) -> Option<String> {
    let separated = |by: char| {
        let mut parts = text.split(by).map(str::trim).filter(|part| !part.is_empty());
        text.contains(by) && parts.all(|part| Exact::parse(part).is_ok())
    };
    let quoted: String = text.chars().take(40).collect();
    for (separator, name) in [(';', "semicolons"), ('\t', "tabs"), (' ', "spaces")] {
        if separated(separator) {
            return Some(format!(
                "`{quoted}` is separated by {name}: expected commas, as in `1,0,1/2`; replace them"
            ));
        }
    }
    let is_name = text.starts_with(|c: char| c.is_alphabetic())
        && !matches!(text.to_lowercase().as_str(), "nan" | "inf" | "infinity");
    (is_first_row && is_name).then(|| {
        format!(
            "`{quoted}` is not a number: a file of numbers has no header; remove that row, or \
             begin it with #"
        )
    })
}

/// A NumPy array of numbers with one or two axes.
fn npy(path: &Path) -> Result<Table, Failure> {
    let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let mut data = bytes.as_slice();
    if !has_a_size(data) {
        return Err(fail("not a valid .npy file: its shape is beyond all sizes".to_owned()));
    }
    let header = NpyHeader::from_reader(&mut data)
        .map_err(|error| fail(format!("not a valid .npy file: {error}")))?;
    let (rows, columns) = match *header.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => {
            let axes = header.shape().len();
            return Err(fail(format!("expected an array with one or two axes, found {axes}")));
        }
    };
    // The header is not believed before the numbers are there.
    let size = header.dtype().num_bytes().and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
    let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
    let found = u64::try_from(data.len()).unwrap_or(u64::MAX);
    if needed != Some(found) {
        return Err(fail(format!(
            "expected {rows} × {columns} numbers of {size} bytes after the header, found {found} \
             bytes: the file is truncated or damaged"
        )));
    }
    let (Ok(rows), Ok(columns)) = (usize::try_from(rows), usize::try_from(columns)) else {
        return Err(fail("it is too large for this machine".to_owned()));
    };
    let by_rows = header.order() == Order::C;
    let numbers = npy_numbers(header, data).map_err(fail)?;
    let at = |row: usize, column: usize| {
        if by_rows { row * columns + column } else { column * rows + row }
    };
    let mut table = Table { place: path.display().to_string(), rows: Vec::with_capacity(rows) };
    for row in 0..rows {
        let read = |column| match numbers.get(at(row, column)) {
            Some(Some(value)) => Ok(value.clone()),
            _ => Err(table.fail(row, column, "the number is not finite: expected a finite number")),
        };
        let entries = (0..columns).map(read).collect::<Result<Vec<_>, _>>()?;
        table.rows.push(entries);
    }
    Ok(table)
}

/// Whether the product of the numbers in the shape of a header fits: the reader of headers
/// computes it without looking.
pub(crate) fn has_a_size(bytes: &[u8]) -> bool {
    let header = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
    let header = String::from_utf8_lossy(header);
    let shape = header.split("shape").nth(1).and_then(|rest| rest.split(['(', ')']).nth(1));
    shape
        .unwrap_or("")
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .try_fold(1_u64, |product, size| product.checked_mul(size.parse::<u64>().ok()?.max(1)))
        .is_some()
}

/// The numbers of an array in the order of the file; none for infinities and NaN.
fn npy_numbers(header: NpyHeader, data: &[u8]) -> Result<Vec<Option<Exact>>, String> {
    let file = NpyFile::with_header(header, data);
    macro_rules! attempt {
        ($file:expr, $($number:ty => $exact:expr),+) => {{
            let file = $file;
            $(let file = match file.try_data::<$number>() {
                Ok(numbers) => {
                    return numbers
                        .map(|number| number.map($exact).map_err(|error| error.to_string()))
                        .collect();
                }
                Err(file) => file,
            };)+
            file
        }};
    }
    let signed = |value: i64| {
        let size = Exact::integer(value.unsigned_abs());
        Some(if value < 0 { -&size } else { size })
    };
    let file = attempt!(
        file,
        f64 => Exact::from_f64,
        f32 => |value: f32| Exact::from_f64(value.into()),
        i64 => signed,
        i32 => |value: i32| signed(value.into()),
        i16 => |value: i16| signed(value.into()),
        i8 => |value: i8| signed(value.into()),
        u64 => |value: u64| Some(Exact::integer(value)),
        u32 => |value: u32| Some(Exact::integer(value.into())),
        u16 => |value: u16| Some(Exact::integer(value.into())),
        u8 => |value: u8| Some(Exact::integer(value.into())),
        bool => |value: bool| Some(Exact::integer(value.into()))
    );
    Err(format!("expected an array of real numbers, found one of {}", file.dtype().descr()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap().write_all(bytes).unwrap();
        (folder, path)
    }

    fn exact(text: &str) -> Exact {
        Exact::parse(text).unwrap()
    }

    /// Version 1.0, as NumPy writes it.
    fn npy_file(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn csv_is_exact() {
        let (_folder, path) = file("a.csv", b"# weights\n0.1, 1/3\n10^2 ,-2\n");
        let table = read(&path).unwrap();
        assert_eq!(table.rows, [[exact("0.1"), exact("1/3")], [exact("100"), exact("-2")]]);
        let (_folder, path) = file("a.csv", b"1,2\n3,x\n");
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("a.csv:2: row 2, column 2"), "{message}");
        assert!(message.contains("`x` is not a number"), "{message}");
    }

    #[test]
    fn json_is_exact() {
        let (_folder, path) = file("a.json", b"[[0.1, \"1/3\"], [1e2, -2]]");
        let table = read(&path).unwrap();
        assert_eq!(table.rows, [[exact("0.1"), exact("1/3")], [exact("100"), exact("-2")]]);
    }

    #[test]
    fn npy_of_all_orders_and_types() {
        let doubles: Vec<u8> =
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64].iter().flat_map(|x| x.to_le_bytes()).collect();
        let numbers = |rows: &[Vec<Exact>]| -> Vec<Vec<f64>> {
            rows.iter().map(|row| row.iter().map(Exact::to_f64).collect()).collect()
        };
        let (_folder, path) = file("a.npy", &npy_file("<f8", false, "(2, 3)", &doubles));
        assert_eq!(numbers(&read(&path).unwrap().rows), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let (_folder, path) = file("a.npy", &npy_file("<f8", true, "(2, 3)", &doubles));
        assert_eq!(numbers(&read(&path).unwrap().rows), [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]);
        let integers: Vec<u8> = [-1_i32, 7].iter().flat_map(|x| x.to_be_bytes()).collect();
        let (_folder, path) = file("a.npy", &npy_file(">i4", false, "(2,)", &integers));
        assert_eq!(numbers(&read(&path).unwrap().rows), [[-1.0, 7.0]]);
    }

    #[test]
    fn damaged_npy_is_refused() {
        let doubles: Vec<u8> = [1.0, f64::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
        for (bytes, word) in [
            (npy_file("<f8", false, "(2, 3)", &doubles), "truncated"),
            (npy_file("<f8", false, "(1000000000, 1000000000)", &doubles), "truncated"),
            (npy_file("<f8", false, "(4294967296, 4294967296, 0)", &doubles), "beyond all sizes"),
            (npy_file("<f8", false, "(99999999999999999999,)", &doubles), "beyond all sizes"),
            (npy_file("<f8", false, "(1, 2)", &doubles), "not finite"),
            (npy_file("<c16", false, "(1, 1)", &doubles), "real numbers"),
            (npy_file("<f8", false, "(1, 2, 1)", &doubles), "axes"),
            (b"\x93NUMPY\x01".to_vec(), "not a valid"),
            (b"hello".to_vec(), "not a valid"),
            (Vec::new(), "not a valid"),
        ] {
            let (_folder, path) = file("a.npy", &bytes);
            let message = read(&path).unwrap_err().to_string();
            assert!(message.contains(word) && message.contains("a.npy"), "{message}");
        }
    }

    #[test]
    fn ragged_rows_are_named() {
        let (_folder, path) = file("a.csv", b"1,2\n3\n");
        let message = read(&path).unwrap().matrix().unwrap_err().to_string();
        assert!(message.contains("row 2: expected 2 numbers as in row 1, found 1"), "{message}");
    }
}
