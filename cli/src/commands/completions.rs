//! `spvctl completions SHELL`
use crate::{args::Cli, exit::Result, output::Output};
use clap::CommandFactory;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl completions bash > /etc/bash_completion.d/spvctl")]
pub struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, out: &Output) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "spvctl", &mut script);
    out.raw(&script)
}
