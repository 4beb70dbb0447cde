//! `/user`: the signed-in user, and what they change about themselves.
use super::{
    error::{AuthError, Result},
    extract::{self, Body, Pkce, Somebody, given, phone_disabled},
    redirect::RedirectTo,
    view::{SessionView, UserView},
};
use crate::state::App;
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

pub async fn get(Somebody(ctx, me): Somebody) -> Result<Json<UserView>> {
    Ok(Json(auth::load_account(&ctx, users::get(&ctx, me.id).await?).await?.into()))
}

pub async fn update(
    State(app): State<App>,
    Somebody(ctx, _): Somebody,
    redirect: RedirectTo,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    if input.app_metadata.is_some() {
        return Err(AuthError::new(StatusCode::FORBIDDEN, "not_admin"));
    }
    if given(input.phone.as_ref()).is_some() {
        return Err(phone_disabled(StatusCode::BAD_REQUEST));
    }
    let email = given(input.email.as_ref()).map(str::to_owned);
    if let Some(email) = &email {
        extract::email(email, StatusCode::BAD_REQUEST)?;
    }
    let challenge = input.pkce.read()?;
    let change = UpdateAccount {
        password: input.password,
        current_password: given_secret(input.current_password),
        nonce: given_secret(input.nonce),
        email,
        data: input.data,
        redirect: RedirectContext { redirect_to: redirect.or(&app, input.redirect_to.as_deref()).asked(), challenge },
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

/// Proves once more who sits there, by password or by the code that `GET /reauthenticate` mails. The session stays the
/// same one; its new access token says when it was proved.
pub async fn reauthenticate(
    State(app): State<App>,
    Somebody(ctx, _): Somebody,
    Body(input): Body<Reauthentication>,
) -> Result<SessionView> {
    let credential = match (given_secret(input.password), given_secret(input.nonce)) {
        (Some(password), None) => Credential::Password(password),
        (None, Some(nonce)) => Credential::MailedCode(nonce),
        _ => return Err(AuthError::validation("Either a password or a nonce is needed")),
    };
    Ok(auth::reauthenticate_with(&ctx, &app.auth, &credential).await?.into())
}

/// A text that is there, as it is: a password may begin with a space.
fn given_secret(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
