//! `popgd man`: the manual page.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::error::Failure;

/// Prints the manual page in roff: the program first, then the flags of every subcommand.
///
/// # Errors
/// If it cannot be printed.
pub fn execute() -> Result<(), Failure> {
    let mut page = Vec::new();
    render(&mut page)?;
    let mut out = io::stdout().lock();
    out.write_all(&page).and_then(|()| out.flush()).map_err(Failure::from)
}

fn render(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let program = Man::new(command.clone());
    program.render_title(page)?;
    program.render_name_section(page)?;
    program.render_synopsis_section(page)?;
    program.render_description_section(page)?;
    program.render_options_section(page)?;
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name().to_uppercase();
        let mut part = Vec::new();
        let manual = Man::new(subcommand.clone());
        manual.render_synopsis_section(&mut part)?;
        manual.render_description_section(&mut part)?;
        manual.render_options_section(&mut part)?;
        manual.render_extra_section(&mut part)?;
        // Sections of a subcommand are subsections of its own.
        let part = String::from_utf8_lossy(&part).replace("\n.SH ", "\n.SS ");
        let part = part.strip_prefix(".SH ").map_or(part.clone(), |rest| format!(".SS {rest}"));
        writeln!(page, ".SH \"POPGD {name}\"")?;
        page.write_all(part.as_bytes())?;
    }
    program.render_extra_section(page)?;
    program.render_version_section(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_flags_of_subcommands() {
        let mut page = Vec::new();
        render(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        for part in [
            ".TH popgd 1",
            "POPGD RUN",
            "logit\\-gain",
            "POPGD RATES",
            "strict",
            "POPGD GRADCHECK",
            "remainders",
        ] {
            assert!(page.contains(part), "{part} is missing");
        }
    }
}
