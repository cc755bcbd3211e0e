//! Colours and weights of text on a terminal.

use std::io::IsTerminal;

use crate::settings::{ColorChoice, OutputSettings};

/// Whether text is styled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    enabled: bool,
}

impl Style {
    /// As the user asked for; by default on a terminal only, and not against `NO_COLOR`.
    pub fn for_results(settings: &OutputSettings) -> Self {
        let enabled = match settings.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                settings.output.is_none()
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && std::io::stdout().is_terminal()
            }
        };
        Self { enabled }
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
