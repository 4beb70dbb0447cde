//! `spvctl`, the only binary: command line, configuration, start and shutdown, and error messages. It holds no rules and no
//! SQL.
mod args;
mod checks;
mod commands;
mod completion;
mod config;
mod context;
mod exit;
mod listen;
mod out_file;
mod output;
mod progress;
mod prompt;
mod shutdown;
mod telemetry;

use clap::FromArgMatches;
use exit::Exit;
use std::process::ExitCode;

/// Also serves SQLite: mimalloc's `override` feature replaces C's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before any thread runs: it takes its variable out of the environment.
    completion::complete();
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(run()),
        Err(error) => {
            output::info(&format!("error: no threads can be started: {error}"));
            Exit::Fault.into()
        }
    }
}

async fn run() -> ExitCode {
    // --help, --version and usage errors exit here, the last with code 2.
    let matches = args::command().get_matches();
    let cli = args::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match commands::run(cli, &args::command_name(&matches)).await {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            if let Some(message) = failure.message() {
                output::info(&format!("error: {message}"));
            }
            failure.exit().into()
        }
    }
}
