//! Migrations are atomic, concurrent-safe and refuse foreign schemas.

use crate::{backups::migrate_back, support::spvctl};
use domain::kernel::db::{Db, Durability, Sql};
use domain::testing::World;

/// A database in which the first migration fails midway, because one of its tables exists already.
async fn conflicting_database(url: &str) -> Db {
    let db = Db::open(url, Durability::Full).await.unwrap();
    let mut tx = db.begin().await.unwrap();
    tx.sql("create table isos (note text)").run().await.unwrap();
    // Marks it as a portal's database; others are refused before migrating.
    let migrations = "create table _sqlx_migrations (version bigint primary key, description text not null, \
                      installed_on timestamp not null default current_timestamp, success boolean not null, \
                      checksum bytea not null, execution_time bigint not null)";
    tx.sql(migrations).run().await.unwrap();
    tx.commit().await.unwrap();
    db
}

async fn a_failed_migration_leaves_the_old_schema(url: &str) {
    let mut db = conflicting_database(url).await;
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let output = spvctl(args).env("SPV_DATA_DIR", dir.path()).env("SPV_DATABASE_URL", url).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run(&["migrate"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the schema is as it was"), "{said}");
    let companies: domain::Result<i64> = db.sql("select count(*) from companies").scalar().await;
    assert!(companies.is_err(), "the table made before the failure is gone again");
    assert!(!db.is_migrated().await.unwrap());
    assert_eq!(run(&["migrate", "--check"]).0, Some(1));
    let (code, _) = run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(code, Some(3), "nothing is served on half a schema");
    let mut tx = db.begin().await.unwrap();
    tx.sql("drop table isos").run().await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(run(&["migrate"]).0, Some(0));
    assert_eq!(run(&["migrate", "--check"]).0, Some(0));
}

#[tokio::test]
async fn a_failed_migration_leaves_the_old_schema_on_sqlite() {
    let dir = tempfile::tempdir().unwrap();
    a_failed_migration_leaves_the_old_schema(&format!("sqlite:{}", dir.path().join("old.db").display())).await;
}

#[tokio::test]
async fn a_failed_migration_leaves_the_old_schema_on_postgres() {
    let Some(world) = World::postgres().await else { return };
    // Dropping all schemas gives the migrations an empty database.
    let mut tx = world.db.begin().await.unwrap();
    tx.sql("drop schema public cascade").run().await.unwrap();
    tx.sql("drop schema if exists apalis cascade").run().await.unwrap();
    tx.sql("create schema public").run().await.unwrap();
    tx.commit().await.unwrap();
    a_failed_migration_leaves_the_old_schema(&world.url).await;
}

#[tokio::test]
async fn concurrent_migrations_both_succeed() {
    let Some(world) = World::postgres().await else { return };
    let mut tx = world.db.begin().await.unwrap();
    for sql in ["drop schema public cascade", "drop schema apalis cascade", "create schema public"] {
        tx.sql(sql).run().await.unwrap();
    }
    tx.commit().await.unwrap();
    let other = world.db.clone();
    let both = async { tokio::join!(world.db.migrate(), other.migrate()) };
    let (one, two) =
        tokio::time::timeout(std::time::Duration::from_secs(60), both).await.expect("neither waits for the other");
    one.unwrap();
    two.unwrap();
    assert!(world.db.is_migrated().await.unwrap());
}

async fn worlds() -> Vec<World> {
    [Some(World::sqlite().await), World::postgres().await].into_iter().flatten().collect()
}

fn run(world: &World, args: &[&str]) -> (Option<i32>, String) {
    let output =
        spvctl(args).env("SPV_DATA_DIR", &world.dir.path).env("SPV_DATABASE_URL", &world.url).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[tokio::test]
async fn unreleased_schemas_are_refused_and_not_changed() {
    for world in worlds().await {
        let mut tx = world.db.begin().await.unwrap();
        tx.sql("update _sqlx_migrations set checksum = $1 where version = 1").bind(vec![0_u8]).run().await.unwrap();
        tx.commit().await.unwrap();
        for args in [&["client", "list"][..], &["migrate"], &["migrate", "--check"], &["worker"], &["serve"]] {
            let (code, said) = run(&world, args);
            assert_eq!(code, Some(1), "{args:?}: {said}");
            assert!(said.contains("was made before 0.1.0; make a new one"), "{args:?}: {said}");
        }
    }
}

#[tokio::test]
async fn older_database_is_refused_with_the_remedy() {
    for world in worlds().await {
        migrate_back(&world).await;
        for args in [&["client", "list"][..], &["worker"]] {
            let (code, said) = run(&world, args);
            assert_eq!(code, Some(1), "{args:?}: {said}");
            assert!(
                said.contains("older spvctl and lacks 1 of the migrations") && said.contains("spvctl migrate"),
                "{said}"
            );
        }
        assert_eq!(run(&world, &["migrate", "--check"]).0, Some(1));
        assert_eq!(run(&world, &["migrate"]).0, Some(0));
        assert_eq!(run(&world, &["client", "list"]).0, Some(0));
    }
}

#[tokio::test]
async fn older_binary_works_on_a_newer_schema() {
    for world in worlds().await {
        assert!(domain::operations::seed::demo(&world.operator()).await.unwrap());
        world.migrate_ahead().await;
        for args in [&["client", "list"][..], &["spv", "list"], &["migrate"], &["migrate", "--check"], &["job", "list"]]
        {
            let (code, said) = run(&world, args);
            assert_eq!(code, Some(0), "{args:?}: {said}");
        }
    }
}
