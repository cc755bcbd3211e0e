//! A simulation as a table, JSON or CSV.

pub mod csv;
pub mod images;
pub mod json;
pub mod table;
