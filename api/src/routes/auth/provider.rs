//! Signing in at an OpenID provider: the way there and the way back. Both are visits of a browser, which is sent on
//! whatever happens; what went wrong stands in the address it is sent to.
use super::{
    error::{AuthError, Result},
    extract::{Asked, Raw},
    redirect::RedirectTo,
    sent_on::{found, refusal, turn_back, with_query, with_session},
    verify::see_other,
};
use crate::{
    extract::visitor,
    language::preferred,
    oidc::{Failure, Provider, Secrets},
    state::App,
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

/// Parameters that are ours or the flow's to say; any other goes along to the provider.
const OURS: [&str; 21] = [
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

/// Somebody's browser, of whom the log shall say where it is even though it only reads.
#[derive(Debug)]
pub struct Visitor {
    pub ctx: Ctx,
    language: &'static str,
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> std::result::Result<Self, Infallible> {
        let language = preferred(parts.headers.get(header::ACCEPT_LANGUAGE));
        Ok(Self { ctx: app.ctx(Actor::Anonymous, visitor(parts)), language })
    }
}

pub async fn authorize(
    State(app): State<App>,
    asked: Asked,
    to: RedirectTo,
    Visitor { ctx, language }: Visitor,
) -> Result<Response> {
    let provider = enabled(&app, asked.get("provider"))?;
    if asked.get("invite_token").is_some() {
        return Err(AuthError::new(StatusCode::NOT_FOUND, "user_not_found"));
    }
    let challenge = challenge(&asked)?;
    if provider.reach().await.is_err() {
        return Ok(turn_back(to.url(), "provider_unavailable", language));
    }
    let flow = identities::start_sign_in(&ctx, provider.settings.kind.wire(), challenge, to.url().to_owned()).await?;
    Ok(match provider.address(secrets(&flow, &flow.id.to_string()), &scopes(&asked), &along(&asked)).await {
        Ok(address) => found(&address),
        Err(_) => turn_back(to.url(), "provider_unavailable", language),
    })
}

/// Back from the provider, with a code or with its refusal.
pub async fn callback(
    State(app): State<App>,
    Visitor { ctx, language }: Visitor,
    asked: Asked,
    Raw(form): Raw,
) -> Response {
    let asked = asked.or_form(&form);
    let flow = match identities::consume_state(&ctx, asked.get("state").unwrap_or_default()).await {
        Ok(flow) => flow,
        // Nobody knows where it came from, so it goes to our first page.
        Err(e) => {
            let query = refusal(code_of(&e), language);
            return see_other(&format!("{}/?{query}", app.options.public_url));
        }
    };
    match land(&app, &ctx, &flow, &asked).await {
        Ok(CallbackOutcome::Code(code)) => found(&with_query(&flow.redirect_to, "code", &code)),
        Ok(CallbackOutcome::Session(granted)) => found(&with_session(&flow.redirect_to, &granted)),
        Err(code) => turn_back(&flow.redirect_to, code, language),
    }
}

/// Lets in whoever came back, or says by which code not.
async fn land(app: &App, ctx: &Ctx, flow: &Flow, asked: &Asked) -> std::result::Result<CallbackOutcome, &'static str> {
    const BAD: &str = "bad_oauth_callback";
    let provider = flow.provider.as_deref().and_then(|wire| app.providers.named(wire)).ok_or(BAD)?;
    let name = provider.settings.kind.wire();
    match asked.get("error") {
        Some("access_denied" | "login_required" | "consent_required" | "interaction_required") => {
            return Err("access_denied");
        }
        Some("temporarily_unavailable" | "server_error") => return Err("provider_unavailable"),
        Some(error) => {
            let error: String = error.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(60).collect();
            tracing::warn!(provider = name, error, "the provider turned somebody back");
            return Err(BAD);
        }
        None => {}
    }
    if let Some(issuer) = asked.get("iss")
        && !provider.is_issuer(issuer).await
    {
        return Err(BAD);
    }
    let code = asked.get("code").ok_or(BAD)?;
    let arrival = provider.redeem(&app.clock, secrets(flow, ""), code).await.map_err(|e| {
        tracing::warn!(provider = name, error = %e, "the provider's answer is not good");
        match e {
            Failure::Unavailable(_) => "provider_unavailable",
            Failure::Refused(_) => BAD,
        }
    })?;
    people::sign_in_with_provider(ctx, &app.auth, flow, &arrival).await.map_err(|e| code_of(&e))
}

/// The provider of this name, if it is configured.
pub fn enabled<'a>(app: &'a App, name: Option<&str>) -> Result<&'a Provider> {
    let unsupported = || AuthError::validation("Unsupported provider: provider is not enabled");
    app.providers.named(name.unwrap_or_default()).ok_or_else(unsupported)
}

pub fn challenge(asked: &Asked) -> Result<Option<Challenge>> {
    pkce(asked.get("code_challenge"), asked.get("code_challenge_method"))
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

/// What goes along to the provider: `prompt`, `login_hint`, `hd` and the like.
pub fn along(asked: &Asked) -> Vec<(String, String)> {
    asked.pairs().iter().filter(|(name, _)| !OURS.contains(&name.as_str())).take(10).cloned().collect()
}

/// What else the provider is to be asked for, between commas or spaces: names as RFC 6749 has them (section 3.3), each
/// once.
pub fn scopes(asked: &Asked) -> Vec<&str> {
    let mut scopes = Vec::new();
    for scope in asked.get("scopes").unwrap_or_default().split([',', ' ']) {
        let named = scope.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\'));
        if named && (1..=200).contains(&scope.len()) && scopes.len() < 10 && !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

pub fn secrets<'a>(flow: &'a Flow, state: &'a str) -> Secrets<'a> {
    Secrets {
        state,
        nonce: flow.provider_nonce.as_deref().unwrap_or_default(),
        verifier: flow.provider_verifier.as_deref().unwrap_or_default(),
    }
}

/// For callers that are no browsers: again in a moment.
pub fn unreachable(_: Failure) -> AuthError {
    AuthError::new(StatusCode::SERVICE_UNAVAILABLE, "provider_unavailable").again_in(10)
}

fn code_of(error: &Error) -> &'static str {
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
