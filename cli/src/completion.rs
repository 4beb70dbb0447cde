//! Completions of a shell: commands and flags, names from the database, statuses and roles.
use crate::{
    args::{self, Globals},
    commands::settings,
    config::Config,
    context,
};
use clap::{Arg, Command};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCompleter, CompletionCandidate},
};
use domain::{
    accounts::users,
    desk::requests,
    directory::{self, leads},
    kernel::{access::Role, clock::Clock, page::SortKey},
    operations::names::{self, Noun},
    orders::{commissions, documents, invoices, spvs, steps},
};
use std::{ffi::OsStr, thread, time::Duration};

/// Names that are offered at most.
const OFFERED: i64 = 50;
/// A shell does not wait longer for names.
const TIMEOUT: Duration = Duration::from_millis(1_500);

/// Answers the shell and exits, if it is the shell that asks (`COMPLETE` is set).
pub fn complete() {
    CompleteEnv::with_factory(command).complete();
}

fn command() -> Command {
    with_values(args::command(), "")
}

/// Adds the values of arguments to the commands of `noun`, a command of the first level.
fn with_values(command: Command, noun: &str) -> Command {
    let command = command.mut_args(|arg| with_values_of(arg, noun));
    command.mut_subcommands(|under| {
        let noun = if noun.is_empty() { under.get_name().to_owned() } else { noun.to_owned() };
        with_values(under, &noun)
    })
}

fn with_values_of(arg: Arg, noun: &str) -> Arg {
    let id = arg.get_id().to_string();
    if let Some(kind) = kind_of(&id, noun) {
        return arg.add(ArgValueCompleter::new(move |typed: &OsStr| rows(kind, typed)));
    }
    let words = match (id.as_str(), noun) {
        ("name", "settings") => settings::names(),
        ("name", "job") => {
            jobs::list_schedules(Clock::system().now()).into_iter().map(|(name, ..)| name.to_owned()).collect()
        }
        _ => words_of(&id, noun).into_iter().map(str::to_owned).collect(),
    };
    if words.is_empty() {
        return arg;
    }
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| beginning_with(&words, typed)))
}

/// The kind of row that an argument names.
fn kind_of(arg: &str, noun: &str) -> Option<Noun> {
    Some(match (arg, noun) {
        ("client", _) => Noun::Client,
        ("company", _) => Noun::Company,
        ("iso", _) => Noun::Iso,
        ("spv", _) => Noun::Spv,
        ("user" | "assignee", _) => Noun::User,
        ("invoice", _) => Noun::Invoice,
        ("id", "mail") => Noun::Mail,
        _ => return None,
    })
}

/// The allowed values of an argument.
fn words_of(arg: &str, noun: &str) -> Vec<&'static str> {
    match (arg, noun) {
        ("role", _) => Role::ALL.map(Role::name).to_vec(),
        ("country", _) => vec!["US", "UAE", "JP", "SG", "TH"],
        ("status", "client" | "user") => users::Status::ALL.map(users::Status::name).to_vec(),
        ("status", "spv") => spvs::Status::ALL.map(spvs::Status::name).to_vec(),
        ("status", "invoice") => invoices::Status::ALL.map(invoices::Status::name).to_vec(),
        ("status", "commission") => commissions::Status::ALL.map(commissions::Status::name).to_vec(),
        ("status", "request") => requests::Status::ALL.map(requests::Status::name).to_vec(),
        ("status", "step") => steps::Status::ALL.map(steps::Status::name).to_vec(),
        ("kind", "request") => requests::Kind::ALL.map(requests::Kind::name).to_vec(),
        ("priority", _) => requests::Priority::ALL.map(requests::Priority::name).to_vec(),
        ("sort", "client") => sorts::<directory::clients::ClientSort>(),
        ("sort", "company") => sorts::<directory::companies::CompanySort>(),
        ("sort", "iso") => sorts::<directory::isos::IsoSort>(),
        ("sort", "lead") => sorts::<leads::LeadSort>(),
        ("sort", "spv") => sorts::<spvs::SpvSort>(),
        ("sort", "document") => sorts::<documents::DocumentSort>(),
        ("sort", "invoice") => sorts::<invoices::InvoiceSort>(),
        ("sort", "commission") => sorts::<commissions::CommissionSort>(),
        ("sort", "request") => sorts::<requests::RequestSort>(),
        ("sort", "user") => sorts::<users::UserSort>(),
        ("stage", _) => leads::Stage::ALL.map(leads::Stage::name).to_vec(),
        _ => Vec::new(),
    }
}

/// Sort keys; one may be written with a minus sign for descending order.
fn sorts<K: SortKey>() -> Vec<&'static str> {
    K::ALL.iter().map(|key| key.name()).collect()
}

fn beginning_with(words: &[String], typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy().to_lowercase();
    let (sign, typed) = typed.strip_prefix('-').map_or(("", typed.as_str()), |key| ("-", key));
    let found = words.iter().filter(|word| word.to_lowercase().starts_with(typed));
    found.map(|word| CompletionCandidate::new(format!("{sign}{word}"))).collect()
}

/// Names of rows in the configured portal; none where it cannot be read.
fn rows(noun: Noun, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy().into_owned();
    let read = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async { tokio::time::timeout(TIMEOUT, names_of(noun, &typed)).await.ok().flatten() })
    };
    let found = thread::spawn(read).join().ok().flatten().unwrap_or_default();
    found.into_iter().map(CompletionCandidate::new).collect()
}

async fn names_of(noun: Noun, typed: &str) -> Option<Vec<String>> {
    let config = Config::load(&Globals::default()).ok()?;
    let db = context::open_existing_database(&config).await.ok()?;
    context::check_schema(&config, &db).await.ok()?;
    let ctx = context::operator_ctx(&config.options_without_storage().ok()?, db);
    let found = names::beginning_with(&ctx, noun, typed, OFFERED).await.ok()?;
    ctx.db.close().await;
    let name =
        |row: names::Named| match row.name.is_empty() || !row.name.to_lowercase().starts_with(&typed.to_lowercase()) {
            true => row.id.to_string(),
            false => row.name,
        };
    Some(found.into_iter().map(name).collect())
}
