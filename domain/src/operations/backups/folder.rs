//! Where backups lie: a folder each, named by when it was made, and beside them the contents of documents, each once
//! however many backups have it. A name that begins with a dot is something half-made, which the next backup clears away.
use super::{
    lines::{self, unavailable},
    manifest::{self, Manifest, Part, damaged},
    store,
};
use crate::kernel::{
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
const LOCK: &str = ".lock";
/// How the names of what is half-made begin. Nothing else that lies here is ours to take away.
const MAKING: &str = ".making-";
const GOING: &str = ".going-";
const TRYING: &str = ".trying-";
const PART: &str = ".part-";

/// Where they lie, and perhaps the lock of it, which is held as long as a copy of this one is there: also by what goes on
/// in a thread after whoever asked for it has left.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// None where the folder can only be read, too: then nobody changes anything here.
    _lock: Option<Arc<File>>,
}

/// A whole backup.
#[derive(Clone, Debug)]
pub struct Kept {
    pub at: PathBuf,
    pub manifest: Manifest,
}

/// Whether somebody chose this folder and backups were made there: where it is away or empty now, it lies on a disk that
/// is not mounted. Made anew, it would lie on the wrong one.
async fn is_filled(ctx: &Ctx, path: &Path) -> Result<bool> {
    let own = ctx.options.own_backups().as_deref() == Some(path);
    Ok(!own && ctx.db.is_usable().await? && store::is_filled(&mut ctx.db(), &path.to_string_lossy()).await?)
}

impl Folder {
    fn at(path: PathBuf) -> Self {
        Self { path, _lock: None }
    }

    /// # Errors
    /// Unavailable when nothing says where it is, or it cannot be made; Conflict `backup_folder_missing`.
    pub async fn of(ctx: &Ctx) -> Result<Self> {
        let path =
            ctx.options.backups().ok_or_else(|| Error::Unavailable("no folder for backups is set".to_owned()))?;
        let filled = is_filled(ctx, &path).await?;
        let there = move |folder: &Self| match fs::metadata(&folder.path) {
            Ok(found) if found.is_dir() => Ok(()),
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(folder.refused(&e)),
            _ if filled => Err(folder.problem("backup_folder_missing")),
            _ => make(&folder.path).map_err(|e| folder.refused(&e)),
        };
        let folder = Self::at(path);
        folder.on_disk(there).await?;
        Ok(folder)
    }

    /// The same, where a backup can be made.
    ///
    /// # Errors
    /// As [`Self::of`]; Conflict `backup_folder_empty`.
    pub async fn to_fill(ctx: &Ctx) -> Result<Self> {
        let folder = Self::of(ctx).await?;
        let begun = folder.on_disk(|folder| Ok(folder.path.join(CONTENTS).is_dir())).await?;
        if !begun && is_filled(ctx, &folder.path).await? {
            return Err(folder.problem("backup_folder_empty"));
        }
        Ok(folder)
    }

    async fn on_disk<T: Send + 'static>(&self, work: impl FnOnce(&Self) -> Result<T> + Send + 'static) -> Result<T> {
        let folder = self.clone();
        lines::aside(move || work(&folder)).await
    }

    /// As rows of backups have it.
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn problem(&self, code: &'static str) -> Error {
        Error::Conflict(Problem::new(code).with("path", self.path.display().to_string()))
    }

    fn refused(&self, e: &io::Error) -> Error {
        unavailable(&self.path, e)
    }

    /// To change something here.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub async fn lock(&self) -> Result<Self> {
        self.locked(File::try_lock).await
    }

    /// To read what must not go meanwhile.
    ///
    /// # Errors
    /// Conflict `backup_running`.
    pub async fn hold(&self) -> Result<Self> {
        match self.locked(File::try_lock_shared).await {
            Err(Error::Unavailable(_)) => Ok(self.clone()),
            locked => locked,
        }
    }

    async fn locked(&self, take: fn(&File) -> std::result::Result<(), TryLockError>) -> Result<Self> {
        let locked = move |folder: &Self| {
            let file = lines::private(&folder.path.join(LOCK)).map_err(|e| folder.refused(&e))?;
            match take(&file) {
                Ok(()) => Ok(Self { path: folder.path.clone(), _lock: Some(Arc::new(file)) }),
                Err(TryLockError::WouldBlock) => Err(Error::conflict("backup_running")),
                Err(TryLockError::Error(e)) => Err(folder.refused(&e)),
            }
        };
        self.on_disk(locked).await
    }

    /// The names of whole backups, the newest first.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn names(&self) -> Result<Vec<String>> {
        let names = |folder: &Self| {
            // One that may not be looked at is there all the same.
            let whole = |name: &String| match fs::metadata(folder.path.join(name).join(manifest::FILE)) {
                Ok(found) => found.is_file(),
                Err(e) => !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            };
            let ours = folder.inside()?.into_iter().filter(|name| is_name(name));
            let mut names: Vec<String> = ours.filter(whole).collect();
            names.sort();
            names.reverse();
            Ok(names)
        };
        self.on_disk(names).await
    }

    fn inside(&self) -> Result<Vec<String>> {
        let read = || fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let found = read().map_err(|e| self.refused(&e))?;
        Ok(found.into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    /// # Errors
    /// NotFound; Conflict `backup_damaged` or `backup_newer`.
    pub async fn find(&self, name: &str) -> Result<Kept> {
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
            Ok(Kept { at, manifest })
        };
        self.on_disk(find).await
    }

    /// Where a backup is made, until it is whole.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn begin(&self, name: &str) -> Result<PathBuf> {
        let at = self.path.join(format!("{MAKING}{name}"));
        let begin = move |folder: &Self| {
            let made = make(&at.join("tables")).and_then(|()| make(&folder.path.join(CONTENTS)));
            made.map(|()| at).map_err(|e| folder.refused(&e))
        };
        self.on_disk(begin).await
    }

    /// Makes it whole: the manifest, and then the name.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn finish(&self, at: &Path, manifest: &Manifest) -> Result<()> {
        let text = serde_json::to_vec_pretty(manifest).map_err(Error::internal)?;
        let (at, name) = (at.to_owned(), manifest.name.clone());
        let finish = move |folder: &Self| {
            let write = || -> io::Result<()> {
                lines::write(&at.join(manifest::FILE), &text)?;
                for synced in [&at.join("tables"), &at, &folder.path.join(CONTENTS)] {
                    File::open(synced)?.sync_all()?;
                }
                fs::rename(&at, folder.path.join(name))?;
                File::open(&folder.path)?.sync_all()
            };
            write().map_err(|e| folder.refused(&e))
        };
        self.on_disk(finish).await
    }

    /// Where the content with this hash lies, or is to.
    pub fn content(&self, sha256: &str) -> PathBuf {
        self.path.join(CONTENTS).join(sha256)
    }

    /// A place for something on its way, which the next backup clears away if nobody else does.
    pub fn aside(&self, name: &str) -> PathBuf {
        self.path.join(CONTENTS).join(format!("{PART}{name}"))
    }

    /// A place to try a backup out: here, where there is room, unless the folder can only be read.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn trial(&self, name: &str) -> Result<Trial> {
        let here = self.path.join(format!("{TRYING}{name}"));
        let elsewhere = std::env::temp_dir().join(format!("spv-trying-{name}"));
        let trial = move |_: &Self| {
            if make(&here).is_ok() {
                return Ok(Trial(here));
            }
            make(&elsewhere).map_err(|e| unavailable(&elsewhere, &e))?;
            Ok(Trial(elsewhere))
        };
        self.on_disk(trial).await
    }

    /// Clears away what was left half-made.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn clear(&self) -> Result<()> {
        let clear = |folder: &Self| {
            let ours = |name: &&String| [MAKING, GOING, TRYING].iter().any(|beginning| name.starts_with(beginning));
            for name in folder.inside()?.iter().filter(ours) {
                fs::remove_dir_all(folder.path.join(name)).map_err(|e| folder.refused(&e))?;
            }
            for name in folder.contents()?.iter().filter(|name| name.starts_with(PART)) {
                fs::remove_file(folder.content(name)).map_err(|e| folder.refused(&e))?;
            }
            Ok(())
        };
        self.on_disk(clear).await
    }

    fn contents(&self) -> Result<Vec<String>> {
        let contents = Self::at(self.path.join(CONTENTS));
        if contents.path.is_dir() { contents.inside() } else { Ok(Vec::new()) }
    }

    /// Takes all but the newest away, and the contents that only they had. The one that was just made stays, whatever
    /// the clock says; one that cannot be read takes nobody's place, and is left to whoever looks into it.
    ///
    /// # Errors
    /// Unavailable; then some may have gone.
    pub async fn prune(&self, keep: usize, just_made: &str) -> Result<()> {
        let (mut others, mut all_read) = (Vec::new(), true);
        for name in self.names().await? {
            match self.find(&name).await {
                Ok(_) if name != just_made => others.push(name),
                Ok(_) => {}
                Err(_) => all_read = false,
            }
        }
        let going = others.split_off(others.len().min(keep.max(1) - 1));
        self.on_disk(move |folder| folder.take_away(&going)).await?;
        // Of one that cannot be read nobody knows what it needs: then everything is kept.
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
                fs::remove_file(folder.content(name)).map_err(|e| folder.refused(&e))?;
            }
            Ok(())
        };
        self.on_disk(forget).await
    }

    fn take_away(&self, names: &[String]) -> Result<()> {
        for name in names {
            let going = self.path.join(format!("{GOING}{name}"));
            let go = fs::rename(self.path.join(name), &going).and_then(|()| fs::remove_dir_all(&going));
            go.map_err(|e| self.refused(&e))?;
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

impl Trial {
    /// One in the folder `within`, which has a single one of this name: what an earlier one left there goes first.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn within(within: PathBuf, name: &'static str) -> Result<Self> {
        lines::aside(move || {
            let path = within.join(name);
            let made = match fs::remove_dir_all(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => make(&path),
            };
            made.map_err(|e| unavailable(&path, &e))?;
            Ok(Self(path))
        })
        .await
    }

    /// Where the demo office is made: in the data folder, if there is one.
    ///
    /// # Errors
    /// Unavailable.
    pub async fn for_demo(ctx: &Ctx) -> Result<Self> {
        const NAME: &str = ".demo";
        if let Some(dir) = &ctx.options.data_dir {
            return Self::within(dir.clone(), NAME).await;
        }
        let path = std::env::temp_dir().join(format!("spv-demo-{}", ctx.chance.uuid()));
        lines::aside(move || {
            make(&path).map_err(|e| unavailable(&path, &e))?;
            Ok(Self(path))
        })
        .await
    }

    /// # Errors
    /// Internal when the thread cannot be had.
    pub async fn over(self) -> Result<()> {
        lines::aside(move || {
            drop(self);
            Ok(())
        })
        .await
    }
}

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
        let folder = Folder::at(dir.path().to_owned());
        make(&dir.path().join("contents/@eaDir")).expect("a folder");
        make(&dir.path().join(".ssh")).expect("a folder");
        fs::write(dir.path().join(".DS_Store"), "x").expect("a file");
        fs::write(dir.path().join("contents/notes"), "x").expect("a file");
        let half = folder.begin("20261122-021000-6f1c").await.expect("begins");
        fs::write(folder.content(&"ab".repeat(32)), "x").expect("a content that nobody has");
        folder.clear().await.expect("clears");
        folder.prune(1, "").await.expect("prunes");
        assert!(!half.exists() && !folder.content(&"ab".repeat(32)).exists());
        for kept in [".ssh", ".DS_Store", "contents/@eaDir", "contents/notes"] {
            assert!(dir.path().join(kept).exists(), "{kept}");
        }
    }

    #[tokio::test]
    async fn one_at_a_time_and_readers_together() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder::at(dir.path().to_owned());
        let first = folder.lock().await.expect("nobody is there");
        let goes_on = first.clone();
        drop(first);
        let refused = folder.lock().await;
        assert!(matches!(refused, Err(Error::Conflict(problem)) if problem.code == "backup_running"));
        drop(goes_on);
        let _one = folder.hold().await.expect("nobody is there");
        let _other = folder.hold().await.expect("both only read");
        assert!(folder.lock().await.is_err());
    }
}
