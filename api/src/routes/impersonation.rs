//! Impersonation: a super admin sees the portal as another user.
use crate::{
    error::Result,
    extract::{EmptyBody, Json, Path, SignedIn},
    response::JsonBody,
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    accounts::auth::impersonation,
    kernel::{access::Role, ids::UserId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyImpersonate {
    /// Reason; recorded in the log.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Access token of the impersonation. It cannot be refreshed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Impersonation {
    access_token: String,
    expires_at: DateTime<Utc>,
    user_id: UserId,
    name: String,
    role: Role,
}

/// Starts impersonating a user: read-only, for half an hour, never another super admin. Super admins.
#[utoipa::path(post, path = "/users/{id}/impersonate", operation_id = "user_impersonate", tag = "users",
    params(("id" = UserId, Path)), request_body = WhyImpersonate, responses((status = 200, body = Impersonation)))]
pub async fn start(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Path(id): Path<UserId>,
    Json(why): Json<WhyImpersonate>,
) -> Result<JsonBody<Impersonation>> {
    let begun = impersonation::start(&ctx, &app.auth, id, &why.reason).await?;
    Ok(JsonBody(Impersonation {
        name: begun.user.name(),
        role: begun.user.role,
        user_id: begun.user.id,
        expires_at: begun.expires_at,
        access_token: begun.access_token,
    }))
}

/// Ends the impersonation. The only write that its token may make.
#[utoipa::path(post, path = "/impersonation/end", operation_id = "impersonation_end", tag = "users",
    request_body = EmptyBody, responses((status = 204)))]
pub async fn end(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<StatusCode> {
    impersonation::end(&ctx, &app.auth).await?;
    Ok(StatusCode::NO_CONTENT)
}
