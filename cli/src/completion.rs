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
    kernel::{
        access::Role,
        clock::Clock,
        ctx::Ctx,
        db::{Db, Durability},
        page::{PageQuery, SortKey},
    },
    operations::{
        backups, imports,
        names::{self, Noun},
    },
    orders::{commissions, documents, invoices, services, spvs, steps},
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
    if let Some(source) = source_of(&id, noun) {
        return arg.add(ArgValueCompleter::new(move |typed: &OsStr| rows(source, typed)));
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

/// Where the names come from that an argument takes.
#[derive(Clone, Copy, Debug)]
enum Source {
    Rows(Noun),
    Backups,
    Imports,
    PayoutRuns,
    Services,
}

fn source_of(arg: &str, noun: &str) -> Option<Source> {
    Some(match (arg, noun) {
        ("client", _) => Source::Rows(Noun::Client),
        ("company", _) => Source::Rows(Noun::Company),
        ("iso", _) => Source::Rows(Noun::Iso),
        ("spv", _) => Source::Rows(Noun::Spv),
        ("user" | "assignee", _) => Source::Rows(Noun::User),
        ("invoice", _) => Source::Rows(Noun::Invoice),
        ("document", _) => Source::Rows(Noun::Document),
        ("request", _) => Source::Rows(Noun::Request),
        ("id", "mail") => Source::Rows(Noun::Mail),
        ("ids", "commission") => Source::Rows(Noun::Commission),
        ("run", "commission") => Source::PayoutRuns,
        ("id", "backup") => Source::Backups,
        ("import", "import") => Source::Imports,
        ("service", _) => Source::Services,
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
fn rows(source: Source, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy().into_owned();
    let read = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async { tokio::time::timeout(TIMEOUT, names_of(source, &typed)).await.ok().flatten() })
    };
    let found = thread::spawn(read).join().ok().flatten().unwrap_or_default();
    found.into_iter().map(CompletionCandidate::new).collect()
}

async fn names_of(source: Source, typed: &str) -> Option<Vec<String>> {
    let config = Config::load(&Globals::default()).ok()?;
    let options = config.options_without_storage().ok()?;
    if matches!(source, Source::Backups) {
        // Backups are restored where there is no portal, too.
        let nowhere = Db::open("sqlite::memory:", Durability::Normal).await.ok()?;
        let found = backups::list_stored(&context::operator_ctx(&options, nowhere)).await.ok()?;
        return Some(offered(found.into_iter().map(|backup| backup.name), typed));
    }
    let db = context::open_existing_database(&config).await.ok()?;
    context::check_schema(&config, &db).await.ok()?;
    let ctx = context::operator_ctx(&options, db);
    let found = read_names(&ctx, source, typed).await;
    ctx.db.close().await;
    found
}

async fn read_names(ctx: &Ctx, source: Source, typed: &str) -> Option<Vec<String>> {
    let names: Vec<String> = match source {
        Source::Rows(noun) => {
            let found = names::beginning_with(ctx, noun, typed, OFFERED).await.ok()?;
            let typed = typed.to_lowercase();
            let name = |row: names::Named| match row.name.is_empty() || !row.name.to_lowercase().starts_with(&typed) {
                true => row.id.to_string(),
                false => row.name,
            };
            return Some(found.into_iter().map(name).collect());
        }
        Source::Backups => Vec::new(),
        Source::Imports => imports::list(ctx).await.ok()?.into_iter().map(|import| import.id.to_string()).collect(),
        Source::PayoutRuns => {
            let found = commissions::runs(ctx, &PageQuery::default()).await.ok()?;
            found.items.into_iter().map(|run| run.run.name()).collect()
        }
        Source::Services => services::list(ctx, None).await.ok()?.into_iter().map(|service| service.name).collect(),
    };
    Some(offered(names.into_iter(), typed))
}

/// The first of these names that begin with what was typed.
fn offered(names: impl Iterator<Item = String>, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    names.filter(|name| name.to_lowercase().starts_with(&typed)).take(OFFERED as usize).collect()
}
