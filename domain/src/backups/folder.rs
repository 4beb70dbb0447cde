//! Where backups lie: a folder each, named by when it was made, and beside them the contents of documents, each once
//! however many backups have it. A name that begins with a dot is something half-made, which the next backup clears away.
use super::{
    lines::{self, unavailable},
    manifest::{self, Manifest, Part, damaged},
};
use crate::{
    ctx::Ctx,
    error::{Error, Result},
};
use serde::de::DeserializeOwned;
use std::{
    collections::HashSet,
    fs::{self, DirBuilder, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

const CONTENTS: &str = "contents";
const LOCK: &str = ".lock";
/// How the names of what is half-made begin. Nothing else that lies here is ours to take away.
const MAKING: &str = ".making-";
const GOING: &str = ".going-";
const TRYING: &str = ".trying-";
const PART: &str = ".part-";

#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

/// While it is held nobody else makes a backup, or takes one away.
#[derive(Debug)]
pub struct Lock {
    /// None where the folder can only be read: then nobody changes anything here.
    _file: Option<File>,
}

/// A whole backup.
#[derive(Clone, Debug)]
pub struct Kept {
    pub at: PathBuf,
    pub manifest: Manifest,
}

impl Folder {
    /// # Errors
    /// Unavailable when nothing says where it is, or it cannot be made.
    pub fn of(ctx: &Ctx) -> Result<Self> {
        let path =
            ctx.options.backups().ok_or_else(|| Error::Unavailable("no folder for backups is set".to_owned()))?;
        make(&path).map_err(|e| unavailable(&path, &e))?;
        Ok(Self(path))
    }

    fn refused(&self, e: &io::Error) -> Error {
        unavailable(&self.0, e)
    }

    /// To change something here.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub fn lock(&self) -> Result<Lock> {
        self.locked(File::try_lock)
    }

    /// To read what must not go meanwhile.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub fn hold(&self) -> Result<Lock> {
        match self.locked(File::try_lock_shared) {
            Err(Error::Unavailable(_)) => Ok(Lock { _file: None }),
            locked => locked,
        }
    }

    fn locked(&self, take: impl Fn(&File) -> std::result::Result<(), TryLockError>) -> Result<Lock> {
        let file = lines::private(&self.0.join(LOCK)).map_err(|e| self.refused(&e))?;
        match take(&file) {
            Ok(()) => Ok(Lock { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(Error::conflict("backup_running")),
            Err(TryLockError::Error(e)) => Err(self.refused(&e)),
        }
    }

    /// The names of whole backups, the newest first.
    ///
    /// # Errors
    /// Unavailable.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = self
            .inside()?
            .into_iter()
            .filter(|name| is_name(name) && self.0.join(name).join(manifest::FILE).is_file())
            .collect();
        names.sort();
        names.reverse();
        Ok(names)
    }

    fn inside(&self) -> Result<Vec<String>> {
        let read = || fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let found = read().map_err(|e| self.refused(&e))?;
        Ok(found.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    /// # Errors
    /// NotFound; Conflict `backup_damaged` or `backup_newer`.
    pub fn find(&self, name: &str) -> Result<Kept> {
        let at = self.0.join(name);
        if !is_name(name) || !at.join(manifest::FILE).is_file() {
            return Err(Error::NotFound("backup"));
        }
        let text = fs::read(at.join(manifest::FILE)).map_err(|e| unavailable(&at, &e))?;
        let manifest = Manifest::parse(&text)?;
        if manifest.name != name {
            return Err(damaged(format!("its folder is {name}, and {} says {}", manifest::FILE, manifest.name)));
        }
        Ok(Kept { at, manifest })
    }

    /// Where a backup is made, until it is whole.
    ///
    /// # Errors
    /// Unavailable.
    pub fn begin(&self, name: &str) -> Result<PathBuf> {
        let at = self.0.join(format!("{MAKING}{name}"));
        make(&at.join("tables")).and_then(|()| make(&self.0.join(CONTENTS))).map_err(|e| self.refused(&e))?;
        Ok(at)
    }

    /// Makes it whole: the manifest, and then the name.
    ///
    /// # Errors
    /// Unavailable.
    pub fn finish(&self, at: &Path, manifest: &Manifest) -> Result<()> {
        let text = serde_json::to_vec_pretty(manifest).map_err(Error::internal)?;
        let write = || -> io::Result<()> {
            let mut file = lines::private(&at.join(manifest::FILE))?;
            io::Write::write_all(&mut file, &text)?;
            file.sync_all()?;
            for folder in [&at.join("tables"), at, &self.0.join(CONTENTS)] {
                File::open(folder)?.sync_all()?;
            }
            fs::rename(at, self.0.join(&manifest.name))?;
            File::open(&self.0)?.sync_all()
        };
        write().map_err(|e| self.refused(&e))
    }

    /// Where the content with this hash lies, or is to.
    pub fn content(&self, sha256: &str) -> PathBuf {
        self.0.join(CONTENTS).join(sha256)
    }

    /// A place for something on its way, which the next backup clears away if nobody else does.
    pub fn aside(&self, name: &str) -> PathBuf {
        self.0.join(CONTENTS).join(format!("{PART}{name}"))
    }

    /// A place to try a backup out: here, where there is room, unless the folder can only be read.
    ///
    /// # Errors
    /// Unavailable.
    pub fn trial(&self, name: &str) -> Result<Trial> {
        let here = self.0.join(format!("{TRYING}{name}"));
        if make(&here).is_ok() {
            return Ok(Trial(here));
        }
        let elsewhere = std::env::temp_dir().join(format!("spv-trying-{name}"));
        make(&elsewhere).map_err(|e| unavailable(&elsewhere, &e))?;
        Ok(Trial(elsewhere))
    }

    /// Clears away what was left half-made.
    ///
    /// # Errors
    /// Unavailable.
    pub fn clear(&self) -> Result<()> {
        let ours = |name: &&String| [MAKING, GOING, TRYING].iter().any(|beginning| name.starts_with(beginning));
        for name in self.inside()?.iter().filter(ours) {
            fs::remove_dir_all(self.0.join(name)).map_err(|e| self.refused(&e))?;
        }
        for name in self.contents()?.iter().filter(|name| name.starts_with(PART)) {
            fs::remove_file(self.content(name)).map_err(|e| self.refused(&e))?;
        }
        Ok(())
    }

    fn contents(&self) -> Result<Vec<String>> {
        let contents = Self(self.0.join(CONTENTS));
        if contents.0.is_dir() { contents.inside() } else { Ok(Vec::new()) }
    }

    /// Takes all but the newest away, and the contents that only they had. The one that was just made stays, whatever
    /// the clock says; one that cannot be read takes nobody's place, and is left to whoever looks into it.
    ///
    /// # Errors
    /// Unavailable; then some may have gone.
    pub async fn prune(&self, keep: usize, just_made: &str) -> Result<()> {
        let (good, unread): (Vec<_>, Vec<_>) = self.names()?.into_iter().partition(|name| self.find(name).is_ok());
        let others = good.iter().filter(|name| *name != just_made);
        for name in others.clone().skip(keep.max(1) - 1) {
            let going = self.0.join(format!("{GOING}{name}"));
            let go = fs::rename(self.0.join(name), &going).and_then(|()| fs::remove_dir_all(&going));
            go.map_err(|e| self.refused(&e))?;
        }
        // Of one that cannot be read nobody knows what it needs: then everything is kept.
        if !unread.is_empty() {
            return Ok(());
        }
        let mut wanted = HashSet::new();
        for name in self.names()? {
            let Ok(contents) = self.find(&name)?.documents().await else { return Ok(()) };
            wanted.extend(contents.into_iter().map(|document| document.sha256));
        }
        for name in self.contents()?.iter().filter(|name| is_hash(name) && !wanted.contains(*name)) {
            fs::remove_file(self.content(name)).map_err(|e| self.refused(&e))?;
        }
        Ok(())
    }
}

/// A content that a document of the backup has.
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
    /// Whether its hash is one, and no way to anywhere.
    pub fn is_named_well(&self) -> bool {
        is_hash(&self.sha256)
    }
}

impl Kept {
    /// # Errors
    /// Conflict `backup_damaged`.
    pub async fn documents(&self) -> Result<Vec<Document>> {
        self.all(manifest::DOCUMENTS).await
    }

    /// Everything in one of the smaller files.
    ///
    /// # Errors
    /// Conflict `backup_damaged`.
    pub async fn all<T: DeserializeOwned>(&self, file: &str) -> Result<Vec<T>> {
        let mut found = Vec::new();
        let mut batches = lines::read(&self.at.join(file));
        while let Some(batch) = batches.recv().await {
            let batch = batch.map_err(|e| damaged(format!("{file} cannot be read: {e}")))?;
            let read: Vec<T> =
                serde_json::from_str(&batch.text).map_err(|e| damaged(format!("{file} cannot be read: {e}")))?;
            found.extend(read);
        }
        Ok(found)
    }

    /// Says what is wrong with a file, if anything.
    pub async fn fault(&self, file: &Path, part: &Part) -> Option<String> {
        let name = file.display();
        match lines::hash(&self.at.join(file)).await {
            Err(e) => Some(format!("{name} cannot be read: {e}")),
            Ok((bytes, _)) if bytes != part.bytes => {
                Some(format!("{name} has {bytes} bytes where it had {}", part.bytes))
            }
            Ok((_, sha256)) if sha256 != part.sha256 => Some(format!("{name} is not as it was written")),
            Ok(_) => None,
        }
    }
}

/// A folder that goes when this does.
#[derive(Debug)]
pub struct Trial(pub PathBuf);

impl Drop for Trial {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
}

/// `20261122-021000-6f1c`
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f' | '-');
    name.len() <= 40 && name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(plain)
}

/// A folder that only its owner may open.
fn make(path: &Path) -> io::Result<()> {
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
    fn nothing_but_a_backups_own_name_leads_into_the_folder() {
        assert!(is_name("20261122-021000-6f1c"));
        for other in ["", ".", "..", "../secrets", ".making-20261122-021000-6f1c", "contents", "2026/11", "a\0b"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[tokio::test]
    async fn what_others_keep_beside_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder(dir.path().to_owned());
        make(&dir.path().join("contents/@eaDir")).expect("a folder");
        make(&dir.path().join(".ssh")).expect("a folder");
        fs::write(dir.path().join(".DS_Store"), "x").expect("a file");
        fs::write(dir.path().join("contents/notes"), "x").expect("a file");
        let half = folder.begin("20261122-021000-6f1c").expect("begins");
        fs::write(folder.content(&"ab".repeat(32)), "x").expect("a content that nobody has");
        folder.clear().expect("clears");
        folder.prune(1, "").await.expect("prunes");
        assert!(!half.exists() && !folder.content(&"ab".repeat(32)).exists());
        for kept in [".ssh", ".DS_Store", "contents/@eaDir", "contents/notes"] {
            assert!(dir.path().join(kept).exists(), "{kept}");
        }
    }

    #[test]
    fn one_at_a_time_and_readers_together() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder(dir.path().to_owned());
        let first = folder.lock().expect("nobody is there");
        assert!(matches!(folder.lock(), Err(Error::Conflict(problem)) if problem.code == "backup_running"));
        drop(first);
        let _one = folder.hold().expect("nobody is there");
        let _other = folder.hold().expect("both only read");
        assert!(folder.lock().is_err());
    }
}
