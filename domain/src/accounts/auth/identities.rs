//! Sign-ins at OpenID providers: who gets in with one, and which belong to whom.
//!
//! Only existing accounts get in. A provider's word for an address counts when the provider has verified it; the
//! e-mail identity is the account itself. Talking to providers is the API's business, done before it comes here.
mod linking;
pub(crate) mod store;

pub(super) use linking::settle;
pub use linking::{begin_linking, unlink};

use super::{
    Auth,
    flows::{self, Challenge, Flow},
    history, links, secret,
    sessions::{self, Session},
    tokens::{self, Granted},
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
        validate::{Check, LINE},
    },
    platform::activity,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::Arc};
use uuid::Uuid;

/// How a session says that a provider vouched for it.
pub const METHOD: &str = "oauth";

/// A row of `identities`.
#[derive(Clone, Debug, Deserialize, sqlx::FromRow)]
pub struct Identity {
    pub id: IdentityId,
    pub user_id: UserId,
    /// What the wire calls it: `google`, `azure`.
    pub provider: String,
    /// Who that is there; never another person's, whatever their address becomes.
    pub provider_id: String,
    pub email: String,
    #[sqlx(json)]
    pub data: Map<String, Value>,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// What a provider has said of somebody, verified by the caller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arrival {
    pub subject: String,
    pub email: Option<String>,
    /// By the provider, or by whoever vouches for it.
    pub email_verified: bool,
    pub name: Option<String>,
    /// Never kept with the rest.
    #[serde(skip)]
    pub tokens: Option<ProviderTokens>,
}

/// A provider's own tokens, with which whoever signed in may ask it more. Handed on once; never printed.
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

/// Where somebody who may come in goes on.
#[derive(Debug)]
pub enum Landing {
    /// With a code, to be exchanged by whoever began the flow.
    Code(String),
    /// With the session itself: the flow began without a challenge.
    Session(Box<Granted>),
}

/// What people call a provider.
pub fn title(provider: &str) -> &str {
    match provider {
        "google" => "Google",
        "azure" => "Microsoft",
        other => other,
    }
}

/// Begins a sign-in at a provider. Anybody may.
///
/// # Errors
/// What the database refuses.
pub async fn begin(ctx: &Ctx, provider: &str, challenge: Option<Challenge>, redirect_to: String) -> Result<Flow> {
    start(ctx, provider, challenge, redirect_to, None).await
}

async fn start(
    ctx: &Ctx,
    provider: &str,
    challenge: Option<Challenge>,
    redirect_to: String,
    linking: Option<&SignedIn>,
) -> Result<Flow> {
    let new = flows::New {
        method: METHOD,
        challenge,
        redirect_to,
        provider: Some(provider.to_owned()),
        provider_nonce: Some(secret::token(&ctx.chance)),
        provider_verifier: Some(secret::token(&ctx.chance)),
        linking_user_id: linking.map(|me| me.id),
        linking_session_id: linking.map(|me| me.session_id),
        ..flows::New::default()
    };
    let new = &new;
    ctx.transaction(|tx| flows::begin(tx, ctx, new.clone()).scope_boxed()).await
}

/// The flow that somebody comes back to from a provider; it comes back once.
///
/// # Errors
/// Unauthenticated `bad_oauth_state`, `flow_state_already_used`.
pub async fn come_back(ctx: &Ctx, state: &str) -> Result<Flow> {
    let unknown = || Error::unauthenticated("bad_oauth_state");
    let id: FlowId = state.parse().map_err(|_| unknown())?;
    ctx.transaction(|tx| {
        async move {
            let flow = flows::take(tx, ctx, id).await?;
            if flow.provider.is_none() {
                return Err(unknown());
            }
            Ok(flow)
        }
        .scope_boxed()
    })
    .await
}

/// A person without an account whose address a provider has verified.
#[derive(Debug)]
pub(crate) struct Applicant {
    pub name: String,
    pub email: String,
    /// The provider, as people call it.
    pub provider: String,
}

/// Outcome of a provider sign-in, before the tokens of a session are made.
#[derive(Debug)]
pub(crate) enum Admitted {
    Code(String),
    Session(Box<(User, Session)>),
    /// No account has the address.
    Unknown(Applicant),
}

/// Signs in a person by the claims of a provider: by a known identity, or by an address that the provider has verified
/// and that an account has, which from then on has the identity. A pending account opens by it, as by its mailed link,
/// and its password is dropped: its owner has not proved to know it. The inner error keeps what was written: the record
/// of a refused sign-in.
///
/// # Errors
/// Unauthenticated `user_banned`, `provider_email_needs_verification`, `identity_already_exists`, `bad_oauth_state` where
/// the session that began to link has ended.
pub(crate) async fn admit_claims(tx: &mut Tx, ctx: &Ctx, flow: &Flow, arrival: &Arrival) -> Result<Result<Admitted>> {
    let provider = flow.provider.as_deref().unwrap_or_default();
    let admitted = match flow.linking_user_id {
        Some(owner) => linking::bring(tx, ctx, owner, flow, arrival).await,
        None => admit(tx, ctx, provider, arrival).await,
    };
    let user = match admitted {
        Ok(Some(user)) => user,
        Ok(None) => return Ok(Ok(Admitted::Unknown(applicant(title(provider), arrival)))),
        Err(e) => {
            // Whose account was tried, and why in vain, is told. Only whoever links is refused an identity that is taken
            // before anything is done; what others have begun by then is undone.
            let told = |code: &str| match code {
                "user_banned" | "provider_email_needs_verification" => true,
                "identity_already_exists" => flow.linking_user_id.is_some(),
                _ => false,
            };
            if matches!(&e, Error::Unauthenticated(problem) if told(problem.code)) {
                return Ok(Err(e));
            }
            return Err(e);
        }
    };
    if flow.challenge().is_some() {
        let code = flows::issue_code(tx, ctx, flow, user.id, arrival.tokens.as_ref()).await?;
        return Ok(Ok(Admitted::Code(code)));
    }
    let session = sessions::start_at(tx, ctx, &user, METHOD, Some(provider)).await?;
    Ok(Ok(Admitted::Session(Box::new((user, session)))))
}

/// Makes the tokens of a session that [`admit_claims`] has begun.
///
/// # Errors
/// Unauthenticated `account_requested`; as [`tokens::grant`].
pub(crate) async fn finish_sign_in(ctx: &Ctx, auth: &Auth, arrival: &Arrival, admitted: Admitted) -> Result<Landing> {
    match admitted {
        Admitted::Code(code) => Ok(Landing::Code(code)),
        Admitted::Session(begun) => {
            let (user, session) = *begun;
            let granted = tokens::grant(ctx, auth, user, session).await?;
            Ok(Landing::Session(Box::new(Granted { provider_tokens: arrival.tokens.clone(), ..granted })))
        }
        Admitted::Unknown(_) => Err(Error::unauthenticated("account_requested")),
    }
}

/// The claims as the staff are shown them: the name is a line of text that a stranger chose.
fn applicant(provider: &str, arrival: &Arrival) -> Applicant {
    let email = arrival.email.as_deref().unwrap_or_default();
    let email = crate::kernel::email::normalise(email).unwrap_or_else(|_| email.to_owned());
    let name = arrival.name.as_deref().unwrap_or_default();
    let shown = |c: &char| !c.is_control() && !text::is_bidi_control(*c);
    let name = text::line(&name.chars().filter(shown).take(LINE).collect::<String>());
    let name = if name.is_empty() { email.clone() } else { name };
    Applicant { name, email, provider: provider.to_owned() }
}

/// Whose the identity or the verified address is; none for an address that nobody has.
async fn admit(tx: &mut Tx, ctx: &Ctx, provider: &str, arrival: &Arrival) -> Result<Option<User>> {
    if let Some(known) = store::of_subject(tx, provider, &arrival.subject).await? {
        let user = welcome(tx, ctx, known.user_id).await?;
        let user = open(tx, ctx, user, provider).await?;
        let email = stored_email(arrival).unwrap_or(known.email);
        store::seen(tx, known.id, &email, &data(arrival), ctx.now()).await?;
        return Ok(Some(user));
    }
    let address = arrival.email.as_deref().filter(|email| arrival.email_verified && is_address(email));
    let Some(address) = address else {
        let claimed = match &arrival.email {
            Some(email) => users::store::by_email(tx, &users::email_key(email)).await?,
            None => None,
        };
        match &claimed {
            Some(user) => history::repeated(tx, ctx, user, METHOD, "unverified_address").await?,
            None => history::failed(tx, ctx, None, METHOD, "unverified_address").await?,
        }
        return Err(Error::unauthenticated("provider_email_needs_verification"));
    };
    let key = users::email_key(address);
    let Some(found) = users::store::by_email(tx, &key).await? else { return Ok(None) };
    let user = welcome(tx, ctx, found.id).await?;
    // Changed since it was found.
    if user.email_key != key {
        return Ok(None);
    }
    let user = open(tx, ctx, user, provider).await?;
    link(tx, ctx, &user, provider, arrival).await?;
    Ok(Some(user))
}

/// The account, locked, if it is one that people may come in to.
async fn welcome(tx: &mut Tx, ctx: &Ctx, id: UserId) -> Result<User> {
    let user = users::store::lock(tx, id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
    if users::is_welcome(tx, &user, ctx.now()).await? {
        return Ok(user);
    }
    history::repeated(tx, ctx, &user, METHOD, "user_banned").await?;
    Err(Error::unauthenticated("user_banned"))
}

/// A pending account becomes active; any other is as it was.
async fn open(tx: &mut Tx, ctx: &Ctx, user: User, provider: &str) -> Result<User> {
    if user.status != Status::Pending {
        return Ok(user);
    }
    let ctx = &acting(ctx, &user);
    users::store::drop_password(tx, user.id).await?;
    links::drop_all_of(tx, ctx, user.id).await?;
    sessions::end_all_of(tx, ctx, user.id).await?;
    let bare = User { password_hash: None, must_change_password: false, awaits_confirmation: false, ..user };
    let opened = users::change_status(tx, ctx, &bare, Status::Active).await?;
    users::store::save_bars(tx, &opened).await?;
    let told = users::event("user.activated", &opened).with("provider", title(provider));
    activity::append(tx, ctx, told).await?;
    Ok(opened)
}

async fn link(tx: &mut Tx, ctx: &Ctx, user: &User, provider: &str, arrival: &Arrival) -> Result<()> {
    let now = ctx.now();
    let identity = Identity {
        id: IdentityId(ctx.chance.uuid()),
        user_id: user.id,
        provider: provider.to_owned(),
        provider_id: arrival.subject.clone(),
        email: stored_email(arrival).unwrap_or_default(),
        data: data(arrival),
        last_sign_in_at: Some(now),
        created_at: now,
        updated_at: now,
    };
    // Of two at once, one gets past the question before and is stopped here.
    store::insert(tx, &identity)
        .await
        .map_err(|e| if e.is_unique_violation() { Error::unauthenticated("identity_already_exists") } else { e })?;
    let told = users::event("identity.linked", user)
        .with("provider", title(provider))
        .with("identity_id", identity.id.to_string())
        .with("email", identity.email);
    activity::append(tx, &acting(ctx, user), told).await?;
    Ok(())
}

/// The identities of many users at once, each user's oldest first; the e-mail identity is not among them.
pub(super) async fn of_many(db: &mut impl Sql, users: &[UserId]) -> Result<HashMap<UserId, Vec<Identity>>> {
    let mut found: HashMap<UserId, Vec<Identity>> = HashMap::new();
    for identity in store::of_many(db, users).await? {
        found.entry(identity.user_id).or_default().push(identity);
    }
    Ok(found)
}

/// Whether the e-mail identity, which is the account itself, is a way in: with a password, or where there is no other.
pub fn has_email(user: &User, identities: &[Identity]) -> bool {
    user.password_hash.is_some() || identities.is_empty()
}

/// Before there is a session, what happens to an account is its owner's doing all the same.
fn acting(ctx: &Ctx, user: &User) -> Ctx {
    ctx.acting_as(Actor::User(Arc::new(user.signed_in(SessionId(Uuid::nil())))))
}

/// The provider's address in the form in which ours are stored; as it came where it is none of ours.
fn stored_email(arrival: &Arrival) -> Option<String> {
    arrival.email.as_deref().map(|email| crate::kernel::email::normalise(email).unwrap_or_else(|_| nfc(email)))
}

fn is_address(text: &str) -> bool {
    let mut check = Check::new();
    check.email("email", text);
    check.done().is_ok()
}

fn data(arrival: &Arrival) -> Map<String, Value> {
    let mut data = Map::from_iter([
        ("sub".to_owned(), json!(arrival.subject)),
        ("email_verified".to_owned(), json!(arrival.email_verified)),
        ("phone_verified".to_owned(), json!(false)),
    ]);
    for (name, value) in [("email", &arrival.email), ("name", &arrival.name)] {
        if let Some(value) = value {
            data.insert(name.to_owned(), json!(nfc(value)));
        }
    }
    data
}
