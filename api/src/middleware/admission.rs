//! Admission: rejects blocked IP addresses, writes during impersonation (read-only) and writes during maintenance, before
//! any handler runs and whatever the route.
use crate::{
    auth_error,
    error::ApiError,
    extract::bearer,
    language::negotiate_language,
    request_meta::{RequestMeta, is_api_path},
    state::AppState,
};
use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Actor, Error,
    accounts::{admission::AdmissionPolicy, auth::admin},
    kernel::{error::Problem, i18n},
};
use serde_json::Map;

/// The only write that is allowed during impersonation.
const END_IMPERSONATION_PATH: &str = "/rest/v1/impersonation/end";
/// GET routes that write: they send a mail or begin a flow.
const WRITING_GETS: [&str; 2] = ["/auth/v1/reauthenticate", "/auth/v1/user/identities/authorize"];
/// Sign-in and sign-out stay open during maintenance, so that a super admin can sign in.
const SIGN_IN_PATHS: [&str; 11] = [
    "/auth/v1/token",
    "/auth/v1/logout",
    "/auth/v1/verify",
    "/auth/v1/otp",
    "/auth/v1/magiclink",
    "/auth/v1/recover",
    "/auth/v1/callback",
    "/auth/v1/sso",
    "/auth/v1/factors/recovery-codes/verify",
    "/auth/v1/passkeys/authentication/options",
    "/auth/v1/passkeys/authentication/verify",
];

/// The parts of a request that the check reads: never the body.
#[derive(Clone, Copy, Debug)]
pub struct RequestInfo<'a> {
    pub method: &'a Method,
    pub path: &'a str,
    pub headers: &'a HeaderMap,
}

/// The response to a request that is not admitted; none for the others.
pub async fn check(app: &AppState, info: RequestInfo<'_>, meta: &RequestMeta) -> Option<Response> {
    // Health checks must answer whatever the state of the portal.
    if matches!(info.path, "/healthz" | "/readyz") {
        return None;
    }
    let gate = app.auth.token_cache.admission.get(&app.db, app.clock.now()).await;
    if gate.is_blocked(meta.client_ip) {
        return Some(blocked(info, meta));
    }
    if !is_write(info.method, info.path) {
        return None;
    }
    let error = refuse_write(app, info, meta, &gate).await?;
    Some(rejection(info, meta, error))
}

/// `read_only` during impersonation; `maintenance` for all but super admins and service tokens.
async fn refuse_write(
    app: &AppState,
    info: RequestInfo<'_>,
    meta: &RequestMeta,
    gate: &AdmissionPolicy,
) -> Option<Error> {
    let token = bearer(info.headers);
    let user = match token {
        Some(token) => app.authenticate(token).await.ok(),
        None => None,
    };
    if let Some(user) = &user {
        meta.set_signed_in(user);
        if user.impersonator.is_some() {
            return (info.path != END_IMPERSONATION_PATH).then(|| Error::forbidden("read_only"));
        }
    }
    let maintenance = gate.maintenance.as_ref()?;
    if is_sign_in(info.path) || user.is_some_and(|user| user.may_write_in_maintenance()) || is_service(app, token).await
    {
        return None;
    }
    let problem = Problem::new("maintenance");
    let problem = maintenance.message.iter().fold(problem, |problem, text| problem.with("text", text.clone()));
    Some(Error::Conflict(problem))
}

fn is_write(method: &Method, path: &str) -> bool {
    let writes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) && !is_link_creation(method, path);
    writes || WRITING_GETS.contains(&path)
}

/// A file link is only a signature: nothing is written, and an impersonator may read files.
fn is_link_creation(method: &Method, path: &str) -> bool {
    let version = path.strip_prefix("/storage/v1/versions/").and_then(|rest| rest.strip_suffix("/link"));
    *method == Method::POST && version.is_some_and(|id| !id.contains('/'))
}

fn is_sign_in(path: &str) -> bool {
    let is_factor = path
        .strip_prefix("/auth/v1/factors/")
        .is_some_and(|rest| rest.split_once('/').is_some_and(|(_, verb)| verb == "challenge" || verb == "verify"));
    is_factor || SIGN_IN_PATHS.contains(&path)
}

/// Whether this is a service token.
async fn is_service(app: &AppState, token: Option<&str>) -> bool {
    let Some(token) = token else { return false };
    let actor = admin::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await;
    matches!(actor, Ok(Actor::Service))
}

fn blocked(info: RequestInfo<'_>, meta: &RequestMeta) -> Response {
    if is_api_path(info.path) {
        return rejection(info, meta, Error::forbidden("address_blocked"));
    }
    // A browser gets plain text: a page would have to load files.
    let language = negotiate_language(info.headers.get(header::ACCEPT_LANGUAGE));
    let text = i18n::text(language, "errors", "address_blocked", &Map::new());
    let mut response = (StatusCode::FORBIDDEN, text).into_response();
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The error in the shape that the path's protocol has.
fn rejection(info: RequestInfo<'_>, meta: &RequestMeta, error: Error) -> Response {
    if info.path.starts_with("/auth/v1/") {
        auth_error::rejection(error, info.headers, meta)
    } else {
        ApiError::from(error).into_response()
    }
}
