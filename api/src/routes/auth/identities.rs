//! `/user/identities`: providers linked to an account, and unlinked.
use super::{
    error::{AuthError, Result},
    extract::{Asked, Path, Somebody},
    provider::{along, challenge, enabled, scopes, secrets, unreachable},
    redirect::RedirectTo,
    sent_on::found,
};
use crate::state::App;
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::{accounts::auth::identities, kernel::ids::IdentityId};
use serde_json::{Value, json};

/// Where to go to link a provider. It is linked when the code is exchanged by whoever asks here, so a challenge is
/// needed (decision 28).
pub async fn authorize(
    State(app): State<App>,
    Somebody(ctx, _): Somebody,
    asked: Asked,
    to: RedirectTo,
) -> Result<Response> {
    if app.providers.is_empty() {
        return Err(off());
    }
    let provider = enabled(&app, asked.get("provider"))?;
    let challenge = challenge(&asked)?
        .ok_or(AuthError::validation("Linking an identity requires the PKCE flow: code_challenge is missing"))?;
    provider.reach().await.map_err(unreachable)?;
    let wire = provider.settings.kind.wire();
    let flow = identities::start_linking(&ctx, wire, challenge, to.url().to_owned()).await?;
    let state = flow.id.to_string();
    let address = provider.address(secrets(&flow, &state), &scopes(&asked), &along(&asked)).await;
    let address = address.map_err(unreachable)?;
    Ok(match asked.get("skip_http_redirect") {
        Some("true") => Json(json!({ "url": address })).into_response(),
        _ => found(&address),
    })
}

pub async fn unlink(State(app): State<App>, Somebody(ctx, _): Somebody, Path(id): Path<String>) -> Result<Json<Value>> {
    let malformed = || AuthError::validation("identity_id must be an UUID").with_status(StatusCode::NOT_FOUND);
    let done = match id.parse::<IdentityId>() {
        Ok(id) => identities::unlink(&ctx, id).await.map_err(AuthError::from),
        Err(_) => Err(malformed()),
    };
    // What was linked while there were providers may still be taken away.
    done.map(|()| Json(json!({}))).map_err(|e| if app.providers.is_empty() { off() } else { e })
}

fn off() -> AuthError {
    AuthError::fixed(StatusCode::NOT_FOUND, "manual_linking_disabled", "Manual linking is disabled")
}
