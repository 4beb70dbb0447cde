//! Checkpoints of SQLite's write-ahead log. SQLite by itself checkpoints when the log is long, while the writer waits; so it
//! is done before that, beside the writer.
use super::SqliteConnector;
use crate::{error::Result, pool::Pool};
use sqlx::SqlitePool;
use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};
use tokio::sync::Mutex;

/// Transactions between two checkpoints. A page that many of them change is moved once.
pub(super) const CHECKPOINT_EVERY: usize = 50;
/// Pages (of 4 kB) in the log from which on it is begun anew: readers have ever more to look through, and while one process
/// writes without a pause it never happens to be empty. What is there is written over, which is less work for the disk than
/// a file that grows.
pub(super) const WAL_RESTART_PAGES: i64 = 8_000;

#[derive(Clone, Debug)]
pub(crate) struct Checkpointer {
    pub(super) pool: SqlitePool,
    writer: Pool<SqliteConnector>,
    transactions: Arc<AtomicUsize>,
    pub(super) running: Arc<Mutex<()>>,
    /// Pages of the log when it could not be begun anew.
    pub(super) stayed: Arc<AtomicI64>,
}

impl Checkpointer {
    pub fn new(pool: SqlitePool, writer: Pool<SqliteConnector>) -> Self {
        Self { pool, writer, transactions: Arc::default(), running: Arc::default(), stayed: Arc::default() }
    }

    /// A group of so many transactions was committed. It counts as three at least: a single transaction may be a large one.
    pub fn committed(&self, transactions: usize) {
        let transactions = transactions.max(3);
        if self.transactions.fetch_add(transactions, Ordering::Relaxed) + transactions < CHECKPOINT_EVERY {
            return;
        }
        let Ok(running) = self.running.clone().try_lock_owned() else { return };
        self.transactions.store(0, Ordering::Relaxed);
        let this = self.clone();
        tokio::spawn(async move {
            // What cannot be moved now is moved the next time.
            let _ = this.run(WAL_RESTART_PAGES).await;
            drop(running);
        });
    }

    /// Moves the log into the database's own file. With more than `restart_pages` it is begun anew, as soon as no
    /// transaction of this process is open, and where no reader holds it for long, such as a backup. Writers wait for that;
    /// where others read or write all the same, it is not tried again soon.
    pub(super) async fn run(&self, restart_pages: i64) -> Result<()> {
        let (pages, _) = self.passive().await?;
        let stayed = self.stayed.load(Ordering::Relaxed);
        // It may have been begun anew since.
        let grown = if pages < stayed { pages } else { pages - stayed };
        if pages <= restart_pages || grown <= restart_pages / 4 {
            return Ok(());
        }
        // What came meanwhile: writers are to wait for little.
        let (pages, moved) = self.passive().await?;
        if pages > restart_pages && pages - moved <= restart_pages / 8 {
            let writer = self.writer.acquire().await?;
            let begun = sqlx::query_as("pragma wal_checkpoint(restart)").fetch_one(&self.pool).await;
            writer.release();
            let (busy, ..): (i64, i64, i64) = begun?;
            self.stayed.store(if busy == 0 { 0 } else { pages }, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Moves what can be moved beside writers and readers: how many pages the log has, and how many of them are moved.
    pub(super) async fn passive(&self) -> sqlx::Result<(i64, i64)> {
        let moved = sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(&self.pool).await?;
        let (_, pages, moved): (i64, i64, i64) = moved;
        Ok((pages, moved))
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }
}
