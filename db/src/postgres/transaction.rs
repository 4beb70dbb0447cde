//! A transaction on PostgreSQL, at isolation level read committed. It takes a connection with its first statement.
use super::PgConnector;
use crate::{
    error::{Error, Result, is_broken, is_read_only, sqlstate},
    pool::{Pool, PooledConnection},
};
use sqlx::PgConnection;

/// Rolls back when dropped without [`PgTransaction::commit`], also in the middle of a statement.
#[derive(Debug)]
pub(crate) struct PgTransaction {
    pool: Pool<PgConnector>,
    /// There once something was sent, until it has ended.
    connection: Option<PooledConnection<PgConnector>>,
    /// The last statement failed, or is still running.
    failed: bool,
    /// A statement failed because of another transaction (40001, 40P01): to run it again may succeed.
    serialization_failure: bool,
}

impl PgTransaction {
    pub fn new(pool: &Pool<PgConnector>) -> Self {
        Self { pool: pool.clone(), connection: None, failed: false, serialization_failure: false }
    }

    /// The connection for the next statement; [`PgTransaction::record_outcome`] takes the statement's outcome.
    ///
    /// # Errors
    /// Other after a statement that failed: PostgreSQL has rolled back. Unavailable without a free connection.
    pub async fn connection(&mut self) -> Result<&mut PgConnection> {
        self.check_not_failed()?;
        self.failed = true;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Box::pin(begin(&self.pool)).await?,
        };
        Ok(self.connection.insert(connection))
    }

    pub fn record_outcome<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        match outcome {
            Ok(found) => {
                self.failed = false;
                Ok(found)
            }
            Err(error) => {
                self.serialization_failure = matches!(sqlstate(&error).as_deref(), Some("40001" | "40P01"));
                if is_broken(&error) || is_read_only(&error) {
                    if let Some(connection) = self.connection.take() {
                        connection.discard();
                    }
                    self.pool.discard_idle();
                }
                Err(error.into())
            }
        }
    }

    /// Whether it was rolled back in favour of another transaction.
    pub fn has_serialization_failure(&self) -> bool {
        self.serialization_failure
    }

    /// PostgreSQL has rolled back by itself when a statement failed, and says nothing of it when that is committed.
    fn check_not_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::other("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    /// # Errors
    /// What PostgreSQL refuses. Where the connection breaks meanwhile, Unavailable: it may have been committed.
    pub async fn commit(&mut self) -> Result<()> {
        self.check_not_failed()?;
        if self.connection.is_none() {
            return Ok(());
        }
        let outcome = sqlx::raw_sql("commit").execute(self.connection().await?).await;
        self.record_outcome(outcome)?;
        if let Some(connection) = self.connection.take() {
            connection.release();
        }
        Ok(())
    }

    /// Rolls back and waits for it, so that the connection is free for what comes next.
    pub async fn rollback(mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if sqlx::raw_sql("rollback").execute(&mut *connection).await.is_ok() {
            connection.release();
        }
    }
}

/// Begins on a connection of the pool. One that broke while it was idle has been sent nothing else: a new one takes its
/// place.
async fn begin(pool: &Pool<PgConnector>) -> Result<PooledConnection<PgConnector>> {
    let mut repeated = false;
    loop {
        let mut connection = pool.acquire().await?;
        // Before it is sent: cut off in the middle, it may have begun.
        connection.mark_in_transaction();
        match sqlx::raw_sql("begin isolation level read committed").execute(&mut *connection).await {
            Ok(_) => return Ok(connection),
            Err(error) if is_broken(&error) && !repeated => {
                repeated = true;
                connection.discard();
                pool.discard_idle();
            }
            Err(error) => return Err(error.into()),
        }
    }
}
