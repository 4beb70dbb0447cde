//! Directory of backups: a subdirectory per backup, named by its time, and the contents of documents beside them, each
//! stored once and shared by all backups. A name that begins with a dot is incomplete and removed by the next backup.
use super::{
    jsonl::{self, unavailable},
    manifest::{self, Manifest, Part, damaged},
    store,
};
use crate::kernel::{
    backup_retention::{BackupRetention, UPGRADE_SUFFIX},
    ctx::Ctx,
    error::{Error, Problem, Result},
};
use serde::de::DeserializeOwned;
use std::{
    collections::HashSet,
    fs::{self, DirBuilder, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

const CONTENTS: &str = "contents";
const LOCK_FILE: &str = ".lock";
/// Prefixes of incomplete entries. Nothing else in the directory is removed.
const INCOMPLETE: &str = ".making-";
const DELETING: &str = ".going-";
const VERIFYING: &str = ".trying-";
const PARTIAL: &str = ".part-";

/// The directory, and its lock if taken. The lock is held as long as a clone exists, also by a blocking thread that
/// outlives its caller.
#[derive(Clone, Debug)]
pub struct BackupDir {
    path: PathBuf,
    /// None without a lock, or in a read-only directory, which needs none.
    _lock: Option<Arc<File>>,
}

/// A complete backup.
#[derive(Clone, Debug)]
pub struct StoredBackup {
    pub at: PathBuf,
    pub manifest: Manifest,
}

/// Whether the configured directory held backups. If it is missing or empty now, its disk is probably not mounted, and
/// creating it would fill the wrong disk.
async fn had_backups(ctx: &Ctx, path: &Path) -> Result<bool> {
    let own = ctx.options.own_backups().as_deref() == Some(path);
    Ok(!own && !ctx.db.is_empty().await? && store::has_backup_in(&mut ctx.db(), &path.to_string_lossy()).await?)
}

impl BackupDir {
    fn at(path: PathBuf) -> Self {
        Self { path, _lock: None }
    }

    /// Opens the configured directory, creating it if it is new.
    ///
    /// # Errors
    /// Unavailable if none is configured or it cannot be created; Conflict `backup_folder_missing`.
    pub async fn open(ctx: &Ctx) -> Result<Self> {
        let path =
            ctx.options.backups().ok_or_else(|| Error::Unavailable("no folder for backups is set".to_owned()))?;
        let filled = had_backups(ctx, &path).await?;
        let there = move |folder: &Self| match fs::metadata(&folder.path) {
            Ok(found) if found.is_dir() => Ok(()),
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(folder.io_error(&e)),
            _ if filled => Err(folder.problem("backup_folder_missing")),
            _ => create_private_dir(&folder.path).map_err(|e| folder.io_error(&e)),
        };
        let folder = Self::at(path);
        folder.run_blocking(there).await?;
        Ok(folder)
    }

    /// [`Self::open`] for a new backup.
    ///
    /// # Errors
    /// As [`Self::open`]; Conflict `backup_folder_empty`.
    pub async fn open_for_writing(ctx: &Ctx) -> Result<Self> {
        let folder = Self::open(ctx).await?;
        let begun = folder.run_blocking(|folder| Ok(folder.path.join(CONTENTS).is_dir())).await?;
        if !begun && had_backups(ctx, &folder.path).await? {
            return Err(folder.problem("backup_folder_empty"));
        }
        Ok(folder)
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let folder = self.clone();
        jsonl::run_blocking(move || work(&folder)).await
    }

    /// The path, as stored in rows of backups.
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn problem(&self, code: &'static str) -> Error {
        Error::Conflict(Problem::new(code).with("path", self.path.display().to_string()))
    }

    fn io_error(&self, e: &io::Error) -> Error {
        unavailable(&self.path, e)
    }

    /// Takes the exclusive lock, for changes.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub async fn lock(&self) -> Result<Self> {
        self.lock_with(File::try_lock).await
    }

    /// Takes the shared lock, so that nothing is removed while it is read.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub async fn lock_shared(&self) -> Result<Self> {
        match self.lock_with(File::try_lock_shared).await {
            Err(Error::Unavailable(_)) => Ok(self.clone()),
            locked => locked,
        }
    }

    async fn lock_with(&self, take: fn(&File) -> std::result::Result<(), TryLockError>) -> Result<Self> {
        let locked = move |folder: &Self| {
            let file = jsonl::create_private(&folder.path.join(LOCK_FILE)).map_err(|e| folder.io_error(&e))?;
            match take(&file) {
                Ok(()) => Ok(Self { path: folder.path.clone(), _lock: Some(Arc::new(file)) }),
                Err(TryLockError::WouldBlock) => Err(Error::conflict("backup_running")),
                Err(TryLockError::Error(e)) => Err(folder.io_error(&e)),
            }
        };
        self.run_blocking(locked).await
    }

    /// Names of complete backups, the newest first.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn names(&self) -> Result<Vec<String>> {
        let names = |folder: &Self| {
            // A manifest without permission to read it exists, too.
            let whole = |name: &String| match fs::metadata(folder.path.join(name).join(manifest::FILE)) {
                Ok(found) => found.is_file(),
                Err(e) => !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            };
            let ours = folder.file_names()?.into_iter().filter(|name| is_name(name));
            let mut names: Vec<String> = ours.filter(whole).collect();
            names.sort();
            names.reverse();
            Ok(names)
        };
        self.run_blocking(names).await
    }

    fn file_names(&self) -> Result<Vec<String>> {
        let read = || fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let found = read().map_err(|e| self.io_error(&e))?;
        Ok(found.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    /// Loads a backup by name.
    ///
    /// # Errors
    /// NotFound; Conflict `backup_damaged` or `backup_newer`.
    pub async fn find(&self, name: &str) -> Result<StoredBackup> {
        let name = name.to_owned();
        let find = move |folder: &Self| {
            let at = folder.path.join(&name);
            if !is_name(&name) || !at.join(manifest::FILE).is_file() {
                return Err(Error::NotFound("backup"));
            }
            let text = fs::read(at.join(manifest::FILE)).map_err(|e| unavailable(&at, &e))?;
            let manifest = Manifest::parse(&text)?;
            if manifest.name != name {
                return Err(damaged(format!("its folder is {name}, and {} says {}", manifest::FILE, manifest.name)));
            }
            Ok(StoredBackup { at, manifest })
        };
        self.run_blocking(find).await
    }

    /// Creates the directory of an incomplete backup. [`Self::commit`] completes it.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn create_incomplete(&self, name: &str) -> Result<PathBuf> {
        let at = self.path.join(format!("{INCOMPLETE}{name}"));
        let begin = move |folder: &Self| {
            let made =
                create_private_dir(&at.join("tables")).and_then(|()| create_private_dir(&folder.path.join(CONTENTS)));
            made.map(|()| at).map_err(|e| folder.io_error(&e))
        };
        self.run_blocking(begin).await
    }

    /// Completes a backup: writes the manifest, then renames the directory.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn commit(&self, at: &Path, manifest: &Manifest) -> Result<()> {
        let text = serde_json::to_vec_pretty(manifest).map_err(Error::internal)?;
        let (at, name) = (at.to_owned(), manifest.name.clone());
        let finish = move |folder: &Self| {
            let write = || -> io::Result<()> {
                jsonl::write_private(&at.join(manifest::FILE), &text)?;
                for synced in [&at.join("tables"), &at, &folder.path.join(CONTENTS)] {
                    File::open(synced)?.sync_all()?;
                }
                fs::rename(&at, folder.path.join(name))?;
                File::open(&folder.path)?.sync_all()
            };
            write().map_err(|e| folder.io_error(&e))
        };
        self.run_blocking(finish).await
    }

    /// Path of the content with this hash.
    pub fn content(&self, sha256: &str) -> PathBuf {
        self.path.join(CONTENTS).join(sha256)
    }

    /// Path of the content with this hash, below the directory.
    pub fn relative_content(&self, sha256: &str) -> PathBuf {
        Path::new(CONTENTS).join(sha256)
    }

    /// The hash of a content by its path below the directory; None for another file.
    pub fn hash_of_content<'p>(&self, relative: &'p Path) -> Option<&'p str> {
        relative.strip_prefix(CONTENTS).ok()?.to_str().filter(|name| is_hash(name))
    }

    /// Path of a partial file, which the next backup removes if it is left.
    pub fn partial_path(&self, name: &str) -> PathBuf {
        self.path.join(CONTENTS).join(format!("{PARTIAL}{name}"))
    }

    /// A temporary directory for a trial restore: in the backup directory, where there is room, or in the system's if
    /// that is read-only.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn temp_dir(&self, name: &str) -> Result<TempDir> {
        let here = self.path.join(format!("{VERIFYING}{name}"));
        let elsewhere = std::env::temp_dir().join(format!("spv-trying-{name}"));
        let trial = move |_: &Self| {
            if create_private_dir(&here).is_ok() {
                return Ok(TempDir(here));
            }
            create_private_dir(&elsewhere).map_err(|e| unavailable(&elsewhere, &e))?;
            Ok(TempDir(elsewhere))
        };
        self.run_blocking(trial).await
    }

    /// Removes incomplete backups and partial files.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn remove_incomplete(&self) -> Result<()> {
        let clear = |folder: &Self| {
            let ours = |name: &&String| [INCOMPLETE, DELETING, VERIFYING].iter().any(|prefix| name.starts_with(prefix));
            for name in folder.file_names()?.iter().filter(ours) {
                fs::remove_dir_all(folder.path.join(name)).map_err(|e| folder.io_error(&e))?;
            }
            for name in folder.contents()?.iter().filter(|name| name.starts_with(PARTIAL)) {
                fs::remove_file(folder.content(name)).map_err(|e| folder.io_error(&e))?;
            }
            Ok(())
        };
        self.run_blocking(clear).await
    }

    fn contents(&self) -> Result<Vec<String>> {
        let contents = Self::at(self.path.join(CONTENTS));
        if contents.path.is_dir() { contents.file_names() } else { Ok(Vec::new()) }
    }

    /// Removes the backups whose retention is over, and the contents that only those had. The new backup stays even if
    /// the clock went backwards. Unreadable backups are not counted and stay.
    ///
    /// # Errors
    /// Unavailable; some may be removed by then.
    pub async fn prune(&self, retention: BackupRetention, just_made: &str) -> Result<()> {
        let (mut found, mut all_read) = (Vec::new(), true);
        for name in self.names().await? {
            match self.find(&name).await {
                Ok(stored) => found.push((name, stored.manifest.made_at)),
                Err(_) => all_read = false,
            }
        }
        let mut deleting = retention.expired(&found);
        deleting.retain(|name| name != just_made);
        self.run_blocking(move |folder| folder.delete(&deleting)).await?;
        // The contents that an unreadable backup needs are unknown, so all are kept.
        if !all_read {
            return Ok(());
        }
        let mut wanted = HashSet::new();
        for name in self.names().await? {
            let Ok(contents) = self.find(&name).await?.documents().await else { return Ok(()) };
            wanted.extend(contents.into_iter().map(|document| document.sha256));
        }
        let forget = move |folder: &Self| {
            for name in folder.contents()?.iter().filter(|name| is_hash(name) && !wanted.contains(*name)) {
                fs::remove_file(folder.content(name)).map_err(|e| folder.io_error(&e))?;
            }
            Ok(())
        };
        self.run_blocking(forget).await
    }

    fn delete(&self, names: &[String]) -> Result<()> {
        for name in names {
            let deleting = self.path.join(format!("{DELETING}{name}"));
            let go = fs::rename(self.path.join(name), &deleting).and_then(|()| fs::remove_dir_all(&deleting));
            go.map_err(|e| self.io_error(&e))?;
        }
        Ok(())
    }
}

/// Content of a document in the backup.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(from = "(String, u64, String)", into = "(String, u64, String)")]
pub struct Document {
    pub key: String,
    pub bytes: u64,
    pub sha256: String,
}

impl From<(String, u64, String)> for Document {
    fn from((key, bytes, sha256): (String, u64, String)) -> Self {
        Self { key, bytes, sha256 }
    }
}

impl From<Document> for (String, u64, String) {
    fn from(Document { key, bytes, sha256 }: Document) -> Self {
        (key, bytes, sha256)
    }
}

impl Document {
    /// Whether the hash is well-formed, so that it cannot name another path.
    pub fn has_valid_hash(&self) -> bool {
        is_hash(&self.sha256)
    }
}

impl StoredBackup {
    /// Contents of documents in the backup.
    ///
    /// # Errors
    /// Conflict `backup_damaged`.
    pub async fn documents(&self) -> Result<Vec<Document>> {
        self.read_all(manifest::DOCUMENTS).await
    }

    /// Reads all lines of one of the smaller files.
    ///
    /// # Errors
    /// Conflict `backup_damaged`.
    pub async fn read_all<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>> {
        let mut found = Vec::new();
        let mut batches = jsonl::read(&self.at.join(file));
        while let Some(batch) = batches.recv().await {
            let batch = batch.map_err(|e| damaged(format!("{file} cannot be read: {e}")))?;
            let read: Vec<T> =
                serde_json::from_str(&batch.text).map_err(|e| damaged(format!("{file} cannot be read: {e}")))?;
            found.extend(read);
        }
        Ok(found)
    }

    /// Checks size and hash of a file. Returns what is wrong, if anything.
    pub async fn verify_file(&self, file: &Path, part: &Part) -> Option<String> {
        let name = file.display();
        match jsonl::hash(&self.at.join(file)).await {
            Err(e) => Some(format!("{name} cannot be read: {e}")),
            Ok((bytes, _)) if bytes != part.bytes => {
                Some(format!("{name} has {bytes} bytes where it had {}", part.bytes))
            }
            Ok((_, sha256)) if sha256 != part.sha256 => Some(format!("{name} is not as it was written")),
            Ok(_) => None,
        }
    }
}

/// A directory that is removed on drop.
#[derive(Debug)]
pub struct TempDir(pub PathBuf);

impl TempDir {
    /// Creates `name` in a directory. Leftovers of an earlier call are removed.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn within(within: PathBuf, name: &'static str) -> Result<Self> {
        jsonl::run_blocking(move || {
            let path = within.join(name);
            let made = match fs::remove_dir_all(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => create_private_dir(&path),
            };
            made.map_err(|e| unavailable(&path, &e))?;
            Ok(Self(path))
        })
        .await
    }

    /// A directory for the database in which the demo office is created: in the data directory, if there is one.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn for_demo(ctx: &Ctx) -> Result<Self> {
        const NAME: &str = ".demo";
        if let Some(dir) = &ctx.options.data_dir {
            return Self::within(dir.clone(), NAME).await;
        }
        let path = std::env::temp_dir().join(format!("spv-demo-{}", ctx.random.uuid()));
        jsonl::run_blocking(move || {
            create_private_dir(&path).map_err(|e| unavailable(&path, &e))?;
            Ok(Self(path))
        })
        .await
    }

    /// Removes the directory in a blocking thread.
    ///
    /// # Errors
    /// Internal if the thread cannot be started.
    pub async fn remove(self) -> Result<()> {
        jsonl::run_blocking(move || {
            drop(self);
            Ok(())
        })
        .await
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
}

/// Whether it is the name of a backup, as `20261122-021000-6f1c`, perhaps with [`UPGRADE_SUFFIX`].
pub fn is_name(name: &str) -> bool {
    let name = name.strip_suffix(UPGRADE_SUFFIX).unwrap_or(name);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f' | '-');
    name.len() <= 40 && name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

/// Creates a directory that only its owner can open.
fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_backups_cannot_name_other_paths() {
        assert!(is_name("20261122-021000-6f1c") && is_name("20261122-021000-6f1c-upgrade"));
        for other in ["", ".", "..", "../secrets", ".making-20261122-021000-6f1c", "contents", "2026/11", "a\0b"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[tokio::test]
    async fn remove_incomplete_and_prune_leave_foreign_files() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = BackupDir::at(dir.path().to_owned());
        create_private_dir(&dir.path().join("contents/@eaDir")).expect("a folder");
        create_private_dir(&dir.path().join(".ssh")).expect("a folder");
        fs::write(dir.path().join(".DS_Store"), "x").expect("a file");
        fs::write(dir.path().join("contents/notes"), "x").expect("a file");
        let half = folder.create_incomplete("20261122-021000-6f1c").await.expect("begins");
        fs::write(folder.content(&"ab".repeat(32)), "x").expect("a content without a reference");
        folder.remove_incomplete().await.expect("clears");
        folder.prune(BackupRetention::default(), "").await.expect("prunes");
        assert!(!half.exists() && !folder.content(&"ab".repeat(32)).exists());
        for kept in [".ssh", ".DS_Store", "contents/@eaDir", "contents/notes"] {
            assert!(dir.path().join(kept).exists(), "{kept}");
        }
    }

    #[tokio::test]
    async fn lock_excludes_and_lock_shared_admits_readers() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = BackupDir::at(dir.path().to_owned());
        let first = folder.lock().await.expect("no other lock");
        let goes_on = first.clone();
        drop(first);
        let denied = folder.lock().await;
        assert!(matches!(denied, Err(Error::Conflict(problem)) if problem.code == "backup_running"));
        drop(goes_on);
        let _one = folder.lock_shared().await.expect("no other lock");
        let _other = folder.lock_shared().await.expect("both only read");
        assert!(folder.lock().await.is_err());
    }
}
