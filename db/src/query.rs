//! Statements: text, bound values, and how their rows are fetched.
use crate::{
    Db, Dialect, Pools, Tx, TxBackend,
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
use std::time::Duration;
use tokio::time::timeout;

/// A value that can be bound in both databases.
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

/// A value that can be read from a column of both databases.
pub trait Scalar: Value + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres> + Unpin {}
impl<T> Scalar for T where T: Value + for<'r> Decode<'r, Sqlite> + for<'r> Decode<'r, Postgres> + Unpin {}

/// A struct or tuple that can be read from a row of both databases.
pub trait Record: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}
impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static {}

/// Anything SQL can be run on: a [`Db`], a [`Tx`] or a [`Snapshot`](crate::Snapshot).
pub trait Sql: Send {
    fn dialect(&self) -> Dialect;

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_>;

    /// SQL that is built at run time, from constants only: values are always bound.
    fn sql_built(&mut self, text: String) -> Query<'_> {
        self.sql(AssertSqlSafe(text))
    }
}

/// A statement with its bound values; run it with `all`, `one`, `optional`, `scalar`, `list` or `run`.
#[must_use]
pub struct Query<'c> {
    text: SqlStr,
    on: Target<'c>,
    error: Option<Error>,
}

/// What a statement runs on, with the values bound to it.
enum Target<'c> {
    SqliteRead(&'c Pool<SqliteConnector>, SqliteArguments, Option<Duration>),
    SqliteWrite(&'c mut WriteSlot, SqliteArguments),
    /// A connection that is in no pool.
    SqliteOwn(&'c mut SqliteConnection, SqliteArguments),
    PgRead(&'c Pool<PgConnector>, PgArguments),
    PgWrite(&'c mut PgTransaction, PgArguments),
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
        let error = self.verify_not_replaced().err();
        let on = match &self.pools {
            Pools::Sqlite(sqlite) => {
                let limit = (!self.background).then_some(STATEMENT_TIMEOUT);
                Target::SqliteRead(&sqlite.read, SqliteArguments::default(), limit)
            }
            Pools::Postgres(postgres) if self.background => {
                Target::PgRead(&postgres.background, PgArguments::default())
            }
            Pools::Postgres(postgres) => Target::PgRead(&postgres.requests, PgArguments::default()),
        };
        Query { text: text.into_sql_str(), on, error }
    }
}

impl Sql for Tx {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn sql(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        let on = match &mut self.open {
            Some(TxBackend::Sqlite(slot)) => Target::SqliteWrite(slot, SqliteArguments::default()),
            Some(TxBackend::Postgres(transaction)) => Target::PgWrite(transaction, PgArguments::default()),
            None => Target::Ended,
        };
        Query { text: text.into_sql_str(), on, error: None }
    }
}

/// Fetches by the same sqlx function from the database that the query is for. Boxed: a use case of many statements would
/// have room for each of them on the stack.
macro_rules! fetch {
    ($query:expr, $method:ident) => {
        Box::pin(async move {
            let Query { text, on, error } = $query;
            if let Some(error) = error {
                return Err(error);
            }
            match on {
                Target::SqliteRead(pool, args, limit) => {
                    let mut connection = pool.acquire().await?;
                    let found = with_timeout(limit, sqlx::query_as_with(text, args).$method(&mut **connection)).await?;
                    connection.release();
                    Ok(found)
                }
                Target::SqliteWrite(slot, args) => {
                    let outcome = sqlx::query_as_with(text, args).$method(slot.connection().await?).await;
                    slot.record_outcome(outcome)
                }
                Target::SqliteOwn(on, args) => Ok(sqlx::query_as_with(text, args).$method(on).await?),
                Target::PgRead(pool, args) => {
                    let mut repeated = false;
                    loop {
                        let mut connection = pool.acquire().await?;
                        let read = sqlx::query_as_with(text.clone(), args.clone()).$method(&mut *connection).await;
                        match read {
                            Ok(found) => {
                                connection.release();
                                return Ok(found);
                            }
                            Err(error) if is_broken(&error) => {
                                connection.discard();
                                pool.discard_idle();
                                if repeated {
                                    return Err(error.into());
                                }
                                repeated = true;
                            }
                            Err(error) => return Err(error.into()),
                        }
                    }
                }
                Target::PgWrite(transaction, args) => {
                    let outcome = sqlx::query_as_with(text, args).$method(transaction.connection().await?).await;
                    transaction.record_outcome(outcome)
                }
                Target::PgOwn(on, args) => Ok(sqlx::query_as_with(text, args).$method(on).await?),
                Target::Ended => Err(crate::ended()),
            }
        })
        .await
    };
}

impl<'c> Query<'c> {
    pub(crate) fn on_sqlite(text: SqlStr, on: &'c mut SqliteConnection) -> Self {
        Self { text, on: Target::SqliteOwn(on, SqliteArguments::default()), error: None }
    }

    pub(crate) fn on_postgres(text: SqlStr, on: &'c mut PgConnection) -> Self {
        Self { text, on: Target::PgOwn(on, PgArguments::default()), error: None }
    }

    /// Binds the next value: `$1`, then `$2`.
    pub fn bind<T: Value>(mut self, value: T) -> Self {
        let added = match &mut self.on {
            Target::SqliteRead(_, args, _) | Target::SqliteWrite(_, args) | Target::SqliteOwn(_, args) => {
                args.add(value)
            }
            Target::PgRead(_, args) | Target::PgWrite(_, args) | Target::PgOwn(_, args) => args.add(value),
            Target::Ended => Ok(()),
        };
        if let Err(e) = added {
            self.error.get_or_insert(sqlx::Error::Encode(e).into());
        }
        self
    }

    /// Every row.
    ///
    /// # Errors
    /// What the database refuses. A read that is in no transaction runs again, once, where the connection to PostgreSQL
    /// breaks.
    pub async fn all<T: Record>(self) -> Result<Vec<T>> {
        fetch!(self, fetch_all)
    }

    /// The only row.
    ///
    /// # Errors
    /// As [`Query::all`]; Other where there is none.
    pub async fn one<T: Record>(self) -> Result<T> {
        fetch!(self, fetch_one)
    }

    /// The row, if there is one.
    ///
    /// # Errors
    /// As [`Query::all`].
    pub async fn optional<T: Record>(self) -> Result<Option<T>> {
        fetch!(self, fetch_optional)
    }

    /// Runs a statement and gives the number of rows it changed.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn run(self) -> Result<u64> {
        let Query { text, on, error } = self;
        Box::pin(async move {
            if let Some(error) = error {
                return Err(error);
            }
            match on {
                Target::SqliteRead(pool, args, limit) => {
                    let mut connection = pool.acquire().await?;
                    let done = with_timeout(limit, sqlx::query_with(text, args).execute(&mut **connection)).await?;
                    connection.release();
                    Ok(done.rows_affected())
                }
                Target::SqliteWrite(slot, args) => {
                    let outcome = sqlx::query_with(text, args).execute(slot.connection().await?).await;
                    slot.record_outcome(outcome).map(|done| done.rows_affected())
                }
                Target::SqliteOwn(on, args) => Ok(sqlx::query_with(text, args).execute(on).await?.rows_affected()),
                Target::PgRead(pool, args) => {
                    let mut connection = pool.acquire().await?;
                    let done = sqlx::query_with(text, args).execute(&mut *connection).await?;
                    connection.release();
                    Ok(done.rows_affected())
                }
                Target::PgWrite(transaction, args) => {
                    let outcome = sqlx::query_with(text, args).execute(transaction.connection().await?).await;
                    transaction.record_outcome(outcome).map(|done| done.rows_affected())
                }
                Target::PgOwn(on, args) => Ok(sqlx::query_with(text, args).execute(on).await?.rows_affected()),
                Target::Ended => Err(crate::ended()),
            }
        })
        .await
    }

    /// The first column of the only row.
    ///
    /// # Errors
    /// As [`Query::one`].
    pub async fn scalar<T: Scalar>(self) -> Result<T> {
        Ok(self.one::<(T,)>().await?.0)
    }

    /// The rows of a statement made by [`select_rows`](crate::select_rows).
    ///
    /// # Errors
    /// As [`Query::all`].
    pub async fn list<T: DeserializeOwned + Send + Unpin + 'static>(self) -> Result<Vec<T>> {
        let rows: Vec<NestedRows<T>> = self.all().await?;
        Ok(rows.into_iter().flat_map(|NestedRows(rows)| rows).collect())
    }
}

/// Bounds a read on SQLite, which has no statement timeout of its own. Dropped, it is interrupted.
async fn within<T>(limit: Option<Duration>, read: impl Future<Output = sqlx::Result<T>>) -> Result<T> {
    let Some(limit) = limit else { return Ok(read.await?) };
    match timeout(limit, read).await {
        Ok(read) => Ok(read?),
        Err(_) => Err(Error::Unavailable(format!("the statement took longer than {limit:?}"))),
    }
}
