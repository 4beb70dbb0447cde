//! What is not switched on. Each answers the refusal that the client knows, so that it is an answer and no riddle.
use super::{error::AuthError, extract::Somebody, verify::see_other};
use crate::state::App;
use axum::{extract::State, http::StatusCode, response::Response};

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

/// What administrators have elsewhere and nobody has here.
pub async fn admin(_: super::admin::Admin) -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, "not_found")
}

pub async fn nothing_here() -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, "not_found")
}

pub async fn method_not_allowed() -> AuthError {
    AuthError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed")
}
