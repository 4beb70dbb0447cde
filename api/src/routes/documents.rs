//! Documents and their versions. Contents are under `/storage/v1`.
use crate::{
    error::Result,
    extract::{
        EmptyBody, IfMatch, Json, Path, Query, SignedIn, empty_name_as_none, empty_string_as_none, id_list,
        patch_field, sort_order,
    },
    response::{JsonBody, Page, Versioned},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    kernel::{
        ids::{DocumentId, DocumentRequestId, SpvId, UserId, VersionId},
        page::PageQuery,
    },
    orders::{
        document_requests,
        documents::{self, Detail, Filter, Scan},
        templates,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// A document and its newest version.
#[derive(Debug, Serialize, ToSchema)]
pub struct Document {
    id: DocumentId,
    /// Reference number, for questions about it.
    #[schema(example = "DOC-6f1c2d3e")]
    reference: String,
    name: String,
    spv_id: Option<SpvId>,
    spv_identifier: Option<String>,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    client: Whose,
    /// The request that it was uploaded for.
    request_id: Option<DocumentRequestId>,
    /// The status of that request.
    request_status: Option<document_requests::Status>,
    /// Internal: visible to staff only.
    internal: bool,
    latest: DocumentVersion,
    versions_count: i64,
    updated_at: DateTime<Utc>,
    /// Since when it is deleted; restorable for 30 days.
    deleted_at: Option<DateTime<Utc>>,
    version: i64,
    /// Actions allowed to the caller: `upload` (another version), `restore` (an older version), `update`, `delete`,
    /// `undelete`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Whose {
    id: UserId,
    name: String,
}

/// The uploader; without an id the operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uploader {
    id: Option<UserId>,
    name: String,
}

/// A version of a document's content.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentVersion {
    id: VersionId,
    /// Starts at 1.
    number: i64,
    file_name: String,
    /// Detected from the content, not from the name.
    #[schema(example = "application/pdf")]
    media_type: String,
    bytes: i64,
    sha256: String,
    scan: Scan,
    uploaded_by: Uploader,
    /// Number of the older version that this one restored.
    restored_from: Option<i64>,
    created_at: DateTime<Utc>,
    /// Whether browsers can show it inline: PDF and images.
    inline: bool,
}

impl Document {
    pub fn of(ctx: &Ctx, row: documents::Document) -> Self {
        Self {
            can: documents::can(ctx, &row),
            reference: row.reference(),
            spv_identifier: row.spv_identifier(),
            client: Whose { id: row.client_id, name: row.client_name() },
            id: row.id,
            name: templates::shown(ctx, &row.name),
            spv_id: row.spv_id,
            request_id: row.request_id,
            request_status: row.request_status,
            internal: row.internal,
            latest: DocumentVersion::of(ctx, row.latest),
            versions_count: row.versions_count,
            updated_at: row.updated_at,
            deleted_at: row.deleted_at,
            version: row.version,
            vehicle_name: row.vehicle_name,
        }
    }
}

impl DocumentVersion {
    /// Uploader ids are visible to staff, and to the uploader.
    fn of(ctx: &Ctx, row: documents::Version) -> Self {
        let known = ctx.actor.is_staff() || ctx.actor.user_id() == row.uploaded_by_id;
        Self {
            inline: row.is_shown() && row.scan != Scan::Infected,
            id: row.id,
            number: row.number,
            file_name: row.file_name,
            media_type: row.media_type,
            bytes: row.bytes,
            sha256: row.sha256,
            scan: row.scan,
            uploaded_by: Uploader { id: row.uploaded_by_id.filter(|_| known), name: row.uploaded_by },
            restored_from: row.restored_from,
            created_at: row.created_at,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentDetail {
    #[serde(flatten)]
    document: Document,
    /// Newest first.
    versions: Vec<DocumentVersion>,
}

fn row(ctx: &Ctx, detail: Detail) -> Versioned<DocumentDetail> {
    Versioned {
        version: detail.document.version,
        view: DocumentDetail {
            document: Document::of(ctx, detail.document),
            versions: detail.versions.into_iter().map(|row| DocumentVersion::of(ctx, row)).collect(),
        },
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListDocumentsQuery {
    /// Search by word prefixes in the name of the document, its file, its order and its client.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<SpvId>)]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<UserId>)]
    client_id: Option<UserId>,
    /// Only documents uploaded for a document request of this status: `submitted` awaits a review.
    #[serde(default, deserialize_with = "empty_name_as_none")]
    #[param(value_type = Option<document_requests::Status>)]
    request_status: Option<document_requests::Status>,
    /// True lists the deleted documents instead, for the staff.
    #[serde(default)]
    deleted: bool,
    /// Only these documents: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `-updated_at` (default), `updated_at`, `name` or `-name`.
    order: Option<String>,
    /// True adds the number of all documents of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ListDocumentsQuery {
    pub fn read(self) -> Result<(Filter, PageQuery)> {
        let order = sort_order(self.order.as_deref())?;
        let filter = Filter {
            q: self.q,
            spv_id: self.spv_id,
            client_id: self.client_id,
            request_status: self.request_status,
            deleted: self.deleted,
            order,
            ids: self.ids,
        };
        Ok((filter, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// Documents you may see, by default by their newest version, latest first.
#[utoipa::path(get, path = "/documents", operation_id = "document_list", tag = "documents", params(ListDocumentsQuery),
    responses((status = 200, body = Page<Document>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListDocumentsQuery>,
) -> Result<JsonBody<Page<Document>>> {
    let count = query.count;
    let (filter, page) = query.read()?;
    let found = documents::list(&ctx, &filter, &page).await?;
    let page = Page::of(found, |document| Document::of(&ctx, document));
    Ok(JsonBody(page.counted(count, documents::total(&ctx, &filter)).await?))
}

/// One document with all its versions.
#[utoipa::path(get, path = "/documents/{id}", operation_id = "document_get", tag = "documents",
    params(("id" = DocumentId, Path)), responses((status = 200, body = DocumentDetail)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<DocumentId>) -> Result<Versioned<DocumentDetail>> {
    let detail = documents::get(&ctx, id).await?;
    Ok(row(&ctx, detail))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Older {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(value_type = VersionId, required)]
    version_id: Option<VersionId>,
}

/// Restores an older version as the newest one.
#[utoipa::path(post, path = "/documents/{id}/restore", operation_id = "document_restore", tag = "documents",
    params(("id" = DocumentId, Path)), request_body = Older, responses((status = 200, body = DocumentDetail)))]
pub async fn restore(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentId>,
    IfMatch(version): IfMatch,
    Json(older): Json<Older>,
) -> Result<Versioned<DocumentDetail>> {
    let detail = documents::restore(&ctx, id, version, older.version_id).await?;
    Ok(row(&ctx, detail))
}

/// A patch: omitted fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentChange {
    #[schema(example = "Certificate of incorporation")]
    name: Option<String>,
    /// Another order of the same client; null: the client without an order.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<SpvId>)]
    spv_id: Option<Option<SpvId>>,
}

/// Renames a document or moves it to another order of its client, or to the client. Staff.
#[utoipa::path(patch, path = "/documents/{id}", operation_id = "document_update", tag = "documents",
    params(("id" = DocumentId, Path)), request_body = DocumentChange, responses((status = 200, body = DocumentDetail)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentId>,
    IfMatch(version): IfMatch,
    Json(change): Json<DocumentChange>,
) -> Result<Versioned<DocumentDetail>> {
    let change = documents::Change { name: change.name, spv_id: change.spv_id };
    let detail = documents::update(&ctx, id, version, change).await?;
    Ok(row(&ctx, detail))
}

/// Deletes a document that is attached to nothing; restorable for 30 days. Staff.
#[utoipa::path(delete, path = "/documents/{id}", operation_id = "document_delete", tag = "documents",
    params(("id" = DocumentId, Path)), responses((status = 200, body = DocumentDetail)))]
pub async fn delete(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentId>,
    IfMatch(version): IfMatch,
) -> Result<Versioned<DocumentDetail>> {
    let detail = documents::delete(&ctx, id, version).await?;
    Ok(row(&ctx, detail))
}

/// Restores a deleted document. Staff.
#[utoipa::path(post, path = "/documents/{id}/undelete", operation_id = "document_undelete", tag = "documents",
    params(("id" = DocumentId, Path)), request_body = EmptyBody, responses((status = 200, body = DocumentDetail)))]
pub async fn undelete(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<DocumentDetail>> {
    let detail = documents::undelete(&ctx, id, version).await?;
    Ok(row(&ctx, detail))
}
