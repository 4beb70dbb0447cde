//! SQL of health checks.
use crate::kernel::{
    db::{Db, Sql, Tx},
    error::Result,
};
use chrono::{DateTime, Utc};

/// Last result of a component's health check.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Probe {
    pub name: String,
    pub ok: bool,
    pub latency_ms: Option<i64>,
    /// Details, or why the component does not work.
    pub detail: Option<String>,
    /// Consecutive failures.
    pub failures: i64,
    pub last_error: Option<String>,
    pub last_error_at: Option<DateTime<Utc>>,
    pub checked_at: DateTime<Utc>,
    /// Whether the result is recent enough to describe the present.
    #[sqlx(skip)]
    pub fresh: bool,
}

pub async fn list(db: &mut Db) -> Result<Vec<Probe>> {
    db.sql("select name, ok, latency_ms, detail, failures, last_error, last_error_at, checked_at from probes")
        .all()
        .await
}

/// Stores a result and counts consecutive failures.
pub async fn upsert(
    tx: &mut Tx,
    name: &str,
    result: std::result::Result<String, String>,
    latency_ms: i64,
    at: DateTime<Utc>,
) -> Result<()> {
    let ok = result.is_ok();
    let (detail, error) = match result {
        Ok(text) => (text, None),
        Err(why) => (why.clone(), Some(why)),
    };
    tx.sql(
        "insert into probes (name, ok, latency_ms, detail, failures, last_error, last_error_at, checked_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (name) do update set \
         ok = excluded.ok, latency_ms = excluded.latency_ms, detail = excluded.detail, \
         failures = case when excluded.ok then 0 else probes.failures + 1 end, \
         last_error = coalesce(excluded.last_error, probes.last_error), \
         last_error_at = coalesce(excluded.last_error_at, probes.last_error_at), checked_at = excluded.checked_at",
    )
    .bind(name.to_owned())
    .bind(ok)
    .bind(latency_ms)
    .bind(detail)
    .bind(i64::from(!ok))
    .bind(error)
    .bind((!ok).then_some(at))
    .bind(at)
    .run()
    .await?;
    Ok(())
}
