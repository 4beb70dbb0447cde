//! The commands, a file for each noun, and where each goes.
pub mod activity;
pub mod backup;
pub mod client;
pub mod commission;
pub mod company;
pub mod completions;
pub mod doctor;
pub mod document;
pub mod export;
pub mod import;
pub mod invoice;
pub mod iso;
pub mod job;
pub mod key;
pub mod lead;
pub mod mail;
pub mod maintenance;
pub mod man;
pub mod migrate;
pub mod moves;
mod named;
pub mod request;
pub mod security;
pub mod seed;
pub mod serve;
pub mod settings;
pub mod spv;
pub mod step;
pub mod template;
pub mod user;
pub mod worker;

use crate::{
    args::{Cli, Command},
    ask::Ask,
    config::{Config, unknown_variables},
    exit::Result,
    output::Output,
    portal::Portal,
    telemetry,
};

/// Does what the command line asks for.
///
/// # Errors
/// What the command refuses.
pub async fn run(cli: Cli) -> Result {
    let Cli { mut globals, command } = cli;
    let out = Output::new(globals.format);
    if let Command::Serve(args) = &command {
        globals.listen.clone_from(&args.listen);
    }
    match &command {
        Command::Openapi => return out.raw(api::openapi().as_bytes()),
        Command::Completions(args) => return completions::run(args, &out),
        Command::Man(args) => return man::run(args),
        _ => {}
    }
    // What is written from here on is the portal's, and its owner's alone.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let config = Config::load(&globals)?;
    // Only what keeps running logs at `info`; a single command says what it has to say itself.
    let stays = matches!(command, Command::Serve(_) | Command::Worker(_));
    let filter = if stays || std::env::var_os("SPV_LOG").is_some() { config.log.as_str() } else { "error" };
    telemetry::start(filter, config.log_format);
    if stays {
        raise_file_limit();
        for name in unknown_variables() {
            tracing::warn!("{name} is not a setting of this program");
        }
        for words in &config.warnings {
            tracing::warn!("{words}");
        }
    }
    match command {
        Command::Config => return out.list(config.records(), "settings"),
        Command::Serve(args) => return serve::run(args, config).await,
        Command::Worker(_) => return worker::run(config).await,
        Command::Migrate(args) => return migrate::run(&args, &config).await,
        Command::Doctor(args) => return doctor::run(&args, &config, &out).await,
        Command::Backup(verb) => return backup::run(verb, config, out, Ask::new(globals.yes)).await,
        _ => {}
    }
    let ask = Ask::new(globals.yes);
    let portal = match &command {
        Command::Seed(_) => Portal::open_or_make(config, out, ask, None).await?,
        Command::User(user::Verb::Create(_)) => {
            Portal::open_or_make(config, out, ask, Some("Make one for this account?")).await?
        }
        _ => Portal::open(config, out, ask).await?,
    };
    // A database that was moved stays as it was.
    let moves = matches!(command, Command::Move(_));
    let done = match command {
        Command::Seed(args) => seed::run(args, &portal).await,
        Command::Client(verb) => client::run(verb, &portal).await,
        Command::Commission(verb) => commission::run(verb, &portal).await,
        Command::Company(verb) => company::run(verb, &portal).await,
        Command::Iso(verb) => iso::run(verb, &portal).await,
        Command::Spv(verb) => spv::run(verb, &portal).await,
        Command::Step(verb) => step::run(verb, &portal).await,
        Command::Template(verb) => template::run(verb, &portal).await,
        Command::User(verb) => user::run(verb, &portal).await,
        Command::Document(verb) => document::run(verb, &portal).await,
        Command::Request(verb) => request::run(verb, &portal).await,
        Command::Invoice(verb) => invoice::run(verb, &portal).await,
        Command::Job(verb) => job::run(verb, &portal).await,
        Command::Key(verb) => key::run(verb, &portal).await,
        Command::Lead(verb) => lead::run(verb, &portal).await,
        Command::Maintenance(verb) => maintenance::run(verb, &portal).await,
        Command::Security(verb) => security::run(verb, &portal).await,
        Command::Settings(verb) => settings::run(verb, &portal).await,
        Command::Mail(verb) => mail::run(verb, &portal).await,
        Command::Move(args) => moves::run(args, &portal).await,
        Command::Export(args) => export::run(args, &portal).await,
        Command::Import(args) => import::run(args, &portal).await,
        Command::Activity(verb) => activity::run(verb, &portal).await,
        _ => unreachable!("answered above"),
    };
    // Where no server runs, what was done is in the log all the same. It may fail: the next to number does it.
    if !moves && let Err(error) = domain::platform::activity::sequence_all(&portal.ctx).await {
        tracing::debug!(%error, "the log was not numbered");
    }
    portal.ctx.db.close().await;
    done
}

/// Raises the limit of open files to the hard limit: each open page holds a connection, and the limit that a shell begins
/// with is meant for lesser programs.
fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
            tracing::debug!(%error, "no more files than {:?} may be open", limit.current);
        }
    }
}
