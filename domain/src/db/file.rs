//! The file that SQLite's connections have open. Whoever has it open goes on writing to it wherever it is moved to, and
//! also when it is deleted: nobody finds again what is written then.
use crate::error::{Error, Result};
use std::{
    fs, io, iter,
    path::{Path, PathBuf},
};

/// Links that are followed from one to the next, as SQLite does.
const LINKS: usize = 100;

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    /// None where it is only in memory, and where nobody can move a file that is open.
    opened: Option<Which>,
}

/// Device and inode: a file has them whatever it is called.
type Which = (u64, u64);

impl File {
    pub fn opened(path: PathBuf) -> Self {
        let opened = which(&path);
        Self { path, opened }
    }

    /// Refuses to make a database beside the log of one that is gone: SQLite would delete the log, and with it what was
    /// committed last.
    ///
    /// # Errors
    /// Unavailable.
    pub fn may_be_made(path: &Path) -> Result<()> {
        // The log is beside the file itself, wherever it is called so from.
        let linked = |path: &PathBuf| {
            let to = fs::read_link(path).ok()?;
            Some(path.parent().map_or_else(|| to.clone(), |dir| dir.join(&to)))
        };
        let path = &iter::successors(Some(path.to_owned()), linked).take(LINKS).last().unwrap_or_default();
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let has_log = Path::new(&log).metadata().is_ok_and(|log| log.len() > 0);
        if !has_log || path.metadata().is_ok_and(|file| file.len() > 0) {
            return Ok(());
        }
        let (path, log) = (path.display(), log.display());
        Err(Error::Unavailable(format!("{path} is gone and its log is not: bring it back, or move {log} away, too")))
    }

    /// Takes the rights to the database and the files beside it from everybody but their owner: password hashes are in
    /// them. What cannot be changed is somebody else's.
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
    /// What has become of the file: nothing may be kept now.
    pub fn is_in_place(&self) -> io::Result<()> {
        let found = which(&self.path);
        if self.opened.is_none() || found == self.opened {
            return Ok(());
        }
        let path = self.path.display();
        Err(io::Error::other(match found {
            None => format!("{path} is gone while it is open: nothing is kept until it is back"),
            Some(_) => format!(
                "{path} is not the file that is open: nothing is kept. Stop the portal, put that file back or move \
                 {path}-wal away, too, and start it"
            ),
        }))
    }
}

#[cfg(unix)]
fn which(path: &Path) -> Option<Which> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn which(_: &Path) -> Option<Which> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use crate::{
        db::{Db, Durability, Sql},
        error::Error,
    };
    use std::fs;

    #[tokio::test]
    async fn nothing_is_kept_while_the_file_is_away_or_another_is_in_its_place() {
        let dir = tempfile::tempdir().expect("a folder");
        let (path, away) = (dir.path().join("here.db"), dir.path().join("away.db"));
        let url = format!("sqlite:{}", path.display());
        let db = Db::open(&url, Durability::Normal).await.expect("opens");
        let write = async |sql: &'static str| {
            let mut tx = db.begin().await?;
            tx.sql(sql).run().await?;
            tx.commit().await
        };
        write("create table t (n integer primary key)").await.expect("a table");
        write("insert into t values (1)").await.expect("is kept");
        fs::rename(&path, &away).expect("moves");
        assert!(matches!(write("insert into t values (2)").await, Err(Error::Unavailable(_))));
        assert!(matches!(db.is_usable().await, Err(Error::Unavailable(_))));
        // Nobody else makes a new one: the log would go.
        assert!(matches!(Db::open(&url, Durability::Normal).await, Err(Error::Unavailable(_))));
        assert!(!path.exists());
        fs::copy(&away, &path).expect("copies");
        let read = || async { db.clone().sql("select n from t order by n").all::<(i64,)>().await };
        // Nor does anybody get a connection to the other one, which would outlive it.
        assert!(matches!(write("insert into t values (3)").await, Err(Error::Unavailable(_))));
        assert!(matches!(read().await, Err(Error::Unavailable(_))));
        assert!(matches!(db.is_usable().await, Err(Error::Unavailable(_))));
        fs::rename(&away, &path).expect("moves back");
        write("insert into t values (4)").await.expect("is kept");
        assert_eq!(read().await.expect("reads"), [(1,), (4,)]);
    }

    #[tokio::test]
    async fn no_database_is_made_beside_the_log_of_one_that_is_gone_by_whatever_name() {
        let dir = tempfile::tempdir().expect("a folder");
        let [real, link, far] = ["real.db", "link.db", "far.db"].map(|name| dir.path().join(name));
        std::os::unix::fs::symlink("real.db", &link).expect("a link");
        std::os::unix::fs::symlink("link.db", &far).expect("a link");
        fs::write(dir.path().join("real.db-wal"), "what was committed last").expect("writes");
        for path in [&real, &link, &far] {
            let opened = Db::open(&format!("sqlite:{}", path.display()), Durability::Normal).await;
            assert!(matches!(opened, Err(Error::Unavailable(_))), "{path:?}");
        }
        assert!(!real.exists());
    }
}
