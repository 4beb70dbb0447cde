//! `/user`: the signed-in user, and the new password.
use super::{
    error::{AuthError, Result},
    extract::{Body, Somebody, given},
    view::UserView,
};
use crate::state::App;
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    auth::{self, Change},
    users,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    current_password: Option<String>,
    app_metadata: Option<Value>,
}

pub async fn get(Somebody(ctx, me): Somebody) -> Result<Json<UserView>> {
    Ok(Json(auth::whole(&ctx, users::get(&ctx, me.id).await?).await?.into()))
}

pub async fn update(
    State(app): State<App>,
    Somebody(ctx, me): Somebody,
    Body(input): Body<Input>,
) -> Result<Json<UserView>> {
    if input.app_metadata.is_some() {
        return Err(AuthError::new(StatusCode::FORBIDDEN, "not_admin"));
    }
    if given(input.phone.as_ref()).is_some() {
        return Err(AuthError::fixed(StatusCode::BAD_REQUEST, "phone_provider_disabled", "Phone logins are disabled"));
    }
    let another =
        given(input.email.as_ref()).is_some_and(|email| users::email_key(email) != users::email_key(&me.email));
    if another {
        return Err(AuthError::reworded(StatusCode::UNPROCESSABLE_ENTITY, "validation_failed", "email_change_off"));
    }
    let change = Change { password: input.password, current_password: input.current_password };
    let user = auth::update_user(&ctx, &app.auth, &change).await?;
    Ok(Json(auth::whole(&ctx, user).await?.into()))
}
