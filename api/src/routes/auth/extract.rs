//! Reads requests as the protocol does: unknown fields are ignored, and refusals have the protocol's shape.
use super::error::AuthError;
use crate::{
    extract::{bearer, origin, visitor},
    limits::{Bucket, Kind},
    middleware::About,
    state::App,
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

/// The context of nobody in particular: routes that need only the API key, which we do not ask for.
#[derive(Debug)]
pub struct Nobody(pub Ctx);

/// Whether the caller means our audience, which is every account's: `X-JWT-AUD` may name another.
#[derive(Debug)]
pub struct Audience(pub bool);

/// The context of the session whose token was sent.
#[derive(Debug)]
pub struct Somebody(pub Ctx, pub Arc<domain::kernel::access::SignedIn>);

/// Where a visit comes from that changes something though it only reads, by its method.
#[derive(Debug)]
pub struct Visitor(pub Origin);

/// The body, as JSON. Missing is as bad as malformed.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// The body as it is, as far as one may be.
#[derive(Debug)]
pub struct Raw(pub Bytes);

/// The ids in the address. What cannot even be a text leads nowhere, like an id that is none.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// What stands behind the question mark; unknown names are ignored.
#[derive(Debug)]
pub struct Asked(Vec<(String, String)>);

/// The halves of a PKCE challenge: both or neither.
#[derive(Debug, Default, Deserialize)]
pub struct Pkce {
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

/// Whose account a body is about.
#[derive(Deserialize)]
struct Named {
    email: Option<Value>,
}

impl FromRequestParts<App> for Nobody {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        Ok(Self(app.ctx(Actor::Anonymous, origin(parts))))
    }
}

impl FromRequestParts<App> for Audience {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let named = parts.headers.get("x-jwt-aud").map(|value| value.as_bytes().trim_ascii());
        Ok(Self(named.is_none_or(|name| name.is_empty() || name == tokens::AUDIENCE.as_bytes())))
    }
}

impl FromRequestParts<App> for Somebody {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, AuthError> {
        let token = bearer(&parts.headers).ok_or(Error::unauthenticated("no_authorization"))?;
        let user = auth::authenticate(&app.auth, &app.db, &app.options, app.clock.now(), token).await?;
        if let Some(about) = parts.extensions.get::<Arc<About>>() {
            let _ = about.signed_in.set(user.clone());
        }
        if let Some(bucket) = parts.extensions.get::<Bucket>() {
            app.limits.account(*bucket, &user.id.to_string())?;
        }
        if let Ok(Audience(false)) = Audience::from_request_parts(parts, app).await {
            return Err(Error::unauthenticated("bad_jwt_audience").into());
        }
        Ok(Self(app.ctx(Actor::User(user.clone()), origin(parts)), user))
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self(visitor(parts)))
    }
}

impl<T: DeserializeOwned> FromRequest<App> for Body<T> {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &App) -> Result<Self, AuthError> {
        let (parts, body) = request.into_parts();
        let asker = Asker::of(&parts, app);
        let Raw(body) = Raw::from_request(Request::from_parts(parts, body), app).await?;
        if let Ok(Named { email: Some(Value::String(email)) }) = serde_json::from_slice(&body) {
            asker.counts_for(app, &email).await?;
        }
        serde_json::from_slice(&body).map(Self).map_err(|_| AuthError::bad_json())
    }
}

/// Whoever asks something of an account that only the body names.
pub struct Asker {
    bucket: Option<Bucket>,
    ctx: Ctx,
}

impl Asker {
    pub fn of(parts: &Parts, app: &App) -> Self {
        // Whose account is refreshed says the token: whoever only knows its name is not counted for it.
        let bucket = parts.extensions.get::<Bucket>().copied().filter(|bucket| bucket.kind != Kind::Refresh);
        Self { bucket, ctx: app.ctx(Actor::Anonymous, origin(parts)) }
    }

    /// Counts one more for the account. However many others ask, its owner goes on where they have signed in before.
    pub async fn counts_for(&self, app: &App, email: &str) -> Result<(), AuthError> {
        let Some(bucket) = self.bucket else { return Ok(()) };
        match app.limits.account(bucket, email) {
            Err(_) if auth::is_known_location(&self.ctx, email).await? => Ok(()),
            counted => Ok(counted?),
        }
    }
}

impl FromRequest<App> for Raw {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &App) -> Result<Self, AuthError> {
        Bytes::from_request(request, app).await.map(Self).map_err(|e| match e.status() {
            StatusCode::PAYLOAD_TOO_LARGE => AuthError::too_large(),
            _ => AuthError::bad_json(),
        })
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Path<T> {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, AuthError> {
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

impl FromRequestParts<App> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or("").as_bytes();
        Ok(Self(url::form_urlencoded::parse(query).into_owned().collect()))
    }
}

impl Asked {
    /// Everything that was asked, in its order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// With what a form brings, for the callers that may send either.
    #[must_use]
    pub fn or_form(mut self, form: &[u8]) -> Self {
        self.0.extend(url::form_urlencoded::parse(form).into_owned());
        self
    }

    /// A parameter that is there and not empty.
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
        match (given(self.code_challenge.as_ref()), given(self.code_challenge_method.as_ref())) {
            (None, None) => Ok(None),
            (Some(challenge), Some(method)) => match Challenge::read(challenge, method) {
                Some(challenge) => Ok(Some(challenge)),
                None => Err(AuthError::validation("Invalid PKCE code challenge")),
            },
            _ => Err(AuthError::validation("PKCE flow requires code_challenge_method and code_challenge")),
        }
    }
}

/// A text that is there and not empty; null counts as missing.
pub fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Refuses what cannot be an address.
pub fn email(text: &str, status: StatusCode) -> Result<(), AuthError> {
    let mut check = domain::kernel::validate::Check::new();
    check.email("email", text);
    check.done().map_err(|error| match error {
        Error::Invalid(fields) if fields.iter().any(|field| field.problem.code == "email_local_part") => {
            AuthError::new(status, "email_address_invalid")
        }
        _ => AuthError::validation("Unable to validate email address: invalid format").with_status(status),
    })
}

/// Nobody signs in by phone.
pub fn phone_disabled(status: StatusCode) -> AuthError {
    AuthError::fixed(status, "phone_provider_disabled", "Phone logins are disabled")
}
