//! One API over SQLite and PostgreSQL: connection pools, transactions, statements and rows.
//!
//! SQL is written once, with `$1` placeholders, and runs on both. Reads go through [`Db`], writes through the [`Tx`] of a
//! [`Db::transaction`]; a function that takes `&mut impl Sql` works in either. Where the [`Dialect`]s differ, a function
//! returns the SQL fragment. The contract (isolation, durability, cancellation, timeouts, poolers, failover) is in the
//! crate's README.
#![warn(missing_docs)]

mod dialect;
mod error;
mod migrate;
mod pool;
mod postgres;
mod query;
mod row;
mod row_decode;
mod snapshot;
mod sqlite;

pub use dialect::{
    ColumnKind, ColumnSpec, Dialect, PerDialect, contains, counter_shard, elapsed_seconds, for_update, in_id_list,
    json_row, nested_row, nested_subquery, placeholders, select_nested, select_rows, unindexed,
};
pub use error::{Error, Result, causes};
pub use postgres::{ConnectionLimit, PoolSizes};
pub use query::{Query, Record, Scalar, Sql, Value};
pub use row::{ColumnType, NoColumns, Row, concat_bytes, concat_length, count_some, flatten, insert_sql};
pub use row_decode::{Nested, timestamps};
pub use scoped_futures::{ScopedBoxFuture, ScopedFutureExt};
pub use snapshot::Snapshot;
pub use sqlx::{AssertSqlSafe, PgPool, SqlSafeStr, SqlitePool, types::Json};

use postgres::{PgTransaction, Postgres};
use sqlite::{Sqlite, WriteSlot};
use sqlx::{PgConnection, SqliteConnection, postgres::PgListener};
use std::time::Duration;

/// Retries of a transaction after a serialization failure or deadlock.
const MAX_RETRIES: u32 = 3;
/// Delay before the first retry; doubles with each.
const RETRY_BACKOFF: Duration = Duration::from_millis(10);

/// SQLite's `synchronous` setting. On PostgreSQL the server decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Each commit is synced to disk before it is acknowledged.
    #[default]
    Full,
    /// A power failure may lose the last commits, but does not corrupt the database.
    Normal,
}

/// A handle to the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    pools: Pools,
    /// Use the timeouts of background work.
    background: bool,
}

#[derive(Clone, Debug)]
enum Pools {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// An open transaction; rolls back when dropped without a commit.
#[derive(Debug)]
pub struct Tx {
    dialect: Dialect,
    /// None once it has ended.
    backend: Option<TxBackend>,
}

#[derive(Debug)]
enum TxBackend {
    Sqlite(WriteSlot),
    Postgres(PgTransaction),
}

/// sqlx's own pool, for a job queue that needs one.
#[derive(Clone, Debug)]
pub enum QueuePool {
    /// SQLite.
    Sqlite(SqlitePool),
    /// PostgreSQL.
    Postgres(PgPool),
}

/// The connection of a [`Tx`], for statements of another library.
#[derive(Debug)]
pub enum TxConnection<'t> {
    /// SQLite.
    Sqlite(&'t mut SqliteConnection),
    /// PostgreSQL.
    Postgres(&'t mut PgConnection),
}

/// The argument of a transaction's closure: a [`Tx`], or the caller's own type that owns one.
pub trait UnitOfWork: Send + Sized {
    /// The closure's error.
    type Error: From<Error> + Send;

    /// The transaction within.
    fn tx(&mut self) -> &mut Tx;

    /// Runs after the closure, before the commit. An error rolls back.
    fn before_commit(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs after the commit.
    fn after_commit(self) {}
}

impl UnitOfWork for Tx {
    type Error = Error;

    fn tx(&mut self) -> &mut Tx {
        self
    }
}

impl Db {
    /// Opens `sqlite:path` or `postgres://…`. Does not touch the schema; see [`Db::migrate`]. `durability` is for SQLite,
    /// `sizes` are for PostgreSQL.
    ///
    /// # Errors
    /// Unavailable when the server or file cannot be reached, and behind a connection pooler in transaction mode; Other
    /// for an invalid URL.
    pub async fn open(url: &str, durability: Durability, sizes: PoolSizes) -> Result<Self> {
        let pools = if url.starts_with("postgres") {
            Pools::Postgres(Postgres::open(url, sizes).await?)
        } else {
            Pools::Sqlite(Sqlite::open(url, durability).await?)
        };
        Ok(Self { pools, background: false })
    }

    /// A handle for jobs, migrations and other long work: with longer timeouts, and on PostgreSQL with a pool of its own.
    #[must_use]
    pub fn background(&self) -> Self {
        Self { background: true, ..self.clone() }
    }

    /// Runs `work` in a transaction: commits on `Ok`, rolls back on `Err` and when dropped. Retries it up to three times
    /// after a serialization failure or deadlock on PostgreSQL (40001, 40P01); so `work` must have no effect but through
    /// its [`Tx`].
    ///
    /// # Errors
    /// As `work`, and as the database; nothing is saved then.
    pub async fn transaction<'a, T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'a,
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<T>> + Send + Sync + 'a,
    {
        self.transaction_as(|tx| tx, work).await
    }

    /// [`Db::transaction`] on a [`UnitOfWork`], which `new` creates from the [`Tx`] of each attempt.
    ///
    /// # Errors
    /// As [`Db::transaction`].
    pub async fn transaction_as<'a, U, T, F>(&self, new: impl Fn(Tx) -> U + Send + Sync, work: F) -> Result<T, U::Error>
    where
        U: UnitOfWork,
        T: Send + 'a,
        F: for<'t> Fn(&'t mut U) -> ScopedBoxFuture<'a, 't, Result<T, U::Error>> + Send + Sync + 'a,
    {
        let mut retries = 0;
        loop {
            let mut unit = new(self.begin_bulk().await?);
            let outcome = match work(&mut unit).await {
                Ok(value) => commit(&mut unit).await.map(|()| value),
                error => error,
            };
            let error = match outcome {
                Ok(value) => {
                    unit.after_commit();
                    return Ok(value);
                }
                Err(error) => error,
            };
            let retry = unit.tx().has_serialization_failure() && retries < MAX_RETRIES;
            unit.tx().rollback().await;
            if !retry {
                return Err(error);
            }
            tokio::time::sleep(RETRY_BACKOFF * 2_u32.pow(retries)).await;
            retries += 1;
        }
    }

    /// Begins a transaction without retries, for bulk loads that have effects outside the database before the commit
    /// (restoring a backup) or are committed by a later step (moving to another database). The first statement begins it on
    /// the database. For everything else use [`Db::transaction`].
    ///
    /// # Errors
    /// Unavailable when other transactions on SQLite take too long.
    pub async fn begin_bulk(&self) -> Result<Tx> {
        let backend = match &self.pools {
            Pools::Sqlite(sqlite) => TxBackend::Sqlite(sqlite.write.begin().await?),
            Pools::Postgres(postgres) => TxBackend::Postgres(PgTransaction::new(postgres.pool(self.background))),
        };
        Ok(Tx { dialect: self.dialect(), backend: Some(backend) })
    }

    /// Checks that SQLite's file is still the one that was opened: a new connection would open another.
    ///
    /// # Errors
    /// Unavailable when the file was moved, replaced or deleted.
    pub fn verify_not_replaced(&self) -> Result<()> {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.write.file.verify_not_replaced(),
            Pools::Postgres(_) => Ok(()),
        }
    }

    /// Closes idle connections to PostgreSQL: after a failover they may still lead to a standby.
    pub fn discard_idle_connections(&self) {
        if let Pools::Postgres(postgres) = &self.pools {
            postgres.requests.discard_idle();
            postgres.background.discard_idle();
        }
    }

    /// Enlarges the page cache of SQLite's writer for bulk loads, or resets it.
    ///
    /// # Errors
    /// Unavailable when other transactions take too long.
    pub async fn set_bulk_cache(&self, bulk: bool) -> Result<()> {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.set_bulk_cache(bulk).await,
            Pools::Postgres(_) => Ok(()),
        }
    }

    /// Listens for notifications on `channel`; `None` on SQLite, which has to be polled.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn listen(&self, channel: &str) -> Result<Option<PgListener>> {
        match &self.pools {
            Pools::Sqlite(_) => Ok(None),
            Pools::Postgres(postgres) => {
                let mut listener = PgListener::connect_with(&postgres.queue).await?;
                listener.listen(channel).await?;
                Ok(Some(listener))
            }
        }
    }

    /// The pool of the job queue.
    pub fn queue_pool(&self) -> QueuePool {
        match &self.pools {
            Pools::Sqlite(sqlite) => QueuePool::Sqlite(sqlite.queue.clone()),
            Pools::Postgres(postgres) => QueuePool::Postgres(postgres.queue.clone()),
        }
    }

    /// Transactions that wait for SQLite's write slot; 0 on PostgreSQL, where `pg_stat_activity` shows them.
    #[cfg(feature = "testing")]
    pub fn waiting_writers(&self) -> usize {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.write.waiting(),
            Pools::Postgres(_) => 0,
        }
    }

    /// Open connections of this handle's pool.
    #[cfg(feature = "testing")]
    pub fn open_connections(&self) -> usize {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.read.size(),
            Pools::Postgres(postgres) => postgres.pool(self.background).size(),
        }
    }

    /// Closes all connections as they become free. All handles return Unavailable from then on.
    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.close().await,
            Pools::Postgres(postgres) => postgres.close().await,
        }
    }
}

async fn commit<U: UnitOfWork>(unit: &mut U) -> Result<(), U::Error> {
    unit.before_commit().await?;
    Ok(unit.tx().finish().await?)
}

impl Tx {
    /// Commits. Needed also after reads: on SQLite they may have seen an earlier transaction of the group, which is not yet
    /// on disk.
    ///
    /// # Errors
    /// As the database; nothing is saved then.
    pub async fn commit(mut self) -> Result<()> {
        self.finish().await
    }

    async fn finish(&mut self) -> Result<()> {
        // PostgreSQL's stays in place: a failed commit may be a serialization failure.
        if let Some(TxBackend::Postgres(transaction)) = &mut self.backend {
            return transaction.commit().await;
        }
        match self.backend.take() {
            Some(TxBackend::Sqlite(slot)) => slot.commit().await,
            _ => Err(transaction_ended()),
        }
    }

    async fn rollback(&mut self) {
        // SQLite's is rolled back when dropped, before it frees the write slot.
        if let Some(TxBackend::Postgres(transaction)) = self.backend.take() {
            transaction.rollback().await;
        }
    }

    fn has_serialization_failure(&self) -> bool {
        matches!(&self.backend, Some(TxBackend::Postgres(transaction)) if transaction.serialization_failure)
    }

    /// The connection, for one statement of another library. Its outcome must go to [`Tx::record_outcome`]; until then the
    /// transaction counts as failed.
    ///
    /// # Errors
    /// Other after a failed statement; Unavailable when the transaction cannot begin.
    pub async fn connection(&mut self) -> Result<TxConnection<'_>> {
        match self.backend.as_mut().ok_or_else(transaction_ended)? {
            TxBackend::Sqlite(slot) => slot.connection().await.map(TxConnection::Sqlite),
            TxBackend::Postgres(transaction) => transaction.connection().await.map(TxConnection::Postgres),
        }
    }

    /// Records the outcome of a statement on [`Tx::connection`], and returns it.
    ///
    /// # Errors
    /// As the outcome.
    pub fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        match self.backend.as_mut().ok_or_else(transaction_ended)? {
            TxBackend::Sqlite(slot) => slot.record_outcome(outcome),
            TxBackend::Postgres(transaction) => transaction.record_outcome(outcome),
        }
    }

    /// Waits for PostgreSQL's advisory lock on `name`, and holds it until the transaction ends. SQLite needs none: it has
    /// one writer at a time.
    ///
    /// # Errors
    /// LockTimeout.
    pub async fn advisory_lock(&mut self, name: String) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("select pg_advisory_xact_lock(hashtextextended($1, 0))").bind(name).run().await?;
        }
        Ok(())
    }

    /// Updates PostgreSQL's planner statistics after a bulk load: autovacuum would do so a minute later.
    ///
    /// # Errors
    /// As the database.
    pub async fn analyze(&mut self) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("analyze").run().await?;
        }
        Ok(())
    }

    /// Notifies PostgreSQL's listeners on `channel` when this transaction commits. Does nothing on SQLite.
    ///
    /// # Errors
    /// As the database.
    pub async fn notify(&mut self, channel: &'static str) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("select pg_notify($1, '')").bind(channel).run().await?;
        }
        Ok(())
    }
}

fn transaction_ended() -> Error {
    Error::other("the transaction has ended")
}
