//! SQLite: one writer with group commit, read-only readers, and the identity of the database file.
mod checkpoint;
mod file;
mod writer;

pub(crate) use writer::{GroupCommitWriter, WriteSlot};

use crate::{
    Durability,
    error::Result,
    pool::{Connector, Pool, PoolOptions},
};
use checkpoint::Checkpointer;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use file::DatabaseFile;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection as _, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Prepared statements per connection.
const STATEMENT_CACHE_CAPACITY: usize = 300;
/// How long a writer waits for another process: less than the timeout of a request.
const BUSY_TIMEOUT: Duration = Duration::from_secs(8);
const QUEUE_BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a checkpoint may hold up writers while it waits for readers and other processes.
const CHECKPOINT_BUSY_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a request waits for a reader.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// For reads of requests, as on PostgreSQL.
pub(crate) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Instructions of SQLite's virtual machine between two checks for an abandoned statement.
const PROGRESS_INTERVAL: i32 = 10_000;

/// `cache_size` in kilobytes (negative). The writer's holds the pages that a busy office changes often; a reader drops its
/// pages at every commit anyway.
const WRITER_CACHE: &str = "-16000";
const READER_CACHE: &str = "-2000";
/// The writer's during bulk loads: holds every index, so that a transaction writes no page twice.
const BULK_CACHE: &str = "-600000";

#[derive(Debug)]
pub(crate) struct SqliteConnector {
    options: SqliteConnectOptions,
    /// Whether abandoned statements are interrupted. Not on the writer: SQLite rolls back the transaction of an
    /// interrupted write, and with it the whole group.
    interruptible: bool,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub inner: SqliteConnection,
    /// Ends the running statement.
    interrupted: Arc<AtomicBool>,
}

impl managed::Manager for SqliteConnector {
    type Type = Connection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<Connection> {
        let mut inner = self.options.connect().await?;
        let interrupted = Arc::new(AtomicBool::new(false));
        if self.interruptible {
            let interrupted = interrupted.clone();
            let mut handle = inner.lock_handle().await?;
            handle.set_progress_handler(PROGRESS_INTERVAL, move || !interrupted.load(Ordering::Relaxed));
        }
        Ok(Connection { inner, interrupted })
    }

    /// A connection to a file does not break, so it needs no ping.
    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        if connection.interrupted.load(Ordering::Relaxed) {
            return Err(RecycleError::message("interrupted"));
        }
        Ok(())
    }
}

impl Connector for SqliteConnector {
    fn address(&self) -> &'static str {
        ""
    }

    async fn reset(connection: &mut Connection, in_transaction: bool) -> sqlx::Result<()> {
        connection.interrupted.store(true, Ordering::Relaxed);
        connection.inner.ping().await?;
        connection.interrupted.store(false, Ordering::Relaxed);
        if in_transaction {
            sqlx::query("rollback").execute(&mut connection.inner).await?;
        }
        Ok(())
    }

    async fn close(connection: Connection) {
        if let Err(error) = connection.inner.close().await {
            tracing::debug!(%error, "failed to close a connection");
        }
    }
}

/// What all connections share.
fn connect_options(url: &str, durability: Durability) -> Result<SqliteConnectOptions> {
    Ok(SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::Normal => SqliteSynchronous::Normal,
        })
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
        .pragma("temp_store", "memory")
        // Pages (of 4 kB) after which a commit checkpoints.
        .pragma("wal_autocheckpoint", "8000")
        // Bytes that a restarted WAL is truncated to: it grows while a backup prevents checkpoints.
        .pragma("journal_size_limit", "128000000")
        .disable_statement_logging())
}

/// sqlx's pool for apalis.
fn queue_pool(options: SqliteConnectOptions) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(3)
        .acquire_timeout(BUSY_TIMEOUT)
        // Never reopened: apalis acquires connections without a check that the file is the same.
        .max_lifetime(None)
        .idle_timeout(None)
        .test_before_acquire(false)
        // Where a commit fails, SQLite ends the transaction but sqlx still counts it: the connection is replaced.
        .after_release(|connection, _| {
            let is_free = !connection.is_in_transaction();
            Box::pin(async move { Ok(is_free) })
        })
        .connect_lazy_with(options.busy_timeout(QUEUE_BUSY_TIMEOUT).pragma("cache_size", "-1000"))
}

#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    pub read: Pool<SqliteConnector>,
    pub write: GroupCommitWriter,
    /// sqlx's own pool, for apalis: it abandons a statement when it stops, which must not block the writer.
    pub queue: SqlitePool,
    read_options: SqliteConnectOptions,
}

impl Sqlite {
    /// # Errors
    /// Unavailable when the file cannot be opened.
    pub async fn open(url: &str, durability: Durability) -> Result<Self> {
        let options = connect_options(url, durability)?;
        DatabaseFile::check_no_orphan_wal(options.get_filename())?;
        // Higher than for others: the checkpointer restarts the WAL before.
        let writer = |options: SqliteConnectOptions| {
            options.pragma("cache_size", WRITER_CACHE).pragma("wal_autocheckpoint", "40000")
        };
        let mut first = writer(options.clone()).connect().await?;
        DatabaseFile::make_private(options.get_filename());
        // A file that is created after the first one is gone would be another database.
        let options = options.create_if_missing(false);
        let file = Arc::new(DatabaseFile::new(options.get_filename().to_owned()));
        let pool = |options: SqliteConnectOptions, size, acquire_timeout, interruptible| {
            let connect_timeout = CONNECT_TIMEOUT.max(acquire_timeout);
            Pool::new(
                SqliteConnector { options, interruptible },
                PoolOptions { size, acquire_timeout, connect_timeout },
            )
        };
        let write = pool(writer(options.clone()), 1, BUSY_TIMEOUT, false)?;
        // Opened while the first connection is open: SQLite deletes the WAL when the last one closes.
        write.acquire().await?.release();
        sqlx::query("select count(*) from sqlite_master").execute(&mut first).await?;
        first.close().await?;
        let queue = queue_pool(options.clone());
        let checkpoints = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().busy_timeout(CHECKPOINT_BUSY_TIMEOUT).pragma("cache_size", "-100"));
        let write = GroupCommitWriter::new(write.clone(), Checkpointer::new(checkpoints, write), file);
        // More readers than cores would only wait for one another, and each has its own page cache.
        let readers = std::thread::available_parallelism().map_or(4, |cores| 2 * cores.get()).clamp(4, 16);
        let read_options = options.read_only(true).pragma("cache_size", READER_CACHE);
        let read = pool(read_options.clone(), readers, ACQUIRE_TIMEOUT, true)?;
        Ok(Self { read, write, queue, read_options })
    }

    /// Opens a read-only connection outside the pool.
    ///
    /// # Errors
    /// Unavailable when the file cannot be opened.
    pub async fn connect(&self) -> Result<SqliteConnection> {
        Ok(self.read_options.connect().await?)
    }

    /// # Errors
    /// Unavailable when other transactions take too long.
    pub async fn set_bulk_cache(&self, bulk: bool) -> Result<()> {
        let mut writer = self.write.pool.acquire().await?;
        let pragma = format!("pragma cache_size = {}", if bulk { BULK_CACHE } else { WRITER_CACHE });
        sqlx::query(AssertSqlSafe(pragma)).execute(&mut writer.inner).await?;
        writer.release();
        Ok(())
    }

    /// Closes the writer last: the last connection to close removes the WAL.
    pub async fn close(&self) {
        self.read.close().await;
        self.queue.close().await;
        self.write.close().await;
    }
}
