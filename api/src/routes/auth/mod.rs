//! Auth API (`/auth/v1`): the wire protocol of `@supabase/auth-js`, over the use cases of `domain::accounts::auth`. It has
//! error bodies ([`crate::auth_error`]) and extractors ([`extract`]) of its own.
mod admin;
mod extract;
mod factors;
mod identities;
mod mail;
mod passkeys;
mod provider;
mod public;
mod recovery_codes;
mod redirect;
mod redirect_response;
mod sessions;
mod signup;
mod sso;
mod token;
mod unsupported;
mod user;
mod verify;
mod view;

use crate::{
    auth_error::{AuthError, render_errors},
    language::negotiate_language,
    rate_limit::RateLimitKey,
    request_meta::RequestMeta,
    state::AppState,
};
use axum::{
    Router,
    extract::{FromRequestParts, Request, State},
    http::{HeaderValue, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
    routing::{any, delete, get, patch, post},
};
use redirect::RedirectTo;
use std::sync::Arc;

/// Everything under `/auth/v1`.
pub fn router(app: &AppState) -> Router<AppState> {
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
        .route("/passkeys", get(passkeys::list))
        .route("/passkeys/{id}", patch(passkeys::rename).delete(passkeys::remove))
        .route("/passkeys/registration/options", post(passkeys::registration_options))
        .route("/passkeys/registration/verify", post(passkeys::register))
        .route("/passkeys/authentication/options", post(passkeys::sign_in_options))
        .route("/passkeys/authentication/verify", post(passkeys::sign_in))
        .route("/signup", post(signup::signup))
        .route("/otp", post(mail::otp))
        .route("/magiclink", post(mail::otp))
        .route("/reauthenticate", get(mail::reauthenticate).post(user::reauthenticate))
        .route("/.well-known/jwks.json", get(public::jwks))
        .route("/health", get(public::health))
        .route("/settings", get(public::settings))
        // Unsupported features answer the error that the client knows.
        .route("/authorize", get(provider::authorize))
        .route("/callback", get(provider::callback).post(provider::callback))
        .route("/sso", post(sso::sso))
        .route("/saml/{*rest}", get(unsupported::saml).post(unsupported::saml))
        .route("/oauth/{*rest}", any(unsupported::oauth_server))
        .route("/user/identities/authorize", get(identities::authorize))
        .route("/user/identities/{id}", delete(identities::unlink))
        .route("/invite", post(admin::invite))
        .route("/admin/users", get(admin::list).post(admin::create))
        .route("/admin/users/{id}", get(admin::get).put(admin::update).delete(admin::delete))
        .route("/admin/users/{id}/factors", get(admin::factors))
        .route("/admin/users/{id}/factors/{factor}", delete(admin::remove_factor))
        .route("/admin/users/{id}/passkeys", get(passkeys::list_of))
        .route("/admin/users/{id}/passkeys/{passkey}", delete(passkeys::remove_for_user))
        .route("/admin/generate_link", post(admin::generate_link))
        .route("/admin/audit", get(admin::audit))
        .route("/admin/oauth/{*rest}", any(unsupported::oauth_clients))
        .route("/admin/{*rest}", any(unsupported::admin))
        .fallback(unsupported::not_found)
        .method_not_allowed_fallback(unsupported::method_not_allowed)
        .layer(axum::middleware::from_fn_with_state(app.clone(), limit_rate))
        .layer(axum::middleware::from_fn_with_state(app.clone(), render_errors))
}

/// Applies the rate limit per address and passes the key on to the extractor that learns the account.
async fn limit_rate(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let uri = request.uri();
    let Some(key) = RateLimitKey::of(request.method(), uri.path(), uri.query().unwrap_or("")) else {
        return next.run(request).await;
    };
    if let Some(meta) = request.extensions().get::<Arc<RequestMeta>>()
        && let Err(error) = app.auth_rate_limits.address(key, meta.client_ip)
    {
        let error = AuthError::from(error);
        if key.is_visited() {
            return redirect_error(&app, &error, request.into_parts().0).await;
        }
        return error.into_response();
    }
    request.extensions_mut().insert(key);
    next.run(request).await
}

/// Redirects a browser with the error, to `redirect_to` or to our first page. A callback's flow is not consumed, so the same
/// URL can be opened again.
async fn redirect_error(app: &AppState, error: &AuthError, mut parts: Parts) -> Response {
    let Ok(to) = RedirectTo::from_request_parts(&mut parts, app).await;
    let language = negotiate_language(parts.headers.get(header::ACCEPT_LANGUAGE));
    let mut response = redirect_response::found(&error.redirect_url(to.url(), language));
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
