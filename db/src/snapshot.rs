//! A snapshot: one moment of the whole database, for backups and other reads of all of it. Writers do not wait for it, and
//! it sees nothing of what they write meanwhile. It has a connection of its own, outside the pools.
//!
//! While one is open SQLite cannot checkpoint its write-ahead log, which grows by what is written: copy the rows, then close
//! it.
use crate::{
    Db, Dialect, Pools, Query, Sql, Tx, TxBackend,
    error::{Error, Result},
};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres, SqlSafeStr, Sqlite, SqliteConnection};

/// Ends when dropped.
#[derive(Debug)]
pub struct Snapshot(Connection);

#[derive(Debug)]
enum Connection {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

impl Db {
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        self.verify_not_replaced()?;
        Ok(Snapshot(match &self.pools {
            Pools::Sqlite(sqlite) => {
                let mut connection = sqlite.connect().await?;
                sqlx::query("begin").execute(&mut connection).await?;
                // The moment is that of the first read.
                sqlx::query("select count(*) from sqlite_master").fetch_one(&mut connection).await?;
                Connection::Sqlite(Box::new(connection))
            }
            Pools::Postgres(postgres) => {
                let mut connection = postgres.connect().await?;
                sqlx::query("begin isolation level repeatable read read only").execute(&mut connection).await?;
                sqlx::query("select 1").fetch_one(&mut connection).await?;
                Connection::Postgres(Box::new(connection))
            }
        }))
    }
}

impl Snapshot {
    /// Ends it and closes its connection.
    pub async fn close(self) {
        let closed = match self.0 {
            Connection::Sqlite(on) => on.close().await,
            Connection::Postgres(on) => on.close().await,
        };
        if let Err(error) = closed {
            tracing::debug!(%error, "a snapshot was not closed in good order");
        }
    }

    /// The first column of every row, as they come.
    pub fn lines(&mut self, text: String) -> BoxStream<'_, Result<String>> {
        let text = AssertSqlSafe(text);
        match &mut self.0 {
            Connection::Sqlite(on) => {
                sqlx::query_scalar::<Sqlite, String>(text).fetch(&mut **on).map_err(Error::from).boxed()
            }
            Connection::Postgres(on) => {
                sqlx::query_scalar::<Postgres, String>(text).fetch(&mut **on).map_err(Error::from).boxed()
            }
        }
    }
}

impl Tx {
    /// Calls `each` with the first column of every row, as they come.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn for_each_line(&mut self, text: String, mut each: impl FnMut(&str) + Send) -> Result<()> {
        let text = AssertSqlSafe(text);
        let mut read = async |mut lines: BoxStream<'_, sqlx::Result<String>>| {
            while let Some(line) = lines.try_next().await? {
                each(&line);
            }
            Ok(())
        };
        match self.open.as_mut().ok_or_else(crate::ended)? {
            TxBackend::Sqlite(slot) => {
                let lines = sqlx::query_scalar::<Sqlite, String>(text).fetch(slot.connection().await?).boxed();
                let outcome = read(lines).await;
                slot.record_outcome(outcome)
            }
            TxBackend::Postgres(transaction) => {
                let lines = sqlx::query_scalar::<Postgres, String>(text).fetch(transaction.connection().await?).boxed();
                let outcome = read(lines).await;
                transaction.record_outcome(outcome)
            }
        }
    }
}

impl Sql for Snapshot {
    fn dialect(&self) -> Dialect {
        match self.0 {
            Connection::Sqlite(_) => Dialect::Sqlite,
            Connection::Postgres(_) => Dialect::Postgres,
        }
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let text = text.into_sql_str();
        match &mut self.0 {
            Connection::Sqlite(on) => Query::on_sqlite(text, on),
            Connection::Postgres(on) => Query::on_postgres(text, on),
        }
    }
}
