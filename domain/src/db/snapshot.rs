//! One moment of the whole database, for whoever reads all of it: nobody who writes waits for it, and it sees nothing
//! of what they write meanwhile. On a connection of its own, so that no request waits for one either.
//!
//! While one is open SQLite cannot empty its write-ahead log, which grows by what is written: copy the rows, then let go.
use super::{Db, Dialect, On, Pools, Query, Sql, Tx, TxOn};
use crate::error::{Error, Result};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection as _, PgConnection, Postgres, SqlSafeStr, Sqlite, SqliteConnection,
    postgres::PgArguments, sqlite::SqliteArguments,
};

/// Over when dropped.
#[derive(Debug)]
pub(crate) struct Snapshot(Connection);

#[derive(Debug)]
enum Connection {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

impl Db {
    /// # Errors
    /// Unavailable when the database cannot be reached.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot> {
        self.is_in_place()?;
        Ok(Snapshot(match &self.pools {
            Pools::Sqlite { read, .. } => {
                let mut connection = read.pool.connect_options().connect().await?;
                sqlx::query("begin").execute(&mut connection).await?;
                // The moment is that of the first read.
                sqlx::query("select count(*) from sqlite_master").fetch_one(&mut connection).await?;
                Connection::Sqlite(Box::new(connection))
            }
            Pools::Postgres { write, .. } => {
                let mut connection = write.connections().pool.connect_options().connect().await?;
                sqlx::query("begin isolation level repeatable read read only").execute(&mut connection).await?;
                sqlx::query("select 1").fetch_one(&mut connection).await?;
                Connection::Postgres(Box::new(connection))
            }
        }))
    }
}

impl Snapshot {
    /// Lets go of it, and takes leave of the server.
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
    /// Hands over the first column of every row, as they come.
    ///
    /// # Errors
    /// What the database refuses.
    pub(crate) async fn each_line(&mut self, text: String, mut hear: impl FnMut(&str) + Send) -> Result<()> {
        let text = AssertSqlSafe(text);
        match self.on() {
            TxOn::Sqlite(turn) => {
                let mut lines = sqlx::query_scalar::<Sqlite, String>(text).fetch(turn.writing().await?);
                while let Some(line) = lines.try_next().await? {
                    hear(&line);
                }
                drop(lines);
                turn.went_well();
            }
            TxOn::Postgres(open) => {
                let mut lines = sqlx::query_scalar::<Postgres, String>(text).fetch(open.writing().await?);
                while let Some(line) = lines.try_next().await? {
                    hear(&line);
                }
                drop(lines);
                open.went_well();
            }
        }
        Ok(())
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
        let on = match &mut self.0 {
            Connection::Sqlite(on) => On::SqliteAlone(on, SqliteArguments::default()),
            Connection::Postgres(on) => On::PgAlone(on, PgArguments::default()),
        };
        Query { text: text.into_sql_str(), on, error: None }
    }
}
