//! `spvctl man DIR`
use crate::{
    args,
    exit::{Failure, Result},
    output::info,
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
    clap_mangen::generate_to(args::command(), &args.dir).map_err(refused)?;
    info(&format!("The pages are in {}; `man spvctl` finds them in a folder man1 of MANPATH.", args.dir.display()));
    Ok(())
}
