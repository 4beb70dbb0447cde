//! Commands of `spvctl`, one module per noun, and their dispatch.
pub mod activity;
pub mod alert;
pub mod approval;
pub mod backup;
pub mod client;
pub mod commission;
pub mod company;
pub mod completions;
pub mod doctor;
pub mod document;
pub mod export;
pub mod healthcheck;
pub mod holiday;
pub mod import;
pub mod invoice;
pub mod iso;
pub mod job;
pub mod key;
pub mod lead;
mod lookup;
pub mod mail;
pub mod maintenance;
pub mod man;
pub mod message;
pub mod migrate;
pub mod request;
pub mod schedule;
pub mod security;
pub mod seed;
pub mod serve;
pub mod service;
pub mod settings;
pub mod spv;
pub mod step;
pub mod task;
pub mod template;
pub mod transfer;
pub mod user;
pub mod worker;

use crate::{
    args::{Cli, Command},
    config::Config,
    context::CliContext,
    exit::{Exit, Failure, Result},
    output::Output,
    prompt::Prompt,
    telemetry,
};
use std::time::Instant;
use tracing::Instrument;

/// Runs the command of the command line; `name` is its words, as `spv start`. Every log line inside carries it as
/// `command`.
///
/// # Errors
/// Errors of the command.
pub async fn run(cli: Cli, name: &str) -> Result {
    let Cli { mut globals, command } = cli;
    let out = Output::new(globals.format, std::mem::take(&mut globals.fields));
    if let Command::Serve(args) = &command {
        globals.listen.clone_from(&args.listen);
    }
    match &command {
        Command::Openapi => return out.raw(api::openapi().as_bytes()),
        Command::Completions(args) => return completions::run(args, &out),
        Command::Man(args) => return man::run(args),
        Command::Schedule(verb) => return schedule::run(verb, &out),
        _ => {}
    }
    // Files created from here on belong to the portal: readable by their owner only.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let config = Config::load(&globals)?;
    // Only long-running processes log at `info` by default; other commands print their results.
    let is_long_running = matches!(command, Command::Serve(_) | Command::Worker(_));
    let filter = if is_long_running || std::env::var_os("SPV_LOG").is_some() { config.log.as_str() } else { "error" };
    telemetry::start(filter, config.log_format);
    // At error level, so that no filter takes the field from the lines inside.
    let span = tracing::error_span!("spvctl", command = name);
    let prompt = Prompt::new(globals.yes);
    async {
        if is_long_running {
            raise_fd_limit();
            warn_about_settings(&config);
        }
        let started = Instant::now();
        let done = dispatch(command, config, out, prompt).await;
        let exit = done.as_ref().err().map_or(Exit::Done, Failure::exit);
        tracing::debug!(?exit, seconds = started.elapsed().as_secs_f64(), "command finished");
        done
    }
    .instrument(span)
    .await
}

fn warn_about_settings(config: &Config) {
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
}

/// Runs the commands that open the database themselves or not at all.
async fn dispatch(command: Command, config: Config, out: Output, prompt: Prompt) -> Result {
    match command {
        Command::Config => out.wrapped().list(config.records(), "settings"),
        Command::Serve(args) => serve::run(args, config).await,
        Command::Worker(_) => worker::run(config).await,
        Command::Migrate(args) => migrate::run(&args, &config).await,
        Command::Doctor(args) => doctor::run(&args, &config, &out).await,
        Command::Healthcheck(args) => healthcheck::run(&args, &config).await,
        Command::Backup(verb) => backup::run(verb, config, out, prompt).await,
        command => {
            let cli = match &command {
                Command::Seed(_) => CliContext::open_or_create(config, out, prompt, None).await?,
                Command::User(user::Verb::Create(_)) => {
                    CliContext::open_or_create(config, out, prompt, Some("Make one for this account?")).await?
                }
                _ => CliContext::open(config, out, prompt).await?,
            };
            dispatch_with_context(command, cli).await
        }
    }
}

/// Runs the commands on an open portal, then numbers the activity entries that they wrote.
async fn dispatch_with_context(command: Command, cli: CliContext) -> Result {
    // `move` leaves the source database unchanged.
    let is_move = matches!(command, Command::Move(_));
    let done = match command {
        Command::Seed(args) => seed::run(args, &cli).await,
        Command::Alert(verb) => alert::run(verb, &cli).await,
        Command::Message(verb) => message::run(verb, &cli).await,
        Command::Task(verb) => task::run(verb, &cli).await,
        Command::Client(verb) => client::run(verb, &cli).await,
        Command::Commission(verb) => commission::run(verb, &cli).await,
        Command::Company(verb) => company::run(verb, &cli).await,
        Command::Iso(verb) => iso::run(verb, &cli).await,
        Command::Spv(verb) => spv::run(verb, &cli).await,
        Command::Step(verb) => step::run(verb, &cli).await,
        Command::Template(verb) => template::run(verb, &cli).await,
        Command::User(verb) => user::run(verb, &cli).await,
        Command::Document(verb) => document::run(verb, &cli).await,
        Command::Request(verb) => request::run(verb, &cli).await,
        Command::Invoice(verb) => invoice::run(verb, &cli).await,
        Command::Job(verb) => job::run(verb, &cli).await,
        Command::Key(verb) => key::run(verb, &cli).await,
        Command::Lead(verb) => lead::run(verb, &cli).await,
        Command::Maintenance(verb) => maintenance::run(verb, &cli).await,
        Command::Security(verb) => security::run(verb, &cli).await,
        Command::Settings(verb) => settings::run(verb, &cli).await,
        Command::Holiday(verb) => holiday::run(verb, &cli).await,
        Command::Service(verb) => service::run(verb, &cli).await,
        Command::Approval(verb) => approval::run(verb, &cli).await,
        Command::Mail(verb) => mail::run(verb, &cli).await,
        Command::Move(args) => transfer::run(args, &cli).await,
        Command::Export(args) => export::run(args, &cli).await,
        Command::Import(args) => import::run(args, &cli).await,
        Command::Activity(verb) => activity::run(verb, &cli).await,
        _ => unreachable!("dispatched before"),
    };
    // Numbers the new entries even while no server runs. A failure is harmless: the next sequencer does it.
    if !is_move && let Err(error) = domain::platform::activity::sequence_all(&cli.ctx).await {
        tracing::debug!(%error, "activity not sequenced");
    }
    cli.ctx.db.close().await;
    done
}

/// Raises the limit of open file descriptors to the hard limit: each open browser tab holds a connection, and the default
/// soft limit (1024) is too low for a server.
fn raise_fd_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
            tracing::debug!(%error, limit = ?limit.current, "open file limit not raised");
        }
    }
}
