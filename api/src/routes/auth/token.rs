//! `POST /token` and `POST /logout`: sessions begun, kept up and ended.
use super::{
    error::{AuthError, Result},
    extract::{Asked, Audience, Body, Nobody, Somebody, given},
    view::SessionView,
};
use crate::{limits::Bucket, state::App};
use axum::{extract::State, http::StatusCode};
use domain::accounts::auth::{self, SignOutScope, flows};
use serde::Deserialize;

/// What any grant may send; each looks at its own.
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
    State(app): State<App>,
    asked: Asked,
    Nobody(ctx): Nobody,
    Audience(ours): Audience,
    Body(input): Body<Input>,
) -> Result<SessionView> {
    let granted = match asked.get("grant_type") {
        Some("password") => {
            let email = match (given(input.email.as_ref()), given(input.phone.as_ref())) {
                (Some(email), None) => email,
                (None, Some(_)) => {
                    return Err(AuthError::fixed(
                        StatusCode::UNPROCESSABLE_ENTITY,
                        "phone_provider_disabled",
                        "Phone logins are disabled",
                    ));
                }
                (Some(_), Some(_)) => {
                    return Err(AuthError::validation(
                        "Only an email address or phone number should be provided on login.",
                    ));
                }
                (None, None) => return Err(AuthError::validation("missing email or phone")),
            };
            // Every account is of our audience: of another one there is none.
            let email = if ours { email } else { "" };
            auth::sign_in(&ctx, &app.auth, email, input.password.as_deref().unwrap_or("")).await
        }
        Some("refresh_token") => {
            let token = input.refresh_token.as_deref().unwrap_or("");
            if let Some(owner) = auth::session_owner(&ctx, &app.auth, token).await? {
                app.limits.account(Bucket::REFRESH, &owner.to_string())?;
            }
            auth::refresh(&ctx, &app.auth, token).await
        }
        Some("pkce") => match (given(input.auth_code.as_ref()), given(input.code_verifier.as_ref())) {
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
        // A shut account is 403 to a token that it still has, and 400 to whoever comes for a new one.
        if error.code() == "user_banned" { error.with_status(StatusCode::BAD_REQUEST) } else { error }
    })
}

pub async fn logout(State(app): State<App>, asked: Asked, Somebody(ctx, _): Somebody) -> Result<StatusCode> {
    let which = match asked.get("scope") {
        None | Some("global") => SignOutScope::Global,
        Some("local") => SignOutScope::Local,
        Some("others") => SignOutScope::Others,
        Some(_) => return Err(AuthError::validation("Unsupported logout scope")),
    };
    auth::sign_out(&ctx, &app.auth, which).await.map_err(|error| {
        let error = AuthError::from(error);
        // The client takes 403 for signed out, and would tell that sessions ended which did not.
        let stays = error.code() == "insufficient_aal";
        if stays { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
    })?;
    Ok(StatusCode::NO_CONTENT)
}
