//! Identity of the open database file. A process that goes on writing to a file after it was moved or deleted loses those
//! writes.
use crate::error::{Error, Result};
use std::{
    fs, iter,
    path::{Path, PathBuf},
};

/// SQLite's own limit.
const MAX_SYMLINKS: usize = 100;

#[derive(Debug)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    /// None for a database in memory, and on systems that do not let an open file be moved.
    opened: Option<FileId>,
}

/// Device and inode, which do not change when a file is renamed.
type FileId = (u64, u64);

impl DatabaseFile {
    pub fn new(path: PathBuf) -> Self {
        let opened = file_id(&path);
        Self { path, opened }
    }

    /// Refuses to create a database beside the WAL of a deleted one: SQLite would delete that WAL, and with it the last
    /// commits.
    ///
    /// # Errors
    /// Unavailable.
    pub fn check_no_orphan_wal(path: &Path) -> Result<()> {
        // The WAL is beside the file, not beside a link to it.
        let linked = |path: &PathBuf| {
            let to = fs::read_link(path).ok()?;
            Some(path.parent().map_or_else(|| to.clone(), |dir| dir.join(&to)))
        };
        let path = iter::successors(Some(path.to_owned()), linked).take(MAX_SYMLINKS).last().unwrap_or_default();
        let wal = with_suffix(&path, "-wal");
        let has_content = |path: &Path| path.metadata().is_ok_and(|file| file.len() > 0);
        if !has_content(&wal) || has_content(&path) {
            return Ok(());
        }
        let (path, wal) = (path.display(), wal.display());
        Err(Error::Unavailable(format!("{path} is gone but {wal} is not: put {path} back, or move {wal} away, too")))
    }

    /// Makes the database, its WAL and its shared memory readable by their owner alone: they hold password hashes. Files
    /// of another owner stay as they are.
    pub fn make_private(path: &Path) {
        #[cfg(unix)]
        for suffix in ["", "-wal", "-shm"] {
            use std::os::unix::fs::PermissionsExt;
            let file = with_suffix(path, suffix);
            if fs::metadata(&file).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
                let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o600));
            }
        }
        #[cfg(not(unix))]
        let _ = path;
    }

    /// # Errors
    /// Unavailable when the file at the path is gone or another one.
    pub fn verify_not_replaced(&self) -> Result<()> {
        let found = file_id(&self.path);
        if self.opened.is_none() || found == self.opened {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::Unavailable(match found {
            None => format!("{path} is gone while it is open: nothing is saved until it is back"),
            Some(_) => format!(
                "{path} is not the file that is open: nothing is saved. Stop the portal, put that file back or move \
                 {path}-wal away, too, and start it"
            ),
        }))
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<FileId> {
    None
}
