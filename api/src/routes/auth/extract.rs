//! Extractors of the auth API: unknown fields are ignored, and errors have the protocol's shape.
use crate::{
    auth_error::AuthError,
    extract::{bearer, origin, visit_origin},
    rate_limit::{LimitKind, RateLimitKey},
    request_meta::RequestMeta,
    state::AppState,
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request, path::ErrorKind, rejection::PathRejection},
    http::{StatusCode, request::Parts},
};
use domain::{
    Actor, Ctx, Error, Origin,
    accounts::auth::{self, flows::Challenge, tokens},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{convert::Infallible, sync::Arc};

/// An anonymous context, for routes that need only the API key, which we do not check.
#[derive(Debug)]
pub struct AnonymousCtx(pub Ctx);

/// Whether the request is for our audience, the only one: `X-JWT-AUD` may name another.
#[derive(Debug)]
pub struct Audience(pub bool);

/// The context of the session of the access token, and its user. 401 and 403 otherwise.
#[derive(Debug)]
pub struct SessionCtx(pub Ctx, pub Arc<domain::kernel::access::SignedIn>);

/// The origin of a GET request that writes.
#[derive(Debug)]
pub struct VisitOrigin(pub Origin);

/// A JSON body. An empty one is malformed.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// The body, up to the size limit.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

/// Path parameters; 404 when they cannot be decoded.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// The query parameters; unknown names are ignored.
#[derive(Debug)]
pub struct QueryParams(Vec<(String, String)>);

/// A PKCE challenge: both fields or neither.
#[derive(Debug, Default, Deserialize)]
pub struct Pkce {
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// The account that a body is about.
#[derive(Deserialize)]
struct EmailOnly {
    email: Option<Value>,
}

impl FromRequestParts<AppState> for AnonymousCtx {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        Ok(Self(app.ctx(Actor::Anonymous, origin(parts))))
    }
}

impl FromRequestParts<AppState> for Audience {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        let named = parts.headers.get("x-jwt-aud").map(|value| value.as_bytes().trim_ascii());
        Ok(Self(named.is_none_or(|name| name.is_empty() || name == tokens::AUDIENCE.as_bytes())))
    }
}

impl FromRequestParts<AppState> for SessionCtx {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, AuthError> {
        let token = bearer(&parts.headers).ok_or(Error::unauthenticated("no_authorization"))?;
        let user = auth::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await?;
        if let Some(meta) = parts.extensions.get::<Arc<RequestMeta>>() {
            meta.set_signed_in(&user);
        }
        if let Some(key) = parts.extensions.get::<RateLimitKey>() {
            app.auth_rate_limits.account(*key, &user.id.to_string())?;
        }
        if let Ok(Audience(false)) = Audience::from_request_parts(parts, app).await {
            return Err(Error::unauthenticated("bad_jwt_audience").into());
        }
        Ok(Self(app.ctx(Actor::User(user.clone()), origin(parts)), user))
    }
}

impl FromRequestParts<AppState> for VisitOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        Ok(Self(visit_origin(parts)))
    }
}

impl<T: DeserializeOwned> FromRequest<AppState> for Body<T> {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, AuthError> {
        let (parts, body) = request.into_parts();
        let limiter = AccountLimiter::of(&parts, app);
        let RawBody(body) = RawBody::from_request(Request::from_parts(parts, body), app).await?;
        if let Ok(EmailOnly { email: Some(Value::String(email)) }) = serde_json::from_slice(&body) {
            limiter.check(app, &email).await?;
        }
        serde_json::from_slice(&body).map(Self).map_err(|_| AuthError::bad_json())
    }
}

/// Rate limit per account, for requests whose body names the account.
pub struct AccountLimiter {
    key: Option<RateLimitKey>,
    ctx: Ctx,
}

impl AccountLimiter {
    pub fn of(parts: &Parts, app: &AppState) -> Self {
        // A refresh is counted for the owner of its token, not for an email address in the body.
        let key = parts.extensions.get::<RateLimitKey>().copied().filter(|key| key.kind != LimitKind::Refresh);
        Self { key, ctx: app.ctx(Actor::Anonymous, origin(parts)) }
    }

    /// Counts a request for the account. Its owner is never limited from a known location, however many others try.
    pub async fn check(&self, app: &AppState, email: &str) -> Result<(), AuthError> {
        let Some(key) = self.key else { return Ok(()) };
        match app.auth_rate_limits.account(key, email) {
            Err(_) if auth::is_known_location(&self.ctx, email).await? => Ok(()),
            counted => Ok(counted?),
        }
    }
}

impl FromRequest<AppState> for RawBody {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, AuthError> {
        Bytes::from_request(request, app).await.map(Self).map_err(|e| match e.status() {
            StatusCode::PAYLOAD_TOO_LARGE => AuthError::too_large(),
            _ => AuthError::bad_json(),
        })
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for Path<T> {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, AuthError> {
        match axum::extract::Path::from_request_parts(parts, app).await {
            Ok(axum::extract::Path(ids)) => Ok(Self(ids)),
            Err(PathRejection::FailedToDeserializePathParams(e))
                if !matches!(e.kind(), ErrorKind::UnsupportedType { .. }) =>
            {
                Err(AuthError::validation("The id in the address must be an UUID").with_status(StatusCode::NOT_FOUND))
            }
            Err(e) => Err(Error::internal(e).into()),
        }
    }
}

impl FromRequestParts<AppState> for QueryParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or("").as_bytes();
        Ok(Self(url::form_urlencoded::parse(query).into_owned().collect()))
    }
}

impl QueryParams {
    /// All parameters in their order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Adds the fields of a form body.
    #[must_use]
    pub fn with_form(mut self, form: &[u8]) -> Self {
        self.0.extend(url::form_urlencoded::parse(form).into_owned());
        self
    }

    /// A parameter unless it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }
}

impl Pkce {
    /// None for the implicit flow.
    pub fn read(&self) -> Result<Option<Challenge>, AuthError> {
        match (non_empty(self.code_challenge.as_ref()), non_empty(self.code_challenge_method.as_ref())) {
            (None, None) => Ok(None),
            (Some(challenge), Some(method)) => match Challenge::read(challenge, method) {
                Some(challenge) => Ok(Some(challenge)),
                None => Err(AuthError::validation("Invalid PKCE code challenge")),
            },
            _ => Err(AuthError::validation("PKCE flow requires code_challenge_method and code_challenge")),
        }
    }
}

/// The trimmed text unless it is missing or empty.
pub fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Validates an email address.
pub fn check_email(text: &str, status: StatusCode) -> Result<(), AuthError> {
    let mut check = domain::kernel::validate::Validator::new();
    check.email("email", text);
    check.finish().map_err(|error| match error {
        Error::Invalid(fields) if fields.iter().any(|field| field.problem.code == "email_local_part") => {
            AuthError::new(status, "email_address_invalid")
        }
        _ => AuthError::validation("Unable to validate email address: invalid format").with_status(status),
    })
}

/// The error for phone sign-in, which is not supported.
pub fn phone_disabled(status: StatusCode) -> AuthError {
    AuthError::fixed(status, "phone_provider_disabled", "Phone logins are disabled")
}
