//! Requests to the staff: by people without an account, and by clients for new orders.
use super::documents::Document;
use crate::{
    answer::{Page, Row},
    error::{ApiError, Result},
    extract::{Anyone, IfMatch, Json, New, Nothing, Path, Query, SignedIn, chosen},
    limits::neighbourhood,
    middleware::{About, preferred},
    state::App,
};
use axum::{
    Extension, Json as Answer,
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    ids::{CompanyId, IsoId, RequestId, SpvId, UserId},
    page::PageQuery,
    requests::{self, Filter, Form, Input, Order, OrderForm, Request, Status},
    spvs,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// `support` from the contact page, `account` from an application form, `order` from a client signed in.
    #[serde(default)]
    #[schema(required, example = "support")]
    kind: String,
    /// Not with `application`, whose names it is made of.
    #[serde(default)]
    name: String,
    /// Not with `order`: the account says.
    #[serde(default)]
    email: String,
    /// May be empty with `application`.
    #[serde(default)]
    message: String,
    /// With `account`: `client`, `employee`, `iso` or `company`.
    account_type: Option<String>,
    /// With `account`: the form of that account.
    application: Option<Form>,
    /// With `order`: what is asked for.
    order: Option<OrderForm>,
}

/// A request, as the staff and whoever sent it see it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Request)]
pub struct View {
    id: RequestId,
    reference: String,
    kind: String,
    status: Status,
    /// The account that sent it.
    user_id: Option<UserId>,
    name: String,
    email: String,
    message: String,
    /// `account_type` and `application` of an application form.
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
    /// What a client asks for.
    order: Option<Order>,
    /// What goes with it.
    documents: Vec<Document>,
    /// The order that it was accepted as.
    spv: Option<AcceptedAs>,
    /// Why it was rejected.
    reason: Option<String>,
    created_at: DateTime<Utc>,
    decided_at: Option<DateTime<Utc>>,
    /// For the staff.
    decided_by: Option<String>,
    version: i64,
    /// What the caller may do with it: `accept`, `reject`, `withdraw`.
    can: Vec<&'static str>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AcceptedAs {
    id: SpvId,
    identifier: String,
}

impl View {
    fn of(ctx: &Ctx, request: Request) -> Self {
        Self {
            can: requests::can(ctx, &request),
            reference: request.reference(),
            spv: request.spv_id.zip(request.spv_identifier()).map(|(id, identifier)| AcceptedAs { id, identifier }),
            order: request.order(),
            documents: request.documents.into_iter().map(|document| Document::of(ctx, document)).collect(),
            id: request.id,
            kind: request.kind,
            status: request.status,
            user_id: request.user_id,
            name: request.name,
            email: request.email,
            message: request.message,
            data: request.data,
            reason: request.reason,
            created_at: request.created_at,
            decided_at: request.decided_at,
            decided_by: request.decided_by.filter(|_| ctx.actor.is_staff()),
            version: request.version,
        }
    }
}

fn row(ctx: &Ctx, request: Request) -> Row<View> {
    Row { version: request.version, view: View::of(ctx, request) }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RequestCreated {
    id: RequestId,
    /// To be quoted when asking again.
    reference: String,
}

/// Writes to the staff. No sign-in needed but for orders; a few a minute without one.
#[utoipa::path(post, path = "/requests", operation_id = "request_create", tag = "requests", security(()),
    request_body = NewRequest, responses((status = 201, body = RequestCreated)))]
pub async fn create(
    State(app): State<App>,
    Extension(about): Extension<Arc<About>>,
    headers: HeaderMap,
    New { ctx, input, .. }: New<NewRequest, Anyone>,
) -> Result<(StatusCode, Answer<RequestCreated>)> {
    if input.kind.trim() != "order" {
        app.contact_limit.check(&neighbourhood(about.address))?;
    }
    let input = Input {
        kind: input.kind,
        name: input.name,
        email: input.email,
        message: input.message,
        account_type: input.account_type,
        application: input.application,
        order: input.order,
        language: Some(preferred(headers.get(header::ACCEPT_LANGUAGE)).to_owned()),
    };
    let made = requests::create(&ctx, input).await?;
    Ok((StatusCode::CREATED, Answer(RequestCreated { id: made.id, reference: made.reference() })))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// `order`, `account` or `support`.
    #[serde(default, deserialize_with = "chosen")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "chosen")]
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// 1 to 500; 50 unless told.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Requests, newest first: everybody's for the staff, your own otherwise.
#[utoipa::path(get, path = "/requests", operation_id = "request_list", tag = "requests", params(Wanted),
    responses((status = 200, body = Page<View>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(wanted): Query<Wanted>) -> Result<Answer<Page<View>>> {
    let status = wanted.status.as_deref().map(str::parse).transpose();
    let status = status.map_err(|problem| ApiError::from(domain::Error::field_with("status", problem)))?;
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor };
    let found = requests::list(&ctx, &Filter { kind: wanted.kind, status }, &page).await?;
    Ok(Answer(Page::of(found, |request| View::of(&ctx, request))))
}

/// A request. Staff, and whoever sent it.
#[utoipa::path(get, path = "/requests/{id}", operation_id = "request_get", tag = "requests",
    params(("id" = RequestId, Path)), responses((status = 200, body = View)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<RequestId>) -> Result<Row<View>> {
    Ok(row(&ctx, requests::get(&ctx, id).await?))
}

/// The order as the staff make it of a client's request.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestAccepted {
    #[serde(default, deserialize_with = "chosen")]
    #[schema(required, value_type = CompanyId)]
    company_id: Option<CompanyId>,
    #[serde(default, deserialize_with = "chosen")]
    iso_id: Option<IsoId>,
    /// Unique in the company; made from the time unless told.
    custom_identifier: Option<String>,
    #[schema(required, value_type = String, example = "250000.00")]
    purchase_amount: Option<String>,
    currency: Option<String>,
    /// Our fee: an invoice is raised over it.
    #[schema(example = "1250.00")]
    price: Option<String>,
    /// Only with an ISO; up to four decimals.
    #[schema(example = "2.5")]
    iso_commission_percentage: Option<String>,
    /// Where the vehicle is formed; US unless told.
    country: Option<String>,
    /// Today unless told.
    #[schema(example = "2026-11-21")]
    ordered_date: Option<String>,
}

/// Accepts the order that a client asks for: makes it, pending, once.
#[utoipa::path(post, path = "/requests/{id}/accept", operation_id = "request_accept", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestAccepted, responses((status = 200, body = View)))]
pub async fn accept(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestAccepted>,
) -> Result<Row<View>> {
    let input = spvs::Input {
        client_id: None,
        company_id: input.company_id,
        iso_id: input.iso_id,
        custom_identifier: input.custom_identifier,
        purchase_amount: input.purchase_amount,
        currency: input.currency,
        price: input.price,
        iso_commission_percentage: input.iso_commission_percentage,
        country: input.country,
        ordered_date: input.ordered_date,
    };
    Ok(row(&ctx, requests::accept(&ctx, id, version, input).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestRejected {
    /// Whoever sent it reads this.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Refuses a request. Staff.
#[utoipa::path(post, path = "/requests/{id}/reject", operation_id = "request_reject", tag = "requests",
    params(("id" = RequestId, Path)), request_body = RequestRejected, responses((status = 200, body = View)))]
pub async fn reject(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(input): Json<RequestRejected>,
) -> Result<Row<View>> {
    Ok(row(&ctx, requests::reject(&ctx, id, version, &input.reason).await?))
}

/// Takes your own request back.
#[utoipa::path(post, path = "/requests/{id}/withdraw", operation_id = "request_withdraw", tag = "requests",
    params(("id" = RequestId, Path)), request_body = Nothing, responses((status = 200, body = View)))]
pub async fn withdraw(
    SignedIn(ctx): SignedIn,
    Path(id): Path<RequestId>,
    IfMatch(version): IfMatch,
    Json(Nothing {}): Json<Nothing>,
) -> Result<Row<View>> {
    Ok(row(&ctx, requests::withdraw(&ctx, id, version).await?))
}
