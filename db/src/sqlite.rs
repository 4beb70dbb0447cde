//! SQLite: one writer with group commit, readers that cannot write, and the file that they have open.
mod checkpoint;
mod file;
mod writer;

pub(crate) use file::DatabaseFile;
pub(crate) use writer::{GroupCommitWriter, WriteSlot};

use crate::{
    Durability,
    error::{Error, Result},
    pool::{Connector, Pool, PoolOptions},
};
use checkpoint::Checkpointer;
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection as _, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    ops::{Deref, DerefMut},
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Prepared statements that a connection keeps.
const STATEMENT_CACHE_CAPACITY: usize = 300;
/// How long a writer waits for another process: less than a request may take, so that its caller gets an answer.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(8);
/// The same for the queue.
const QUEUE_BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long writers may wait for readers and other processes, so that the write-ahead log can be begun anew.
const CHECKPOINT_BUSY_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a request waits for a reader.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request's read may take, as on PostgreSQL.
pub(crate) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Instructions of SQLite's virtual machine between two looks at whether a statement was abandoned.
const PROGRESS_INTERVAL: i32 = 10_000;

/// Page cache in kilobytes (below zero). The writer's holds what a busy office changes again and again; a reader forgets
/// its pages at every commit anyway.
const WRITER_CACHE: &str = "-16000";
const READER_CACHE: &str = "-2000";
/// The writer's during bulk loads: every index, so that no page is written twice in a transaction.
const BULK_CACHE: &str = "-600000";

/// Opens connections to one file.
#[derive(Debug)]
pub(crate) struct SqliteConnector {
    options: SqliteConnectOptions,
    /// Abandoned statements are interrupted. Not the writer's: SQLite rolls back the transaction of an interrupted write,
    /// and with it that of everyone in the group.
    interruptible: bool,
}

#[derive(Debug)]
pub(crate) struct Connection {
    connection: SqliteConnection,
    interrupted: Arc<AtomicBool>,
}

impl Deref for Connection {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl managed::Manager for SqliteConnector {
    type Type = Connection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<Connection> {
        let mut connection = self.options.connect().await?;
        let interrupted = Arc::new(AtomicBool::new(false));
        if self.interruptible {
            let interrupted = interrupted.clone();
            let mut handle = connection.lock_handle().await?;
            handle.set_progress_handler(PROGRESS_INTERVAL, move || !interrupted.load(Ordering::Relaxed));
        }
        Ok(Connection { connection, interrupted })
    }

    /// A connection to a file does not break by itself.
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
        connection.ping().await?;
        connection.interrupted.store(false, Ordering::Relaxed);
        if in_transaction {
            sqlx::query("rollback").execute(&mut **connection).await?;
        }
        Ok(())
    }

    async fn close(connection: Connection) {
        if let Err(error) = connection.connection.close().await {
            tracing::debug!(%error, "a connection was not closed in good order");
        }
    }
}

/// Whether a transaction can begin on a connection that comes back to the queue's pool. Where the disk refuses a commit,
/// SQLite ends the transaction by itself and sqlx counts it for ever: another connection takes the place of that one.
fn is_free(connection: &SqliteConnection) -> bool {
    !connection.is_in_transaction()
}

#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    pub read: Pool<SqliteConnector>,
    pub write: GroupCommitWriter,
    /// Of apalis, which takes sqlx's own. It leaves a statement waiting when it stops, which must not block the writer.
    pub queue: SqlitePool,
    options: SqliteConnectOptions,
}

impl Sqlite {
    /// # Errors
    /// Unavailable when the file cannot be opened.
    pub async fn open(url: &str, durability: Durability) -> Result<Self> {
        let options = SqliteConnectOptions::from_str(url)?
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
            // Pages (of 4 kB) after which SQLite checkpoints by itself, while the writer waits.
            .pragma("wal_autocheckpoint", "8000")
            // Bytes: what a backup, behind which nothing can be checkpointed, has let grow beyond is cut off afterwards.
            .pragma("journal_size_limit", "128000000")
            .disable_statement_logging();
        DatabaseFile::check_no_orphan_wal(options.get_filename())?;
        // The checkpointer begins the log anew before it comes to this.
        let writer = |options: SqliteConnectOptions| {
            options.pragma("cache_size", WRITER_CACHE).pragma("wal_autocheckpoint", "40000")
        };
        let mut first = writer(options.clone()).connect().await?;
        DatabaseFile::make_private(options.get_filename());
        // Where the file is gone later, a new one would be another database.
        let options = options.create_if_missing(false);
        let file = Arc::new(DatabaseFile::opened(options.get_filename().to_owned()));
        let pool = |options: SqliteConnectOptions, size, acquire, interruptible| {
            let limits =
                PoolOptions { size, acquire, connect: CONNECT_TIMEOUT.max(acquire), idle: None, lifetime: None };
            Pool::new(SqliteConnector { options, interruptible }, limits)
        };
        let write = pool(writer(options.clone()), 1, BUSY_TIMEOUT, false)?;
        // Opened while the first one holds the file, so that SQLite does not clear its log away in between.
        write.acquire().await?.release();
        sqlx::query("select count(*) from sqlite_master").execute(&mut first).await?;
        first.close().await?;
        let queue = SqlitePoolOptions::new()
            .max_connections(3)
            .acquire_timeout(BUSY_TIMEOUT)
            // apalis takes connections by itself: none of them is opened anew, when the file may be another.
            .max_lifetime(None)
            .idle_timeout(None)
            .test_before_acquire(false)
            .after_release(|connection, _| Box::pin(async move { Ok(is_free(connection)) }))
            .connect_lazy_with(options.clone().busy_timeout(QUEUE_BUSY_TIMEOUT).pragma("cache_size", "-1000"));
        let checkpoints = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().busy_timeout(CHECKPOINT_BUSY_TIMEOUT).pragma("cache_size", "-100"));
        let write = GroupCommitWriter::new(write.clone(), Checkpointer::new(checkpoints, write), file, BUSY_TIMEOUT);
        // More than there are cores only wait for one, and each has its own memory.
        let readers = std::thread::available_parallelism().map_or(4, |cores| 2 * cores.get()).clamp(4, 16);
        let options = options.read_only(true).pragma("cache_size", READER_CACHE);
        let read = pool(options.clone(), readers, ACQUIRE_TIMEOUT, true)?;
        Ok(Self { read, write, queue, options })
    }

    /// A connection of its own that reads, outside the pool.
    ///
    /// # Errors
    /// Unavailable when the file cannot be opened.
    pub async fn connect(&self) -> Result<SqliteConnection> {
        Ok(self.options.connect().await?)
    }

    /// Gives the writer memory for bulk loads, and takes it away again.
    ///
    /// # Errors
    /// Unavailable while others write for long.
    pub async fn set_bulk_cache(&self, bulk: bool) -> Result<()> {
        let mut writer = self.write.pool().acquire().await?;
        let pragma = format!("pragma cache_size = {}", if bulk { BULK_CACHE } else { WRITER_CACHE });
        sqlx::query(AssertSqlSafe(pragma)).execute(&mut **writer).await.map_err(Error::from)?;
        writer.release();
        Ok(())
    }

    pub async fn close(&self) {
        self.read.close().await;
        self.queue.close().await;
        // The last to close leaves one file.
        self.write.close().await;
    }
}
