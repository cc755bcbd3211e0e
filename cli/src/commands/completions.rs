//! `popgd completions`: a script that teaches a shell our flags.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::Failure;

/// Prints the script.
///
/// # Errors
/// If it cannot be printed.
pub fn execute(shell: Shell) -> Result<(), Failure> {
    // In memory first: the generator does not survive a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "popgd", &mut script);
    let mut out = std::io::stdout().lock();
    out.write_all(&script).and_then(|()| out.flush()).map_err(Failure::from)
}
