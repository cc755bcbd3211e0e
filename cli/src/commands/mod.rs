//! One file a subcommand; no mathematics here.

pub mod certify;
pub mod completions;
pub mod construct;
pub mod gradcheck;
pub mod job;
pub mod man;
pub mod ood;
pub mod precision;
pub mod rates;
pub mod run;
pub mod simulate;
mod simulate_images;
pub mod sweep;
