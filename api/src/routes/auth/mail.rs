//! Auth mails on request: password recovery, magic link, confirmation again, reauthentication code.
use super::{
    extract::{self, AnonymousCtx, Audience, Body, Pkce, SessionCtx, VisitOrigin, non_empty, phone_disabled},
    redirect::RedirectTo,
};
use crate::{
    auth_error::{AuthError, Result},
    state::AppState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::accounts::auth::{self, MailRequestKind, NewAccount, RedirectContext};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
pub struct Recover {
    email: Option<String>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

/// Answers alike for known and unknown addresses.
pub async fn recover(
    State(app): State<AppState>,
    AnonymousCtx(ctx): AnonymousCtx,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Recover>,
) -> Result<Json<Value>> {
    let address =
        non_empty(input.email.as_ref()).ok_or(AuthError::validation("Password recovery requires an email"))?;
    extract::check_email(address, StatusCode::BAD_REQUEST)?;
    let challenge = input.pkce.read()?;
    let way = RedirectContext {
        redirect_to: redirect.or_from_body(&app, input.redirect_to.as_deref()).requested(),
        challenge,
    };
    if ours {
        auth::request_mail(&ctx, MailRequestKind::Recovery, address, way).await?;
    }
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
pub struct Otp {
    email: Option<String>,
    phone: Option<String>,
    channel: Option<String>,
    create_user: Option<bool>,
    data: Option<Map<String, Value>>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

/// Mails a sign-in link. Where sign-up is enabled, an unknown address gets an account.
pub async fn otp(
    State(app): State<AppState>,
    AnonymousCtx(ctx): AnonymousCtx,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Otp>,
) -> Result<Json<Value>> {
    let address = match (non_empty(input.email.as_ref()), non_empty(input.phone.as_ref())) {
        (Some(email), None) => email,
        (None, Some(_)) => return Err(phone_disabled(StatusCode::BAD_REQUEST)),
        _ => return Err(AuthError::validation("Only an email address or phone number should be provided")),
    };
    if non_empty(input.channel.as_ref()).is_some() {
        return Err(AuthError::validation("Channel should only be specified with Phone OTP"));
    }
    extract::check_email(address, StatusCode::BAD_REQUEST)?;
    let challenge = input.pkce.read()?;
    let way = RedirectContext {
        redirect_to: redirect.or_from_body(&app, input.redirect_to.as_deref()).requested(),
        challenge,
    };
    let creates = ours && input.create_user.unwrap_or(true) && ctx.options.signup;
    // The protocol reveals unknown addresses when no account is to be created, unless the operator disabled that.
    let reveals = creates || !ctx.options.otp_alike;
    if ours && auth::otp(&ctx, address, way.clone(), reveals).await? {
        return Ok(Json(json!({})));
    }
    if !creates {
        return Err(AuthError::fixed(StatusCode::UNPROCESSABLE_ENTITY, "otp_disabled", "Signups not allowed for otp"));
    }
    let data = input.data.unwrap_or_default();
    let new = NewAccount { email: address.to_owned(), password: None, data, redirect: way.clone() };
    if let auth::SignUpOutcome::Session(_) = auth::sign_up(&ctx, &app.auth, new).await? {
        // The address counts as confirmed; the link is still needed to sign in.
        auth::request_mail(&ctx, MailRequestKind::Magiclink, address, way).await?;
    }
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
pub struct Resend {
    r#type: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    redirect_to: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

/// Sends a pending confirmation again. Answers alike for known and unknown addresses.
pub async fn resend(
    State(app): State<AppState>,
    AnonymousCtx(ctx): AnonymousCtx,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Resend>,
) -> Result<Json<Value>> {
    let kind = non_empty(input.r#type.as_ref()).unwrap_or("");
    let wanted = match kind {
        "signup" => MailRequestKind::Signup,
        _ => MailRequestKind::EmailChange,
    };
    match (kind, non_empty(input.email.as_ref()), non_empty(input.phone.as_ref())) {
        ("signup" | "email_change", Some(address), None) => {
            extract::check_email(address, StatusCode::BAD_REQUEST)?;
            let challenge = input.pkce.read()?;
            let way = RedirectContext {
                redirect_to: redirect.or_from_body(&app, input.redirect_to.as_deref()).requested(),
                challenge,
            };
            if ours {
                auth::request_mail(&ctx, wanted, address, way).await?;
            }
            Ok(Json(json!({})))
        }
        ("sms" | "phone_change", None, Some(_)) => Err(phone_disabled(StatusCode::BAD_REQUEST)),
        ("signup" | "email_change", ..) => Err(AuthError::validation("Type provided requires an email address")),
        ("sms" | "phone_change", ..) => Err(AuthError::validation("Type provided requires a phone number")),
        _ => Err(AuthError::validation("Missing one of these types: signup, email_change, sms, phone_change")),
    }
}

/// Mails a reauthentication code.
pub async fn reauthenticate(SessionCtx(ctx, _): SessionCtx, VisitOrigin(origin): VisitOrigin) -> Result<Json<Value>> {
    auth::reauthenticate(&domain::Ctx { origin, ..ctx }).await.map_err(|error| {
        let error = AuthError::from(error);
        // A sign-in is refused with another status for the same reason.
        let waits = error.code() == "email_not_confirmed";
        if waits { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
    })?;
    Ok(Json(json!({})))
}
