//! popgd on the command line.

pub mod error;
pub mod number;
pub mod settings;
