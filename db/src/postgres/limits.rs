//! Connection limits of PostgreSQL: the sizes of the pools, and what the server allows.
use crate::{Db, Sql, error::Result};
use sqlx::postgres::PgConnectOptions;

/// Connections that one process opens to PostgreSQL at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSizes {
    /// Of requests, jobs and commands. A quarter is background work's.
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
    /// All connections of a process, but for those of a backup and of a start.
    pub fn total(self) -> u32 {
        self.main + self.queue
    }

    /// Of `main`, those with long timeouts: long work does not take all connections from requests.
    pub(crate) fn background(self) -> u32 {
        (self.main / 4).max(1)
    }

    pub(crate) fn requests(self) -> u32 {
        self.main.saturating_sub(self.background()).max(1)
    }
}

/// How many connections PostgreSQL takes from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimit {
    /// The least of `max_connections` without what is reserved, and the limits of our role and database.
    pub allowed: i64,
    pub max_connections: i64,
}

pub(crate) async fn connection_limit(db: &mut Db) -> Result<ConnectionLimit> {
    let (max_connections, reserved, role, database): (i64, i64, i64, i64) = db
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
    Ok(ConnectionLimit { allowed: limits.min().unwrap_or(max_connections), max_connections })
}

/// The server as it is named in errors: `host:port`, or its socket.
pub(crate) fn server_address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}
