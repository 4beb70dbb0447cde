//! Access tokens, and the memory of those that were found good.
//!
//! Verifying a signature costs more than reading an order, so a verified token is remembered by its hash until it
//! expires or something about its session changes. The activity log says what changed, on every node.
use super::{
    Account, Auth,
    factors::{self, Factor},
    identities::{self, Identity, ProviderTokens},
    impersonation::{self, Impersonation},
    sessions::{self, Proof, Session},
    store,
};
use crate::{
    accounts::{
        admission::Gatekeeper,
        users::{self, User},
    },
    kernel::{
        access::{Impersonator, Mfa, SignedIn},
        ctx::{Ctx, Options},
        db::Db,
        error::{Error, Problem, Result},
        ids::{CompanyId, IsoId, SessionId, UserId},
    },
    platform::{activity::Activity, settings},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Tokens remembered at most: about 15 MB.
const CAPACITY: usize = 50_000;
const SHARDS: usize = 16;
/// Of every token and account.
pub const AUDIENCE: &str = "authenticated";

/// What an access token says. Only `sub`, `session_id` and `exp` are believed: who that is and what they may do
/// is read from our tables.
#[derive(Serialize)]
struct Claims<'a> {
    iss: String,
    sub: UserId,
    aud: &'a str,
    role: &'a str,
    iat: i64,
    exp: i64,
    email: &'a str,
    phone: &'a str,
    app_metadata: Value,
    user_metadata: Value,
    session_id: SessionId,
    aal: &'a str,
    amr: Value,
    is_anonymous: bool,
    /// The super admin who looks as `sub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<Value>,
}

/// The registered claims of any token that one of our keys signed (RFC 7519, section 4.1). The shared secret may sign for
/// other programs too, whose tokens are not for us.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Registered {
    iss: Option<String>,
    pub exp: Option<i64>,
    #[serde(default, skip_serializing)]
    nbf: Option<i64>,
}

impl Registered {
    /// Those of a token of ours that is valid until `exp`.
    pub fn until(options: &Options, exp: DateTime<Utc>) -> Self {
        Self { iss: Some(issuer(options)), exp: Some(exp.timestamp()), nbf: None }
    }

    /// Whether the token is valid now and of our issuer, where it names one.
    pub fn hold(&self, options: &Options, now: DateTime<Utc>) -> bool {
        let now = now.timestamp();
        self.iss.as_ref().is_none_or(|iss| *iss == issuer(options))
            && self.exp.is_none_or(|exp| exp > now)
            && self.nbf.is_none_or(|nbf| nbf <= now)
    }
}

/// `iss` of every token of ours.
pub(crate) fn issuer(options: &Options) -> String {
    format!("{}/auth/v1", options.public_url)
}

/// What is read of a token that comes in.
#[derive(Deserialize)]
struct Presented {
    sub: Option<String>,
    session_id: Option<String>,
    #[serde(flatten)]
    registered: Registered,
    aud: Option<Value>,
    aal: Option<String>,
    #[serde(default)]
    amr: Vec<Proof>,
    act: Option<Value>,
}

/// A session just begun or refreshed, with its tokens. Never printed.
#[derive(Clone)]
pub struct Granted {
    pub access_token: String,
    pub refresh_token: String,
    /// Seconds, from now and since 1970.
    pub expires_in: i64,
    pub expires_at: i64,
    pub user: User,
    pub factors: Vec<Factor>,
    pub identities: Vec<Identity>,
    pub session: Session,
    /// An older refresh token was shown, and answered with the active one.
    pub reused: bool,
    /// What today's rules have against the password that began it.
    pub weak: Option<Problem>,
    /// What the provider gave that vouched for it, once.
    pub provider_tokens: Option<ProviderTokens>,
}

impl std::fmt::Debug for Granted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Granted").field("session", &self.session.id).finish_non_exhaustive()
    }
}

/// What a person may not change about themselves, for display in the browser.
pub fn app_metadata(user: &User, identities: &[Identity]) -> Value {
    let email = identities::has_email(user, identities).then_some("email");
    let mut providers: Vec<&str> = email.into_iter().collect();
    for identity in identities {
        if !providers.contains(&identity.provider.as_str()) {
            providers.push(&identity.provider);
        }
    }
    let mut noted = user.app_metadata.clone();
    for (name, value) in [
        ("provider", json!(providers.first())),
        ("providers", json!(providers)),
        ("role", json!(user.role)),
        ("company_id", json!(user.company_id)),
        ("iso_id", json!(user.iso_id)),
    ] {
        noted.insert(name.to_owned(), value);
    }
    Value::Object(noted)
}

/// What people say of themselves and, once the address is confirmed, what we know of them: a name only where they say
/// none, for programs read back what they wrote.
pub fn user_metadata(user: &User) -> Value {
    let mut said = user.metadata.clone();
    if user.status != users::Status::Pending {
        for (name, known) in [("first_name", &user.first_name), ("last_name", &user.last_name)] {
            said.entry(name).or_insert_with(|| known.clone().into());
        }
        said.insert("email_verified".to_owned(), true.into());
        said.insert("must_change_password".to_owned(), user.must_change_password.into());
    }
    Value::Object(said)
}

/// Makes the tokens of a session that was begun or refreshed.
///
/// # Errors
/// Internal when the signing key is unusable; what the database refuses.
pub(super) async fn grant(ctx: &Ctx, auth: &Auth, user: User, session: Session) -> Result<Granted> {
    grant_to(ctx, auth, super::whole(ctx, user).await?, session)
}

/// [`grant`], where what belongs to the user was read with them.
///
/// # Errors
/// Internal when the signing key is unusable.
pub(super) fn grant_to(ctx: &Ctx, auth: &Auth, account: Account, session: Session) -> Result<Granted> {
    let Account { user, identities, factors } = account;
    let now = ctx.now().timestamp();
    let expires_in = ctx.options.access_token_seconds;
    // Newest first, as the protocol wants it.
    let mut amr: Vec<_> = session.amr.iter().rev().collect();
    amr.sort_by_key(|proof| std::cmp::Reverse(proof.timestamp));
    let access_token = auth.keys.sign(&Claims {
        iss: issuer(&ctx.options),
        sub: user.id,
        aud: AUDIENCE,
        role: AUDIENCE,
        iat: now,
        exp: now + expires_in,
        email: &user.email,
        phone: "",
        app_metadata: app_metadata(&user, &identities),
        user_metadata: user_metadata(&user),
        session_id: session.id,
        aal: &session.aal,
        amr: json!(amr),
        is_anonymous: false,
        act: None,
    })?;
    Ok(Granted {
        access_token,
        refresh_token: auth.keys.refresh_token(session.id, session.refresh_counter),
        expires_in,
        expires_at: now + expires_in,
        // The row may have been read before the session began.
        user: User { last_sign_in_at: user.last_sign_in_at.max(Some(session.created_at)), ..user },
        identities,
        factors,
        session,
        reused: false,
        weak: None,
        provider_tokens: None,
    })
}

/// The token of a super admin who looks as `user`: it cannot be refreshed.
///
/// # Errors
/// Internal when the signing key is unusable.
pub(super) fn impersonating(ctx: &Ctx, auth: &Auth, user: &User, row: &Impersonation) -> Result<String> {
    auth.keys.sign(&Claims {
        iss: issuer(&ctx.options),
        sub: user.id,
        aud: AUDIENCE,
        role: AUDIENCE,
        iat: row.started_at.timestamp(),
        exp: row.expires_at.timestamp(),
        email: &user.email,
        phone: "",
        app_metadata: json!({ "role": user.role, "company_id": user.company_id, "iso_id": user.iso_id }),
        user_metadata: user_metadata(user),
        session_id: SessionId(row.id.0),
        aal: "aal1",
        amr: json!([]),
        is_anonymous: false,
        act: Some(json!({ "sub": row.admin_id, "session_id": row.session_id })),
    })
}

/// Who sends this token.
///
/// # Errors
/// Unauthenticated `bad_jwt`, `bad_jwt_subject`, `bad_jwt_audience`, `session_not_found`, `user_not_found`,
/// `user_banned`; Unavailable when a token is new to this process and the database cannot be asked.
pub async fn authenticate(
    auth: &Auth,
    db: &Db,
    options: &Options,
    now: DateTime<Utc>,
    bearer: &str,
) -> Result<Arc<SignedIn>> {
    let key = Verified::key(bearer);
    match auth.verified.get(&key, now) {
        Some(who) => Ok(who),
        // In a place of its own: a request that need not ask has not to carry the room for it along.
        None => Box::pin(verify(auth, db, options, now, bearer, key)).await,
    }
}

/// [`authenticate`] for a token that is new to this process.
async fn verify(
    auth: &Auth,
    db: &Db,
    options: &Options,
    now: DateTime<Utc>,
    bearer: &str,
    key: Key,
) -> Result<Arc<SignedIn>> {
    let seen = auth.verified.changes();
    let claims: Presented = auth.keys.verify(bearer).ok_or(Error::unauthenticated("bad_jwt"))?;
    let exp = claims.registered.exp.filter(|_| claims.registered.hold(options, now));
    let exp = exp.ok_or(Error::unauthenticated("bad_jwt"))?;
    let user_id: UserId = claims
        .sub
        .ok_or(Error::unauthenticated("bad_jwt"))?
        .parse()
        .map_err(|_| Error::unauthenticated("bad_jwt_subject"))?;
    // The shared secret may sign for others too.
    if claims.aud.is_some_and(|aud| aud != AUDIENCE) {
        return Err(Error::unauthenticated("bad_jwt_audience"));
    }
    let gone = || Error::unauthenticated("session_not_found");
    let session_id: SessionId = claims.session_id.ok_or_else(gone)?.parse().map_err(|_| gone())?;
    let mut db = db.clone();
    if claims.act.is_some() {
        let who = Arc::new(impersonation::who(&mut db, now, user_id, session_id).await?);
        auth.verified.insert(key, Known { who: who.clone(), exp }, now, seen);
        return Ok(who);
    }
    let user = users::store::get(&mut db, user_id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
    let session = store::session(&mut db, session_id).await?.ok_or_else(gone)?;
    if session.ended_at.is_some() || session.user_id != user_id {
        return Err(gone());
    }
    if !users::is_welcome(&mut db, &user, now).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    let mfa = Mfa {
        required: settings::require_mfa(&mut db, options).await?.of(user.role),
        enrolled: factors::is_enrolled(&mut db, user_id).await?,
        // Both: a session may have been lowered since, and a token from before the factor stays what it was.
        aal2: session.aal == "aal2" && claims.aal.as_deref() == Some("aal2"),
    };
    let who = Arc::new(SignedIn { mfa, proven_at: sessions::newest(&claims.amr), ..user.signed_in(session_id) });
    auth.verified.insert(key, Known { who: who.clone(), exp }, now, seen);
    Ok(who)
}

/// Tokens found good, by hash. Reading takes one shared lock of sixteen.
#[derive(Debug)]
pub struct Verified {
    shards: [RwLock<HashMap<Key, Known>>; SHARDS],
    /// How the door of the portal stands.
    pub gate: Gatekeeper,
    /// Counts what was forgotten: what was read from the database before that may be old, and is not kept.
    changes: AtomicU64,
}

type Key = [u8; 32];

#[derive(Clone, Debug)]
struct Known {
    who: Arc<SignedIn>,
    exp: i64,
}

impl Default for Verified {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| RwLock::default()),
            gate: Gatekeeper::default(),
            changes: AtomicU64::new(0),
        }
    }
}

impl Verified {
    fn key(token: &str) -> Key {
        Sha256::digest(token).into()
    }

    fn shard(&self, key: &Key) -> &RwLock<HashMap<Key, Known>> {
        &self.shards[usize::from(key[0]) % SHARDS]
    }

    fn get(&self, key: &Key, now: DateTime<Utc>) -> Option<Arc<SignedIn>> {
        let shard = self.shard(key).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(key).filter(|known| known.exp > now.timestamp()).map(|known| known.who.clone())
    }

    fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Keeps what was found, unless something was forgotten since `seen`.
    fn insert(&self, key: Key, known: Known, now: DateTime<Utc>, seen: u64) {
        let mut shard = self.shard(&key).write().unwrap_or_else(PoisonError::into_inner);
        // Asked under the lock: whoever forgets counts first and then takes every lock, so comes after this.
        if self.changes() != seen {
            return;
        }
        if shard.len() >= CAPACITY / SHARDS {
            shard.retain(|_, known| known.exp > now.timestamp());
        }
        if shard.len() >= CAPACITY / SHARDS {
            let Some(any) = shard.keys().next().copied() else { return };
            shard.remove(&any);
        }
        shard.insert(key, known);
    }

    /// Forgets what an event makes untrue: a session ended or was raised, an account, company, ISO or the settings changed.
    pub fn forget(&self, event: &Activity) {
        let subject = event.subject_id.unwrap_or_default();
        match event.action.as_str() {
            "settings.updated" => self.clear(),
            "session.started" | "user.created" | "client.created" | "company.created" | "iso.created" => {}
            "session.ended" | "session.raised" | "impersonation.ended" => {
                let id =
                    event.data.get("session_id").and_then(Value::as_str).and_then(|id| id.parse::<SessionId>().ok());
                match id {
                    Some(id) => self.forget_sessions(&[id]),
                    None => self.forget_user(UserId(subject)),
                }
            }
            action if action.starts_with("maintenance.") || action.starts_with("address.") => self.gate.forget(),
            action if action.starts_with("user.") || action.starts_with("client.") => self.forget_user(UserId(subject)),
            action if action.starts_with("company.") => {
                self.forget_if(|who| who.company_id == Some(CompanyId(subject)));
            }
            action if action.starts_with("iso.") => self.forget_if(|who| who.iso_id == Some(IsoId(subject))),
            _ => {}
        }
    }

    pub fn forget_sessions(&self, ids: &[SessionId]) {
        if !ids.is_empty() {
            let over = |by: &Impersonator| ids.contains(&by.session_id);
            self.forget_if(|who| ids.contains(&who.session_id) || who.impersonator.as_ref().is_some_and(over));
        }
    }

    pub fn forget_user(&self, id: UserId) {
        self.forget_if(|who| who.id == id || who.impersonator.as_ref().is_some_and(|by| by.id == id));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.forget_if(|_| true);
    }

    fn forget_if(&self, gone: impl Fn(&SignedIn) -> bool) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).retain(|_, known| !gone(&known.who));
        }
    }
}

#[cfg(test)]
mod tests;
