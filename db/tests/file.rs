//! SQLite's file is moved away, replaced or deleted while it is open.
#![cfg(unix)]
use crate::support::SIZES;
use db::{Db, Durability, Error, Sql};
use std::fs;

#[tokio::test]
async fn nothing_is_committed_while_the_file_is_moved_away_or_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let (path, away) = (dir.path().join("here.db"), dir.path().join("away.db"));
    let url = format!("sqlite:{}", path.display());
    let db = Db::open(&url, Durability::Normal, SIZES).await.expect("opens");
    let write = async |sql: &'static str| {
        let mut tx = db.begin().await?;
        tx.sql(sql).run().await?;
        tx.commit().await
    };
    write("create table t (n integer primary key)").await.expect("a table");
    write("insert into t values (1)").await.expect("is kept");
    fs::rename(&path, &away).expect("moves");
    assert!(matches!(write("insert into t values (2)").await, Err(Error::Unavailable(_))));
    assert!(matches!(db.verify_not_replaced(), Err(Error::Unavailable(_))));
    // No new one is made: the log would be lost.
    assert!(matches!(Db::open(&url, Durability::Normal, SIZES).await, Err(Error::Unavailable(_))));
    assert!(!path.exists());
    fs::copy(&away, &path).expect("copies");
    let read = || async { db.clone().sql("select n from t order by n").all::<(i64,)>().await };
    // No connection is opened to the other file either: it would stay open.
    assert!(matches!(write("insert into t values (3)").await, Err(Error::Unavailable(_))));
    assert!(matches!(read().await, Err(Error::Unavailable(_))));
    assert!(matches!(db.verify_not_replaced(), Err(Error::Unavailable(_))));
    fs::rename(&away, &path).expect("moves back");
    write("insert into t values (4)").await.expect("is kept");
    assert_eq!(read().await.expect("reads"), [(1,), (4,)]);
}

#[tokio::test]
async fn no_database_is_made_beside_the_log_of_a_deleted_one_under_any_link() {
    let dir = tempfile::tempdir().unwrap();
    let [real, link, far] = ["real.db", "link.db", "far.db"].map(|name| dir.path().join(name));
    std::os::unix::fs::symlink("real.db", &link).expect("a link");
    std::os::unix::fs::symlink("link.db", &far).expect("a link");
    fs::write(dir.path().join("real.db-wal"), "what was committed last").expect("writes");
    for path in [&real, &link, &far] {
        let opened = Db::open(&format!("sqlite:{}", path.display()), Durability::Normal, SIZES).await;
        assert!(matches!(opened, Err(Error::Unavailable(_))), "{path:?}");
    }
    assert!(!real.exists());
}
