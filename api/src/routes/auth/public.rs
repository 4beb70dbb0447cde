//! Public endpoints: signing keys (JWKS), health, settings.
use crate::state::AppState;
use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::accounts::auth::passkeys::relying_party;
use serde_json::{Value, json};

pub async fn jwks(State(app): State<AppState>) -> Response {
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(app.auth.keys.jwks())).into_response()
}

pub async fn health() -> Json<Value> {
    Json(json!({
        "version": concat!("v", env!("CARGO_PKG_VERSION")),
        "name": "SPV Portal",
        "description": "Sign-in of the SPV portal",
    }))
}

pub async fn settings(State(app): State<AppState>) -> Json<Value> {
    let is_on = |wire: &str| app.providers.get(wire).is_some();
    Json(json!({
        "external": {
            "email": true, "phone": false, "anonymous_users": false, "google": is_on("google"), "azure": is_on("azure"),
        },
        "disable_signup": !app.options.signup,
        "mailer_autoconfirm": app.options.autoconfirm,
        "phone_autoconfirm": false,
        "sms_provider": "",
        "saml_enabled": false,
        "mfa_enabled": true,
        "passkeys_enabled": relying_party::check(&app.options.public_url).is_ok(),
    }))
}
