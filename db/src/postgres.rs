//! PostgreSQL: connections with their timeouts, and what refuses to work with them.
mod limits;
mod pooler;
mod transaction;

pub use limits::{ConnectionLimit, PoolSizes};
pub(crate) use limits::{connection_limit, server_address};
pub(crate) use transaction::PgTransaction;

use crate::{
    error::{Error, Result, causes},
    pool::{Connector, Pool, PoolOptions},
};
use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{str::FromStr, time::Duration};
use tokio::time::timeout;

/// Prepared statements that a connection keeps.
const STATEMENT_CACHE_CAPACITY: usize = 300;
/// How long a request waits for a connection: with it, a missing database is answered within two seconds.
const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(1_900);
/// The same for background work.
const BACKGROUND_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long opening a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// A connection that was used within this time is taken for alive.
const VALIDATE_AFTER: Duration = Duration::from_secs(30);
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
const MAX_LIFETIME: Duration = Duration::from_secs(1_800);
/// How long apalis and the listener wait for a connection.
const QUEUE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeouts of a session, set when its connection is opened. Each is shorter than a request may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub lock: Duration,
    pub statement: Duration,
    pub idle_in_transaction: Duration,
}

pub(crate) const REQUEST: Timeouts = Timeouts {
    lock: Duration::from_secs(4),
    statement: Duration::from_secs(8),
    idle_in_transaction: Duration::from_secs(15),
};

/// Of jobs, migrations, backups and the operator's commands.
pub(crate) const BACKGROUND: Timeouts = Timeouts {
    lock: Duration::from_secs(30),
    statement: Duration::from_secs(1_800),
    idle_in_transaction: Duration::from_secs(1_800),
};

impl Timeouts {
    /// The statement that sets up a session. JIT compiling takes longer than each of our statements does. PostgreSQL's
    /// default price of a random page (4.0) is that of rotating disks: it would read all companies to find the one of an
    /// order; a price that the operator has set stays. The server is to notice a client that is gone in the middle of a
    /// statement, where it can (PostgreSQL 14 and later).
    fn settings(self) -> String {
        let milliseconds = |limit: Duration| limit.as_millis();
        format!(
            "set jit = off; set lock_timeout = {}; set statement_timeout = {}; \
             set idle_in_transaction_session_timeout = {}; \
             select set_config(name, case name when 'random_page_cost' then '1.1' else '2000' end, false) from pg_settings \
             where name in ('random_page_cost', 'client_connection_check_interval') and source = 'default'",
            milliseconds(self.lock),
            milliseconds(self.statement),
            milliseconds(self.idle_in_transaction),
        )
    }
}

#[derive(Debug)]
pub(crate) struct PgConnector {
    options: PgConnectOptions,
    timeouts: Timeouts,
    place: String,
}

impl PgConnector {
    async fn connect(&self) -> sqlx::Result<PgConnection> {
        let mut connection = self.options.connect().await?;
        sqlx::raw_sql(AssertSqlSafe(self.timeouts.settings())).execute(&mut connection).await?;
        Ok(connection)
    }
}

impl managed::Manager for PgConnector {
    type Type = PgConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<PgConnection> {
        self.connect().await
    }

    async fn recycle(&self, connection: &mut PgConnection, metrics: &Metrics) -> RecycleResult<sqlx::Error> {
        if metrics.age() > MAX_LIFETIME {
            return Err(RecycleError::message("too old"));
        }
        if metrics.last_used() > VALIDATE_AFTER {
            connection.ping().await?;
        }
        Ok(())
    }
}

impl Connector for PgConnector {
    fn address(&self) -> &str {
        &self.place
    }

    async fn reset(connection: &mut PgConnection, in_transaction: bool) -> sqlx::Result<()> {
        if in_transaction {
            sqlx::raw_sql("rollback").execute(connection).await?;
            return Ok(());
        }
        connection.ping().await
    }

    async fn close(connection: PgConnection) {
        // It may have broken by itself.
        let _ = connection.close().await;
    }
}

/// The pools of one process.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pub requests: Pool<PgConnector>,
    pub background: Pool<PgConnector>,
    /// Of apalis and the listener, which take sqlx's own.
    pub queue: PgPool,
    options: PgConnectOptions,
}

impl Postgres {
    /// # Errors
    /// Unavailable when the server cannot be reached, naming it, and behind a pooler that shares connections between
    /// transactions.
    pub async fn open(url: &str, sizes: PoolSizes) -> Result<Self> {
        let options = PgConnectOptions::from_str(url)?
            .application_name("spvctl")
            // PgBouncer refuses it as a startup parameter; floats are read in their binary form.
            .extra_float_digits(None)
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .disable_statement_logging();
        let connector = |timeouts| PgConnector { options: options.clone(), timeouts, place: server_address(&options) };
        let limits = |size: u32, acquire| PoolOptions {
            size: usize::try_from(size).unwrap_or(usize::MAX).max(1),
            acquire,
            connect: CONNECT_TIMEOUT,
            idle: Some(IDLE_TIMEOUT),
            lifetime: Some(MAX_LIFETIME),
        };
        let requests = Pool::new(connector(REQUEST), limits(sizes.requests(), ACQUIRE_TIMEOUT))?;
        let background = Pool::new(connector(BACKGROUND), limits(sizes.background(), BACKGROUND_ACQUIRE_TIMEOUT))?;
        let queue = PgPoolOptions::new()
            .max_connections(sizes.queue)
            .acquire_timeout(QUEUE_ACQUIRE_TIMEOUT)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    sqlx::raw_sql(AssertSqlSafe(BACKGROUND.settings())).execute(connection).await?;
                    Ok(())
                })
            })
            .connect_lazy_with(options.clone());
        let first = requests.acquire().await?;
        let this = Self { requests, background, queue, options };
        pooler::refuse_shared_connections(first, &this).await?;
        Ok(this)
    }

    /// A connection of its own, outside the pools.
    ///
    /// # Errors
    /// Unavailable, naming the server.
    pub async fn connect(&self) -> Result<PgConnection> {
        let connector = PgConnector { options: self.options.clone(), timeouts: BACKGROUND, place: String::new() };
        let place = server_address(&self.options);
        let unavailable = |why: String| Error::Unavailable(format!("{place}: {why}"));
        match timeout(CONNECT_TIMEOUT, connector.connect()).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(unavailable(causes(&error))),
            Err(_) => Err(unavailable(format!("no connection within {CONNECT_TIMEOUT:?}"))),
        }
    }

    pub async fn close(&self) {
        self.queue.close().await;
        self.background.close().await;
        self.requests.close().await;
    }
}
