//! "This wasn't me": the button of the page that a security mail links to. GET is the web app's page, so that mail scanners
//! change nothing.
use crate::{
    error::Result,
    extract::{Json, MaybeSignedIn},
    response::JsonBody,
    state::AppState,
};
use axum::extract::State;
use domain::desk::people;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecureAccount {
    /// The token of the link in the mail.
    token: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SecuredAccount {
    /// The address that the link to choose a new password is mailed to; null where none is mailed, as for a suspended account.
    email: Option<String>,
}

/// Secures an account by the link of a security mail: ends its sessions, stops its password, removes the second factors and
/// identities of the last seven days, and mails a link to choose a new password. Needs no sign-in; works once.
#[utoipa::path(post, path = "/secure-account", operation_id = "account_secure", tag = "me", security(()),
    request_body = SecureAccount, responses((status = 200, body = SecuredAccount)))]
pub async fn secure_account(
    State(app): State<AppState>,
    MaybeSignedIn(ctx): MaybeSignedIn,
    Json(input): Json<SecureAccount>,
) -> Result<JsonBody<SecuredAccount>> {
    let email = people::secure_account(&ctx, &app.auth, &input.token).await?;
    Ok(JsonBody(SecuredAccount { email }))
}
