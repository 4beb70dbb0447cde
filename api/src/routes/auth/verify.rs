//! Links and codes from mails: a visit is led to our page, and a click there uses them up.
use super::{
    error::{AuthError, Result},
    extract::{self, Asked, given},
    redirect::RedirectTo,
    view::SessionView,
};
use crate::state::App;
use axum::{
    Json,
    extract::{FromRequest, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    Error,
    accounts::auth::{Purpose, TokenGrant, VerificationInput, VerifyOutcome, links},
    desk::people,
};
use serde::Deserialize;
use serde_json::json;
use url::Url;

const HALF: &str = "Confirmation link accepted. Please proceed to confirm link sent to the other email";

#[derive(Deserialize)]
pub struct Input {
    r#type: Option<String>,
    token_hash: Option<String>,
    token: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    redirect_to: Option<String>,
    /// Answer with the address that the browser is to go to, in place of a session.
    skip_http_redirect: Option<bool>,
}

/// A body of a program (JSON), or of a form on a page.
pub struct Sent {
    input: Input,
    form: bool,
}

impl FromRequest<App> for Sent {
    type Rejection = AuthError;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
        let form = kind.starts_with("application/x-www-form-urlencoded");
        if !form {
            let extract::Body(input) = extract::Body::from_request(request, app).await?;
            return Ok(Self { input, form });
        }
        let (parts, body) = request.into_parts();
        let asker = extract::Asker::of(&parts, app);
        let extract::Raw(body) = extract::Raw::from_request(Request::from_parts(parts, body), app).await?;
        let fields = url::form_urlencoded::parse(&body).into_owned().collect::<std::collections::HashMap<_, _>>();
        let field = |name: &str| fields.get(name).cloned();
        if let Some(email) = fields.get("email") {
            asker.counts_for(app, email).await?;
        }
        let input = Input {
            r#type: field("type"),
            // A page's form hands on what the link brought, under either of its names.
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

/// Answers a program with a session, or with the way back that it asks for; a form is sent there.
pub async fn verify(
    State(app): State<App>,
    extract::Nobody(ctx): extract::Nobody,
    redirect: RedirectTo,
    Sent { input, form }: Sent,
) -> Result<Response> {
    let redirect = redirect.or(&app, input.redirect_to.as_deref());
    let led = form || input.skip_http_redirect == Some(true);
    let came = match read(&input) {
        Ok((purpose, ticket)) => {
            let came = people::verify(&ctx, &app.auth, purpose, &ticket, led).await;
            came.map(|came| (purpose, came)).map_err(refused)
        }
        Err(error) => Err(error),
    };
    if !led {
        return Ok(match came?.1 {
            VerifyOutcome::Session(granted) => SessionView::from(*granted).into_response(),
            VerifyOutcome::FirstConfirmation => Json(json!({ "msg": HALF, "code": "200" })).into_response(),
            VerifyOutcome::Code(_) => return Err(Error::internal("a code where a session was asked for").into()),
        });
    }
    let to = match came {
        Ok((purpose, came)) => way_back(came, purpose, redirect.url(), began_with_pkce(&input)),
        Err(error) if form => error.as_redirect(redirect.url(), "en-US"),
        Err(error) => return Err(error),
    };
    Ok(if form { see_other(&to) } else { Json(json!({ "url": to })).into_response() })
}

fn refused(error: Error) -> AuthError {
    let error = AuthError::from(error);
    if error.code() == "email_exists" { error.with_status(StatusCode::UNPROCESSABLE_ENTITY) } else { error }
}

fn read(input: &Input) -> Result<(Purpose, VerificationInput)> {
    let kind = given(input.r#type.as_ref()).ok_or(AuthError::validation("Verify requires a verification type"))?;
    let purpose = Purpose::read(kind);
    if purpose.is_none() && !["sms", "phone_change"].contains(&kind) {
        return Err(AuthError::validation("Unsupported verification type"));
    }
    let (email, phone) = (given(input.email.as_ref()), given(input.phone.as_ref()));
    let ticket = match (given(input.token_hash.as_ref()), given(input.token.as_ref())) {
        (Some(_), Some(_)) | (None, None) => {
            return Err(AuthError::validation("Verify requires either a token or a token hash"));
        }
        (Some(_), None) if email.is_some() || phone.is_some() => {
            return Err(AuthError::validation("Only the token_hash and type should be provided"));
        }
        (Some(hash), None) => VerificationInput::Token(hash.to_owned()),
        (None, Some(code)) => match (email, phone) {
            (Some(email), None) => {
                extract::email(email, StatusCode::UNPROCESSABLE_ENTITY)?;
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
    // Nobody has a phone here, so no link for one exists.
    let purpose = purpose.ok_or(Error::unauthenticated("otp_expired"))?;
    Ok((purpose, ticket))
}

/// A client of such a flow reads the query; the others read behind the number sign.
fn began_with_pkce(input: &Input) -> bool {
    input.token_hash.as_ref().is_some_and(|token| token.starts_with(links::PKCE_TOKEN_PREFIX))
}

/// Where the browser goes with what came.
fn way_back(came: VerifyOutcome, purpose: Purpose, redirect_to: &str, pkce: bool) -> String {
    match came {
        VerifyOutcome::Code(back) => with(&back.redirect_to, &[("code", &back.code)], &[]),
        VerifyOutcome::FirstConfirmation => {
            let query: &[_] = if pkce { &[("message", HALF)] } else { &[] };
            with(redirect_to, query, &[("message", HALF), ("sb", "")])
        }
        VerifyOutcome::Session(granted) => {
            let TokenGrant { access_token, refresh_token, expires_in, expires_at, .. } = &*granted;
            with(
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

/// The address with more in its query and, where there is something to say, another fragment.
pub fn with(to: &str, query: &[(&str, &str)], fragment: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse(to) else { return to.to_owned() };
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    if !fragment.is_empty() {
        let pairs = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fragment).finish();
        url.set_fragment(Some(&pairs));
    }
    url.into()
}

/// A link that points here leads on to our page, which asks for a click. Nothing is used up, so a mail scanner
/// may come as often as it likes.
pub async fn forward(State(app): State<App>, asked: Asked, redirect: RedirectTo) -> Result<Response> {
    let token = asked.get("token").or(asked.get("token_hash"));
    let (Some(token), Some(kind)) = (token, asked.get("type")) else {
        return Err(AuthError::validation("Verify requires a token and a type"));
    };
    let Some(purpose) = Purpose::read(kind) else {
        return Err(AuthError::validation("Unsupported verification type"));
    };
    // The page for a new password serves invitations too.
    let (page, kind) = match purpose {
        Purpose::Recovery | Purpose::Invite => ("/auth/reset-password", "recovery"),
        other => ("/auth/confirm", other.name()),
    };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("token_hash", token).append_pair("type", kind);
    if let Some(to) = redirect.asked() {
        query.append_pair("redirect_to", &to);
    }
    Ok(see_other(&format!("{}{page}?{}", app.options.public_url, query.finish())))
}

/// 303 to a page that was found to be allowed.
pub fn see_other(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    // The address was put together by us and is encoded, so it is a header's text; without it the page is the first one.
    let location = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, location);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_keeps_what_was_there() {
        assert_eq!(
            with("https://a.example/x?flow=1#old", &[("code", "c d")], &[]),
            "https://a.example/x?flow=1&code=c+d#old"
        );
        assert_eq!(with("https://a.example", &[], &[("error", "x")]), "https://a.example/#error=x");
    }
}
