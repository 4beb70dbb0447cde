//! `spvctl backup …`
use crate::{
    config::Config,
    context::{self, CliContext},
    exit::{Failure, Result},
    output::{Output, Record, counted, info},
    progress,
    prompt::Prompt,
    shutdown,
};
use clap::{Args, Subcommand};
use domain::{
    Ctx, Error,
    kernel::{
        db::{Db, Durability, sqlite_file},
        storage::StorageUrl,
    },
    operations::backups::{
        self, Backup, Manifest, Progress, Report, Restored, State, Target,
        copies::{self, StoredCopy},
    },
};
use indicatif::ProgressBar;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tokio::sync::watch;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create one now; the portal keeps running
    #[command(after_help = "Examples:\n  spvctl backup create\n  SPV_BACKUP_DIR=/mnt/other/spv spvctl backup create")]
    Create,
    /// List them, the newest first
    #[command(after_help = "Examples:\n  spvctl backup list\n  spvctl backup list --format json")]
    List(ListArgs),
    /// Copy one to the storage of copies, where the nightly one goes by itself
    #[command(after_help = "Examples:\n  spvctl backup copy 20261122-021000-6f1c")]
    Copy(TargetArgs),
    /// Download a copy into the folder of backups, to restore it
    #[command(
        long_about = "Download a copy into the folder of backups, to restore it.\n\nThe copies are in SPV_BACKUP_COPY_URL. An \
                      encrypted one needs the identity file of its recipient, which `age-keygen` wrote.",
        after_help = "Examples:\n  spvctl backup list --copies\n  spvctl backup fetch 20261122-021000-6f1c --identity key.txt"
    )]
    Fetch(FetchArgs),
    /// Check every hash and count of one, and restore it into a database that is thrown away
    #[command(after_help = "Examples:\n  spvctl backup verify 20261122-021000-6f1c")]
    Verify(TargetArgs),
    /// Restore one into an empty portal, or in the place of one
    #[command(
        long_about = "Restore one into an empty portal, or in the place of one.\n\nThe portal must not run. One with accounts is \
                      replaced only with --replace, after a backup of it; without, use a new data folder, or an empty \
                      PostgreSQL database. It may be another kind of database, and another kind of \
                      storage, than the backup was made of. All of it is restored, or nothing.",
        after_help = "Examples:\n  spvctl backup restore 20261122-021000-6f1c --data-dir /srv/new\n  SPV_BACKUP_DIR=/mnt/other/spv spvctl backup restore 20261122-021000-6f1c --yes\n  spvctl --database-url postgres://spv@db/spv backup restore 20261122-021000-6f1c"
    )]
    Restore(RestoreArgs),
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// List the copies in SPV_BACKUP_COPY_URL instead
    #[arg(long)]
    copies: bool,
}

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// As `backup list --copies` shows it, or its first characters
    #[arg(value_name = "ID")]
    copy: String,
    /// Identity file of the recipient, for an encrypted copy
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// As `backup list` shows it, or its first characters
    id: String,
}

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// As `backup list` shows it, or its first characters; chosen from a list without it
    id: Option<String>,
    /// Replace the portal that is here, after a backup of it
    #[arg(long)]
    replace: bool,
}

pub async fn run(verb: Verb, config: Config, out: Output, prompt: Prompt) -> Result {
    match verb {
        Verb::Create => create(&CliContext::open(config, out, prompt).await?).await,
        Verb::List(ListArgs { copies: true }) => {
            let found = copies::list(&ctx_without_portal(&config).await?).await?;
            out.list(found.iter().map(copy_record).collect(), "copies")
        }
        Verb::Copy(one) => copy(&CliContext::open(config, out, prompt).await?, one.id).await,
        Verb::Fetch(args) => fetch(&ctx_without_portal(&config).await?, args, &out).await,
        Verb::List(_) => {
            let ctx = ctx_for_list(&config).await?;
            let listed = list(&ctx, &config, &out).await;
            ctx.db.close().await;
            listed
        }
        // Does not need the portal's database.
        Verb::Verify(one) => {
            let ctx = ctx_without_portal(&config).await?;
            verify(&ctx, &backup_name(&ctx, one.id).await?, &out).await
        }
        Verb::Restore(args) => {
            // Refuses another program's file before anything is created.
            context::portal_exists(&config).await?;
            let new = NewPaths::before(&config)?;
            let restored = restore(&config, args, &out, &prompt).await;
            if restored.is_err() {
                new.remove();
            }
            restored
        }
    }
}

/// What a restore may create, and was not there before: a failed one removes it.
struct NewPaths {
    files: Vec<PathBuf>,
    documents: Option<PathBuf>,
    /// Removed only where empty.
    folders: Vec<PathBuf>,
}

impl NewPaths {
    fn before(config: &Config) -> Result<Self> {
        let database = sqlite_file(&config.database_url)?;
        let beside = |file: &Path, end: &str| PathBuf::from(format!("{}{end}", file.display()));
        let files = database.iter().flat_map(|file| ["", "-wal", "-shm"].map(|end| beside(file, end)));
        let documents = match &config.storage {
            StorageUrl::Files(folder) => Some(folder.clone()),
            StorageUrl::S3(_) => None,
        };
        let folders = [config.backup_dir.clone(), config.data_dir.clone()];
        let is_new = |path: &PathBuf| !path.exists();
        Ok(Self {
            files: files.filter(is_new).collect(),
            documents: documents.filter(is_new),
            folders: folders.into_iter().filter(is_new).collect(),
        })
    }

    /// Leaves what cannot be removed.
    fn remove(&self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        if let Some(documents) = &self.documents {
            let _ = fs::remove_dir_all(documents);
        }
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The context of `backup list`. On a new machine with backups and no portal it creates nothing.
async fn ctx_for_list(config: &Config) -> Result<Ctx> {
    if !context::portal_exists(config).await? && config.backup_dir.is_dir() {
        return ctx_without_portal(config).await;
    }
    let db = context::open_existing_database(config).await?;
    Ok(context::operator_ctx(&config.options(None)?, db))
}

async fn ctx_without_portal(config: &Config) -> Result<Ctx> {
    let nowhere = Db::open("sqlite::memory:", Durability::Normal).await?;
    Ok(context::operator_ctx(&config.options_without_storage()?, nowhere))
}

async fn create(cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let bar = progress::spinner();
    let mut stop = shutdown::on_signal();
    let on_progress = |progress: Progress<'_>| show_progress(&bar, progress, "copied");
    let made = tokio::select! {
        made = backups::create(ctx, &on_progress) => Some(made),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    bar.finish_and_clear();
    let Some(made) = made else {
        let kept = match backups::clean_up_interrupted(ctx).await? {
            true => "stopped; the backup was whole by then, and is kept",
            false => "stopped; nothing was kept of this backup",
        };
        return Err(Failure::Refused(kept.to_owned()));
    };
    let made = made?;
    if made.documents_missing > 0 {
        let (count, names) = (made.documents_missing, made.error.as_deref().unwrap_or_default());
        let documents = counted(count, "document");
        info(&format!("{documents} could not be read as kept; the backup is without: {names}."));
    }
    info(&format!("It can be restored with `spvctl backup restore {}`.", made.name));
    cli.out.one(record(&made))
}

async fn copy(cli: &CliContext, id: String) -> Result {
    let name = backup_name(&cli.ctx, id).await?;
    let bar = progress::spinner();
    bar.set_message("the backup is being copied");
    let copied = copies::create(&cli.ctx, &name).await;
    bar.finish_and_clear();
    copied.map_err(name_missing_backup(&name))?;
    let found = copies::list(&cli.ctx).await?;
    cli.out.list(found.iter().filter(|copy| copy.name == name).map(copy_record).collect(), "copies")
}

async fn fetch(ctx: &Ctx, args: FetchArgs, out: &Output) -> Result {
    let identities = match &args.identity {
        Some(path) => Some(
            fs::read_to_string(path)
                .map_err(|e| Failure::Refused(format!("--identity: {} cannot be read: {e}", path.display())))?,
        ),
        None => None,
    };
    let found = copies::list(ctx).await?;
    let fits = |name: &String| args.copy.len() >= MIN_PREFIX && name.starts_with(&args.copy);
    let names: BTreeSet<String> = found.into_iter().map(|copy| copy.name).filter(fits).collect();
    let mut matching = names.into_iter();
    let name = match (matching.next(), matching.next()) {
        (Some(name), None) => name,
        _ => args.copy,
    };
    let bar = progress::spinner();
    bar.set_message("the copy is being downloaded");
    let fetched = copies::fetch(ctx, &name, identities.as_deref()).await;
    bar.finish_and_clear();
    let manifest = fetched.map_err(|error| match error {
        Error::NotFound(_) => Failure::Refused(format!("there is no copy {name}; see `spvctl backup list --copies`")),
        error => error.into(),
    })?;
    info(&format!("Check it with `spvctl backup verify {name}`, restore it with `spvctl backup restore {name}`."));
    out.one(manifest_record(&manifest))
}

fn copy_record(copy: &StoredCopy) -> Record {
    Record::new().with("id", copy.name.clone()).with("bytes", copy.bytes).with("encrypted", copy.encrypted)
}

async fn list(ctx: &Ctx, config: &Config, out: &Output) -> Result {
    let here = Some(config.backup_dir.to_string_lossy().into_owned());
    let found = backups::list_stored(ctx).await?;
    let known = if ctx.db.is_migrated().await? { backups::list(ctx).await? } else { Vec::new() };
    let mut records: Vec<(String, Record)> = found
        .iter()
        .filter(|manifest| !known.iter().any(|backup| backup.name == manifest.name))
        .map(|manifest| (manifest.name.clone(), manifest_record(manifest)))
        .collect();
    for backup in known {
        let kept = backup.folder == here && found.iter().any(|manifest| manifest.name == backup.name);
        let gone = backup.state == State::Done && !kept;
        records.push((backup.name.clone(), if gone { missing_record(&backup) } else { record(&backup) }));
    }
    records.sort_by(|(one, _), (other, _)| other.cmp(one));
    out.list(records.into_iter().map(|(_, record)| record).collect(), "backups")
}

async fn verify(ctx: &Ctx, name: &str, out: &Output) -> Result {
    let bar = progress::spinner();
    let mut stop = shutdown::on_signal();
    let on_progress = |progress: Progress<'_>| show_progress(&bar, progress, "checked");
    let report = tokio::select! {
        report = backups::verify(ctx, name, &on_progress) => report.map_err(name_missing_backup(name)),
        _ = stop.wait_for(|stop| *stop) => Err(Failure::Refused("stopped; the backup is as it was".to_owned())),
    };
    bar.finish_and_clear();
    let report = report?;
    out.one(report_record(&report))?;
    if report.faults.is_empty() {
        info("The backup is whole: it was restored into a database that is thrown away, and is as it was.");
        return Ok(());
    }
    if report.faults.len() == report.missing.len() {
        info("The backup can be restored; it is only without what is named here.");
    }
    for fault in &report.faults {
        info(&format!("Wrong: {fault}."));
    }
    Err(Failure::Found)
}

async fn restore(config: &Config, args: RestoreArgs, out: &Output, prompt: &Prompt) -> Result {
    let without_portal = ctx_without_portal(config).await?;
    let name = match args.id {
        Some(name) => backup_name(&without_portal, name).await?,
        None => choose(&without_portal, prompt).await?,
    };
    let name = name.as_str();
    let manifest = backups::find(&without_portal, name).await.map_err(name_missing_backup(name))?;
    let target = if args.replace { Target::Replace } else { Target::Empty };
    check_target(config, name, target).await?;
    prompt.confirm(&format!(
        "Restore the backup of {} ({}, {}) into {}?",
        manifest.made_at.format("%Y-%m-%d %H:%M UTC"),
        counted(manifest.rows(), "row"),
        counted(manifest.documents.lines, "document"),
        if args.replace { format!("{}, in the place of what is there", config.database()) } else { config.database() },
    ))?;
    // Before anything is created, so that an interruption finds all of it.
    let stop = shutdown::on_signal();
    let db = context::open_or_create_database(config).await?;
    let ctx = context::operator_ctx(&config.options(None)?, db);
    let restored = async {
        if args.replace {
            save_replaced(&ctx, name).await?;
        }
        restore_into(&ctx, name, target, stop).await
    }
    .await;
    ctx.db.close().await;
    let restored = restored?;
    out.one(restore_record(&restored))?;
    if let Some(path) = &restored.replaced_keys {
        info(&format!("The signing keys that were here lie in {} now.", path.display()));
    }
    info("Next:");
    info("  1. Set what the configuration said before: addresses, and the secrets of email, S3 and providers.");
    info("     These are not in a backup.");
    info("  2. Run `spvctl doctor` and `spvctl activity verify`.");
    let jobs = counted(restored.jobs, "job");
    info(&format!("  3. Start the portal: `spvctl serve`. It continues {jobs}, including emails."));
    Ok(())
}

/// Refuses a restore into a portal that cannot take the backup. Creates nothing.
async fn check_target(config: &Config, name: &str, target: Target) -> Result {
    if !context::portal_exists(config).await? {
        return Ok(());
    }
    let ctx = context::operator_ctx(&config.options_without_storage()?, context::open_existing_database(config).await?);
    let checked = backups::check_restore(&ctx, name, target).await;
    ctx.db.close().await;
    checked.map_err(name_missing_backup(name))
}

/// Makes the backup of a portal that is about to be replaced by another one.
async fn save_replaced(ctx: &Ctx, replacement: &str) -> Result {
    let bar = progress::spinner();
    let on_progress = |progress: Progress<'_>| show_progress(&bar, progress, "copied");
    let made = backups::create_before_replacing(ctx, replacement, &on_progress).await;
    bar.finish_and_clear();
    if let Some(made) = made? {
        info(&format!("What is here now can be restored with `spvctl backup restore {} --replace`.", made.name));
    }
    Ok(())
}

async fn restore_into(ctx: &Ctx, name: &str, target: Target, mut stop: watch::Receiver<bool>) -> Result<Restored> {
    let bar = progress::spinner();
    let on_progress = |progress: Progress<'_>| show_progress(&bar, progress, "restored");
    let begun = tokio::select! {
        begun = backups::begin_restore(ctx, name, target, &on_progress) => Some(begun),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    bar.finish_and_clear();
    // Not interruptible from here on: during the commit it would be unknown whether the portal was restored.
    match begun {
        Some(begun) => Ok(begun.map_err(name_missing_backup(name))?.commit().await?),
        None => Err(Failure::Refused("stopped; nothing was restored".to_owned())),
    }
}

/// The shortest beginning of a name that is completed: a year.
const MIN_PREFIX: usize = 4;

/// The name of the one backup that begins with what was typed; else what was typed.
async fn backup_name(ctx: &Ctx, typed: String) -> Result<String> {
    let found = backups::list_stored(ctx).await?;
    let fits = |name: &String| typed.len() >= MIN_PREFIX && name.starts_with(&typed);
    let mut matching = found.into_iter().map(|manifest| manifest.name).filter(fits);
    Ok(match (matching.next(), matching.next()) {
        (Some(name), None) => name,
        _ => typed,
    })
}

/// Asks which backup of the folder is restored.
async fn choose(ctx: &Ctx, prompt: &Prompt) -> Result<String> {
    let found = backups::list_stored(ctx).await?;
    if found.is_empty() {
        return Err(Failure::Refused("there is no backup in this folder; see SPV_BACKUP_DIR".to_owned()));
    }
    prompt.needs("the id of a backup, as `spvctl backup list` shows it")?;
    let line = |manifest: &Manifest| {
        let (at, by) = (manifest.made_at.format("%Y-%m-%d %H:%M UTC"), &manifest.made_by);
        format!("{}  {at}  {} rows  by {by}", manifest.name, manifest.rows())
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    Ok(found[prompt.select("Backup", &lines)?].name.clone())
}

/// State of a backup that can be restored without the documents that could not be read.
const INCOMPLETE: &str = "incomplete";

/// Names the backup in the error when it does not exist.
fn name_missing_backup(name: &str) -> impl Fn(Error) -> Failure {
    move |error| match error {
        Error::NotFound(_) => Failure::Refused(format!("there is no backup {name}; see `spvctl backup list`")),
        error => error.into(),
    }
}

/// Rows, then documents, each with rate and remaining time.
pub(super) fn show_progress(bar: &ProgressBar, progress: Progress<'_>, done: &str) {
    match progress {
        Progress::Rows { done: rows, of, .. } => progress::count(bar, &format!("rows {done}"), rows, of),
        Progress::Compared { done: rows, of } => progress::count(bar, "rows compared", rows, of),
        Progress::Documents { done: documents, of } => {
            progress::count(bar, &format!("documents {done}"), documents, of);
        }
    }
}

fn record(backup: &Backup) -> Record {
    Record::new()
        .with("id", backup.name.clone())
        .with("state", if backup.is_incomplete() { INCOMPLETE } else { backup.state.name() })
        .with("made_at", backup.made_at.map(|at| at.to_rfc3339()))
        .with_room("by", backup.asked_by.clone())
        .with("rows", backup.rows_count)
        .with_room("documents", backup.documents_count)
        .with_room("bytes", backup.bytes)
        .with("error", backup.error.clone())
        .hidden_in_table("asked_at", backup.asked_at.to_rfc3339())
        .hidden_in_table("finished_at", backup.finished_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("documents_missing", backup.documents_missing)
        .hidden_in_table("copied_at", backup.copied_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("copy_error", backup.copy_error.clone())
}

/// A backup in the folder that this portal's database does not list, made by another portal.
fn manifest_record(manifest: &Manifest) -> Record {
    Record::new()
        .with("id", manifest.name.clone())
        .with("state", if manifest.missing.is_empty() { State::Done.name() } else { INCOMPLETE })
        .with("made_at", manifest.made_at.to_rfc3339())
        .with_room("by", manifest.made_by.clone())
        .with("rows", manifest.rows())
        .with_room("documents", manifest.documents.lines)
        .with_room("bytes", manifest.bytes())
        .with("error", (!manifest.missing.is_empty()).then(|| manifest.missing_documents().join(", ")))
        .hidden_in_table("asked_at", manifest.made_at.to_rfc3339())
        .hidden_in_table("finished_at", manifest.made_at.to_rfc3339())
        .hidden_in_table("documents_missing", manifest.missing.len())
}

/// State of a backup that is not in the folder where this portal keeps its backups.
pub(super) const MISSING: &str = "missing";

fn missing_record(backup: &Backup) -> Record {
    let folder = backup.folder.as_deref().unwrap_or("the folder it was made in");
    let why = match backup.is_there() {
        true => format!("lies in {folder}; set SPV_BACKUP_DIR to it"),
        false => format!("is not in {folder} any more"),
    };
    record(&Backup { error: Some(why), ..backup.clone() }).replace("state", MISSING)
}

fn report_record(report: &Report) -> Record {
    Record::new()
        .with("id", report.name.clone())
        .with("made_at", report.made_at.to_rfc3339())
        .with(
            "state",
            match report.faults.len() {
                0 => "whole",
                faults if faults == report.missing.len() => INCOMPLETE,
                _ => "damaged",
            },
        )
        .with("tables", report.tables)
        .with("rows", report.rows)
        .with("documents", report.documents)
        .with("bytes", report.bytes)
        .with("activity", report.activity)
        .with("documents_missing", report.missing.len())
        .hidden_in_table("faults", report.faults.clone())
}

fn restore_record(restored: &Restored) -> Record {
    Record::new()
        .with("id", restored.name.clone())
        .with("made_at", restored.made_at.to_rfc3339())
        .with("rows", restored.rows)
        .with("documents", restored.documents)
        .with("documents_missing", restored.missing)
        .with("jobs", restored.jobs)
        .with("signing_keys", restored.signing_keys.as_ref().map(|path| path.display().to_string()))
}
