//! Makes one: the rows of one moment, then the contents that the documents had at that moment, which never change.
use super::{
    Progress, Purpose, Tell,
    folder::{Document, Folder, Kept},
    lines::{self, Writer},
    manifest::{self, Manifest, Part, Rows, table_file},
    store,
    tables::{dump, tables},
    verify,
};
use crate::{
    kernel::{
        ctx::Ctx,
        db::{Db, Dialect, Sql},
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

/// Jobs read at a time.
const JOBS: i64 = 500;
/// So many documents in a row that cannot be read let us ask whether the storage is there at all.
const FEW: usize = 3;
/// So much of a content is asked for at once: each call to the storage has its time.
const PIECE: u64 = 8 << 20;

/// Makes the backup in a folder that nobody else works in.
///
/// # Errors
/// Unavailable when the database, the storage or the disk fails; what was begun is left for the next one to clear away.
pub async fn make(ctx: &Ctx, folder: &Folder, id: BackupId, name: &str, by: &str, tell: Tell<'_>) -> Result<Manifest> {
    folder.clear().await?;
    let at = folder.begin(name).await?;
    let mut manifest = rows(ctx, Purpose::Backup, &at, (id, name, by), tell).await?;
    manifest.signing_keys = signing_keys(ctx, &at).await?;
    let half = Kept { at: at.clone(), manifest: manifest.clone() };
    let wanted = half.documents().await?;
    let mut in_a_row = 0;
    for (n, document) in wanted.iter().enumerate() {
        tell(Progress::Document { nth: n + 1, of: wanted.len() });
        let why = match copy(ctx, folder, document).await? {
            Copied::Not(why) => why,
            copied => {
                manifest.documents_bytes += document.bytes;
                in_a_row = if matches!(copied, Copied::Anew) { 0 } else { in_a_row };
                continue;
            }
        };
        let name = store::file_name(&mut ctx.db(), &document.key).await?.unwrap_or_default();
        tracing::warn!(key = document.key, name, why, "a document is not in the backup");
        manifest.missing.push(document.key.clone());
        manifest.missing_names.push(name);
        in_a_row += 1;
        // One that cannot be read keeps nobody from the rest. A storage that is away is tried again later.
        if in_a_row % FEW == 0 {
            ctx.options.storage.is_usable().await?;
        }
    }
    // Nobody knows of a few whether they are gone, or their storage is away.
    if !manifest.missing.is_empty() {
        ctx.options.storage.is_usable().await?;
    }
    if wanted.len() > 2 && manifest.missing.len() == wanted.len() {
        return Err(crate::Error::Unavailable("none of the documents can be read: is their storage there?".to_owned()));
    }
    folder.finish(&at, &manifest).await?;
    Ok(manifest)
}

/// The rows of one moment in the folder `at`, which has a folder for tables: a backup but for the contents of documents
/// and the signing keys.
///
/// # Errors
/// As [`make`].
pub async fn rows(
    ctx: &Ctx,
    purpose: Purpose,
    at: &Path,
    (id, name, by): (BackupId, &str, &str),
    tell: Tell<'_>,
) -> Result<Manifest> {
    let mut moment = ctx.db.snapshot().await?;
    let made_at = ctx.now();
    let database = if moment.dialect() == Dialect::Sqlite { "sqlite" } else { "postgres" };
    let migrations = Db::migrations(&mut moment).await?;
    let mut kept = Vec::new();
    let all = tables(&mut moment).await?;
    for (n, table) in all.iter().enumerate().filter(|(_, table)| !purpose.leaves_out(&table.name)) {
        tell(Progress::Table { name: &table.name, nth: n + 1, of: all.len() });
        let mut writer = Writer::create(&at.join(table_file(&table.name)));
        let mut rows = moment.lines(dump(moment.dialect(), table));
        while let Some(row) = rows.next().await {
            writer.add(&row?).await?;
        }
        drop(rows);
        let columns = table.columns.iter().map(|(name, _)| name.clone()).collect();
        kept.push(Rows { table: table.name.clone(), columns, part: writer.finish().await? });
    }
    let mut writer = Writer::create(&at.join(manifest::JOBS));
    let mut after = String::new();
    loop {
        let jobs = queue::jobs_for_backup(&mut moment, purpose == Purpose::Move, &after, JOBS).await?;
        let Some(last) = jobs.last() else { break };
        after.clone_from(&last.id);
        for job in jobs.iter().filter(|job| purpose.takes(&job.envelope.job)) {
            writer.add(&serde_json::to_string(job).map_err(crate::Error::internal)?).await?;
        }
    }
    let jobs = writer.finish().await?;
    let mut writer = Writer::create(&at.join(manifest::DOCUMENTS));
    let mut contents = moment.lines(store::contents(moment.dialect()));
    while let Some(content) = contents.next().await {
        writer.add(&content?).await?;
    }
    drop(contents);
    moment.close().await;
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
        tables: kept,
        jobs,
        documents,
        documents_bytes: 0,
        missing: Vec::new(),
        missing_names: Vec::new(),
        signing_keys: None,
    })
}

/// What access tokens, refresh tokens and second factors are made from.
async fn signing_keys(ctx: &Ctx, at: &Path) -> Result<Option<Part>> {
    let Some(path) = ctx.options.signing_keys.as_ref() else { return Ok(None) };
    let (path, to) = (path.clone(), at.join(manifest::SIGNING_KEYS));
    let copied = lines::aside(move || {
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                tracing::warn!(path = %path.display(), "the backup has no signing keys: they do not lie on this machine");
                return Ok(None);
            }
            Err(e) => return Err(lines::unavailable(&path, &e)),
        };
        lines::write(&to, &text).map_err(|e| lines::unavailable(&to, &e))?;
        Ok(Some(to))
    });
    let Some(to) = copied.await? else { return Ok(None) };
    let (bytes, sha256) = lines::hash(&to).await.map_err(|e| lines::unavailable(&to, &e))?;
    Ok(Some(Part { lines: 1, bytes, sha256 }))
}

enum Copied {
    /// It lies there as it was kept.
    Already,
    Anew,
    /// The backup has to do without it, and why.
    Not(String),
}

async fn copy(ctx: &Ctx, folder: &Folder, document: &Document) -> Result<Copied> {
    if !document.is_named_well() {
        return Ok(Copied::Not("it has no hash".to_owned()));
    }
    let to = folder.content(&document.sha256);
    if tokio::fs::try_exists(&to).await.unwrap_or(true) {
        match verify::content(folder, document).await {
            None => return Ok(Copied::Already),
            Some(fault) => tracing::warn!(fault, "it is copied anew"),
        }
    }
    let part = folder.aside(&document.sha256);
    let refused = |e: io::Error| lines::unavailable(&part, &e);
    let why = match fetch(&ctx.options.storage, document, &part).await? {
        Ok(()) => {
            tokio::fs::rename(&part, &to).await.map_err(refused)?;
            return Ok(Copied::Anew);
        }
        Err(why) => why,
    };
    match tokio::fs::remove_file(&part).await {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(refused(e)),
        _ => Ok(Copied::Not(why)),
    }
}

/// Writes what the storage has into a file, or says why that is not what was once kept: the outer error is the disk's.
async fn fetch(storage: &Storage, document: &Document, part: &Path) -> Result<std::result::Result<(), String>> {
    let Document { key, bytes, sha256 } = document;
    match storage.size(key).await {
        Ok(Some(found)) if found == *bytes => {}
        Ok(Some(found)) => return Ok(Err(format!("it has {found} bytes where it had {bytes}"))),
        Ok(None) => return Ok(Err("it is gone".to_owned())),
        Err(e) => return Ok(Err(e.to_string())),
    }
    let refused = |e: io::Error| lines::unavailable(part, &e);
    let at = part.to_owned();
    let file = lines::aside(move || lines::private(&at).map_err(|e| lines::unavailable(&at, &e))).await?;
    let mut file = tokio::fs::File::from_std(file);
    let mut hash = Sha256::new();
    let mut from = 0;
    while from < *bytes {
        let to = (*bytes).min(from + PIECE);
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
    Ok(if lines::hex(hash) == *sha256 { Ok(()) } else { Err("it is not as it was kept".to_owned()) })
}
