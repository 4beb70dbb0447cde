//! The ways in: a password, a refresh token.
mod store;

use self::store::{Comer, Entrant};
use super::{
    Auth,
    failures::{self, Counter},
    history,
    keys::NotOurs,
    passwords::{self, PasswordHash, Verdict},
    sessions::{self, Session},
    store::Belongings,
    tokens::{self, Granted},
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

/// Passwords of which it is remembered what the rules have against them: about 5 MB.
const CAPACITY: usize = 50_000;

/// What the rules have against passwords that were right. To look for it takes the processor a tenth of what the hash
/// takes, so that it is done once. Of the password nothing is kept: its hash stands for it, see [`PasswordHash::with`].
#[derive(Debug, Default)]
pub struct Weaknesses(Mutex<HashMap<[u8; 32], Option<Problem>>>);

impl Weaknesses {
    fn get(&self, key: &[u8; 32]) -> Option<Option<Problem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep(&self, key: [u8; 32], weak: Option<Problem>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CAPACITY {
            let Some(any) = known.keys().next().copied() else { return };
            known.remove(&any);
        }
        known.insert(key, weak);
    }
}

/// Whether this is a demo account and the demo is over: everybody knows its password. Its address is in a domain that is
/// reserved for examples.
fn is_closed_demo(ctx: &Ctx, email: &str, password: &str) -> bool {
    let known = password == DEMO_PASSWORD || password == ctx.options.demo_password;
    !ctx.options.demo && known && users::email_key(email).ends_with("@example.com")
}

/// Begins a session with a password. Anybody may try.
///
/// # Errors
/// Unauthenticated `invalid_credentials`, the same answer in the same time for an unknown address and a wrong
/// password (decision 24), also for an account that has no password yet; `user_banned` for a shut account and
/// Conflict `email_not_confirmed` for an address that is still to be confirmed, only after the right password. TooMany
/// after several failures, and when the machine is busy with other sign-ins.
pub async fn sign_in(ctx: &Ctx, auth: &Auth, email: &str, password: &str) -> Result<Granted> {
    let key = users::email_key(email);
    let mut counters = Counter::sign_in(&key, &ctx.origin);
    let Comer { user: found, counted, settings } = store::comer(&mut ctx.db(), &key, &counters).await?;
    if failures::look(&counted, ctx.now(), &counters).is_err() {
        if failures::is_at_home(ctx, found.as_ref().map(|user| user.id)).await? {
            counters = Counter::at_home(counters);
        }
        check_wait(ctx, &counters).await?;
    }
    let kept = found.as_ref().and_then(|user| user.password_hash.as_ref());
    let verdict = match passwords::verify(kept, password).await? {
        _ if is_closed_demo(ctx, email, password) => Verdict::Wrong,
        verdict => verdict,
    };
    let (Some(found), Some(kept), Verdict::Right | Verdict::RightButOld) = (&found, kept, verdict) else {
        return Err(refused(ctx, &counters, found.as_ref()).await?);
    };
    let stronger = match verdict {
        Verdict::RightButOld => Some(passwords::hash(ctx, password).await?),
        _ => None,
    };
    let shortest = passwords::shortest_by(&settings);
    let weak = weakness(auth, found, stronger.as_ref().unwrap_or(kept), password, shortest).await?;

    let entered = ctx.transaction(|tx| enter(tx, ctx, found, &counters, stronger.as_ref()).scope_boxed()).await?;
    match entered {
        Entered::In(entered) => {
            let (user, belongings, session) = *entered;
            Ok(Granted { weak, ..tokens::grant_to(ctx, auth, belongings.of(user, ctx.now()), session)? })
        }
        Entered::Refused(error) => Err(error),
        Entered::Changed => Err(refused(ctx, &counters, Some(found)).await?),
    }
}

/// Outcome of a right password.
enum Entered {
    In(Box<(User, Belongings, Session)>),
    Refused(Error),
    /// The account is not as it was when the password was compared: the old password is worth nothing any more.
    Changed,
}

/// Begins a session of `found`, who has shown the password, under the locks of the account and of its failure counters.
/// `stronger` replaces a hash of older parameters.
async fn enter(
    tx: &mut Tx,
    ctx: &Ctx,
    found: &User,
    counters: &[Counter; 2],
    stronger: Option<&PasswordHash>,
) -> Result<Entered> {
    let usable = |user: &User| user.status != Status::Pending || user.awaits_confirmation;
    let unchanged = |user: &User| user.password_hash == found.password_hash && usable(user);
    let entrant = store::entrant(tx, found.id, counters).await?;
    let Some(Entrant { user, counted, shut_out, belongings }) = entrant.filter(|entrant| unchanged(&entrant.user))
    else {
        return Ok(Entered::Changed);
    };
    // Of many guesses at once, those after the first few learn nothing.
    if let Err(wait) = failures::look(&counted, ctx.now(), counters) {
        failures::note_place(tx, ctx, 1).await?;
        return Ok(Entered::Refused(wait));
    }
    if !counted.is_empty() {
        failures::forget(tx, counters).await?;
    }
    if shut_out || !users::is_open(&user, ctx.now()) {
        history::repeated(tx, ctx, &user, "password", "account_shut").await?;
        return Ok(Entered::Refused(Error::unauthenticated("user_banned")));
    }
    if user.status == Status::Pending {
        history::repeated(tx, ctx, &user, "password", "not_confirmed").await?;
        return Ok(Entered::Refused(Error::conflict("email_not_confirmed")));
    }
    if let Some(hash) = stronger {
        users::store::save_password(tx, user.id, hash, user.must_change_password).await?;
    }
    let session = sessions::start(tx, ctx, &user, "password").await?;
    Ok(Entered::In(Box::new((user, belongings, session))))
}

/// Whether somebody has signed in to the account of this address from where this comes from: whoever counts what others
/// ask for it lets them through.
///
/// # Errors
/// What the database refuses.
pub async fn is_at_home(ctx: &Ctx, email: &str) -> Result<bool> {
    let found = users::store::by_email(&mut ctx.db(), &users::email_key(email)).await?;
    failures::is_at_home(ctx, found.map(|user| user.id)).await
}

/// What today's rules have against a password that is right all the same; `kept` is its hash.
async fn weakness(
    auth: &Auth,
    user: &User,
    kept: &PasswordHash,
    password: &str,
    shortest: usize,
) -> Result<Option<Problem>> {
    let key = kept.with(&[&user.email, &user.first_name, &user.last_name, &shortest.to_string()]);
    if let Some(known) = auth.weaknesses.get(&key) {
        return Ok(known);
    }
    let (user, password) = (user.clone(), password.to_owned());
    // To look for how it could be guessed takes a moment of the processor.
    let looking = spawn_blocking(move || {
        let names = [user.first_name.as_str(), &user.last_name, &user.name()];
        passwords::rules(&password, &user.email, &names, shortest).err()
    });
    let refused = looking.await.map_err(Error::internal)?;
    let weak = refused.filter(|problem| problem.code == "weak_password");
    auth.weaknesses.keep(key, weak.clone());
    Ok(weak)
}

/// Refuses an attempt that must wait (rate limit of failed sign-ins).
///
/// # Errors
/// TooMany with the seconds that are left to wait.
async fn check_wait(ctx: &Ctx, counters: &[Counter]) -> Result<()> {
    ctx.transaction(|tx| must_wait(tx, ctx, counters).scope_boxed()).await?.map_or(Ok(()), Err)
}

/// The error of an attempt that must wait. It is counted where it comes from, so that guessing at one account is found as
/// the attack that it is; neither is it logged nor does the wait grow.
async fn must_wait(tx: &mut Tx, ctx: &Ctx, counters: &[Counter]) -> Result<Option<Error>> {
    match failures::check(tx, ctx.now(), counters).await {
        Err(wait @ Error::TooMany(_)) => {
            failures::note_place(tx, ctx, 1).await?;
            Ok(Some(wait))
        }
        checked => checked.map(|()| None),
    }
}

/// Counts and logs a failed sign-in, and gives its error, which is the same whether there is such an account or not.
async fn refused(ctx: &Ctx, counters: &[Counter], user: Option<&User>) -> Result<Error> {
    ctx.transaction(|tx| {
        async move {
            if let Some(wait) = must_wait(tx, ctx, counters).await? {
                return Ok(wait);
            }
            failures::note(tx, ctx.now(), counters).await?;
            history::failed(tx, ctx, user, "password", "wrong_password").await?;
            Ok(Error::unauthenticated("invalid_credentials"))
        }
        .scope_boxed()
    })
    .await
}

/// Whose session a refresh token is of, for whoever counts before anything is held; none where it has ended, so that
/// nobody who once had one is counted for its owner.
///
/// # Errors
/// What the database refuses.
pub async fn session_owner(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Option<UserId>> {
    let Ok((id, _)) = auth.keys.read_refresh_token(token) else { return Ok(None) };
    Ok(sessions::live(&mut ctx.db(), id).await?.map(|session| session.user_id))
}

/// Goes on with a session. Anybody with its refresh token may.
///
/// # Errors
/// Unauthenticated `refresh_token_not_valid` for what is no refresh token, and as `sessions::refresh` says.
pub async fn refresh(ctx: &Ctx, auth: &Auth, token: &str) -> Result<Granted> {
    let (id, counter) = auth.keys.read_refresh_token(token).map_err(|why| {
        Error::unauthenticated(match why {
            NotOurs::Malformed => "refresh_token_not_valid",
            NotOurs::Forged => "refresh_token_not_found",
        })
    })?;
    match sessions::refresh(ctx, id, counter).await {
        Ok((user, session, reused)) => {
            if !reused {
                here(ctx, user.id).await;
            }
            let granted = tokens::grant(ctx, auth, user, session).await?;
            Ok(Granted { reused, ..granted })
        }
        Err(e) => {
            // Where this use has ended the session, its access tokens end here and now.
            let ends = |code: &str| code == "refresh_token_already_used" || code == "refresh_session_expired";
            if matches!(&e, Error::Unauthenticated(problem) if ends(problem.code)) {
                auth.verified.forget_sessions(&[id]);
            }
            Err(e)
        }
    }
}

/// Notes that somebody is here. In a transaction of its own: a refresh holds the session, and whoever shuts an account
/// takes the account first. Nobody is turned away because it could not be noted.
async fn here(ctx: &Ctx, id: UserId) {
    let noted = ctx.transaction(|tx| users::store::seen(tx, id, ctx.now()).scope_boxed());
    if let Err(error) = noted.await {
        tracing::debug!(%error, "that somebody is here was not noted");
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
    async fn a_password_is_looked_at_once_until_something_changes_that_counts() {
        let world = World::sqlite().await;
        let (ctx, auth) = (world.nobody(), Auth::new(Keys::for_tests()));
        let maya = world.user(Role::Employee, "Maya", None, None).await;
        let hash = async || passwords::hash(&ctx, "whatever it is").await.expect("hashes");
        let (one, other) = (hash().await, hash().await);
        let ask = async |user: &User, kept: &PasswordHash, password: &str| {
            let shortest = passwords::shortest(&ctx).await.expect("is read");
            let weak = weakness(&auth, user, kept, password, shortest).await.expect("works");
            weak.map(|problem| problem.code)
        };
        let (weak, strong) = ("password", "correct horse battery");
        assert_eq!(ask(&maya, &one, weak).await, Some("weak_password"));
        assert_eq!(ask(&maya, &other, strong).await, None);
        // Who comes with the same hash has the same password: nobody looks at what was typed.
        assert_eq!(ask(&maya, &one, strong).await, Some("weak_password"));
        assert_eq!(ask(&maya, &other, weak).await, None);

        let renamed = User { last_name: "Ortiz".to_owned(), ..maya.clone() };
        assert_eq!(ask(&renamed, &one, strong).await, None, "another name is looked for in it");
        let longer =
            |now: Settings| Settings { security: Security { password_min_length: Some(30), ..now.security }, ..now };
        settings::set(&world.super_admin("Sam").await, longer).await.expect("is set");
        assert_eq!(ask(&maya, &other, strong).await, Some("weak_password"), "the office wants longer ones by now");
    }

    /// On SQLite whoever counts is the only one who writes.
    #[tokio::test]
    async fn a_right_password_waits_for_the_wrong_ones_that_are_being_counted() {
        let Some(world) = World::postgres().await else { return };
        let (ctx, auth) = (world.nobody(), Auth::new(Keys::for_tests()));
        let maya = world.user(Role::Employee, "Maya", None, None).await;
        let password = "correct horse battery";
        let hash = passwords::hash(&ctx, password).await.expect("hashes");
        let mut tx = ctx.begin().await.expect("begins");
        users::store::save_password(&mut tx, maya.id, &hash, false).await.expect("is saved");
        tx.commit().await.expect("commits");

        let counters = Counter::sign_in(&users::email_key(&maya.email), &ctx.origin);
        let mut counting = ctx.begin().await.expect("begins");
        failures::check(&mut counting, ctx.now(), &counters).await.expect("nobody has to wait");
        for _ in 0..5 {
            failures::note(&mut counting, ctx.now(), &counters).await.expect("is counted");
        }
        let (right, email) = (ctx.clone(), maya.email.clone());
        let right = tokio::spawn(async move { sign_in(&right, &auth, &email, password).await });
        world.until_waiting(1).await;
        assert!(!right.is_finished(), "it is not judged before they are counted");
        counting.commit().await.expect("commits");
        let answer = right.await.expect("goes on");
        assert!(matches!(answer, Err(Error::TooMany(_))), "{answer:?}");
    }

    #[test]
    fn the_memory_of_weak_passwords_is_bounded() {
        let memory = Weaknesses::default();
        for n in 0..CAPACITY + 1_000 {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&(n as u64).to_be_bytes());
            memory.keep(key, None);
        }
        assert_eq!(memory.0.lock().expect("not poisoned").len(), CAPACITY);
    }
}
