//! The process around [`popgd::run_with`].

use std::process::ExitCode;

fn main() -> ExitCode {
    popgd::run_with(std::env::args_os())
}
