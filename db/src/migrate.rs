//! Schema migrations, which the caller brings: all pending ones in one transaction, or none.
use crate::{
    Db, Dialect, ScopedBoxFuture, Sql, Tx, TxBackend,
    error::{Error, Result},
};
use sqlx::migrate::{Migration, Migrator};
use std::time::Duration;

/// How long a migration waits for a table, while others wait behind it; how often it is tried again, and after which pause:
/// a few minutes in all, as a backup may take to read a table.
const LOCK_TIMEOUT: &str = "set local lock_timeout = '500ms'";
const MAX_RETRIES: usize = 200;
const RETRY_DELAY: Duration = Duration::from_millis(500);

impl Db {
    /// Runs `work`, which migrates the schema with [`Tx::migrate`], in one transaction. Where others hold the tables it is
    /// tried again: everyone waits behind a transaction that waits for a whole table, so they go first.
    ///
    /// # Errors
    /// Other, naming the migration, when one fails; the old schema stays.
    pub async fn migrate<'a, F>(&self, work: F) -> Result<()>
    where
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<()>> + Send + Sync + 'a,
    {
        let db = self.background();
        let mut attempts = MAX_RETRIES;
        loop {
            let mut tx = db.begin_tx().await?;
            match work(&mut tx).await {
                Ok(()) => return tx.finish().await,
                Err(Error::LockTimeout(_) | Error::Serialization(_)) if attempts > 0 => attempts -= 1,
                Err(error) => return Err(error),
            }
            tx.rollback().await;
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }
}

impl Tx {
    /// Applies those migrations of `migrator` that were not applied yet, in this transaction.
    ///
    /// # Errors
    /// Other, naming the migration, when one fails; LockTimeout while others hold a table.
    pub async fn migrate(&mut self, mut migrator: Migrator) -> Result<()> {
        // This is the transaction of them all: none begins one of its own.
        migrator.migrations = migrator.iter().cloned().map(|one| Migration { no_tx: true, ..one }).collect();
        // The migrator's lock is the session's, and stays after a migration that failed; ours is the transaction's.
        migrator.set_locking(false);
        // A newer program may have applied more: an older one that starts beside it has nothing to do.
        migrator.set_ignore_missing(true);
        // Held until the end: the migrator's lock would go before its changes are there for others, and two nodes that
        // start together would each wait for the other.
        self.advisory_lock("migrate".to_owned()).await?;
        if self.dialect == Dialect::Postgres {
            self.sql(LOCK_TIMEOUT).run().await?;
        }
        // Not `run`, of whose future rustc does not see that it is `Send`.
        match self.open.as_mut().ok_or_else(crate::ended)? {
            TxBackend::Sqlite(slot) => {
                migrator.run_direct(None, slot.connection().await?, false).await?;
                slot.record_outcome(Ok(()))
            }
            TxBackend::Postgres(transaction) => {
                migrator.run_direct(None, transaction.connection().await?, false).await?;
                transaction.record_outcome(Ok(()))
            }
        }
    }
}
