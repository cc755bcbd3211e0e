//! Lines of a text file, of bounded length, each with its number.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::Failure;

/// A text file, read line by line into the same memory.
#[derive(Debug)]
pub(super) struct Lines {
    reader: BufReader<File>,
    bytes: Vec<u8>,
    number: u64,
    /// Longer lines are no records: they must not be read whole.
    longest: usize,
}

impl Lines {
    /// Of a file, whose lines have at most so many bytes.
    pub(super) fn new(file: File, longest: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(1 << 16, file),
            bytes: Vec::new(),
            number: 0,
            longest,
        }
    }

    /// The number of the line that was read last, from 1 on.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line, without its end and a byte order mark; none at the end of the file.
    ///
    /// # Errors
    /// What the system reports; a line that is too long or no UTF-8.
    pub(super) fn next(&mut self, path: &Path) -> Result<Option<&str>, Failure> {
        self.bytes.clear();
        let most = self.longest as u64 + 1;
        let size = (&mut self.reader)
            .take(most)
            .read_until(b'\n', &mut self.bytes)
            .map_err(|error| Failure::unreadable(path, &error))?;
        if size == 0 {
            return Ok(None);
        }
        self.number += 1;
        let fail = |message: String| {
            Failure::usage(format!("{}:{}: {message}", path.display(), self.number))
        };
        if size > self.longest {
            return Err(fail(format!(
                "the line is longer than {} bytes, and no record is",
                self.longest
            )));
        }
        let mut bytes = self.bytes.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(line) => Ok(Some(line.trim_end_matches(['\n', '\r']))),
            Err(error) => Err(fail(format!("byte {} is not UTF-8 text", error.valid_up_to() + 1))),
        }
    }
}
