//! Requests to the staff: contact form, applications, orders; and the request desk.
use super::{activity::Activity, documents::Document, steps};
use crate::{
    error::{ApiError, Result},
    extract::{
        CreateRequest, EmptyBody, IfMatch, Json, MaybeSignedIn, Path, Query, SignedIn, empty_string_as_none, id_list,
        patch_field, sort_order,
    },
    language::negotiate_language,
    rate_limit::network_prefix,
    request_meta::RequestMeta,
    response::{JsonBody, Page, Versioned},
    state::AppState,
};
use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    desk::requests::{
        self, Assignee, Change, Filter, Form, Input, Kind, OrderForm, OrderRequest, Priority, Request, ResultKind,
        Status,
    },
    kernel::{
        error::Problem,
        ids::{CallId, CompanyId, IsoId, LeadId, RequestId, SpvId, UserId},
        page::PageQuery,
    },
    orders::{documents, onboarding},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::HashMap, str::FromStr, sync::Arc};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// `support` from the contact page, `account` from an application form; `order` from a signed-in client;
    /// `document`, `call` and `other` from users with an account. Staff record these and `lead` for others.
    #[serde(default)]
    #[schema(required, example = "support")]
    kind: String,
    /// Not with `application`, which contains the name. Default when signed in: your own; only staff may set another.
    #[serde(default)]
    name: String,
    /// Not with `order`, which uses the account's. Default when signed in: your own, except with `account`; only staff
    /// may set another.
    #[serde(default)]
    email: String,
    /// May be empty with `application`.
    #[serde(default)]
    message: String,
    /// With `account`: `client`, `employee`, `iso` or `company`.
    account_type: Option<String>,
    /// With `account`: the form's fields.
    application: Option<Form>,
    /// With `order`: the requested order.
    order: Option<OrderForm>,
    /// Staff only: `high`, `medium` or `low`; default: `medium`.
    priority: Option<String>,
    /// Staff only: the assignee.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    assignee_id: Option<UserId>,
}

/// A request, as seen by staff and its sender.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Request)]
pub struct View {
    id: RequestId,
    reference: String,
    kind: Kind,
    status: Status,
    /// Staff only.
    priority: Option<Priority>,
    /// Staff only: due time by priority.
    due_at: Option<DateTime<Utc>>,
    /// Staff only: open and overdue.
    overdue: bool,
    /// Staff only.
    assignee: Option<steps::Assignee>,
    /// Account of the sender.
    user_id: Option<UserId>,
    name: String,
    email: String,
    message: String,
    /// `account_type` and `application` of an application form.
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
    /// The order that a client requests.
    order: Option<OrderRequest>,
    /// Attachments.
    documents: Vec<Document>,
    /// The order created from it.
    spv: Option<AcceptedAs>,
    /// Staff only: the account created from an application.
    made: Option<MadeOf>,
    /// The partner's lead; both share one outcome.
    lead_id: Option<LeadId>,
    /// The partner's call; both share one outcome.
    call_id: Option<CallId>,
    /// Reason of the rejection, or note of the approval.
    reason: Option<String>,
    created_at: DateTime<Utc>,
    decided_at: Option<DateTime<Utc>>,
    /// Staff only.
    decided_by: Option<String>,
    version: i64,
    /// Actions allowed to the caller: `accept`, `approve`, `create_client`, `create_iso`, `create_company`, `convert`
    /// its lead, `confirm` its call, `reject`, `review`, `update`, `withdraw`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AcceptedAs {
    id: SpvId,
    identifier: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequestMade)]
pub struct MadeOf {
    kind: ResultKind,
    id: Uuid,
}

impl View {
    fn of(ctx: &Ctx, request: Request, documents: &mut HashMap<Uuid, Vec<documents::Document>>) -> Self {
        let documents = documents.remove(&request.id.0).unwrap_or_default();
        let staff = ctx.actor.is_staff();
        Self {
            can: requests::can(ctx, &request),
            reference: request.reference(),
            spv: request.spv_id.zip(request.spv_identifier()).map(|(id, identifier)| AcceptedAs { id, identifier }),
            order: request.order(),
            overdue: staff && request.is_overdue(ctx.now()),
            documents: documents.into_iter().map(|document| Document::of(ctx, document)).collect(),
            id: request.id,
            kind: request.kind,
            status: request.status,
            priority: Some(request.priority).filter(|_| staff),
            due_at: Some(request.due_at).filter(|_| staff),
            assignee: request
                .assignee_id
                .zip(request.assignee_name)
                .filter(|_| staff)
                .map(|(id, name)| steps::Assignee { id, name }),
            user_id: request.user_id,
            name: request.name,
            email: request.email,
            message: request.message,
            data: request.data,
            made: request.made_kind.zip(request.made_id).filter(|_| staff).map(|(kind, id)| MadeOf { kind, id }),
            lead_id: request.lead_id,
            call_id: request.call_id,
            reason: request.reason,
            created_at: request.created_at,
            decided_at: request.decided_at,
            decided_by: request.decided_by.filter(|_| staff),
            version: request.version,
        }
    }
}

async fn row(ctx: &Ctx, request: Request) -> Result<Versioned<View>> {
    let mut documents = requests::documents(ctx, [&request]).await?;
    Ok(Versioned { version: request.version, view: View::of(ctx, request, &mut documents) })
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RequestCreated {
    id: RequestId,
    /// Reference number, for questions about it.
    reference: String,
}

/// Sends a request to the staff. `support` and `account` need no sign-in. Rate limited: a few per minute without
/// sign-in, some with.
#[utoipa::path(post, path = "/requests", operation_id = "request_create", tag = "requests", security(()),
    request_body = NewRequest, responses((status = 201, body = RequestCreated)))]
pub async fn create(
    State(app): State<AppState>,
    Extension(meta): Extension<Arc<RequestMeta>>,
    headers: HeaderMap,
    CreateRequest { ctx, input, .. }: CreateRequest<NewRequest, MaybeSignedIn>,
) -> Result<(StatusCode, JsonBody<RequestCreated>)> {
    app.check_request_limit(&ctx.actor)?;
    if !ctx.actor.is_staff() && ctx.actor.user_id().is_none() {
        app.contact_limit.check(&network_prefix(meta.client_ip))?;
    }
    let input = Input {
        kind: input.kind,
        name: input.name,
        email: input.email,
        message: input.message,
        account_type: input.account_type,
        application: input.application,
        order: input.order,
        priority: input.priority,
        assignee_id: input.assignee_id,
        language: Some(negotiate_language(headers.get(header::ACCEPT_LANGUAGE)).to_owned()),
    };
    let made = requests::create(&ctx, input).await?;
    Ok((StatusCode::CREATED, JsonBody(RequestCreated { id: made.id, reference: made.reference() })))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRequestsQuery {
    /// Search by word prefixes in reference, name and email.
    q: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Kind>)]
    kind: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// Open requests only.
    open: Option<bool>,
    /// Staff only.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<Priority>)]
    priority: Option<String>,
    /// Staff only.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    assignee_id: Option<UserId>,
    /// Staff only: requests that this user sent.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    user_id: Option<UserId>,
    /// Staff only: unassigned requests.
    unassigned: Option<bool>,
    /// Only these requests: up to 500 ids, separated by commas.
    #[serde(default, deserialize_with = "id_list")]
    #[param(value_type = Option<String>)]
    ids: Option<Vec<Uuid>>,
    /// `created_at`; for staff also `due_at` and `priority`, the highest first, then by due time. `-` before it means
    /// descending; default: `-created_at`.
    order: Option<String>,
    /// True adds the number of all requests of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

fn read<T: FromStr<Err = Problem>>(field: &'static str, text: Option<&str>) -> Result<Option<T>> {
    let read = text.map(str::parse).transpose();
    read.map_err(|problem| ApiError::from(domain::Error::field_with(field, problem)))
}

impl ListRequestsQuery {
    pub fn read(self) -> Result<(Filter, PageQuery)> {
        let order = sort_order(self.order.as_deref())?;
        let assignee = match self.assignee_id {
            Some(id) => Some(Assignee::One(id)),
            None => self.unassigned.unwrap_or_default().then_some(Assignee::Unassigned),
        };
        let filter = Filter {
            q: self.q,
            kind: read("kind", self.kind.as_deref())?,
            status: read("status", self.status.as_deref())?,
            open: self.open.unwrap_or_default(),
            priority: read("priority", self.priority.as_deref())?,
            assignee,
            sender: self.user_id,
            order,
            ids: self.ids,
        };
        Ok((filter, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// Requests, newest first by default: all for staff, your own otherwise.
#[utoipa::path(get, path = "/requests", operation_id = "request_list", tag = "requests", params(ListRequestsQuery),
    responses((status = 200, body = Page<View>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListRequestsQuery>) -> Result<JsonBody<Page<View>>> {
    let count = query.count;
    let (filter, page) = query.read()?;
    let found = requests::list(&ctx, &filter, &page).await?;
    let mut documents = requests::documents(&ctx, &found.items).await?;
    let page = Page::of(found, |request| View::of(&ctx, request, &mut documents));
    Ok(JsonBody(page.counted(count, requests::total(&ctx, &filter)).await?))
}

/// Figures of the request desk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequestDesk)]
pub struct Desk {
    total: i64,
    pending: i64,
    in_review: i64,
    approved: i64,
    rejected: i64,
    withdrawn: i64,
    /// Twelve weeks, oldest first, beginning on Mondays in your time zone.
    weeks: Vec<Week>,
    /// `high`, `medium`, `low`.
    queue: Vec<Queue>,
    /// Activity of requests, newest first.
    activity: Vec<Activity>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequestWeek)]
pub struct Week {
    begins: NaiveDate,
    /// Without withdrawn requests.
    received: i64,
    /// Current status of those.
    approved: i64,
    rejected: i64,
    open: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RequestQueue)]
pub struct Queue {
    priority: Priority,
    open: i64,
    overdue: i64,
    /// The first five by due time.
    requests: Vec<View>,
}

/// Number of requests by kind and status, and the most urgent. Staff.
#[utoipa::path(get, path = "/requests/summary", operation_id = "request_summary", tag = "requests",
    responses((status = 200, body = Desk)))]
pub async fn desk(SignedIn(ctx): SignedIn) -> Result<JsonBody<Desk>> {
    let desk = requests::summary(&ctx).await?;
    let mut documents = requests::documents(&ctx, desk.queue.iter().flat_map(|queue| &queue.requests)).await?;
    let of = |wanted: Status| desk.statuses.iter().find(|(status, _)| *status == wanted).map_or(0, |(_, count)| *count);
    Ok(JsonBody(Desk {
        total: desk.statuses.iter().map(|(_, count)| count).sum(),
        pending: of(Status::Pending),
        in_review: of(Status::InReview),
        approved: of(Status::Approved),
        rejected: of(Status::Rejected),
        withdrawn: of(Status::Withdrawn),
        weeks: desk
            .weeks
            .iter()
            .map(|week| Week {
                begins: week.begins,
                received: week.received,
                approved: week.approved,
                rejected: week.rejected,
                open: week.open,
            })
            .collect(),
        queue: desk
            .queue
            .into_iter()
            .map(|queue| Queue {
                priority: queue.priority,
                open: queue.open,
                overdue: queue.overdue,
                requests: queue.requests.into_iter().map(|request| View::of(&ctx, request, &mut documents)).collect(),
            })
            .collect(),
        activity: desk.activity.into_iter().map(|row| Activity::of(&ctx, row)).collect(),
    }))
}

/// A request. Staff, and its sender.
#[utoipa::path(get, path = "/requests/{id}", operation_id = "request_get", tag = "requests",
    params(("id" = RequestId, Path)), responses((status = 200, body = View)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<RequestId>) -> Result<Versioned<View>> {
    row(&ctx, requests::get(&ctx, id).await?).await
}

/// A patch: omitted fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestChange {
    /// `high`, `medium` or `low`; also changes the due time.
    priority: Option<String>,
    /// Null unassigns it.
    #[serde(default, deserialize_with = "patch_field")]
    #[schema(value_type = Option<UserId>)]
    assignee_id: Option<Option<UserId>>,
}

/// Sets priority and assignee of an open request. Staff.
#[utoipa::path(patch, path = "/requests/{id}", operation_id = "request_update", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestChange, responses((status = 200, body = View)))]
pub async fn update(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestChange>,
) -> Result<Versioned<View>> {
    let change = Change { priority: input.priority, assignee_id: input.assignee_id };
    row(&ctx, requests::update(&ctx, id, version, change).await?).await
}

/// Starts the review of a request, and assigns it to you unless it is assigned already. Staff.
#[utoipa::path(post, path = "/requests/{id}/review", operation_id = "request_review", tag = "requests",
    params(("id" = RequestId, Path)), request_body = EmptyBody, responses((status = 200, body = View)))]
pub async fn review(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<View>> {
    row(&ctx, requests::review(&ctx, id, version).await?).await
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestApproved {
    /// Shown to the sender.
    reply: Option<String>,
}

/// Approves a request that creates no row, or invites an employee who applied. Orders are accepted instead; other
/// applications are approved by creating their account with `request_id`. Staff.
#[utoipa::path(post, path = "/requests/{id}/approve", operation_id = "request_approve", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestApproved, responses((status = 200, body = View)))]
pub async fn approve(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestApproved>,
) -> Result<Versioned<View>> {
    row(&ctx, requests::approve(&ctx, id, version, input.reply.as_deref()).await?).await
}

/// The order that staff create from a client's request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestAccepted {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    iso_id: Option<IsoId>,
    /// Unique in the company; default: generated from the time.
    custom_identifier: Option<String>,
    /// The first proposed name unless given; empty for none.
    vehicle_name: Option<String>,
    /// The client's own reference, at most 64 characters.
    reference: Option<String>,
    #[schema(required, value_type = String, example = "250000.00")]
    purchase_amount: Option<String>,
    currency: Option<String>,
    /// Our fee; an invoice is issued for it.
    #[schema(example = "1250.00")]
    price: Option<String>,
    /// Fee of the authority, a line of its own on the invoice; only with a price.
    #[schema(example = "90.00")]
    filing_fee: Option<String>,
    /// Only with an ISO; up to four decimals.
    #[schema(example = "2.5")]
    iso_commission_percentage: Option<String>,
    /// Country of formation; default: US.
    country: Option<String>,
    /// Default: today in your time zone.
    #[schema(example = "2026-11-21")]
    ordered_date: Option<String>,
}

/// Accepts an order request: creates the order, pending, once.
#[utoipa::path(post, path = "/requests/{id}/accept", operation_id = "request_accept", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestAccepted, responses((status = 200, body = View)))]
pub async fn accept(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestAccepted>,
) -> Result<Versioned<View>> {
    let input = onboarding::OrderInput {
        client_id: None,
        company_id: input.company_id,
        iso_id: input.iso_id,
        custom_identifier: input.custom_identifier,
        vehicle_name: input.vehicle_name,
        reference: input.reference,
        purchase_amount: input.purchase_amount,
        currency: input.currency,
        price: input.price,
        filing_fee: input.filing_fee,
        iso_commission_percentage: input.iso_commission_percentage,
        country: input.country,
        ordered_date: input.ordered_date,
    };
    row(&ctx, requests::accept(&ctx, id, version, input).await?).await
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestRejected {
    /// Shown to the sender.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Rejects a request. Staff.
#[utoipa::path(post, path = "/requests/{id}/reject", operation_id = "request_reject", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestRejected, responses((status = 200, body = View)))]
pub async fn reject(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestRejected>,
) -> Result<Versioned<View>> {
    row(&ctx, requests::reject(&ctx, id, version, &input.reason).await?).await
}

/// Withdraws your own request.
#[utoipa::path(post, path = "/requests/{id}/withdraw", operation_id = "request_withdraw", tag = "requests",
    params(("id" = RequestId, Path)), request_body = EmptyBody, responses((status = 200, body = View)))]
pub async fn withdraw(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<View>> {
    row(&ctx, requests::withdraw(&ctx, id, version).await?).await
}
