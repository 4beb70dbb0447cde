//! Links and codes from mails: asked for, forwarded to our page, and used there after a click.
use super::{
    error::{AuthError, Result},
    extract::{self, Asked, Body, Nobody, Pkce, given},
    view::SessionView,
};
use crate::state::App;
use axum::{
    Json,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    auth::{self, Ticket},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What mails of ours bring; `email` finds either.
const OURS: [&str; 3] = ["recovery", "invite", "email"];
/// Known to the protocol, and never mailed by us: their tokens do not exist.
const OTHERS: [&str; 3] = ["signup", "magiclink", "email_change"];
const BY_PHONE: [&str; 2] = ["sms", "phone_change"];

#[derive(Deserialize)]
pub struct Recover {
    email: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

/// Always the same answer, whether there is such an account or not.
pub async fn recover(Nobody(ctx): Nobody, Body(input): Body<Recover>) -> Result<Json<Value>> {
    let address = given(input.email.as_ref()).ok_or(AuthError::validation("Password recovery requires an email"))?;
    extract::email(address, StatusCode::BAD_REQUEST)?;
    input.pkce.read()?;
    auth::recover(&ctx, address).await?;
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
pub struct Verify {
    r#type: Option<String>,
    token_hash: Option<String>,
    token: Option<String>,
    email: Option<String>,
    phone: Option<String>,
}

pub async fn verify(
    State(app): State<App>,
    Nobody(ctx): Nobody,
    Body(input): Body<Verify>,
) -> Result<Json<SessionView>> {
    let kind = given(input.r#type.as_ref()).ok_or(AuthError::validation("Verify requires a verification type"))?;
    let known = OURS.iter().chain(&OTHERS).chain(&BY_PHONE).any(|name| *name == kind);
    let (hash, code) = (given(input.token_hash.as_ref()), given(input.token.as_ref()));
    let (email, phone) = (given(input.email.as_ref()), given(input.phone.as_ref()));
    let ticket = match (hash, code) {
        _ if !known => return Err(AuthError::validation("Unsupported verification type")),
        (Some(_), Some(_)) | (None, None) => {
            return Err(AuthError::validation("Verify requires either a token or a token hash"));
        }
        (Some(_), None) if email.is_some() || phone.is_some() => {
            return Err(AuthError::validation("Only the token_hash and type should be provided"));
        }
        (Some(hash), None) => Ticket::Token(hash.to_owned()),
        (None, Some(code)) => match (email, phone) {
            (Some(email), None) => {
                extract::email(email, StatusCode::UNPROCESSABLE_ENTITY)?;
                Ticket::Code { email: email.to_owned(), code: code.to_owned() }
            }
            (None, Some(phone)) => {
                let digits = phone.strip_prefix('+').unwrap_or(phone);
                if digits.len() > 15 || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(AuthError::validation("Invalid phone number format (E.164 required)"));
                }
                return Err(Error::unauthenticated("otp_expired").into());
            }
            _ => {
                return Err(AuthError::validation(
                    "Only an email address or phone number should be provided on verify",
                ));
            }
        },
    };
    if !OURS.contains(&kind) {
        return Err(Error::unauthenticated("otp_expired").into());
    }
    Ok(Json(auth::verify(&ctx, &app.auth, &ticket).await?.into()))
}

/// A link that points here leads on to our page, which asks for a click. Nothing is used up, so a mail scanner
/// may come as often as it likes.
pub async fn forward(State(app): State<App>, asked: Asked) -> Result<Response> {
    let token = asked.get("token").or(asked.get("token_hash"));
    let (Some(token), Some(kind)) = (token, asked.get("type")) else {
        return Err(AuthError::validation("Verify requires a token and a type"));
    };
    if !OURS.contains(&kind) && !OTHERS.contains(&kind) {
        return Err(AuthError::validation("Unsupported verification type"));
    }
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("token_hash", token)
        .append_pair("type", kind)
        .finish();
    Ok(see_other(&format!("{}/auth/reset-password?{query}", app.options.public_url)))
}

/// 303 to a page of ours.
pub fn see_other(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    // The address is ours and the query is encoded, so it is a header's text; without it the page is the first one.
    let location = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

#[derive(Deserialize)]
pub struct Resend {
    r#type: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    #[serde(flatten)]
    pkce: Pkce,
}

/// Nothing here waits for a confirmation, so there is nothing to send again; the answer is the same for all.
pub async fn resend(Body(input): Body<Resend>) -> Result<Json<Value>> {
    let kind = given(input.r#type.as_ref()).unwrap_or("");
    match (kind, given(input.email.as_ref()), given(input.phone.as_ref())) {
        ("signup" | "email_change", Some(address), None) => {
            extract::email(address, StatusCode::BAD_REQUEST)?;
            input.pkce.read()?;
            Ok(Json(json!({})))
        }
        ("sms" | "phone_change", None, Some(_)) => {
            Err(AuthError::fixed(StatusCode::BAD_REQUEST, "phone_provider_disabled", "Phone logins are disabled"))
        }
        ("signup" | "email_change", ..) => Err(AuthError::validation("Type provided requires an email address")),
        ("sms" | "phone_change", ..) => Err(AuthError::validation("Type provided requires a phone number")),
        _ => Err(AuthError::validation("Missing one of these types: signup, email_change, sms, phone_change")),
    }
}
