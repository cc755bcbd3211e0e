//! Instance after instance, on all cores, until the user stops it.

use rayon::prelude::*;

use super::settings::Shared;
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// So many are begun before an interruption is looked for.
const CHUNK: u64 = 16;

/// What was found of each, in order; of fewer than asked for if the user stopped it. Of the configuration
/// alone, not of the number of cores, depends what is found.
///
/// # Errors
/// Of the first that fails.
pub fn each<T: Send>(
    shared: &Shared,
    count: u64,
    run: impl Fn(u64) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    interrupt::listen();
    let progress = Progress::of("instance", count, shared.output.quiet);
    let mut found = Vec::new();
    let mut next = 0;
    while next < count && !interrupt::requested() {
        let end = count.min(next + CHUNK);
        let chunk: Vec<Result<T, Failure>> = (next..end).into_par_iter().map(&run).collect();
        for result in chunk {
            found.push(result?);
        }
        next = end;
        progress.reached(next);
    }
    Ok(found)
}
