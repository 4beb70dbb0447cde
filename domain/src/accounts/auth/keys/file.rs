//! The key file: created, listed, and rotated while servers run.
use super::{jwk::new_set, parse_set};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock::RandomSource,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
    },
    platform::{
        activity::{self, Event},
        approvals::{self, Request},
    },
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::{
    fs::{File, Metadata, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    time::SystemTime,
};
use uuid::Uuid;

/// File metadata that changes when the file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileFingerprint {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileFingerprint {
    pub fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|about| Self::from_metadata(&about))
    }

    fn from_metadata(about: &Metadata) -> Self {
        Self {
            modified: about.modified().ok(),
            length: about.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(about),
        }
    }
}

/// A key of the file, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    pub kid: String,
    pub algorithm: &'static str,
    /// Whether it signs; the others only verify.
    pub signs: bool,
    /// Creation time, if known.
    pub made_at: Option<DateTime<Utc>>,
}

/// Keys of a file, the signing one first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Conflict `reauthentication_needed`; Internal, naming the file and what is wrong with it.
pub fn list(ctx: &Ctx, path: &Path) -> Result<Vec<KeyInfo>> {
    ctx.may(Action::Update, Resource::Settings)?;
    ctx.require_recent_proof()?;
    let text = std::fs::read_to_string(path).map_err(|e| file_error(path, &e))?;
    key_infos(&text, path).map_err(|e| file_error(path, &e))
}

/// Adds a new ES256 signing key. The others stay valid and published, so no session ends; servers reload within a
/// second. Super admins and the operator; where four eyes is on it waits for a second super admin.
///
/// # Errors
/// Forbidden; Conflict `reauthentication_needed`, `rotation_under_way`; Internal, naming the file and what is wrong with it;
/// `approval_pending` and others of [`approvals::request`] where it waits.
#[tracing::instrument(level = "debug", name = "auth.keys.rotate", skip_all)]
pub async fn rotate(ctx: &Ctx, path: &Path) -> Result<Vec<KeyInfo>> {
    ctx.may(Action::Update, Resource::Settings)?;
    ctx.require_recent_proof()?;
    let draft = RotationDraft::write(ctx, path)?;
    let new = &draft;
    ctx.transaction(|tx| {
        async move {
            if approvals::is_required(tx, ctx, |_| true).await? {
                let request = Request::RotateKeys { kid: new.replaced.clone() };
                let subject = new.replaced.clone();
                return approvals::request(tx, ctx, &request, "keys".to_owned(), subject).await.map(Err);
            }
            new.log(tx, ctx).await.map(Ok)
        }
        .scope_boxed()
    })
    .await??;
    draft.install()
}

/// A key file with one more key, beside the file that it replaces; removed on drop unless it is installed.
pub(crate) struct RotationDraft {
    path: PathBuf,
    draft: PathBuf,
    keys: Vec<KeyInfo>,
    /// Id of the present signing key.
    replaced: String,
    /// Locked until the draft is dropped, so that two rotations at once do not lose a key.
    _lock: File,
}

impl RotationDraft {
    /// Writes the draft, before a transaction.
    ///
    /// # Errors
    /// Conflict `rotation_under_way`; Internal, naming the file and what is wrong with it.
    pub fn write(ctx: &Ctx, path: &Path) -> Result<Self> {
        let lock = lock(path)?;
        let text = std::fs::read_to_string(path).map_err(|e| file_error(path, &e))?;
        let present = key_infos(&text, path).map_err(|e| file_error(path, &e))?;
        let replaced = present.first().map(|key| key.kid.clone()).unwrap_or_default();
        let text = with_new_key(ctx, path, &text)?;
        // Validated before the atomic replacement.
        let keys = key_infos(&text, path).map_err(|e| file_error(path, &e))?;
        let draft = write_temporary(path, &ctx.random, &text).map_err(|e| file_error(path, &e))?;
        Ok(Self { path: path.to_owned(), draft, keys, replaced, _lock: lock })
    }

    /// Logs the rotation that was asked for while `kid` signed, which must be the case still.
    ///
    /// # Errors
    /// Conflict `approval_outdated`.
    pub async fn log_approved(&self, tx: &mut Tx, ctx: &Ctx, kid: &str) -> Result<()> {
        if self.replaced != kid {
            return Err(Error::conflict("approval_outdated"));
        }
        self.log(tx, ctx).await
    }

    async fn log(&self, tx: &mut Tx, ctx: &Ctx) -> Result<()> {
        let kid = self.keys.first().map(|key| key.kid.clone()).unwrap_or_default();
        activity::append(tx, ctx, Event::new("keys.rotated", "key", Uuid::nil(), kid)).await
    }

    /// Replaces the file, after the commit: a transaction may run again, or fail.
    ///
    /// # Errors
    /// Internal, naming the file and what is wrong with it.
    pub fn install(self) -> Result<Vec<KeyInfo>> {
        std::fs::rename(&self.draft, &self.path).map_err(|e| file_error(&self.path, &e))?;
        Ok(self.keys.clone())
    }
}

impl Drop for RotationDraft {
    fn drop(&mut self) {
        // Installed, it is gone.
        let _ = std::fs::remove_file(&self.draft);
    }
}

/// Locks the key file against another rotation.
fn lock(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|e| file_error(path, &e))?;
    let is_locked = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(e)) => return Err(file_error(path, &e)),
    };
    // A rotation may have replaced the file before it was locked.
    let opened = file.metadata().ok().map(|about| FileFingerprint::from_metadata(&about));
    if is_locked && opened == FileFingerprint::of(path) {
        return Ok(file);
    }
    Err(Error::conflict("rotation_under_way"))
}

/// The key file's text with a new key before the others.
fn with_new_key(ctx: &Ctx, path: &Path, text: &str) -> Result<String> {
    let mut set: Value = serde_json::from_str(text).map_err(|e| file_error(path, &e))?;
    let made: Value = new_set(&ctx.random)
        .and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()))
        .map_err(|e| file_error(path, &e))?;
    let keys = if set.is_array() { &mut set } else { &mut set["keys"] };
    let keys = keys.as_array_mut().ok_or_else(|| file_error(path, &"there is no key in it"))?;
    // The first key has no `iat`; the file was created with it.
    if let (1, Some(at)) = (keys.len(), modified(path))
        && keys[0].get("iat").is_none()
    {
        keys[0]["iat"] = at.into();
    }
    let mut new = made["keys"][0].clone();
    new["iat"] = ctx.now().timestamp().into();
    keys.insert(0, new);
    serde_json::to_string_pretty(&set).map_err(|e| file_error(path, &e))
}

/// Modification time of the file (Unix time).
fn modified(path: &Path) -> Option<i64> {
    let at = std::fs::metadata(path).ok()?.modified().ok()?;
    Some(DateTime::<Utc>::from(at).timestamp())
}

fn key_infos(text: &str, path: &Path) -> std::result::Result<Vec<KeyInfo>, String> {
    let ring = parse_set(text)?;
    let algorithm = |key: &super::SigningKey| match key.algorithm {
        jsonwebtoken::Algorithm::RS256 => "RS256",
        jsonwebtoken::Algorithm::HS256 => "HS256",
        _ => "ES256",
    };
    let alone = if ring.len() == 1 { modified(path) } else { None };
    let made_at = |key: &super::SigningKey| DateTime::from_timestamp(key.made_at.or(alone)?, 0);
    let keys = ring.iter().enumerate();
    Ok(keys
        .map(|(n, key)| KeyInfo {
            kid: key.kid.clone(),
            algorithm: algorithm(key),
            signs: n == 0,
            made_at: made_at(key),
        })
        .collect())
}

fn file_error(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("signing keys {}: {error}", path.display()))
}

/// Writes a temporary file beside `path` that only its owner may read.
fn write_temporary(path: &Path, random: &RandomSource, text: &str) -> std::io::Result<PathBuf> {
    let draft = path.with_extension(format!("{}.new", random.uuid().simple()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    if let Ok(about) = std::fs::metadata(path) {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Root may rotate the keys of a server that runs as another user.
        let _ = fchown(&file, Some(about.uid()), Some(about.gid()));
    }
    file.sync_all()?;
    Ok(draft)
}

/// Creates a file by hard link: of two processes that start at once both use the same key, and a crash leaves no
/// partial file.
pub(super) fn create(path: &Path, random: &RandomSource) -> std::result::Result<(), Box<dyn std::error::Error>> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let draft = write_temporary(path, random, &new_set(random)?)?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => Ok(other?),
    }
}
