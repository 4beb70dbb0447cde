//! Backups of the running portal, in one format for every database and storage, so that a backup can be restored into
//! another.
//!
//! A backup is a directory with a JSON lines file per table and a manifest with all hashes and counts. The contents of
//! documents are stored once beside all backups. Left out are state of this machine ([`EXCLUDED_TABLES`]) and
//! unfinished uploads.
pub mod copies;
mod create;
mod directory;
mod dump;
mod jsonl;
mod manifest;
mod rekey;
mod restore;
mod store;
mod transfer;
mod verify;

pub(crate) use directory::TempDir;
pub use manifest::{Manifest, Part, Rows};
pub use restore::{PendingRestore, Restored};
pub use store::{Backup, State};
pub(crate) use transfer::copy_into_empty;
pub use transfer::{DatabaseTransfer, TransferReport, begin_transfer, check_transfer};
pub use verify::Report;

use crate::{
    kernel::{
        access::{Action, Resource},
        backup_retention::UPGRADE_SUFFIX,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        i18n::{self, LANGUAGES},
        idempotency,
        ids::BackupId,
    },
    platform::{
        activity::{self, Event},
        queue::{self, Job},
    },
};
use chrono::{DateTime, Duration, Utc};
use copies::CopyBackup;
use directory::BackupDir;
use serde::{Deserialize, Serialize};

/// Tables that are in no backup, with the reason.
pub const EXCLUDED_TABLES: &[(&str, &str)] = &[
    ("backups", "says what lies in this machine's folder, and is made anew of it"),
    ("probes", "how the parts of this machine stand, made anew every minute"),
    ("uploads", "unfinished uploads: the sender starts again; finished ones are documents"),
    ("upload_parts", "unfinished uploads: the sender starts again; finished ones are documents"),
];

/// Purpose of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Backup,
    /// Move to another database with the same files: includes everything that is not recreated.
    Move,
}

impl Purpose {
    fn excludes(self, table: &str) -> bool {
        match self {
            Self::Backup => EXCLUDED_TABLES.iter().any(|(name, _)| *name == table),
            Self::Move => table == "probes",
        }
    }

    /// A restored portal does not run backup jobs of the old one.
    fn includes_job(self, job: &str) -> bool {
        self == Self::Move || ![CreateBackup::NAME, NightlyBackup::NAME, CopyBackup::NAME].contains(&job)
    }
}

/// A pending backup older than this does not block another. Also the time allowed for the nightly one.
const PENDING_TIMEOUT: Duration = Duration::hours(1);
/// A portal younger than this has nothing for a nightly backup.
const MIN_UPTIME_FOR_NIGHTLY: Duration = Duration::hours(1);
const FAILED_RETENTION: Duration = Duration::days(30);

/// Job that creates a backup.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CreateBackup {
    pub id: BackupId,
}

impl Job for CreateBackup {
    const NAME: &'static str = "portal.backup";
    /// Enough attempts to wait for another backup, or for a disk or storage that is unavailable for an hour.
    const ATTEMPTS: usize = 8;
}

/// Job that enqueues a backup every night.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct NightlyBackup {}

impl Job for NightlyBackup {
    const NAME: &'static str = "portal.nightly_backup";
}

/// Progress of a backup, restore or transfer: how many of all rows, or documents, are done.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Reported before each table and every [`ROWS_PER_REPORT`] rows.
    Rows {
        table: &'a str,
        done: u64,
        of: u64,
    },
    /// Rows that were compared in both databases of a transfer.
    Compared {
        done: u64,
        of: u64,
    },
    Documents {
        done: u64,
        of: u64,
    },
}

/// Rows between two progress reports.
const ROWS_PER_REPORT: u64 = 500;

/// Receives progress.
pub type ProgressCallback<'a> = &'a (dyn Fn(Progress<'_>) + Send + Sync);

/// Lists requested backups, the newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "backups.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<Backup>> {
    ctx.may(Action::View, Resource::System)?;
    store::list(&mut ctx.db(), 100).await
}

/// Lists complete backups in the directory, the newest first, also those of other installations. The operator.
///
/// # Errors
/// Forbidden; Conflict `backup_folder_missing`; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.list_stored", skip_all)]
pub async fn list_stored(ctx: &Ctx) -> Result<Vec<Manifest>> {
    ctx.may(Action::View, Resource::System)?;
    let folder = BackupDir::open(ctx).await?;
    let mut found = Vec::new();
    for name in folder.names().await? {
        found.extend(folder.find(&name).await.ok().map(|kept| kept.manifest));
    }
    Ok(found)
}

/// Checks that a backup can be created in the directory. The operator.
///
/// # Errors
/// Forbidden; Conflict `backup_folder_missing`, `backup_folder_empty`; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.check_directory", skip_all)]
pub async fn check_directory(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::View, Resource::System)?;
    BackupDir::open_for_writing(ctx).await.map(drop)
}

/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "backups.get", skip_all, fields(backup_id = %id))]
pub async fn get(ctx: &Ctx, id: BackupId) -> Result<Backup> {
    ctx.may(Action::View, Resource::System)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("backup"))
}

/// The newest complete backup. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "backups.last_good", skip_all)]
pub async fn last_good(ctx: &Ctx) -> Result<Option<Backup>> {
    ctx.may(Action::View, Resource::System)?;
    store::last_good(&mut ctx.db()).await
}

/// Enqueues a backup. It ends with the event `backup.created` or `backup.failed` of this id. Super admins and the
/// operator.
///
/// # Errors
/// Forbidden; Conflict `backup_running`.
#[tracing::instrument(level = "debug", name = "backups.enqueue", skip_all)]
pub async fn enqueue(ctx: &Ctx) -> Result<Backup> {
    ctx.may(Action::Update, Resource::System)?;
    let asked = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(BackupId(id));
            }
            tx.advisory_lock("backups".to_owned()).await?;
            if store::has_pending(tx, ctx.now() - PENDING_TIMEOUT).await? {
                return Err(Error::conflict("backup_running"));
            }
            let (id, name) = new_name(ctx);
            store::insert(tx, id, &name, ctx.now(), &ctx.actor.name()).await?;
            queue::enqueue(tx, &CreateBackup { id }).await?;
            idempotency::store(tx, ctx, id.0).await?;
            activity::append(tx, ctx, event("backup.asked", id, &name)).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, asked.await?).await
}

/// Enqueues the nightly backup, unless one is pending or the portal is new. Jobs.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.nightly", skip_all)]
pub async fn nightly(ctx: &Ctx) -> Result<()> {
    let (first, _) = store::uptime(&mut ctx.db(), ctx.now()).await?;
    if first.is_none_or(|first| ctx.now() - first < MIN_UPTIME_FOR_NIGHTLY) {
        return Ok(());
    }
    match enqueue(ctx).await {
        Ok(_) => Ok(()),
        Err(Error::Conflict(problem)) if problem.code == "backup_running" => Ok(()),
        Err(e) => Err(e),
    }
}

/// Creates the requested backup. Jobs.
///
/// # Errors
/// NotFound; Unavailable, also while another runs or the directory is missing; report it with [`record_failure`].
#[tracing::instrument(level = "debug", name = "backups.run", skip_all, fields(backup_id = %id))]
pub async fn run(ctx: &Ctx, id: BackupId) -> Result<()> {
    let backup = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("backup"))?;
    if backup.state == State::Done {
        return Ok(());
    }
    let folder = match open_locked(ctx).await {
        // Retried: the other backup ends, or the directory is mounted again.
        Err(error @ Error::Conflict(_)) => return Err(Error::Unavailable(i18n::error(LANGUAGES[0], &error))),
        folder => folder?,
    };
    let place = &folder.name();
    ctx.transaction(|tx| store::begin(tx, id, ctx.now(), place).scope_boxed()).await?;
    create_in(ctx, &folder, &backup, &|_| ()).await
}

async fn open_locked(ctx: &Ctx) -> Result<BackupDir> {
    BackupDir::open_for_writing(ctx).await?.lock().await
}

/// Creates a backup in this process. After an interruption call [`clean_up_interrupted`]. The operator.
///
/// # Errors
/// Forbidden; Conflict `backup_running`, `backup_folder_missing`, `backup_folder_empty`; Unavailable if the database,
/// the storage or the disk fails.
#[tracing::instrument(level = "debug", name = "backups.create", skip_all)]
pub async fn create(ctx: &Ctx, on_progress: ProgressCallback<'_>) -> Result<Backup> {
    ctx.may(Action::Update, Resource::System)?;
    // Locks first, so that a refused call leaves no row.
    let folder = open_locked(ctx).await?;
    let (id, name) = new_name(ctx);
    let (name, place) = (&name, &folder.name());
    ctx.transaction(|tx| {
        async move {
            store::insert(tx, id, name, ctx.now(), &ctx.actor.name()).await?;
            // In one transaction: no job would pick up a row left queued.
            store::begin(tx, id, ctx.now(), place).await
        }
        .scope_boxed()
    })
    .await?;
    if let Err(error) = create_in(ctx, &folder, &get(ctx, id).await?, on_progress).await {
        record_failure(ctx, id, &error.to_string()).await?;
        return Err(error);
    }
    get(ctx, id).await
}

/// Creates a backup of a portal in use before its schema is migrated; `None` of one without accounts. It has no row in
/// the database, whose tables are another version's, until [`adopt`] adds it. The operator.
///
/// # Errors
/// As [`create`].
#[tracing::instrument(level = "debug", name = "backups.create_before_upgrade", skip_all)]
pub async fn create_before_upgrade(ctx: &Ctx, on_progress: ProgressCallback<'_>) -> Result<Option<Manifest>> {
    ctx.may(Action::Update, Resource::System)?;
    if !store::is_used(&mut ctx.db()).await? {
        return Ok(None);
    }
    let folder = open_locked(ctx).await?;
    let (id, name) = new_name(ctx);
    let (name, by) = (format!("{name}{UPGRADE_SUFFIX}"), format!("upgrade to {}", env!("CARGO_PKG_VERSION")));
    let made = create::create(ctx, &folder, id, &name, &by, on_progress).await;
    if made.is_err() {
        let _ = folder.remove_incomplete().await;
    }
    let manifest = made?;
    if let Err(error) = folder.prune(ctx.options.backup_retention, &manifest.name).await {
        tracing::warn!(%error, "old backups not pruned");
    }
    Ok(Some(manifest))
}

/// Creates a backup of a portal in use that the backup `replacement` is about to replace; `None` of one without accounts. No
/// older backup is removed, and the restore lists it in the database. The operator.
///
/// # Errors
/// As [`create`] and [`restore`].
#[tracing::instrument(level = "debug", name = "backups.create_before_replacing", skip_all)]
pub async fn create_before_replacing(
    ctx: &Ctx,
    replacement: &str,
    on_progress: ProgressCallback<'_>,
) -> Result<Option<Manifest>> {
    ctx.may(Action::Update, Resource::System)?;
    let folder = open_locked(ctx).await?;
    let kept = folder.find(replacement).await?;
    restore::check_target(ctx, &kept, Target::Replace).await?;
    if ctx.db.is_empty().await? || !store::is_used(&mut ctx.db()).await? {
        return Ok(None);
    }
    let (id, name) = new_name(ctx);
    let made = create::create(ctx, &folder, id, &name, "restore", on_progress).await;
    if made.is_err() {
        let _ = folder.remove_incomplete().await;
    }
    made.map(Some)
}

/// Lists a backup of [`create_before_upgrade`] in the migrated database. The operator.
///
/// # Errors
/// Forbidden; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.adopt", skip_all)]
pub async fn adopt(ctx: &Ctx, manifest: &Manifest) -> Result<()> {
    ctx.may(Action::Update, Resource::System)?;
    let folder = &BackupDir::open(ctx).await?.name();
    ctx.transaction(|tx| {
        async move {
            store::adopt(tx, manifest, folder).await?;
            enqueue_copy(tx, ctx, &manifest.name).await?;
            let event = event("backup.created", manifest.id, &manifest.name)
                .with("by", manifest.made_by.clone())
                .with("rows", manifest.rows())
                .with("documents", manifest.documents.lines)
                .with("missing", manifest.missing.len())
                .with("bytes", manifest.bytes());
            activity::append(tx, ctx, event).await
        }
        .scope_boxed()
    })
    .await
}

/// Creates the backup in the locked directory.
async fn create_in(ctx: &Ctx, folder: &BackupDir, backup: &Backup, on_progress: ProgressCallback<'_>) -> Result<()> {
    // First, as leftovers of a transfer may fill the disk.
    if let Err(error) = transfer::remove_stale(ctx).await {
        tracing::warn!(%error, "leftovers of a transfer not removed");
    }
    let made = match folder.find(&backup.name).await {
        // Completed, but the process ended before it was recorded.
        Ok(whole) => Ok(whole.manifest),
        Err(Error::NotFound(_)) => {
            create::create(ctx, folder, backup.id, &backup.name, &backup.asked_by, on_progress).await
        }
        Err(e) => Err(e),
    };
    if made.is_err() {
        // Frees the disk space that the failed backup took.
        let _ = folder.remove_incomplete().await;
    }
    let manifest = made?;
    if let Err(error) = folder.prune(ctx.options.backup_retention, &backup.name).await {
        tracing::warn!(%error, "old backups not pruned");
    }
    let names = folder.names().await?;
    let listed = store::list(&mut ctx.db(), 1_000).await?;
    let here = |other: &Backup| other.state == State::Done && other.folder == Some(folder.name());
    let gone = listed.into_iter().filter(|other| here(other) && !names.contains(&other.name));
    let gone: Vec<String> = gone.map(|other| other.name).collect();
    let (manifest, gone) = (&manifest, &gone);
    ctx.transaction(|tx| {
        async move {
            store::finish(tx, manifest, &folder.name(), ctx.now()).await?;
            store::delete_obsolete(tx, gone, ctx.now() - FAILED_RETENTION).await?;
            enqueue_copy(tx, ctx, &backup.name).await?;
            let event = event("backup.created", backup.id, &backup.name)
                .with("by", backup.asked_by.clone())
                .with("rows", manifest.rows())
                .with("documents", manifest.documents.lines)
                .with("missing", manifest.missing.len())
                .with("bytes", manifest.bytes());
            activity::append(tx, ctx, event).await
        }
        .scope_boxed()
    })
    .await
}

/// Enqueues the copy of a backup where copies are configured.
async fn enqueue_copy(tx: &mut Tx, ctx: &Ctx, name: &str) -> Result<()> {
    if ctx.options.backup_copies.is_some() {
        queue::enqueue(tx, &CopyBackup { name: name.to_owned() }).await?;
    }
    Ok(())
}

/// Stores why a backup failed.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.record_failure", skip_all, fields(backup_id = %id))]
pub async fn record_failure(ctx: &Ctx, id: BackupId, why: &str) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            let Some(backup) = store::get(tx, id).await? else { return Ok(()) };
            if store::fail(tx, id, ctx.now(), why).await? {
                let event = event("backup.failed", id, &backup.name).with("by", backup.asked_by).with("reason", why);
                activity::append(tx, ctx, event).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Removes what an interrupted [`create`] left. Returns whether that backup was complete; then it stays.
///
/// # Errors
/// Unavailable; Conflict `backup_running` while another process works in the directory.
#[tracing::instrument(level = "debug", name = "backups.clean_up_interrupted", skip_all)]
pub async fn clean_up_interrupted(ctx: &Ctx) -> Result<bool> {
    let folder = BackupDir::open(ctx).await?;
    let folder = lock_with_retry(&folder).await?;
    folder.remove_incomplete().await?;
    let begun = |backup: &&Backup| backup.state == State::Running && backup.folder == Some(folder.name());
    let mut whole = false;
    for backup in store::list(&mut ctx.db(), 100).await?.iter().filter(begun) {
        if folder.find(&backup.name).await.is_ok() {
            create_in(ctx, &folder, backup, &|_| ()).await?;
            whole = true;
        } else {
            record_failure(ctx, backup.id, "it was stopped").await?;
        }
    }
    Ok(whole)
}

/// Waits for the blocking threads of an interrupted call.
async fn lock_with_retry(folder: &BackupDir) -> Result<BackupDir> {
    for _ in 0..50 {
        match folder.lock().await {
            Err(Error::Conflict(_)) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            locked => return locked,
        }
    }
    folder.lock().await
}

/// Verifies a backup: every hash, every count, and a trial restore into a temporary database. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `backup_damaged` if the manifest cannot be read, `backup_newer`, `backup_running`.
/// Other faults are in the report.
#[tracing::instrument(level = "debug", name = "backups.verify", skip_all)]
pub async fn verify(ctx: &Ctx, name: &str, on_progress: ProgressCallback<'_>) -> Result<Report> {
    ctx.may(Action::View, Resource::System)?;
    let folder = BackupDir::open(ctx).await?.lock_shared().await?;
    verify::verify(ctx, &folder, &folder.find(name).await?, on_progress).await
}

/// Loads the manifest of a backup. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `backup_damaged`, `backup_newer`, `backup_folder_missing`.
#[tracing::instrument(level = "debug", name = "backups.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Manifest> {
    ctx.may(Action::View, Resource::System)?;
    Ok(BackupDir::open(ctx).await?.find(name).await?.manifest)
}

/// What a backup is restored into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A portal without accounts and companies; any other is refused.
    Empty,
    /// Any portal: all its rows are replaced.
    Replace,
}

/// Restores a backup into this empty portal in one transaction. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `portal_not_empty`, `portal_newer`, `portal_at_work`, `backup_newer`,
/// `backup_damaged`, `backup_running`; Unavailable. No row is changed in any of these cases.
#[tracing::instrument(level = "debug", name = "backups.restore", skip_all)]
pub async fn restore(ctx: &Ctx, name: &str, on_progress: ProgressCallback<'_>) -> Result<Restored> {
    begin_restore(ctx, name, Target::Empty, on_progress).await?.commit().await
}

/// Checks that this portal's database can take the backup; nothing is changed. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `portal_not_empty`, `portal_newer`, `portal_at_work`, `backup_newer`, `backup_damaged`.
#[tracing::instrument(level = "debug", name = "backups.check_restore", skip_all)]
pub async fn check_restore(ctx: &Ctx, name: &str, target: Target) -> Result<()> {
    ctx.may(Action::View, Resource::System)?;
    let kept = BackupDir::open(ctx).await?.find(name).await?;
    restore::check_target(ctx, &kept, target).await
}

/// [`restore`] up to its commit, until when it can be dropped. The operator.
///
/// # Errors
/// As [`restore`].
#[tracing::instrument(level = "debug", name = "backups.begin_restore", skip_all)]
pub async fn begin_restore(
    ctx: &Ctx,
    name: &str,
    target: Target,
    on_progress: ProgressCallback<'_>,
) -> Result<PendingRestore> {
    ctx.may(Action::Update, Resource::System)?;
    let folder = BackupDir::open(ctx).await?.lock_shared().await?;
    let kept = folder.find(name).await?;
    restore::begin(ctx, folder, kept, target, on_progress).await
}

/// Time of the last restore. Schedules do not catch up on anything before it: a copy started for inspection would
/// otherwise send reminders and remove older backups.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.restored_at", skip_all)]
pub async fn restored_at(ctx: &Ctx) -> Result<Option<DateTime<Utc>>> {
    store::restored_at(&mut ctx.db()).await
}

/// Hours since the last backup, if it is overdue, and the time of that backup. Overdue is after a day, an hour for the
/// job, and the duration of the last one, if the portal has been running.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.overdue", skip_all)]
pub async fn overdue(ctx: &Ctx) -> Result<Option<(i64, Option<DateTime<Utc>>)>> {
    let mut db = ctx.db();
    let (first, ran) = store::uptime(&mut db, ctx.now() - PENDING_TIMEOUT).await?;
    let last = store::last_good(&mut db).await?;
    let since = last.as_ref().and_then(|backup| backup.made_at).or(first);
    let took = last.as_ref().and_then(|backup| Some(backup.finished_at? - backup.made_at?)).unwrap_or_default();
    let Some(age) = since.map(|since| ctx.now() - since) else { return Ok(None) };
    let late = ran && age > Duration::days(1) + PENDING_TIMEOUT + took.max(Duration::zero());
    Ok(late.then(|| (age.num_hours(), last.and_then(|backup| backup.made_at))))
}

/// The newest backup, if it has missing documents.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.incomplete", skip_all)]
pub async fn incomplete(ctx: &Ctx) -> Result<Option<Backup>> {
    Ok(store::last_good(&mut ctx.db()).await?.filter(Backup::is_incomplete))
}

/// Whether the portal is in use: there is an account or a company.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.is_used", skip_all)]
pub async fn is_used(ctx: &Ctx) -> Result<bool> {
    store::is_used(&mut ctx.db()).await
}

/// A new id and a name with the current time.
fn new_name(ctx: &Ctx) -> (BackupId, String) {
    let id = ctx.random.uuid();
    let few: String = id.simple().to_string().chars().take(4).collect();
    (BackupId(id), format!("{}-{few}", ctx.now().format("%Y%m%d-%H%M%S")))
}

fn event(action: &'static str, id: BackupId, name: &str) -> Event {
    Event::new(action, "backup", id.0, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{
        access::Actor,
        clock::{Clock, RandomSource},
        ctx::{Options, Origin},
        db::{Db, Durability, Sql},
    };
    use std::{path::Path, sync::Arc};

    async fn portal(dir: &Path, name: &str) -> Ctx {
        let db = Db::open(&format!("sqlite:{}", dir.join(name).display()), Durability::Normal).await.expect("opens");
        let options = Options { data_dir: Some(dir.to_owned()), ..Options::default() };
        Ctx {
            actor: Actor::Operator("root".to_owned()),
            db,
            clock: Clock::system(),
            random: RandomSource::system(),
            options: Arc::new(options),
            origin: Origin::default(),
            idempotency: None,
            suppress_notifications: false,
        }
    }

    /// A backup from before normalised keys gets keys on restore; duplicates are refused by name.
    #[tokio::test]
    async fn restore_recomputes_keys_or_names_duplicates() {
        const BEFORE_KEYS: i64 = 36;
        const AT: &str = "'2026-01-01T00:00:00+00:00'";
        let dir = tempfile::tempdir().expect("a folder");
        for (nth, other, expected) in [
            (0, "Societe-1", Ok(["societe-1", "société-1"])),
            (1, "Socie\u{301}te\u{301}-1", Err("Harbor: `SOCIÉTÉ-1` = `Socie\\u{301}te\\u{301}-1`")),
        ] {
            let old = portal(dir.path(), &format!("old{nth}.db")).await;
            let mut tx = old.begin().await.expect("begins");
            tx.migrate(|version| version <= BEFORE_KEYS).await.expect("migrates");
            for sql in [
                format!(
                    "insert into companies (id, name, business_name, created_at, updated_at, updated_by) values \
                     (x'01', 'Harbor', 'Harbor LLC', {AT}, {AT}, 'root')"
                ),
                format!(
                    "insert into users (id, email, email_key, role, status, first_name, last_name, language, time_zone, \
                     created_at, updated_at, updated_by) values (x'02', 'a@müller.example', 'a@müller.example', 'client', \
                     'active', 'Ana', 'Lima', 'en-US', 'UTC', {AT}, {AT}, 'root')"
                ),
                spv("03", "SOCIÉTÉ-1", AT),
                spv("04", other, AT),
            ] {
                tx.sql_built(sql).run().await.expect("inserts");
            }
            tx.commit().await.expect("commits");
            let folder = BackupDir::open(&old).await.expect("a folder");
            let (id, name) = new_name(&old);
            create::create(&old, &folder, id, &name, "root", &|_| ()).await.expect("is made");
            let new = portal(dir.path(), &format!("new{nth}.db")).await;
            match (restore(&new, &name, &|_| ()).await, expected) {
                (Ok(_), Ok(keys)) => {
                    let sql = "select custom_identifier_key from spvs order by custom_identifier_key";
                    let found: Vec<(String,)> = new.db().sql(sql).all().await.expect("rows");
                    assert_eq!(found.into_iter().map(|(key,)| key).collect::<Vec<_>>(), keys);
                    let (key,): (String,) = new.db().sql("select email_key from users").one().await.expect("a row");
                    assert_eq!(key, "a@xn--mller-kva.example");
                    let (key,): (String,) = new.db().sql("select name_key from companies").one().await.expect("a row");
                    assert_eq!(key, "harbor");
                }
                (Err(Error::Conflict(problem)), Err(twins)) => {
                    assert_eq!((problem.code, problem.params["twins"].as_str()), ("backup_twins", Some(twins)));
                }
                (found, _) => panic!("{found:?}"),
            }
        }
    }

    fn spv(id: &str, identifier: &str, at: &str) -> String {
        format!(
            "insert into spvs (id, client_id, company_id, custom_identifier, custom_identifier_key, country, currency, \
             price_minor, status, ordered_date, created_at, updated_at, updated_by) values (x'{id}', x'02', x'01', \
             '{identifier}', '{}', 'US', 'USD', 1, 'active', '2026-01-01', {at}, {at}, 'root')",
            identifier.to_lowercase()
        )
    }
}
