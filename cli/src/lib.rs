//! popgd on the command line: exact population gradient descent for transformer students.
//!
//! [`run_with`] is the whole program but for its process: [`cli`] has the flags, [`config`] turns
//! them and a file into checked [`settings`], and each of [`commands`] works from these alone.

pub mod asymptotics;
pub mod certificate;
pub mod cli;
pub mod commands;
pub mod config;
pub mod construct;
pub mod construct_args;
pub mod data;
pub mod dry_run;
pub mod early_end;
pub mod engine;
pub mod error;
pub mod fit;
pub mod geometric;
pub mod gradcheck;
pub mod gradcheck_args;
pub mod interrupt;
pub mod number;
pub mod ood;
pub mod ood_args;
pub mod output;
pub mod plan;
pub mod precision;
pub mod presets;
pub mod progress;
pub mod provenance;
pub mod scalar;
pub mod settings;
pub mod simulate;
pub mod simulate_args;
pub mod sweep;
pub mod sweep_args;
pub mod trajectory;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches};

use crate::cli::{Cli, Command};
use crate::config::{Arguments, CommandKind};
use crate::error::{Failure, Warning};
use crate::settings::Settings;

/// Does what a command line says, the name of the program being its first word. Errors are told
/// on standard error.
pub fn run_with(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let mut color = color_of(&args);
    let parsed = Cli::command()
        .color(color)
        .try_get_matches_from(args)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() {
                tell(color, "error", "31", &in_one_line(&error));
                return ExitCode::from(2);
            }
            // Help and version, which are no errors, go to standard output. A reader who closed
            // the pipe has had enough of them.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
    };
    match dispatch(cli, &mut color) {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(color, "error", "31", &failure.to_string());
            ExitCode::from(failure.exit_code())
        }
    }
}

/// What is wrong with a command line, as short as all other messages: the first paragraph of what
/// the parser says, and its hints.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if part.starts_with("Usage:") || part.starts_with("For more information") {
            continue;
        }
        if let Some(hint) = part.strip_prefix("tip:") {
            line.push(';');
            line.push_str(hint);
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(part.strip_prefix("error:").unwrap_or(part).trim_start());
        }
    }
    line
}

fn dispatch(cli: Cli, color: &mut ColorChoice) -> Result<(), Failure> {
    let common = cli.common;
    match cli.command {
        None => Ok(Cli::command().color(*color).print_help()?),
        Some(Command::Run(args)) => {
            let arguments = Arguments::of_run(&common, &args)?;
            if let Some(job) = &args.job {
                return commands::job::execute(job, args.model.output.as_deref(), &arguments);
            }
            let (settings, warnings) = prepare(CommandKind::Run, arguments, color)?;
            commands::run::execute(&settings, &warnings)
        }
        Some(Command::Rates(args)) => {
            let arguments = Arguments::of_rates(&common, &args)?;
            if let Some(sweep) = config::sweep::resolve(&arguments)? {
                return commands::sweep::execute(&arguments, &sweep, *color);
            }
            let (settings, warnings) = prepare(CommandKind::Rates, arguments, color)?;
            commands::rates::execute(&settings, &warnings)
        }
        Some(Command::Certify(args)) => {
            let arguments = Arguments::of_certify(&common, &args)?;
            if let Some(file) = &args.check {
                return commands::certify::check(file, &arguments);
            }
            let (settings, warnings) = prepare(CommandKind::Certify, arguments, color)?;
            commands::certify::execute(&settings, &warnings)
        }
        Some(Command::Simulate(args)) => {
            let arguments = Arguments::of_simulate(&common, &args)?;
            choose_color(&arguments, color);
            let (settings, warnings) = config::simulate::resolve(&arguments)?;
            warn(*color, &settings.base, &warnings);
            commands::simulate::execute(&settings, &warnings)
        }
        Some(Command::Gradcheck(args)) => {
            let arguments = Arguments::of_gradcheck(&common, &args)?;
            choose_color(&arguments, color);
            commands::gradcheck::execute(&config::gradcheck::resolve(&arguments)?)
        }
        Some(Command::Precision(args)) => {
            let arguments = Arguments::of_precision(&common, &args)?;
            let (settings, warnings) = prepare(CommandKind::Precision, arguments, color)?;
            commands::precision::execute(&settings, &warnings)
        }
        Some(Command::Ood(args)) => {
            let arguments = Arguments::of_ood(&common, &args)?;
            let (settings, warnings) = prepare(CommandKind::Ood, arguments, color)?;
            commands::ood::execute(&settings, &warnings)
        }
        Some(Command::Construct(args)) => {
            let arguments = Arguments::of_construct(&common, &args.construction)?;
            choose_color(&arguments, color);
            commands::construct::execute(&args.construction, &arguments)
        }
        Some(Command::Completions { shell }) => commands::completions::execute(shell),
        Some(Command::Man) => commands::man::execute(),
    }
}

/// Resolves a configuration, and tells what is doubtful about it.
fn prepare(
    command: CommandKind,
    arguments: Arguments,
    color: &mut ColorChoice,
) -> Result<(Settings, Vec<Warning>), Failure> {
    choose_color(&arguments, color);
    let (settings, warnings) = config::resolve(command, arguments)?;
    warn(*color, &settings, &warnings);
    if settings.dry_run {
        // A plan is of no use if its files cannot be made: they are opened, and dropped.
        output::plot::open(&settings)?;
        output::state::open(&settings)?;
    }
    Ok((settings, warnings))
}

/// Colours as a configuration file may want them.
fn choose_color(arguments: &Arguments, color: &mut ColorChoice) {
    *color = arguments.color().map_or(*color, ColorChoice::from);
}

/// Tells warnings, unless they are not wanted.
fn warn(color: ColorChoice, settings: &Settings, warnings: &[Warning]) {
    if !settings.output.quiet {
        for warning in warnings {
            tell(color, "warning", "33", &warning.to_string());
        }
    }
}

/// One line on standard error. Messages quote input, which may hold anything.
pub(crate) fn tell(color: ColorChoice, kind: &str, code: &str, message: &str) {
    let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let styled = match color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => output::style::in_colour(std::io::stderr().is_terminal()),
    };
    let line = if styled {
        format!("\u{1b}[1;{code}m{kind}:\u{1b}[0m {message}\n")
    } else {
        format!("{kind}: {message}\n")
    };
    // Nobody is left to be told if this fails.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// What `--color` says, before the command line is understood: its help and its errors have
/// colours too.
fn color_of(args: &[OsString]) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    for (index, arg) in args.iter().enumerate() {
        let value = match arg.to_str() {
            Some("--color") => args.get(index + 1).and_then(|next| next.to_str()),
            Some(text) => text.strip_prefix("--color="),
            None => None,
        };
        choice = match value {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            Some("auto") => ColorChoice::Auto,
            _ => choice,
        };
    }
    choice
}
