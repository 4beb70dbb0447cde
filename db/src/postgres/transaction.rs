//! PostgreSQL transaction at isolation level read committed. It acquires a connection with its first statement.
use super::PgConnector;
use crate::{
    error::{Error, Result, is_broken, is_read_only},
    pool::{Pool, PooledConnection},
};
use sqlx::PgConnection;

/// Rolls back when dropped without [`PgTransaction::commit`], also in the middle of a statement.
#[derive(Debug)]
pub(crate) struct PgTransaction {
    pool: Pool<PgConnector>,
    /// None before the first statement and after the end.
    connection: Option<PooledConnection<PgConnector>>,
    /// The last statement failed or is still running.
    failed: bool,
    /// A statement failed with 40001 or 40P01: a retry of the transaction may succeed.
    pub serialization_failure: bool,
}

impl PgTransaction {
    pub fn new(pool: &Pool<PgConnector>) -> Self {
        Self { pool: pool.clone(), connection: None, failed: false, serialization_failure: false }
    }

    /// The connection for one statement, whose outcome goes to [`PgTransaction::record_outcome`].
    ///
    /// # Errors
    /// Other after a failed statement; Unavailable without a free connection.
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
        let error = match outcome {
            Ok(done) => {
                self.failed = false;
                return Ok(done);
            }
            Err(error) => error,
        };
        if is_broken(&error) || is_read_only(&error) {
            if let Some(connection) = self.connection.take() {
                connection.discard();
            }
            self.pool.discard_idle();
        }
        let error = error.into();
        self.serialization_failure = matches!(error, Error::Serialization(_));
        Err(error)
    }

    /// PostgreSQL rolls back after a failed statement, and then reports no error for `commit`.
    fn check_not_failed(&self) -> Result<()> {
        if self.failed {
            return Err(Error::other("an earlier statement of the transaction failed"));
        }
        Ok(())
    }

    /// # Errors
    /// As the database; Unavailable, with the outcome unknown, where the connection breaks meanwhile.
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

    /// Rolls back and waits for it, so that the connection is free for a retry.
    pub async fn rollback(mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if sqlx::raw_sql("rollback").execute(&mut *connection).await.is_ok() {
            connection.release();
        }
    }
}

/// Begins a transaction, once more on a new connection if the pooled one broke while it was idle.
async fn begin(pool: &Pool<PgConnector>) -> Result<PooledConnection<PgConnector>> {
    let mut retried = false;
    loop {
        let mut connection = pool.acquire().await?;
        // Before it is sent: a cancelled `begin` may have taken effect.
        connection.mark_in_transaction();
        match sqlx::raw_sql("begin isolation level read committed").execute(&mut *connection).await {
            Ok(_) => return Ok(connection),
            Err(error) if is_broken(&error) && !retried => {
                retried = true;
                connection.discard();
                pool.discard_idle();
            }
            Err(error) => return Err(error.into()),
        }
    }
}
