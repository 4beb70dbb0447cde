//! Mails that people ask for: a new password, a link to sign in, a confirmation once more, a code.
use super::{
    error::{AuthError, Result},
    extract::{self, Audience, Body, Nobody, Pkce, Somebody, Visitor, given, phone_disabled},
    redirect::RedirectTo,
};
use crate::state::App;
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

/// Always the same answer, whether there is such an account or not.
pub async fn recover(
    State(app): State<App>,
    Nobody(ctx): Nobody,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Recover>,
) -> Result<Json<Value>> {
    let address = given(input.email.as_ref()).ok_or(AuthError::validation("Password recovery requires an email"))?;
    extract::email(address, StatusCode::BAD_REQUEST)?;
    let challenge = input.pkce.read()?;
    let way = RedirectContext { redirect_to: redirect.or(&app, input.redirect_to.as_deref()).asked(), challenge };
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

/// A link to sign in. Where accounts may be made, whoever has none gets one.
pub async fn otp(
    State(app): State<App>,
    Nobody(ctx): Nobody,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Otp>,
) -> Result<Json<Value>> {
    let address = match (given(input.email.as_ref()), given(input.phone.as_ref())) {
        (Some(email), None) => email,
        (None, Some(_)) => return Err(phone_disabled(StatusCode::BAD_REQUEST)),
        _ => return Err(AuthError::validation("Only an email address or phone number should be provided")),
    };
    if given(input.channel.as_ref()).is_some() {
        return Err(AuthError::validation("Channel should only be specified with Phone OTP"));
    }
    extract::email(address, StatusCode::BAD_REQUEST)?;
    let challenge = input.pkce.read()?;
    let way = RedirectContext { redirect_to: redirect.or(&app, input.redirect_to.as_deref()).asked(), challenge };
    let makes_one = ours && input.create_user.unwrap_or(true) && ctx.options.signup;
    // The protocol tells whoever asks for no new account that there is none, unless the operator wants nobody told.
    let tells = makes_one || !ctx.options.otp_alike;
    if ours && auth::otp(&ctx, address, way.clone(), tells).await? {
        return Ok(Json(json!({})));
    }
    if !makes_one {
        return Err(AuthError::fixed(StatusCode::UNPROCESSABLE_ENTITY, "otp_disabled", "Signups not allowed for otp"));
    }
    let data = input.data.unwrap_or_default();
    let new = NewAccount { email: address.to_owned(), password: None, data, redirect: way.clone() };
    if let auth::SignUpOutcome::Session(_) = auth::sign_up(&ctx, &app.auth, new).await? {
        // The address is believed; the link is still the only way in.
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

/// A confirmation once more, where one is waited for; the answer is the same for all.
pub async fn resend(
    State(app): State<App>,
    Nobody(ctx): Nobody,
    Audience(ours): Audience,
    redirect: RedirectTo,
    Body(input): Body<Resend>,
) -> Result<Json<Value>> {
    let kind = given(input.r#type.as_ref()).unwrap_or("");
    let wanted = match kind {
        "signup" => MailRequestKind::Signup,
        _ => MailRequestKind::EmailChange,
    };
    match (kind, given(input.email.as_ref()), given(input.phone.as_ref())) {
        ("signup" | "email_change", Some(address), None) => {
            extract::email(address, StatusCode::BAD_REQUEST)?;
            let challenge = input.pkce.read()?;
            let way =
                RedirectContext { redirect_to: redirect.or(&app, input.redirect_to.as_deref()).asked(), challenge };
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

/// A code by mail that proves once more who sits there.
pub async fn reauthenticate(Somebody(ctx, _): Somebody, Visitor(origin): Visitor) -> Result<Json<Value>> {
    auth::reauthenticate(&domain::Ctx { origin, ..ctx }).await.map_err(|error| {
        let error = AuthError::from(error);
        // A sign-in is refused with another status for the same reason.
        let waits = error.code() == "email_not_confirmed";
        if waits { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
    })?;
    Ok(Json(json!({})))
}
