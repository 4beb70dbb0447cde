//! Features of the auth protocol that are not supported: each answers the error that the client knows.
use super::admin::Admin;
use crate::auth_error::AuthError;
use axum::http::StatusCode;

pub async fn saml() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "saml_provider_disabled", "SAML 2.0 is disabled")
}

pub async fn oauth_server() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "feature_disabled", "OAuth server is disabled")
}

/// OAuth clients: administrators only, and there are none.
pub async fn oauth_clients(_: Admin) -> AuthError {
    oauth_server().await
}

/// Other admin routes of the protocol.
pub async fn admin(_: Admin) -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, "not_found")
}

pub async fn not_found() -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, "not_found")
}

pub async fn method_not_allowed() -> AuthError {
    AuthError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed")
}
