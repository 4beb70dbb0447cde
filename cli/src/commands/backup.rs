//! `spvctl backup …`
use crate::{
    ask::Ask,
    config::Config,
    exit::{Failure, Result},
    output::{Output, Record, say},
    portal::{self, Portal},
    shutdown,
};
use clap::{Args, Subcommand};
use domain::{
    Ctx, Error,
    kernel::db::{Db, Durability},
    operations::backups::{self, Backup, Manifest, Progress, Report, Restored, State},
};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create one now; the portal keeps running
    #[command(after_help = "Examples:\n  spvctl backup create\n  SPV_BACKUP_DIR=/mnt/other/spv spvctl backup create")]
    Create,
    /// List them, the newest first
    #[command(after_help = "Examples:\n  spvctl backup list\n  spvctl backup list --format json")]
    List,
    /// Check every hash and count of one, and restore it into a database that is thrown away
    #[command(after_help = "Examples:\n  spvctl backup verify 20261122-021000-6f1c")]
    Verify(One),
    /// Restore one into an empty portal
    #[command(
        long_about = "Restore one into an empty portal.\n\nThe portal must not run, and must have no accounts: use a new data \
                      folder, or an empty PostgreSQL database. It may be another kind of database, and another kind of \
                      storage, than the backup was made of. All of it is restored, or nothing.",
        after_help = "Examples:\n  spvctl backup restore 20261122-021000-6f1c --data-dir /srv/new\n  SPV_BACKUP_DIR=/mnt/other/spv spvctl backup restore 20261122-021000-6f1c --yes\n  SPV_DATABASE_URL=postgres://spv@db/spv spvctl backup restore 20261122-021000-6f1c"
    )]
    Restore(One),
}

#[derive(Debug, Args)]
pub struct One {
    /// As `backup list` shows it
    id: String,
}

pub async fn run(verb: Verb, config: Config, out: Output, ask: Ask) -> Result {
    match verb {
        Verb::Create => create(&Portal::open(config, out, ask).await?).await,
        Verb::List => {
            let ctx = reading(&config).await?;
            let listed = list(&ctx, &config, &out).await;
            ctx.db.close().await;
            listed
        }
        // It needs no database of the portal's.
        Verb::Verify(one) => verify(&without_portal(&config).await?, &one.id, &out).await,
        Verb::Restore(one) => {
            // Before the folder of the documents is made: another program's file is refused.
            let db = portal::database(&config).await?;
            let ctx = portal::context(&config.options(None)?, db);
            let restored = restore(&ctx, &config, &one.id, &out, &ask).await;
            ctx.db.close().await;
            restored
        }
    }
}

/// What a list needs: on a new machine there are backups and no portal yet, and nothing is made.
async fn reading(config: &Config) -> Result<Ctx> {
    if !portal::is_there(config).await? && config.backup_dir.is_dir() {
        return without_portal(config).await;
    }
    let db = portal::existing(config).await?;
    Ok(portal::context(&config.options(None)?, db))
}

async fn without_portal(config: &Config) -> Result<Ctx> {
    let nowhere = Db::open("sqlite::memory:", Durability::Normal).await?;
    Ok(portal::context(&config.options_without_storage(), nowhere))
}

async fn create(portal: &Portal) -> Result {
    let ctx = &portal.ctx;
    let bar = bar();
    let mut stop = shutdown::on_signal();
    let tell = |progress: Progress<'_>| show(&bar, progress, "copied");
    let made = tokio::select! {
        made = backups::create(ctx, &tell) => Some(made),
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
        say(&format!("{count} documents could not be read as they were kept; the backup is without them: {names}."));
    }
    say(&format!("It can be restored with `spvctl backup restore {}`.", made.name));
    portal.out.one(record(&made))
}

async fn list(ctx: &Ctx, config: &Config, out: &Output) -> Result {
    let here = Some(config.backup_dir.to_string_lossy().into_owned());
    let found = backups::list_stored(ctx).await?;
    let known = if ctx.db.is_migrated().await? { backups::list(ctx).await? } else { Vec::new() };
    let mut records: Vec<(String, Record)> = found
        .iter()
        .filter(|manifest| !known.iter().any(|backup| backup.name == manifest.name))
        .map(|manifest| (manifest.name.clone(), in_folder(manifest)))
        .collect();
    for backup in known {
        let gone = backup.state == State::Done
            && backup.folder == here
            && !found.iter().any(|manifest| manifest.name == backup.name);
        records.push((backup.name.clone(), if gone { lost(&backup) } else { record(&backup) }));
    }
    records.sort_by(|(one, _), (other, _)| other.cmp(one));
    out.list(records.into_iter().map(|(_, record)| record).collect(), "backups")
}

async fn verify(ctx: &Ctx, name: &str, out: &Output) -> Result {
    let bar = bar();
    let tell = |progress: Progress<'_>| show(&bar, progress, "checked");
    let report = backups::verify(ctx, name, &tell).await.map_err(named(name));
    bar.finish_and_clear();
    let report = report?;
    out.one(checked(&report))?;
    if report.faults.is_empty() {
        say("The backup is whole: it was restored into a database that is thrown away, and is as it was.");
        return Ok(());
    }
    if report.faults.len() == report.missing.len() {
        say("The backup can be restored; it is only without what is named here.");
    }
    for fault in &report.faults {
        say(&format!("Wrong: {fault}."));
    }
    Err(Failure::Found)
}

async fn restore(ctx: &Ctx, config: &Config, name: &str, out: &Output, ask: &Ask) -> Result {
    let manifest = backups::find(ctx, name).await.map_err(named(name))?;
    ask.sure(&format!(
        "Restore the backup of {} ({} rows, {} documents) into {}?",
        manifest.made_at.format("%Y-%m-%d %H:%M UTC"),
        manifest.rows(),
        manifest.documents.lines,
        config.database(),
    ))?;
    let bar = bar();
    let tell = |progress: Progress<'_>| show(&bar, progress, "restored");
    let restored = backups::restore(ctx, name, &tell).await.map_err(named(name));
    bar.finish_and_clear();
    let restored = restored?;
    out.one(brought(&restored))?;
    if let Some(path) = &restored.replaced_keys {
        say(&format!("The signing keys that were here lie in {} now.", path.display()));
    }
    say("Next:");
    say("  1. Set what the configuration said before: addresses, and the secrets of email, S3 and providers.");
    say("     These are not in a backup.");
    say("  2. Run `spvctl doctor` and `spvctl activity verify`.");
    say(&format!("  3. Start the portal: `spvctl serve`. {} jobs, including emails, continue then.", restored.jobs));
    Ok(())
}

/// It can be restored, but for documents that could not be read.
const INCOMPLETE: &str = "incomplete";

/// A backup that is not there is told of by its name.
fn named(name: &str) -> impl Fn(Error) -> Failure {
    move |error| match error {
        Error::NotFound(_) => Failure::Refused(format!("there is no backup {name}; see `spvctl backup list`")),
        error => error.into(),
    }
}

/// Hidden by indicatif when stderr is no terminal.
pub(super) fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template of ours"));
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

pub(super) fn show(bar: &ProgressBar, progress: Progress<'_>, done: &str) {
    bar.set_message(match progress {
        Progress::Table { name, nth, of } => format!("table {nth} of {of} is being {done}: {name}"),
        Progress::Document { nth, of } => format!("document {nth} of {of} is being {done}"),
        Progress::Compared { name, nth, of } => format!("table {nth} of {of} is being compared: {name}"),
    });
}

fn record(backup: &Backup) -> Record {
    Record::new()
        .with("id", backup.name.clone())
        .with("state", if backup.is_incomplete() { INCOMPLETE } else { backup.state.name() })
        .with("made_at", backup.made_at.map(|at| at.to_rfc3339()))
        .with("by", backup.asked_by.clone())
        .with("rows", backup.rows_count)
        .with("documents", backup.documents_count)
        .with("bytes", backup.bytes)
        .with("error", backup.error.clone())
        .more("asked_at", backup.asked_at.to_rfc3339())
        .more("finished_at", backup.finished_at.map(|at| at.to_rfc3339()))
        .more("documents_missing", backup.documents_missing)
}

/// One that this portal does not know: made by another, on this disk.
fn in_folder(manifest: &Manifest) -> Record {
    Record::new()
        .with("id", manifest.name.clone())
        .with("state", if manifest.missing.is_empty() { State::Done.name() } else { INCOMPLETE })
        .with("made_at", manifest.made_at.to_rfc3339())
        .with("by", manifest.made_by.clone())
        .with("rows", manifest.rows())
        .with("documents", manifest.documents.lines)
        .with("bytes", manifest.bytes())
        .with("error", (!manifest.missing.is_empty()).then(|| manifest.missing_documents().join(", ")))
        .more("asked_at", manifest.made_at.to_rfc3339())
        .more("finished_at", manifest.made_at.to_rfc3339())
        .more("documents_missing", manifest.missing.len())
}

fn lost(backup: &Backup) -> Record {
    record(&Backup { error: Some("is not in this folder".to_owned()), ..backup.clone() })
}

fn checked(report: &Report) -> Record {
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
        .more("faults", report.faults.clone())
}

fn brought(restored: &Restored) -> Record {
    Record::new()
        .with("id", restored.name.clone())
        .with("made_at", restored.made_at.to_rfc3339())
        .with("rows", restored.rows)
        .with("documents", restored.documents)
        .with("documents_missing", restored.missing)
        .with("jobs", restored.jobs)
        .with("signing_keys", restored.signing_keys.as_ref().map(|path| path.display().to_string()))
}
