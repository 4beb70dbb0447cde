//! Restores a backup into an empty portal, or in the place of one, in one transaction.
use super::{
    Progress, ProgressCallback, Purpose, Target,
    directory::{BackupDir, Document, StoredBackup},
    dump::{self, Table, list_tables},
    jsonl,
    manifest::{self, Rows, damaged, table_file},
    rekey::rekey,
    store, verify,
};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{Db, Sql, Tx},
        error::{Error, Problem, Result},
        search,
    },
    platform::{
        activity::{self, Event},
        queue,
    },
};
use bytes::Bytes;
use futures::stream;
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, fs, io, path::PathBuf};
use tokio::io::AsyncReadExt;

/// Result of a restore.
#[derive(Clone, Debug)]
pub struct Restored {
    pub name: String,
    pub made_at: chrono::DateTime<chrono::Utc>,
    pub rows: i64,
    pub documents: i64,
    /// Contents that were missing when the backup was created.
    pub missing: i64,
    /// Jobs that run once a worker starts.
    pub jobs: i64,
    /// Path of the restored signing keys.
    pub signing_keys: Option<PathBuf>,
    /// Path that the previous signing keys were moved to.
    pub replaced_keys: Option<PathBuf>,
}

/// A restore in an open transaction. Dropped, it restores nothing.
#[derive(Debug)]
pub struct PendingRestore {
    ctx: Ctx,
    tx: Tx,
    /// Holds the lock of the directory.
    _folder: BackupDir,
    kept: StoredBackup,
    missing: i64,
}

/// # Errors
/// As [`super::restore`].
pub(super) async fn begin(
    ctx: &Ctx,
    folder: BackupDir,
    kept: StoredBackup,
    target: Target,
    on_progress: ProgressCallback<'_>,
) -> Result<PendingRestore> {
    let ctx = &ctx.background();
    check_target(ctx, &kept, target).await?;
    for (file, part) in kept.manifest.parts() {
        if let Some(fault) = kept.verify_file(&file, part).await {
            return Err(damaged(fault));
        }
    }
    let documents = kept.documents().await?;
    let mut missing = 0;
    for (n, document) in documents.iter().enumerate() {
        on_progress(Progress::Documents { done: n as u64 + 1, of: documents.len() as u64 });
        // A later backup may have a content that this one is missing.
        let lacking = kept.manifest.missing.contains(&document.key);
        if lacking && verify::check_document(&folder, document).await.is_some() {
            missing += 1;
            continue;
        }
        restore_document(ctx, &folder, document).await?;
    }
    // Reads files inside the transaction, which is acceptable only because the portal does not run.
    let mut tx = ctx.db.begin_bulk().await?;
    load_all(&mut tx, Purpose::Backup, &kept, target, on_progress).await?;
    for name in folder.names().await? {
        // Other backups that are unreadable do not matter.
        if let Ok(other) = folder.find(&name).await {
            store::adopt(&mut tx, &other.manifest, &folder.name()).await?;
        }
    }
    let manifest = &kept.manifest;
    let event = Event::new("backup.restored", "backup", manifest.id.0, manifest.name.clone())
        .with("made_at", manifest.made_at.to_rfc3339());
    activity::append(&mut tx, ctx, event).await?;
    tx.analyze().await?;
    Ok(PendingRestore { ctx: ctx.clone(), tx, _folder: folder, kept, missing })
}

impl PendingRestore {
    /// # Errors
    /// As [`super::restore`].
    pub async fn commit(self) -> Result<Restored> {
        let Self { ctx, tx, kept, missing, .. } = self;
        // Last, so that a failed restore keeps the previous keys.
        let (signing_keys, replaced_keys) = restore_signing_keys(&ctx, &kept).await?;
        if let Err(e) = tx.commit().await {
            if let (Some(path), Some(before)) = (&signing_keys, &replaced_keys) {
                tokio::fs::rename(before, path).await.map_err(|e| jsonl::unavailable(path, &e))?;
            }
            return Err(e);
        }
        let manifest = kept.manifest;
        Ok(Restored {
            rows: manifest.rows(),
            name: manifest.name,
            made_at: manifest.made_at,
            documents: manifest.documents.lines,
            missing,
            jobs: manifest.jobs.lines,
            signing_keys,
            replaced_keys,
        })
    }
}

/// Checks that the target database can take the backup.
///
/// # Errors
/// Conflict `backup_newer`, `portal_not_empty`, `portal_newer`, `portal_at_work`.
pub(super) async fn check_target(ctx: &Ctx, kept: &StoredBackup, target: Target) -> Result<()> {
    check_schema_known(kept)?;
    if ctx.db.is_empty().await? {
        return Ok(());
    }
    let mut db = ctx.db();
    let applied = Db::migrations(&mut db).await?;
    if target == Target::Empty && store::is_used(&mut db).await? {
        return Err(Error::conflict("portal_not_empty"));
    }
    if !applied.is_subset(&kept.manifest.migrations) {
        return Err(Error::conflict("portal_newer"));
    }
    // Its rows would be lost, and its caches stay.
    let is_served = target == Target::Replace && store::is_served(&mut db, ctx.now()).await?;
    if is_served || queue::live_workers(ctx).await? > 0 {
        return Err(Error::conflict("portal_at_work"));
    }
    Ok(())
}

/// # Errors
/// Conflict `backup_newer`.
pub fn check_schema_known(kept: &StoredBackup) -> Result<()> {
    let (needed, known) = (&kept.manifest.migrations, Db::known_migrations());
    if needed.is_subset(&known) {
        return Ok(());
    }
    let newest = |migrations: &BTreeSet<i64>| migrations.last().copied().unwrap_or_default();
    let problem = Problem::new("backup_newer").with("program", kept.manifest.program.clone());
    Err(Error::Conflict(problem.with("schema", newest(needed)).with("known", newest(&known))))
}

/// Loads every row, then migrates the schema to this version.
///
/// # Errors
/// Conflict `backup_damaged` with the reason; `backup_twins` for rows whose normalised keys are equal.
pub async fn load_all(
    tx: &mut Tx,
    purpose: Purpose,
    kept: &StoredBackup,
    target: Target,
    on_progress: ProgressCallback<'_>,
) -> Result<()> {
    let manifest = &kept.manifest;
    tx.migrate(|version| manifest.migrations.contains(&version)).await?;
    if Db::migrations(tx).await? != manifest.migrations {
        return Err(damaged("its schema was made by another program"));
    }
    let all = list_tables(tx).await?;
    let back = dump::disable_triggers(tx, &all).await?;
    // Checked again: rows may have been written since. No others can be from here on.
    if target == Target::Empty && store::is_used(tx).await? {
        return Err(Error::conflict("portal_not_empty"));
    }
    dump::truncate(tx, &all).await?;
    queue::delete_all(tx).await?;
    let loaded_tables = || all.iter().filter(|table| !purpose.excludes(&table.name));
    let is_loaded = |rows: &&Rows| loaded_tables().any(|table| table.name == rows.table);
    let (mut done, of) = (0, manifest.tables.iter().filter(is_loaded).map(|rows| rows.part.lines.unsigned_abs()).sum());
    for table in loaded_tables() {
        let rows = manifest.tables.iter().find(|rows| rows.table == table.name);
        let rows = rows.ok_or_else(|| damaged(format!("the table {} is not in it", table.name)))?;
        let mut loaded = |more: i64| {
            done += more.unsigned_abs();
            on_progress(Progress::Rows { table: &table.name, done, of });
        };
        loaded(0);
        load_table(tx, kept, table, rows, loaded).await?;
    }
    // An older version also dumped foreign tables in the same schema.
    let ours = |rows: &&Rows| dump::is_portal_table(&rows.table);
    let there = |rows: &Rows| all.iter().any(|table| table.name == rows.table);
    if let Some(rows) = manifest.tables.iter().filter(ours).find(|rows| !there(rows)) {
        return Err(damaged(format!("it has a table {}, which its schema does not", rows.table)));
    }
    let jobs: Vec<queue::JobBackup> = kept.read_all(manifest::JOBS).await?;
    for job in &jobs {
        queue::restore(tx, job).await?;
    }
    if let Some((table, missing)) = store::orphans(tx).await?.first() {
        return Err(damaged(format!("rows of {table} refer to rows of {missing} that are not in it")));
    }
    dump::enable_triggers(tx, back).await?;
    tx.migrate(|_| true).await?;
    search::rebuild(tx).await?;
    rekey(tx).await
}

/// Loads the rows of a table; tells `loaded` the number of each batch.
async fn load_table(
    tx: &mut Tx,
    kept: &StoredBackup,
    table: &Table,
    rows: &Rows,
    mut loaded: impl FnMut(i64),
) -> Result<()> {
    let name = &table.name;
    let sql = dump::insert_rows(tx.dialect(), table, &rows.columns)
        .ok_or_else(|| damaged(format!("the table {name} has other columns in it")))?;
    let mut count = 0;
    let mut batches = jsonl::read(&kept.at.join(table_file(name)));
    while let Some(batch) = batches.recv().await {
        let batch = batch.map_err(|e| damaged(format!("the rows of {name} cannot be read: {e}")))?;
        count += batch.lines;
        tx.sql_built(sql.clone()).bind(batch.text).run().await.map_err(|e| match e {
            Error::Internal(e) => damaged(format!("the rows of {name} cannot be put back: {e}")),
            e => e,
        })?;
        loaded(batch.lines);
    }
    // Counted before the migration, which may add rows.
    let found = dump::count(tx, table).await?.min(count);
    if found != rows.part.lines {
        return Err(damaged(format!("the table {name} has {found} rows where it had {}", rows.part.lines)));
    }
    Ok(())
}

/// Writes a content back to the storage. A content that was changed is not stored.
async fn restore_document(ctx: &Ctx, folder: &BackupDir, document: &Document) -> Result<()> {
    let from = folder.content(&document.sha256);
    if let Some(fault) = verify::hash_error(document) {
        return Err(damaged(fault));
    }
    let file = match tokio::fs::File::open(&from).await {
        Ok(file) => file,
        Err(e) => return Err(damaged(verify::read_error(document, &e))),
    };
    let state = (file, Sha256::new(), 0, document.clone());
    let pieces = stream::try_unfold(state, |(mut file, mut hash, bytes, document)| async move {
        let mut piece = vec![0; 256 << 10];
        let read = file.read(&mut piece).await.map_err(|e| damaged(verify::read_error(&document, &e)))?;
        if read == 0 {
            let fault = verify::mismatch(&document, bytes, &jsonl::hex_digest(hash));
            return fault.map_or(Ok(None), |fault| Err(damaged(fault)));
        }
        piece.truncate(read);
        hash.update(&piece);
        Ok(Some((Bytes::from(piece), (file, hash, bytes + read as u64, document))))
    });
    ctx.options.storage.write(&document.key, Box::pin(pieces)).await
}

/// Writes the signing keys to the configured path; existing ones are kept beside them.
async fn restore_signing_keys(ctx: &Ctx, kept: &StoredBackup) -> Result<(Option<PathBuf>, Option<PathBuf>)> {
    let (Some(path), Some(_)) = (&ctx.options.signing_keys, &kept.manifest.signing_keys) else {
        return Ok((None, None));
    };
    let (path, from) = (path.clone(), kept.at.join(manifest::SIGNING_KEYS));
    let aside = path.with_extension(format!("before-{}", kept.manifest.name));
    jsonl::run_blocking(move || {
        let refused = |e: io::Error| jsonl::unavailable(&path, &e);
        let text = fs::read(&from).map_err(|e| jsonl::unavailable(&from, &e))?;
        let there = match fs::read(&path) {
            Ok(there) if there == text => return Ok((Some(path), None)),
            Ok(_) => true,
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            Err(e) => return Err(refused(e)),
        };
        // Renamed into place, so that readers never see a partial file.
        let half = path.with_extension("half");
        jsonl::write_private(&half, &text).map_err(refused)?;
        if there {
            fs::rename(&path, &aside).map_err(refused)?;
        }
        if let Err(e) = fs::rename(&half, &path) {
            if there {
                fs::rename(&aside, &path).map_err(refused)?;
            }
            return Err(refused(e));
        }
        let replaced = there.then_some(aside);
        Ok((Some(path), replaced))
    })
    .await
}
