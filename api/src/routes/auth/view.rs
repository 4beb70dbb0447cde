//! Views of the auth API: user, session, identity, factor.
use crate::auth_error::weak_password_view;
use axum::{
    Json,
    http::HeaderValue,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    accounts::{
        auth::{
            Account, TokenGrant,
            factors::Factor,
            identities::{self, Identity},
            tokens,
        },
        users::{self, Status, User},
    },
    kernel::ids::{FactorId, SessionId, UserId},
};
use serde::Serialize;
use serde_json::{Value, json};

const AUTHENTICATED: &str = "authenticated";

/// A session with its tokens: the response of every sign-in.
#[derive(Serialize)]
pub struct SessionView {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    expires_at: i64,
    refresh_token: String,
    user: UserView,
    /// The password is correct but does not meet the current policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    weak_password: Option<Value>,
    /// The provider's tokens, only in the response to a sign-in with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_refresh_token: Option<String>,
    #[serde(skip)]
    headers: TokenHeaders,
}

/// Response headers about the tokens, for debugging; no secrets.
#[derive(Clone, Copy)]
struct TokenHeaders {
    user: UserId,
    session: SessionId,
    counter: i64,
    reused: bool,
}

impl IntoResponse for SessionView {
    fn into_response(self) -> Response {
        let TokenHeaders { user, session, counter, reused } = self.headers;
        let mut response = Json(self).into_response();
        let reused = reused.then(|| ("sb-auth-refresh-token-reuse", "true".to_owned()));
        for (name, value) in [
            ("sb-auth-user-id", user.to_string()),
            ("sb-auth-session-id", session.to_string()),
            ("sb-auth-refresh-token-counter", counter.to_string()),
        ]
        .into_iter()
        .chain(reused)
        {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// A user. Unset times are left out, because the client expects strings, never null.
#[derive(Serialize)]
pub struct UserView {
    id: UserId,
    aud: &'static str,
    role: &'static str,
    email: String,
    phone: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_confirmed_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_sent_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_sent_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_change_sent_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reauthentication_sent_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invited_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    banned_until: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sign_in_at: Option<DateTime<Utc>>,
    app_metadata: Value,
    user_metadata: Value,
    identities: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    factors: Vec<FactorView>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    is_anonymous: bool,
}

/// A second factor; never its secret.
#[derive(Serialize)]
pub struct FactorView {
    id: FactorId,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    status: &'static str,
    friendly_name: String,
    factor_type: &'static str,
    phone: &'static str,
    last_challenged_at: Option<DateTime<Utc>>,
}

impl From<Factor> for FactorView {
    fn from(factor: Factor) -> Self {
        Self {
            id: factor.id,
            created_at: factor.created_at,
            updated_at: factor.updated_at,
            status: factor.status.name(),
            friendly_name: factor.friendly_name,
            factor_type: factor.kind.name(),
            phone: "",
            last_challenged_at: factor.last_challenged_at,
        }
    }
}

/// The email identity of an account.
fn own_identity(user: &User, confirmed: bool) -> Value {
    // The sign-up metadata, overridden by the account's fields.
    let mut data = user.metadata.clone();
    for (name, value) in [
        ("sub", json!(user.id)),
        ("email", json!(user.email)),
        ("email_verified", json!(confirmed)),
        ("phone_verified", json!(false)),
    ] {
        data.insert(name.to_owned(), value);
    }
    let mut identity = json!({
        "identity_id": user.id, "id": user.id, "user_id": user.id, "provider": "email", "email": user.email,
        "identity_data": data,
        "created_at": user.created_at, "updated_at": user.updated_at,
    });
    if let Some(at) = user.last_sign_in_at {
        identity["last_sign_in_at"] = json!(at);
    }
    identity
}

/// The identity at a provider.
fn identity(identity: Identity) -> Value {
    let mut view = json!({
        "identity_id": identity.id, "id": identity.provider_id, "user_id": identity.user_id,
        "provider": identity.provider, "email": identity.email, "identity_data": identity.data,
        "created_at": identity.created_at, "updated_at": identity.updated_at,
    });
    if let Some(at) = identity.last_sign_in_at {
        view["last_sign_in_at"] = json!(at);
    }
    view
}

impl From<Account> for UserView {
    fn from(Account { user, identities, factors }: Account) -> Self {
        // An account created by staff counts as unconfirmed until its first sign-in.
        let confirmed = (user.status != Status::Pending).then_some(user.created_at);
        let own = identities::has_email_identity(&user, &identities).then(|| own_identity(&user, confirmed.is_some()));
        let app_metadata = tokens::app_metadata(&user, &identities);
        Self {
            id: user.id,
            aud: AUTHENTICATED,
            role: AUTHENTICATED,
            app_metadata,
            user_metadata: tokens::user_metadata(&user),
            email: user.email,
            phone: "",
            email_confirmed_at: confirmed,
            confirmed_at: confirmed,
            confirmation_sent_at: user.mailed.confirmation_sent_at,
            recovery_sent_at: user.mailed.recovery_sent_at,
            email_change_sent_at: user.mailed.email_change_sent_at,
            reauthentication_sent_at: user.mailed.reauthentication_sent_at,
            invited_at: user.mailed.invited_at,
            new_email: user.new_email,
            banned_until: user.banned_until,
            last_sign_in_at: user.last_sign_in_at,
            factors: factors.into_iter().map(FactorView::from).collect(),
            identities: own.into_iter().chain(identities.into_iter().map(identity)).collect(),
            created_at: user.created_at,
            updated_at: user.updated_at,
            is_anonymous: false,
        }
    }
}

/// The response to a sign-up with an address that has an account: it looks like a new account.
pub fn fake_user(ctx: &Ctx, email: &str) -> UserView {
    let now = ctx.now();
    UserView {
        id: UserId(ctx.random.uuid()),
        aud: AUTHENTICATED,
        role: "",
        email: users::email_key(email),
        phone: "",
        email_confirmed_at: None,
        confirmed_at: None,
        confirmation_sent_at: Some(now),
        recovery_sent_at: None,
        email_change_sent_at: None,
        reauthentication_sent_at: None,
        invited_at: None,
        new_email: None,
        banned_until: None,
        last_sign_in_at: None,
        app_metadata: json!({ "provider": "email", "providers": ["email"] }),
        user_metadata: json!({}),
        identities: Vec::new(),
        factors: Vec::new(),
        created_at: now,
        updated_at: now,
        is_anonymous: false,
    }
}

impl From<TokenGrant> for SessionView {
    fn from(granted: TokenGrant) -> Self {
        let (provider_token, provider_refresh_token) =
            granted.provider_tokens.map_or((None, None), |tokens| (Some(tokens.access_token), tokens.refresh_token));
        Self {
            provider_token,
            provider_refresh_token,
            headers: TokenHeaders {
                user: granted.user.id,
                session: granted.session.id,
                counter: granted.session.refresh_counter,
                reused: granted.reused,
            },
            access_token: granted.access_token,
            token_type: "bearer",
            expires_in: granted.expires_in,
            expires_at: granted.expires_at,
            refresh_token: granted.refresh_token,
            weak_password: granted.weak.map(|weak| weak_password_view(&weak, &granted.user.language)),
            user: Account { user: granted.user, identities: granted.identities, factors: granted.factors }.into(),
        }
    }
}
