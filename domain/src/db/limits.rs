//! Connection limits of PostgreSQL: the sizes of our pools, what the server allows, and why a connection fails.
use super::{Db, Pools, Sql, writes::LANES};
use crate::error::{Error, Result, causes};
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use std::time::Duration;
use tokio::time::timeout;

/// How long a connection may take that is only made to learn why there is none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Connections that one process opens to PostgreSQL at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSizes {
    /// Of requests, jobs and commands: reads and transactions.
    pub main: u32,
    /// Of the job queue: fetching, acknowledging, heartbeats, and the one that listens for new jobs.
    pub queue: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { main: 20, queue: 10 }
    }
}

impl PoolSizes {
    /// All connections of a process: both pools, and those for transactions that are written together.
    pub fn total(self) -> u32 {
        self.main + self.queue + LANES
    }
}

/// How many connections PostgreSQL takes from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimit {
    /// The least of `max_connections` without what is reserved, and the limits of our role and database.
    pub allowed: i64,
    pub max_connections: i64,
}

impl Db {
    /// What the server allows; none on SQLite.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn connection_limit(&self) -> Result<Option<ConnectionLimit>> {
        if matches!(self.pools, Pools::Sqlite { .. }) {
            return Ok(None);
        }
        let (max_connections, reserved, role, database): (i64, i64, i64, i64) = self
            .clone()
            .sql(
                "select cast(current_setting('max_connections') as bigint), \
                 cast(current_setting('superuser_reserved_connections') as bigint), \
                 coalesce((select cast(rolconnlimit as bigint) from pg_roles where rolname = current_user), -1), \
                 coalesce((select cast(datconnlimit as bigint) from pg_database where datname = current_database()), -1)",
            )
            .one()
            .await?;
        // Below zero is no limit.
        let limits = [max_connections - reserved, role, database].into_iter().filter(|limit| *limit >= 0);
        Ok(Some(ConnectionLimit { allowed: limits.min().unwrap_or(max_connections), max_connections }))
    }
}

/// The server as it is named in errors: `host:port`, or its socket.
pub(super) fn place(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

/// Why the first connection failed. A pool that tries until its time is over only says that: one connection more says why.
pub(super) async fn unreachable(options: &PgConnectOptions, error: sqlx::Error) -> Error {
    let place = place(options);
    let error = match error {
        sqlx::Error::PoolTimedOut => match why::<PgConnection>(options).await {
            Some(error) => error,
            None => error,
        },
        error => error,
    };
    Error::Unavailable(format!("{place}: {}", causes(&error)))
}

/// What a connection of its own fails with; none when it is made.
pub(super) async fn why<C: Connection>(options: &C::Options) -> Option<sqlx::Error> {
    match timeout(CONNECT_TIMEOUT, C::connect_with(options)).await {
        Ok(Ok(connection)) => {
            let _ = timeout(CONNECT_TIMEOUT, connection.close()).await;
            None
        }
        Ok(Err(error)) => Some(error),
        Err(_) => Some(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
    }
}

/// An error of a connection with the server that it was to lead to.
pub(super) fn at(place: &str, error: sqlx::Error) -> sqlx::Error {
    match error {
        sqlx::Error::Io(e) if !place.is_empty() => {
            sqlx::Error::Io(std::io::Error::new(e.kind(), format!("{place}: {e}")))
        }
        error => error,
    }
}
