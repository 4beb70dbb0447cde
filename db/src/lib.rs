//! One API over SQLite and PostgreSQL: connections, transactions, statements and rows.
//!
//! SQL is written once, with `$1` placeholders, and runs on both. Reads go through [`Db`], writes through the [`Tx`] of a
//! [`Db::transaction`]; a function that takes `&mut impl Sql` works in either. Where the dialects must differ, the
//! difference is a function in [`dialect`](Dialect). The contract (isolation, durability, cancellation, timeouts, poolers,
//! failover) is in the crate's README.
mod dialect;
mod error;
mod migrate;
mod pool;
mod postgres;
mod query;
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
pub use row_decode::{Nested, timestamps};
pub use scoped_futures::{ScopedBoxFuture, ScopedFutureExt};
pub use snapshot::Snapshot;
pub use sqlx::{AssertSqlSafe, PgPool, SqlSafeStr, SqlitePool, types::Json};

use postgres::{PgTransaction, Postgres};
use sqlite::{Sqlite, WriteSlot};
use sqlx::{PgConnection, SqliteConnection, postgres::PgListener};
use std::time::Duration;

/// How often a transaction is repeated that PostgreSQL has rolled back in favour of another.
const MAX_RETRIES: u32 = 3;
/// Pause before the first repetition; each further one doubles it.
const RETRY_BACKOFF: Duration = Duration::from_millis(10);

/// How SQLite trades safety for speed. PostgreSQL's is its server's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Every commit is on the disk before it is acknowledged.
    #[default]
    Full,
    /// A power failure may lose the last commits, never the database.
    Normal,
}

/// A handle to the database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    pools: Pools,
    /// Takes the timeouts of background work.
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
    open: Option<TxBackend>,
}

#[derive(Debug)]
enum TxBackend {
    Sqlite(WriteSlot),
    Postgres(PgTransaction),
}

/// The pool of a job queue that works on sqlx's own.
#[derive(Clone, Debug)]
pub enum QueuePool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// The connection of a [`Tx`], for statements of another library.
#[derive(Debug)]
pub enum TxConnection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Postgres(&'t mut PgConnection),
}

/// What a transaction works with: a [`Tx`], or a type that owns one and adds to it.
pub trait UnitOfWork: Send + Sized {
    type Error: From<Error> + Send;

    fn tx(&mut self) -> &mut Tx;

    /// Runs after the work and before the commit.
    fn before_commit(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        async { Ok(()) }
    }

    /// Runs after the commit.
    fn committed(self) {}
}

impl UnitOfWork for Tx {
    type Error = Error;

    fn tx(&mut self) -> &mut Tx {
        self
    }
}

impl Db {
    /// Opens `sqlite:path` or `postgres://…`. The schema is [`Db::migrate`]'s business. `sizes` are PostgreSQL's pools.
    ///
    /// # Errors
    /// Unavailable when the server or file cannot be reached, and behind a pooler that shares connections between
    /// transactions; Other when the address makes no sense.
    pub async fn open(url: &str, durability: Durability, sizes: PoolSizes) -> Result<Self> {
        let pools = if url.starts_with("postgres") {
            Pools::Postgres(Postgres::open(url, sizes).await?)
        } else {
            Pools::Sqlite(Sqlite::open(url, durability).await?)
        };
        Ok(Self { pools, background: false })
    }

    /// The same database for jobs, migrations and other long work: longer timeouts, on PostgreSQL on connections of their
    /// own.
    #[must_use]
    pub fn background(&self) -> Self {
        Self { background: true, ..self.clone() }
    }

    /// Runs `work` in a transaction, which is committed when `work` returns `Ok` and rolled back when it returns `Err` or is
    /// dropped. `work` runs again, at most three times more, where PostgreSQL has rolled back in favour of another
    /// transaction (40001, 40P01); so it has no effect but through its [`Tx`].
    ///
    /// # Errors
    /// What `work` returns; what the database refuses, and nothing is kept then.
    pub async fn transaction<'a, T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'a,
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<T>> + Send + Sync + 'a,
    {
        self.transaction_as(|tx| tx, work).await
    }

    /// [`Db::transaction`] on a [`UnitOfWork`] of the caller's, which `new` makes around each [`Tx`].
    ///
    /// # Errors
    /// As [`Db::transaction`].
    pub async fn transaction_as<'a, U, T, F>(&self, new: impl Fn(Tx) -> U + Send + Sync, work: F) -> Result<T, U::Error>
    where
        U: UnitOfWork,
        T: Send + 'a,
        F: for<'t> Fn(&'t mut U) -> ScopedBoxFuture<'a, 't, Result<T, U::Error>> + Send + Sync + 'a,
    {
        let mut repeats = 0;
        loop {
            let mut unit = new(self.begin_tx().await?);
            let outcome = match work(&mut unit).await {
                Ok(done) => commit(&mut unit).await.map(|()| done),
                refused => refused,
            };
            let error = match outcome {
                Ok(done) => {
                    unit.committed();
                    return Ok(done);
                }
                Err(error) => error,
            };
            let again = unit.tx().has_serialization_failure() && repeats < MAX_RETRIES;
            unit.tx().rollback().await;
            if !again {
                return Err(error);
            }
            tokio::time::sleep(RETRY_BACKOFF * 2_u32.pow(repeats)).await;
            repeats += 1;
        }
    }

    async fn begin_tx(&self) -> Result<Tx> {
        let open = match &self.pools {
            Pools::Sqlite(sqlite) => TxBackend::Sqlite(sqlite.write.begin().await?),
            Pools::Postgres(postgres) => TxBackend::Postgres(PgTransaction::new(if self.background {
                &postgres.background
            } else {
                &postgres.requests
            })),
        };
        Ok(Tx { dialect: self.dialect(), open: Some(open) })
    }

    /// Starts a transaction that is not repeated, for bulk loads that have effects outside the database before the commit
    /// (restoring a backup) or are committed by a later step (moving to another database). Everything else is a
    /// [`Db::transaction`].
    ///
    /// # Errors
    /// Unavailable when on SQLite other writers take too long.
    pub async fn begin_bulk(&self) -> Result<Tx> {
        self.begin_tx().await
    }

    /// Starts a transaction that a test holds open. The database hears of it with its first statement.
    ///
    /// # Errors
    /// Unavailable when on SQLite other writers take too long.
    #[cfg(feature = "testing")]
    pub async fn begin(&self) -> Result<Tx> {
        self.begin_tx().await
    }

    /// Whether SQLite's file is the one that was opened: a connection that is opened now would have another one open.
    ///
    /// # Errors
    /// Unavailable.
    pub fn verify_not_replaced(&self) -> Result<()> {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.write.file.verify_not_replaced(),
            Pools::Postgres(_) => Ok(()),
        }
    }

    /// Closes idle connections to PostgreSQL, so that the next ones are new: after it turned out that they lead to a
    /// standby.
    pub fn discard_idle_connections(&self) {
        if let Pools::Postgres(postgres) = &self.pools {
            postgres.requests.discard_idle();
            postgres.background.discard_idle();
        }
    }

    /// Gives SQLite's writer memory for bulk loads, and takes it away again.
    ///
    /// # Errors
    /// Unavailable while others write for long.
    pub async fn set_bulk_cache(&self, bulk: bool) -> Result<()> {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.set_bulk_cache(bulk).await,
            Pools::Postgres(_) => Ok(()),
        }
    }

    /// Connections that the server allows; none on SQLite.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn connection_limit(&self) -> Result<Option<ConnectionLimit>> {
        match self.pools {
            Pools::Sqlite(_) => Ok(None),
            Pools::Postgres(_) => postgres::connection_limit(&mut self.clone()).await.map(Some),
        }
    }

    /// Listens for what other processes announce on `channel`; none on SQLite, which is polled instead.
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

    /// The pool that a job queue works on.
    pub fn queue_pool(&self) -> QueuePool {
        match &self.pools {
            Pools::Sqlite(sqlite) => QueuePool::Sqlite(sqlite.queue.clone()),
            Pools::Postgres(postgres) => QueuePool::Postgres(postgres.queue.clone()),
        }
    }

    /// SQLite's transactions that wait for their turn; none on PostgreSQL, which counts them itself.
    #[cfg(feature = "testing")]
    pub fn waiting_writers(&self) -> usize {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.write.waiting(),
            Pools::Postgres(_) => 0,
        }
    }

    /// Connections of the pool that this handle takes its own from.
    #[cfg(feature = "testing")]
    pub fn open_connections(&self) -> usize {
        match &self.pools {
            Pools::Sqlite(sqlite) => sqlite.read.size(),
            Pools::Postgres(postgres) if self.background => postgres.background.size(),
            Pools::Postgres(postgres) => postgres.requests.size(),
        }
    }

    /// Closes every connection once it is free. The handle is of no use afterwards.
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
    /// Commits. Also needed after reads whose result is answered: on SQLite they may be of another transaction of the same
    /// group, which is not on the disk yet.
    ///
    /// # Errors
    /// What the database refuses; nothing is kept then.
    pub async fn commit(mut self) -> Result<()> {
        self.finish().await
    }

    async fn finish(&mut self) -> Result<()> {
        // PostgreSQL's transaction stays: the caller reads from it whether the commit failed to serialize.
        match self.open.take() {
            None => Err(ended()),
            Some(TxBackend::Sqlite(slot)) => slot.commit().await,
            Some(TxBackend::Postgres(transaction)) => {
                let open = self.open.insert(TxBackend::Postgres(transaction));
                let TxBackend::Postgres(transaction) = open else { return Err(ended()) };
                transaction.commit().await
            }
        }
    }

    async fn rollback(&mut self) {
        match self.open.take() {
            None => {}
            Some(TxBackend::Sqlite(slot)) => slot.rollback().await,
            Some(TxBackend::Postgres(transaction)) => transaction.rollback().await,
        }
    }

    fn has_serialization_failure(&self) -> bool {
        matches!(&self.open, Some(TxBackend::Postgres(transaction)) if transaction.has_serialization_failure())
    }

    /// The connection, for a statement of another library; [`Tx::record_outcome`] takes its outcome. Until then the transaction
    /// counts as failed.
    ///
    /// # Errors
    /// Other after a statement that failed; Unavailable when the transaction cannot begin.
    pub async fn connection(&mut self) -> Result<TxConnection<'_>> {
        match self.open.as_mut().ok_or_else(ended)? {
            TxBackend::Sqlite(slot) => slot.connection().await.map(TxConnection::Sqlite),
            TxBackend::Postgres(transaction) => transaction.connection().await.map(TxConnection::Postgres),
        }
    }

    /// Takes the outcome of what ran on [`Tx::connection`].
    ///
    /// # Errors
    /// The outcome's.
    pub fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        match self.open.as_mut().ok_or_else(ended)? {
            TxBackend::Sqlite(slot) => slot.record_outcome(outcome),
            TxBackend::Postgres(transaction) => transaction.record_outcome(outcome),
        }
    }

    /// Waits for the lock on `name`, and holds it until the transaction ends. SQLite has one writer at a time anyway.
    ///
    /// # Errors
    /// LockTimeout.
    pub async fn advisory_lock(&mut self, name: String) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("select pg_advisory_xact_lock(hashtextextended($1, 0))").bind(name).run().await?;
        }
        Ok(())
    }

    /// Has PostgreSQL collect the planner's statistics, after bulk loads: by itself it does so a minute later.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn analyze(&mut self) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("analyze").run().await?;
        }
        Ok(())
    }

    /// Announces on `channel` to other processes once this transaction commits; SQLite cannot.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn notify(&mut self, channel: &'static str) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            self.sql("select pg_notify($1, '')").bind(channel).run().await?;
        }
        Ok(())
    }
}

fn ended() -> Error {
    Error::other("the transaction is over")
}
