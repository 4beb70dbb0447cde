//! Extractors: the context ([`SignedIn`], [`MaybeSignedIn`]), the row ([`Path`], [`IfMatch`]) and the input ([`Query`],
//! [`Json`], [`CreateRequest`]) of a use case. Errors name the field.
use crate::{error::ApiError, request_meta::RequestMeta, state::AppState};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request, path::ErrorKind, rejection::PathRejection},
    http::{HeaderMap, Method, header, request::Parts},
};
use chrono::NaiveDate;
use domain::{
    Actor, Ctx, Error, Origin,
    kernel::{
        error::Problem,
        hex,
        page::{Order, SortKey},
        validate,
    },
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IntoDeserializer},
};
use sha2::{Digest, Sha256};
use std::{fmt::Display, str::FromStr, sync::Arc};
use utoipa::ToSchema;
use uuid::Uuid;

/// Ids of a selection.
const MAX_SELECTED: usize = 500;

/// The context of a signed-in user; 401 otherwise.
#[derive(Debug)]
pub struct SignedIn(pub Ctx);

/// The context of a signed-in or anonymous user; an invalid token is 401.
#[derive(Debug)]
pub struct MaybeSignedIn(pub Ctx);

impl FromRequestParts<AppState> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let MaybeSignedIn(ctx) = MaybeSignedIn::from_request_parts(parts, app).await?;
        match ctx.actor {
            Actor::Anonymous => Err(Error::unauthenticated("unauthenticated").into()),
            _ => Ok(Self(ctx)),
        }
    }
}

impl FromRequestParts<AppState> for MaybeSignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let actor = match bearer(&parts.headers) {
            None => Actor::Anonymous,
            Some(token) => {
                let meta = parts.extensions.get::<Arc<RequestMeta>>();
                // The middleware may have authenticated the token already.
                let user = match meta.and_then(|meta| meta.signed_in()) {
                    Some(user) => user.clone(),
                    None => app.authenticate(token).await?,
                };
                if let Some(meta) = meta {
                    meta.set_signed_in(&user);
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

/// The origin of a request, for the activity log; empty for reads, which write no entry.
pub fn origin(parts: &Parts) -> Origin {
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return Origin::default();
    }
    visit_origin(parts)
}

/// The origin of a request, also of a GET request that signs in.
pub fn visit_origin(parts: &Parts) -> Origin {
    let user_agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    Origin {
        address: parts.extensions.get::<Arc<RequestMeta>>().map(|meta| meta.client_ip.to_string()),
        user_agent: user_agent.map(|text| text.chars().take(300).collect()),
    }
}

/// The path parameters; 404 when they cannot be parsed.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
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

/// The expected version for optimistic locking: `If-Match: "3"`. 428 without it; `*` stands for any version.
#[derive(Debug)]
pub struct IfMatch(pub Option<i64>);

impl FromRequestParts<AppState> for IfMatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        let value = parts.headers.get(header::IF_MATCH).ok_or_else(ApiError::version_required)?;
        let text = value.to_str().unwrap_or("").trim();
        if text == "*" {
            return Ok(Self(None));
        }
        let number = text.strip_prefix("W/").unwrap_or(text).trim_matches('"').parse();
        number.map(|version| Self(Some(version))).map_err(|_| ApiError::malformed("if_match"))
    }
}

/// The query parameters. Unknown ones are refused: a misspelt filter would otherwise return everything.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or("").as_bytes();
        let pairs = serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(query));
        serde_path_to_error::deserialize(pairs).map(Self).map_err(|e| parse_error(&e.path().to_string(), e.inner()))
    }
}

/// A JSON body; an empty one is read as `{}`.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        parse(&body(request, app).await?).map(Self)
    }
}

/// The body of an action that takes no input.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Nothing)]
pub struct EmptyBody {}

/// A request that creates a row: the context with its `Idempotency-Key` and the input.
#[derive(Debug)]
pub struct CreateRequest<T, C = SignedIn> {
    pub ctx: Ctx,
    pub input: T,
    extractor: std::marker::PhantomData<C>,
}

impl<T, C> FromRequest<AppState> for CreateRequest<T, C>
where
    T: DeserializeOwned,
    C: FromRequestParts<AppState, Rejection = ApiError> + Into<Ctx>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        let (mut parts, rest) = request.into_parts();
        let mut ctx: Ctx = C::from_request_parts(&mut parts, app).await?.into();
        let key = idempotency_key(&parts.headers)?;
        let target = format!("{} {}\n", parts.method, parts.uri.path());
        let body = body(Request::from_parts(parts, rest), app).await?;
        ctx.idempotency = key.map(|key| {
            let hash = Sha256::new().chain_update(&target).chain_update(&body).finalize();
            (key, hex::of(&hash))
        });
        Ok(Self { ctx, input: parse(&body)?, extractor: std::marker::PhantomData })
    }
}

impl From<SignedIn> for Ctx {
    fn from(SignedIn(ctx): SignedIn) -> Self {
        ctx
    }
}

impl From<MaybeSignedIn> for Ctx {
    fn from(MaybeSignedIn(ctx): MaybeSignedIn) -> Self {
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

/// The whole body.
///
/// # Errors
/// 413 above the size limit.
pub(crate) async fn body(request: Request, app: &AppState) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, app).await.map_err(|e| match e.status() {
        axum::http::StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(app.http.body_limit),
        _ => ApiError::bad_json(),
    })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let body = if body.is_empty() { b"{}" } else { body };
    // Serde would accept an array as the fields in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ApiError::bad_json());
    }
    // Parses without path tracking first; only a failure is parsed again to find the field.
    serde_json::from_slice(body).or_else(|_| {
        let mut json = serde_json::Deserializer::from_slice(body);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|e| {
            if e.inner().is_data() { parse_error(&e.path().to_string(), e.inner()) } else { ApiError::bad_json() }
        })?;
        json.end().map_err(|_| ApiError::bad_json())?;
        Ok(value)
    })
}

/// The error for a serde error, by its English message.
fn parse_error(path: &str, error: &impl Display) -> ApiError {
    let message = error.to_string();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let name = quoted.first().copied().unwrap_or_default();
    let path = path.trim_start_matches('?');
    if message.starts_with("unknown field") {
        return ApiError::unknown_field(name);
    }
    if message.starts_with("missing field") {
        return Error::field(name, "required").into();
    }
    if path.is_empty() || path == "." {
        return ApiError::bad_json();
    }
    if message.starts_with("unknown variant") {
        let allowed = quoted.get(1..).unwrap_or_default().join(", ");
        return Error::field_with(path, Problem::new("unknown").with("allowed", allowed)).into();
    }
    ApiError::malformed(path)
}

/// Checks `order` of a list that has one order only.
///
/// # Errors
/// Invalid `order`.
pub fn reject_unknown_order(order: Option<&str>, only: &'static str) -> Result<(), ApiError> {
    match order {
        Some(order) if !order.is_empty() && order != only => {
            Err(Error::field_with("order", Problem::new("unknown").with("allowed", only)).into())
        }
        _ => Ok(()),
    }
}

/// The sort order of a list.
///
/// # Errors
/// Invalid `order` with what is allowed.
pub fn sort_order<K: SortKey>(order: Option<&str>) -> Result<Order<K>, ApiError> {
    Order::parse(order.unwrap_or_default()).map_err(|problem| Error::field_with("order", problem).into())
}

/// A calendar date of the query; empty counts as missing.
///
/// # Errors
/// The text is not a date.
pub fn day(field: &str, text: Option<&str>) -> Result<Option<NaiveDate>, ApiError> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let date = text.map(validate::date).transpose();
    date.map_err(|problem| Error::field_with(field, problem).into())
}

/// Deserializes ids separated by commas; an empty string means all rows.
///
/// # Errors
/// When one cannot be parsed, or there are more than [`MAX_SELECTED`].
pub fn id_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Uuid>>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let ids = text.split(',').map(|id| id.trim().parse()).collect::<Result<Vec<Uuid>, _>>();
    match ids {
        Ok(ids) if ids.len() <= MAX_SELECTED => Ok(Some(ids)),
        _ => Err(serde::de::Error::custom("malformed")),
    }
}

/// Deserializes an optional value; an empty string means none.
///
/// # Errors
/// When it cannot be parsed.
pub fn empty_string_as_none<'de, D: Deserializer<'de>, T: FromStr>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(|_| serde::de::Error::custom("malformed"))).transpose()
}

/// Deserializes an optional name of an enum; an empty string means none.
///
/// # Errors
/// When the name is unknown.
pub fn empty_name_as_none<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let name: Option<String> = Option::deserialize(deserializer)?;
    name.filter(|name| !name.is_empty()).map(|name| T::deserialize(name.into_deserializer())).transpose()
}

/// Deserializes a text of a patch: null clears it, a missing field leaves it unchanged.
///
/// # Errors
/// When it is not a string.
pub fn clearable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Option::deserialize(deserializer)?.unwrap_or_default()))
}

/// Deserializes a value of a patch: null or an empty string clears it, a missing field leaves it unchanged.
///
/// # Errors
/// When it cannot be parsed.
pub fn patch_field<'de, D: Deserializer<'de>, T: FromStr>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    empty_string_as_none(deserializer).map(Some)
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
        #[serde(default, deserialize_with = "empty_string_as_none")]
        company_id: Option<CompanyId>,
        #[serde(default, deserialize_with = "clearable")]
        phone: Option<String>,
    }

    fn parsed(body: &str) -> String {
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
    fn body_errors_name_the_field() {
        let id = "6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b";
        let results = [
            parsed(r#"{"name":"A","setup":"quick"}"#),
            parsed(&format!(r#"{{"setup":"full","company_id":"{id}","phone":null}}"#)),
            parsed(r#"{"setup":"full","company_id":" ","phone":"1"}"#),
            parsed(r#"{"setup":"full","company_id":"6"}"#),
            parsed(r#"{"setup":"slow"}"#),
            parsed(r#"{"setup":"quick","name":5}"#),
            parsed(r#"{"setup":"quick","nmae":"A"}"#),
            parsed("{}"),
            parsed(""),
            parsed("[]"),
            parsed(r#"{"setup":"quick""#),
            parsed(r#"{"setup":"quick"} and more"#),
            parsed("\u{0}"),
        ]
        .join("\n");
        insta::assert_snapshot!(results);
    }

    #[test]
    fn bearer_token_is_parsed_from_the_authorization_header() {
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
