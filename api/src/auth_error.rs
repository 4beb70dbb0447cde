//! Error responses of the auth API (`/auth/v1`): the status, code and shape that `@supabase/auth-js` expects, and the
//! messages that it compares. Every other message comes from the message catalogue.
use crate::{
    error::panic_message, language::negotiate_language, redirect_url::with_params, request_meta::RequestMeta,
    state::AppState,
};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use chrono::NaiveDate;
use domain::{
    Error,
    kernel::{error::Problem, i18n},
};
use futures::FutureExt;
use serde_json::{Value, json};
use std::{panic::AssertUnwindSafe, sync::Arc};

pub type Result<T, E = AuthError> = std::result::Result<T, E>;

/// The API version (a date) that introduced the new error shape.
const NEW_SHAPE_VERSION: &str = "2024-01-01";
const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");
/// `Retry-After` while the database is unavailable.
const RETRY_AFTER_SECONDS: u64 = 2;

/// Why a request under `/auth/v1` failed.
#[derive(Clone, Debug)]
pub struct AuthError {
    status: StatusCode,
    code: &'static str,
    /// A message that the client compares, in English for every language.
    fixed: Option<&'static str>,
    /// The catalogue's key and parameters otherwise.
    problem: Problem,
    retry_after: Option<u64>,
    /// For the log only.
    cause: Option<Arc<Error>>,
}

impl AuthError {
    /// An error with the catalogue's message.
    pub fn new(status: StatusCode, code: &'static str) -> Self {
        Self { status, code, fixed: None, problem: Problem::new(code), retry_after: None, cause: None }
    }

    /// An error with a message that the client compares.
    pub fn fixed(status: StatusCode, code: &'static str, text: &'static str) -> Self {
        Self { fixed: Some(text), ..Self::new(status, code) }
    }

    /// An error with the protocol's code and the message of another catalogue key.
    pub fn with_message_key(status: StatusCode, code: &'static str, key: &'static str) -> Self {
        Self { problem: Problem::new(key), ..Self::new(status, code) }
    }

    /// 400 `validation_failed`.
    pub fn validation(text: &'static str) -> Self {
        Self::fixed(StatusCode::BAD_REQUEST, "validation_failed", text)
    }

    pub fn signup_disabled() -> Self {
        Self::fixed(StatusCode::UNPROCESSABLE_ENTITY, "signup_disabled", "Signups not allowed for this instance")
    }

    pub fn bad_json() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_json")
    }

    pub fn too_large() -> Self {
        Self::with_message_key(StatusCode::PAYLOAD_TOO_LARGE, "request_entity_too_large", "too_large")
    }

    /// The same error with the status that this route gives it.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same error with the code that this route gives it.
    #[must_use]
    pub fn with_code(mut self, code: &'static str) -> Self {
        self.problem.code = code;
        Self { code, ..self }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Sets `Retry-After`.
    #[must_use]
    pub fn with_retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// Seconds until a retry may succeed, where that is known.
    pub fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The redirect URL that carries the error in its query and fragment, for a browser that shows no JSON.
    pub fn redirect_url(&self, to: &str, language: &str) -> String {
        let error = match self.status.as_u16() {
            400 => Some("invalid_request"),
            401 => Some("unauthorized_client"),
            403 => Some("access_denied"),
            500 => Some("server_error"),
            503 => Some("temporarily_unavailable"),
            _ => None,
        };
        let message = self.message(language);
        let mut pairs = Vec::from_iter(error.map(|error| ("error", error)));
        pairs.extend([("error_code", self.code), ("error_description", message.as_str())]);
        let mut fragment = pairs.clone();
        fragment.push(("sb", ""));
        with_params(to, &pairs, &fragment)
    }

    fn message(&self, language: &str) -> String {
        match self.fixed {
            Some(text) => text.to_owned(),
            None if self.code == "weak_password" => weak_password_message(&self.problem, language),
            None => i18n::text(language, "errors", self.problem.code, &self.problem.params),
        }
    }

    fn body(&self, new_shape: bool, language: &str, request_id: &str) -> Value {
        let message = self.message(language);
        let mut body = if new_shape {
            json!({ "code": self.code, "message": message })
        } else {
            json!({ "code": self.status.as_u16(), "error_code": self.code, "msg": message })
        };
        if !new_shape && self.status.is_server_error() {
            body["error_id"] = request_id.into();
        }
        if let ("weak_password", Some(reasons)) = (self.code, self.problem.params.get("reasons")) {
            body["weak_password"] = json!({ "reasons": reasons });
        }
        if let Some(seconds) = self.retry_after {
            body["retry_after"] = seconds.into();
        }
        body["request_id"] = request_id.into();
        body
    }
}

impl From<Error> for AuthError {
    fn from(error: Error) -> Self {
        match error {
            Error::Unauthenticated(problem) | Error::Conflict(problem) | Error::Forbidden(problem) => {
                from_problem(problem)
            }
            Error::Invalid(fields) => {
                let problem = fields.into_iter().next().map_or_else(|| Problem::new("invalid"), |field| field.problem);
                let weak = problem.code == "weak_password";
                let code = if weak { "weak_password" } else { "validation_failed" };
                Self {
                    problem: Problem { code: field_message_key(problem.code), params: problem.params },
                    ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code)
                }
            }
            Error::RateLimited(seconds) => Self {
                problem: Problem::new("too_many_requests").with("seconds", seconds),
                retry_after: Some(seconds),
                ..Self::new(StatusCode::TOO_MANY_REQUESTS, "over_request_rate_limit")
            },
            Error::NotFound(_) => Self::new(StatusCode::NOT_FOUND, "not_found"),
            Error::Unavailable(_) => Self {
                retry_after: Some(RETRY_AFTER_SECONDS),
                cause: Some(Arc::new(error)),
                ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable")
            },
            Error::Internal(_) => Self {
                problem: Problem::new("internal"),
                cause: Some(Arc::new(error)),
                ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected_failure")
            },
        }
    }
}

/// A sentence per reason. `length` has the English text that the client compares.
fn weak_password_message(weak: &Problem, language: &str) -> String {
    let reasons = weak.params.get("reasons").and_then(Value::as_array);
    let min = weak.params.get("min").and_then(Value::as_u64).unwrap_or_default();
    let sentence = |reason: &Value| match reason.as_str() {
        Some("length") => format!("Password should be at least {min} characters."),
        _ => i18n::text(language, "errors", weak.code, &weak.params),
    };
    reasons.into_iter().flatten().map(sentence).collect::<Vec<_>>().join(" ")
}

/// The `weak_password` object of a session begun with a weak password.
pub fn weak_password_view(weak: &Problem, language: &str) -> Value {
    json!({ "message": weak_password_message(weak, language), "reasons": weak.params.get("reasons") })
}

/// The catalogue key for the code of a refused field.
fn field_message_key(code: &'static str) -> &'static str {
    match code {
        "too_long" => "password_too_long",
        "email_local_part" => "email_address_invalid",
        "weak_password" => "weak_password",
        _ => "invalid",
    }
}

/// The protocol's error for a domain error code.
#[expect(clippy::too_many_lines, reason = "a table of codes")]
fn from_problem(problem: Problem) -> AuthError {
    let fixed = AuthError::fixed;
    match problem.code {
        "no_authorization" | "unauthenticated" => {
            fixed(StatusCode::UNAUTHORIZED, "no_authorization", "This endpoint requires a valid Bearer token")
        }
        "bad_jwt" => fixed(StatusCode::FORBIDDEN, "bad_jwt", "invalid JWT: unable to parse or verify signature"),
        "bad_jwt_subject" => fixed(StatusCode::BAD_REQUEST, "bad_jwt", "invalid claim: sub claim must be a UUID"),
        "bad_jwt_audience" => AuthError::validation("Token audience doesn't match request audience"),
        "session_not_found" => {
            fixed(StatusCode::FORBIDDEN, "session_not_found", "Session from session_id claim in JWT does not exist")
        }
        "user_not_found" => fixed(StatusCode::FORBIDDEN, "user_not_found", "User from sub claim in JWT does not exist"),
        "user_banned" => fixed(StatusCode::FORBIDDEN, "user_banned", "User is banned"),
        "invalid_credentials" => fixed(StatusCode::BAD_REQUEST, "invalid_credentials", "Invalid login credentials"),
        "refresh_token_not_valid" => AuthError::validation("Refresh token is not valid"),
        "refresh_token_not_found" => {
            fixed(StatusCode::BAD_REQUEST, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        }
        "refresh_session_not_found" => {
            fixed(StatusCode::BAD_REQUEST, "session_not_found", "Invalid Refresh Token: Session Not Found")
        }
        "refresh_session_expired" => {
            fixed(StatusCode::BAD_REQUEST, "session_expired", "Invalid Refresh Token: Session Expired")
        }
        "refresh_token_already_used" => {
            fixed(StatusCode::BAD_REQUEST, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        }
        "otp_expired" => fixed(StatusCode::FORBIDDEN, "otp_expired", "Token has expired or is invalid"),
        "flow_state_not_found" => {
            fixed(StatusCode::NOT_FOUND, "flow_state_not_found", "invalid flow state, no valid flow state found")
        }
        "flow_state_expired" => {
            fixed(StatusCode::UNPROCESSABLE_ENTITY, "flow_state_expired", "invalid flow state, flow state has expired")
        }
        "bad_code_verifier" => fixed(
            StatusCode::BAD_REQUEST,
            "bad_code_verifier",
            "code challenge does not match previously saved code verifier",
        ),
        "read_only"
        | "address_blocked"
        | "account_in_use"
        | "session_begun_by_administrator"
        | "super_admin_ban"
        | "super_admin_sets_up_alone" => AuthError::new(StatusCode::FORBIDDEN, problem.code),
        "signup_disabled" => AuthError::signup_disabled(),
        "user_already_exists" => {
            fixed(StatusCode::UNPROCESSABLE_ENTITY, "user_already_exists", "User already registered")
        }
        "email_not_confirmed" => AuthError::new(StatusCode::BAD_REQUEST, "email_not_confirmed"),
        "email_taken" => fixed(
            StatusCode::UNPROCESSABLE_ENTITY,
            "email_exists",
            "A user with this email address has already been registered",
        ),
        "over_email_send_rate_limit" => {
            let seconds = problem.params.get("seconds").and_then(Value::as_u64).unwrap_or(60);
            AuthError {
                problem,
                retry_after: Some(seconds),
                ..AuthError::new(StatusCode::TOO_MANY_REQUESTS, "over_email_send_rate_limit")
            }
        }
        "current_password_required" => AuthError::new(StatusCode::BAD_REQUEST, "current_password_required"),
        "reauthentication_needed" => AuthError::new(StatusCode::BAD_REQUEST, "reauthentication_needed"),
        "reauthentication_not_valid" => AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, "reauthentication_not_valid"),
        "same_password" => AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, "same_password"),
        "current_password_invalid" => AuthError::new(StatusCode::BAD_REQUEST, "current_password_invalid"),
        "mfa_verification_failed" => {
            fixed(StatusCode::UNPROCESSABLE_ENTITY, "mfa_verification_failed", "Invalid TOTP code entered")
        }
        "mfa_challenge_not_found" => AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, "mfa_factor_not_found"),
        "mfa_factor_not_found" => AuthError::new(StatusCode::NOT_FOUND, "mfa_factor_not_found"),
        "passkey_disabled" => AuthError::fixed(StatusCode::NOT_FOUND, "passkey_disabled", "Passkeys are disabled"),
        code @ ("webauthn_challenge_expired" | "webauthn_challenge_not_found" | "webauthn_verification_failed") => {
            AuthError::new(StatusCode::BAD_REQUEST, code)
        }
        code @ ("too_many_passkeys" | "webauthn_credential_exists") => {
            AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, code)
        }
        "insufficient_aal" | "mfa_required" => AuthError::new(StatusCode::FORBIDDEN, "insufficient_aal"),
        code @ ("mfa_challenge_expired"
        | "mfa_factor_name_conflict"
        | "mfa_factor_unusable"
        | "mfa_ip_address_mismatch"
        | "mfa_recovery_codes_sole_factor"
        | "mfa_verified_factor_exists"
        | "too_many_enrolled_mfa_factors") => AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, code),
        code @ ("mfa_enrolment_required" | "password_change_required") => AuthError::new(StatusCode::FORBIDDEN, code),
        code @ ("email_conflict_identity_not_deletable"
        | "identity_already_exists"
        | "identity_not_found"
        | "single_identity_not_deletable") => AuthError::new(StatusCode::UNPROCESSABLE_ENTITY, code),
        code => AuthError { problem, ..AuthError::new(StatusCode::CONFLICT, code) },
    }
}

impl IntoResponse for AuthError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

/// Middleware of the auth routes: renders errors in the protocol's shape, also those of timeouts and panics.
pub async fn render_errors(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let headers = request.headers().clone();
    let meta = request.extensions().get::<Arc<RequestMeta>>().cloned();
    let handled = AssertUnwindSafe(next.run(request)).catch_unwind();
    let mut response = match tokio::time::timeout(app.http.time_limit, handled).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => AuthError::from(Error::internal(panic_message(&*panic))).into_response(),
        Err(_) => AuthError::new(StatusCode::GATEWAY_TIMEOUT, "request_timeout").into_response(),
    };
    if let Some(error) = response.extensions_mut().remove::<AuthError>() {
        render(&mut response, &error, &headers, meta.as_deref());
    }
    response
}

/// The rendered response to a request that is rejected before it reaches the auth routes.
pub fn rejection(error: Error, headers: &HeaderMap, meta: &RequestMeta) -> Response {
    let error = AuthError::from(error);
    let mut response = error.clone().into_response();
    response.extensions_mut().remove::<AuthError>();
    render(&mut response, &error, headers, Some(meta));
    response
}

fn render(response: &mut Response, error: &AuthError, headers: &HeaderMap, meta: Option<&RequestMeta>) {
    match error.cause.as_deref() {
        Some(Error::Unavailable(cause)) => tracing::warn!(error = %cause, "database unavailable"),
        Some(cause) => tracing::error!(error = %cause, "internal error"),
        None => {}
    }
    let request_id = meta.map_or("", |meta| meta.request_id.as_str());
    let language = match meta.and_then(RequestMeta::signed_in) {
        Some(user) => &user.language,
        None => negotiate_language(headers.get(header::ACCEPT_LANGUAGE)),
    };
    let new_shape = wants_new_shape(headers);
    let body = error.body(new_shape, language, request_id);
    *response.body_mut() = Body::from(body.to_string());
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    out.insert(ERROR_CODE, HeaderValue::from_static(error.code));
    if new_shape {
        out.insert(API_VERSION, HeaderValue::from_static(NEW_SHAPE_VERSION));
    }
    if let Some(seconds) = error.retry_after {
        out.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Clients of this API version and later get the new shape.
fn wants_new_shape(headers: &HeaderMap) -> bool {
    let date = |text: &str| text.trim().parse::<NaiveDate>().ok();
    let asked = headers.get(API_VERSION).and_then(|value| value.to_str().ok()).and_then(date);
    asked.is_some_and(|asked| Some(asked) >= date(NEW_SHAPE_VERSION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn body(error: Error, new_shape: bool) -> String {
        let error = AuthError::from(error);
        format!("{} {}", error.status.as_u16(), error.body(new_shape, "en-US", "r1"))
    }

    #[test]
    fn error_shape_follows_the_requested_api_version() {
        let wrong = || Error::unauthenticated("invalid_credentials");
        assert_eq!(
            body(wrong(), true),
            r#"400 {"code":"invalid_credentials","message":"Invalid login credentials","request_id":"r1"}"#
        );
        assert_eq!(
            body(wrong(), false),
            r#"400 {"code":400,"error_code":"invalid_credentials","msg":"Invalid login credentials","request_id":"r1"}"#
        );
    }

    #[test]
    fn weak_password_error_lists_its_reasons() {
        let problem = Problem::new("weak_password").with("reasons", json!(["length"])).with("min", 8);
        let weak = body(Error::field_with("password", problem), true);
        assert!(weak.starts_with("422 ") && weak.contains(r#""weak_password":{"reasons":["length"]}"#), "{weak}");
        let message = |reasons: &[&str]| {
            let problem = Problem::new("weak_password").with("reasons", json!(reasons)).with("min", 12);
            AuthError::from(Error::field_with("password", problem)).message("en-US")
        };
        assert_eq!(message(&["length"]), "Password should be at least 12 characters.");
        assert_eq!(
            message(&["length", "characters"]),
            "Password should be at least 12 characters. \
             Choose a password that isn't common and isn't your name or email address."
        );
        assert_eq!(message(&["pwned"]), "Choose a password that isn't common and isn't your name or email address.");
    }

    #[test]
    fn internal_errors_hide_their_cause() {
        let text = body(Error::internal("password=hunter2"), false);
        assert!(text.starts_with("500 ") && text.contains(r#""error_id":"r1""#) && !text.contains("hunter2"), "{text}");
    }

    #[test]
    fn new_shape_from_its_version_on() {
        for (asked, new) in [("2024-01-01", true), ("2030-12-31", true), ("2023-12-31", false), ("soon", false)] {
            let mut headers = HeaderMap::new();
            headers.insert(API_VERSION, HeaderValue::from_static(asked));
            assert_eq!(wants_new_shape(&headers), new, "{asked}");
        }
        assert!(!wants_new_shape(&HeaderMap::new()));
    }

    #[test]
    fn every_message_key_is_in_the_catalogue() {
        for code in [
            "bad_json",
            "too_large",
            "weak_password",
            "password_too_long",
            "invalid",
            "too_many_requests",
            "unavailable",
            "internal",
            "not_found",
            "same_password",
            "current_password_invalid",
            "not_admin",
            "current_password_required",
            "email_not_confirmed",
            "over_email_send_rate_limit",
            "reauthentication_needed",
            "reauthentication_not_valid",
            "request_timeout",
            "method_not_allowed",
            "too_many_passkeys",
            "webauthn_challenge_expired",
            "webauthn_challenge_not_found",
            "webauthn_credential_exists",
            "webauthn_verification_failed",
        ] {
            for language in ["en-US", "es"] {
                assert!(i18n::find(language, "errors", code, &Map::new()).is_some(), "{language} {code}");
            }
        }
    }
}
