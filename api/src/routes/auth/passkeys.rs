//! `/passkeys`: sign-in with a passkey, and the passkeys of an account.
use super::{
    admin::{self, Admin, map_error},
    extract::{AnonymousCtx, Body, Path, SessionCtx, non_empty},
    factors::map_invalid,
    view::SessionView,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    Error,
    accounts::auth::passkeys::{self, Ceremony, DeviceKind, Passkey},
    kernel::ids::{ChallengeId, FactorId},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A passkey; never its credential.
#[derive(Serialize)]
pub struct PasskeyView {
    id: FactorId,
    friendly_name: String,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<DateTime<Utc>>,
    /// Ours, as the next one.
    device_kind: DeviceKind,
    /// Whether it is verified after a password, too.
    second_factor: bool,
}

impl From<Passkey> for PasskeyView {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id,
            friendly_name: passkey.friendly_name,
            created_at: passkey.created_at,
            last_used_at: passkey.last_used_at,
            device_kind: passkey.device_kind,
            second_factor: passkey.second_factor,
        }
    }
}

/// A challenge and the browser's response to it.
#[derive(Deserialize)]
pub struct Response {
    challenge_id: Option<String>,
    credential: Option<Value>,
}

impl Response {
    fn read(&self) -> Result<(ChallengeId, &Value)> {
        let id = non_empty(self.challenge_id.as_ref()).ok_or(AuthError::validation("challenge_id is required"))?;
        let credential = self.credential.as_ref().filter(|credential| !credential.is_null());
        let credential = credential.ok_or(AuthError::validation("credential is required"))?;
        let id = id.parse().map_err(|_| AuthError::validation("challenge_id must be a valid UUID"))?;
        Ok((id, credential))
    }
}

fn ceremony(made: Ceremony) -> Json<Value> {
    Json(json!({ "challenge_id": made.id, "options": made.options, "expires_at": made.expires_at.timestamp() }))
}

/// Reads no body.
pub async fn registration_options(SessionCtx(ctx, _): SessionCtx) -> Result<Json<Value>> {
    Ok(ceremony(passkeys::start_registration(&ctx).await?))
}

pub async fn register(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Body(input): Body<Response>,
) -> Result<Json<PasskeyView>> {
    let (challenge, credential) = input.read()?;
    Ok(Json(passkeys::register(&ctx, &app.auth, challenge, credential).await?.into()))
}

/// Reads no body: the browser knows the accounts.
pub async fn sign_in_options(AnonymousCtx(ctx): AnonymousCtx) -> Result<Json<Value>> {
    Ok(ceremony(passkeys::start_sign_in(&ctx).await?))
}

pub async fn sign_in(
    State(app): State<AppState>,
    AnonymousCtx(ctx): AnonymousCtx,
    Body(input): Body<Response>,
) -> Result<SessionView> {
    let (challenge, credential) = input.read()?;
    let granted = passkeys::sign_in(&ctx, &app.auth, challenge, credential).await.map_err(|error| {
        let error = AuthError::from(error);
        if error.code() == "email_not_confirmed" { error.with_status(StatusCode::FORBIDDEN) } else { error }
    })?;
    Ok(granted.into())
}

pub async fn list(SessionCtx(ctx, _): SessionCtx) -> Result<Json<Vec<PasskeyView>>> {
    Ok(Json(passkeys::list(&ctx).await?.into_iter().map(PasskeyView::from).collect()))
}

#[derive(Deserialize)]
pub struct Rename {
    friendly_name: Option<String>,
}

pub async fn rename(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
    Body(input): Body<Rename>,
) -> Result<Json<PasskeyView>> {
    let id = passkey_id(&id)?;
    let name = non_empty(input.friendly_name.as_ref()).ok_or(AuthError::validation("friendly_name is required"))?;
    Ok(Json(passkeys::rename(&ctx, &app.auth, id, name).await.map_err(not_found)?.into()))
}

pub async fn remove(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    passkeys::remove(&ctx, &app.auth, passkey_id(&id)?).await.map_err(not_found)?;
    Ok(StatusCode::NO_CONTENT)
}

/// The passkeys of an account that is not archived.
pub async fn list_of(Path(user): Path<String>, Admin(ctx): Admin) -> Result<Json<Vec<PasskeyView>>> {
    let user = domain::accounts::auth::admin::get(&ctx, admin::id(&user)?).await.map_err(map_error)?;
    let found = passkeys::list_of(&ctx, user.id).await.map_err(map_error)?;
    Ok(Json(found.into_iter().map(PasskeyView::from).collect()))
}

pub async fn remove_for_user(
    State(app): State<AppState>,
    Path((user, passkey)): Path<(String, String)>,
    Admin(ctx): Admin,
) -> Result<StatusCode> {
    let user = domain::accounts::auth::admin::get(&ctx, admin::id(&user)?).await.map_err(map_error)?;
    passkeys::remove_for_user(&ctx, user.id, passkey_id(&passkey)?).await.map_err(not_found)?;
    app.auth.token_cache.forget_user(user.id);
    Ok(StatusCode::NO_CONTENT)
}

fn unknown() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "validation_failed", "Passkey not found")
}

fn passkey_id(id: &str) -> Result<FactorId> {
    id.parse().map_err(|_| unknown())
}

fn not_found(error: Error) -> AuthError {
    match error {
        Error::NotFound(_) => unknown(),
        error => map_invalid(error),
    }
}
