//! Out of distribution: what a trained student loses to its teacher on inputs and labels of another
//! law than those it was trained on.
//!
//! [`family`] has laws with exact moments, [`records`] reads a person's own data in a stream,
//! [`tail`] and [`check`] say whether Theorem 3.2 speaks of them at all. [`path`] runs the student,
//! [`gap`] measures what it loses, [`bounds`] says what it loses at most, and [`slopes`] by which
//! power of T that falls; [`run`] puts all of it together; [`pages`] holds
//! what was found with it. The mathematics is in
//! [`popgd_core::theory::moments`] and note 10.

pub mod bounds;
pub mod check;
pub mod family;
pub mod gap;
mod lines;
pub mod pages;
mod pairs;
pub mod path;
pub mod records;
pub mod report;
pub mod run;
pub mod sampler;
mod samples;
pub mod seen;
pub mod settings;
pub mod slopes;
pub mod tail;
mod watch;
