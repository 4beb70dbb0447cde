//! Sign-in with a password, and refresh of a session.
mod store;

use self::store::{LockedSignIn, SignInContext};
use super::{
    Auth,
    keys::RefreshTokenError,
    login_throttle::{self, ThrottleKey},
    passwords::{self, PasswordCheck, PasswordHash},
    sessions::{self, Session},
    sign_in_history,
    store::AccountExtras,
    tokens::{self, TokenGrant},
};
use crate::{
    accounts::users::{self, Status, User},
    kernel::{
        ctx::{Ctx, DEMO_PASSWORD},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        ids::UserId,
    },
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};
use tokio::task::spawn_blocking;

/// Entries of the cache: about 5 MB.
const WEAK_PASSWORD_CACHE_CAPACITY: usize = 50_000;

/// Cache of password strength checks of correct passwords. A check costs a tenth of the hash. Keyed by a digest of the
/// password's hash (`PasswordHash::digest_with`), never by the password.
#[derive(Debug, Default)]
pub struct WeakPasswordCache(Mutex<HashMap<[u8; 32], Option<Problem>>>);

impl WeakPasswordCache {
    fn get(&self, key: &[u8; 32]) -> Option<Option<Problem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn insert(&self, key: [u8; 32], weak: Option<Problem>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= WEAK_PASSWORD_CACHE_CAPACITY {
            let Some(any) = known.keys().next().copied() else { return };
            known.remove(&any);
        }
        known.insert(key, weak);
    }
}

/// Whether this is a demo account after the demo: its password is published. Demo addresses are in a reserved domain.
fn is_closed_demo(ctx: &Ctx, email: &str, password: &str) -> bool {
    let known = password == DEMO_PASSWORD || password == ctx.options.demo_password;
    !ctx.options.demo && known && users::email_key(email).ends_with("@example.com")
}

/// Signs in with a password. Anonymous callers may.
///
/// # Errors
/// Unauthenticated `invalid_credentials`, the same response in the same time for an unknown address, a wrong password
/// (decision 24) and an account without a password. Only after the right password: `user_banned` for a suspended or
/// archived account, Conflict `email_not_confirmed`. RateLimited when throttled after failures, and when the hash queue is
/// full.
#[tracing::instrument(level = "debug", name = "auth.sign_in", skip_all)]
pub async fn sign_in(ctx: &Ctx, auth: &Auth, email: &str, password: &str) -> Result<TokenGrant> {
    let key = users::email_key(email);
    let mut keys = ThrottleKey::for_sign_in(&key, &ctx.origin);
    let SignInContext { user: found, counts, settings } =
        store::load_sign_in_context(&mut ctx.db(), &key, &keys).await?;
    if login_throttle::check_loaded(&counts, ctx.now(), &keys).is_err() {
        if login_throttle::is_known_location(ctx, found.as_ref().map(|user| user.id)).await? {
            keys = ThrottleKey::for_known_location(keys);
        }
        check_throttle(ctx, &keys).await?;
    }
    let kept = found.as_ref().and_then(|user| user.password_hash.as_ref());
    let verdict = match passwords::verify(kept, password).await? {
        _ if is_closed_demo(ctx, email, password) => PasswordCheck::Invalid,
        verdict => verdict,
    };
    let (Some(found), Some(kept), PasswordCheck::Valid | PasswordCheck::ValidNeedsRehash) = (&found, kept, verdict)
    else {
        return Err(record_wrong_password(ctx, &keys, found.as_ref()).await?);
    };
    let rehashed = match verdict {
        PasswordCheck::ValidNeedsRehash => Some(passwords::hash(ctx, password).await?),
        _ => None,
    };
    let min_length = passwords::min_length_of(&settings);
    let weak = check_weakness(auth, found, rehashed.as_ref().unwrap_or(kept), password, min_length).await?;

    let entered = ctx.transaction(|tx| start_session(tx, ctx, found, &keys, rehashed.as_ref()).scope_boxed()).await?;
    match entered {
        SignInResult::Started(entered) => {
            let (user, extras, session) = *entered;
            Ok(TokenGrant {
                weak,
                ..tokens::grant_for_account(ctx, auth, extras.into_account(user, ctx.now()), session)?
            })
        }
        SignInResult::Refused(error) => Err(error),
        SignInResult::CredentialsChanged => Err(record_wrong_password(ctx, &keys, Some(found)).await?),
    }
}

/// Outcome of a correct password.
enum SignInResult {
    Started(Box<(User, AccountExtras, Session)>),
    Refused(Error),
    /// The account has changed since the password was compared: the old password is no longer valid.
    CredentialsChanged,
}

/// Starts a session of `found`, whose password was correct, under the locks of the account and of its failure counters.
/// `rehashed` replaces a hash with outdated parameters.
async fn start_session(
    tx: &mut Tx,
    ctx: &Ctx,
    found: &User,
    keys: &[ThrottleKey; 2],
    rehashed: Option<&PasswordHash>,
) -> Result<SignInResult> {
    let usable = |user: &User| user.status != Status::Pending || user.awaits_confirmation;
    let unchanged = |user: &User| user.password_hash == found.password_hash && usable(user);
    let locked = store::lock_for_sign_in(tx, found.id, keys).await?;
    let Some(LockedSignIn { user, counts, shut_out, extras }) = locked.filter(|locked| unchanged(&locked.user)) else {
        return Ok(SignInResult::CredentialsChanged);
    };
    // Of many parallel guesses, those past the threshold learn nothing.
    if let Err(wait) = login_throttle::check_loaded(&counts, ctx.now(), keys) {
        login_throttle::record_source(tx, ctx, 1).await?;
        return Ok(SignInResult::Refused(wait));
    }
    if !counts.is_empty() {
        login_throttle::reset(tx, keys).await?;
    }
    if shut_out || !users::is_open(&user, ctx.now()) {
        sign_in_history::record_sampled(tx, ctx, &user, "password", "account_shut").await?;
        return Ok(SignInResult::Refused(Error::unauthenticated("user_banned")));
    }
    if user.status == Status::Pending {
        sign_in_history::record_sampled(tx, ctx, &user, "password", "not_confirmed").await?;
        return Ok(SignInResult::Refused(Error::conflict("email_not_confirmed")));
    }
    if let Some(hash) = rehashed {
        users::store::save_password(tx, user.id, hash, user.must_change_password).await?;
    }
    let session = sessions::start_by(tx, ctx, &user, "password", user.password_set_by.clone()).await?;
    Ok(SignInResult::Started(Box::new((user, extras, session))))
}

/// Whether the account of this address has signed in from the actor's location before; such requests pass the rate
/// limits of the address.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.is_known_location", skip_all)]
pub async fn is_known_location(ctx: &Ctx, email: &str) -> Result<bool> {
    let found = users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?;
    login_throttle::is_known_location(ctx, found.map(|user| user.id)).await
}

/// Strength check of a correct password against the present rules, cached; `kept` is its hash.
async fn check_weakness(
    auth: &Auth,
    user: &User,
    kept: &PasswordHash,
    password: &str,
    min_length: usize,
) -> Result<Option<Problem>> {
    let key = kept.digest_with(&[&user.email, &user.first_name, &user.last_name, &min_length.to_string()]);
    if let Some(known) = auth.weak_passwords.get(&key) {
        return Ok(known);
    }
    let (user, password) = (user.clone(), password.to_owned());
    // CPU-bound: the search for patterns takes milliseconds.
    let looking = spawn_blocking(move || {
        let names = [user.first_name.as_str(), &user.last_name, &user.name()];
        passwords::validate(&password, &user.email, &names, min_length).err()
    });
    let refused = looking.await.map_err(Error::internal)?;
    let weak = refused.filter(|problem| problem.code == "weak_password");
    auth.weak_passwords.insert(key, weak.clone());
    Ok(weak)
}

/// Refuses a throttled attempt.
///
/// # Errors
/// RateLimited with the seconds left.
async fn check_throttle(ctx: &Ctx, keys: &[ThrottleKey]) -> Result<()> {
    ctx.transaction(|tx| throttled(tx, ctx, keys).scope_boxed()).await?.map_or(Ok(()), Err)
}

/// The error of a throttled attempt, if it is. It is counted by source, for the detection of password spraying; it is
/// not logged and does not lengthen the delay.
async fn throttled(tx: &mut Tx, ctx: &Ctx, keys: &[ThrottleKey]) -> Result<Option<Error>> {
    match login_throttle::check_locked(tx, ctx.now(), keys).await {
        Err(wait @ Error::RateLimited(_)) => {
            login_throttle::record_source(tx, ctx, 1).await?;
            Ok(Some(wait))
        }
        checked => checked.map(|()| None),
    }
}

/// Counts and logs a failed sign-in and returns its error, the same for known and unknown accounts.
async fn record_wrong_password(ctx: &Ctx, keys: &[ThrottleKey], user: Option<&User>) -> Result<Error> {
    ctx.transaction(|tx| {
        async move {
            if let Some(wait) = throttled(tx, ctx, keys).await? {
                return Ok(wait);
            }
            login_throttle::record_failure(tx, ctx.now(), keys).await?;
            sign_in_history::record_failure(tx, ctx, user, "password", "wrong_password").await?;
            Ok(Error::unauthenticated("invalid_credentials"))
        }
        .scope_boxed()
    })
    .await
}

/// The user of a refresh token, as the key of a rate limit. None when the session has ended: a former holder of the
/// token must not use up the user's limit.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.session_owner", skip_all)]
pub async fn session_owner(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Option<UserId>> {
    let Ok((id, _)) = auth.keys.read_refresh_token(token) else { return Ok(None) };
    Ok(sessions::find_live(&mut ctx.db(), id).await?.map(|session| session.user_id))
}

/// Refreshes a session. A caller with its refresh token may.
///
/// # Errors
/// Unauthenticated `refresh_token_not_valid` for a malformed token; as `sessions::refresh`.
#[tracing::instrument(level = "debug", name = "auth.refresh", skip_all)]
pub async fn refresh(ctx: &Ctx, auth: &Auth, token: &str) -> Result<TokenGrant> {
    let (id, counter) = auth.keys.read_refresh_token(token).map_err(|why| {
        Error::unauthenticated(match why {
            RefreshTokenError::Malformed => "refresh_token_not_valid",
            RefreshTokenError::Forged => "refresh_token_not_found",
        })
    })?;
    match sessions::refresh(ctx, id, counter).await {
        Ok((user, session, reused)) => {
            if !reused {
                record_activity(ctx, user.id).await;
            }
            let granted = tokens::grant(ctx, auth, user, session).await?;
            Ok(TokenGrant { reused, ..granted })
        }
        Err(e) => {
            // The refresh may have ended the session: its cached access tokens end with it.
            let ends = |code: &str| code == "refresh_token_already_used" || code == "refresh_session_expired";
            if matches!(&e, Error::Unauthenticated(problem) if ends(problem.code)) {
                auth.token_cache.forget_sessions(&[id]);
            }
            Err(e)
        }
    }
}

/// Records the activity of an account, in a transaction of its own: the refresh locks the session first, while
/// suspending locks the account first. A failure does not fail the refresh.
async fn record_activity(ctx: &Ctx, id: UserId) {
    let recorded = ctx.transaction(|tx| users::store::touch_last_active(tx, id, ctx.now()).scope_boxed());
    if let Err(error) = recorded.await {
        tracing::debug!(%error, "could not record the last activity of the account");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        accounts::auth::Keys,
        kernel::access::Role,
        platform::settings::{self, Security, Settings},
        testing::World,
    };

    #[tokio::test]
    async fn weak_password_cache_is_keyed_by_hash_name_and_min_length() {
        let world = World::sqlite().await;
        let (ctx, auth) = (world.anonymous(), Auth::new(Keys::for_tests()));
        let maya = world.user(Role::Employee, "Maya", None, None).await;
        let hash = async || passwords::hash(&ctx, "whatever it is").await.expect("hashes");
        let (one, other) = (hash().await, hash().await);
        let ask = async |user: &User, kept: &PasswordHash, password: &str| {
            let min_length = passwords::min_length(&ctx).await.expect("is read");
            let weak = check_weakness(&auth, user, kept, password, min_length).await.expect("works");
            weak.map(|problem| problem.code)
        };
        let (weak, strong) = ("password", "correct horse battery");
        assert_eq!(ask(&maya, &one, weak).await, Some("weak_password"));
        assert_eq!(ask(&maya, &other, strong).await, None);
        // The same hash means the same password.
        assert_eq!(ask(&maya, &one, strong).await, Some("weak_password"));
        assert_eq!(ask(&maya, &other, weak).await, None);

        let renamed = User { last_name: "Ortiz".to_owned(), ..maya.clone() };
        assert_eq!(ask(&renamed, &one, strong).await, None, "another name is looked for in it");
        let longer =
            |now: Settings| Settings { security: Security { password_min_length: Some(30), ..now.security }, ..now };
        settings::set(&world.super_admin("Sam").await, longer).await.expect("is set");
        assert_eq!(ask(&maya, &other, strong).await, Some("weak_password"), "the office wants longer ones by now");
    }

    /// On SQLite there is one writer at a time anyway.
    #[tokio::test]
    async fn correct_password_waits_for_concurrent_failures() {
        let Some(world) = World::postgres().await else { return };
        let (ctx, auth) = (world.anonymous(), Auth::new(Keys::for_tests()));
        let maya = world.user(Role::Employee, "Maya", None, None).await;
        let password = "correct horse battery";
        let hash = passwords::hash(&ctx, password).await.expect("hashes");
        let mut tx = ctx.begin().await.expect("begins");
        users::store::save_password(&mut tx, maya.id, &hash, false).await.expect("is saved");
        tx.commit().await.expect("commits");

        let keys = ThrottleKey::for_sign_in(&users::email_key(&maya.email), &ctx.origin);
        let mut counting = ctx.begin().await.expect("begins");
        login_throttle::check_locked(&mut counting, ctx.now(), &keys).await.expect("no wait");
        for _ in 0..5 {
            login_throttle::record_failure(&mut counting, ctx.now(), &keys).await.expect("is counts");
        }
        let (right, email) = (ctx.clone(), maya.email.clone());
        let right = tokio::spawn(async move { sign_in(&right, &auth, &email, password).await });
        world.until_waiting(1).await;
        assert!(!right.is_finished(), "it is not judged before they are counts");
        counting.commit().await.expect("commits");
        let answer = right.await.expect("goes on");
        assert!(matches!(answer, Err(Error::RateLimited(_))), "{answer:?}");
    }

    #[test]
    fn weak_password_cache_is_bounded() {
        let memory = WeakPasswordCache::default();
        for n in 0..WEAK_PASSWORD_CACHE_CAPACITY + 1_000 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&(n as u64).to_be_bytes());
            memory.insert(key, None);
        }
        assert_eq!(memory.0.lock().expect("not poisoned").len(), WEAK_PASSWORD_CACHE_CAPACITY);
    }
}
