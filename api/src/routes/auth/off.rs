//! What is not switched on. Each answers the refusal that the client knows, so that it is an answer and no riddle.
use super::error::AuthError;
use axum::http::StatusCode;

pub async fn saml() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "saml_provider_disabled", "SAML 2.0 is disabled")
}

pub async fn oauth_server() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "feature_disabled", "OAuth server is disabled")
}

/// Programs that people sign in to with us: an administrator is told that there are none.
pub async fn oauth_clients(_: super::admin::Admin) -> AuthError {
    oauth_server().await
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
