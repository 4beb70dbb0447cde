//! Sign-in with OpenID providers, and the identities of accounts.
//!
//! Only existing accounts sign in; an address counts if the provider has verified it. The account itself is the `email`
//! identity. The API talks to the providers before it calls this.
mod linking;
pub(crate) mod store;

pub(super) use linking::complete_linking;
pub use linking::{start_linking, unlink};

use super::{
    Auth,
    flows::{self, Challenge, Flow},
    links, secret, security_mails,
    sessions::{self, Session},
    sign_in_history,
    tokens::{self, TokenGrant},
};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        access::{Actor, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Result},
        ids::{FlowId, IdentityId, SessionId, UserId},
        text::{self, nfc},
        validate::{LINE, Validator},
    },
    outbox::{mails::SecurityAct, requests::Applicant},
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// Authentication method of provider sessions.
pub const METHOD: &str = "oauth";

crate::kernel::db::row! {
    /// A row of `identities`.
    #[derive(Clone, Debug, Deserialize, sqlx::FromRow)]
    pub struct Identity {
        pub id: IdentityId,
        pub user_id: UserId,
        /// Name in the protocol: `google`, `azure`.
        pub provider: String,
        /// Subject at the provider; stable when the address changes.
        pub provider_id: String,
        pub email: String,
        #[sqlx(json)]
        pub data: Map<String, Value>,
        pub last_sign_in_at: Option<DateTime<Utc>>,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
    }
}

/// Claims of a provider about a person, verified by the caller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProviderClaims {
    pub subject: String,
    pub email: Option<String>,
    /// Verified by the provider, or by configuration.
    pub email_verified: bool,
    pub name: Option<String>,
    /// Stored separately.
    #[serde(skip)]
    pub tokens: Option<ProviderTokens>,
}

/// Tokens of a provider, with which the client may call it. Returned once; debug output is hidden.
#[derive(Clone, Serialize, Deserialize)]
pub struct ProviderTokens {
    pub access_token: String,
    pub refresh_token: Option<String>,
}

impl std::fmt::Debug for ProviderTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderTokens").finish_non_exhaustive()
    }
}

/// Outcome of a provider's callback.
#[derive(Debug)]
pub enum CallbackOutcome {
    /// A code to be exchanged by the browser that started the flow.
    Code(String),
    /// The session itself, for a flow without a challenge.
    Session(Box<TokenGrant>),
}

/// Display name of a provider.
pub fn title(provider: &str) -> &str {
    match provider {
        "google" => "Google",
        "azure" => "Microsoft",
        other => other,
    }
}

/// Starts a sign-in at a provider. Anonymous callers may.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.identities.start_sign_in", skip_all)]
pub async fn start_sign_in(
    ctx: &Ctx,
    provider: &str,
    challenge: Option<Challenge>,
    redirect_to: String,
) -> Result<Flow> {
    create_flow(ctx, provider, challenge, redirect_to, None).await
}

async fn create_flow(
    ctx: &Ctx,
    provider: &str,
    challenge: Option<Challenge>,
    redirect_to: String,
    linking: Option<&SignedIn>,
) -> Result<Flow> {
    let new = flows::CreateFlow {
        method: METHOD,
        challenge,
        redirect_to,
        provider: Some(provider.to_owned()),
        provider_nonce: Some(secret::token(&ctx.random)),
        provider_verifier: Some(secret::token(&ctx.random)),
        linking_user_id: linking.map(|me| me.id),
        linking_session_id: linking.map(|me| me.session_id),
        ..flows::CreateFlow::default()
    };
    let new = &new;
    ctx.transaction(|tx| flows::create(tx, ctx, new.clone()).scope_boxed()).await
}

/// Consumes the `state` of a provider's callback.
///
/// # Errors
/// Unauthenticated `bad_oauth_state`, `flow_state_already_used`.
#[tracing::instrument(level = "debug", name = "auth.identities.consume_state", skip_all)]
pub async fn consume_state(ctx: &Ctx, state: &str) -> Result<Flow> {
    let unknown = || Error::unauthenticated("bad_oauth_state");
    let id: FlowId = state.parse().map_err(|_| unknown())?;
    ctx.transaction(|tx| {
        async move {
            let flow = flows::consume(tx, ctx, id).await?;
            if flow.provider.is_none() {
                return Err(unknown());
            }
            Ok(flow)
        }
        .scope_boxed()
    })
    .await
}

/// Outcome of a provider sign-in, before the tokens of a session are made.
#[derive(Debug)]
pub(crate) enum ProviderSignIn {
    Code(String),
    Session(Box<(User, Session)>),
    /// No account has the address.
    Unknown(Applicant),
}

/// Signs in with the claims of a provider: by a known identity, or by a verified address of an account, which gets the
/// identity. A pending account becomes active and loses its password, which its owner has not proved to know. The inner
/// error keeps what was written: the record of a refused sign-in.
///
/// # Errors
/// Unauthenticated `user_banned`, `provider_email_needs_verification`, `identity_already_exists`, `bad_oauth_state`
/// when the session that started a linking has ended.
pub(crate) async fn sign_in_with_claims(
    tx: &mut Tx,
    ctx: &Ctx,
    flow: &Flow,
    claims: &ProviderClaims,
) -> Result<Result<ProviderSignIn>> {
    let provider = flow.provider.as_deref().unwrap_or_default();
    let admitted = match flow.linking_user_id {
        Some(owner) => linking::attach_claims(tx, ctx, owner, flow, claims).await,
        None => find_account(tx, ctx, provider, claims).await,
    };
    let user = match admitted {
        Ok(Some(user)) => user,
        Ok(None) => return Ok(Ok(ProviderSignIn::Unknown(applicant(title(provider), claims)))),
        Err(e) => {
            // These are recorded before anything else is written, so the transaction may commit; other errors roll it
            // back.
            let is_recorded = |code: &str| match code {
                "user_banned" | "provider_email_needs_verification" => true,
                "identity_already_exists" => flow.linking_user_id.is_some(),
                _ => false,
            };
            if matches!(&e, Error::Unauthenticated(problem) if is_recorded(problem.code)) {
                return Ok(Err(e));
            }
            return Err(e);
        }
    };
    if flow.challenge().is_some() {
        let code = flows::issue_code(tx, ctx, flow, user.id, claims.tokens.as_ref()).await?;
        return Ok(Ok(ProviderSignIn::Code(code)));
    }
    let session = sessions::start_with_provider(tx, ctx, &user, METHOD, Some(provider)).await?;
    Ok(Ok(ProviderSignIn::Session(Box::new((user, session)))))
}

/// Issues the tokens of a session that [`sign_in_with_claims`] has started.
///
/// # Errors
/// Unauthenticated `account_requested`; as [`tokens::grant`].
pub(crate) async fn finish_sign_in(
    ctx: &Ctx,
    auth: &Auth,
    claims: &ProviderClaims,
    admitted: ProviderSignIn,
) -> Result<CallbackOutcome> {
    match admitted {
        ProviderSignIn::Code(code) => Ok(CallbackOutcome::Code(code)),
        ProviderSignIn::Session(begun) => {
            let (user, session) = *begun;
            let granted = tokens::grant(ctx, auth, user, session).await?;
            Ok(CallbackOutcome::Session(Box::new(TokenGrant { provider_tokens: claims.tokens.clone(), ..granted })))
        }
        ProviderSignIn::Unknown(_) => Err(Error::unauthenticated("account_requested")),
    }
}

/// The applicant as shown to the staff; the name is untrusted text.
fn applicant(provider: &str, claims: &ProviderClaims) -> Applicant {
    let email = claims.email.as_deref().unwrap_or_default();
    let email = crate::kernel::email::normalise(email).unwrap_or_else(|_| email.to_owned());
    let name = claims.name.as_deref().unwrap_or_default();
    let shown = |c: &char| !c.is_control() && !text::is_bidi_control(*c);
    let name = text::line(&name.chars().filter(shown).take(LINE).collect::<String>());
    let name = if name.is_empty() { email.clone() } else { name };
    Applicant { name, email, provider: provider.to_owned() }
}

/// The account of a known identity or of a verified address; none for an unknown address.
async fn find_account(tx: &mut Tx, ctx: &Ctx, provider: &str, claims: &ProviderClaims) -> Result<Option<User>> {
    if let Some(known) = store::by_subject(tx, provider, &claims.subject).await? {
        let user = lock_open_account(tx, ctx, known.user_id).await?;
        let user = activate(tx, ctx, user, provider).await?;
        let email = stored_email(claims).unwrap_or(known.email);
        store::record_sign_in(tx, known.id, &email, &data(claims), ctx.now()).await?;
        return Ok(Some(user));
    }
    let address = claims.email.as_deref().filter(|email| claims.email_verified && is_address(email));
    let Some(address) = address else {
        let claimed = match &claims.email {
            Some(email) => users::store::by_email(tx, &users::email_key(email)).await?,
            None => None,
        };
        match &claimed {
            Some(user) => sign_in_history::record_sampled(tx, ctx, user, METHOD, "unverified_address").await?,
            None => sign_in_history::record_failure(tx, ctx, None, METHOD, "unverified_address").await?,
        }
        return Err(Error::unauthenticated("provider_email_needs_verification"));
    };
    let key = users::email_key(address);
    let Some(found) = users::store::by_email(tx, &key).await? else { return Ok(None) };
    let user = lock_open_account(tx, ctx, found.id).await?;
    // Changed since it was read.
    if user.email_key != key {
        return Ok(None);
    }
    let user = activate(tx, ctx, user, provider).await?;
    insert_identity(tx, ctx, &user, provider, claims).await?;
    Ok(Some(user))
}

/// Locks an account that may sign in.
async fn lock_open_account(tx: &mut Tx, ctx: &Ctx, id: UserId) -> Result<User> {
    let user = users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
    if users::can_sign_in(tx, &user, ctx.now()).await? {
        return Ok(user);
    }
    sign_in_history::record_sampled(tx, ctx, &user, METHOD, "user_banned").await?;
    Err(Error::unauthenticated("user_banned"))
}

/// Activates a pending account; any other is returned unchanged.
async fn activate(tx: &mut Tx, ctx: &Ctx, user: User, provider: &str) -> Result<User> {
    if user.status != Status::Pending {
        return Ok(user);
    }
    let ctx = &as_owner(ctx, &user);
    users::store::clear_password(tx, user.id).await?;
    links::revoke_all_of(tx, ctx, user.id).await?;
    sessions::end_all_of(tx, ctx, user.id).await?;
    let bare = User { password_hash: None, must_change_password: false, awaits_confirmation: false, ..user };
    let opened = users::change_status(tx, ctx, &bare, Status::Active).await?;
    users::store::save_restrictions(tx, &opened).await?;
    let event = users::event("user.activated", &opened).with("provider", title(provider));
    activity::append(tx, ctx, event).await?;
    Ok(opened)
}

async fn insert_identity(tx: &mut Tx, ctx: &Ctx, user: &User, provider: &str, claims: &ProviderClaims) -> Result<()> {
    let now = ctx.now();
    let identity = Identity {
        id: IdentityId(ctx.random.uuid()),
        user_id: user.id,
        provider: provider.to_owned(),
        provider_id: claims.subject.clone(),
        email: stored_email(claims).unwrap_or_default(),
        data: data(claims),
        last_sign_in_at: Some(now),
        created_at: now,
        updated_at: now,
    };
    // The check before and the insert race: the unique index decides.
    store::insert(tx, &identity)
        .await
        .map_err(|e| if e.is_unique_violation() { Error::unauthenticated("identity_already_exists") } else { e })?;
    let event = users::event("identity.linked", user)
        .with("provider", title(provider))
        .with("identity_id", identity.id.to_string())
        .with("email", identity.email);
    let ctx = &as_owner(ctx, user);
    activity::append(tx, ctx, event).await?;
    security_mails::notify_identity(tx, ctx, SecurityAct::IdentityLinked, user, title(provider)).await
}

/// Removes the identities that were linked since.
///
/// # Errors
/// Database errors.
pub(super) async fn remove_added_since(tx: &mut Tx, ctx: &Ctx, user: &User, since: DateTime<Utc>) -> Result<()> {
    for identity in store::list(tx, user.id).await?.iter().filter(|identity| identity.created_at >= since) {
        store::delete(tx, identity.id).await?;
        activity::append(tx, ctx, unlinked_event(user, identity)).await?;
    }
    Ok(())
}

fn unlinked_event(user: &User, identity: &Identity) -> Event {
    users::event("identity.unlinked", user)
        .with("provider", title(&identity.provider))
        .with("identity_id", identity.id.to_string())
        .with("email", identity.email.clone())
}

/// Identities of several users, oldest first, without the `email` identity.
pub(super) async fn load_many(db: &mut impl Sql, users: &[UserId]) -> Result<HashMap<UserId, Vec<Identity>>> {
    let mut found: HashMap<UserId, Vec<Identity>> = HashMap::new();
    for identity in store::list_of_many(db, users).await? {
        found.entry(identity.user_id).or_default().push(identity);
    }
    Ok(found)
}

/// Whether the account has the `email` identity: with a password, or as its only one.
pub fn has_email_identity(user: &User, identities: &[Identity]) -> bool {
    user.password_hash.is_some() || identities.is_empty()
}

/// Before a session exists, events are logged as the owner's.
fn as_owner(ctx: &Ctx, user: &User) -> Ctx {
    ctx.acting_as(Actor::User(Arc::new(user.signed_in(SessionId(Uuid::nil())))))
}

/// The provider's address normalized like those of accounts; unchanged if it is not valid here.
fn stored_email(claims: &ProviderClaims) -> Option<String> {
    claims.email.as_deref().map(|email| crate::kernel::email::normalise(email).unwrap_or_else(|_| nfc(email)))
}

fn is_address(text: &str) -> bool {
    let mut check = Validator::new();
    check.email("email", text);
    check.finish().is_ok()
}

fn data(claims: &ProviderClaims) -> Map<String, Value> {
    let mut data = Map::from_iter([
        ("sub".to_owned(), json!(claims.subject)),
        ("email_verified".to_owned(), json!(claims.email_verified)),
        ("phone_verified".to_owned(), json!(false)),
    ]);
    for (name, value) in [("email", &claims.email), ("name", &claims.name)] {
        if let Some(value) = value {
            data.insert(name.to_owned(), json!(nfc(value)));
        }
    }
    data
}
