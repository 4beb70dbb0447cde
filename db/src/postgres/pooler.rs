//! Detects a connection pooler in transaction or statement mode. It shares one server connection between clients, so session
//! settings such as timeouts, and prepared statements, would leak to other clients.
use super::Postgres;
use crate::error::{Error, Result};
use sqlx::PgConnection;

/// A custom setting that nothing else reads.
const SETTING: &str = "spv.pooler_check";
/// A pooler may pick another server connection by chance.
const ATTEMPTS: usize = 3;

/// Sets a value on one of two open client connections and reads it on the other: finding it there proves that both share
/// a server connection.
///
/// # Errors
/// Unavailable if they do, with the setting to change.
pub(super) async fn refuse_shared_connections(server: &Postgres) -> Result<()> {
    let (mut first, mut second) = (server.requests.acquire().await?, server.connect().await?);
    let mut shared = false;
    for _ in 0..ATTEMPTS {
        shared |= is_shared(&mut first, &mut second).await?;
    }
    first.release();
    second.close().await;
    if shared {
        return Err(Error::Unavailable(format!(
            "{}: a connection pooler shares connections between transactions: set PgBouncer's pool_mode to session, or \
             connect to PostgreSQL itself",
            server.connector.address
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
