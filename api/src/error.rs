//! Error responses: a status and `{ code, message, params?, fields?, request_id }`.
//!
//! A handler's error travels as an extension of its response, because only the middleware knows the request id and the
//! language; [`render`] then writes the body. Internal causes are logged there, once, and never sent.
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    kernel::{
        error::{FieldError, Problem},
        i18n,
    },
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa::ToSchema;

pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Why a request failed.
#[derive(Debug)]
pub enum ApiError {
    /// An error of the use case.
    Domain(Error),
    /// A refusal of the HTTP layer, before any use case runs.
    Http(StatusCode, Problem),
}

/// `Retry-After` while the database is unavailable.
const RETRY_AFTER_SECONDS: u64 = 2;

impl ApiError {
    pub fn bad_json() -> Self {
        Self::Http(StatusCode::BAD_REQUEST, Problem::new("bad_json"))
    }

    pub fn unknown_field(field: &str) -> Self {
        Self::Http(StatusCode::BAD_REQUEST, Problem::new("unknown_field").with("field", field))
    }

    /// A field whose value cannot be parsed.
    pub fn malformed(field: &str) -> Self {
        Self::Domain(Error::field(field, "malformed"))
    }

    /// A change without `If-Match`, which would overwrite changes that the caller has not seen.
    pub fn version_required() -> Self {
        Self::Http(StatusCode::PRECONDITION_REQUIRED, Problem::new("version_required"))
    }

    /// No such path, or a row outside the actor's scope.
    pub fn not_found() -> Self {
        Self::Http(StatusCode::NOT_FOUND, Problem::new("not_found"))
    }

    pub fn method_not_allowed() -> Self {
        Self::Http(StatusCode::METHOD_NOT_ALLOWED, Problem::new("method_not_allowed"))
    }

    pub fn too_large(limit: usize) -> Self {
        Self::Http(StatusCode::PAYLOAD_TOO_LARGE, Problem::new("too_large").with("max_bytes", limit))
    }

    pub fn timeout() -> Self {
        Self::Http(StatusCode::GATEWAY_TIMEOUT, Problem::new("request_timeout"))
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Http(status, _) => *status,
            Self::Domain(error) => match error {
                Error::NotFound(_) => StatusCode::NOT_FOUND,
                Error::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
                Error::Conflict(_) => StatusCode::CONFLICT,
                Error::Forbidden(_) => StatusCode::FORBIDDEN,
                Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
                Error::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
                Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
                Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            },
        }
    }

    fn body(&self, language: &str, request_id: &str) -> ErrorBody {
        let (code, params, message) = match self {
            Self::Http(_, problem) => {
                (problem.code, problem.params.clone(), i18n::text(language, "errors", problem.code, &problem.params))
            }
            Self::Domain(error) => {
                let (code, params) = match error {
                    Error::NotFound(_) => ("not_found", Map::new()),
                    Error::Invalid(_) => ("invalid", Map::new()),
                    Error::Conflict(p) | Error::Forbidden(p) | Error::Unauthenticated(p) => (p.code, p.params.clone()),
                    Error::RateLimited(seconds) => {
                        ("too_many_requests", Map::from_iter([("seconds".to_owned(), Value::from(*seconds))]))
                    }
                    Error::Unavailable(_) => ("unavailable", Map::new()),
                    Error::Internal(_) => ("internal", Map::new()),
                };
                (code, params, i18n::error(language, error))
            }
        };
        let fields = match self {
            Self::Domain(Error::Invalid(fields)) => fields.iter().map(|f| FieldErrorBody::new(language, f)).collect(),
            // The only conflict about a field: forms show it beside that field.
            Self::Domain(Error::Conflict(p)) if p.code == "email_taken" => {
                let problem = Problem::new("email_taken");
                vec![FieldErrorBody::new(language, &FieldError { field: "email".to_owned(), problem })]
            }
            _ => Vec::new(),
        };
        let retry_after = match self {
            Self::Domain(Error::RateLimited(seconds)) => Some(*seconds),
            _ => None,
        };
        ErrorBody { code: code.to_owned(), message, params, fields, retry_after, request_id: request_id.to_owned() }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Domain(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        match &self {
            Self::Domain(Error::Unauthenticated(_)) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Domain(Error::Unavailable(_)) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
            }
            Self::Domain(Error::RateLimited(seconds)) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
            }
            _ => {}
        }
        response.extensions_mut().insert(PendingError(Arc::new(self)));
        response
    }
}

/// An error on its way to the middleware, which renders it.
#[derive(Clone)]
struct PendingError(Arc<ApiError>);

/// Writes the body of an error response in the caller's language; logs internal and database errors.
pub fn render<'l>(response: &mut Response, request_id: &str, language: impl FnOnce() -> &'l str) {
    let Some(PendingError(error)) = response.extensions_mut().remove::<PendingError>() else { return };
    match &*error {
        ApiError::Domain(Error::Internal(cause)) => tracing::error!(error = %cause, "internal error"),
        ApiError::Domain(Error::Unavailable(cause)) => tracing::warn!(error = %cause, "database unavailable"),
        _ => {}
    }
    let body = serde_json::to_vec(&error.body(language(), request_id)).expect("an error body is plain data");
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *response.body_mut() = Body::from(body);
}

/// The text of a panic, for the log.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a handler panicked: {}", text.unwrap_or("no message"))
}

/// The body of every error response.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// Machine-readable reason; the message catalogue has a text for each.
    #[schema(example = "invalid")]
    code: String,
    /// A message in the user's language.
    message: String,
    /// Parameters of the message.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = HashMap<String, Value>)]
    params: Map<String, Value>,
    /// Every invalid field, with code `invalid`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldErrorBody>,
    /// Seconds until a retry may succeed, with status 429.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// The `x-request-id` of the response, for finding it in the log.
    request_id: String,
}

/// An invalid field.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldError)]
pub struct FieldErrorBody {
    field: String,
    #[schema(example = "required")]
    code: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = HashMap<String, Value>)]
    params: Map<String, Value>,
    message: String,
}

impl FieldErrorBody {
    fn new(language: &str, error: &FieldError) -> Self {
        Self {
            field: error.field.clone(),
            code: error.problem.code.to_owned(),
            params: error.problem.params.clone(),
            message: i18n::field(language, error),
        }
    }
}
