//! `POST /token` and `POST /logout`: begin, refresh and end sessions.
use super::{
    extract::{AnonymousCtx, Audience, Body, QueryParams, SessionCtx, non_empty, phone_disabled},
    view::SessionView,
};
use crate::{
    auth_error::{AuthError, Result},
    rate_limit::RateLimitKey,
    state::AppState,
};
use axum::{extract::State, http::StatusCode};
use domain::accounts::auth::{self, SignOutScope, flows};
use serde::Deserialize;

/// The fields of all grants.
#[derive(Deserialize)]
pub struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    refresh_token: Option<String>,
    auth_code: Option<String>,
    code_verifier: Option<String>,
}

pub async fn token(
    State(app): State<AppState>,
    params: QueryParams,
    AnonymousCtx(ctx): AnonymousCtx,
    Audience(ours): Audience,
    Body(input): Body<Input>,
) -> Result<SessionView> {
    let granted = match params.get("grant_type") {
        Some("password") => {
            let email = password_grant_email(&input)?;
            // No account has another audience.
            let email = if ours { email } else { "" };
            auth::sign_in(&ctx, &app.auth, email, input.password.as_deref().unwrap_or("")).await
        }
        Some("refresh_token") => {
            let token = input.refresh_token.as_deref().unwrap_or("");
            if let Some(owner) = auth::session_owner(&ctx, &app.auth, token).await? {
                app.auth_rate_limits.account(RateLimitKey::REFRESH, &owner.to_string())?;
            }
            auth::refresh(&ctx, &app.auth, token).await
        }
        Some("pkce") => match (non_empty(input.auth_code.as_ref()), non_empty(input.code_verifier.as_ref())) {
            (Some(code), Some(verifier)) => flows::exchange(&ctx, &app.auth, code, verifier).await,
            _ => {
                return Err(AuthError::validation(
                    "invalid request: both auth code and code verifier should be non-empty",
                ));
            }
        },
        Some("id_token") => {
            return Err(AuthError::fixed(StatusCode::BAD_REQUEST, "provider_disabled", "This provider is not enabled"));
        }
        Some("web3") => {
            return Err(AuthError::fixed(
                StatusCode::UNPROCESSABLE_ENTITY,
                "web3_provider_disabled",
                "Web3 provider is disabled",
            ));
        }
        _ => return Err(AuthError::fixed(StatusCode::BAD_REQUEST, "invalid_credentials", "Unsupported grant type")),
    };
    granted.map(SessionView::from).map_err(|e| {
        let error = AuthError::from(e);
        // A suspended account is 403 with an access token and 400 at sign-in.
        if error.code() == "user_banned" { error.with_status(StatusCode::BAD_REQUEST) } else { error }
    })
}

/// The email address of a password grant; phone sign-in is not supported.
fn password_grant_email(input: &Input) -> Result<&str> {
    match (non_empty(input.email.as_ref()), non_empty(input.phone.as_ref())) {
        (Some(email), None) => Ok(email),
        (None, Some(_)) => Err(phone_disabled(StatusCode::UNPROCESSABLE_ENTITY)),
        (Some(_), Some(_)) => {
            Err(AuthError::validation("Only an email address or phone number should be provided on login."))
        }
        (None, None) => Err(AuthError::validation("missing email or phone")),
    }
}

pub async fn logout(
    State(app): State<AppState>,
    params: QueryParams,
    SessionCtx(ctx, _): SessionCtx,
) -> Result<StatusCode> {
    let which = match params.get("scope") {
        None | Some("global") => SignOutScope::Global,
        Some("local") => SignOutScope::Local,
        Some("others") => SignOutScope::Others,
        Some(_) => return Err(AuthError::validation("Unsupported logout scope")),
    };
    auth::sign_out(&ctx, &app.auth, which).await.map_err(|error| {
        let error = AuthError::from(error);
        // The client takes 403 for signed out, although no session ended.
        let stays = error.code() == "insufficient_aal";
        if stays { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
    })?;
    Ok(StatusCode::NO_CONTENT)
}
