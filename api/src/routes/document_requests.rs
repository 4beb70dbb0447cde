//! Document requests to clients.
use crate::{
    error::Result,
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, clearable, empty_string_as_none, patch_field,
        reject_unknown_order,
    },
    response::{Created, ItemList, JsonBody, Page, Versioned},
    routes::spvs::Reason,
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx, Error,
    kernel::{
        ids::{DocumentId, DocumentRequestId, SpvId, StepId},
        page::PageQuery,
    },
    orders::{
        document_requests::{self, Input, Status},
        templates,
    },
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A document requested from a client.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentRequest {
    id: DocumentRequestId,
    spv_id: SpvId,
    /// The step that requires it.
    step_id: Option<StepId>,
    name: String,
    instructions: Option<String>,
    /// Whether the step waits for it.
    required: bool,
    due_date: Option<NaiveDate>,
    status: Status,
    /// Reason for returning or waiving it.
    reason: Option<String>,
    /// The uploaded document.
    document_id: Option<DocumentId>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `upload`, `update`, `approve`, `return`, `waive`.
    can: Vec<&'static str>,
}

impl DocumentRequest {
    pub fn of(ctx: &Ctx, row: document_requests::DocumentRequest) -> Self {
        Self {
            can: document_requests::can(ctx, &row),
            id: row.id,
            spv_id: row.spv_id,
            step_id: row.step_id,
            name: templates::shown(ctx, &row.name),
            instructions: row.instructions,
            required: row.required,
            due_date: row.due_date,
            status: row.status,
            reason: row.reason,
            document_id: row.document_id,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

fn row(ctx: &Ctx, request: document_requests::DocumentRequest) -> Versioned<DocumentRequest> {
    Versioned { version: request.version, view: DocumentRequest::of(ctx, request) }
}

/// Document requests of an order, oldest first.
#[utoipa::path(get, path = "/spvs/{id}/document-requests", operation_id = "document_request_list",
    tag = "document requests", params(("id" = SpvId, Path)), responses((status = 200, body = ItemList<DocumentRequest>)))]
pub async fn list(SignedIn(ctx): SignedIn, Path(id): Path<SpvId>) -> Result<JsonBody<ItemList<DocumentRequest>>> {
    let found = document_requests::list(&ctx, id).await?;
    Ok(JsonBody(ItemList { items: found.into_iter().map(|request| DocumentRequest::of(&ctx, request)).collect() }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListDocumentRequestsQuery {
    /// Required.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = SpvId, required)]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// Sort order; only `created_at` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Document requests of an order, oldest first, in pages.
#[utoipa::path(get, path = "/document-requests", operation_id = "document_request_find", tag = "document requests",
    params(ListDocumentRequestsQuery), responses((status = 200, body = Page<DocumentRequest>)))]
pub async fn find(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListDocumentRequestsQuery>,
) -> Result<JsonBody<Page<DocumentRequest>>> {
    reject_unknown_order(query.order.as_deref(), "created_at")?;
    let spv = query.spv_id.ok_or_else(|| Error::field("spv_id", "required"))?;
    let status = query.status.as_deref().map(str::parse::<Status>).transpose();
    let status = status.map_err(|problem| Error::field_with("status", problem))?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = document_requests::page(&ctx, spv, status, &page).await?;
    Ok(JsonBody(Page::of(found, |request| DocumentRequest::of(&ctx, request))))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDocumentRequest {
    #[serde(default)]
    #[schema(required)]
    name: String,
    instructions: Option<String>,
    /// Default: true.
    required: Option<bool>,
    due_date: Option<String>,
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<StepId>)]
    step_id: Option<Option<StepId>>,
}

/// Requests a document from an order's client and mails them.
#[utoipa::path(post, path = "/spvs/{id}/document-requests", operation_id = "document_request_create",
    tag = "document requests", params(("id" = SpvId, Path)), request_body = NewDocumentRequest,
    responses((status = 201, body = DocumentRequest)))]
pub async fn create(
    Path(id): Path<SpvId>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewDocumentRequest>,
) -> Result<Created<DocumentRequest>> {
    let input = Input {
        name: Some(input.name),
        instructions: input.instructions,
        required: input.required,
        due_date: input.due_date,
        step_id: input.step_id,
    };
    let request = document_requests::create(&ctx, id, input).await?;
    Ok(Created {
        location: format!("/rest/v1/document-requests/{}", request.id),
        version: request.version,
        view: DocumentRequest::of(&ctx, request),
    })
}

/// One request.
#[utoipa::path(get, path = "/document-requests/{id}", operation_id = "document_request_get",
    tag = "document requests", params(("id" = DocumentRequestId, Path)), responses((status = 200, body = DocumentRequest)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<DocumentRequestId>) -> Result<Versioned<DocumentRequest>> {
    let request = document_requests::get(&ctx, id).await?;
    Ok(row(&ctx, request))
}

/// A patch: omitted fields stay unchanged, null and empty texts clear.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentRequestChange {
    name: Option<String>,
    #[serde(default, deserialize_with = "clearable")]
    instructions: Option<String>,
    required: Option<bool>,
    #[serde(default, deserialize_with = "clearable")]
    due_date: Option<String>,
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<StepId>)]
    step_id: Option<Option<StepId>>,
}

/// Changes an open request.
#[utoipa::path(patch, path = "/document-requests/{id}", operation_id = "document_request_update",
    tag = "document requests", params(("id" = DocumentRequestId, Path)), request_body = DocumentRequestChange,
    responses((status = 200, body = DocumentRequest)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentRequestId>,
    IfMatch(version): IfMatch,
    Json(change): Json<DocumentRequestChange>,
) -> Result<Versioned<DocumentRequest>> {
    let input = Input {
        name: change.name,
        instructions: change.instructions,
        required: change.required,
        due_date: change.due_date,
        step_id: change.step_id,
    };
    let request = document_requests::update(&ctx, id, version, input).await?;
    Ok(row(&ctx, request))
}

/// Approves the uploaded documents.
#[utoipa::path(post, path = "/document-requests/{id}/approve", operation_id = "document_request_approve",
    tag = "document requests", params(("id" = DocumentRequestId, Path)), request_body = EmptyBody,
    responses((status = 200, body = DocumentRequest)))]
pub async fn approve(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentRequestId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<DocumentRequest>> {
    let request = document_requests::approve(&ctx, id, version).await?;
    Ok(row(&ctx, request))
}

/// Returns the uploaded documents to the client with a reason.
#[utoipa::path(post, path = "/document-requests/{id}/return", operation_id = "document_request_return",
    tag = "document requests", params(("id" = DocumentRequestId, Path)), request_body = Reason,
    responses((status = 200, body = DocumentRequest)))]
pub async fn send_back(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentRequestId>,
    IfMatch(version): IfMatch,
    Json(Reason { reason }): Json<Reason>,
) -> Result<Versioned<DocumentRequest>> {
    let request = document_requests::send_back(&ctx, id, version, &reason).await?;
    Ok(row(&ctx, request))
}

/// Waives the request.
#[utoipa::path(post, path = "/document-requests/{id}/waive", operation_id = "document_request_waive",
    tag = "document requests", params(("id" = DocumentRequestId, Path)), request_body = Reason,
    responses((status = 200, body = DocumentRequest)))]
pub async fn waive(
    SignedIn(ctx): SignedIn,
    Path(id): Path<DocumentRequestId>,
    IfMatch(version): IfMatch,
    Json(Reason { reason }): Json<Reason>,
) -> Result<Versioned<DocumentRequest>> {
    let request = document_requests::waive(&ctx, id, version, &reason).await?;
    Ok(row(&ctx, request))
}
