//! Sign-in with an OpenID provider: `/authorize` and `/callback`. Both answer browsers with redirects; errors are in the
//! redirect URL.
use super::{
    extract::{QueryParams, RawBody},
    redirect::RedirectTo,
    redirect_response::{error_params, found, redirect_with_error, see_other, with_query, with_session},
};
use crate::{
    auth_error::{AuthError, Result},
    extract::visit_origin,
    language::negotiate_language,
    oidc::{FlowSecrets, Provider, ProviderError},
    state::AppState,
};
use axum::{
    extract::{FromRequestParts, State},
    http::{StatusCode, header, request::Parts},
    response::Response,
};
use domain::{
    Actor, Ctx, Error,
    accounts::auth::{
        flows::{Challenge, Flow},
        identities::{self, CallbackOutcome},
    },
    desk::people,
};
use std::convert::Infallible;

/// Parameters that the flow sets itself; all others are forwarded to the provider.
const RESERVED_PARAMS: [&str; 21] = [
    "apikey",
    "claims",
    "client_id",
    "client_secret",
    "code_challenge",
    "code_challenge_method",
    "id_token_hint",
    "invite_token",
    "nonce",
    "provider",
    "redirect_to",
    "redirect_uri",
    "registration",
    "request",
    "request_uri",
    "response_mode",
    "response_type",
    "scope",
    "scopes",
    "skip_http_redirect",
    "state",
];

/// An anonymous context with its origin, for GET requests that sign in.
#[derive(Debug)]
pub struct BrowserCtx {
    pub ctx: Ctx,
    language: &'static str,
}

impl FromRequestParts<AppState> for BrowserCtx {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> std::result::Result<Self, Infallible> {
        let language = negotiate_language(parts.headers.get(header::ACCEPT_LANGUAGE));
        Ok(Self { ctx: app.ctx(Actor::Anonymous, visit_origin(parts)), language })
    }
}

pub async fn authorize(
    State(app): State<AppState>,
    params: QueryParams,
    to: RedirectTo,
    BrowserCtx { ctx, language }: BrowserCtx,
) -> Result<Response> {
    let provider = enabled_provider(&app, params.get("provider"))?;
    if params.get("invite_token").is_some() {
        return Err(AuthError::new(StatusCode::NOT_FOUND, "user_not_found"));
    }
    let challenge = challenge(&params)?;
    if provider.reach().await.is_err() {
        return Ok(redirect_with_error(to.url(), "provider_unavailable", language));
    }
    let flow = identities::start_sign_in(&ctx, provider.settings.kind.wire(), challenge, to.url().to_owned()).await?;
    Ok(
        match provider
            .authorization_url(flow_secrets(&flow, &flow.id.to_string()), &scopes(&params), &forwarded_params(&params))
            .await
        {
            Ok(url) => found(&url),
            Err(_) => redirect_with_error(to.url(), "provider_unavailable", language),
        },
    )
}

/// The provider's redirect back, with a code or an error.
pub async fn callback(
    State(app): State<AppState>,
    BrowserCtx { ctx, language }: BrowserCtx,
    params: QueryParams,
    RawBody(form): RawBody,
) -> Response {
    let params = params.with_form(&form);
    let flow = match identities::consume_state(&ctx, params.get("state").unwrap_or_default()).await {
        Ok(flow) => flow,
        // Without a flow the redirect URL is unknown: our first page.
        Err(e) => {
            let query = error_params(error_code(&e), language);
            return see_other(&format!("{}/?{query}", app.options.public_url));
        }
    };
    match finish_callback(&app, &ctx, &flow, &params).await {
        Ok(CallbackOutcome::Code(code)) => found(&with_query(&flow.redirect_to, "code", &code)),
        Ok(CallbackOutcome::Session(granted)) => found(&with_session(&flow.redirect_to, &granted)),
        Err(code) => redirect_with_error(&flow.redirect_to, code, language),
    }
}

/// Exchanges the code and signs in; the error code otherwise.
async fn finish_callback(
    app: &AppState,
    ctx: &Ctx,
    flow: &Flow,
    params: &QueryParams,
) -> std::result::Result<CallbackOutcome, &'static str> {
    const BAD: &str = "bad_oauth_callback";
    let provider = flow.provider.as_deref().and_then(|wire| app.providers.get(wire)).ok_or(BAD)?;
    let name = provider.settings.kind.wire();
    match params.get("error") {
        Some("access_denied" | "login_required" | "consent_required" | "interaction_required") => {
            return Err("access_denied");
        }
        Some("temporarily_unavailable" | "server_error") => return Err("provider_unavailable"),
        Some(error) => {
            let error: String = error.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(60).collect();
            tracing::warn!(provider = name, error, "provider returned an error");
            return Err(BAD);
        }
        None => {}
    }
    if let Some(issuer) = params.get("iss")
        && !provider.is_issuer(issuer).await
    {
        return Err(BAD);
    }
    let code = params.get("code").ok_or(BAD)?;
    let arrival = provider.exchange_code(&app.clock, flow_secrets(flow, ""), code).await.map_err(|e| {
        tracing::warn!(provider = name, error = %e, "provider code exchange failed");
        match e {
            ProviderError::Unavailable(_) => "provider_unavailable",
            ProviderError::Refused(_) => BAD,
        }
    })?;
    people::sign_in_with_provider(ctx, &app.auth, flow, &arrival).await.map_err(|e| error_code(&e))
}

/// The provider of this name, if it is configured.
pub fn enabled_provider<'a>(app: &'a AppState, name: Option<&str>) -> Result<&'a Provider> {
    let unsupported = || AuthError::validation("Unsupported provider: provider is not enabled");
    app.providers.get(name.unwrap_or_default()).ok_or_else(unsupported)
}

pub fn challenge(params: &QueryParams) -> Result<Option<Challenge>> {
    pkce(params.get("code_challenge"), params.get("code_challenge_method"))
}

pub fn pkce(challenge: Option<&str>, method: Option<&str>) -> Result<Option<Challenge>> {
    match (challenge, method) {
        (None, None) => Ok(None),
        (Some(challenge), Some(method)) => {
            let read = Challenge::read(challenge, method);
            read.map(Some).ok_or(AuthError::validation("Invalid PKCE code challenge"))
        }
        _ => Err(AuthError::validation("PKCE flow requires code_challenge_method and code_challenge")),
    }
}

/// Parameters for the provider: `prompt`, `login_hint`, `hd` and the like.
pub fn forwarded_params(params: &QueryParams) -> Vec<(String, String)> {
    params.pairs().iter().filter(|(name, _)| !RESERVED_PARAMS.contains(&name.as_str())).take(10).cloned().collect()
}

/// Additional scopes, separated by commas or spaces: valid names (RFC 6749, section 3.3) without duplicates.
pub fn scopes(params: &QueryParams) -> Vec<&str> {
    let mut scopes = Vec::new();
    for scope in params.get("scopes").unwrap_or_default().split([',', ' ']) {
        let named = scope.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\'));
        if named && (1..=200).contains(&scope.len()) && scopes.len() < 10 && !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

pub fn flow_secrets<'a>(flow: &'a Flow, state: &'a str) -> FlowSecrets<'a> {
    FlowSecrets {
        state,
        nonce: flow.provider_nonce.as_deref().unwrap_or_default(),
        verifier: flow.provider_verifier.as_deref().unwrap_or_default(),
    }
}

/// The error for clients that are no browsers.
pub fn provider_unavailable(_: ProviderError) -> AuthError {
    AuthError::new(StatusCode::SERVICE_UNAVAILABLE, "provider_unavailable").with_retry_after(10)
}

fn error_code(error: &Error) -> &'static str {
    match error {
        Error::Unauthenticated(problem) | Error::Conflict(problem) | Error::Forbidden(problem) => problem.code,
        Error::Unavailable(cause) => {
            tracing::warn!(error = %cause, "database unavailable");
            "unavailable"
        }
        other => {
            tracing::error!(error = %other, "internal error");
            "unexpected_failure"
        }
    }
}
