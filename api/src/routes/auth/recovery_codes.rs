//! `/factors/recovery-codes`: one set per user, shown once.
use super::{
    extract::{Body, RawBody, SessionCtx, non_empty},
    factors::map_invalid,
    view::SessionView,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::accounts::auth::recovery_codes::{self, IssuedCodes};
use serde::Deserialize;
use serde_json::{Value, json};

const KIND: &str = "recovery_code";

pub async fn status(SessionCtx(ctx, _): SessionCtx) -> Result<Json<Value>> {
    let found = recovery_codes::status(&ctx).await?;
    Ok(Json(json!({ "id": found.id, "type": KIND, "total": found.total, "remaining": found.remaining })))
}

#[derive(Default, Deserialize)]
pub struct Make {
    friendly_name: Option<String>,
}

/// Without a body the set has the default name.
pub async fn make(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    RawBody(body): RawBody,
) -> Result<Json<Value>> {
    let input = match body.trim_ascii() {
        [] => Make::default(),
        text => serde_json::from_slice(text).map_err(|_| AuthError::bad_json())?,
    };
    let made = recovery_codes::issue(&ctx, &app.auth, input.friendly_name.as_deref()).await.map_err(map_invalid)?;
    Ok(Json(view(made)))
}

pub async fn remake(SessionCtx(ctx, _): SessionCtx) -> Result<Json<Value>> {
    Ok(Json(view(recovery_codes::reissue(&ctx).await?)))
}

pub async fn remove(State(app): State<AppState>, SessionCtx(ctx, _): SessionCtx) -> Result<Json<Value>> {
    Ok(Json(json!({ "id": recovery_codes::remove(&ctx, &app.auth).await? })))
}

#[derive(Deserialize)]
pub struct Verify {
    code: Option<String>,
}

pub async fn verify(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Body(input): Body<Verify>,
) -> Result<SessionView> {
    let code = non_empty(input.code.as_ref()).unwrap_or("");
    let granted = recovery_codes::verify(&ctx, &app.auth, code).await.map_err(|e| {
        let error = AuthError::from(e);
        match (error.code(), error.status()) {
            (_, StatusCode::TOO_MANY_REQUESTS) => error.with_code("mfa_recovery_codes_locked"),
            ("mfa_verification_failed", status) => AuthError::new(status, "mfa_verification_failed"),
            _ => error,
        }
    })?;
    Ok(granted.into())
}

fn view(made: IssuedCodes) -> Value {
    json!({
        "id": made.factor.id,
        "type": KIND,
        "friendly_name": made.factor.friendly_name,
        "total": made.codes.len(),
        "codes": made.codes,
    })
}
