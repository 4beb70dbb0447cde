//! Statements: text, bound values, and how their rows are fetched.
use crate::{
    Db, Dialect, Pools, Tx, TxBackend, TxConnection,
    error::{Error, Result, is_broken},
    pool::Pool,
    postgres::{PgConnector, PgTransaction},
    row_decode::NestedRows,
    sqlite::{STATEMENT_TIMEOUT, SqliteConnector, WriteSlot},
};
use serde::de::DeserializeOwned;
use sqlx::{
    Arguments, AssertSqlSafe, Decode, Encode, FromRow, PgConnection, Postgres, SqlSafeStr, SqlStr, Sqlite,
    SqliteConnection, Type,
    postgres::{PgArguments, PgRow},
    sqlite::{SqliteArguments, SqliteRow},
};
use std::{marker::PhantomData, time::Duration};
use tokio::time::timeout;

/// A value that can be bound on both databases.
pub trait Value:
    for<'q> Encode<'q, Sqlite> + Type<Sqlite> + for<'q> Encode<'q, Postgres> + Type<Postgres> + Send + Sync + 'static
{
}
impl<T> Value for T where
    T: for<'q> Encode<'q, Sqlite>
        + Type<Sqlite>
        + for<'q> Encode<'q, Postgres>
        + Type<Postgres>
        + Send
        + Sync
        + 'static
{
}

/// A value that can be read from a column on both databases.
pub trait Scalar: Value + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres> + Unpin {}
impl<T> Scalar for T where T: Value + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres> + Unpin {}

/// A struct or tuple that can be read from a row on both databases.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}
impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}

/// Runs SQL: a [`Db`], a [`Tx`] or a [`Snapshot`](crate::Snapshot).
pub trait Sql: Send {
    /// The dialect of the database.
    fn dialect(&self) -> Dialect;

    /// A statement from constant SQL.
    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_>;

    /// A statement from SQL that is built at run time. It must be built from constants: values are bound.
    fn sql_built(&mut self, text: String) -> Query<'_> {
        self.sql(AssertSqlSafe(text))
    }
}

/// A statement with its bound values. Nothing is sent before one of `all`, `one`, `optional`, `scalar`, `list` and `run`,
/// whose errors are of type `E`.
#[must_use]
pub struct Query<'c, E = Error> {
    text: SqlStr,
    target: Target<'c>,
    /// Of a value that could not be bound.
    error: Option<Error>,
    error_type: PhantomData<fn() -> E>,
}

/// Where a statement runs, and its bound values.
enum Target<'c> {
    SqliteRead(&'c Pool<SqliteConnector>, SqliteArguments, Option<Duration>),
    SqliteWrite(&'c mut WriteSlot, SqliteArguments),
    /// A snapshot's connection.
    SqliteOwn(&'c mut SqliteConnection, SqliteArguments),
    PgRead(&'c Pool<PgConnector>, PgArguments),
    PgWrite(&'c mut PgTransaction, PgArguments),
    /// A snapshot's connection.
    PgOwn(&'c mut PgConnection, PgArguments),
    Ended,
}

impl Sql for Db {
    fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite(_) => Dialect::Sqlite,
            Pools::Postgres(_) => Dialect::Postgres,
        }
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let target = match &self.pools {
            Pools::Sqlite(sqlite) => {
                let timeout = (!self.background).then_some(STATEMENT_TIMEOUT);
                Target::SqliteRead(&sqlite.read, SqliteArguments::default(), timeout)
            }
            Pools::Postgres(postgres) => Target::PgRead(postgres.pool(self.background), PgArguments::default()),
        };
        Query { error: self.verify_not_replaced().err(), ..Query::new(text.into_sql_str(), target) }
    }
}

impl Sql for Tx {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let target = match &mut self.backend {
            Some(TxBackend::Sqlite(slot)) => Target::SqliteWrite(slot, SqliteArguments::default()),
            Some(TxBackend::Postgres(transaction)) => Target::PgWrite(transaction, PgArguments::default()),
            None => Target::Ended,
        };
        Query::new(text.into_sql_str(), target)
    }
}

/// Runs a query by functions of sqlx, and evaluates `$value` with their result as `$found`. Boxed: the futures of callers
/// with many statements would overflow the stack.
macro_rules! execute {
    ($query:expr, $function:ident, $method:ident, retries: $retries:expr, |$found:ident| $value:expr) => {
        Box::pin(async move {
            let Query { text, target, error, .. } = $query;
            if let Some(error) = error {
                return Err(error);
            }
            Ok(match target {
                Target::SqliteRead(pool, args, limit) => {
                    let mut connection = pool.acquire().await?;
                    let $found =
                        with_timeout(limit, sqlx::$function(text, args).$method(&mut connection.inner)).await?;
                    connection.release();
                    $value
                }
                Target::SqliteWrite(slot, args) => {
                    let outcome = sqlx::$function(text, args).$method(slot.connection().await?).await;
                    let $found = slot.record_outcome(outcome)?;
                    $value
                }
                Target::SqliteOwn(connection, args) => {
                    let $found = sqlx::$function(text, args).$method(connection).await?;
                    $value
                }
                Target::PgRead(pool, args) => {
                    let mut retries = $retries;
                    loop {
                        let mut connection = pool.acquire().await?;
                        match sqlx::$function(text.clone(), args.clone()).$method(&mut *connection).await {
                            Ok($found) => {
                                connection.release();
                                break $value;
                            }
                            Err(error) if is_broken(&error) => {
                                connection.discard();
                                pool.discard_idle();
                                if retries == 0 {
                                    return Err(error.into());
                                }
                                retries -= 1;
                            }
                            Err(error) => return Err(error.into()),
                        }
                    }
                }
                Target::PgWrite(transaction, args) => {
                    let outcome = sqlx::$function(text, args).$method(transaction.connection().await?).await;
                    let $found = transaction.record_outcome(outcome)?;
                    $value
                }
                Target::PgOwn(connection, args) => {
                    let $found = sqlx::$function(text, args).$method(connection).await?;
                    $value
                }
                Target::Ended => return Err(crate::transaction_ended()),
            })
        })
        .await
        .map_err(E::from)
    };
}

impl<'c> Query<'c> {
    fn new(text: SqlStr, target: Target<'c>) -> Self {
        Self { text, target, error: None, error_type: PhantomData }
    }

    pub(crate) fn on_connection(text: SqlStr, connection: TxConnection<'c>) -> Self {
        let target = match connection {
            TxConnection::Sqlite(connection) => Target::SqliteOwn(connection, SqliteArguments::default()),
            TxConnection::Postgres(connection) => Target::PgOwn(connection, PgArguments::default()),
        };
        Self::new(text, target)
    }
}

impl<'c, E: From<Error>> Query<'c, E> {
    /// The same statement with its errors converted to `F`.
    pub fn with_error<F: From<Error>>(self) -> Query<'c, F> {
        Query { text: self.text, target: self.target, error: self.error, error_type: PhantomData }
    }

    /// Binds the next value: `$1`, then `$2`.
    pub fn bind<T: Value>(mut self, value: T) -> Self {
        let added = match &mut self.target {
            Target::SqliteRead(_, args, _) | Target::SqliteWrite(_, args) | Target::SqliteOwn(_, args) => {
                args.add(value)
            }
            Target::PgRead(_, args) | Target::PgWrite(_, args) | Target::PgOwn(_, args) => args.add(value),
            Target::Ended => Ok(()),
        };
        if let Err(error) = added {
            self.error.get_or_insert(sqlx::Error::Encode(error).into());
        }
        self
    }

    /// Fetches all rows. Outside a transaction it is retried once when the connection to PostgreSQL breaks.
    ///
    /// # Errors
    /// As the database.
    pub async fn all<T: Record>(self) -> Result<Vec<T>, E> {
        execute!(self, query_as_with, fetch_all, retries: 1, |rows| rows)
    }

    /// Fetches the first row; retried as [`Query::all`].
    ///
    /// # Errors
    /// As the database; Other if there is no row.
    pub async fn one<T: Record>(self) -> Result<T, E> {
        execute!(self, query_as_with, fetch_one, retries: 1, |row| row)
    }

    /// Fetches the first row if there is one; retried as [`Query::all`].
    ///
    /// # Errors
    /// As the database.
    pub async fn optional<T: Record>(self) -> Result<Option<T>, E> {
        execute!(self, query_as_with, fetch_optional, retries: 1, |row| row)
    }

    /// Runs a statement and returns the number of rows it changed. Never retried.
    ///
    /// # Errors
    /// As the database.
    pub async fn run(self) -> Result<u64, E> {
        execute!(self, query_with, execute, retries: 0, |done| done.rows_affected())
    }

    /// Fetches the first column of the first row; retried as [`Query::all`].
    ///
    /// # Errors
    /// As [`Query::one`].
    pub async fn scalar<T: Scalar>(self) -> Result<T, E> {
        Ok(self.one::<(T,)>().await?.0)
    }

    /// Fetches the rows of a [`select_rows`](crate::select_rows) statement; retried as [`Query::all`].
    ///
    /// # Errors
    /// As the database.
    pub async fn list<T: DeserializeOwned + Send + Unpin + 'static>(self) -> Result<Vec<T>, E> {
        let rows: Vec<NestedRows<T>> = self.all().await?;
        Ok(rows.into_iter().flat_map(|NestedRows(rows)| rows).collect())
    }
}

/// The statement timeout for SQLite, which has none. The dropped statement is interrupted.
async fn with_timeout<T>(limit: Option<Duration>, read: impl Future<Output = sqlx::Result<T>>) -> Result<T> {
    let Some(limit) = limit else { return Ok(read.await?) };
    match timeout(limit, read).await {
        Ok(read) => Ok(read?),
        Err(_) => Err(Error::Unavailable(format!("the statement took longer than {limit:?}"))),
    }
}
