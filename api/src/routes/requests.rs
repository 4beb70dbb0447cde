//! Requests to the staff, by people without an account.
use crate::{
    error::Result,
    extract::{Anyone, New},
    limits::neighbourhood,
    middleware::About,
    state::App,
};
use axum::{Extension, Json as Answer, extract::State, http::StatusCode};
use domain::{
    ids::RequestId,
    requests::{self, Input},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// `support` from the contact page, `account` from an application form.
    #[serde(default)]
    #[schema(required, example = "support")]
    kind: String,
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    email: String,
    #[serde(default)]
    #[schema(required)]
    message: String,
    /// With `account`: `client`, `employee`, `iso` or `company`.
    account_type: Option<String>,
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
    };
    let made = requests::create(&ctx, input).await?;
    Ok((StatusCode::CREATED, Answer(RequestCreated { id: made.id, reference: made.reference() })))
}
