//! `spvctl`: the one binary. It reads the command line and the configuration, starts what is asked for, and
//! words what the domain says. It holds no rules and no SQL.
mod args;
mod commands;
mod config;
mod context;
mod exit;
mod output;
mod prompt;
mod shutdown;
mod telemetry;

use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

/// SQLite's memory comes from it, too: `override` puts it in the place of C's.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    // --help, --version and wrong flags end here, the last with 2.
    let cli = args::Cli::parse();
    match commands::run(cli).await {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            if let Some(words) = failure.message() {
                output::info(&format!("error: {words}"));
            }
            failure.exit().into()
        }
    }
}
