//! Readiness probe: whether the database accepts writes, answered within two seconds in every failure.
use domain::{
    Error,
    kernel::db::{Db, Durability, Sql},
    testing::{World, on_both},
};
use std::time::{Duration, Instant};

async fn not_ready_reason(db: &Db) -> String {
    let began = Instant::now();
    let Err(Error::Unavailable(why)) = db.check_ready().await else { panic!("it is ready") };
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    why
}

#[tokio::test]
async fn writable_database_is_ready_and_unchanged() {
    on_both(async |world: World| {
        for _ in 0..3 {
            world.db.check_ready().await.unwrap();
        }
        assert!(world.db.is_migrated().await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn read_only_server_is_not_ready() {
    let Some(world) = World::postgres().await else { return };
    let mut tx = world.db.begin().await.unwrap();
    let name: String = tx.sql("select cast(current_database() as text)").scalar().await.unwrap();
    tx.sql_built(format!("alter database \"{name}\" set default_transaction_read_only = on")).run().await.unwrap();
    tx.commit().await.unwrap();
    // Like a standby: SQLSTATE 25006 for every write.
    let standby = Db::open(&world.url, Durability::Full).await.unwrap();
    assert!(not_ready_reason(&standby).await.contains("read-only"));
    let mut tx = standby.begin().await.unwrap();
    let refused = tx.sql("update activity_head set seq = seq").run().await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    drop(tx);
    standby.close().await;
}

#[tokio::test]
async fn blocked_database_is_not_ready_within_two_seconds() {
    let Some(world) = World::postgres().await else { return };
    let mut held = world.db.begin().await.unwrap();
    held.sql("lock table _sqlx_migrations in access exclusive mode").run().await.unwrap();
    assert!(not_ready_reason(&world.db).await.contains("no answer within"));
    drop(held);
}

#[tokio::test]
async fn locked_sqlite_file_is_not_ready() {
    let world = World::sqlite().await;
    // Another connection holds the write lock.
    let other = Db::open(&world.url, Durability::Full).await.unwrap();
    let mut held = other.begin().await.unwrap();
    held.sql("update users set first_name = first_name").run().await.unwrap();
    not_ready_reason(&world.db).await;
    drop(held);
    other.close().await;
}
