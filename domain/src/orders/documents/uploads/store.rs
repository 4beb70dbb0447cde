//! SQL of uploads.
use crate::kernel::{
    db::{Db, Sql, Tx},
    error::Result,
    ids::{DocumentId, DocumentRequestId, SpvId, UploadId, UserId, VersionId},
};
use chrono::{DateTime, Utc};

/// An announced upload and its progress.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Upload {
    pub id: UploadId,
    /// None for the operator.
    pub user_id: Option<UserId>,
    pub client_id: UserId,
    pub spv_id: Option<SpvId>,
    pub document_id: Option<DocumentId>,
    pub request_id: Option<DocumentRequestId>,
    pub attach: bool,
    pub file_name: String,
    /// As announced.
    pub bytes: i64,
    /// Received bytes; -1 once it was ended.
    pub received: i64,
    /// The saved version and its document.
    pub version_id: Option<VersionId>,
    pub saved_document_id: Option<DocumentId>,
    pub created_at: DateTime<Utc>,
    pub touched_at: DateTime<Utc>,
}

const SELECT_BY_ID: &str = "select u.id, u.user_id, u.client_id, u.spv_id, u.document_id, u.request_id, u.attach, u.file_name, \
     u.bytes, u.received, u.version_id, u.created_at, u.touched_at, \
     v.document_id as saved_document_id from uploads u \
    left join document_versions v on v.id = u.version_id where u.id = $1";

pub async fn insert(tx: &mut Tx, upload: &Upload) -> Result<()> {
    tx.sql(
        "insert into uploads (id, user_id, client_id, spv_id, document_id, request_id, file_name, bytes, created_at, \
         touched_at, attach) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)",
    )
    .bind(upload.id)
    .bind(upload.user_id)
    .bind(upload.client_id)
    .bind(upload.spv_id)
    .bind(upload.document_id)
    .bind(upload.request_id)
    .bind(upload.file_name.clone())
    .bind(upload.bytes)
    .bind(upload.created_at)
    .bind(upload.attach)
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut Db, id: UploadId) -> Result<Option<Upload>> {
    db.sql(SELECT_BY_ID).bind(id).optional().await
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: UploadId) -> Result<Option<Upload>> {
    tx.sql("update uploads set received = received where id = $1").bind(id).run().await?;
    tx.sql(SELECT_BY_ID).bind(id).optional().await
}

pub async fn unfinished(tx: &mut Tx, user: UserId) -> Result<i64> {
    tx.sql("select count(*) from uploads where user_id = $1 and version_id is null and received >= 0")
        .bind(user)
        .scalar()
        .await
}

/// The bytes that a user has announced or sent since `since`, without cancelled uploads. Each file counts as 64 KiB at
/// least.
pub async fn bytes_since(tx: &mut Tx, user: UserId, since: DateTime<Utc>) -> Result<i64> {
    tx.sql(
        "select cast(coalesce(sum(case when bytes < 65536 then 65536 else bytes end), 0) as bigint) from uploads \
         where user_id = $1 and touched_at > $2 and (received >= 0 or version_id is not null)",
    )
    .bind(user)
    .bind(since)
    .scalar()
    .await
}

/// Complete uploads without a version that were last touched before `before`.
pub async fn unsaved(db: &mut Db, before: DateTime<Utc>, limit: i64) -> Result<Vec<Upload>> {
    db.sql(
        "select u.id, u.user_id, u.client_id, u.spv_id, u.document_id, u.request_id, u.attach, u.file_name, \
     u.bytes, u.received, u.version_id, u.created_at, u.touched_at, \
         null as saved_document_id from uploads u where u.version_id is null and u.received = u.bytes \
         and u.touched_at < $1 order by u.touched_at limit $2",
    )
    .bind(before)
    .bind(limit)
    .all()
    .await
}

/// Advances an upload by `bytes`; false where its offset is not `from` any more.
pub async fn advance(tx: &mut Tx, id: UploadId, from: i64, bytes: i64, now: DateTime<Utc>) -> Result<bool> {
    let sql = "update uploads set received = received + $3, touched_at = $4 where id = $1 and received = $2";
    Ok(tx.sql(sql).bind(id).bind(from).bind(bytes).bind(now).run().await? == 1)
}

pub async fn add_part(tx: &mut Tx, id: UploadId, begins: i64, bytes: i64, key: &str) -> Result<()> {
    tx.sql("insert into upload_parts (upload_id, begins, bytes, storage_key) values ($1, $2, $3, $4)")
        .bind(id)
        .bind(begins)
        .bind(bytes)
        .bind(key.to_owned())
        .run()
        .await?;
    Ok(())
}

/// The storage keys of its parts, in order.
pub async fn parts(db: &mut Db, id: UploadId) -> Result<Vec<String>> {
    let rows: Vec<(String,)> =
        db.sql("select storage_key from upload_parts where upload_id = $1 order by begins").bind(id).all().await?;
    Ok(rows.into_iter().map(|(key,)| key).collect())
}

/// Saves which version the upload became.
pub async fn mark_saved(tx: &mut Tx, id: UploadId, version: VersionId, now: DateTime<Utc>) -> Result<()> {
    tx.sql("update uploads set version_id = $2, touched_at = $3 where id = $1")
        .bind(id)
        .bind(version)
        .bind(now)
        .run()
        .await?;
    Ok(())
}

/// Ends an upload: it accepts no bytes and becomes no version. Its row stays until the storage is cleaned up.
pub async fn end(tx: &mut Tx, id: UploadId) -> Result<Option<Upload>> {
    tx.sql("update uploads set received = -1 where id = $1").bind(id).run().await?;
    tx.sql(SELECT_BY_ID).bind(id).optional().await
}

/// [`end`] for all unsaved uploads of a user.
pub async fn end_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.sql("update uploads set received = -1 where user_id = $1 and version_id is null").bind(user).run().await?;
    Ok(())
}

/// [`end`] for all unsaved uploads of a document.
pub async fn end_of_document(tx: &mut Tx, document: DocumentId) -> Result<()> {
    tx.sql("update uploads set received = -1 where document_id = $1 and version_id is null")
        .bind(document)
        .run()
        .await?;
    Ok(())
}

/// Deletes the row with its parts' rows.
pub async fn delete(tx: &mut Tx, id: UploadId) -> Result<()> {
    tx.sql("delete from uploads where id = $1").bind(id).run().await?;
    Ok(())
}

/// Ends uploads that were last touched before `before`, also those that were ended then and not cleaned up.
pub async fn end_old(tx: &mut Tx, before: DateTime<Utc>, limit: i64) -> Result<Vec<Upload>> {
    let old: Vec<(UploadId,)> = tx
        .sql("select id from uploads where touched_at < $1 order by touched_at limit $2")
        .bind(before)
        .bind(limit)
        .all()
        .await?;
    let mut ended = Vec::new();
    for (id,) in old {
        // Read again under the lock: the upload may have been resumed.
        if lock(tx, id).await?.is_some_and(|upload| upload.touched_at < before) {
            ended.extend(end(tx, id).await?);
        }
    }
    Ok(ended)
}
