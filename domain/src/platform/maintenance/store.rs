//! SQL of maintenance mode: one row of `settings` while it is on.
use super::Maintenance;
use crate::kernel::{
    db::{Json, Sql, Tx},
    error::Result,
};
use chrono::{DateTime, Utc};

pub async fn get(db: &mut impl Sql) -> Result<Option<Maintenance>> {
    let row: Option<(Json<Maintenance>,)> =
        db.sql("select value from settings where name = 'maintenance'").optional().await?;
    Ok(row.map(|(value,)| value.0))
}

/// [`get`] with a lock until the transaction ends.
pub async fn lock(tx: &mut Tx) -> Result<Option<Maintenance>> {
    tx.advisory_lock("maintenance".to_owned()).await?;
    get(tx).await
}

pub async fn set(tx: &mut Tx, now: &Maintenance, at: DateTime<Utc>) -> Result<()> {
    tx.sql(
        "insert into settings (name, value, updated_at, updated_by) values ('maintenance', $1, $2, $3) \
         on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at, \
         updated_by = excluded.updated_by",
    )
    .bind(Json(now.clone()))
    .bind(at)
    .bind(now.by.clone())
    .run()
    .await?;
    Ok(())
}

pub async fn clear(tx: &mut Tx) -> Result<()> {
    tx.sql("delete from settings where name = 'maintenance'").run().await?;
    Ok(())
}
