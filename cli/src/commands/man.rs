//! `spvctl man DIR`
use crate::{
    args,
    exit::{Failure, Result},
    output::info,
};
use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};
use std::{fs, io, path::PathBuf};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl man /usr/local/share/man/man1\n  spvctl man man && man -l man/spvctl-client-create.1"
)]
pub struct Args {
    /// Folder for the pages; created if missing
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Writes a man page per command.
pub fn run(args: &Args) -> Result {
    let refused = |e: io::Error| Failure::Refused(format!("{} cannot be written: {e}", args.dir.display()));
    fs::create_dir_all(&args.dir).map_err(refused)?;
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    write_pages(&command, args).map_err(refused)?;
    info(&format!("The pages are in {}; `man spvctl` finds them in a folder man1 of MANPATH.", args.dir.display()));
    Ok(())
}

fn write_pages(command: &Command, args: &Args) -> io::Result<()> {
    for under in command.get_subcommands().filter(|under| !under.is_hide_set()) {
        write_pages(under, args)?;
    }
    let page = Man::new(command.clone());
    fs::write(args.dir.join(page.get_filename()), text(command, &page)?)
}

/// A page as [`Man::render`], but with the usage line of `--help` as its synopsis, and examples that can be copied.
fn text(command: &Command, page: &Man) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    synopsis(command).to_writer(&mut text)?;
    page.render_description_section(&mut text)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        page.render_options_section(&mut text)?;
    }
    if command.get_subcommands().any(|under| !under.is_hide_set()) {
        page.render_subcommands_section(&mut text)?;
    }
    if let Some(examples) = command.get_after_help().or_else(|| command.get_after_long_help()) {
        sections(&examples.to_string()).to_writer(&mut text)?;
    }
    exit_status().to_writer(&mut text)?;
    Ok(text)
}

fn synopsis(command: &Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    preformatted(&mut roff, usage.trim_start_matches("Usage:").lines().map(str::trim));
    roff
}

/// The text after the options: lists such as `Examples:` with indented lines, and paragraphs. Exit codes are those of all
/// commands.
fn sections(after_help: &str) -> Roff {
    let mut roff = Roff::new();
    for part in after_help.split("\n\n").filter(|part| !part.starts_with("Exit codes:")) {
        match part.split_once(":\n") {
            Some((heading, lines)) if !heading.contains('\n') => {
                roff.control("SH", [heading.to_uppercase().as_str()]);
                preformatted(&mut roff, lines.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)));
            }
            _ => {
                roff.control("SH", ["NOTES"]);
                roff.text([roman(part.replace('\n', " "))]);
            }
        }
    }
    roff
}

/// Lines that `man` neither fills nor hyphenates.
fn preformatted<'a>(roff: &mut Roff, lines: impl Iterator<Item = &'a str>) {
    roff.control("nf", []);
    for line in lines {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

fn exit_status() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "Done."),
        ("1", "Refused, not found or stopped, or a check has findings."),
        ("2", "Wrong usage."),
        ("3", "A fault of the program or the machine."),
    ] {
        roff.control("TP", []);
        roff.text([bold(code)]);
        roff.text([roman(meaning)]);
    }
    roff
}
