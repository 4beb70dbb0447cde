//! Backups: list and create. Restoring is an operator command.
use crate::{
    error::Result,
    extract::{CreateRequest, EmptyBody, SignedIn},
    response::{ItemList, JsonBody},
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    kernel::ids::BackupId,
    operations::backups::{self, State},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A requested backup.
#[derive(Debug, Serialize, ToSchema)]
pub struct Backup {
    id: BackupId,
    /// The id of its folder, as `spvctl` shows it.
    #[schema(example = "20261122-021000-6f1c")]
    name: String,
    state: State,
    asked_at: DateTime<Utc>,
    /// `portal.nightly_backup` for scheduled backups.
    asked_by: String,
    /// The point in time of the backup; null until it is complete.
    made_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
    rows_count: i64,
    documents_count: i64,
    /// Documents that could not be read.
    documents_missing: i64,
    /// Size with documents, which backups share.
    bytes: i64,
    /// Why it failed, or for a completed backup which documents are missing.
    error: Option<String>,
    /// When it was copied to another storage, where one is set.
    copied_at: Option<DateTime<Utc>>,
    /// Why the last attempt to copy it failed.
    copy_error: Option<String>,
}

impl From<backups::Backup> for Backup {
    fn from(row: backups::Backup) -> Self {
        Self {
            id: row.id,
            name: row.name,
            state: row.state,
            asked_at: row.asked_at,
            asked_by: row.asked_by,
            made_at: row.made_at,
            finished_at: row.finished_at,
            rows_count: row.rows_count,
            documents_count: row.documents_count,
            documents_missing: row.documents_missing,
            bytes: row.bytes,
            error: row.error,
            copied_at: row.copied_at,
            copy_error: row.copy_error,
        }
    }
}

/// The newest backups. Super admins.
#[utoipa::path(get, path = "/backups", operation_id = "backup_list", tag = "system",
    responses((status = 200, body = ItemList<Backup>)))]
pub async fn list(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<Backup>>> {
    Ok(JsonBody(ItemList { items: backups::list(&ctx).await?.into_iter().map(Backup::from).collect() }))
}

/// Requests a backup. Its outcome arrives as the event `backup.created` or `backup.failed` of this id. Super admins.
#[utoipa::path(post, path = "/backups", operation_id = "backup_create", tag = "system",
    responses((status = 202, body = Backup)))]
pub async fn create(CreateRequest { ctx, .. }: CreateRequest<EmptyBody>) -> Result<(StatusCode, JsonBody<Backup>)> {
    Ok((StatusCode::ACCEPTED, JsonBody(backups::enqueue(&ctx).await?.into())))
}
