//! SQL of settings: one row holds them all.
use super::Settings;
use crate::{
    db::{Json, Sql, Tx},
    error::Result,
};
use chrono::{DateTime, Utc};

pub async fn get(db: &mut impl Sql) -> Result<Option<Settings>> {
    let row: Option<(Json<Settings>,)> = db.sql("select value from settings where name = 'office'").optional().await?;
    Ok(row.map(|(value,)| value.0))
}

/// As [`get`], and whoever else wants to change them waits for this transaction to end, also for the first ones.
pub async fn lock(tx: &mut Tx) -> Result<Option<Settings>> {
    tx.alone_with("settings".to_owned()).await?;
    let row: Option<(Json<Settings>,)> = tx.sql("select value from settings where name = 'office'").optional().await?;
    Ok(row.map(|(value,)| value.0))
}

pub async fn set(tx: &mut Tx, settings: &Settings, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "insert into settings (name, value, updated_at, updated_by) values ('office', $1, $2, $3) \
         on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by",
    )
    .bind(Json(settings.clone()))
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}
