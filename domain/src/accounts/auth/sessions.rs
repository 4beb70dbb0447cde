//! Sessions: begun by a password or a link, kept alive by refreshing, and ended for good.
//!
//! A session's row holds only a counter; the refresh token that goes with a number is made from the signing key
//! ([`super::keys::Keys::refresh_token`]). Every beginning and end is told in the activity log, which is how the
//! other nodes learn that a session's access tokens are worth nothing any more.
use super::{Auth, factors::Method, store};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Action, Actor, PendingRequirement, Resource, SignedIn},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Result},
        ids::{CompanyId, FactorId, IsoId, SessionId, UserId},
    },
    platform::{activity, settings},
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};
use tokio::{sync::Notify, time::timeout};

/// For so long after a refresh every older token of the session is still answered with the active one: several
/// tabs, or an answer that got lost.
const REUSE: Duration = Duration::seconds(10);
/// For so long a session may lie unused, whatever the office's rules say.
pub const IDLE: Duration = Duration::days(90);
/// Changes to second factors need a proof that is not older than this.
pub const REAUTHENTICATION_TTL: Duration = Duration::minutes(10);
/// How long a refresh waits for others of the same session: less than the database's `lock_timeout`.
const LOCK: std::time::Duration = std::time::Duration::from_secs(3);

/// How somebody proved who they are, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub method: String,
    /// Who vouched, where it was a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Seconds since 1970.
    pub timestamp: i64,
}

/// When the newest of these was given, in seconds since 1970. A refresh proves nothing.
pub(super) fn newest(proofs: &[Proof]) -> Option<i64> {
    proofs.iter().filter(|proof| proof.method != "token_refresh").map(|proof| proof.timestamp).max()
}

/// A row of `sessions`.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct Session {
    pub id: SessionId,
    pub user_id: UserId,
    /// How sure we are: `aal1`, or `aal2` after a second factor.
    pub aal: String,
    #[sqlx(json)]
    pub amr: Vec<Proof>,
    #[serde(skip)]
    pub refresh_counter: i64,
    /// Refresh tokens before this one are from before the second factor.
    #[serde(skip)]
    pub raised_counter: i64,
    /// The second factor that was shown.
    #[serde(skip)]
    pub factor_id: Option<FactorId>,
    pub refreshed_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub user_agent: Option<String>,
    pub address: Option<String>,
}

/// A session that a statement has just ended.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(super) struct Ended {
    pub id: SessionId,
    pub user_id: UserId,
}

/// Which sessions somebody signs out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// This one.
    Local,
    /// All but this one.
    Others,
    Global,
}

/// What a refresh token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// The active one: the session moves on by one.
    Next,
    /// An older one that is still answered with the active one.
    Active,
    /// Used before, and not by a second tab: somebody has a copy.
    Reused,
    /// Ahead of the session: made before a backup was restored. Or from before the second factor, and so soon
    /// after it that it is another tab that has not heard.
    Unknown,
}

/// The rule of rotation: `token`, `active` and `raised` are counters, `since` the time since the last refresh.
fn turn(token: i64, active: i64, raised: i64, since: Duration) -> Turn {
    if token < raised {
        return if since <= REUSE { Turn::Unknown } else { Turn::Reused };
    }
    match active - token {
        0 => Turn::Next,
        // The parent of the active token is answered at any age: its answer may never have arrived.
        1 => Turn::Active,
        2.. if since <= REUSE => Turn::Active,
        2.. => Turn::Reused,
        _ => Turn::Unknown,
    }
}

/// Begins a session of `user`, who has just shown `method` (`password`, `otp`).
///
/// # Errors
/// What the database refuses.
pub(super) async fn start(tx: &mut Tx, ctx: &Ctx, user: &User, method: &str) -> Result<Session> {
    start_at(tx, ctx, user, method, None).await
}

/// [`start`], where `provider` has vouched for who it is.
///
/// # Errors
/// What the database refuses.
pub(super) async fn start_at(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &str,
    provider: Option<&str>,
) -> Result<Session> {
    users::store::signed_in(tx, user.id, ctx.now()).await?;
    let now = ctx.now();
    let session = Session {
        id: SessionId(ctx.chance.uuid()),
        user_id: user.id,
        aal: "aal1".to_owned(),
        amr: vec![Proof {
            method: method.to_owned(),
            provider: provider.map(str::to_owned),
            timestamp: now.timestamp(),
        }],
        refresh_counter: 0,
        raised_counter: 0,
        factor_id: None,
        refreshed_at: now,
        created_at: now,
        ended_at: None,
        user_agent: ctx.origin.user_agent.clone(),
        address: ctx.origin.address.clone(),
    };
    store::insert_session(tx, &session).await?;
    let ctx = ctx.acting_as(Actor::User(Arc::new(user.signed_in(session.id))));
    let told = users::event("session.started", user).with("session_id", session.id.to_string()).with("method", method);
    let told = match provider {
        Some(provider) => told.with("provider", provider),
        None => told,
    };
    activity::append(tx, &ctx, told).await?;
    Ok(session)
}

/// Takes a session one refresh further, unless an older token is answered with the active one, as the answer says. Its
/// counter says which refresh token is the active one.
///
/// # Errors
/// Unauthenticated `refresh_token_not_found`, `refresh_session_not_found`, `refresh_session_expired` (its time is up, or
/// was when it ended), `user_banned`, `refresh_token_already_used` (which ends the session); Conflict `conflict` while
/// others hold on to the session for too long.
pub(super) async fn refresh(ctx: &Ctx, id: SessionId, counter: i64) -> Result<(User, Session, bool)> {
    let locked = &Notify::new();
    let refreshed = ctx.transaction(|tx| {
        async move {
            let session = store::lock_session(tx, id).await?;
            locked.notify_one();
            refresh_locked(tx, ctx, session, counter).await
        }
        .scope_boxed()
    });
    // The timeout covers the wait for the transaction and for the lock, and never cuts off a commit.
    let timed_out = async {
        if timeout(LOCK, locked.notified()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        refreshed = refreshed => refreshed?,
        () = timed_out => Err(Error::conflict("conflict")),
    }
}

/// [`refresh`] within its transaction. The inner error keeps what was written: the end of the session.
async fn refresh_locked(
    tx: &mut Tx,
    ctx: &Ctx,
    session: Option<Session>,
    counter: i64,
) -> Result<Result<(User, Session, bool)>> {
    let Some(mut session) = session else { return Err(Error::unauthenticated("refresh_token_not_found")) };
    let rules = settings::security(tx).await?;
    let is_over = |at: DateTime<Utc>| {
        at - session.refreshed_at >= IDLE || rules.is_over(session.created_at, session.refreshed_at, at)
    };
    if let Some(ended) = session.ended_at {
        let code = if is_over(ended) { "refresh_session_expired" } else { "refresh_session_not_found" };
        return Err(Error::unauthenticated(code));
    }
    let over = is_over(ctx.now());
    let user =
        users::store::get(tx, session.user_id).await?.ok_or(Error::unauthenticated("refresh_token_not_found"))?;
    if !users::is_welcome(tx, &user, ctx.now()).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    if over {
        let ended = store::end(tx, session.id, ctx.now()).await?;
        tell(tx, &ctx.acting_as(Actor::System("auth")), &ended, "expired").await?;
        return Ok(Err(Error::unauthenticated("refresh_session_expired")));
    }
    match turn(counter, session.refresh_counter, session.raised_counter, ctx.now() - session.refreshed_at) {
        Turn::Next => {
            session.refresh_counter += 1;
            session.refreshed_at = ctx.now();
            session.user_agent = ctx.origin.user_agent.clone().or(session.user_agent);
            session.address = ctx.origin.address.clone().or(session.address);
            store::refreshed(tx, &session).await?;
            Ok(Ok((user, session, false)))
        }
        Turn::Active => {
            // Committed: the refresh that made it so may be on its way to the disk.
            Ok(Ok((user, session, true)))
        }
        Turn::Reused => {
            let ended = store::end(tx, session.id, ctx.now()).await?;
            tell(tx, &ctx.acting_as(Actor::System("auth")), &ended, "refresh_token_reused").await?;
            Ok(Err(Error::unauthenticated("refresh_token_already_used")))
        }
        Turn::Unknown => Err(Error::unauthenticated("refresh_token_not_found")),
    }
}

/// Raises a session to aal2 within the use case that saw the second factor, and ends the user's sessions that
/// have shown none. Refresh tokens from before are worth nothing any more.
///
/// # Errors
/// Unauthenticated `session_not_found`; what the database refuses.
pub(super) async fn raise(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    id: SessionId,
    by: (FactorId, Method),
) -> Result<(Session, Vec<SessionId>)> {
    let gone = || Error::unauthenticated("session_not_found");
    let mut session = store::lock_session(tx, id).await?.filter(|s| s.ended_at.is_none()).ok_or_else(gone)?;
    let (factor, method) = by;
    session.amr.retain(|proof| !Method::is_second(&proof.method));
    session.amr.push(Proof { method: method.name().to_owned(), provider: None, timestamp: ctx.now().timestamp() });
    session.refresh_counter += 2;
    let raised = Session {
        aal: "aal2".to_owned(),
        factor_id: Some(factor),
        raised_counter: session.refresh_counter,
        refreshed_at: ctx.now(),
        ..session
    };
    store::raise(tx, &raised).await?;
    let told = users::event("session.raised", user).with("session_id", id.to_string()).with("method", method.name());
    activity::append(tx, ctx, told).await?;
    let ended = store::end_aal1_of_user(tx, user.id, ctx.now()).await?;
    tell(tx, ctx, &ended, "second_factor").await?;
    Ok((raised, ended.into_iter().map(|e| e.id).collect()))
}

/// Reauthentication check (decision 44): the newest proof must be recent in the session's row and in the token that was sent. A token
/// from before a proof stays as old as it is: it may have been stolen.
///
/// # Errors
/// Conflict `reauthentication_needed`; what the database refuses.
pub(super) async fn recently_proven(tx: &mut Tx, ctx: &Ctx, me: &SignedIn) -> Result<()> {
    let oldest = (ctx.now() - REAUTHENTICATION_TTL).timestamp();
    let session = store::session(tx, me.session_id).await?;
    let row = session.and_then(|session| newest(&session.amr));
    let recent = row.is_some_and(|at| at >= oldest) && me.proven_at.is_none_or(|at| at >= oldest);
    if recent { Ok(()) } else { Err(Error::conflict("reauthentication_needed")) }
}

/// Notes that the person of a session has proved once more who they are, within the use case that saw it.
///
/// # Errors
/// Unauthenticated `session_not_found`; what the database refuses.
pub(super) async fn reauthenticated(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    id: SessionId,
    method: &'static str,
) -> Result<Session> {
    let gone = || Error::unauthenticated("session_not_found");
    let mut session = store::lock_session(tx, id).await?.filter(|s| s.ended_at.is_none()).ok_or_else(gone)?;
    let timestamp = ctx.now().timestamp();
    // In its place: how the session began is read from the first.
    match session.amr.iter_mut().find(|proof| proof.method == method && proof.provider.is_none()) {
        Some(proof) => proof.timestamp = timestamp,
        None => session.amr.push(Proof { method: method.to_owned(), provider: None, timestamp }),
    }
    store::raise(tx, &session).await?;
    let event = users::event("session.reauthenticated", user).with("session_id", id.to_string()).with("method", method);
    activity::append(tx, ctx, event).await?;
    Ok(session)
}

/// Takes sessions that a factor had raised back to aal1, within the use case that removes it.
///
/// # Errors
/// What the database refuses.
pub(super) async fn lower(tx: &mut Tx, user: UserId, factor: FactorId) -> Result<()> {
    for mut session in store::raised_by(tx, user, factor).await? {
        session.amr.retain(|proof| !Method::is_second(&proof.method));
        let lowered = Session { aal: "aal1".to_owned(), factor_id: None, ..session };
        store::raise(tx, &lowered).await?;
    }
    Ok(())
}

/// Ends sessions of the signed-in user; says how many. This process forgets their tokens at once.
///
/// # Errors
/// Unauthenticated for nobody; Forbidden `insufficient_aal` for any but this one while a second factor is to be shown:
/// then none has ended.
pub async fn sign_out(ctx: &Ctx, auth: &Auth, which: Which) -> Result<u64> {
    let Actor::User(me) = &ctx.actor else { return Err(Error::unauthenticated("no_authorization")) };
    // A password alone ends nobody's session but its own while there is a second factor.
    if me.mfa.pending() == Some(PendingRequirement::Challenge) && which != Which::Local {
        return Err(Error::forbidden("insufficient_aal"));
    }
    let ended = ctx
        .transaction(|tx| {
            async move {
                users::store::lock(tx, me.id).await?;
                let ended = match which {
                    Which::Local => store::end(tx, me.session_id, ctx.now()).await?,
                    Which::Others => store::end_of_user(tx, me.id, Some(me.session_id), ctx.now()).await?,
                    Which::Global => store::end_of_user(tx, me.id, None, ctx.now()).await?,
                };
                tell(tx, ctx, &ended, "signed_out").await?;
                Ok(ended)
            }
            .scope_boxed()
        })
        .await?;
    auth.verified.forget_sessions(&ended.iter().map(|e| e.id).collect::<Vec<_>>());
    Ok(ended.len() as u64)
}

/// Whoever knows the password alone is told nothing of the owner's sessions, and ends none.
fn has_shown_all(ctx: &Ctx) -> Result<()> {
    match &ctx.actor {
        Actor::User(me) if me.mfa.pending() == Some(PendingRequirement::Challenge) => {
            Err(Error::forbidden("insufficient_aal"))
        }
        _ => Ok(()),
    }
}

/// Ends one session. Its user, super admins and the operator.
///
/// # Errors
/// NotFound, also for a session that is not one's own or has ended; Forbidden `insufficient_aal` while a second factor is
/// to be shown.
pub async fn end(ctx: &Ctx, id: SessionId) -> Result<()> {
    has_shown_all(ctx)?;
    let session = store::session(&mut ctx.db(), id).await?.ok_or(Error::NotFound("session"))?;
    if ctx.actor.user_id() != Some(session.user_id) && !ctx.can(Action::Update, Resource::Users) {
        return Err(Error::NotFound("session"));
    }
    ctx.transaction(|tx| {
        async move {
            users::store::lock(tx, session.user_id).await?;
            let ended = store::end(tx, id, ctx.now()).await?;
            if ended.is_empty() {
                return Err(Error::NotFound("session"));
            }
            tell(tx, ctx, &ended, "revoked").await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// The session, unless it has ended.
///
/// # Errors
/// What the database refuses.
pub(super) async fn live(db: &mut impl Sql, id: SessionId) -> Result<Option<Session>> {
    Ok(store::session(db, id).await?.filter(|session| session.ended_at.is_none()))
}

/// Live sessions of a user, newest first. The user, super admins and the operator.
///
/// # Errors
/// Forbidden for others; `insufficient_aal` while a second factor is to be shown.
pub async fn list(ctx: &Ctx, user: UserId) -> Result<Vec<Session>> {
    has_shown_all(ctx)?;
    if ctx.actor.user_id() != Some(user) {
        ctx.may(Action::View, Resource::Users)?;
    }
    store::live_sessions(&mut ctx.db(), user).await
}

/// How many sessions were used in the last hour, for the admin's card. Super admins and the operator.
///
/// # Errors
/// Forbidden for others.
pub async fn count_live(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Users)?;
    store::count_live(&mut ctx.db(), ctx.now() - Duration::hours(1)).await
}

/// Ends sessions that nobody used since `idle`, and deletes those that ended before `over`; says how many were deleted.
/// For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx, idle: DateTime<Utc>, over: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let ended = store::end_idle(tx, idle, ctx.now()).await?;
            tell(tx, ctx, &ended, "expired").await?;
            store::delete_ended(tx, over).await
        }
        .scope_boxed()
    })
    .await
}

/// Ends every session of a user, within the use case that shuts or changes the account (decision 27).
///
/// # Errors
/// What the database refuses.
pub async fn end_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<u64> {
    let ended = store::end_of_user(tx, user, None, ctx.now()).await?;
    tell(tx, ctx, &ended, "account_changed").await
}

/// Ends every session of a user but the one that is acting: after a password change.
///
/// # Errors
/// What the database refuses.
pub async fn end_others_of(tx: &mut Tx, ctx: &Ctx, user: UserId, keep: SessionId) -> Result<u64> {
    let ended = store::end_of_user(tx, user, Some(keep), ctx.now()).await?;
    tell(tx, ctx, &ended, "password_changed").await
}

/// Ends every session of a company's people, its clients included, within the use case that archives it.
///
/// # Errors
/// What the database refuses.
pub async fn end_all_of_company(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<u64> {
    let ended = store::end_of_company(tx, company, ctx.now()).await?;
    tell(tx, ctx, &ended, "company_archived").await
}

/// Ends every session of an ISO's person, within the use case that archives it. Its clients stay the office's.
///
/// # Errors
/// What the database refuses.
pub async fn end_all_of_iso(tx: &mut Tx, ctx: &Ctx, iso: IsoId) -> Result<u64> {
    let ended = store::end_of_iso(tx, iso, ctx.now()).await?;
    tell(tx, ctx, &ended, "iso_archived").await
}

/// One event a session, with why it ended.
async fn tell(tx: &mut Tx, ctx: &Ctx, ended: &[Ended], reason: &'static str) -> Result<u64> {
    let mut people = HashMap::new();
    for session in ended {
        let user = match people.entry(session.user_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let user = users::store::get(tx, session.user_id).await?.ok_or(Error::NotFound("user"))?;
                place.insert(user)
            }
        };
        let told =
            users::event("session.ended", user).with("session_id", session.id.to_string()).with("reason", reason);
        activity::append(tx, ctx, told).await?;
    }
    Ok(ended.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_is_no_proof_however_new() {
        let proof = |method: &str, timestamp| Proof { method: method.to_owned(), provider: None, timestamp };
        assert_eq!(newest(&[proof("password", 10), proof("token_refresh", 90), proof("totp", 50)]), Some(50));
        assert_eq!(newest(&[proof("token_refresh", 90)]), None);
    }

    #[test]
    fn the_active_token_and_its_parent_are_good_at_any_age() {
        let long = Duration::days(365);
        assert_eq!(turn(7, 7, 0, long), Turn::Next);
        assert_eq!(turn(6, 7, 0, long), Turn::Active);
    }

    #[test]
    fn an_older_token_is_good_for_ten_seconds_and_then_ends_the_session() {
        assert_eq!(turn(5, 7, 0, Duration::seconds(10)), Turn::Active);
        assert_eq!(turn(0, 7, 0, Duration::seconds(10)), Turn::Active);
        assert_eq!(turn(5, 7, 0, Duration::seconds(11)), Turn::Reused);
        assert_eq!(turn(8, 7, 0, Duration::zero()), Turn::Unknown);
    }

    #[test]
    fn a_token_from_before_the_second_factor_is_good_for_nothing() {
        assert_eq!(turn(9, 9, 9, Duration::zero()), Turn::Next);
        assert_eq!(turn(9, 10, 9, Duration::days(1)), Turn::Active);
        for old in [6, 7, 8] {
            assert_eq!(turn(old, 9, 9, Duration::seconds(1)), Turn::Unknown, "another tab has not heard of it");
            assert_eq!(turn(old, 9, 9, Duration::seconds(11)), Turn::Reused);
        }
    }
}
