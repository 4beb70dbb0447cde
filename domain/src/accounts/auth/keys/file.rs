//! The key file: made, listed, and rotated under the eyes of running servers.
use super::{jwk::new_set, read_set};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock::Chance,
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

/// How a file looks from outside: another content looks otherwise, as it is written anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
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
pub struct Listed {
    pub kid: String,
    pub algorithm: &'static str,
    /// It signs; the others are only accepted.
    pub signs: bool,
    /// When it was made, as far as the file tells.
    pub made_at: Option<DateTime<Utc>>,
}

/// The keys of a file, the one that signs first. Super admins and the operator.
///
/// # Errors
/// Forbidden; Internal, naming the file and what is wrong with it.
pub fn list(ctx: &Ctx, path: &Path) -> Result<Vec<Listed>> {
    ctx.may(Action::Update, Resource::Settings)?;
    let text = std::fs::read_to_string(path).map_err(|e| named(path, &e))?;
    listed(&text, path).map_err(|e| named(path, &e))
}

/// Puts a new ES256 key before the others. They stay accepted and published, so nobody is signed out; running
/// servers take it up within a second. Super admins and the operator.
///
/// # Errors
/// Forbidden; Internal, naming the file and what is wrong with it.
pub async fn rotate(ctx: &Ctx, path: &Path) -> Result<Vec<Listed>> {
    ctx.may(Action::Update, Resource::Settings)?;
    let text = std::fs::read_to_string(path).map_err(|e| named(path, &e))?;
    let mut set: Value = serde_json::from_str(&text).map_err(|e| named(path, &e))?;
    let made: Value = new_set(&ctx.chance)
        .and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()))
        .map_err(|e| named(path, &e))?;
    let keys = set["keys"].as_array_mut().ok_or_else(|| named(path, &"there is no key in it"))?;
    // The first key has no date of its own: the file was made with it.
    if let (1, Some(at)) = (keys.len(), modified(path))
        && keys[0].get("iat").is_none()
    {
        keys[0]["iat"] = at.into();
    }
    let mut new = made["keys"][0].clone();
    new["iat"] = ctx.now().timestamp().into();
    keys.insert(0, new);
    let text = serde_json::to_string_pretty(&set).map_err(|e| named(path, &e))?;
    // Whoever reads it finds the old set or the new one, and both are whole.
    let found = listed(&text, path).map_err(|e| named(path, &e))?;
    let draft = draft(path, &ctx.chance, &text).map_err(|e| named(path, &e))?;
    std::fs::rename(&draft, path).map_err(|e| named(path, &e))?;

    let kid = found.first().map(|key| key.kid.as_str()).unwrap_or_default();
    ctx.transaction(|tx| {
        activity::append(tx, ctx, Event::new("keys.rotated", "key", Uuid::nil(), kid.to_owned())).scope_boxed()
    })
    .await?;
    Ok(found)
}

/// When the file was written last, in seconds since 1970.
fn modified(path: &Path) -> Option<i64> {
    let at = std::fs::metadata(path).ok()?.modified().ok()?;
    Some(DateTime::<Utc>::from(at).timestamp())
}

fn listed(text: &str, path: &Path) -> std::result::Result<Vec<Listed>, String> {
    let ring = read_set(text)?;
    let algorithm = |key: &super::Signing| match key.algorithm {
        jsonwebtoken::Algorithm::RS256 => "RS256",
        jsonwebtoken::Algorithm::HS256 => "HS256",
        _ => "ES256",
    };
    let alone = if ring.len() == 1 { modified(path) } else { None };
    let made_at = |key: &super::Signing| DateTime::from_timestamp(key.made_at.or(alone)?, 0);
    let keys = ring.iter().enumerate();
    Ok(keys
        .map(|(n, key)| Listed {
            kid: key.kid.clone(),
            algorithm: algorithm(key),
            signs: n == 0,
            made_at: made_at(key),
        })
        .collect())
}

fn named(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("signing keys {}: {error}", path.display()))
}

/// A new file beside `path` with this text, that only the owner of `path` may read.
fn draft(path: &Path, chance: &Chance, text: &str) -> std::io::Result<std::path::PathBuf> {
    let draft = path.with_extension(format!("{}.new", chance.uuid().simple()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    if let Ok(about) = std::fs::metadata(path) {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Root may rotate the keys of a server that runs as somebody else.
        let _ = fchown(&file, Some(about.uid()), Some(about.gid()));
    }
    file.sync_all()?;
    Ok(draft)
}

/// Makes a new set and links it into place, so that of two processes that start at once both use the same key, and
/// a crash leaves no half a file.
pub(super) fn create(path: &Path, chance: &Chance) -> std::result::Result<(), Box<dyn std::error::Error>> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let draft = draft(path, chance, &new_set(chance)?)?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => Ok(other?),
    }
}
