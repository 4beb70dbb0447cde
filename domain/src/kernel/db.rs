//! The portal's database: the crate `db` with the portal's migrations, and with what a transaction writes before its commit
//! (rollups) and signals after it (jobs, activity).
//!
//! [`Db`], [`Tx`], [`Sql`] and [`Query`] are those of `db` with this crate's [`Error`].
mod inspect;
mod rollup_deltas;

pub use ::db::{
    AssertSqlSafe, ColumnKind, ColumnSpec, ConnectionLimit, Dialect, Durability, Json, Nested, PerDialect, PoolSizes,
    QueuePool, Record, Row, ScopedBoxFuture, ScopedFutureExt, SqlSafeStr, TxConnection, Value, const_concat, contains,
    counter_shard, elapsed_seconds, for_update, in_id_list, insert, json_row, nested_row, nested_subquery,
    placeholders, row, select_nested, select_rows, timestamps, unindexed,
};
pub use inspect::{Existing, inspect, sqlite_file};
pub use rollup_deltas::{Counter, Metric};
pub(crate) use rollup_deltas::{FigureKey, NO_PARTNER, Period, RollupDeltas, RollupKey, Sums};

::db::column_type! { Plain: Metric }

use crate::kernel::{
    error::{Error, Result},
    health_check::HealthCheck,
};
use ::db::{Sql as _, UnitOfWork};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sqlx::{
    migrate::{Migration, Migrator},
    postgres::PgListener,
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::sync::watch;

pub(crate) static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
pub(crate) static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");

/// Timeout of the readiness check, below the two seconds that load balancers wait, and how long its outcome is believed.
const READY_TIMEOUT: Duration = Duration::from_millis(1_500);
const READY_TTL: Duration = Duration::from_millis(500);

/// How the schema of a database compares with this program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// No migration was ever applied.
    Empty,
    /// Some migrations of this program are pending.
    Outdated,
    /// Every migration of this program was applied. A newer program may have applied more: they only add.
    Usable,
    /// Made before 0.1.0, by migrations that were never released.
    Unreleased,
}

/// A handle to the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    db: ::db::Db,
    signals: Arc<Signals>,
}

/// Signals of this process's commits: queued jobs, activity to number.
#[derive(Debug)]
struct Signals {
    jobs: watch::Sender<u64>,
    activity: watch::Sender<u64>,
    ready: HealthCheck,
    /// The texts of reads since [`Db::keep_reads`], for a look at their plans.
    #[cfg(feature = "testing")]
    reads: std::sync::Mutex<Option<BTreeSet<String>>>,
}

impl Signals {
    fn committed(&self, jobs: bool, events: i64) {
        if jobs {
            self.jobs.send_modify(|n| *n += 1);
        }
        if events > 0 {
            self.activity.send_modify(|n| *n += 1);
        }
    }
}

/// An open transaction; rolls back when dropped without a commit.
#[derive(Debug)]
pub struct Tx {
    tx: ::db::Tx,
    signals: Arc<Signals>,
    jobs: bool,
    events: i64,
    rollup_deltas: RollupDeltas,
}

/// One moment of the whole database ([`::db::Snapshot`]).
#[derive(Debug)]
pub(crate) struct Snapshot(::db::Snapshot);

/// Anything SQL can be run on: a [`Db`] or a [`Tx`].
pub trait Sql: Send {
    fn dialect(&self) -> Dialect;

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_>;

    /// SQL that is built at run time, from constants only: values are always bound.
    fn sql_built(&mut self, text: String) -> Query<'_> {
        self.sql(AssertSqlSafe(text))
    }
}

/// A statement with its bound values ([`::db::Query`]).
pub type Query<'c> = ::db::Query<'c, Error>;

impl Sql for Db {
    fn dialect(&self) -> Dialect {
        self.db.dialect()
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let text = text.into_sql_str();
        #[cfg(feature = "testing")]
        if let Ok(mut reads) = self.signals.reads.lock()
            && let Some(reads) = reads.as_mut()
        {
            reads.insert(text.as_str().to_owned());
        }
        self.db.sql(text).with_error()
    }
}

impl Sql for Tx {
    fn dialect(&self) -> Dialect {
        self.tx.dialect()
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        self.tx.sql(text).with_error()
    }
}

impl Sql for Snapshot {
    fn dialect(&self) -> Dialect {
        self.0.dialect()
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        self.0.sql(text).with_error()
    }
}

impl Db {
    /// Opens `sqlite:path` or `postgres://…`; [`Db::migrate`] makes the schema.
    ///
    /// # Errors
    /// Unavailable when the server or file cannot be reached, Internal when the address makes no sense.
    pub async fn open(url: &str, durability: Durability) -> Result<Self> {
        Self::open_with(url, durability, PoolSizes::default()).await
    }

    /// [`Db::open`] with connection pools of these sizes, which SQLite has no use for.
    ///
    /// # Errors
    /// As [`Db::open`].
    pub async fn open_with(url: &str, durability: Durability, sizes: PoolSizes) -> Result<Self> {
        let signals = Signals {
            jobs: watch::channel(0).0,
            activity: watch::channel(0).0,
            ready: HealthCheck::new(READY_TTL, READY_TIMEOUT),
            #[cfg(feature = "testing")]
            reads: std::sync::Mutex::default(),
        };
        Ok(Self { db: ::db::Db::open(url, durability, sizes).await?, signals: Arc::new(signals) })
    }

    /// The same database for jobs and other long work ([`::db::Db::background`]).
    #[must_use]
    pub fn background(&self) -> Self {
        Self { db: self.db.background(), signals: self.signals.clone() }
    }

    /// Brings the schema up to date, all of it or nothing: one transaction holds every pending migration.
    ///
    /// # Errors
    /// Internal, naming the migration, when one fails; the old schema stays.
    pub async fn migrate(&self) -> Result<()> {
        Ok(self.db.migrate(|tx| migrate(tx, |_| true).scope_boxed()).await?)
    }

    /// The versions of the migrations that were applied.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached; Internal where none was ever applied.
    pub(crate) async fn migrations(db: &mut impl Sql) -> Result<BTreeSet<i64>> {
        let found: Vec<(i64,)> = db.sql("select version from _sqlx_migrations").all().await?;
        Ok(found.into_iter().map(|(version,)| version).collect())
    }

    /// The versions of the migrations that this program knows; both databases have the same.
    pub(crate) fn known_migrations() -> BTreeSet<i64> {
        SQLITE.iter().map(|migration| migration.version).collect()
    }

    /// True when every migration of this program has been applied, and none that it does not know.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn is_migrated(&self) -> Result<bool> {
        self.schema_is(|found, known| found == known).await
    }

    /// True when every migration of this program has been applied, perhaps more: a newer program has migrated, and each
    /// migration lets the version before it go on.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached, or its file is not where it was opened.
    pub async fn is_usable(&self) -> Result<bool> {
        self.db.verify_not_replaced()?;
        self.schema_is(|found, known| found.is_superset(known)).await
    }

    /// Whether the database can be used and takes writes: a standby and a full disk do not. Answers within two seconds,
    /// from an outcome of a moment ago where there is one.
    ///
    /// # Errors
    /// Unavailable, saying why.
    pub async fn check_ready(&self) -> Result<()> {
        let this = self.clone();
        self.signals.ready.outcome(async move { this.takes_writes().await.map_err(|e| e.to_string()) }).await
    }

    async fn takes_writes(&self) -> Result<()> {
        if !self.is_usable().await? {
            let why = "the schema is not the one of this version: run `spvctl migrate`";
            return Err(Error::Unavailable(why.to_owned()));
        }
        match self.dialect() {
            Dialect::Sqlite => {
                // Changes nothing and is written all the same: a page and a commit, as of any other write.
                self.transaction(|tx| {
                    async move { tx.sql("pragma user_version = 0").run().await.map(drop) }.scope_boxed()
                })
                .await
            }
            Dialect::Postgres => {
                let sql = "select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'";
                let read_only: bool = self.clone().sql(sql).scalar().await?;
                if !read_only {
                    return Ok(());
                }
                // Another server may have taken over its address.
                self.db.discard_idle_connections();
                Err(Error::Unavailable("the database is a standby or read-only".to_owned()))
            }
        }
    }

    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn schema_state(&self) -> Result<SchemaState> {
        let applied: Result<Vec<(i64, Vec<u8>)>> =
            self.clone().sql("select version, checksum from _sqlx_migrations").all().await;
        let applied = match applied {
            Ok(applied) => applied,
            Err(e @ Error::Unavailable(_)) => return Err(e),
            Err(_) => return Ok(SchemaState::Empty),
        };
        let all = match self.dialect() {
            Dialect::Sqlite => &SQLITE,
            Dialect::Postgres => &POSTGRES,
        };
        let checksum =
            |wanted: i64| applied.iter().find(|(version, _)| *version == wanted).map(|(_, sum)| sum.as_slice());
        let is_applied = |migration: &Migration| checksum(migration.version) == Some(&*migration.checksum);
        let changed = |migration: &Migration| checksum(migration.version).is_some() && !is_applied(migration);
        Ok(match all.iter().next() {
            _ if applied.is_empty() => SchemaState::Empty,
            Some(baseline) if changed(baseline) => SchemaState::Unreleased,
            _ if all.iter().all(is_applied) => SchemaState::Usable,
            _ => SchemaState::Outdated,
        })
    }

    /// How many migrations of this program are pending.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn pending_migrations(&self) -> Result<usize> {
        match Self::migrations(&mut self.clone()).await {
            Ok(found) => Ok(Self::known_migrations().difference(&found).count()),
            Err(e @ Error::Unavailable(_)) => Err(e),
            Err(_) => Ok(Self::known_migrations().len()),
        }
    }

    async fn schema_is(&self, good: impl FnOnce(&BTreeSet<i64>, &BTreeSet<i64>) -> bool) -> Result<bool> {
        match Self::migrations(&mut self.clone()).await {
            Ok(found) => Ok(good(&found, &Self::known_migrations())),
            Err(e @ Error::Unavailable(_)) => Err(e),
            Err(_) => Ok(false),
        }
    }

    /// True when no migration was ever applied: a new database.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.schema_state().await? == SchemaState::Empty)
    }

    /// Runs `work` in a transaction, which is committed when `work` returns `Ok` and rolled back when it returns `Err` or is
    /// dropped. `work` may run more than once ([`::db::Db::transaction`]), so it has no effect but through its [`Tx`].
    ///
    /// # Errors
    /// What `work` returns; Unavailable or Internal when the database refuses, and nothing is kept then.
    pub async fn transaction<'a, T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'a,
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<T>> + Send + Sync + 'a,
    {
        self.db.transaction_as(|tx| Tx::new(tx, &self.signals), work).await
    }

    /// Starts a transaction that is not repeated, for restoring and moving a portal ([`::db::Db::begin_bulk`]).
    ///
    /// # Errors
    /// Unavailable when on SQLite other writers take too long.
    pub(crate) async fn begin_bulk(&self) -> Result<Tx> {
        Ok(Tx::new(self.db.begin_bulk().await?, &self.signals))
    }

    /// Starts a transaction that a test holds open.
    ///
    /// # Errors
    /// Unavailable when on SQLite other writers take too long.
    #[cfg(feature = "testing")]
    pub async fn begin(&self) -> Result<Tx> {
        self.begin_bulk().await
    }

    /// Wakes at every commit of this process that queued a job.
    pub fn jobs_signal(&self) -> watch::Receiver<u64> {
        self.signals.jobs.subscribe()
    }

    /// Wakes at every commit of this process that wrote activity.
    pub fn activity_signal(&self) -> watch::Receiver<u64> {
        self.signals.activity.subscribe()
    }

    /// Listens for what other processes announce on `channel`; none on SQLite, which is polled instead.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn listen(&self, channel: &str) -> Result<Option<PgListener>> {
        Ok(self.db.listen(channel).await?)
    }

    /// The pool apalis works on.
    pub(crate) fn queue_pool(&self) -> QueuePool {
        self.db.queue_pool()
    }

    /// Whether SQLite's file is the one that was opened.
    ///
    /// # Errors
    /// Unavailable.
    pub(crate) fn verify_not_replaced(&self) -> Result<()> {
        Ok(self.db.verify_not_replaced()?)
    }

    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot> {
        Ok(Snapshot(self.db.snapshot().await?))
    }

    /// Gives SQLite's writer memory for bulk loads, and takes it away again.
    ///
    /// # Errors
    /// Unavailable while others write for long.
    pub(crate) async fn set_bulk_cache(&self, bulk: bool) -> Result<()> {
        Ok(self.db.set_bulk_cache(bulk).await?)
    }

    /// Connections that the server allows; none on SQLite.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn connection_limit(&self) -> Result<Option<ConnectionLimit>> {
        Ok(self.db.connection_limit().await?)
    }

    /// How many wait for another transaction: on SQLite for their turn, on PostgreSQL for a lock.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    #[cfg(feature = "testing")]
    pub async fn waiting(&self) -> Result<usize> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(self.db.waiting_writers());
        }
        let sql =
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        let found: i64 = self.clone().sql(sql).scalar().await?;
        usize::try_from(found).map_err(Error::internal)
    }

    /// Begins to keep the text of every read; [`Db::reads`] gives them.
    #[cfg(feature = "testing")]
    pub fn keep_reads(&self) {
        *self.signals.reads.lock().expect("no reader panics") = Some(BTreeSet::new());
    }

    /// Ends what [`Db::keep_reads`] began.
    #[cfg(feature = "testing")]
    pub fn reads(&self) -> Vec<String> {
        self.signals.reads.lock().expect("no reader panics").take().into_iter().flatten().collect()
    }

    pub async fn close(&self) {
        self.db.close().await;
    }
}

impl UnitOfWork for Tx {
    type Error = Error;

    fn tx(&mut self) -> &mut ::db::Tx {
        &mut self.tx
    }

    async fn before_commit(&mut self) -> Result<()> {
        rollup_deltas::write(self).await
    }

    fn after_commit(self) {
        self.signals.committed(self.jobs, self.events);
    }
}

impl Tx {
    fn new(tx: ::db::Tx, signals: &Arc<Signals>) -> Self {
        Self { tx, signals: signals.clone(), jobs: false, events: 0, rollup_deltas: RollupDeltas::default() }
    }

    /// Commits a transaction of [`Db::begin_bulk`].
    ///
    /// # Errors
    /// Unavailable or Internal when the database refuses; nothing is kept then.
    pub async fn commit(mut self) -> Result<()> {
        self.before_commit().await?;
        let Self { tx, signals, jobs, events, .. } = self;
        tx.commit().await?;
        signals.committed(jobs, events);
        Ok(())
    }

    /// Applies those of the wanted migrations that were not applied yet, and the queue's.
    ///
    /// # Errors
    /// Internal, naming the migration, when one fails.
    pub(crate) async fn migrate(&mut self, wanted: impl Fn(i64) -> bool + Send) -> Result<()> {
        Ok(migrate(&mut self.tx, wanted).await?)
    }

    /// The connection, for apalis ([`::db::Tx::connection`]).
    ///
    /// # Errors
    /// Internal after a statement that failed; Unavailable when the transaction cannot begin.
    pub(crate) async fn connection(&mut self) -> Result<TxConnection<'_>> {
        Ok(self.tx.connection().await?)
    }

    /// Takes the outcome of what ran on [`Tx::connection`].
    ///
    /// # Errors
    /// The outcome's.
    pub(crate) fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        Ok(self.tx.record_outcome(outcome)?)
    }

    /// Signals jobs once this transaction commits.
    pub(crate) fn has_jobs(&mut self) {
        self.jobs = true;
    }

    /// The rollup deltas that are written before this transaction commits.
    pub(crate) fn rollup_deltas(&mut self) -> &mut RollupDeltas {
        &mut self.rollup_deltas
    }

    /// The place of another row of activity in this transaction.
    pub(crate) fn next_event(&mut self) -> i64 {
        self.events += 1;
        self.events
    }

    /// Waits for the advisory lock on `name`, and holds it until the transaction ends ([`::db::Tx::advisory_lock`]).
    pub(crate) async fn advisory_lock(&mut self, name: String) -> Result<()> {
        Ok(self.tx.advisory_lock(name).await?)
    }

    /// Has PostgreSQL collect the planner's statistics, after bulk loads.
    pub(crate) async fn analyze(&mut self) -> Result<()> {
        Ok(self.tx.analyze().await?)
    }

    /// Announces on `channel` to other processes once this transaction commits; SQLite cannot.
    pub(crate) async fn notify(&mut self, channel: &'static str) -> Result<()> {
        Ok(self.tx.notify(channel).await?)
    }

    /// Calls `each` with the first column of every row, as they come.
    pub(crate) async fn for_each_line(&mut self, text: String, each: impl FnMut(&str) + Send) -> Result<()> {
        Ok(self.tx.for_each_line(text, each).await?)
    }
}

impl Snapshot {
    /// Ends it and closes its connection.
    pub async fn close(self) {
        self.0.close().await;
    }

    /// The first column of every row, as they come.
    pub fn lines(&mut self, text: String) -> BoxStream<'_, Result<String>> {
        self.0.lines(text).map_err(Error::from).boxed()
    }
}

/// The portal's wanted migrations and the queue's. The queue's table gets an index of ours: nearly all of its jobs are done,
/// and lists want the others.
async fn migrate(tx: &mut ::db::Tx, wanted: impl Fn(i64) -> bool + Send) -> ::db::Result<()> {
    let all = match tx.dialect() {
        Dialect::Sqlite => &SQLITE,
        Dialect::Postgres => &POSTGRES,
    };
    let migrations = all.iter().filter(|migration| wanted(migration.version)).cloned().collect();
    tx.migrate(Migrator::with_migrations(migrations)).await?;
    let statements = match tx.dialect() {
        Dialect::Sqlite => {
            // Not apalis' own set-up: that lowers `synchronous` on the writer's connection and shares our migration table.
            let mut apalis = apalis_sqlite::SqliteStorage::migrations();
            apalis.dangerous_set_table_name("_apalis_migrations");
            tx.migrate(apalis).await?;
            &[
                // With this index SQLite's planner walks every job a worker ever did, for every batch.
                "drop index if exists LIdx",
                "create index if not exists jobs_not_done on Jobs (id) where status <> 'Done'",
                // By statistics, SQLite would answer in each office in another way than in the tests, and where one company
                // has all orders sort them for every page. Earlier versions took some. The connection forgets them, too.
                "drop table if exists sqlite_stat1",
                "drop table if exists sqlite_stat4",
                "pragma writable_schema = reset",
            ][..]
        }
        Dialect::Postgres => {
            tx.migrate(apalis_postgres::PostgresStorage::migrations()).await?;
            // Not `if not exists`, which waits for every transaction that has a job.
            &["do $$ begin \
                 if to_regclass('apalis.jobs_not_done') is null then \
                 create index jobs_not_done on apalis.jobs (id) where status <> 'Done'; \
                 end if; end $$"]
        }
    };
    for statement in statements {
        tx.sql(*statement).run().await?;
    }
    Ok(())
}
