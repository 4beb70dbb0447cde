//! `/user`: the signed-in user, and what they change about themselves.
use super::{
    extract::{self, Body, Pkce, SessionCtx, non_empty, phone_disabled},
    redirect::RedirectTo,
    view::{SessionView, UserView},
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::accounts::{
    auth::{self, Credential, RedirectContext, UpdateAccount},
    users,
};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    current_password: Option<String>,
    nonce: Option<String>,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Value>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

pub async fn get(SessionCtx(ctx, me): SessionCtx) -> Result<Json<UserView>> {
    Ok(Json(auth::load_account(&ctx, users::get(&ctx, me.id).await?).await?.into()))
}

pub async fn update(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    redirect: RedirectTo,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    if input.app_metadata.is_some() {
        return Err(AuthError::new(StatusCode::FORBIDDEN, "not_admin"));
    }
    if non_empty(input.phone.as_ref()).is_some() {
        return Err(phone_disabled(StatusCode::BAD_REQUEST));
    }
    let email = non_empty(input.email.as_ref()).map(str::to_owned);
    if let Some(email) = &email {
        extract::check_email(email, StatusCode::BAD_REQUEST)?;
    }
    let challenge = input.pkce.read()?;
    let change = UpdateAccount {
        password: input.password,
        current_password: non_empty_secret(input.current_password),
        nonce: non_empty_secret(input.nonce),
        email,
        data: input.data,
        redirect: RedirectContext {
            redirect_to: redirect.or_from_body(&app, input.redirect_to.as_deref()).requested(),
            challenge,
        },
    };
    let user = auth::update_user(&ctx, &app.auth, &change).await.map_err(|error| {
        let error = AuthError::from(error);
        if error.code() == "insufficient_aal" { error.with_status(StatusCode::UNAUTHORIZED) } else { error }
    })?;
    Ok(Json(auth::load_account(&ctx, user).await?.into()))
}

#[derive(Deserialize)]
pub struct Reauthentication {
    password: Option<String>,
    nonce: Option<String>,
}

/// Reauthenticates by password or by the code that `GET /reauthenticate` mails. The session stays; its new access token
/// has the time.
pub async fn reauthenticate(
    State(app): State<AppState>,
    SessionCtx(ctx, _): SessionCtx,
    Body(input): Body<Reauthentication>,
) -> Result<SessionView> {
    let credential = match (non_empty_secret(input.password), non_empty_secret(input.nonce)) {
        (Some(password), None) => Credential::Password(password),
        (None, Some(nonce)) => Credential::MailedCode(nonce),
        _ => return Err(AuthError::validation("Either a password or a nonce is needed")),
    };
    Ok(auth::reauthenticate_with(&ctx, &app.auth, &credential).await?.into())
}

/// The text unless it is missing or empty; not trimmed, because a password may begin with a space.
fn non_empty_secret(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
