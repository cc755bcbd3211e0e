//! The machine that builds.

use super::Board;

/// A process of the host.
#[derive(Debug, Default)]
pub struct Here;

impl Board for Here {
    fn print(&mut self, text: &str) {
        std::print!("{text}");
    }
}
