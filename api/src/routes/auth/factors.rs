//! `/factors`: authenticator apps, added, shown and removed.
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
    Error,
    accounts::auth::factors,
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
            return Err(AuthError::fixed(
                UNPROCESSABLE,
                "mfa_webauthn_enroll_not_enabled",
                "MFA enroll is disabled for WebAuthn",
            ));
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

/// Reads no body.
pub async fn challenge(SessionCtx(ctx, _): SessionCtx, Path(id): Path<String>) -> Result<Json<Value>> {
    let made = factors::challenge(&ctx, factor(&id)?).await?;
    Ok(Json(json!({ "id": made.id, "type": "totp", "expires_at": made.expires_at.timestamp() })))
}

#[derive(Deserialize)]
pub struct Verify {
    challenge_id: Option<String>,
    code: Option<String>,
}

pub async fn verify(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
    Body(input): Body<Verify>,
) -> Result<SessionView> {
    let id = factor(&id)?;
    let code = non_empty(input.code.as_ref()).ok_or(AuthError::validation("Code needs to be non-empty"))?;
    let challenge: ChallengeId = non_empty(input.challenge_id.as_ref())
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| AuthError::from(Error::conflict("mfa_challenge_not_found")))?;
    let granted = factors::verify(&ctx, &app.auth, id, challenge, code).await.map_err(|e| {
        let error = AuthError::from(e);
        if error.code() == "mfa_factor_not_found" { error.with_status(UNPROCESSABLE) } else { error }
    })?;
    Ok(granted.into())
}

pub async fn unenroll(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    let id = factor(&id)?;
    factors::unenroll(&ctx, &app.auth, id).await.map_err(|e| {
        let error = AuthError::from(e);
        if error.code() == "insufficient_aal" { error.with_status(UNPROCESSABLE) } else { error }
    })?;
    Ok(Json(json!({ "id": id })))
}

fn factor(id: &str) -> Result<FactorId> {
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
