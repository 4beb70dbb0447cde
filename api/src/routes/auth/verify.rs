//! `/verify`: consumes links and codes from mails. GET only redirects to our page, whose form posts here.
use super::{
    extract::{self, QueryParams, non_empty},
    redirect::RedirectTo,
    redirect_response::see_other,
    view::SessionView,
};
use crate::{
    auth_error::{AuthError, Result},
    redirect_url::with_params,
    state::AppState,
};
use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    accounts::auth::{Purpose, TokenGrant, VerificationInput, VerifyOutcome, links},
    desk::people,
};
use serde::Deserialize;
use serde_json::json;

const FIRST_CONFIRMATION_MESSAGE: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

#[derive(Deserialize)]
pub struct Input {
    r#type: Option<String>,
    token_hash: Option<String>,
    token: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    redirect_to: Option<String>,
    /// Answer with the redirect URL instead of a session.
    skip_http_redirect: Option<bool>,
}

/// The body: JSON of a client or the form of our page.
pub struct VerifyRequest {
    input: Input,
    form: bool,
}

impl FromRequest<AppState> for VerifyRequest {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let form = kind.starts_with("application/x-www-form-urlencoded");
        if !form {
            let extract::Body(input) = extract::Body::from_request(request, app).await?;
            return Ok(Self { input, form });
        }
        let (parts, body) = request.into_parts();
        let limiter = extract::AccountLimiter::of(&parts, app);
        let extract::RawBody(body) = extract::RawBody::from_request(Request::from_parts(parts, body), app).await?;
        let fields = url::form_urlencoded::parse(&body).into_owned().collect::<std::collections::HashMap<_, _>>();
        let field = |name: &str| fields.get(name).cloned();
        if let Some(email) = fields.get("email") {
            limiter.check(app, email).await?;
        }
        let input = Input {
            r#type: field("type"),
            // The form passes on the token hash of the link under either name.
            token_hash: field("token_hash").or_else(|| field("token").filter(|_| !fields.contains_key("email"))),
            token: field("token").filter(|_| fields.contains_key("email")),
            email: field("email"),
            phone: None,
            redirect_to: field("redirect_to"),
            skip_http_redirect: None,
        };
        Ok(Self { input, form })
    }
}

/// Answers JSON with a session, or with the redirect URL if requested; a form is redirected.
pub async fn verify(
    State(app): State<AppState>,
    extract::AnonymousCtx(ctx): extract::AnonymousCtx,
    redirect: RedirectTo,
    VerifyRequest { input, form }: VerifyRequest,
) -> Result<Response> {
    let redirect = redirect.or_from_body(&app, input.redirect_to.as_deref());
    let redirects = form || input.skip_http_redirect == Some(true);
    let came = match parse(&input) {
        Ok((purpose, ticket)) => {
            let came = people::verify(&ctx, &app.auth, purpose, &ticket, redirects).await;
            came.map(|came| (purpose, came)).map_err(refused)
        }
        Err(error) => Err(error),
    };
    if !redirects {
        return Ok(match came?.1 {
            VerifyOutcome::Session(granted) => SessionView::from(*granted).into_response(),
            VerifyOutcome::FirstConfirmation => {
                Json(json!({ "msg": FIRST_CONFIRMATION_MESSAGE, "code": "200" })).into_response()
            }
            VerifyOutcome::Code(_) => return Err(Error::internal("a code where a session was requested").into()),
        });
    }
    let to = match came {
        Ok((purpose, came)) => outcome_url(came, purpose, redirect.url(), uses_pkce(&input)),
        Err(error) if form => error.redirect_url(redirect.url(), "en-US"),
        Err(error) => return Err(error),
    };
    Ok(if form { see_other(&to) } else { Json(json!({ "url": to })).into_response() })
}

fn refused(error: Error) -> AuthError {
    let error = AuthError::from(error);
    if error.code() == "email_exists" { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
}

fn parse(input: &Input) -> Result<(Purpose, VerificationInput)> {
    let kind = non_empty(input.r#type.as_ref()).ok_or(AuthError::validation("Verify requires a verification type"))?;
    let purpose = kind.parse().ok();
    if purpose.is_none() && !["sms", "phone_change"].contains(&kind) {
        return Err(AuthError::validation("Unsupported verification type"));
    }
    let (email, phone) = (non_empty(input.email.as_ref()), non_empty(input.phone.as_ref()));
    let ticket = match (non_empty(input.token_hash.as_ref()), non_empty(input.token.as_ref())) {
        (Some(_), Some(_)) | (None, None) => {
            return Err(AuthError::validation("Verify requires either a token or a token hash"));
        }
        (Some(_), None) if email.is_some() || phone.is_some() => {
            return Err(AuthError::validation("Only the token_hash and type should be provided"));
        }
        (Some(hash), None) => VerificationInput::Token(hash.to_owned()),
        (None, Some(code)) => match (email, phone) {
            (Some(email), None) => {
                extract::check_email(email, StatusCode::UNPROCESSABLE_ENTITY)?;
                VerificationInput::Code { email: email.to_owned(), code: code.to_owned() }
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
    // Phones are not supported, so no such link exists.
    let purpose = purpose.ok_or(Error::unauthenticated("otp_expired"))?;
    Ok((purpose, ticket))
}

/// PKCE clients read the query, the others the fragment.
fn uses_pkce(input: &Input) -> bool {
    input.token_hash.as_ref().is_some_and(|token| token.starts_with(links::PKCE_TOKEN_PREFIX))
}

/// The redirect URL with the outcome.
fn outcome_url(came: VerifyOutcome, purpose: Purpose, redirect_to: &str, pkce: bool) -> String {
    match came {
        VerifyOutcome::Code(back) => with_params(&back.redirect_to, &[("code", &back.code)], &[]),
        VerifyOutcome::FirstConfirmation => {
            let query: &[_] = if pkce { &[("message", FIRST_CONFIRMATION_MESSAGE)] } else { &[] };
            with_params(redirect_to, query, &[("message", FIRST_CONFIRMATION_MESSAGE), ("sb", "")])
        }
        VerifyOutcome::Session(granted) => {
            let TokenGrant { access_token, refresh_token, expires_in, expires_at, .. } = &*granted;
            with_params(
                redirect_to,
                &[],
                &[
                    ("access_token", access_token),
                    ("expires_at", &expires_at.to_string()),
                    ("expires_in", &expires_in.to_string()),
                    ("refresh_token", refresh_token),
                    ("sb", ""),
                    ("token_type", "bearer"),
                    ("type", purpose.name()),
                ],
            )
        }
    }
}

/// Redirects an old link to our page, which asks for a click. Consumes nothing, so mail scanners may open it.
pub async fn forward(State(app): State<AppState>, params: QueryParams, redirect: RedirectTo) -> Result<Response> {
    let token = params.get("token").or(params.get("token_hash"));
    let (Some(token), Some(kind)) = (token, params.get("type")) else {
        return Err(AuthError::validation("Verify requires a token and a type"));
    };
    let Ok(purpose) = kind.parse() else {
        return Err(AuthError::validation("Unsupported verification type"));
    };
    // The password page also handles invitations.
    let (page, kind) = match purpose {
        Purpose::Recovery | Purpose::Invite => ("/auth/reset-password", "recovery"),
        other => ("/auth/confirm", other.name()),
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("token_hash", token).append_pair("type", kind);
    if let Some(to) = redirect.requested() {
        query.append_pair("redirect_to", &to);
    }
    Ok(see_other(&format!("{}{page}?{}", app.options.public_url, query.finish())))
}
