//! Access tokens and the cache of verified ones.
//!
//! Verifying a signature costs more than reading an order, so a verified token is cached by its hash until it expires
//! or the activity log reports a change of its session or account.
use super::{
    Account, Auth,
    factors::{self, Factor},
    identities::{self, Identity, ProviderTokens},
    impersonation::{self, Impersonation},
    passkeys,
    sessions::{self, AmrEntry, Session},
    store,
};
use crate::{
    accounts::{
        admission::AdmissionCache,
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

/// Capacity of the cache: about 15 MB.
const MAX_CACHED_TOKENS: usize = 50_000;
const SHARDS: usize = 16;
/// `aud` and `role` of every token.
pub const AUDIENCE: &str = "authenticated";

/// Claims of an access token. Only `sub`, `session_id` and `exp` are trusted; role and permissions are read from the
/// database.
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
    /// The super admin who impersonates `sub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<Value>,
}

/// Registered claims of any token that one of the keys signed (RFC 7519, section 4.1). The shared secret may also sign
/// for other programs, whose tokens are rejected.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RegisteredClaims {
    iss: Option<String>,
    pub exp: Option<i64>,
    #[serde(default, skip_serializing)]
    nbf: Option<i64>,
}

impl RegisteredClaims {
    /// Those of a portal token that expires at `exp`.
    pub fn valid_until(options: &Options, exp: DateTime<Utc>) -> Self {
        Self { iss: Some(issuer(options)), exp: Some(exp.timestamp()), nbf: None }
    }

    /// Whether the token is valid now and from this issuer, if it names one.
    pub fn are_valid(&self, options: &Options, now: DateTime<Utc>) -> bool {
        let now = now.timestamp();
        self.iss.as_ref().is_none_or(|iss| *iss == issuer(options))
            && self.exp.is_none_or(|exp| exp > now)
            && self.nbf.is_none_or(|nbf| nbf <= now)
    }
}

/// `iss` of every token.
pub(crate) fn issuer(options: &Options) -> String {
    format!("{}/auth/v1", options.public_url)
}

/// Claims read from a presented token.
#[derive(Deserialize)]
struct AccessTokenClaims {
    sub: Option<String>,
    session_id: Option<String>,
    #[serde(flatten)]
    registered: RegisteredClaims,
    aud: Option<Value>,
    aal: Option<String>,
    #[serde(default)]
    amr: Vec<AmrEntry>,
    act: Option<Value>,
}

/// A started or refreshed session with its tokens. Debug output is hidden.
#[derive(Clone)]
pub struct TokenGrant {
    pub access_token: String,
    pub refresh_token: String,
    /// Seconds from now, and Unix time.
    pub expires_in: i64,
    pub expires_at: i64,
    pub user: User,
    pub factors: Vec<Factor>,
    pub identities: Vec<Identity>,
    pub session: Session,
    /// An older refresh token returned the active one.
    pub reused: bool,
    /// Why the password of the sign-in is weak by the present rules.
    pub weak: Option<Problem>,
    /// Tokens of the identity provider, returned once.
    pub provider_tokens: Option<ProviderTokens>,
}

impl std::fmt::Debug for TokenGrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenGrant").field("session", &self.session.id).finish_non_exhaustive()
    }
}

/// `app_metadata`: what the user cannot change, for display in the browser.
pub fn app_metadata(user: &User, identities: &[Identity]) -> Value {
    let email = identities::has_email_identity(user, identities).then_some("email");
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

/// `user_metadata`: what the user wrote, completed with the account's name once the address is confirmed.
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

/// Issues the tokens of a session.
///
/// # Errors
/// Internal for an unusable signing key; database errors.
pub(super) async fn grant(ctx: &Ctx, auth: &Auth, user: User, session: Session) -> Result<TokenGrant> {
    grant_for_account(ctx, auth, super::load_account(ctx, user).await?, session)
}

/// [`grant`] with the account already loaded.
///
/// # Errors
/// Internal for an unusable signing key.
pub(super) fn grant_for_account(ctx: &Ctx, auth: &Auth, account: Account, session: Session) -> Result<TokenGrant> {
    let Account { user, identities, factors } = account;
    let now = ctx.now().timestamp();
    let expires_in = ctx.options.access_token_seconds;
    // Newest first, as the auth protocol requires.
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
    Ok(TokenGrant {
        access_token,
        refresh_token: auth.keys.refresh_token(session.id, session.refresh_counter),
        expires_in,
        expires_at: now + expires_in,
        // The row may have been read before the session started.
        user: User { last_sign_in_at: user.last_sign_in_at.max(Some(session.created_at)), ..user },
        identities,
        factors,
        session,
        reused: false,
        weak: None,
        provider_tokens: None,
    })
}

/// Issues the access token of an impersonation; it cannot be refreshed.
///
/// # Errors
/// Internal for an unusable signing key.
pub(super) fn impersonation_token(ctx: &Ctx, auth: &Auth, user: &User, row: &Impersonation) -> Result<String> {
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

/// Authenticates an access token.
///
/// # Errors
/// Unauthenticated `bad_jwt`, `bad_jwt_subject`, `bad_jwt_audience`, `session_not_found`, `user_not_found`,
/// `user_banned`; Unavailable on a cache miss while the database is away.
pub async fn authenticate(
    auth: &Auth,
    db: &Db,
    options: &Options,
    now: DateTime<Utc>,
    bearer: &str,
) -> Result<Arc<SignedIn>> {
    let key = TokenCache::key(bearer);
    match auth.token_cache.get(&key, now) {
        Some(who) => Ok(who),
        // Boxed: cache hits must not carry the size of this future.
        None => Box::pin(verify(auth, db, options, now, bearer, key)).await,
    }
}

/// [`authenticate`] on a cache miss.
async fn verify(
    auth: &Auth,
    db: &Db,
    options: &Options,
    now: DateTime<Utc>,
    bearer: &str,
    key: Key,
) -> Result<Arc<SignedIn>> {
    let seen = auth.token_cache.changes();
    let claims: AccessTokenClaims = auth.keys.verify(bearer).ok_or(Error::unauthenticated("bad_jwt"))?;
    let exp = claims.registered.exp.filter(|_| claims.registered.are_valid(options, now));
    let exp = exp.ok_or(Error::unauthenticated("bad_jwt"))?;
    let user_id: UserId = claims
        .sub
        .ok_or(Error::unauthenticated("bad_jwt"))?
        .parse()
        .map_err(|_| Error::unauthenticated("bad_jwt_subject"))?;
    // The shared secret may sign for other audiences.
    if claims.aud.is_some_and(|aud| aud != AUDIENCE) {
        return Err(Error::unauthenticated("bad_jwt_audience"));
    }
    let gone = || Error::unauthenticated("session_not_found");
    let session_id: SessionId = claims.session_id.ok_or_else(gone)?.parse().map_err(|_| gone())?;
    let mut db = db.clone();
    if claims.act.is_some() {
        let who = Arc::new(impersonation::authenticate(&mut db, now, user_id, session_id).await?);
        auth.token_cache.insert(key, CachedToken { who: who.clone(), exp }, now, seen);
        return Ok(who);
    }
    let user = users::store::get(&mut db, user_id).await?.ok_or(Error::unauthenticated("user_not_found"))?;
    let session = store::session(&mut db, session_id).await?.ok_or_else(gone)?;
    if session.ended_at.is_some() || session.user_id != user_id {
        return Err(gone());
    }
    if !users::can_sign_in(&mut db, &user, now).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    let required = settings::require_mfa(&mut db, options).await?.of(user.role);
    let mfa = Mfa {
        required,
        // Where a second factor is required, a passkey is one: the password alone must not enroll another.
        enrolled: factors::is_enrolled(&mut db, user_id).await?
            || required && passkeys::store::has_any(&mut db, user_id).await?,
        // Both: the session may have been dropped to aal1, and an older token keeps its level.
        aal2: session.aal == "aal2" && claims.aal.as_deref() == Some("aal2"),
    };
    let who = Arc::new(SignedIn {
        mfa,
        proven_at: Some(sessions::latest_authentication(&claims.amr).unwrap_or_default()),
        begun_by: session.begun_by,
        ..user.signed_in(session_id)
    });
    auth.token_cache.insert(key, CachedToken { who: who.clone(), exp }, now, seen);
    Ok(who)
}

/// Cache of verified tokens by hash, in sixteen shards.
#[derive(Debug)]
pub struct TokenCache {
    shards: [RwLock<HashMap<Key, CachedToken>>; SHARDS],
    /// Admission policy of the process.
    pub admission: AdmissionCache,
    /// Invalidation counter: what was read before an invalidation is not cached.
    changes: AtomicU64,
}

type Key = [u8; 32];

#[derive(Clone, Debug)]
struct CachedToken {
    who: Arc<SignedIn>,
    exp: i64,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self {
            shards: std::array::from_fn(|_| RwLock::default()),
            admission: AdmissionCache::default(),
            changes: AtomicU64::new(0),
        }
    }
}

impl TokenCache {
    fn key(token: &str) -> Key {
        Sha256::digest(token).into()
    }

    fn shard(&self, key: &Key) -> &RwLock<HashMap<Key, CachedToken>> {
        &self.shards[usize::from(key[0]) % SHARDS]
    }

    fn get(&self, key: &Key, now: DateTime<Utc>) -> Option<Arc<SignedIn>> {
        let shard = self.shard(key).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(key).filter(|known| known.exp > now.timestamp()).map(|known| known.who.clone())
    }

    fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Caches a token unless the cache was invalidated since `seen`.
    fn insert(&self, key: Key, known: CachedToken, now: DateTime<Utc>, seen: u64) {
        let mut shard = self.shard(&key).write().unwrap_or_else(PoisonError::into_inner);
        // Under the lock: an invalidation increments the counter before it takes the locks.
        if self.changes() != seen {
            return;
        }
        if shard.len() >= MAX_CACHED_TOKENS / SHARDS {
            shard.retain(|_, known| known.exp > now.timestamp());
        }
        if shard.len() >= MAX_CACHED_TOKENS / SHARDS {
            let Some(any) = shard.keys().next().copied() else { return };
            shard.remove(&any);
        }
        shard.insert(key, known);
    }

    /// Invalidates what an activity event makes outdated: sessions, accounts, companies, ISOs, settings.
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
            action if action.starts_with("maintenance.") || action.starts_with("address.") => {
                self.admission.invalidate()
            }
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

    /// Invalidates everything.
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
