//! Sessions: started by a sign-in, kept alive by refreshes, ended for good.
//!
//! A row holds a counter; the refresh token of a counter is derived from the signing key
//! ([`super::keys::Keys::refresh_token`]). Starts and ends are in the activity log, from which the other nodes
//! invalidate cached access tokens.
use super::{Auth, factors::Method, security_mails, store};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Action, Actor, PendingRequirement, Resource, Role, SignedIn},
        ctx::{Ctx, PROOF_MAX_AGE},
        db::{ScopedFutureExt, Sql, Tx},
        error::{Error, Result},
        ids::{CompanyId, FactorId, IsoId, SessionId, UserId},
    },
    outbox::mails::SecurityAct,
    platform::{activity, settings},
};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};
use tokio::{sync::Notify, time::timeout};

/// After a refresh, older refresh tokens return the active one for this time: parallel tabs, lost responses.
const REFRESH_REUSE_INTERVAL: Duration = Duration::seconds(10);
/// Longest wait for the row; shorter than the database's `lock_timeout`.
const LOCK_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(3);

/// An entry of the `amr` claim: authentication method and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmrEntry {
    pub method: String,
    /// Identity provider, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Unix time in seconds.
    pub timestamp: i64,
}

/// Time of the latest authentication (Unix time); refreshes do not count.
pub(super) fn latest_authentication(proofs: &[AmrEntry]) -> Option<i64> {
    proofs.iter().filter(|proof| proof.method != "token_refresh").map(|proof| proof.timestamp).max()
}

crate::kernel::db::row! {
    /// A row of `sessions`.
    #[derive(Clone, Debug, Serialize, sqlx::FromRow)]
    pub struct Session {
        pub id: SessionId,
        pub user_id: UserId,
        /// Authenticator assurance level: `aal1`, or `aal2` after a second factor.
        pub aal: String,
        #[sqlx(json)]
        pub amr: Vec<AmrEntry>,
        #[serde(skip)]
        pub refresh_counter: i64,
        /// Refresh tokens with a lower counter are from before the second factor.
        #[serde(skip)]
        pub raised_counter: i64,
        /// The second factor that was verified.
        #[serde(skip)]
        pub factor_id: Option<FactorId>,
        pub refreshed_at: DateTime<Utc>,
        pub created_at: DateTime<Utc>,
        pub ended_at: Option<DateTime<Utc>>,
        pub user_agent: Option<String>,
        pub address: Option<String>,
        /// The administrator by whose link or password it began ([`Actor::code`]).
        pub begun_by: Option<String>,
    }
}

/// A session that a statement has ended.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(super) struct EndedSession {
    pub id: SessionId,
    pub user_id: UserId,
}

/// Which sessions a sign-out ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOutScope {
    /// The present one.
    Local,
    /// All but the present one.
    Others,
    Global,
}

/// Decision about a presented refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rotation {
    /// The active token: rotate.
    Next,
    /// An older token that returns the active one.
    Active,
    /// A replayed token: there is a copy. The parent of the active one counts as a copy only on another device.
    Reused,
    /// Ahead of the row (a backup was restored), or from before the second factor but so recent that a parallel tab may
    /// have it.
    Unknown,
}

/// The rotation rule. `token`, `active` and `raised` are counters, `since` is the time since the last refresh.
fn rotation(token: i64, active: i64, raised: i64, since: Duration) -> Rotation {
    if token < raised {
        return if since <= REFRESH_REUSE_INTERVAL { Rotation::Unknown } else { Rotation::Reused };
    }
    match active - token {
        0 => Rotation::Next,
        // The previous token is accepted at any age: the response with the active one may have been lost.
        1 => Rotation::Active,
        2.. if since <= REFRESH_REUSE_INTERVAL => Rotation::Active,
        2.. => Rotation::Reused,
        _ => Rotation::Unknown,
    }
}

/// Starts a session after `method` (`password`, `otp`) was verified.
///
/// # Errors
/// Database errors.
pub(super) async fn start(tx: &mut Tx, ctx: &Ctx, user: &User, method: &str) -> Result<Session> {
    start_with(tx, ctx, user, SignIn::new(method)).await
}

/// [`start`] with the identity provider.
///
/// # Errors
/// Database errors.
pub(super) async fn start_with_provider(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &str,
    provider: Option<&str>,
) -> Result<Session> {
    start_with(tx, ctx, user, SignIn { provider, ..SignIn::new(method) }).await
}

/// [`start`] with the administrator whose link or password it was, if any.
///
/// # Errors
/// Database errors.
pub(super) async fn start_by(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &str,
    begun_by: Option<String>,
) -> Result<Session> {
    start_with(tx, ctx, user, SignIn { begun_by, ..SignIn::new(method) }).await
}

/// [`start`] with a passkey that verified its user: at aal2, as a password with a second factor.
///
/// # Errors
/// Database errors.
pub(super) async fn start_by_passkey(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &str,
    passkey: FactorId,
) -> Result<Session> {
    start_with(tx, ctx, user, SignIn { passkey: Some(passkey), ..SignIn::new(method) }).await
}

/// What a session begins with.
struct SignIn<'a> {
    method: &'a str,
    /// Identity provider, if any.
    provider: Option<&'a str>,
    /// The administrator whose link or password it was, if any.
    begun_by: Option<String>,
    passkey: Option<FactorId>,
}

impl<'a> SignIn<'a> {
    fn new(method: &'a str) -> Self {
        Self { method, provider: None, begun_by: None, passkey: None }
    }
}

async fn start_with(tx: &mut Tx, ctx: &Ctx, user: &User, sign_in: SignIn<'_>) -> Result<Session> {
    let SignIn { method, provider, begun_by, passkey } = sign_in;
    let now = ctx.now();
    let proof = |method: &str, provider: Option<&str>| AmrEntry {
        method: method.to_owned(),
        provider: provider.map(str::to_owned),
        timestamp: now.timestamp(),
    };
    let mut amr = vec![proof(method, provider)];
    if passkey.is_some() {
        amr.push(proof(Method::Webauthn.name(), None));
    }
    let session = Session {
        id: SessionId(ctx.random.uuid()),
        user_id: user.id,
        aal: if passkey.is_some() { "aal2" } else { "aal1" }.to_owned(),
        amr,
        refresh_counter: 0,
        raised_counter: 0,
        factor_id: passkey,
        refreshed_at: now,
        created_at: now,
        ended_at: None,
        user_agent: ctx.origin.user_agent.clone(),
        address: ctx.origin.address.clone(),
        begun_by,
    };
    security_mails::notify_sign_in(tx, ctx, user, &session).await?;
    users::store::record_sign_in(tx, user.id, ctx.now()).await?;
    store::insert_session(tx, &session).await?;
    let owner = SignedIn { begun_by: session.begun_by.clone(), ..user.signed_in(session.id) };
    let ctx = ctx.acting_as(Actor::User(Arc::new(owner)));
    let event = users::event("session.started", user).with("session_id", session.id.to_string()).with("method", method);
    let event = match provider {
        Some(provider) => event.with("provider", provider),
        None => event,
    };
    activity::append(tx, &ctx, event).await?;
    Ok(session)
}

/// Refreshes a session. The flag says whether an older token returned the active one instead of a rotation.
///
/// # Errors
/// Unauthenticated `refresh_token_not_found`, `refresh_session_not_found`, `refresh_session_expired`, `user_banned`,
/// `refresh_token_already_used` (ends the session); Conflict `conflict` when the row stays locked for [`LOCK_TIMEOUT`].
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
    // Covers the wait for the transaction and the lock, and never interrupts a commit.
    let timed_out = async {
        if timeout(LOCK_TIMEOUT, locked.notified()).await.is_ok() {
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
    let user =
        users::store::get(tx, session.user_id).await?.ok_or(Error::unauthenticated("refresh_token_not_found"))?;
    let limits = settings::security(tx).await?.session_limits(user.role, &ctx.options);
    let is_over = |at: DateTime<Utc>| limits.is_over(session.created_at, session.refreshed_at, at);
    if let Some(ended) = session.ended_at {
        let code = if is_over(ended) { "refresh_session_expired" } else { "refresh_session_not_found" };
        return Err(Error::unauthenticated(code));
    }
    let over = is_over(ctx.now());
    if !users::can_sign_in(tx, &user, ctx.now()).await? {
        return Err(Error::unauthenticated("user_banned"));
    }
    if over {
        let ended = store::end(tx, session.id, ctx.now()).await?;
        record_ended(tx, &ctx.acting_as(Actor::System("auth")), &ended, "expired").await?;
        return Ok(Err(Error::unauthenticated("refresh_session_expired")));
    }
    match rotation(counter, session.refresh_counter, session.raised_counter, ctx.now() - session.refreshed_at) {
        Rotation::Next => {
            session.refresh_counter += 1;
            session.refreshed_at = ctx.now();
            session.user_agent = ctx.origin.user_agent.clone().or(session.user_agent);
            session.address = ctx.origin.address.clone().or(session.address);
            store::save_refresh(tx, &session).await?;
            Ok(Ok((user, session, false)))
        }
        // Parallel tabs and reloads, one of which may ask for the desktop site.
        Rotation::Active if ctx.now() - session.refreshed_at <= REFRESH_REUSE_INTERVAL => Ok(Ok((user, session, true))),
        Rotation::Active
            if security_mails::is_other_device(session.user_agent.as_deref(), ctx.origin.user_agent.as_deref()) =>
        {
            end_reused(tx, ctx, &user, &session).await
        }
        Rotation::Active => {
            security_mails::notify_elsewhere(tx, ctx, &user, &session).await?;
            // Committed: the rotation it returns may not be durable yet.
            Ok(Ok((user, session, true)))
        }
        Rotation::Reused => end_reused(tx, ctx, &user, &session).await,
        Rotation::Unknown => Err(Error::unauthenticated("refresh_token_not_found")),
    }
}

/// Ends a session whose refresh token has a copy, and tells its owner.
async fn end_reused<T>(tx: &mut Tx, ctx: &Ctx, user: &User, session: &Session) -> Result<Result<T>> {
    let ended = store::end(tx, session.id, ctx.now()).await?;
    record_ended(tx, &ctx.acting_as(Actor::System("auth")), &ended, "refresh_token_reused").await?;
    security_mails::notify(tx, ctx, SecurityAct::SessionReused, user).await?;
    Ok(Err(Error::unauthenticated("refresh_token_already_used")))
}

/// Raises a session to aal2 after a second factor and ends the user's sessions at aal1. Earlier refresh tokens become
/// invalid.
///
/// # Errors
/// Unauthenticated `session_not_found`.
pub(super) async fn elevate_to_aal2(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    id: SessionId,
    by: (FactorId, Method),
) -> Result<(Session, Vec<SessionId>)> {
    let gone = || Error::unauthenticated("session_not_found");
    let mut session = store::lock_session(tx, id).await?.filter(|s| s.ended_at.is_none()).ok_or_else(gone)?;
    let (factor, method) = by;
    session.amr.retain(|proof| !Method::is_second_factor(&proof.method));
    session.amr.push(AmrEntry { method: method.name().to_owned(), provider: None, timestamp: ctx.now().timestamp() });
    session.refresh_counter += 2;
    let raised = Session {
        aal: "aal2".to_owned(),
        factor_id: Some(factor),
        raised_counter: session.refresh_counter,
        refreshed_at: ctx.now(),
        ..session
    };
    store::save_assurance(tx, &raised).await?;
    let event = users::event("session.raised", user).with("session_id", id.to_string()).with("method", method.name());
    activity::append(tx, ctx, event).await?;
    let ended = store::end_aal1_of_user(tx, user.id, ctx.now()).await?;
    record_ended(tx, ctx, &ended, "second_factor").await?;
    Ok((raised, ended.into_iter().map(|e| e.id).collect()))
}

/// Checks that the latest authentication is recent (decision 44), both in the row and in the presented token: a token
/// from before it may have been stolen.
///
/// # Errors
/// Conflict `reauthentication_needed`.
pub(super) async fn require_recent_reauthentication(tx: &mut Tx, ctx: &Ctx, me: &SignedIn) -> Result<()> {
    let oldest = (ctx.now() - PROOF_MAX_AGE).timestamp();
    let session = store::session(tx, me.session_id).await?;
    let row = session.and_then(|session| latest_authentication(&session.amr));
    let recent = row.is_some_and(|at| at >= oldest) && me.proven_at.is_none_or(|at| at >= oldest);
    if recent { Ok(()) } else { Err(Error::conflict("reauthentication_needed")) }
}

/// Records a reauthentication in a session.
///
/// # Errors
/// Unauthenticated `session_not_found`.
pub(super) async fn record_reauthentication(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    id: SessionId,
    method: &'static str,
) -> Result<Session> {
    let gone = || Error::unauthenticated("session_not_found");
    let mut session = store::lock_session(tx, id).await?.filter(|s| s.ended_at.is_none()).ok_or_else(gone)?;
    let timestamp = ctx.now().timestamp();
    // Replaced in place: the first entry is the method of the sign-in.
    match session.amr.iter_mut().find(|proof| proof.method == method && proof.provider.is_none()) {
        Some(proof) => proof.timestamp = timestamp,
        None => session.amr.push(AmrEntry { method: method.to_owned(), provider: None, timestamp }),
    }
    store::save_assurance(tx, &session).await?;
    let event = users::event("session.reauthenticated", user).with("session_id", id.to_string()).with("method", method);
    activity::append(tx, ctx, event).await?;
    Ok(session)
}

/// Drops sessions that a factor had raised to aal1, when it is removed.
///
/// # Errors
/// Database errors.
pub(super) async fn drop_to_aal1(tx: &mut Tx, user: UserId, factor: FactorId) -> Result<()> {
    for mut session in store::elevated_by(tx, user, factor).await? {
        session.amr.retain(|proof| !Method::is_second_factor(&proof.method));
        let lowered = Session { aal: "aal1".to_owned(), factor_id: None, ..session };
        store::save_assurance(tx, &lowered).await?;
    }
    Ok(())
}

/// Ends sessions of the signed-in user and returns their number. This process drops their cached tokens at once.
///
/// # Errors
/// Unauthenticated for anonymous actors; Forbidden `insufficient_aal` for other sessions while a second factor is due.
#[tracing::instrument(level = "debug", name = "auth.sessions.sign_out", skip_all)]
pub async fn sign_out(ctx: &Ctx, auth: &Auth, scope: SignOutScope) -> Result<u64> {
    let Actor::User(me) = &ctx.actor else { return Err(Error::unauthenticated("no_authorization")) };
    // With the password alone only the present session can be ended.
    if me.mfa.pending() == Some(PendingRequirement::Challenge) && scope != SignOutScope::Local {
        return Err(Error::forbidden("insufficient_aal"));
    }
    let ended = ctx
        .transaction(|tx| {
            async move {
                users::store::lock(tx, me.id).await?;
                let ended = match scope {
                    SignOutScope::Local => store::end(tx, me.session_id, ctx.now()).await?,
                    SignOutScope::Others => store::end_of_user(tx, me.id, Some(me.session_id), ctx.now()).await?,
                    SignOutScope::Global => store::end_of_user(tx, me.id, None, ctx.now()).await?,
                };
                record_ended(tx, ctx, &ended, "signed_out").await?;
                Ok(ended)
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_sessions(&ended.iter().map(|e| e.id).collect::<Vec<_>>());
    Ok(ended.len() as u64)
}

/// While a second factor is due, sessions are neither listed nor ended.
fn require_second_factor(ctx: &Ctx) -> Result<()> {
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
/// NotFound, also for another user's or an ended session; Forbidden `insufficient_aal` while a second factor is due.
#[tracing::instrument(level = "debug", name = "auth.sessions.end", skip_all, fields(session_id = %id))]
pub async fn end(ctx: &Ctx, id: SessionId) -> Result<()> {
    require_second_factor(ctx)?;
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
            record_ended(tx, ctx, &ended, "revoked").await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// An active session.
///
/// # Errors
/// Database errors.
pub(super) async fn find_live(db: &mut impl Sql, id: SessionId) -> Result<Option<Session>> {
    Ok(store::session(db, id).await?.filter(|session| session.ended_at.is_none()))
}

/// Active sessions of a user, newest first. The user, super admins and the operator.
///
/// # Errors
/// Forbidden; `insufficient_aal` while a second factor is due.
#[tracing::instrument(level = "debug", name = "auth.sessions.list", skip_all, fields(user_id = %user))]
pub async fn list(ctx: &Ctx, user: UserId) -> Result<Vec<Session>> {
    require_second_factor(ctx)?;
    if ctx.actor.user_id() != Some(user) {
        ctx.may(Action::View, Resource::Users)?;
    }
    store::live_sessions(&mut ctx.db(), user).await
}

/// Number of sessions used in the last hour. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "auth.sessions.count_live", skip_all)]
pub async fn count_live(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Users)?;
    store::count_live(&mut ctx.db(), ctx.now() - Duration::hours(1)).await
}

/// Ends expired sessions, deletes those that ended before `over` and returns the number deleted. Scheduled.
///
/// # Errors
/// Database errors.
#[tracing::instrument(level = "debug", name = "auth.sessions.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx, over: DateTime<Utc>) -> Result<u64> {
    ctx.transaction(|tx| {
        async move {
            let security = settings::security(tx).await?;
            for (role, staff) in [(Role::Employee, true), (Role::Client, false)] {
                let (idle_since, begun_before) = security.session_limits(role, &ctx.options).expired_before(ctx.now());
                let ended = store::end_expired(tx, staff, idle_since, begun_before, ctx.now()).await?;
                record_ended(tx, ctx, &ended, "expired").await?;
            }
            store::delete_ended(tx, over).await
        }
        .scope_boxed()
    })
    .await
}

/// Ends every session of a user, after a change of status or role (decision 27).
///
/// # Errors
/// Database errors.
pub async fn end_all_of(tx: &mut Tx, ctx: &Ctx, user: UserId) -> Result<u64> {
    let ended = store::end_of_user(tx, user, None, ctx.now()).await?;
    record_ended(tx, ctx, &ended, "account_changed").await
}

/// Ends every session of a user but `keep`, after a password change.
///
/// # Errors
/// Database errors.
pub async fn end_others_of(tx: &mut Tx, ctx: &Ctx, user: UserId, keep: SessionId) -> Result<u64> {
    let ended = store::end_of_user(tx, user, Some(keep), ctx.now()).await?;
    record_ended(tx, ctx, &ended, "password_changed").await
}

/// Ends the sessions of a company's users and clients when it is archived.
///
/// # Errors
/// Database errors.
pub async fn end_all_of_company(tx: &mut Tx, ctx: &Ctx, company: CompanyId) -> Result<u64> {
    let ended = store::end_of_company(tx, company, ctx.now()).await?;
    record_ended(tx, ctx, &ended, "company_archived").await
}

/// Ends the sessions of an ISO's users, not its clients, when it is archived.
///
/// # Errors
/// Database errors.
pub async fn end_all_of_iso(tx: &mut Tx, ctx: &Ctx, iso: IsoId) -> Result<u64> {
    let ended = store::end_of_iso(tx, iso, ctx.now()).await?;
    record_ended(tx, ctx, &ended, "iso_archived").await
}

/// Logs ended sessions with the reason.
async fn record_ended(tx: &mut Tx, ctx: &Ctx, ended: &[EndedSession], reason: &'static str) -> Result<u64> {
    let mut people = HashMap::new();
    for session in ended {
        let user = match people.entry(session.user_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let user = users::store::get(tx, session.user_id).await?.ok_or(Error::NotFound("user"))?;
                place.insert(user)
            }
        };
        let event =
            users::event("session.ended", user).with("session_id", session.id.to_string()).with("reason", reason);
        activity::append(tx, ctx, event).await?;
    }
    Ok(ended.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_do_not_count_as_authentication() {
        let proof = |method: &str, timestamp| AmrEntry { method: method.to_owned(), provider: None, timestamp };
        assert_eq!(
            latest_authentication(&[proof("password", 10), proof("token_refresh", 90), proof("totp", 50)]),
            Some(50)
        );
        assert_eq!(latest_authentication(&[proof("token_refresh", 90)]), None);
    }

    #[test]
    fn active_and_previous_refresh_tokens_are_valid_at_any_age() {
        let long = Duration::days(365);
        assert_eq!(rotation(7, 7, 0, long), Rotation::Next);
        assert_eq!(rotation(6, 7, 0, long), Rotation::Active);
    }

    #[test]
    fn older_refresh_tokens_are_valid_for_the_reuse_interval() {
        assert_eq!(rotation(5, 7, 0, Duration::seconds(10)), Rotation::Active);
        assert_eq!(rotation(0, 7, 0, Duration::seconds(10)), Rotation::Active);
        assert_eq!(rotation(5, 7, 0, Duration::seconds(11)), Rotation::Reused);
        assert_eq!(rotation(8, 7, 0, Duration::zero()), Rotation::Unknown);
    }

    #[test]
    fn refresh_tokens_from_before_aal2_are_rejected() {
        assert_eq!(rotation(9, 9, 9, Duration::zero()), Rotation::Next);
        assert_eq!(rotation(9, 10, 9, Duration::days(1)), Rotation::Active);
        for old in [6, 7, 8] {
            assert_eq!(rotation(old, 9, 9, Duration::seconds(1)), Rotation::Unknown, "another tab has not heard of it");
            assert_eq!(rotation(old, 9, 9, Duration::seconds(11)), Rotation::Reused);
        }
    }
}
