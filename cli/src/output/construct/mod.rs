//! What `popgd construct` found, in every form: one module a construction.

pub mod mirror_descent;
