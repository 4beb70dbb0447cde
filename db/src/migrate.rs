//! Schema migrations, supplied by the caller: all pending ones in one transaction.
use crate::{
    Db, Dialect, ScopedBoxFuture, Sql, Tx, TxConnection,
    error::{Error, Result},
};
use sqlx::migrate::{Migration, Migrator};
use std::time::Duration;

/// Short, as other transactions queue behind a migration that waits for a table lock.
const LOCK_TIMEOUT: &str = "set local lock_timeout = '500ms'";
/// With the delay some minutes in all, as long as a backup may read one table.
const MAX_RETRIES: usize = 200;
const RETRY_DELAY: Duration = Duration::from_millis(500);

impl Db {
    /// Runs `work`, which calls [`Tx::migrate`], in one transaction. Retries after a lock timeout for some minutes.
    ///
    /// # Errors
    /// Other, naming the migration, when one fails; the schema is unchanged then.
    pub async fn migrate<'a, F>(&self, work: F) -> Result<()>
    where
        F: for<'t> Fn(&'t mut Tx) -> ScopedBoxFuture<'a, 't, Result<()>> + Send + Sync + 'a,
    {
        let db = self.background();
        let mut retries = MAX_RETRIES;
        loop {
            let mut tx = db.begin_bulk().await?;
            match work(&mut tx).await {
                Ok(()) => return tx.commit().await,
                Err(Error::LockTimeout(_) | Error::Serialization(_)) if retries > 0 => retries -= 1,
                Err(error) => return Err(error),
            }
            tx.rollback().await;
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }
}

impl Tx {
    /// Applies the pending migrations of `migrator` within this transaction.
    ///
    /// # Errors
    /// Other, naming the migration, when one fails; LockTimeout while other transactions hold a table.
    pub async fn migrate(&mut self, mut migrator: Migrator) -> Result<()> {
        // This transaction holds all of them: none begins its own.
        migrator.migrations = migrator.iter().cloned().map(|one| Migration { no_tx: true, ..one }).collect();
        // The migrator's advisory lock is of the session: it would outlive a failed migration, and be released before the
        // commit, so that another node would migrate, too.
        migrator.set_locking(false);
        self.advisory_lock("migrate".to_owned()).await?;
        // A newer version may have applied more: an older node that starts beside it has nothing to do.
        migrator.set_ignore_missing(true);
        if self.dialect == Dialect::Postgres {
            self.sql(LOCK_TIMEOUT).run().await?;
        }
        // Not `run`: rustc cannot prove its future `Send`.
        match self.connection().await? {
            TxConnection::Sqlite(connection) => migrator.run_direct(None, connection, false).await?,
            TxConnection::Postgres(connection) => migrator.run_direct(None, connection, false).await?,
        }
        self.record_outcome(Ok(()))
    }
}
