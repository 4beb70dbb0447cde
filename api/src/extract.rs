//! From a request to what a use case takes: who asks ([`SignedIn`], [`Anyone`]), about which row ([`Path`],
//! [`IfMatch`]), with what ([`Query`], [`Json`], [`New`]). What cannot be read is refused here, by name.
use crate::{error::ApiError, middleware::About, state::App};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request, path::ErrorKind, rejection::PathRejection},
    http::{HeaderMap, Method, header, request::Parts},
};
use domain::{
    Actor, Ctx, Error, Origin,
    kernel::{error::Problem, hex},
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::{fmt::Display, str::FromStr, sync::Arc};
use utoipa::ToSchema;

/// The context of somebody signed in; anybody else is 401.
#[derive(Debug)]
pub struct SignedIn(pub Ctx);

/// The context of whoever asks: [`Actor::Anonymous`] without a token. A bad token is 401 all the same.
#[derive(Debug)]
pub struct Anyone(pub Ctx);

impl FromRequestParts<App> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Anyone(ctx) = Anyone::from_request_parts(parts, app).await?;
        match ctx.actor {
            Actor::Anonymous => Err(Error::unauthenticated("unauthenticated").into()),
            _ => Ok(Self(ctx)),
        }
    }
}

impl FromRequestParts<App> for Anyone {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let actor = match bearer(&parts.headers) {
            None => Actor::Anonymous,
            Some(token) => {
                let about = parts.extensions.get::<Arc<About>>();
                // The door may have asked already.
                let user = match about.and_then(|about| about.signed_in.get()) {
                    Some(user) => user.clone(),
                    None => app.who(token).await?,
                };
                if let Some(about) = about {
                    let _ = about.signed_in.set(user.clone());
                }
                Actor::User(user)
            }
        };
        Ok(Self(app.ctx(actor, origin(parts))))
    }
}

/// The token of `Authorization: Bearer …`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Where the request came from, for the activity log. Reads write none, so they save themselves the copying.
pub fn origin(parts: &Parts) -> Origin {
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return Origin::default();
    }
    visitor(parts)
}

/// Where the request came from, also where it only reads: a visit that signs somebody in.
pub fn visitor(parts: &Parts) -> Origin {
    let user_agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    Origin {
        address: parts.extensions.get::<Arc<About>>().map(|about| about.address.to_string()),
        user_agent: user_agent.map(|text| text.chars().take(300).collect()),
    }
}

/// The id in the address. One that cannot be an id leads nowhere: 404.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        match axum::extract::Path::from_request_parts(parts, app).await {
            Ok(axum::extract::Path(id)) => Ok(Self(id)),
            Err(PathRejection::FailedToDeserializePathParams(e))
                if !matches!(e.kind(), ErrorKind::UnsupportedType { .. }) =>
            {
                Err(ApiError::not_found())
            }
            Err(e) => Err(Error::internal(e).into()),
        }
    }
}

/// The version that the caller has seen: `If-Match: "3"`. Without it the last one to write wins.
#[derive(Debug)]
pub struct IfMatch(pub Option<i64>);

impl FromRequestParts<App> for IfMatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, ApiError> {
        let Some(value) = parts.headers.get(header::IF_MATCH) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or("").trim();
        if text == "*" {
            return Ok(Self(None));
        }
        let number = text.strip_prefix("W/").unwrap_or(text).trim_matches('"').parse();
        number.map(|version| Self(Some(version))).map_err(|_| ApiError::malformed("if_match"))
    }
}

/// What stands behind the question mark. A filter that does not exist is refused, lest it be taken for one
/// that found everything.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or("").as_bytes();
        let pairs = serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(query));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(|e| refused(&e.path().to_string(), e.inner()))
    }
}

/// The body, as JSON. No body at all reads as `{}`, for the actions that need to be told nothing.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        parse(&body(request, app).await?).map(Self)
    }
}

/// The body of an action that needs to be told nothing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A row to be made: who makes it, with the `Idempotency-Key` if one was sent, and what it shall be.
#[derive(Debug)]
pub struct New<T, C = SignedIn> {
    pub ctx: Ctx,
    pub input: T,
    who: std::marker::PhantomData<C>,
}

impl<T, C> FromRequest<App> for New<T, C>
where
    T: DeserializeOwned,
    C: FromRequestParts<App, Rejection = ApiError> + Into<Ctx>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let (mut parts, rest) = request.into_parts();
        let mut ctx: Ctx = C::from_request_parts(&mut parts, app).await?.into();
        let key = idempotency_key(&parts.headers)?;
        let place = format!("{} {}\n", parts.method, parts.uri.path());
        let body = body(Request::from_parts(parts, rest), app).await?;
        ctx.idempotency = key.map(|key| {
            let hash = Sha256::new().chain_update(&place).chain_update(&body).finalize();
            (key, hex::of(&hash))
        });
        Ok(Self { ctx, input: parse(&body)?, who: std::marker::PhantomData })
    }
}

impl From<SignedIn> for Ctx {
    fn from(SignedIn(ctx): SignedIn) -> Self {
        ctx
    }
}

impl From<Anyone> for Ctx {
    fn from(Anyone(ctx): Anyone) -> Self {
        ctx
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    match value.to_str() {
        Ok(key) if (1..=200).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => Err(ApiError::malformed("idempotency_key")),
    }
}

/// The whole body, as far as one may be.
///
/// # Errors
/// 413 for a larger one.
pub(crate) async fn body(request: Request, app: &App) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, app).await.map_err(|e| match e.status() {
        axum::http::StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(app.http.body_limit),
        _ => ApiError::bad_json(),
    })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let body = if body.is_empty() { b"{}" } else { body };
    // Serde would read a list as the fields in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ApiError::bad_json());
    }
    // Read plainly first: only what fails is read again to find out where.
    serde_json::from_slice(body).or_else(|_| {
        let mut json = serde_json::Deserializer::from_slice(body);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|e| {
            if e.inner().is_data() { refused(&e.path().to_string(), e.inner()) } else { ApiError::bad_json() }
        })?;
        json.end().map_err(|_| ApiError::bad_json())?;
        Ok(value)
    })
}

/// Serde tells in words what it did not like; these are its words.
fn refused(path: &str, error: &impl Display) -> ApiError {
    let words = error.to_string();
    let quoted: Vec<&str> = words.split('`').skip(1).step_by(2).collect();
    let name = quoted.first().copied().unwrap_or_default();
    let path = path.trim_start_matches('?');
    if words.starts_with("unknown field") {
        return ApiError::unknown_field(name);
    }
    if words.starts_with("missing field") {
        return Error::field(name, "required").into();
    }
    if path.is_empty() || path == "." {
        return ApiError::bad_json();
    }
    if words.starts_with("unknown variant") {
        let allowed = quoted.get(1..).unwrap_or_default().join(", ");
        return Error::field_with(path, Problem::new("unknown").with("allowed", allowed)).into();
    }
    ApiError::malformed(path)
}

/// A list's `order`, where it has one only.
///
/// # Errors
/// Invalid `order` for another.
pub fn only_order(asked: Option<&str>, own: &'static str) -> Result<(), ApiError> {
    match asked {
        Some(asked) if !asked.is_empty() && asked != own => {
            Err(Error::field_with("order", Problem::new("unknown").with("allowed", own)).into())
        }
        _ => Ok(()),
    }
}

/// An id or other value of a form, where an empty field means none was chosen.
///
/// # Errors
/// When it is there and cannot be read.
pub fn chosen<'de, D: Deserializer<'de>, T: FromStr>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(|_| serde::de::Error::custom("malformed"))).transpose()
}

/// A text that null empties, and that stays as it is when it is not sent.
///
/// # Errors
/// When it is there and no text.
pub fn emptied<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// A choice that null and empty take away, and that stays as it is when it is not sent.
///
/// # Errors
/// When it is there and cannot be read.
pub fn changed<'de, D: Deserializer<'de>, T: FromStr>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    chosen(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::kernel::ids::CompanyId;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Setup {
        Quick,
        Full,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        #[serde(default)]
        name: String,
        setup: Setup,
        #[serde(default, deserialize_with = "chosen")]
        company_id: Option<CompanyId>,
        #[serde(default, deserialize_with = "emptied")]
        phone: Option<String>,
    }

    fn reads(body: &str) -> String {
        match parse::<Form>(body.as_bytes()) {
            Ok(form) => format!("{:?} {:?} {:?} {:?}", form.name, form.setup, form.company_id, form.phone),
            Err(ApiError::Http(status, problem)) => {
                format!("{} {} {:?}", status.as_u16(), problem.code, problem.params)
            }
            Err(ApiError::Domain(Error::Invalid(fields))) => format!("{} {}", fields[0].field, fields[0].problem.code),
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn every_refusal_of_a_body_names_what_is_wrong() {
        let id = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";
        let said = [
            reads(r#"{"name":"A","setup":"quick"}"#),
            reads(&format!(r#"{{"setup":"full","company_id":"{id}","phone":null}}"#)),
            reads(r#"{"setup":"full","company_id":" ","phone":"1"}"#),
            reads(r#"{"setup":"full","company_id":"6"}"#),
            reads(r#"{"setup":"slow"}"#),
            reads(r#"{"setup":"quick","name":5}"#),
            reads(r#"{"setup":"quick","nmae":"A"}"#),
            reads("{}"),
            reads(""),
            reads("[]"),
            reads(r#"{"setup":"quick""#),
            reads(r#"{"setup":"quick"} and more"#),
            reads("\u{0}"),
        ]
        .join("\n");
        insta::assert_snapshot!(said);
    }

    #[test]
    fn a_token_is_read_from_its_header_only() {
        let of = |text: &str| {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, text.parse().unwrap())]);
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(of("Bearer abc"), Some("abc".to_owned()));
        assert_eq!(of("bearer  abc "), Some("abc".to_owned()));
        assert_eq!(of("Basic abc"), None);
        assert_eq!(of("Bearer"), None);
    }
}
