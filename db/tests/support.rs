//! Test databases.
use db::{Db, Durability, PoolSizes, Sql};
use std::sync::atomic::{AtomicU32, Ordering};

/// Small pools that a test can exhaust: three connections for requests, one for background work.
pub const SIZES: PoolSizes = PoolSizes { main: 4, queue: 4 };
pub const REQUESTS: usize = 3;

pub struct TestDb {
    pub db: Db,
    pub url: String,
    /// On PostgreSQL; empty on SQLite.
    pub name: String,
    _dir: tempfile::TempDir,
}

/// Runs `test` on both databases.
pub async fn on_both<F: Future<Output = ()>>(test: impl Fn(TestDb) -> F) {
    test(TestDb::sqlite().await).await;
    if let Some(fresh) = TestDb::postgres().await {
        test(fresh).await;
    }
}

/// The URL of the PostgreSQL server; required in CI.
pub fn server() -> Option<String> {
    let found = std::env::var("TEST_POSTGRES_URL").ok();
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "CI needs TEST_POSTGRES_URL");
    found
}

impl TestDb {
    pub async fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("test.db").display());
        let db = Db::open(&url, Durability::Normal, SIZES).await.unwrap();
        Self { db, url, name: String::new(), _dir: dir }
    }

    pub async fn postgres() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = server()?;
        let name = format!("db_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let admin = Db::open(&server, Durability::Full, SIZES).await.unwrap();
        for sql in [format!("drop database if exists {name} with (force)"), format!("create database {name}")] {
            admin.clone().sql_built(sql).run().await.unwrap();
        }
        admin.close().await;
        let url = format!("{}/{name}", server.rsplit_once('/').unwrap().0);
        let db = Db::open(&url, Durability::Full, SIZES).await.unwrap();
        Some(Self { db, url, name, _dir: tempfile::tempdir().unwrap() })
    }

    pub async fn run(&self, sql: &str) {
        let sql = sql.to_owned();
        let mut tx = self.db.begin_bulk().await.unwrap();
        tx.sql_built(sql).run().await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Creates the table `t` with the keys `ids`.
    pub async fn create_table(&self, ids: &[i64]) {
        self.run("create table t (id bigint primary key, n bigint not null default 0)").await;
        for id in ids {
            self.run(&format!("insert into t (id) values ({id})")).await;
        }
    }

    pub async fn ids(&self) -> Vec<i64> {
        let found: Vec<(i64,)> = self.db.clone().sql("select id from t order by id").all().await.unwrap();
        found.into_iter().map(|(id,)| id).collect()
    }

    /// Client connections to this database.
    pub async fn backends(&self) -> i64 {
        let sql = "select count(*) from pg_stat_activity where datname = $1 and backend_type = 'client backend'";
        let admin = Db::open(&server().unwrap(), Durability::Full, SIZES).await.unwrap();
        let found = admin.clone().sql(sql).bind(self.name.clone()).scalar().await.unwrap();
        admin.close().await;
        found
    }
}
