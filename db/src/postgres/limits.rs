//! Connection limits of PostgreSQL: pool sizes, and what the server allows.
use crate::{Db, Dialect, Sql, error::Result};
use sqlx::postgres::PgConnectOptions;

/// Maximum number of connections that a process opens to PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSizes {
    /// For requests, jobs and commands. A quarter is reserved for background work.
    pub main: u32,
    /// For the job queue: fetching, acknowledging, heartbeats and the listener for new jobs.
    pub queue: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { main: 20, queue: 10 }
    }
}

impl PoolSizes {
    /// All connections of a process except those of snapshots and of the start.
    pub fn total(self) -> u32 {
        self.main + self.queue
    }

    /// The share of `main` with long timeouts, so that long work leaves connections for requests.
    pub(crate) fn background(self) -> u32 {
        (self.main / 4).max(1)
    }

    pub(crate) fn requests(self) -> u32 {
        self.main.saturating_sub(self.background()).max(1)
    }
}

/// How many connections the server allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimit {
    /// The lowest of `max_connections` less the reserved ones, the role's limit and the database's limit.
    pub allowed: i64,
    /// The server's `max_connections`.
    pub max_connections: i64,
}

impl Db {
    /// Connections that the server allows; `None` on SQLite.
    ///
    /// # Errors
    /// Unavailable when the server cannot be reached.
    pub async fn connection_limit(&self) -> Result<Option<ConnectionLimit>> {
        if self.dialect() == Dialect::Sqlite {
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
        // Negative is unlimited.
        let limits = [max_connections - reserved, role, database].into_iter().filter(|limit| *limit >= 0);
        Ok(Some(ConnectionLimit { allowed: limits.min().unwrap_or(max_connections), max_connections }))
    }
}

/// The server's address for error messages: `host:port` or the path of its socket.
pub(super) fn server_address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}
