//! WAL checkpoints beside the writer: SQLite's automatic checkpoint runs within a commit, and the writer waits for it.
use super::SqliteConnector;
use crate::{error::Result, pool::Pool};
use sqlx::SqlitePool;
use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};
use tokio::sync::Mutex;

/// Transactions between two checkpoints. A page that several of them changed is copied once.
pub(super) const CHECKPOINT_EVERY: usize = 50;
/// WAL pages (of 4 kB) from which on the WAL is restarted: reads get slower the longer it is, and under steady writes it is
/// never empty by chance. A restarted WAL overwrites its file, which costs the disk less than to extend it.
pub(super) const WAL_RESTART_PAGES: i64 = 8_000;

#[derive(Clone, Debug)]
pub(crate) struct Checkpointer {
    pub(super) pool: SqlitePool,
    writer: Pool<SqliteConnector>,
    /// Since the last checkpoint.
    transactions: Arc<AtomicUsize>,
    pub(super) running: Arc<Mutex<()>>,
    /// WAL pages at the last restart that failed; 0 after one that succeeded.
    pub(super) blocked_at: Arc<AtomicI64>,
}

impl Checkpointer {
    pub fn new(pool: SqlitePool, writer: Pool<SqliteConnector>) -> Self {
        Self { pool, writer, transactions: Arc::default(), running: Arc::default(), blocked_at: Arc::default() }
    }

    /// Counts a committed group and starts a checkpoint when one is due. A group counts as three transactions at least,
    /// as a single one may be large.
    pub fn on_commit(&self, transactions: usize) {
        let transactions = transactions.max(3);
        if self.transactions.fetch_add(transactions, Ordering::Relaxed) + transactions < CHECKPOINT_EVERY {
            return;
        }
        let Ok(running) = self.running.clone().try_lock_owned() else { return };
        self.transactions.store(0, Ordering::Relaxed);
        let this = self.clone();
        tokio::spawn(async move {
            // A failed checkpoint is made up for by the next.
            let _ = this.checkpoint(WAL_RESTART_PAGES).await;
            drop(running);
        });
    }

    /// Copies the WAL into the database file. A WAL of more than `restart_pages` is restarted, while no transaction of this
    /// process is open and unless a reader, such as a backup, holds it. Writers wait for a restart; so after a failed one
    /// the WAL has to grow by a quarter of `restart_pages` before the next.
    pub(super) async fn checkpoint(&self, restart_pages: i64) -> Result<()> {
        let (pages, _) = self.checkpoint_passive().await?;
        let blocked_at = self.blocked_at.load(Ordering::Relaxed);
        // Fewer pages: the WAL was restarted since.
        let grown = if pages < blocked_at { pages } else { pages - blocked_at };
        if pages <= restart_pages || grown <= restart_pages / 4 {
            return Ok(());
        }
        // Once more, so that the restart has few pages left to copy.
        let (pages, copied) = self.checkpoint_passive().await?;
        if pages > restart_pages && pages - copied <= restart_pages / 8 {
            let writer = self.writer.acquire().await?;
            let restarted = sqlx::query_as("pragma wal_checkpoint(restart)").fetch_one(&self.pool).await;
            writer.release();
            let (busy, ..): (i64, i64, i64) = restarted?;
            self.blocked_at.store(if busy == 0 { 0 } else { pages }, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Copies what is possible without waiting for readers or writers. Returns the pages in the WAL, and how many of them
    /// are copied.
    pub(super) async fn checkpoint_passive(&self) -> sqlx::Result<(i64, i64)> {
        let (_, pages, copied): (i64, i64, i64) =
            sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(&self.pool).await?;
        Ok((pages, copied))
    }
}
