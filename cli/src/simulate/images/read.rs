//! Images and their classes, from the files that people have: IDX (as MNIST comes, plain or gzip),
//! `.npy` and CSV.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use npyz::{DType, NpyFile, Order, TypeChar};

use crate::data::has_a_size;
use crate::error::Failure;
use crate::output::sink::extension;

/// Larger files are no set of images that fits into memory.
const MOST_BYTES: u64 = 1 << 32;

/// Pictures in shades of grey, all of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Images {
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// One image after the other, row by row, each pixel from 0 (black) to 1.
    pub pixels: Vec<f32>,
}

impl Images {
    /// How many.
    pub fn count(&self) -> usize {
        self.pixels.len().checked_div(self.height * self.width).unwrap_or(0)
    }

    /// Reads a file, and with it the classes of its images if it has them: a CSV file with one number
    /// more a line than an image of a square number of pixels has.
    ///
    /// # Errors
    /// An unreadable or damaged file, whatever is no image, with its line or place.
    pub fn read(path: &Path) -> Result<(Self, Option<Vec<u8>>), Failure> {
        if extension(path) == "csv" {
            return of_csv(path);
        }
        let Array { shape, numbers } = Array::read(path)?;
        let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
        let (count, height, width) = match shape[..] {
            [count, height, width] => (count, height, width),
            [count, pixels] if is_square(pixels) => (count, pixels.isqrt(), pixels.isqrt()),
            _ => {
                let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
                return Err(fail(format!(
                    "expected images, n × height × width or n × pixels of squares, found {}",
                    shape.join(" × ")
                )));
            }
        };
        if count == 0 || height == 0 || width == 0 {
            return Err(fail("it has no images".to_owned()));
        }
        let pixels = in_range(numbers).map_err(|(at, message)| {
            let (image, pixel) = (at / (height * width) + 1, at % (height * width) + 1);
            fail(format!("image {image}, pixel {pixel}: {message}"))
        })?;
        Ok((Self { height, width, pixels }, None))
    }
}

/// Reads the classes of so many images, one number each.
///
/// # Errors
/// As [`Images::read`]; another count.
pub fn classes(path: &Path, count: usize) -> Result<Vec<u8>, Failure> {
    let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let at = |line: u64, message: String| {
        Failure::usage(format!("{}:{line}: {message}", path.display()))
    };
    let numbers = if extension(path) == "csv" {
        let mut numbers = Vec::new();
        for_each_line(path, |line, row| match row[..] {
            [class] => {
                numbers.push(class);
                Ok(())
            }
            _ => Err(at(line, format!("expected one class, found {} numbers", row.len()))),
        })?;
        numbers
    } else {
        let Array { shape, numbers } = Array::read(path)?;
        if shape.iter().filter(|&&side| side != 1).count() > 1 {
            let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
            return Err(fail(format!(
                "expected one class an image, found an array of {}",
                shape.join(" × ")
            )));
        }
        numbers
    };
    if numbers.len() != count {
        return Err(fail(format!(
            "expected one class for each of {count} images, found {}",
            numbers.len()
        )));
    }
    numbers
        .iter()
        .enumerate()
        .map(|(at, &x)| class(x).map_err(|message| fail(format!("class {}: {message}", at + 1))))
        .collect()
}

fn class(number: f64) -> Result<u8, String> {
    if number.fract() == 0.0 && (0.0..256.0).contains(&number) {
        Ok(number as u8)
    } else {
        Err(format!("expected a whole number from 0 to 255, found {number}"))
    }
}

fn is_square(pixels: usize) -> bool {
    pixels.isqrt().pow(2) == pixels
}

/// Pixels from 0 to 1: as they are, or if there are larger ones, whole numbers of 255.
fn in_range(numbers: Vec<f64>) -> Result<Vec<f32>, (usize, String)> {
    let largest = numbers.iter().copied().fold(0.0, f64::max);
    let scale = if largest > 1.0 { 255.0 } else { 1.0 };
    let fits = |x: f64| (0.0..=255.0).contains(&x) && (scale == 1.0 || x.fract() == 0.0);
    match numbers.iter().position(|&x| !fits(x)) {
        Some(at) => {
            let found = numbers.get(at).copied().unwrap_or(f64::NAN);
            Err((
                at,
                format!(
                    "expected shades from 0 to 1, or whole ones from 0 to 255, found {found} (the \
                     largest of all is {largest})"
                ),
            ))
        }
        None => Ok(numbers.into_iter().map(|x| (x / scale) as f32).collect()),
    }
}

fn of_csv(path: &Path) -> Result<(Images, Option<Vec<u8>>), Failure> {
    let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let at = |line: u64, message: String| {
        Failure::usage(format!("{}:{line}: {message}", path.display()))
    };
    let (mut numbers, mut classes) = (Vec::new(), Vec::new());
    let (mut side, mut has_classes) = (0, false);
    for_each_line(path, |line, row| {
        if side == 0 {
            has_classes = !is_square(row.len());
            let pixels = row.len() - usize::from(has_classes);
            if pixels == 0 || !is_square(pixels) {
                return Err(at(
                    line,
                    format!(
                        "expected the pixels of a square image, or its class and these, \
                     found {} numbers",
                        row.len()
                    ),
                ));
            }
            side = pixels.isqrt();
        }
        let expected = side * side + usize::from(has_classes);
        if row.len() != expected {
            return Err(at(
                line,
                format!("expected {expected} numbers as in the first one, found {}", row.len()),
            ));
        }
        let (own, pixels) = row.split_at(usize::from(has_classes));
        for &number in own {
            classes.push(class(number).map_err(|message| at(line, message))?);
        }
        numbers.extend(pixels);
        Ok(())
    })?;
    if side == 0 {
        return Err(fail("it has no images".to_owned()));
    }
    let pixels = in_range(numbers).map_err(|(at, message)| {
        fail(format!(
            "image {}, pixel {}: {message}",
            at / (side * side) + 1,
            at % (side * side) + 1
        ))
    })?;
    Ok((Images { height: side, width: side, pixels }, has_classes.then_some(classes)))
}

/// Every line of numbers of a CSV file; a first line without any number is a heading.
fn for_each_line(
    path: &Path,
    mut with: impl FnMut(u64, &[f64]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let place = path.display();
    let file = File::open(path).map_err(|error| Failure::unreadable(path, &error))?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(BufReader::new(file));
    let (mut record, mut row) = (csv::StringRecord::new(), Vec::new());
    let mut is_first = true;
    loop {
        let more = reader.read_record(&mut record).map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            Failure::usage(format!("{place}:{line}: invalid CSV: {error}"))
        })?;
        if !more {
            return Ok(());
        }
        let line = record.position().map_or(0, csv::Position::line);
        let numbers: Vec<Option<f64>> = record.iter().map(number).collect();
        let is_heading = is_first && numbers.iter().all(Option::is_none);
        is_first = false;
        if is_heading {
            continue;
        }
        row.clear();
        for (column, (found, text)) in numbers.iter().zip(&record).enumerate() {
            let message = || {
                let quoted: String = text.chars().take(40).collect();
                format!("{place}:{line}: column {}: `{quoted}` is not a number", column + 1)
            };
            row.push(found.ok_or_else(|| Failure::usage(message()))?);
        }
        with(line, &row)?;
    }
}

fn number(text: &str) -> Option<f64> {
    // A byte order mark is no part of a number.
    text.trim_start_matches('\u{feff}').parse().ok().filter(|x: &f64| x.is_finite())
}

/// Numbers in so many dimensions.
struct Array {
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

impl Array {
    /// Reads IDX or `.npy`, whichever its first bytes say, through gzip if these say so.
    fn read(path: &Path) -> Result<Self, Failure> {
        let fail = |message: String| Failure::usage(format!("{}: {message}", path.display()));
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::InvalidData
            | std::io::ErrorKind::UnexpectedEof => fail("the gzip file is damaged".to_owned()),
            _ => Failure::unreadable(path, &error),
        };
        let open = || File::open(path).map_err(|error| Failure::unreadable(path, &error));
        let mut magic = Vec::new();
        open()?
            .take(2)
            .read_to_end(&mut magic)
            .map_err(|error| Failure::unreadable(path, &error))?;
        let mut bytes = Vec::new();
        let read = match magic[..] {
            [0x1f, 0x8b] => GzDecoder::new(BufReader::new(open()?))
                .take(MOST_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(unreadable)?,
            _ => open()?
                .take(MOST_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::unreadable(path, &error))?,
        };
        if read as u64 > MOST_BYTES {
            return Err(fail(
                "it has more than 4 GB, which no set of images here needs".to_owned(),
            ));
        }
        let array = if bytes.starts_with(b"\x93NUMPY") { of_npy(&bytes) } else { of_idx(&bytes) };
        array.map_err(fail)
    }
}

/// The format of MNIST: two zeros, the type, the number of dimensions, these as big-endian words,
/// and the numbers.
fn of_idx(bytes: &[u8]) -> Result<Array, String> {
    const EXPECTED: &str = "expected IDX (plain or gzip), .npy or .csv";
    let [0, 0, kind, dimensions, rest @ ..] = bytes else {
        return Err(format!("it begins as no file of images does: {EXPECTED}"));
    };
    if *kind != 8 {
        return Err(format!(
            "expected an IDX file of bytes (type 8), found type {kind}: {EXPECTED}"
        ));
    }
    let (sides, data) = rest
        .split_at_checked(4 * usize::from(*dimensions))
        .ok_or("the IDX file ends within its header")?;
    let (sides, _) = sides.as_chunks();
    let shape: Vec<usize> = sides.iter().map(|&side| u32::from_be_bytes(side) as usize).collect();
    let count = shape.iter().try_fold(1_usize, |count, &side| count.checked_mul(side));
    if count != Some(data.len()) {
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        return Err(format!(
            "expected {} bytes after the header, found {}: the file is truncated or damaged",
            shape.join(" × "),
            data.len()
        ));
    }
    Ok(Array { shape, numbers: data.iter().map(|&byte| f64::from(byte)).collect() })
}

fn of_npy(bytes: &[u8]) -> Result<Array, String> {
    let invalid = |error: std::io::Error| format!("not a valid .npy file: {error}");
    if !has_a_size(bytes) {
        return Err("not a valid .npy file: its shape is beyond all sizes".to_owned());
    }
    let file = NpyFile::new(bytes).map_err(invalid)?;
    if file.order() != Order::C {
        return Err(
            "it is in Fortran's order: save it again with numpy.ascontiguousarray".to_owned()
        );
    }
    let shape: Vec<usize> = file.shape().iter().map(|&side| side as usize).collect();
    let DType::Plain(kind) = file.dtype() else {
        return Err("expected an array of real numbers, found records".to_owned());
    };
    macro_rules! numbers {
        ($number:ty) => {
            file.into_vec::<$number>().map_err(invalid)?.into_iter().map(|x| x as f64).collect()
        };
    }
    let numbers = match (kind.type_char(), kind.num_bytes()) {
        (TypeChar::Uint, Some(1)) => numbers!(u8),
        (TypeChar::Uint, Some(2)) => numbers!(u16),
        (TypeChar::Uint, Some(4)) => numbers!(u32),
        (TypeChar::Uint, Some(8)) => numbers!(u64),
        (TypeChar::Int, Some(1)) => numbers!(i8),
        (TypeChar::Int, Some(2)) => numbers!(i16),
        (TypeChar::Int, Some(4)) => numbers!(i32),
        (TypeChar::Int, Some(8)) => numbers!(i64),
        (TypeChar::Float, Some(4)) => numbers!(f32),
        (TypeChar::Float, Some(8)) => numbers!(f64),
        _ => return Err(format!("expected an array of real numbers, found one of {kind}")),
    };
    Ok(Array { shape, numbers })
}
