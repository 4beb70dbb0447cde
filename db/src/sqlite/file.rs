//! Identity of the file that SQLite's connections have open. A process keeps writing to an open file after it was moved
//! or deleted, and those writes are lost.
use crate::error::{Error, Result};
use std::{
    fs, iter,
    path::{Path, PathBuf},
};

/// Links that are followed from one to the next, as SQLite does.
const MAX_SYMLINKS: usize = 100;

#[derive(Debug)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    /// None where it is only in memory, and where the system does not let an open file be moved.
    opened: Option<FileId>,
}

/// Device and inode: a file has them whatever it is called.
type FileId = (u64, u64);

impl DatabaseFile {
    pub fn opened(path: PathBuf) -> Self {
        let opened = file_id(&path);
        Self { path, opened }
    }

    /// Refuses to make a database beside the log of one that is gone: SQLite would delete the log, and with it what was
    /// committed last.
    ///
    /// # Errors
    /// Unavailable.
    pub fn check_no_orphan_wal(path: &Path) -> Result<()> {
        // The log is beside the file itself, wherever it is called so from.
        let linked = |path: &PathBuf| {
            let to = fs::read_link(path).ok()?;
            Some(path.parent().map_or_else(|| to.clone(), |dir| dir.join(&to)))
        };
        let path = &iter::successors(Some(path.to_owned()), linked).take(MAX_SYMLINKS).last().unwrap_or_default();
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let has_log = Path::new(&log).metadata().is_ok_and(|log| log.len() > 0);
        if !has_log || path.metadata().is_ok_and(|file| file.len() > 0) {
            return Ok(());
        }
        let (path, log) = (path.display(), log.display());
        Err(Error::Unavailable(format!("{path} is gone and its log is not: bring it back, or move {log} away, too")))
    }

    /// Makes the database and the files beside it readable by their owner alone: they hold password hashes. Files of
    /// another owner stay as they are.
    pub fn make_private(path: &Path) {
        #[cfg(unix)]
        for ending in ["", "-wal", "-shm"] {
            use std::os::unix::fs::PermissionsExt;
            let mut file = path.as_os_str().to_owned();
            file.push(ending);
            let Ok(about) = fs::metadata(&file) else { continue };
            if about.permissions().mode() & 0o077 != 0 {
                let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o600));
            }
        }
        #[cfg(not(unix))]
        let _ = path;
    }

    /// # Errors
    /// Unavailable when the file is gone or replaced: nothing may be committed now.
    pub fn verify_not_replaced(&self) -> Result<()> {
        let found = file_id(&self.path);
        if self.opened.is_none() || found == self.opened {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::Unavailable(match found {
            None => format!("{path} is gone while it is open: nothing is kept until it is back"),
            Some(_) => format!(
                "{path} is not the file that is open: nothing is kept. Stop the portal, put that file back or move \
                 {path}-wal away, too, and start it"
            ),
        }))
    }
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
