//! Files that `--out` names.
use crate::exit::{Failure, Result};
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Where `--out` writes: to a temporary file beside it, so that a command that fails leaves the old file as it was.
pub enum OutFile<'a> {
    Temporary {
        file: NamedTempFile,
        /// Where a link leads.
        to: PathBuf,
        path: &'a Path,
        force: bool,
    },
    /// A device or a pipe, such as `/dev/stderr`.
    Special(File, &'a Path),
}

impl<'a> OutFile<'a> {
    /// # Errors
    /// Refused if the file exists and `force` is not given, or cannot be written.
    pub fn open(path: &'a Path, force: bool) -> Result<Self> {
        let refused = |e: io::Error| not_written(path, &e);
        let to = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match to.metadata() {
            Ok(found) if !found.is_file() && !found.is_dir() => {
                return Ok(Self::Special(File::options().write(true).open(&to).map_err(refused)?, path));
            }
            Ok(_) if !force => return Err(refused(io::ErrorKind::AlreadyExists.into())),
            _ => {}
        }
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder).map_err(refused)?;
        Ok(Self::Temporary { file, to, path, force })
    }

    /// # Errors
    /// Refused if it cannot be written.
    pub fn writer(&self) -> Result<File> {
        let (Self::Temporary { path, .. } | Self::Special(_, path)) = self;
        let file = match self {
            Self::Temporary { file, .. } => file.as_file(),
            Self::Special(file, _) => file,
        };
        file.try_clone().map_err(|e| not_written(path, &e))
    }

    /// Puts the file in its place, on disk, and returns its path.
    ///
    /// # Errors
    /// Refused if it cannot be written.
    pub fn finish(self) -> Result<&'a Path> {
        match self {
            Self::Special(_, path) => Ok(path),
            Self::Temporary { file, to, path, force } => {
                file.as_file().sync_all().map_err(|e| not_written(path, &e))?;
                let placed = if force { file.persist(&to) } else { file.persist_noclobber(&to) };
                placed.map_err(|e| not_written(path, &e.error))?;
                Ok(path)
            }
        }
    }
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = path.display();
    Failure::Refused(match error.kind() {
        io::ErrorKind::AlreadyExists => format!("--out: {file} exists; replace it with --force"),
        io::ErrorKind::NotFound if !folder.exists() => {
            format!("--out: {file} cannot be written: there is no folder {}", folder.display())
        }
        _ => {
            // The error of a temporary file names that file.
            let words = error.to_string();
            format!("--out: {file} cannot be written: {}", words.split(" at path ").next().unwrap_or_default())
        }
    })
}
