//! One file a subcommand; no mathematics here.

pub mod completions;
pub mod man;
pub mod rates;
pub mod run;
