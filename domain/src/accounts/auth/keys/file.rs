//! The key file: created, listed, and rotated while servers run.
use super::{jwk::new_set, parse_set};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock::RandomSource,
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::{io::Write, path::Path, time::SystemTime};
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
        let about = std::fs::metadata(path).ok()?;
        Some(Self {
            modified: about.modified().ok(),
            length: about.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&about),
        })
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
/// second. Super admins and the operator.
///
/// # Errors
/// Forbidden; Internal, naming the file and what is wrong with it.
#[tracing::instrument(level = "debug", name = "auth.keys.rotate", skip_all)]
pub async fn rotate(ctx: &Ctx, path: &Path) -> Result<Vec<KeyInfo>> {
    ctx.may(Action::Update, Resource::Settings)?;
    let text = std::fs::read_to_string(path).map_err(|e| file_error(path, &e))?;
    let mut set: Value = serde_json::from_str(&text).map_err(|e| file_error(path, &e))?;
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
    let text = serde_json::to_string_pretty(&set).map_err(|e| file_error(path, &e))?;
    // Validated before the atomic replacement.
    let found = key_infos(&text, path).map_err(|e| file_error(path, &e))?;
    let draft = write_temporary(path, &ctx.random, &text).map_err(|e| file_error(path, &e))?;
    std::fs::rename(&draft, path).map_err(|e| file_error(path, &e))?;

    let kid = found.first().map(|key| key.kid.as_str()).unwrap_or_default();
    ctx.transaction(|tx| {
        activity::append(tx, ctx, Event::new("keys.rotated", "key", Uuid::nil(), kid.to_owned())).scope_boxed()
    })
    .await?;
    Ok(found)
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
fn write_temporary(path: &Path, random: &RandomSource, text: &str) -> std::io::Result<std::path::PathBuf> {
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
