//! Makes one: the rows of one moment, then the contents that the documents had at that moment, which never change.
use super::{
    Progress, Tell,
    folder::{Document, Folder, Kept},
    lines::{self, Writer},
    manifest::{self, Manifest, Part, Rows, table_file},
    store,
};
use crate::{
    ctx::Ctx,
    db::{
        Db, Dialect, Sql,
        tables::{dump, tables},
    },
    error::Result,
    ids::BackupId,
    queue,
};
use futures::StreamExt;
use sha2::{Digest, Sha256};
use std::{fs, path::Path};
use tokio::io::AsyncWriteExt;

/// Jobs read at a time.
const JOBS: i64 = 500;
/// So much of a content is asked for at once: each call to the storage has its time.
const PIECE: u64 = 8 << 20;

/// Makes the backup in a folder that nobody else works in.
///
/// # Errors
/// Unavailable when the database, the storage or the disk fails; what was begun is left for the next one to clear away.
pub async fn make(ctx: &Ctx, folder: &Folder, id: BackupId, name: &str, by: &str, tell: Tell<'_>) -> Result<Manifest> {
    folder.clear()?;
    let at = folder.begin(name)?;
    let mut moment = ctx.db.snapshot().await?;
    let made_at = ctx.now();
    let database = if moment.dialect() == Dialect::Sqlite { "sqlite" } else { "postgres" };
    let migrations = Db::migrations(&mut moment).await?;
    let mut kept = Vec::new();
    let all = tables(&mut moment).await?;
    for (n, table) in all.iter().enumerate().filter(|(_, table)| !super::is_left_out(&table.name)) {
        tell(Progress::Table { name: &table.name, nth: n + 1, of: all.len() });
        let mut writer = Writer::create(&at.join(table_file(&table.name)))?;
        let mut rows = moment.lines(dump(moment.dialect(), table));
        while let Some(row) = rows.next().await {
            writer.add(&row?).await?;
        }
        drop(rows);
        let columns = table.columns.iter().map(|(name, _)| name.clone()).collect();
        kept.push(Rows { table: table.name.clone(), columns, part: writer.finish().await? });
    }
    let mut writer = Writer::create(&at.join(manifest::JOBS))?;
    let mut after = String::new();
    loop {
        let jobs = queue::not_done(&mut moment, &after, JOBS).await?;
        let Some(last) = jobs.last() else { break };
        after.clone_from(&last.id);
        // A restored portal does not go on making backups that were asked for before.
        for job in jobs.iter().filter(|job| !super::is_ours(&job.envelope.job)) {
            writer.add(&serde_json::to_string(job).map_err(crate::Error::internal)?).await?;
        }
    }
    let jobs = writer.finish().await?;
    let mut writer = Writer::create(&at.join(manifest::DOCUMENTS))?;
    let mut contents = moment.lines(store::contents(moment.dialect()));
    while let Some(content) = contents.next().await {
        writer.add(&content?).await?;
    }
    drop(contents);
    moment.close().await;
    let documents = writer.finish().await?;
    let mut manifest = Manifest {
        format: Manifest::format(),
        id,
        name: name.to_owned(),
        made_at,
        made_by: by.to_owned(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        database: database.to_owned(),
        migrations,
        tables: kept,
        jobs,
        documents,
        documents_bytes: 0,
        missing: Vec::new(),
        signing_keys: signing_keys(ctx, &at).await?,
    };
    let half = Kept { at: at.clone(), manifest: manifest.clone() };
    let wanted = half.documents().await?;
    for (n, document) in wanted.iter().enumerate() {
        tell(Progress::Document { nth: n + 1, of: wanted.len() });
        if copy(ctx, folder, document).await? {
            manifest.documents_bytes += document.bytes;
        } else {
            manifest.missing.push(document.key.clone());
        }
    }
    if wanted.len() > 2 && manifest.missing.len() == wanted.len() {
        return Err(crate::Error::Unavailable("none of the documents can be read: is their storage there?".to_owned()));
    }
    folder.finish(&at, &manifest)?;
    Ok(manifest)
}

/// What access tokens, refresh tokens and second factors are made from.
async fn signing_keys(ctx: &Ctx, at: &Path) -> Result<Option<Part>> {
    let Some(path) = ctx.options.signing_keys.as_ref() else { return Ok(None) };
    let to = at.join(manifest::SIGNING_KEYS);
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), "the backup has no signing keys: they do not lie on this machine");
            return Ok(None);
        }
        Err(e) => return Err(lines::unavailable(path, &e)),
    };
    let write = || -> std::io::Result<()> {
        let mut file = lines::private(&to)?;
        std::io::Write::write_all(&mut file, &text)?;
        file.sync_all()
    };
    write().map_err(|e| lines::unavailable(&to, &e))?;
    let (bytes, sha256) = lines::hash(&to).await.map_err(|e| lines::unavailable(&to, &e))?;
    Ok(Some(Part { lines: 1, bytes, sha256 }))
}

/// Copies a content unless it lies there; says no when it is gone, or is not what was once kept.
async fn copy(ctx: &Ctx, folder: &Folder, document: &Document) -> Result<bool> {
    if !document.is_named_well() {
        return Ok(false);
    }
    let to = folder.content(&document.sha256);
    if fs::metadata(&to).is_ok_and(|found| found.len() == document.bytes) {
        return Ok(true);
    }
    let storage = &ctx.options.storage;
    if storage.size(&document.key).await? != Some(document.bytes) {
        return Ok(false);
    }
    let part = folder.aside(&document.sha256);
    let refused = |e: std::io::Error| lines::unavailable(&part, &e);
    let mut file = tokio::fs::File::from_std(lines::private(&part).map_err(refused)?);
    let mut hash = Sha256::new();
    let mut from = 0;
    while from < document.bytes {
        let to = document.bytes.min(from + PIECE);
        let mut piece = storage.read(&document.key, from..to).await?;
        while let Some(bytes) = piece.next().await {
            let bytes = bytes?;
            hash.update(&bytes);
            file.write_all(&bytes).await.map_err(refused)?;
        }
        from = to;
    }
    file.sync_all().await.map_err(refused)?;
    drop(file);
    if lines::hex(hash) != document.sha256 {
        fs::remove_file(&part).map_err(refused)?;
        return Ok(false);
    }
    fs::rename(&part, &to).map_err(refused)?;
    Ok(true)
}
