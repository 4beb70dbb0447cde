//! `/factors`: authenticator apps and passkeys as second factors, added, shown and removed.
use super::{
    extract::{Body, Path, SessionCtx, non_empty},
    view::SessionView,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    Ctx, Error,
    accounts::auth::{factors, passkeys::factor},
    kernel::ids::{ChallengeId, FactorId},
};
use qrcode::{QrCode, render::svg};
use serde::Deserialize;
use serde_json::{Value, json};

const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[derive(Deserialize)]
pub struct Enroll {
    factor_type: Option<String>,
    friendly_name: Option<String>,
    issuer: Option<String>,
}

pub async fn enroll(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Body(input): Body<Enroll>,
) -> Result<Json<Value>> {
    match non_empty(input.factor_type.as_ref()) {
        Some("totp") => {}
        Some("phone") => {
            return Err(AuthError::fixed(
                UNPROCESSABLE,
                "mfa_phone_enroll_not_enabled",
                "MFA enroll is disabled for Phone",
            ));
        }
        Some("webauthn") => {
            let made =
                factor::enroll(&ctx, input.friendly_name.as_deref()).await.map_err(map_invalid).map_err(|error| {
                    passkeys_off(error, "mfa_webauthn_enroll_not_enabled", "MFA enroll is disabled for WebAuthn")
                })?;
            return Ok(Json(json!({ "id": made.id, "type": made.kind.name(), "friendly_name": made.friendly_name })));
        }
        _ => return Err(AuthError::validation("factor_type needs to be totp, phone, or webauthn")),
    }
    let made = factors::enroll(&ctx, &app.auth, input.friendly_name.as_deref(), input.issuer.as_deref())
        .await
        .map_err(map_invalid)?;
    Ok(Json(json!({
        "id": made.factor.id,
        "type": "totp",
        "friendly_name": made.factor.friendly_name,
        "totp": { "qr_code": qr_code(&made.uri)?, "secret": made.secret, "uri": made.uri },
    })))
}

/// The error of the route where the portal's URL allows no passkeys.
fn passkeys_off(error: AuthError, code: &'static str, text: &'static str) -> AuthError {
    if error.code() == "passkey_disabled" { AuthError::fixed(UNPROCESSABLE, code, text) } else { error }
}

fn verification_off(error: AuthError) -> AuthError {
    passkeys_off(error, "mfa_webauthn_verify_not_enabled", "MFA verification is disabled for WebAuthn")
}

/// Reads no body: the relying party is the portal's, whatever the client names.
pub async fn challenge(SessionCtx(ctx, _): SessionCtx, Path(id): Path<String>) -> Result<Json<Value>> {
    let id = factor_id(&id)?;
    if factor::is_passkey(&ctx, id).await? {
        let (kind, made) = factor::challenge(&ctx, id).await.map_err(|e| verification_off(e.into()))?;
        return Ok(Json(json!({
            "id": made.id,
            "type": "webauthn",
            "expires_at": made.expires_at.timestamp(),
            "webauthn": { "type": kind.name(), "credential_options": { "publicKey": made.options } },
        })));
    }
    let made = factors::challenge(&ctx, id).await?;
    Ok(Json(json!({ "id": made.id, "type": "totp", "expires_at": made.expires_at.timestamp() })))
}

#[derive(Deserialize)]
pub struct Verify {
    challenge_id: Option<String>,
    code: Option<String>,
    webauthn: Option<VerifyWebauthn>,
}

#[derive(Deserialize)]
struct VerifyWebauthn {
    r#type: Option<String>,
    credential_response: Option<Value>,
}

pub async fn verify(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
    Body(input): Body<Verify>,
) -> Result<SessionView> {
    let id = factor_id(&id)?;
    if factor::is_passkey(&ctx, id).await? {
        return verify_passkey(&app, &ctx, id, &input).await;
    }
    let code = non_empty(input.code.as_ref()).ok_or(AuthError::validation("Code needs to be non-empty"))?;
    let challenge = challenge_id(&input)?;
    let granted = factors::verify(&ctx, &app.auth, id, challenge, code).await.map_err(unprocessable_if_gone)?;
    Ok(granted.into())
}

fn challenge_id(input: &Verify) -> Result<ChallengeId> {
    non_empty(input.challenge_id.as_ref())
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| AuthError::from(Error::conflict("mfa_challenge_not_found")))
}

fn unprocessable_if_gone(error: Error) -> AuthError {
    let error = AuthError::from(error);
    if error.code() == "mfa_factor_not_found" { error.with_status(UNPROCESSABLE) } else { error }
}

async fn verify_passkey(app: &AppState, ctx: &Ctx, id: FactorId, input: &Verify) -> Result<SessionView> {
    let given = input.webauthn.as_ref().ok_or(AuthError::validation("WebAuthn config required"))?;
    if !matches!(given.r#type.as_deref(), Some("create" | "request")) {
        return Err(AuthError::validation("WebAuthn type must be create or request"));
    }
    let credential = given.credential_response.as_ref().filter(|credential| !credential.is_null());
    let credential = credential.ok_or(AuthError::validation("credential_response required"))?;
    let granted = factor::verify(ctx, &app.auth, id, challenge_id(input)?, credential).await.map_err(|e| {
        let error = verification_off(unprocessable_if_gone(e));
        match error.code() {
            // The fixed message of the code is about authenticator apps.
            code @ "mfa_verification_failed" => {
                AuthError::with_message_key(UNPROCESSABLE, code, "webauthn_verification_failed")
            }
            _ => error,
        }
    })?;
    Ok(granted.into())
}

pub async fn unenroll(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    let id = factor_id(&id)?;
    factors::unenroll(&ctx, &app.auth, id).await.map_err(|e| {
        let error = AuthError::from(e);
        if error.code() == "insufficient_aal" { error.with_status(UNPROCESSABLE) } else { error }
    })?;
    Ok(Json(json!({ "id": id })))
}

fn factor_id(id: &str) -> Result<FactorId> {
    let wrong = || AuthError::validation("factor_id must be an UUID").with_status(StatusCode::NOT_FOUND);
    id.parse().map_err(|_| wrong())
}

/// Invalid fields are 400 here, not 422.
pub fn map_invalid(error: Error) -> AuthError {
    match error {
        Error::Invalid(_) => AuthError::from(error).with_status(StatusCode::BAD_REQUEST),
        error => error.into(),
    }
}

/// SVG markup without XML declaration: the client makes a data URL of it.
fn qr_code(uri: &str) -> Result<String> {
    let code = QrCode::new(uri).map_err(|e| AuthError::from(Error::internal(e)))?;
    let markup = code.render::<svg::Color>().min_dimensions(200, 200).build();
    // The XML declaration before the element is for files.
    Ok(markup.find("<svg").map_or(markup.clone(), |start| markup[start..].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qr_code_is_plain_svg_markup() {
        let uri =
            format!("otpauth://totp/Portal:{}?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&issuer=Portal", "a".repeat(254));
        let markup = qr_code(&uri).expect("fits");
        assert!(markup.starts_with("<svg ") && markup.ends_with("</svg>"), "{markup}");
        assert!(!markup.contains("style=") && !markup.contains("<script"));
    }
}
