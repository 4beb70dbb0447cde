//! The database file is moved, replaced or deleted while it is open.
#![cfg(unix)]
use crate::support::SIZES;
use db::{Db, Durability, Error, Sql};
use std::fs;

#[tokio::test]
async fn moved_or_replaced_file_refuses_reads_and_commits() {
    let dir = tempfile::tempdir().unwrap();
    let (path, away) = (dir.path().join("here.db"), dir.path().join("away.db"));
    let url = format!("sqlite:{}", path.display());
    let db = Db::open(&url, Durability::Normal, SIZES).await.expect("opens");
    let write = async |sql: &'static str| {
        let mut tx = db.begin_bulk().await?;
        tx.sql(sql).run().await?;
        tx.commit().await
    };
    write("create table t (n integer primary key)").await.expect("a table");
    write("insert into t values (1)").await.expect("is committed");
    fs::rename(&path, &away).expect("moves");
    assert!(matches!(write("insert into t values (2)").await, Err(Error::Unavailable(_))));
    assert!(matches!(db.verify_not_replaced(), Err(Error::Unavailable(_))));
    // A new file would have SQLite delete the WAL.
    assert!(matches!(Db::open(&url, Durability::Normal, SIZES).await, Err(Error::Unavailable(_))));
    assert!(!path.exists());
    fs::copy(&away, &path).expect("copies");
    let read = || async { db.clone().sql("select n from t order by n").all::<(i64,)>().await };
    // The pool opens no connection to the other file either.
    assert!(matches!(write("insert into t values (3)").await, Err(Error::Unavailable(_))));
    assert!(matches!(read().await, Err(Error::Unavailable(_))));
    assert!(matches!(db.verify_not_replaced(), Err(Error::Unavailable(_))));
    fs::rename(&away, &path).expect("moves back");
    write("insert into t values (4)").await.expect("is committed");
    assert_eq!(read().await.expect("reads"), [(1,), (4,)]);
}

#[tokio::test]
async fn orphan_wal_prevents_a_new_database_through_any_symlink() {
    let dir = tempfile::tempdir().unwrap();
    let [real, link, far] = ["real.db", "link.db", "far.db"].map(|name| dir.path().join(name));
    std::os::unix::fs::symlink("real.db", &link).expect("a link");
    std::os::unix::fs::symlink("link.db", &far).expect("a link");
    fs::write(dir.path().join("real.db-wal"), "the last commits").expect("writes");
    for path in [&real, &link, &far] {
        let opened = Db::open(&format!("sqlite:{}", path.display()), Durability::Normal, SIZES).await;
        assert!(matches!(opened, Err(Error::Unavailable(_))), "{path:?}");
    }
    assert!(!real.exists());
}
