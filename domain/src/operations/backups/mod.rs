//! Backups of the whole portal while it runs: one format whichever database and storage it has, so that what was made
//! on one is restored into another.
//!
//! A backup is a folder of lines of JSON, a file for each table, with a manifest that has every hash and count. The
//! contents of documents lie beside, each once. What is not in it: what each machine knows for itself, and uploads that
//! are on their way.
mod folder;
mod lines;
mod make;
mod manifest;
mod moving;
mod rekey;
mod restore;
mod store;
mod tables;
mod verify;

pub(crate) use folder::Trial;
pub use manifest::{Manifest, Part, Rows};
pub(crate) use moving::copy_into_empty;
pub use moving::{Moved, Moving, begin_move};
pub use restore::Restored;
pub use store::{Backup, State};
pub use verify::Report;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
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
use folder::Folder;
use serde::{Deserialize, Serialize};

/// Tables that no backup has, and why. All others are in it.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("backups", "says what lies in this machine's folder, and is made anew of it"),
    ("probes", "how the parts of this machine stand, made anew every minute"),
    ("uploads", "files on their way: whoever sends one begins again, and what has come is a document"),
    ("upload_parts", "files on their way: whoever sends one begins again, and what has come is a document"),
];

/// What rows are copied for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Backup,
    /// The portal goes on elsewhere, with the same files: all that is not made anew goes with it.
    Move,
}

impl Purpose {
    fn leaves_out(self, table: &str) -> bool {
        match self {
            Self::Backup => LEFT_OUT.iter().any(|(name, _)| *name == table),
            Self::Move => table == "probes",
        }
    }

    /// A restored portal does not go on making backups that were asked for before.
    fn takes(self, job: &str) -> bool {
        self == Self::Move || ![Make::NAME, Nightly::NAME].contains(&job)
    }
}

/// After so long one that is waited for keeps nobody from asking for another.
const PATIENCE: Duration = Duration::hours(1);
/// A portal that has not run for so long has nothing that a night's backup would keep.
const YOUNG: Duration = Duration::hours(1);
/// Lines about failures are kept for so long.
const REMEMBERED: Duration = Duration::days(30);

/// The job that makes one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Make {
    pub id: BackupId,
}

impl Job for Make {
    const NAME: &'static str = "portal.backup";
    /// Another that goes on is waited for, and a disk or a storage that is away for an hour.
    const ATTEMPTS: usize = 8;
}

/// The job that asks for one every night.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Nightly {}

impl Job for Nightly {
    const NAME: &'static str = "portal.nightly_backup";
}

/// How far it has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    Table {
        name: &'a str,
        nth: usize,
        of: usize,
    },
    Document {
        nth: usize,
        of: usize,
    },
    /// A table of a portal that is moved is looked at in both databases.
    Compared {
        name: &'a str,
        nth: usize,
        of: usize,
    },
}

/// Who hears how far it has come.
pub type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Send + Sync);

/// What is asked for here, the newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden.
pub async fn list(ctx: &Ctx) -> Result<Vec<Backup>> {
    ctx.may(Action::View, Resource::System)?;
    store::list(&mut ctx.db(), 100).await
}

/// Whole backups that lie in the folder, the newest first, whoever made them. The operator.
///
/// # Errors
/// Forbidden; Conflict `backup_folder_missing`; Unavailable.
pub async fn found(ctx: &Ctx) -> Result<Vec<Manifest>> {
    ctx.may(Action::View, Resource::System)?;
    let folder = Folder::of(ctx).await?;
    let mut found = Vec::new();
    for name in folder.names().await? {
        found.extend(folder.find(&name).await.ok().map(|kept| kept.manifest));
    }
    Ok(found)
}

/// Whether there is a folder that a backup can be made in. The operator.
///
/// # Errors
/// Forbidden; Conflict `backup_folder_missing`, `backup_folder_empty`; Unavailable.
pub async fn has_folder(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::View, Resource::System)?;
    Folder::to_fill(ctx).await.map(drop)
}

/// # Errors
/// Forbidden; NotFound.
pub async fn get(ctx: &Ctx, id: BackupId) -> Result<Backup> {
    ctx.may(Action::View, Resource::System)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("backup"))
}

/// The newest one that can be restored. Super admins and the operator.
///
/// # Errors
/// Forbidden.
pub async fn last_good(ctx: &Ctx) -> Result<Option<Backup>> {
    ctx.may(Action::View, Resource::System)?;
    store::last_good(&mut ctx.db()).await
}

/// Has one made. Super admins and the operator. Its outcome is the event `backup.created` or `backup.failed` of this id.
///
/// # Errors
/// Forbidden; Conflict `backup_running`.
pub async fn ask(ctx: &Ctx) -> Result<Backup> {
    ctx.may(Action::Update, Resource::System)?;
    let asked = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(BackupId(id));
            }
            tx.advisory_lock("backups".to_owned()).await?;
            if store::going_on(tx, ctx.now() - PATIENCE).await? {
                return Err(Error::conflict("backup_running"));
            }
            let (id, name) = named(ctx);
            store::insert(tx, id, &name, ctx.now(), &ctx.actor.name()).await?;
            queue::enqueue(tx, &Make { id }).await?;
            idempotency::remember(tx, ctx, id.0).await?;
            activity::append(tx, ctx, event("backup.asked", id, &name)).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, asked.await?).await
}

/// Has the night's backup made, unless one is being made, or the portal has only begun. Our own jobs.
///
/// # Errors
/// What the database refuses.
pub async fn nightly(ctx: &Ctx) -> Result<()> {
    let (first, _) = store::ran(&mut ctx.db(), ctx.now()).await?;
    if first.is_none_or(|first| ctx.now() - first < YOUNG) {
        return Ok(());
    }
    match ask(ctx).await {
        Ok(_) => Ok(()),
        Err(Error::Conflict(problem)) if problem.code == "backup_running" => Ok(()),
        Err(e) => Err(e),
    }
}

/// Makes the one that was asked for. Our own jobs.
///
/// # Errors
/// NotFound; Unavailable, also while another is being made or the folder is away; tell it with [`failed`].
pub async fn run(ctx: &Ctx, id: BackupId) -> Result<()> {
    let backup = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("backup"))?;
    if backup.state == State::Done {
        return Ok(());
    }
    let folder = match to_fill_alone(ctx).await {
        // It is over, or there again, before long, and this one's turn comes then.
        Err(error @ Error::Conflict(_)) => return Err(Error::Unavailable(i18n::error(LANGUAGES[0], &error))),
        folder => folder?,
    };
    let place = &folder.name();
    ctx.transaction(|tx| store::begin(tx, id, ctx.now(), place).scope_boxed()).await?;
    making(ctx, &folder, &backup, &|_| ()).await
}

async fn to_fill_alone(ctx: &Ctx) -> Result<Folder> {
    Folder::to_fill(ctx).await?.lock().await
}

/// Makes one here and now. The operator; `tell` hears how far it has come. Whoever gives up on the way tells it with
/// [`stopped`].
///
/// # Errors
/// Forbidden; Conflict `backup_running`, `backup_folder_missing`, `backup_folder_empty`; Unavailable when the database,
/// the storage or the disk fails.
pub async fn create(ctx: &Ctx, tell: Tell<'_>) -> Result<Backup> {
    ctx.may(Action::Update, Resource::System)?;
    // Whoever is refused leaves no line.
    let folder = to_fill_alone(ctx).await?;
    let (id, name) = named(ctx);
    let (name, place) = (&name, &folder.name());
    ctx.transaction(|tx| {
        async move {
            store::insert(tx, id, name, ctx.now(), &ctx.actor.name()).await?;
            // In one: no job comes for a line that waits, should this be stopped here.
            store::begin(tx, id, ctx.now(), place).await
        }
        .scope_boxed()
    })
    .await?;
    if let Err(error) = making(ctx, &folder, &get(ctx, id).await?, tell).await {
        failed(ctx, id, &error.to_string()).await?;
        return Err(error);
    }
    get(ctx, id).await
}

/// Makes it in the folder, which is locked.
async fn making(ctx: &Ctx, folder: &Folder, backup: &Backup, tell: Tell<'_>) -> Result<()> {
    // Before anything is written: it may be what fills the disk.
    if let Err(error) = moving::clear(ctx).await {
        tracing::warn!(%error, "what a move left could not be taken away");
    }
    let made = match folder.find(&backup.name).await {
        // Whoever made it was gone before they could say so.
        Ok(whole) => Ok(whole.manifest),
        Err(Error::NotFound(_)) => make::make(ctx, folder, backup.id, &backup.name, &backup.asked_by, tell).await,
        Err(e) => Err(e),
    };
    if made.is_err() {
        // A full disk is not left fuller.
        let _ = folder.clear().await;
    }
    let manifest = made?;
    if let Err(error) = folder.prune(ctx.options.backup_keep, &backup.name).await {
        tracing::warn!(%error, "old backups could not be taken away");
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
            store::forget(tx, gone, ctx.now() - REMEMBERED).await?;
            let told = event("backup.created", backup.id, &backup.name)
                .with("by", backup.asked_by.clone())
                .with("rows", manifest.rows())
                .with("documents", manifest.documents.lines)
                .with("missing", manifest.missing.len())
                .with("bytes", manifest.bytes());
            activity::append(tx, ctx, told).await
        }
        .scope_boxed()
    })
    .await
}

/// Keeps why it could not be made.
///
/// # Errors
/// What the database refuses.
pub async fn failed(ctx: &Ctx, id: BackupId, why: &str) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            let Some(backup) = store::get(tx, id).await? else { return Ok(()) };
            if store::fail(tx, id, ctx.now(), why).await? {
                let told = event("backup.failed", id, &backup.name).with("by", backup.asked_by).with("reason", why);
                activity::append(tx, ctx, told).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Clears away what somebody gave up on: what they had begun. Says whether one was whole by then; that stays.
///
/// # Errors
/// Unavailable; Conflict `backup_running` when somebody else is at it.
pub async fn stopped(ctx: &Ctx) -> Result<bool> {
    let folder = Folder::of(ctx).await?;
    let folder = soon_alone(&folder).await?;
    folder.clear().await?;
    let begun = |backup: &&Backup| backup.state == State::Running && backup.folder == Some(folder.name());
    let mut whole = false;
    for backup in store::list(&mut ctx.db(), 100).await?.iter().filter(begun) {
        if folder.find(&backup.name).await.is_ok() {
            making(ctx, &folder, backup, &|_| ()).await?;
            whole = true;
        } else {
            failed(ctx, backup.id, "it was stopped").await?;
        }
    }
    Ok(whole)
}

/// What a thread does for whoever gave up ends soon.
async fn soon_alone(folder: &Folder) -> Result<Folder> {
    for _ in 0..50 {
        match folder.lock().await {
            Err(Error::Conflict(_)) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            locked => return locked,
        }
    }
    folder.lock().await
}

/// Looks through one: every hash, every count, and a restore for real into a database that is thrown away. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `backup_damaged` when its manifest cannot be read, `backup_newer`, `backup_running`.
/// What else is wrong the report says.
pub async fn verify(ctx: &Ctx, name: &str, tell: Tell<'_>) -> Result<Report> {
    ctx.may(Action::View, Resource::System)?;
    let folder = Folder::of(ctx).await?.hold().await?;
    verify::verify(ctx, &folder, &folder.find(name).await?, tell).await
}

/// What a backup says of itself. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `backup_damaged`, `backup_newer`, `backup_folder_missing`.
pub async fn find(ctx: &Ctx, name: &str) -> Result<Manifest> {
    ctx.may(Action::View, Resource::System)?;
    Ok(Folder::of(ctx).await?.find(name).await?.manifest)
}

/// Brings one back into this portal, which is empty, in one transaction. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `portal_not_empty`, `portal_newer`, `portal_at_work`, `backup_newer`,
/// `backup_damaged`, `backup_running`; Unavailable. Then no row is there that was not there before.
pub async fn restore(ctx: &Ctx, name: &str, tell: Tell<'_>) -> Result<Restored> {
    ctx.may(Action::Update, Resource::System)?;
    let folder = Folder::of(ctx).await?.hold().await?;
    restore::restore(ctx, &folder, &folder.find(name).await?, tell).await
}

/// When this portal was last brought back from a backup: what was to be done by the clock before is done, or was not to
/// be. Else a copy that is only looked at would first of all remind people, and take older backups away.
///
/// # Errors
/// What the database refuses.
pub async fn restored_at(ctx: &Ctx) -> Result<Option<DateTime<Utc>>> {
    store::restored_at(&mut ctx.db()).await
}

/// For how many hours there has been no backup, where there should have been one: a day, an hour for making it, and
/// what it took last time. A portal that has only begun, or was just switched on again, has time to make one.
///
/// # Errors
/// What the database refuses.
pub async fn overdue(ctx: &Ctx) -> Result<Option<(i64, Option<DateTime<Utc>>)>> {
    let mut db = ctx.db();
    let (first, ran) = store::ran(&mut db, ctx.now() - PATIENCE).await?;
    let last = store::last_good(&mut db).await?;
    let since = last.as_ref().and_then(|backup| backup.made_at).or(first);
    let took = last.as_ref().and_then(|backup| Some(backup.finished_at? - backup.made_at?)).unwrap_or_default();
    let Some(age) = since.map(|since| ctx.now() - since) else { return Ok(None) };
    let late = ran && age > Duration::days(1) + PATIENCE + took.max(Duration::zero());
    Ok(late.then(|| (age.num_hours(), last.and_then(|backup| backup.made_at))))
}

/// The newest one, where it is without documents that could not be read.
///
/// # Errors
/// What the database refuses.
pub async fn incomplete(ctx: &Ctx) -> Result<Option<Backup>> {
    Ok(store::last_good(&mut ctx.db()).await?.filter(Backup::is_incomplete))
}

/// Whether the portal is in use: there is an account, or a company.
///
/// # Errors
/// What the database refuses.
pub async fn is_used(ctx: &Ctx) -> Result<bool> {
    store::is_used(&mut ctx.db()).await
}

/// A new id, and a name that says when the backup was asked for.
fn named(ctx: &Ctx) -> (BackupId, String) {
    let id = ctx.chance.uuid();
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
        clock::{Chance, Clock},
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
            chance: Chance::system(),
            options: Arc::new(options),
            origin: Origin::default(),
            idempotency: None,
            silent: false,
        }
    }

    /// Of a backup from before keys were normalised, twins are named and everything else is found in every spelling.
    #[tokio::test]
    async fn a_restored_backup_has_todays_keys_or_names_its_twins() {
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
            let folder = Folder::of(&old).await.expect("a folder");
            let (id, name) = named(&old);
            make::make(&old, &folder, id, &name, "root", &|_| ()).await.expect("is made");
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
