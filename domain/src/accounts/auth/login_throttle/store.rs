//! SQL of failure counters.
use super::FailureCount;
use crate::kernel::{
    db::{Row, Sql, Tx},
    error::Result,
};
use chrono::{DateTime, Utc};

/// The counters of these keys that exist, unordered.
pub async fn get(db: &mut impl Sql, keys: &[&str]) -> Result<Vec<FailureCount>> {
    let places: Vec<_> = (1..=keys.len()).map(|n| format!("${n}")).collect();
    let text = format!("select {} from failures where key in ({})", FailureCount::LIST, places.join(", "));
    let mut query = db.sql_built(text);
    for key in keys {
        query = query.bind((*key).to_owned());
    }
    query.all().await
}

/// Increments a counter and returns it; restarts at 1 when the last failure was before `fresh`.
pub async fn increment(tx: &mut Tx, key: &str, at: DateTime<Utc>, fresh: DateTime<Utc>) -> Result<i64> {
    tx.sql(
        "insert into failures (key, failures, last_at) values ($1, 1, $2) on conflict (key) do update \
         set failures = case when failures.last_at < $3 then 1 else failures.failures + 1 end, last_at = excluded.last_at \
         returning failures",
    )
    .bind(key.to_owned())
    .bind(at)
    .bind(fresh)
    .scalar()
    .await
}

pub async fn delete(tx: &mut Tx, key: &str) -> Result<()> {
    tx.sql("delete from failures where key = $1").bind(key.to_owned()).run().await?;
    Ok(())
}

pub async fn delete_before(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from failures where last_at < $1").bind(before).run().await
}

/// Adds to the counter of a source in the second that begins at `at`.
pub async fn add_to_source(tx: &mut Tx, at: DateTime<Utc>, place: &str, times: i64) -> Result<()> {
    tx.sql(
        "insert into sign_in_failures (at, place, failures) values ($1, $2, $3) on conflict (at, place) do update \
         set failures = sign_in_failures.failures + excluded.failures",
    )
    .bind(at)
    .bind(place.to_owned())
    .bind(times)
    .run()
    .await?;
    Ok(())
}

/// Sources with at least `least` failures after `after`, worst first.
pub async fn sources_over(db: &mut impl Sql, after: DateTime<Utc>, least: i64) -> Result<Vec<(String, i64)>> {
    db.sql(
        "select place, cast(sum(failures) as bigint) from sign_in_failures where at > $1 group by place \
         having sum(failures) >= cast($2 as bigint) order by 2 desc, 1 limit 100",
    )
    .bind(after)
    .bind(least)
    .all()
    .await
}

pub async fn delete_sources_before(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from sign_in_failures where at < $1").bind(before).run().await
}
