//! Brings a backup back: into an empty portal, all of it or nothing.
use super::{
    Progress, Purpose, Tell,
    folder::{Document, Folder, Kept},
    lines,
    manifest::{self, Rows, damaged, table_file},
    rekey::rekey,
    store,
    tables::{self, Table, tables},
    verify,
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
use std::{fs, io, path::PathBuf};
use tokio::io::AsyncReadExt;

/// What was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    pub name: String,
    pub made_at: chrono::DateTime<chrono::Utc>,
    pub rows: i64,
    pub documents: i64,
    /// Contents that were gone when the backup was made.
    pub missing: i64,
    /// Jobs that go on when a worker runs.
    pub jobs: i64,
    /// Where the signing keys lie now.
    pub signing_keys: Option<PathBuf>,
    /// Where those lie now that were there before.
    pub replaced_keys: Option<PathBuf>,
}

/// # Errors
/// As [`super::restore`].
pub async fn restore(ctx: &Ctx, folder: &Folder, kept: &Kept, tell: Tell<'_>) -> Result<Restored> {
    let ctx = &ctx.background();
    welcome(ctx, kept).await?;
    for (file, part) in kept.manifest.parts() {
        if let Some(fault) = kept.fault(&file, part).await {
            return Err(damaged(fault));
        }
    }
    let documents = kept.documents().await?;
    let mut missing = 0;
    for (n, document) in documents.iter().enumerate() {
        tell(Progress::Document { nth: n + 1, of: documents.len() });
        // What this backup was without, a later one may have.
        let lacking = kept.manifest.missing.contains(&document.key);
        if lacking && verify::content(folder, document).await.is_some() {
            missing += 1;
            continue;
        }
        bring(ctx, folder, document).await?;
    }
    // Files are read while it is open, as nowhere else: nobody waits for a portal that is empty.
    let mut tx = ctx.db.begin_bulk().await?;
    fill(&mut tx, Purpose::Backup, kept, tell).await?;
    for name in folder.names().await? {
        // One that cannot be read is not this one's concern.
        if let Ok(other) = folder.find(&name).await {
            store::adopt(&mut tx, &other.manifest, &folder.name()).await?;
        }
    }
    let manifest = &kept.manifest;
    let told = Event::new("backup.restored", "backup", manifest.id.0, manifest.name.clone())
        .with("made_at", manifest.made_at.to_rfc3339());
    activity::append(&mut tx, ctx, told).await?;
    tx.analyze().await?;
    // Last of all: a restore that is refused leaves the keys that were here.
    let (signing_keys, replaced_keys) = keys(ctx, kept).await?;
    if let Err(e) = tx.commit().await {
        if let (Some(path), Some(before)) = (&signing_keys, &replaced_keys) {
            tokio::fs::rename(before, path).await.map_err(|e| lines::unavailable(path, &e))?;
        }
        return Err(e);
    }
    Ok(Restored {
        name: manifest.name.clone(),
        made_at: manifest.made_at,
        rows: manifest.rows(),
        documents: manifest.documents.lines,
        missing,
        jobs: manifest.jobs.lines,
        signing_keys,
        replaced_keys,
    })
}

/// Whether it can be restored into the database as it stands.
///
/// # Errors
/// Conflict `backup_newer`, `portal_not_empty`, `portal_newer`, `portal_at_work`.
pub async fn welcome(ctx: &Ctx, kept: &Kept) -> Result<()> {
    known(kept)?;
    if ctx.db.is_empty().await? {
        return Ok(());
    }
    let mut db = ctx.db();
    let applied = Db::migrations(&mut db).await?;
    if store::is_used(&mut db).await? {
        return Err(Error::conflict("portal_not_empty"));
    }
    if !applied.is_subset(&kept.manifest.migrations) {
        return Err(Error::conflict("portal_newer"));
    }
    if queue::live_workers(ctx).await? > 0 {
        return Err(Error::conflict("portal_at_work"));
    }
    Ok(())
}

/// # Errors
/// Conflict `backup_newer`.
pub fn known(kept: &Kept) -> Result<()> {
    if kept.manifest.migrations.is_subset(&Db::known_migrations()) {
        return Ok(());
    }
    Err(Error::Conflict(Problem::new("backup_newer").with("program", kept.manifest.program.clone())))
}

/// Puts every row where it was, and the schema to what this program needs.
///
/// # Errors
/// Conflict `backup_damaged`, saying what cannot be put back; `backup_twins`, naming rows that are one by today's keys.
pub async fn fill(tx: &mut Tx, purpose: Purpose, kept: &Kept, tell: Tell<'_>) -> Result<()> {
    let manifest = &kept.manifest;
    tx.migrate(|version| manifest.migrations.contains(&version)).await?;
    if Db::migrations(tx).await? != manifest.migrations {
        return Err(damaged("its schema was made by another program"));
    }
    let all = tables(tx).await?;
    let back = tables::opened(tx, &all).await?;
    // Somebody may have begun to work here since it was looked at; now nobody can any more.
    if store::is_used(tx).await? {
        return Err(Error::conflict("portal_not_empty"));
    }
    tables::emptied(tx, &all).await?;
    queue::delete_all(tx).await?;
    for (n, table) in all.iter().enumerate().filter(|(_, table)| !purpose.leaves_out(&table.name)) {
        tell(Progress::Table { name: &table.name, nth: n + 1, of: all.len() });
        let rows = manifest.tables.iter().find(|rows| rows.table == table.name);
        let rows = rows.ok_or_else(|| damaged(format!("the table {} is not in it", table.name)))?;
        put(tx, kept, table, rows).await?;
    }
    // What somebody else kept in the same schema an older program took along.
    let ours = |rows: &&Rows| tables::is_own(&rows.table);
    let there = |rows: &Rows| all.iter().any(|table| table.name == rows.table);
    if let Some(rows) = manifest.tables.iter().filter(ours).find(|rows| !there(rows)) {
        return Err(damaged(format!("it has a table {}, which its schema does not", rows.table)));
    }
    let jobs: Vec<queue::JobBackup> = kept.all(manifest::JOBS).await?;
    for job in &jobs {
        queue::restore(tx, job).await?;
    }
    if let Some((table, missing)) = store::strays(tx).await?.first() {
        return Err(damaged(format!("rows of {table} refer to rows of {missing} that are not in it")));
    }
    tables::closed(tx, back).await?;
    tx.migrate(|_| true).await?;
    search::rebuild(tx).await?;
    rekey(tx).await
}

async fn put(tx: &mut Tx, kept: &Kept, table: &Table, rows: &Rows) -> Result<()> {
    let name = &table.name;
    let sql = tables::load(tx.dialect(), table, &rows.columns)
        .ok_or_else(|| damaged(format!("the table {name} has other columns in it")))?;
    let mut count = 0;
    let mut batches = lines::read(&kept.at.join(table_file(name)));
    while let Some(batch) = batches.recv().await {
        let batch = batch.map_err(|e| damaged(format!("the rows of {name} cannot be read: {e}")))?;
        count += batch.lines;
        tx.sql_built(sql.clone()).bind(batch.text).run().await.map_err(|e| match e {
            Error::Internal(e) => damaged(format!("the rows of {name} cannot be put back: {e}")),
            e => e,
        })?;
    }
    // Before the schema is brought up to date, which may add rows.
    let found = tables::count(tx, table).await?.min(count);
    if found != rows.part.lines {
        return Err(damaged(format!("the table {name} has {found} rows where it had {}", rows.part.lines)));
    }
    Ok(())
}

/// Puts a content back into the storage, if it is as it was kept: else nothing is there that was not there before.
async fn bring(ctx: &Ctx, folder: &Folder, document: &Document) -> Result<()> {
    let from = folder.content(&document.sha256);
    if let Some(fault) = verify::unnamed(document) {
        return Err(damaged(fault));
    }
    let file = match tokio::fs::File::open(&from).await {
        Ok(file) => file,
        Err(e) => return Err(damaged(verify::unread(document, &e))),
    };
    let state = (file, Sha256::new(), 0, document.clone());
    let pieces = stream::try_unfold(state, |(mut file, mut hash, bytes, document)| async move {
        let mut piece = vec![0; 256 << 10];
        let read = file.read(&mut piece).await.map_err(|e| damaged(verify::unread(&document, &e)))?;
        if read == 0 {
            let fault = verify::other(&document, bytes, &lines::hex(hash));
            return fault.map_or(Ok(None), |fault| Err(damaged(fault)));
        }
        piece.truncate(read);
        hash.update(&piece);
        Ok(Some((Bytes::from(piece), (file, hash, bytes + read as u64, document))))
    });
    ctx.options.storage.write(&document.key, Box::pin(pieces)).await
}

/// Puts the signing keys where this portal looks for them; others that are there are kept beside.
async fn keys(ctx: &Ctx, kept: &Kept) -> Result<(Option<PathBuf>, Option<PathBuf>)> {
    let (Some(path), Some(_)) = (&ctx.options.signing_keys, &kept.manifest.signing_keys) else {
        return Ok((None, None));
    };
    let (path, from) = (path.clone(), kept.at.join(manifest::SIGNING_KEYS));
    let aside = path.with_extension(format!("before-{}", kept.manifest.name));
    lines::aside(move || {
        let refused = |e: io::Error| lines::unavailable(&path, &e);
        let text = fs::read(&from).map_err(|e| lines::unavailable(&from, &e))?;
        let there = match fs::read(&path) {
            Ok(there) if there == text => return Ok((Some(path), None)),
            Ok(_) => true,
            Err(e) if e.kind() == io::ErrorKind::NotFound => false,
            Err(e) => return Err(refused(e)),
        };
        // All of it or nothing, for whoever reads it meanwhile.
        let half = path.with_extension("half");
        lines::write(&half, &text).map_err(refused)?;
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
