//! Consistent snapshot of the whole database, for backups. It has a connection of its own and does not block writers.
use crate::{
    Db, Dialect, Pools, Query, Sql, Tx, TxConnection,
    error::{Error, Result},
    pool::PooledConnection,
    postgres::PgConnector,
};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sqlx::{AssertSqlSafe, Connection as _, Postgres, SqlSafeStr, Sqlite, SqliteConnection};

/// A read-only transaction that sees one moment of the database; ends when dropped.
///
/// SQLite's WAL cannot be checkpointed while a snapshot is open, and grows: read the rows first, then close it, then do
/// slow work.
#[derive(Debug)]
pub struct Snapshot(Backend);

#[derive(Debug)]
enum Backend {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PooledConnection<PgConnector>>),
}

impl Db {
    /// Opens a snapshot of this moment.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        self.verify_not_replaced()?;
        Ok(Snapshot(match &self.pools {
            Pools::Sqlite(sqlite) => {
                let mut connection = sqlite.connect().await?;
                sqlx::query("begin").execute(&mut connection).await?;
                // The first read takes the snapshot.
                sqlx::query("select count(*) from sqlite_master").fetch_one(&mut connection).await?;
                Backend::Sqlite(Box::new(connection))
            }
            Pools::Postgres(postgres) => {
                let mut connection = postgres.connect().await?;
                connection.mark_in_transaction();
                sqlx::raw_sql("begin isolation level repeatable read read only; select 1")
                    .execute(&mut *connection)
                    .await?;
                Backend::Postgres(Box::new(connection))
            }
        }))
    }
}

impl Snapshot {
    /// Ends it and closes its connection.
    pub async fn close(self) {
        match self.0 {
            Backend::Sqlite(connection) => {
                if let Err(error) = connection.close().await {
                    tracing::debug!(%error, "failed to close a snapshot");
                }
            }
            Backend::Postgres(connection) => connection.close().await,
        }
    }

    /// Streams the first column of each row.
    pub fn lines(&mut self, text: String) -> BoxStream<'_, Result<String>> {
        stream_lines(self.connection(), text).map_err(Error::from).boxed()
    }

    fn connection(&mut self) -> TxConnection<'_> {
        match &mut self.0 {
            Backend::Sqlite(connection) => TxConnection::Sqlite(connection),
            Backend::Postgres(connection) => TxConnection::Postgres(connection),
        }
    }
}

impl Tx {
    /// Calls `each` with the first column of each row, as the rows arrive.
    ///
    /// # Errors
    /// As the database.
    pub async fn for_each_line(&mut self, text: String, mut each: impl FnMut(&str) + Send) -> Result<()> {
        let mut lines = stream_lines(self.connection().await?, text);
        let outcome = loop {
            match lines.try_next().await {
                Ok(Some(line)) => each(&line),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        drop(lines);
        self.record_outcome(outcome)
    }
}

fn stream_lines(connection: TxConnection<'_>, text: String) -> BoxStream<'_, sqlx::Result<String>> {
    let text = AssertSqlSafe(text);
    match connection {
        TxConnection::Sqlite(connection) => sqlx::query_scalar::<Sqlite, String>(text).fetch(connection).boxed(),
        TxConnection::Postgres(connection) => sqlx::query_scalar::<Postgres, String>(text).fetch(connection).boxed(),
    }
}

impl Sql for Snapshot {
    fn dialect(&self) -> Dialect {
        match self.0 {
            Backend::Sqlite(_) => Dialect::Sqlite,
            Backend::Postgres(_) => Dialect::Postgres,
        }
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        Query::on_connection(text.into_sql_str(), self.connection())
    }
}
