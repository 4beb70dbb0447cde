//! `/auth/v1`: the wire protocol of `@supabase/auth-js`. Its shapes only; what is true is `domain::accounts::auth`'s.
//!
//! The protocol has its own error bodies ([`error`]) and its own reading of requests ([`extract`]).
mod admin;
mod error;
mod extract;
mod factors;
mod identities;
mod mail;
mod off;
mod provider;
mod public;
mod recovery_codes;
pub mod redirect;
mod sent_on;
mod sessions;
mod signup;
mod sso;
mod token;
mod user;
mod verify;
mod view;

pub use error::refusal;

use crate::{language::preferred, limits::Bucket, middleware::About, state::App};
use axum::{
    Router,
    extract::{FromRequestParts, Request, State},
    http::{HeaderValue, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::{any, delete, get, post},
};
use redirect::RedirectTo;
use std::sync::Arc;

/// Everything under `/auth/v1`.
pub fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/token", post(token::token))
        .route("/logout", post(token::logout))
        .route("/user", get(user::get).put(user::update))
        .route("/recover", post(mail::recover))
        .route("/verify", get(verify::forward).post(verify::verify))
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
        .route("/signup", post(signup::signup))
        .route("/otp", post(mail::otp))
        .route("/magiclink", post(mail::otp))
        .route("/reauthenticate", get(mail::reauthenticate).post(user::reauthenticate))
        .route("/.well-known/jwks.json", get(public::jwks))
        .route("/health", get(public::health))
        .route("/settings", get(public::settings))
        // What is off answers its refusal, so that the client words it.
        .route("/authorize", get(provider::authorize))
        .route("/callback", get(provider::callback).post(provider::callback))
        .route("/sso", post(sso::sso))
        .route("/saml/{*rest}", get(off::saml).post(off::saml))
        .route("/oauth/{*rest}", any(off::oauth_server))
        .route("/user/identities/authorize", get(identities::authorize))
        .route("/user/identities/{id}", delete(identities::unlink))
        .route("/invite", post(admin::invite))
        .route("/admin/users", get(admin::list).post(admin::create))
        .route("/admin/users/{id}", get(admin::get).put(admin::update).delete(admin::delete))
        .route("/admin/users/{id}/factors", get(admin::factors))
        .route("/admin/users/{id}/factors/{factor}", delete(admin::remove_factor))
        .route("/admin/generate_link", post(admin::generate_link))
        .route("/admin/audit", get(admin::audit))
        .route("/admin/oauth/{*rest}", any(off::oauth_clients))
        .route("/admin/{*rest}", any(off::admin))
        .fallback(off::nothing_here)
        .method_not_allowed_fallback(off::method_not_allowed)
        .layer(axum::middleware::from_fn_with_state(app.clone(), limit))
        .layer(axum::middleware::from_fn_with_state(app.clone(), error::word))
}

/// Sends away whose address asks too often, and notes how this route is counted for whoever learns the account.
async fn limit(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let uri = request.uri();
    let Some(bucket) = Bucket::of(request.method(), uri.path(), uri.query().unwrap_or("")) else {
        return next.run(request).await;
    };
    if let Some(about) = request.extensions().get::<Arc<About>>()
        && let Err(error) = app.limits.address(bucket, about.address)
    {
        let error = error::AuthError::from(error);
        if bucket.is_visited() {
            return turned_back(&app, &error, request.into_parts().0).await;
        }
        return error.into_response();
    }
    request.extensions_mut().insert(bucket);
    next.run(request).await
}

/// A browser shows no answer that is no page: it goes back where it asked to go, or to our first page. A way back from
/// a provider names no place, and is asked no further: its flow stays as it is, and the same address may be opened again.
async fn turned_back(app: &App, error: &error::AuthError, mut parts: Parts) -> Response {
    let Ok(to) = RedirectTo::from_request_parts(&mut parts, app).await;
    let language = preferred(parts.headers.get(header::ACCEPT_LANGUAGE));
    let mut response = sent_on::found(&error.as_redirect(to.url(), language));
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
