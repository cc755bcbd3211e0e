//! How results leave: to standard output or into a file, one form a module.

pub mod certify;
pub mod csv;
pub mod digits;
pub mod findings;
pub mod gradcheck;
pub mod json;
pub mod ood;
pub mod plot;
pub mod precision;
pub mod rates;
pub mod simulate;
pub mod sink;
pub mod state;
pub mod style;
pub mod sweep;
pub mod table;
pub mod words;
