//! Colours and weights of text on a terminal.

use std::io::IsTerminal;

use crate::settings::{ColorChoice, OutputSettings};

/// Whether colours are wanted where nothing is said: on a terminal that knows them, and not
/// against `NO_COLOR`.
pub fn in_colour(is_terminal: bool) -> bool {
    is_terminal
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether text is styled, and where its lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    enabled: bool,
    /// The columns of the terminal; none where lines may be as long as they are.
    width: Option<usize>,
}

impl Style {
    /// As the user asked for; by default on a terminal only, and not against `NO_COLOR`.
    pub fn for_results(settings: &OutputSettings) -> Self {
        let enabled = match settings.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                settings.output.is_none() && in_colour(std::io::stdout().is_terminal())
            }
        };
        let on_terminal = settings.output.is_none() && std::io::stdout().is_terminal();
        let size = if on_terminal { terminal_size::terminal_size() } else { None };
        let width = size.map(|(terminal_size::Width(columns), _)| usize::from(columns));
        Self { enabled, width }
    }

    /// Text with its lines broken between words where the terminal ends.
    pub fn prose(self, text: &str) -> String {
        self.width.map_or_else(|| text.to_owned(), |width| wrapped(text, width))
    }

    /// What leads the eye.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// What may be skipped.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// What is as expected.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// What is not.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// What is open.
    pub fn open(self, text: &str) -> String {
        self.wrap("33", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.enabled { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Text with its lines broken between words after at most so many letters, where words allow.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut broken = String::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            broken.push('\n');
        }
        let mut column = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > width {
                broken.push('\n');
                column = 0;
            } else if column > 0 {
                broken.push(' ');
                column += 1;
            }
            broken.push_str(word);
            column += length;
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_fits_the_terminal() {
        let narrow = Style { enabled: false, width: Some(12) };
        assert_eq!(narrow.prose("κ = 1/36, η = 1/18, f64\nend"), "κ = 1/36, η\n= 1/18, f64\nend");
        assert_eq!(narrow.prose("a-word-that-does-not-fit"), "a-word-that-does-not-fit");
        let pipe = Style { enabled: false, width: None };
        assert_eq!(pipe.prose("κ = 1/36, η = 1/18, f64"), "κ = 1/36, η = 1/18, f64");
    }
}
