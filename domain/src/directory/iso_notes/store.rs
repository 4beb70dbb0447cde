//! SQL of private notes. Every statement has the partner's id as a condition.
use crate::kernel::{
    db::{Db, Sql, Tx, insert},
    error::Result,
    ids::{IsoId, IsoNoteId, UserId},
};
use chrono::{DateTime, Utc};

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Note {
    pub id: IsoNoteId,
    pub body: String,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

/// The notes that a list of one client returns.
const MAX_NOTES: usize = 500;

pub async fn list(db: &mut Db, iso: IsoId, client: UserId) -> Result<Vec<Note>> {
    db.sql_built(format!(
        "select id, body, created_at, version from iso_notes where iso_id = $1 and client_id = $2 \
         order by created_at desc, id desc limit {MAX_NOTES}"
    ))
    .bind(iso)
    .bind(client)
    .all()
    .await
}

pub async fn get(db: &mut Db, id: IsoNoteId, iso: IsoId) -> Result<Option<Note>> {
    db.sql("select id, body, created_at, version from iso_notes where id = $1 and iso_id = $2")
        .bind(id)
        .bind(iso)
        .optional()
        .await
}

pub async fn insert(
    tx: &mut Tx,
    id: IsoNoteId,
    iso: IsoId,
    client: UserId,
    body: String,
    at: DateTime<Utc>,
) -> Result<()> {
    insert!(tx, "iso_notes", {
        id,
        iso_id: iso,
        client_id: client,
        body,
        created_at: at,
        updated_at: at,
    })
    .run()
    .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: IsoNoteId, iso: IsoId) -> Result<u64> {
    tx.sql("delete from iso_notes where id = $1 and iso_id = $2").bind(id).bind(iso).run().await
}
