//! `POST /signup`: self-service accounts, where enabled.
use super::{
    extract::{self, AnonymousCtx, Audience, Body, Pkce, non_empty},
    redirect::RedirectTo,
    view::{SessionView, UserView, fake_user},
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
use domain::accounts::auth::{self, NewAccount, RedirectContext, SignUpOutcome, passwords};
use serde::Deserialize;
use serde_json::{Map, Value};

const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

#[derive(Deserialize)]
pub struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

pub async fn signup(
    State(app): State<AppState>,
    AnonymousCtx(ctx): AnonymousCtx,
    Audience(ours): Audience,
    redirect: RedirectTo,
    body: std::result::Result<Body<Input>, AuthError>,
) -> Result<Response> {
    if !ctx.options.signup {
        return Err(AuthError::signup_disabled());
    }
    let Body(input) = body?;
    if !ours {
        return Err(AuthError::validation("Accounts of this audience are not offered"));
    }
    let email = match (non_empty(input.email.as_ref()), non_empty(input.phone.as_ref())) {
        (None, None) => {
            return Err(AuthError::fixed(
                UNPROCESSABLE,
                "anonymous_provider_disabled",
                "Anonymous sign-ins are disabled",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(AuthError::validation("Only an email address or phone number should be provided on signup."));
        }
        (None, Some(_)) => return Err(extract::phone_disabled(StatusCode::BAD_REQUEST)),
        (Some(email), None) => email,
    };
    let password = input.password.filter(|password| !password.is_empty());
    let Some(password) = password else { return Err(AuthError::validation("Signup requires a valid password")) };
    if passwords::is_too_long(&password) {
        return Err(AuthError::validation("Password cannot be longer than 128 characters"));
    }
    extract::check_email(email, StatusCode::BAD_REQUEST)?;
    let challenge = input.pkce.read()?;
    let way = RedirectContext {
        redirect_to: redirect.or_from_body(&app, input.redirect_to.as_deref()).requested(),
        challenge,
    };
    let new = NewAccount {
        email: email.to_owned(),
        password: Some(password),
        data: input.data.unwrap_or_default(),
        redirect: way,
    };
    Ok(match auth::sign_up(&ctx, &app.auth, new).await? {
        SignUpOutcome::Session(granted) => SessionView::from(*granted).into_response(),
        SignUpOutcome::ConfirmationSent(user) => {
            Json(UserView::from(auth::load_account(&ctx, *user).await?)).into_response()
        }
        SignUpOutcome::AlreadyRegistered => Json(fake_user(&ctx, email)).into_response(),
    })
}
