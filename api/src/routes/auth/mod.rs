//! `/auth/v1`: the wire protocol of `@supabase/auth-js`. Its shapes only; what is true is `domain::auth`'s.
//!
//! The protocol has its own error bodies ([`error`]) and its own reading of requests ([`extract`]).
mod error;
mod extract;
mod factors;
mod mail;
mod off;
mod public;
mod recovery_codes;
mod sessions;
mod token;
mod user;
mod view;

use crate::state::App;
use axum::{
    Router,
    routing::{delete, get, post, put},
};

/// Everything under `/auth/v1`.
pub fn router() -> Router<App> {
    Router::new()
        .route("/token", post(token::token))
        .route("/logout", post(token::logout))
        .route("/user", get(user::get).put(user::update))
        .route("/recover", post(mail::recover))
        .route("/verify", get(mail::forward).post(mail::verify))
        .route("/resend", post(mail::resend))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}", delete(sessions::end))
        .route("/factors", post(factors::enroll))
        .route("/factors/{id}", delete(factors::unenroll))
        .route("/factors/{id}/challenge", post(factors::challenge))
        .route("/factors/{id}/verify", post(factors::verify))
        .route(
            "/factors/recovery-codes",
            get(recovery_codes::status).post(recovery_codes::make).delete(recovery_codes::remove),
        )
        .route("/factors/recovery-codes/verify", post(recovery_codes::verify))
        .route("/factors/recovery-codes/regenerate", post(recovery_codes::remake))
        .route("/.well-known/jwks.json", get(public::jwks))
        .route("/health", get(public::health))
        .route("/settings", get(public::settings))
        // What is off answers its refusal, so that the client words it.
        .route("/signup", post(off::signup))
        .route("/otp", post(off::otp))
        .route("/magiclink", post(off::otp))
        .route("/reauthenticate", get(off::reauthenticate))
        .route("/authorize", get(off::authorize))
        .route("/callback", get(off::callback).post(off::callback))
        .route("/sso", post(off::saml))
        .route("/saml/{*rest}", get(off::saml).post(off::saml))
        .route("/user/identities/authorize", get(off::linking))
        .route("/user/identities/{id}", delete(off::linking))
        .route("/invite", post(off::admin))
        .route("/admin/{*rest}", get(off::admin).post(off::admin).merge(put(off::admin)).merge(delete(off::admin)))
        .fallback(off::nothing_here)
        .method_not_allowed_fallback(off::method_not_allowed)
        .layer(axum::middleware::from_fn(error::word))
}
