//! Looks at a SQLite file without writing to it: whether it is there, and whether it is a portal's database.
use super::SQLITE;
use crate::kernel::error::{Error, Result};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

/// What stands at the address of a SQLite database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// No file, or one without anything in it.
    Nothing,
    Portal,
    /// Something else, which is not ours to write to.
    Foreign,
}

/// Looks at the database at `url`; none for PostgreSQL, where opening it writes nothing.
///
/// # Errors
/// Unavailable when the file cannot be read.
pub async fn inspect(url: &str) -> Result<Option<Existing>> {
    if url.starts_with("postgres") {
        return Ok(None);
    }
    let options = SqliteConnectOptions::from_str(url)?.read_only(true);
    let path = options.get_filename().to_owned();
    match std::fs::metadata(&path) {
        Ok(about) if about.is_file() && about.len() > 0 => {}
        Ok(about) if about.is_file() => return Ok(Some(Existing::Nothing)),
        Ok(_) => return Ok(Some(Existing::Foreign)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Some(Existing::Nothing)),
        Err(e) => return Err(Error::Unavailable(format!("{}: {e}", path.display()))),
    }
    // Without a log nothing is read but the file itself, and SQLite makes no files beside it.
    let options = options.immutable(!has_log(&path));
    match look(&options).await {
        Ok(found) => Ok(Some(found)),
        Err(sqlx::Error::Database(e)) if e.code().is_some_and(|code| code == "26") => Ok(Some(Existing::Foreign)),
        Err(e) => Err(Error::Unavailable(format!("{}: {e}", path.display()))),
    }
}

/// The file of a SQLite database; none for PostgreSQL.
///
/// # Errors
/// When the address is none.
pub fn sqlite_file(url: &str) -> Result<Option<PathBuf>> {
    if url.starts_with("postgres") {
        return Ok(None);
    }
    Ok(Some(SqliteConnectOptions::from_str(url)?.get_filename().to_owned()))
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).exists()
}

async fn look(options: &SqliteConnectOptions) -> sqlx::Result<Existing> {
    let mut connection = SqliteConnection::connect_with(options).await?;
    let names = "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'";
    let names: Vec<(String,)> = sqlx::query_as(names).fetch_all(&mut connection).await?;
    let found = if names.is_empty() {
        Existing::Nothing
    } else if names.iter().any(|(name,)| name == "_sqlx_migrations") {
        // Other programs keep their migrations under that name, too.
        let applied = "select version, checksum from _sqlx_migrations order by version limit 1";
        let applied: Option<(i64, Vec<u8>)> = sqlx::query_as(applied).fetch_optional(&mut connection).await?;
        let first = SQLITE.iter().next();
        // A portal from before 0.1.0 had another first migration, and the log's head, too.
        let unreleased = names.iter().any(|(name,)| name == "activity_head");
        let ours = applied.is_none_or(|(version, checksum)| {
            unreleased || first.is_some_and(|first| (first.version, &*first.checksum) == (version, &*checksum))
        });
        if ours { Existing::Portal } else { Existing::Foreign }
    } else {
        Existing::Foreign
    };
    connection.close().await?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::db::{Db, Durability, Sql};
    use std::{collections::BTreeMap, fs};

    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let entry = |entry: std::io::Result<fs::DirEntry>| {
            let entry = entry.expect("an entry");
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("reads"))
        };
        fs::read_dir(dir).expect("a folder").map(entry).collect()
    }

    #[tokio::test]
    async fn a_file_is_told_apart_and_left_as_it_was() {
        let dir = tempfile::tempdir().expect("a folder");
        let url = |name: &str| format!("sqlite:{}", dir.path().join(name).display());
        fs::write(dir.path().join("empty.db"), b"").expect("writes");
        fs::write(dir.path().join("text.db"), b"not a database, and longer than a header of one would be".repeat(99))
            .expect("writes");
        fs::create_dir(dir.path().join("sub")).expect("a folder");
        fs::remove_dir(dir.path().join("sub")).expect("gone");
        let portal = Db::open(&url("portal.db"), Durability::Normal).await.expect("opens");
        portal.migrate().await.expect("migrates");
        portal.close().await;
        for (name, sql) in [
            ("other.db", "create table x (a)"),
            (
                "sqlx.db",
                "create table _sqlx_migrations (version bigint, checksum blob); insert into _sqlx_migrations values (1, x'00')",
            ),
        ] {
            let options = SqliteConnectOptions::from_str(&url(name)).expect("an address").create_if_missing(true);
            let mut other = SqliteConnection::connect_with(&options).await.expect("opens");
            sqlx::raw_sql(sql).execute(&mut other).await.expect("runs");
            other.close().await.expect("closes");
        }
        let before = files(dir.path());
        for (name, found) in [
            ("missing.db", Existing::Nothing),
            ("empty.db", Existing::Nothing),
            ("text.db", Existing::Foreign),
            ("other.db", Existing::Foreign),
            ("sqlx.db", Existing::Foreign),
            ("portal.db", Existing::Portal),
        ] {
            assert_eq!(inspect(&url(name)).await.expect("looks"), Some(found), "{name}");
        }
        assert_eq!(inspect("postgres://nobody@127.0.0.1:1/x").await.expect("is not asked"), None);
        assert!(files(dir.path()) == before, "nothing was written");
        // While it runs, what is in its log counts, too.
        let running = Db::open(&url("running.db"), Durability::Normal).await.expect("opens");
        running.migrate().await.expect("migrates");
        assert_eq!(inspect(&url("running.db")).await.expect("looks"), Some(Existing::Portal));
        assert!(running.clone().sql("select count(*) from users").scalar::<i64>().await.is_ok());
        running.close().await;
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_files_of_a_database_are_their_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("spv.db");
        fs::write(&path, b"").expect("writes");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("is open");
        let db = Db::open(&format!("sqlite:{}", path.display()), Durability::Normal).await.expect("opens");
        db.migrate().await.expect("migrates");
        for name in ["spv.db", "spv.db-wal", "spv.db-shm"] {
            let mode = fs::metadata(dir.path().join(name)).expect("is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        db.close().await;
    }
}
