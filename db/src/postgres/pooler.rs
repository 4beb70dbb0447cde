//! Connection poolers between the portal and PostgreSQL. A pooler in transaction mode hands one connection to several
//! clients in turn: settings of a session, such as its timeouts, and prepared statements would be another client's.
use super::{PgConnector, Postgres};
use crate::{
    error::{Error, Result},
    pool::PooledConnection,
};
use sqlx::{Connection, PgConnection};

/// A setting that nothing reads.
const SETTING: &str = "spv.pooler_check";
/// A pooler may hand out another connection by chance.
const ATTEMPTS: usize = 3;

/// Sets a value on one of two open client connections, outside a transaction, and reads it on the other: a value that is
/// found there shows that both share connections to the server.
///
/// # Errors
/// Unavailable where they do, saying what to change.
pub(super) async fn refuse_shared_connections(
    mut first: PooledConnection<PgConnector>,
    server: &Postgres,
) -> Result<()> {
    let mut second = server.connect().await?;
    let mut shared = false;
    for _ in 0..ATTEMPTS {
        shared |= is_shared(&mut first, &mut second).await?;
    }
    first.release();
    // It may have broken by itself.
    let _ = second.close().await;
    if shared {
        return Err(Error::Unavailable(format!(
            "{}: a connection pooler shares connections between transactions: set PgBouncer's pool_mode to session, or \
             connect to PostgreSQL itself",
            super::server_address(&server.options)
        )));
    }
    Ok(())
}

async fn is_shared(first: &mut PgConnection, second: &mut PgConnection) -> sqlx::Result<bool> {
    let set = async |on: &mut PgConnection, value: &'static str| {
        sqlx::query("select set_config($1, $2, false)").persistent(false).bind(SETTING).bind(value).execute(on).await
    };
    set(first, "shared").await?;
    let read = sqlx::query_scalar("select coalesce(current_setting($1, true), '') = 'shared'");
    let shared = read.persistent(false).bind(SETTING).fetch_one(&mut *second).await?;
    set(first, "").await?;
    Ok(shared)
}
