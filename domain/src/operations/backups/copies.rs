//! Copies of backups in another storage, so that they survive the machine: one tar archive a backup, encrypted with age where
//! a recipient is set. Each stands alone, and `tar` and `age` read it without the portal. The portal never deletes or
//! overwrites one: its key may lack the right to, and lifecycle rules of the bucket end old ones.
use super::{
    directory::{BackupDir, StoredBackup, is_name},
    event, jsonl,
    manifest::{self, Manifest, damaged},
    store::{self, Backup},
};
use crate::{
    kernel::{
        access::{Action, Resource},
        backup_copies::{BackupCopies, Recipient},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Problem, Result},
    },
    platform::{activity, queue::Job},
};
use age::x25519::Identity;
use bytes::Bytes;
use chrono::Duration;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    io::{self, Read, Write},
    iter,
    path::{Component, Path, PathBuf},
};
use tokio::task::spawn_blocking;
use tokio_util::io::{ReaderStream, StreamReader, SyncIoBridge};

/// Bytes between the thread that writes the archive and the storage.
const PIPE_BYTES: usize = 1 << 20;
const ENCRYPTED: &str = ".tar.age";
const PLAIN: &str = ".tar";

/// A copy in the storage.
#[derive(Clone, Debug)]
pub struct StoredCopy {
    pub name: String,
    pub bytes: u64,
    pub encrypted: bool,
}

impl StoredCopy {
    fn key(&self) -> String {
        format!("{}{}", self.name, if self.encrypted { ENCRYPTED } else { PLAIN })
    }

    fn of((key, bytes): (String, u64)) -> Option<Self> {
        let (name, encrypted) = match key.strip_suffix(ENCRYPTED) {
            Some(name) => (name, true),
            None => (key.strip_suffix(PLAIN)?, false),
        };
        is_name(name).then(|| Self { name: name.to_owned(), bytes, encrypted })
    }
}

/// Job that copies a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CopyBackup {
    pub name: String,
}

impl Job for CopyBackup {
    const NAME: &'static str = "portal.copy_backup";
    /// As [`super::CreateBackup`].
    const ATTEMPTS: usize = 8;
}

fn target(ctx: &Ctx) -> Result<&BackupCopies> {
    ctx.options.backup_copies.as_ref().ok_or_else(|| Error::conflict("no_backup_copies"))
}

/// Lists the copies, the newest first. The operator.
///
/// # Errors
/// Forbidden; Conflict `no_backup_copies` where none are configured; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.copies.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<StoredCopy>> {
    ctx.may(Action::View, Resource::System)?;
    let mut found: Vec<StoredCopy> =
        target(ctx)?.storage.list().await?.into_iter().filter_map(StoredCopy::of).collect();
    found.sort_by(|one, other| other.name.cmp(&one.name));
    Ok(found)
}

/// Copies a backup, unless its copy is there already. Jobs and the operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `no_backup_copies`, `backup_damaged`; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.copies.create", skip_all)]
pub async fn create(ctx: &Ctx, name: &str) -> Result<()> {
    ctx.may(Action::Update, Resource::System)?;
    let target = target(ctx)?;
    // Without the lock of the directory, which would keep new backups waiting: a backup that is removed meanwhile fails
    // this attempt, and the next one finds it gone.
    let folder = BackupDir::open(ctx).await?;
    let kept = folder.find(name).await?;
    let copy = StoredCopy { name: name.to_owned(), bytes: 0, encrypted: target.recipient.is_some() };
    if target.storage.size(&copy.key()).await?.is_none() {
        let mut files = vec![(kept.at.join(manifest::FILE), Path::new(name).join(manifest::FILE))];
        let parts = kept.manifest.parts();
        files.extend(parts.into_iter().map(|(part, _)| (kept.at.join(&part), Path::new(name).join(part))));
        for document in kept.documents().await?.into_iter().filter(|document| document.has_valid_hash()) {
            let content = folder.content(&document.sha256);
            if content.is_file() {
                files.push((content, folder.relative_content(&document.sha256)));
            }
        }
        let bytes = kept.manifest.bytes();
        target.storage.write_sized(&copy.key(), archive(files, target.recipient.clone()).boxed(), bytes).await?;
    }
    record(ctx, name, None).await
}

/// How long a backup may wait for its copy.
pub const COPY_DELAY: Duration = Duration::hours(2);

/// The last backup, where it should have been copied by now.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.copies.not_copied", skip_all)]
pub async fn not_copied(ctx: &Ctx) -> Result<Option<Backup>> {
    if ctx.options.backup_copies.is_none() {
        return Ok(None);
    }
    let last = store::last_good(&mut ctx.db()).await?.filter(|last| last.copied_at.is_none());
    let waits = |last: &Backup| last.finished_at.is_some_and(|at| ctx.now() - at < COPY_DELAY);
    Ok(last.filter(|last| last.copy_error.is_some() || !waits(last)))
}

/// Stores why a backup could not be copied.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "backups.copies.record_failure", skip_all)]
pub async fn record_failure(ctx: &Ctx, name: &str, why: &str) -> Result<()> {
    record(ctx, name, Some(why)).await
}

async fn record(ctx: &Ctx, name: &str, error: Option<&str>) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            let Some(id) = store::save_copy(tx, name, error.is_none().then(|| ctx.now()), error).await? else {
                return Ok(());
            };
            let action = if error.is_none() { "backup.copied" } else { "backup.copy_failed" };
            let event = event(action, id, name);
            let event = if let Some(why) = error { event.with("reason", why) } else { event };
            activity::append(tx, ctx, event).await
        }
        .scope_boxed()
    })
    .await
}

/// The archive as a stream, written by a thread. A failure of the thread is the last item, so that no part of an archive is
/// taken for the whole.
fn archive(files: Vec<(PathBuf, PathBuf)>, recipient: Option<Recipient>) -> impl Stream<Item = Result<Bytes>> + Send {
    let (reader, writer) = tokio::io::duplex(PIPE_BYTES);
    let writing = spawn_blocking(move || {
        let pipe = SyncIoBridge::new(writer);
        match recipient {
            None => write_archive(pipe, &files).and_then(|mut pipe| pipe.shutdown()),
            Some(recipient) => {
                let recipients = iter::once(&recipient as &dyn age::Recipient);
                let encryptor = age::Encryptor::with_recipients(recipients).map_err(io::Error::other)?;
                let encrypted = write_archive(encryptor.wrap_output(pipe)?, &files)?;
                encrypted.finish()?.shutdown()
            }
        }
    });
    let ended = stream::once(async move {
        match writing.await.map_err(Error::internal)? {
            Ok(()) => Ok(Bytes::new()),
            Err(e) => Err(Error::Unavailable(format!("the backup cannot be read: {e}"))),
        }
    });
    ReaderStream::new(reader).map_err(|e| Error::Unavailable(e.to_string())).chain(ended)
}

/// Writes the files, each under its name in the archive.
fn write_archive<W: Write>(to: W, files: &[(PathBuf, PathBuf)]) -> io::Result<W> {
    let mut archive = tar::Builder::new(to);
    for (path, name) in files {
        archive.append_path_with_name(path, name)?;
    }
    archive.into_inner()
}

/// Downloads a copy into the directory of backups, from where it is restored. `identities` is the text of an age identity
/// file, for an encrypted one. The operator.
///
/// # Errors
/// Forbidden; NotFound; Conflict `no_backup_copies`, `backup_running`, `backup_exists`, `identity_required`,
/// `identity_unreadable`, `identity_wrong` and `backup_damaged`; Unavailable.
#[tracing::instrument(level = "debug", name = "backups.copies.fetch", skip_all)]
pub async fn fetch(ctx: &Ctx, name: &str, identities: Option<&str>) -> Result<Manifest> {
    // Of two of one name the one that can be read.
    let of_name: Vec<StoredCopy> = list(ctx).await?.into_iter().filter(|copy| copy.name == name).collect();
    let readable = of_name.iter().find(|copy| copy.encrypted == identities.is_some()).or(of_name.first());
    let found = readable.cloned().ok_or(Error::NotFound("backup"))?;
    if found.encrypted && identities.is_none() {
        return Err(Error::conflict("identity_required"));
    }
    let identities = match identities {
        Some(text) => parse_identities(text)?,
        None => Vec::new(),
    };
    let folder = BackupDir::open(ctx).await?.lock().await?;
    if folder.find(name).await.is_ok() {
        return Err(Error::Conflict(Problem::new("backup_exists").with("name", name)));
    }
    folder.remove_incomplete().await?;
    let at = folder.create_incomplete(name).await?;
    let content = target(ctx)?.storage.read(&found.key(), 0..found.bytes).await?;
    let pipe = SyncIoBridge::new(StreamReader::new(content.map_err(io::Error::other).boxed()));
    let unpacking = {
        let (folder, name) = (folder.clone(), name.to_owned());
        spawn_blocking(move || {
            if !found.encrypted {
                return unpack(pipe, &folder, &name, &at).map(|manifest| (manifest, at));
            }
            let refused = |e: age::DecryptError| match e {
                age::DecryptError::Io(e) => unreadable(&e),
                _ => Error::conflict("identity_wrong"),
            };
            let decryptor = age::Decryptor::new(pipe).map_err(refused)?;
            let known = identities.iter().map(|identity| identity as &dyn age::Identity);
            let plain = decryptor.decrypt(known).map_err(refused)?;
            unpack(plain, &folder, &name, &at).map(|manifest| (manifest, at))
        })
    };
    let unpacked = unpacking.await.map_err(Error::internal)?;
    if unpacked.is_err() {
        let _ = folder.remove_incomplete().await;
    }
    let (manifest, at) = unpacked?;
    let kept = StoredBackup { at, manifest };
    for (file, part) in kept.manifest.parts() {
        if let Some(fault) = kept.verify_file(&file, part).await {
            let _ = folder.remove_incomplete().await;
            return Err(damaged(fault));
        }
    }
    let StoredBackup { at, manifest } = kept;
    folder.commit(&at, &manifest).await?;
    Ok(manifest)
}

/// Writes a file for its owner only, and to the disk; returns its hash.
fn unpack_hashed(from: &mut impl Read, to: &Path) -> io::Result<String> {
    let (mut file, mut hash) = (jsonl::create_private(to)?, Sha256::new());
    let mut chunk = vec![0; PIPE_BYTES];
    loop {
        let read = from.read(&mut chunk)?;
        if read == 0 {
            file.sync_all()?;
            return Ok(jsonl::hex_digest(hash));
        }
        hash.update(&chunk[..read]);
        file.write_all(&chunk[..read])?;
    }
}

/// The storage, the archive or the disk fails.
fn unreadable(error: &io::Error) -> Error {
    Error::Unavailable(format!("the copy cannot be unpacked: {error}"))
}

/// The keys of an identity file: a line each, beside comments.
fn parse_identities(text: &str) -> Result<Vec<Identity>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let found: Option<Vec<Identity>> = lines.map(|line| line.parse().ok()).collect();
    found.filter(|keys| !keys.is_empty()).ok_or_else(|| Error::conflict("identity_unreadable"))
}

/// Unpacks the files of a backup to `at`, and contents that are not there yet beside them.
///
/// # Errors
/// Unavailable; Conflict `backup_damaged`, also for a file that is not of this backup.
fn unpack(archive: impl Read, folder: &BackupDir, name: &str, at: &Path) -> Result<Manifest> {
    let mut archive = tar::Archive::new(archive);
    let mut manifest = None;
    for entry in archive.entries().map_err(|e| unreadable(&e))? {
        let mut entry = entry.map_err(|e| unreadable(&e))?;
        let path = entry.path().map_err(|e| unreadable(&e))?.into_owned();
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let foreign = || damaged(format!("{} is not of this backup", path.display()));
        if !is_plain || !entry.header().entry_type().is_file() {
            return Err(foreign());
        }
        if let Ok(file) = path.strip_prefix(name) {
            if file == Path::new(manifest::FILE) {
                let mut text = Vec::new();
                entry.read_to_end(&mut text).map_err(|e| unreadable(&e))?;
                manifest = Some(Manifest::parse(&text)?);
            } else {
                unpack_hashed(&mut entry, &at.join(file)).map_err(|e| unreadable(&e))?;
            }
        } else if let Some(sha256) = folder.hash_of_content(&path) {
            // Over one that is there: it may be damaged.
            let partial = folder.partial_path(sha256);
            if unpack_hashed(&mut entry, &partial).map_err(|e| unreadable(&e))? != sha256 {
                return Err(damaged(format!("{} is not as it was written", path.display())));
            }
            std::fs::rename(&partial, folder.content(sha256)).map_err(|e| unreadable(&e))?;
        } else {
            return Err(foreign());
        }
    }
    manifest.filter(|manifest| manifest.name == name).ok_or_else(|| damaged("it has no manifest of this name"))
}
