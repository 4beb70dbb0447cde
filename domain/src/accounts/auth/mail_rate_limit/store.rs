//! SQL of mail rate limits.
use crate::kernel::{
    db::{Sql, Tx},
    error::Result,
};
use chrono::{DateTime, Utc};

/// Records `now` unless the last time is later than `last`; true when recorded.
pub async fn try_record(tx: &mut Tx, key: &str, now: DateTime<Utc>, last: DateTime<Utc>) -> Result<bool> {
    let noted = tx
        .sql(
            "insert into mail_gaps (key, asked_at) values ($1, $2) \
             on conflict (key) do update set asked_at = excluded.asked_at where mail_gaps.asked_at <= $3",
        )
        .bind(key.to_owned())
        .bind(now)
        .bind(last)
        .run()
        .await?;
    Ok(noted == 1)
}

pub async fn last_recorded_at(tx: &mut Tx, key: &str) -> Result<DateTime<Utc>> {
    Ok(tx.sql("select asked_at from mail_gaps where key = $1").bind(key.to_owned()).one::<(DateTime<Utc>,)>().await?.0)
}

/// The time of a row, inserted with `now` where there is none; locked until the transaction ends.
pub async fn lock_or_insert(tx: &mut Tx, key: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    tx.sql(
        "insert into mail_gaps (key, asked_at) values ($1, $2) \
         on conflict (key) do update set asked_at = mail_gaps.asked_at returning asked_at",
    )
    .bind(key.to_owned())
    .bind(now)
    .scalar()
    .await
}

pub async fn set(tx: &mut Tx, key: &str, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update mail_gaps set asked_at = $2 where key = $1").bind(key.to_owned()).bind(at).run().await?;
    Ok(())
}

pub async fn delete_before(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from mail_gaps where asked_at < $1").bind(before).run().await
}
