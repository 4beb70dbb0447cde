//! What is not switched on. Each answers the refusal that the client knows, so that it is an answer and no riddle.
use super::{
    error::AuthError,
    extract::{Body, Somebody},
    mail::see_other,
};
use crate::{extract::bearer, state::App};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use domain::Error;
use serde::Deserialize;

const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

/// Accounts are made by staff.
pub async fn signup() -> AuthError {
    AuthError::fixed(UNPROCESSABLE, "signup_disabled", "Signups not allowed for this instance")
}

#[derive(Deserialize)]
pub struct Otp {
    phone: Option<String>,
}

/// Magic links, by mail or by phone.
pub async fn otp(Body(input): Body<Otp>) -> AuthError {
    match input.phone {
        Some(phone) if !phone.is_empty() => {
            AuthError::fixed(StatusCode::BAD_REQUEST, "phone_provider_disabled", "Unsupported phone provider")
        }
        _ => AuthError::fixed(UNPROCESSABLE, "otp_disabled", "Signups not allowed for otp"),
    }
}

/// No change asks for it.
pub async fn reauthenticate(_: Somebody) -> AuthError {
    AuthError::validation("Reauthentication is not required")
}

pub async fn authorize() -> AuthError {
    AuthError::validation("Unsupported provider: provider is not enabled")
}

/// Nobody was sent to a provider, so nobody can come back from one.
pub async fn callback(State(app): State<App>) -> Response {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("error", "invalid_request")
        .append_pair("error_code", "bad_oauth_state")
        .append_pair("error_description", "OAuth state parameter is invalid")
        .finish();
    see_other(&format!("{}/?{query}", app.options.public_url))
}

pub async fn saml() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "saml_provider_disabled", "SAML 2.0 is disabled")
}

pub async fn linking(_: Somebody) -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "manual_linking_disabled", "Manual linking is disabled")
}

/// Service tokens and super admins come here once the admin routes are built; until then nobody does.
pub async fn admin(headers: HeaderMap) -> AuthError {
    match bearer(&headers) {
        None => Error::unauthenticated("no_authorization").into(),
        Some(_) => AuthError::new(StatusCode::FORBIDDEN, "not_admin"),
    }
}

pub async fn nothing_here() -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, "not_found")
}

pub async fn method_not_allowed() -> AuthError {
    AuthError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed")
}
