//! Creates a backup: the rows of one database snapshot, then the contents of its documents, which never change.
use super::{
    Progress, ProgressCallback, Purpose, ROWS_PER_REPORT,
    directory::{BackupDir, Document, StoredBackup},
    dump::{self, Table, list_tables, select_rows},
    jsonl::{self, Writer},
    manifest::{self, Manifest, Part, Rows, table_file},
    store, verify,
};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{Db, Dialect, Snapshot, Sql},
        error::Result,
        ids::BackupId,
        storage::Storage,
    },
    platform::queue,
};
use futures::StreamExt;
use sha2::{Digest, Sha256};
use std::{fs, io, path::Path};
use tokio::io::AsyncWriteExt;

const JOBS_PER_QUERY: i64 = 500;
/// After so many consecutive unreadable documents the storage is probed.
const PROBE_STORAGE_AFTER: usize = 3;
/// Range read per request to the storage, as each request has a timeout.
const DOWNLOAD_CHUNK: u64 = 8 << 20;

/// Creates the backup in a locked directory.
///
/// # Errors
/// Unavailable if the database, the storage or the disk fails. The incomplete backup is left for the next call to
/// remove.
pub(super) async fn create(
    ctx: &Ctx,
    folder: &BackupDir,
    id: BackupId,
    name: &str,
    by: &str,
    on_progress: ProgressCallback<'_>,
) -> Result<Manifest> {
    folder.remove_incomplete().await?;
    let at = folder.create_incomplete(name).await?;
    let mut manifest = dump_rows(ctx, Purpose::Backup, &at, (id, name, by), on_progress).await?;
    manifest.signing_keys = copy_signing_keys(ctx, &at).await?;
    let half = StoredBackup { at: at.clone(), manifest: manifest.clone() };
    let wanted = half.documents().await?;
    let mut in_a_row = 0;
    for (n, document) in wanted.iter().enumerate() {
        on_progress(Progress::Documents { done: n as u64 + 1, of: wanted.len() as u64 });
        let why = match copy_document(ctx, folder, document).await? {
            CopyOutcome::Missing(why) => why,
            copied => {
                manifest.documents_bytes += document.bytes;
                in_a_row = if matches!(copied, CopyOutcome::Copied) { 0 } else { in_a_row };
                continue;
            }
        };
        let name = store::original_file_name(&mut ctx.db(), &document.key).await?.unwrap_or_default();
        tracing::warn!(key = document.key, name, why, "document not backed up");
        manifest.missing.push(document.key.clone());
        manifest.missing_names.push(name);
        in_a_row += 1;
        // A single unreadable document does not stop the backup. An unavailable storage fails the job, which is
        // retried.
        if in_a_row % PROBE_STORAGE_AFTER == 0 {
            ctx.options.storage.is_usable().await?;
        }
    }
    // A few unreadable documents may be gone, or the storage may be unavailable.
    if !manifest.missing.is_empty() {
        ctx.options.storage.is_usable().await?;
    }
    if wanted.len() > 2 && manifest.missing.len() == wanted.len() {
        return Err(crate::Error::Unavailable("none of the documents can be read: is their storage there?".to_owned()));
    }
    folder.commit(&at, &manifest).await?;
    Ok(manifest)
}

/// Dumps the rows of one snapshot into the directory `at`, which has a subdirectory `tables`. The result is a backup
/// without the contents of documents and without signing keys.
///
/// # Errors
/// As [`create`].
pub(super) async fn dump_rows(
    ctx: &Ctx,
    purpose: Purpose,
    at: &Path,
    (id, name, by): (BackupId, &str, &str),
    on_progress: ProgressCallback<'_>,
) -> Result<Manifest> {
    let mut snapshot = ctx.db.snapshot().await?;
    let made_at = ctx.now();
    let database = if snapshot.dialect() == Dialect::Sqlite { "sqlite" } else { "postgres" };
    let migrations = Db::migrations(&mut snapshot).await?;
    let tables = dump_tables(&mut snapshot, purpose, at, on_progress).await?;
    let jobs = dump_jobs(&mut snapshot, purpose, at).await?;
    let mut writer = Writer::create(&at.join(manifest::DOCUMENTS));
    let mut contents = snapshot.lines(store::contents(snapshot.dialect()));
    while let Some(content) = contents.next().await {
        writer.add(&content?).await?;
    }
    drop(contents);
    snapshot.close().await;
    let documents = writer.finish().await?;
    Ok(Manifest {
        format: Manifest::format(),
        id,
        name: name.to_owned(),
        made_at,
        made_by: by.to_owned(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        database: database.to_owned(),
        migrations,
        tables,
        jobs,
        documents,
        documents_bytes: 0,
        missing: Vec::new(),
        missing_names: Vec::new(),
        signing_keys: None,
    })
}

async fn dump_tables(
    snapshot: &mut Snapshot,
    purpose: Purpose,
    at: &Path,
    on_progress: ProgressCallback<'_>,
) -> Result<Vec<Rows>> {
    let mut dumped = Vec::new();
    let all: Vec<Table> =
        list_tables(snapshot).await?.into_iter().filter(|table| !purpose.excludes(&table.name)).collect();
    let (mut done, of) = (0, dump::count_all(snapshot, &all).await?);
    for table in &all {
        on_progress(Progress::Rows { table: &table.name, done, of });
        let mut writer = Writer::create(&at.join(table_file(&table.name)));
        let mut rows = snapshot.lines(select_rows(snapshot.dialect(), table));
        while let Some(row) = rows.next().await {
            writer.add(&row?).await?;
            done += 1;
            if done % ROWS_PER_REPORT == 0 {
                on_progress(Progress::Rows { table: &table.name, done, of });
            }
        }
        drop(rows);
        let columns = table.columns.iter().map(|(name, _)| name.clone()).collect();
        dumped.push(Rows { table: table.name.clone(), columns, part: writer.finish().await? });
    }
    Ok(dumped)
}

async fn dump_jobs(snapshot: &mut Snapshot, purpose: Purpose, at: &Path) -> Result<Part> {
    let mut writer = Writer::create(&at.join(manifest::JOBS));
    let mut after = String::new();
    loop {
        let jobs = queue::jobs_for_backup(snapshot, purpose == Purpose::Move, &after, JOBS_PER_QUERY).await?;
        let Some(last) = jobs.last() else { break };
        after.clone_from(&last.id);
        for job in jobs.iter().filter(|job| purpose.includes_job(&job.envelope.job)) {
            writer.add(&serde_json::to_string(job).map_err(crate::Error::internal)?).await?;
        }
    }
    writer.finish().await
}

/// Copies the signing keys, which access tokens, refresh tokens and second factors depend on. None if they are not
/// files on this machine.
async fn copy_signing_keys(ctx: &Ctx, at: &Path) -> Result<Option<Part>> {
    let Some(path) = ctx.options.signing_keys.as_ref() else { return Ok(None) };
    let (path, to) = (path.clone(), at.join(manifest::SIGNING_KEYS));
    let copied = jsonl::run_blocking(move || {
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                tracing::warn!(path = %path.display(), "signing keys not backed up: no file on this machine");
                return Ok(None);
            }
            Err(e) => return Err(jsonl::unavailable(&path, &e)),
        };
        jsonl::write_private(&to, &text).map_err(|e| jsonl::unavailable(&to, &e))?;
        Ok(Some(to))
    });
    let Some(to) = copied.await? else { return Ok(None) };
    let (bytes, sha256) = jsonl::hash(&to).await.map_err(|e| jsonl::unavailable(&to, &e))?;
    Ok(Some(Part { lines: 1, bytes, sha256 }))
}

enum CopyOutcome {
    /// The content is in the directory already.
    Present,
    Copied,
    /// Not in the backup, with the reason.
    Missing(String),
}

async fn copy_document(ctx: &Ctx, folder: &BackupDir, document: &Document) -> Result<CopyOutcome> {
    if !document.has_valid_hash() {
        return Ok(CopyOutcome::Missing("it has no hash".to_owned()));
    }
    let to = folder.content(&document.sha256);
    if tokio::fs::try_exists(&to).await.unwrap_or(true) {
        match verify::check_document(folder, document).await {
            None => return Ok(CopyOutcome::Present),
            Some(fault) => tracing::warn!(fault, "damaged content copied again"),
        }
    }
    let part = folder.partial_path(&document.sha256);
    let refused = |e: io::Error| jsonl::unavailable(&part, &e);
    let why = match download(&ctx.options.storage, document, &part).await? {
        Ok(()) => {
            tokio::fs::rename(&part, &to).await.map_err(refused)?;
            return Ok(CopyOutcome::Copied);
        }
        Err(why) => why,
    };
    match tokio::fs::remove_file(&part).await {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(refused(e)),
        _ => Ok(CopyOutcome::Missing(why)),
    }
}

/// Downloads a content into a file. The inner error says why the content is not the one stored once, the outer one is
/// the disk's.
async fn download(storage: &Storage, document: &Document, part: &Path) -> Result<std::result::Result<(), String>> {
    let Document { key, bytes, sha256 } = document;
    match storage.size(key).await {
        Ok(Some(found)) if found == *bytes => {}
        Ok(Some(found)) => return Ok(Err(format!("it has {found} bytes where it had {bytes}"))),
        Ok(None) => return Ok(Err("it is gone".to_owned())),
        Err(e) => return Ok(Err(e.to_string())),
    }
    let refused = |e: io::Error| jsonl::unavailable(part, &e);
    let at = part.to_owned();
    let file = jsonl::run_blocking(move || jsonl::create_private(&at).map_err(|e| jsonl::unavailable(&at, &e))).await?;
    let mut file = tokio::fs::File::from_std(file);
    let mut hash = Sha256::new();
    let mut from = 0;
    while from < *bytes {
        let to = (*bytes).min(from + DOWNLOAD_CHUNK);
        let mut pieces = match storage.read(key, from..to).await {
            Ok(pieces) => pieces,
            Err(e) => return Ok(Err(e.to_string())),
        };
        while let Some(piece) = pieces.next().await {
            let piece = match piece {
                Ok(piece) => piece,
                Err(e) => return Ok(Err(e.to_string())),
            };
            hash.update(&piece);
            file.write_all(&piece).await.map_err(refused)?;
        }
        from = to;
    }
    file.sync_all().await.map_err(refused)?;
    Ok(if jsonl::hex_digest(hash) == *sha256 { Ok(()) } else { Err("it is not as it was kept".to_owned()) })
}
