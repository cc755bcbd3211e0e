//! Sweeps: many runs that differ in one thing, and what they say together.
//!
//! A sweep is planned as [`job`]s, each self-contained; a job is run and [`measure`]d on any
//! machine; and whatever the order in which results come in, [`exponents`] and [`halves`] are
//! read off them. The constant of a run comes from the run alone, by the [`law`] of approach.

pub mod exponents;
pub mod halves;
pub mod job;
pub mod law;
pub mod measure;
pub mod outcome;
pub mod planner;
pub mod store;
