//! Checks of properties with quickcheck, on the same cases at every run unless told otherwise.

use std::env;

use quickcheck::{Gen, QuickCheck, Testable};

/// How large the cases are that quickcheck makes unless told otherwise.
const SIZE: usize = 100;

/// Checks a property on `POPGD_CASES` random cases, or on so many; their seed is `POPGD_SEED`, or
/// always the same, so that a failure can be had again.
///
/// # Panics
/// If the property fails, or a variable is no number.
pub fn check<P: Testable>(cases: u64, property: P) {
    let (cases, seed) = (variable("POPGD_CASES", cases), variable("POPGD_SEED", 0));
    QuickCheck::new()
        .tests(cases)
        .max_tests(cases.saturating_mul(10))
        .rng(Gen::from_size_and_seed(SIZE, seed))
        .quickcheck(property);
}

fn variable(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| match text.parse() {
        Ok(number) => number,
        Err(_) => panic!("{name} is {text:?}, not a number"),
    })
}
