//! PostgreSQL: connection pools and session timeouts.
mod limits;
mod pooler;
mod transaction;

pub use limits::{ConnectionLimit, PoolSizes};
pub(crate) use transaction::PgTransaction;

use crate::{
    error::Result,
    pool::{Connector, Pool, PoolOptions, PooledConnection},
};
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{str::FromStr, time::Duration};

/// Prepared statements per connection.
const STATEMENT_CACHE_CAPACITY: usize = 300;
/// For requests: an unreachable database is reported within two seconds.
const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(1_900);
const BACKGROUND_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
const QUEUE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// A connection that was idle for longer is pinged before use.
const VALIDATE_AFTER: Duration = Duration::from_secs(30);
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
const MAX_LIFETIME: Duration = Duration::from_secs(1_800);

/// Timeouts of a session, set when its connection is opened.
#[derive(Clone, Copy, Debug)]
struct SessionTimeouts {
    lock: Duration,
    statement: Duration,
    idle_in_transaction: Duration,
}

/// Shorter than the timeout of a request.
const REQUEST: SessionTimeouts = SessionTimeouts {
    lock: Duration::from_secs(4),
    statement: Duration::from_secs(8),
    idle_in_transaction: Duration::from_secs(15),
};

/// For jobs, migrations, backups and commands.
const BACKGROUND: SessionTimeouts = SessionTimeouts {
    lock: Duration::from_secs(30),
    statement: Duration::from_secs(1_800),
    idle_in_transaction: Duration::from_secs(1_800),
};

impl SessionTimeouts {
    /// The statements that configure a session.
    ///
    /// - `jit`: compiling takes longer than any of our statements runs.
    /// - `random_page_cost`: the default of 4.0 is for rotating disks, and has PostgreSQL scan all companies for that of an
    ///   order. A value set by the operator stays.
    /// - `client_connection_check_interval` (PostgreSQL 14 and later): ends the statement of a client that disconnected.
    fn settings(self) -> String {
        format!(
            "set jit = off; set lock_timeout = {}; set statement_timeout = {}; \
             set idle_in_transaction_session_timeout = {}; \
             select set_config(name, case name when 'random_page_cost' then '1.1' else '2000' end, false) from pg_settings \
             where name in ('random_page_cost', 'client_connection_check_interval') and source = 'default'",
            self.lock.as_millis(),
            self.statement.as_millis(),
            self.idle_in_transaction.as_millis(),
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PgConnector {
    options: PgConnectOptions,
    timeouts: SessionTimeouts,
    address: String,
}

impl managed::Manager for PgConnector {
    type Type = PgConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<PgConnection> {
        let mut connection = self.options.connect().await?;
        sqlx::raw_sql(AssertSqlSafe(self.timeouts.settings())).execute(&mut connection).await?;
        Ok(connection)
    }

    async fn recycle(&self, connection: &mut PgConnection, metrics: &Metrics) -> RecycleResult<sqlx::Error> {
        if Self::is_expired(metrics) {
            return Err(RecycleError::message("expired"));
        }
        if metrics.last_used() > VALIDATE_AFTER {
            connection.ping().await?;
        }
        Ok(())
    }
}

impl Connector for PgConnector {
    fn address(&self) -> &str {
        &self.address
    }

    fn is_expired(metrics: &Metrics) -> bool {
        metrics.age() > MAX_LIFETIME || metrics.last_used() > IDLE_TIMEOUT
    }

    async fn reset(connection: &mut PgConnection, in_transaction: bool) -> sqlx::Result<()> {
        if in_transaction {
            sqlx::raw_sql("rollback").execute(connection).await?;
            return Ok(());
        }
        connection.ping().await
    }

    async fn close(connection: PgConnection) {
        // Fails on a broken connection.
        let _ = connection.close().await;
    }
}

/// The connection pools of a process.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pub requests: Pool<PgConnector>,
    pub background: Pool<PgConnector>,
    /// sqlx's own pool, for apalis and the listener.
    pub queue: PgPool,
    connector: PgConnector,
}

impl Postgres {
    /// # Errors
    /// Unavailable, naming the server, when it cannot be reached; Unavailable behind a pooler in transaction mode.
    pub async fn open(url: &str, sizes: PoolSizes) -> Result<Self> {
        let options = PgConnectOptions::from_str(url)?
            .application_name("spvctl")
            // PgBouncer refuses it as a startup parameter. Floats are read in binary form anyway.
            .extra_float_digits(None)
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .disable_statement_logging();
        let address = limits::server_address(&options);
        let connector = PgConnector { options: options.clone(), timeouts: REQUEST, address };
        let requests = Pool::new(connector.clone(), pool_options(sizes.requests(), ACQUIRE_TIMEOUT))?;
        let connector = PgConnector { timeouts: BACKGROUND, ..connector };
        let background = Pool::new(connector.clone(), pool_options(sizes.background(), BACKGROUND_ACQUIRE_TIMEOUT))?;
        requests.spawn_reaper();
        background.spawn_reaper();
        let queue = PgPoolOptions::new()
            .max_connections(sizes.queue)
            .acquire_timeout(QUEUE_ACQUIRE_TIMEOUT)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    sqlx::raw_sql(AssertSqlSafe(BACKGROUND.settings())).execute(connection).await?;
                    Ok(())
                })
            })
            .connect_lazy_with(options);
        let this = Self { requests, background, queue, connector };
        pooler::refuse_shared_connections(&this).await?;
        Ok(this)
    }

    pub fn pool(&self, background: bool) -> &Pool<PgConnector> {
        if background { &self.background } else { &self.requests }
    }

    /// Opens a connection outside the pools, with background timeouts.
    ///
    /// # Errors
    /// Unavailable, naming the server.
    pub async fn connect(&self) -> Result<PooledConnection<PgConnector>> {
        Pool::new(self.connector.clone(), pool_options(1, CONNECT_TIMEOUT))?.acquire().await
    }

    pub async fn close(&self) {
        self.queue.close().await;
        self.background.close().await;
        self.requests.close().await;
    }
}

fn pool_options(size: u32, acquire_timeout: Duration) -> PoolOptions {
    let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
    PoolOptions { size, acquire_timeout, connect_timeout: CONNECT_TIMEOUT }
}
