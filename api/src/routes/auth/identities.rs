//! `/user/identities`: links and unlinks providers.
use super::{
    extract::{Path, QueryParams, SessionCtx},
    provider::{challenge, enabled_provider, flow_secrets, forwarded_params, provider_unavailable, scopes},
    redirect::RedirectTo,
    redirect_response::found,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{accounts::auth::identities, kernel::ids::IdentityId};
use serde_json::{Value, json};

/// The provider's URL for linking. The identity is linked when this session exchanges the code, so a PKCE challenge is
/// required (linking, decision 28).
pub async fn authorize(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    params: QueryParams,
    to: RedirectTo,
) -> Result<Response> {
    if app.providers.is_empty() {
        return Err(linking_disabled());
    }
    let provider = enabled_provider(&app, params.get("provider"))?;
    let challenge = challenge(&params)?
        .ok_or(AuthError::validation("Linking an identity requires the PKCE flow: code_challenge is missing"))?;
    provider.reach().await.map_err(provider_unavailable)?;
    let wire = provider.settings.kind.wire();
    let flow = identities::start_linking(&ctx, wire, challenge, to.url().to_owned()).await?;
    let state = flow.id.to_string();
    let address =
        provider.authorization_url(flow_secrets(&flow, &state), &scopes(&params), &forwarded_params(&params)).await;
    let address = address.map_err(provider_unavailable)?;
    Ok(match params.get("skip_http_redirect") {
        Some("true") => Json(json!({ "url": address })).into_response(),
        _ => found(&address),
    })
}

pub async fn unlink(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    let malformed = || AuthError::validation("identity_id must be an UUID").with_status(StatusCode::NOT_FOUND);
    let done = match id.parse::<IdentityId>() {
        Ok(id) => identities::unlink(&ctx, id).await.map_err(AuthError::from),
        Err(_) => Err(malformed()),
    };
    // Identities can be unlinked also when no provider is configured any more.
    done.map(|()| Json(json!({}))).map_err(|e| if app.providers.is_empty() { linking_disabled() } else { e })
}

fn linking_disabled() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "manual_linking_disabled", "Manual linking is disabled")
}
