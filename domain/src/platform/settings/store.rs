//! SQL of the settings: one JSON row.
use super::Settings;
use crate::kernel::{
    db::{Json, Sql, Tx, insert},
    error::Result,
    logo::Logo,
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

pub async fn get(db: &mut impl Sql) -> Result<Option<Settings>> {
    let row: Option<(Json<Settings>,)> = db.sql("select value from settings where name = 'office'").optional().await?;
    Ok(row.map(|(value,)| value.0))
}

/// [`get`] with a lock until the transaction ends, also before there is a row.
pub async fn lock(tx: &mut Tx) -> Result<Option<Settings>> {
    tx.advisory_lock("settings".to_owned()).await?;
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

/// The last editor and time.
pub async fn changed(tx: &mut Tx) -> Result<Option<(String, DateTime<Utc>)>> {
    tx.sql("select updated_by, updated_at from settings where name = 'office'").optional().await
}

pub async fn insert_logo(tx: &mut Tx, id: Uuid, media_type: &str, bytes: Vec<u8>, at: DateTime<Utc>) -> Result<()> {
    insert!(tx, "office_logos", {
        id,
        media_type: media_type.to_owned(),
        bytes,
        created_at: at,
    })
    .run()
    .await?;
    Ok(())
}

pub async fn drop_logos(tx: &mut Tx) -> Result<()> {
    tx.sql("delete from office_logos").run().await?;
    Ok(())
}

pub async fn logo(db: &mut impl Sql, id: Uuid) -> Result<Option<Logo>> {
    db.sql("select media_type, bytes from office_logos where id = $1").bind(id).optional().await
}
