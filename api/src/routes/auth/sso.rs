//! `POST /sso`: the provider that the operator configured for an email domain.
use super::{
    extract::{Body, non_empty},
    provider::{BrowserCtx, flow_secrets, pkce, provider_unavailable},
    redirect::RedirectTo,
    redirect_response::see_other,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::accounts::auth::identities;
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Sso {
    provider_id: Option<String>,
    domain: Option<String>,
    redirect_to: Option<String>,
    skip_http_redirect: Option<bool>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
}

pub async fn sso(
    State(app): State<AppState>,
    BrowserCtx { ctx, .. }: BrowserCtx,
    to: RedirectTo,
    body: std::result::Result<Body<Sso>, AuthError>,
) -> Result<Response> {
    if !app.providers.has_domains() {
        return Err(super::unsupported::saml().await);
    }
    let Body(input) = body?;
    let missing = |code| AuthError::new(StatusCode::NOT_FOUND, code);
    let provider = match (non_empty(input.provider_id.as_ref()), non_empty(input.domain.as_ref())) {
        (Some(id), None) => app.providers.get(id).ok_or_else(|| {
            missing(if matches!(id, "google" | "azure") { "sso_provider_disabled" } else { "sso_provider_not_found" })
        })?,
        (None, Some(domain)) => app.providers.for_domain(domain).ok_or_else(|| missing("sso_provider_not_found"))?,
        _ => return Err(AuthError::validation("A provider_id or domain needs to be provided")),
    };
    let challenge = pkce(non_empty(input.code_challenge.as_ref()), non_empty(input.code_challenge_method.as_ref()))?;
    let to = to.or_from_body(&app, input.redirect_to.as_deref());
    provider.reach().await.map_err(provider_unavailable)?;
    let flow = identities::start_sign_in(&ctx, provider.settings.kind.wire(), challenge, to.url().to_owned()).await?;
    let address = provider
        .authorization_url(flow_secrets(&flow, &flow.id.to_string()), &[], &[])
        .await
        .map_err(provider_unavailable)?;
    Ok(if input.skip_http_redirect == Some(true) {
        axum::Json(serde_json::json!({ "url": address })).into_response()
    } else {
        see_other(&address)
    })
}
