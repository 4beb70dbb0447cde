//! Requests to the staff, by people without an account.
use crate::{
    answer::Page,
    error::Result,
    extract::{Anyone, New, Path, Query, SignedIn},
    limits::neighbourhood,
    middleware::About,
    state::App,
};
use axum::{Extension, Json as Answer, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    ids::RequestId,
    page::PageQuery,
    requests::{self, Form, Input, Request},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// `support` from the contact page, `account` from an application form.
    #[serde(default)]
    #[schema(required, example = "support")]
    kind: String,
    /// Not with `application`, whose names it is made of.
    #[serde(default)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    /// May be empty with `application`.
    #[serde(default)]
    message: String,
    /// With `account`: `client`, `employee`, `iso` or `company`.
    account_type: Option<String>,
    /// With `account`: the form of that account.
    application: Option<Form>,
}

/// A request as the staff see it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Request)]
pub struct View {
    id: RequestId,
    reference: String,
    kind: String,
    status: String,
    name: String,
    email: String,
    message: String,
    /// `account_type` and `application` of an application form.
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
    created_at: DateTime<Utc>,
    version: i64,
}

impl From<Request> for View {
    fn from(request: Request) -> Self {
        Self {
            reference: request.reference(),
            id: request.id,
            kind: request.kind,
            status: request.status,
            name: request.name,
            email: request.email,
            message: request.message,
            data: request.data,
            created_at: request.created_at,
            version: request.version,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct RequestCreated {
    id: RequestId,
    /// To be quoted when asking again.
    reference: String,
}

/// Writes to the staff. No sign-in needed; a few a minute.
#[utoipa::path(post, path = "/requests", operation_id = "request_create", tag = "requests", security(()),
    request_body = NewRequest, responses((status = 201, body = RequestCreated)))]
pub async fn create(
    State(app): State<App>,
    Extension(about): Extension<Arc<About>>,
    New { ctx, input, .. }: New<NewRequest, Anyone>,
) -> Result<(StatusCode, Answer<RequestCreated>)> {
    app.contact_limit.check(&neighbourhood(about.address))?;
    let input = Input {
        kind: input.kind,
        name: input.name,
        email: input.email,
        message: input.message,
        account_type: input.account_type,
        application: input.application,
    };
    let made = requests::create(&ctx, input).await?;
    Ok((StatusCode::CREATED, Answer(RequestCreated { id: made.id, reference: made.reference() })))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// 1 to 500; 50 unless told.
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Requests, newest first. Staff.
#[utoipa::path(get, path = "/requests", operation_id = "request_list", tag = "requests", params(Wanted),
    responses((status = 200, body = Page<View>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(wanted): Query<Wanted>) -> Result<Answer<Page<View>>> {
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor };
    Ok(Answer(Page::of(requests::list(&ctx, &page).await?, View::from)))
}

/// A request. Staff.
#[utoipa::path(get, path = "/requests/{id}", operation_id = "request_get", tag = "requests",
    params(("id" = RequestId, Path)), responses((status = 200, body = View)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<RequestId>) -> Result<Answer<View>> {
    Ok(Answer(requests::get(&ctx, id).await?.into()))
}
