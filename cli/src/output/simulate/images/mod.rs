//! Students of images as a table, JSON or CSV.

pub mod csv;
pub mod json;
pub mod table;
