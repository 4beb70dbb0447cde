//! The door that every request passes before its handler: addresses that are kept out, whoever only looks at the
//! portal as somebody else, and maintenance. The one place where these are asked about, whatever the route.
use crate::{
    error::ApiError,
    extract::bearer,
    language::preferred,
    middleware::{About, is_private},
    routes::auth,
    state::App,
};
use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Actor, Error,
    accounts::admission::Gate,
    kernel::{error::Problem, i18n},
};
use serde_json::Map;

/// What ends looking as somebody else.
pub const END: &str = "/rest/v1/impersonation/end";
/// Reads by their method that change something all the same: a mail is sent, a flow begun.
const CHANGING: [&str; 2] = ["/auth/v1/reauthenticate", "/auth/v1/user/identities/authorize"];
/// Signing in and out goes on during maintenance: how else would a super admin come in?
const SIGN_IN: [&str; 9] = [
    "/auth/v1/token",
    "/auth/v1/logout",
    "/auth/v1/verify",
    "/auth/v1/otp",
    "/auth/v1/magiclink",
    "/auth/v1/recover",
    "/auth/v1/callback",
    "/auth/v1/sso",
    "/auth/v1/factors/recovery-codes/verify",
];

/// What the door sees of a request: never its body.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub method: &'a Method,
    pub path: &'a str,
    pub headers: &'a HeaderMap,
}

/// The refusal of a request that may not come in; none for the others.
pub async fn refuse(app: &App, asked: Asked<'_>, about: &About) -> Option<Response> {
    let path = asked.path;
    // Whoever watches over the portal needs to know that it lives, whatever else is the matter.
    if matches!(path, "/healthz" | "/readyz") {
        return None;
    }
    let gate = app.auth.verified.gate.look(&app.db, app.clock.now()).await;
    if gate.keeps_out(about.address) {
        return Some(kept_out(asked, about));
    }
    if !changes(asked.method, path) {
        return None;
    }
    let refused = not_now(app, asked, about, &gate).await?;
    Some(answer(asked, about, refused))
}

/// Why this change is not made: whoever only looks changes nothing, and during maintenance nobody but super admins does.
async fn not_now(app: &App, asked: Asked<'_>, about: &About, gate: &Gate) -> Option<Error> {
    let path = asked.path;
    let token = bearer(asked.headers);
    let who = match token {
        Some(token) => app.who(token).await.ok(),
        None => None,
    };
    if let Some(user) = &who {
        let _ = about.signed_in.set(user.clone());
        if user.impersonator.is_some() {
            return (path != END).then(|| Error::forbidden("read_only"));
        }
    }
    let maintenance = gate.maintenance.as_ref()?;
    if is_sign_in(path) || who.is_some_and(|user| user.may_write_in_maintenance()) || is_service(app, token).await {
        return None;
    }
    let problem = Problem::new("maintenance");
    let words = maintenance.message.iter().fold(problem, |problem, text| problem.with("text", text.clone()));
    Some(Error::Conflict(words))
}

fn changes(method: &Method, path: &str) -> bool {
    let writes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) && !signs_link(method, path);
    writes || CHANGING.contains(&path)
}

/// A link to a file is but a signature: nothing is written, and whoever may look wants to see the file.
fn signs_link(method: &Method, path: &str) -> bool {
    let version = path.strip_prefix("/storage/v1/versions/").and_then(|rest| rest.strip_suffix("/link"));
    *method == Method::POST && version.is_some_and(|id| !id.contains('/'))
}

fn is_sign_in(path: &str) -> bool {
    let factor = path
        .strip_prefix("/auth/v1/factors/")
        .is_some_and(|rest| rest.split_once('/').is_some_and(|(_, verb)| verb == "challenge" || verb == "verify"));
    factor || SIGN_IN.contains(&path)
}

/// A program of the operator's.
async fn is_service(app: &App, token: Option<&str>) -> bool {
    let Some(token) = token else { return false };
    let who =
        domain::accounts::auth::admin::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await;
    matches!(who, Ok(Actor::Service))
}

fn kept_out(asked: Asked<'_>, about: &About) -> Response {
    if is_private(asked.path) {
        return answer(asked, about, Error::forbidden("address_blocked"));
    }
    // A person at a browser: words, and nothing that would have to be loaded.
    let words = i18n::text(language(asked.headers), "errors", "address_blocked", &Map::new());
    let mut response = (StatusCode::FORBIDDEN, words).into_response();
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// In the words and shape of what was asked for.
fn answer(asked: Asked<'_>, about: &About, error: Error) -> Response {
    if asked.path.starts_with("/auth/v1/") {
        auth::refusal(error, asked.headers, about)
    } else {
        ApiError::from(error).into_response()
    }
}

fn language(headers: &HeaderMap) -> &'static str {
    preferred(headers.get(header::ACCEPT_LANGUAGE))
}
