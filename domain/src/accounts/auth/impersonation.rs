//! Impersonation: a super admin sees the portal as another user, read-only, for at most half an hour, never as another
//! super admin. It belongs to the super admin's session and ends with it; its token cannot be refreshed.
mod store;

use super::{Auth, sessions, tokens};
use crate::{
    accounts::users::{self, User},
    kernel::{
        access::{Action, Actor, Impersonator, Resource, Role, SignedIn},
        ctx::Ctx,
        db::{Db, ScopedFutureExt},
        error::{Error, Result},
        ids::{ImpersonationId, SessionId, UserId},
        validate::Validator,
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Duration, Utc};

/// Longest impersonation.
pub const MAX_DURATION: Duration = Duration::minutes(30);
/// Characters of a reason.
const MAX_REASON_LENGTH: usize = 300;

/// A row of `impersonations`.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Impersonation {
    pub id: ImpersonationId,
    pub user_id: UserId,
    pub admin_id: UserId,
    /// Session of the super admin.
    pub session_id: SessionId,
    pub reason: String,
    pub started_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// A started impersonation with its token. Debug output is hidden.
#[derive(Clone)]
pub struct ImpersonationSession {
    pub access_token: String,
    pub expires_at: DateTime<Utc>,
    pub user: User,
}

impl std::fmt::Debug for ImpersonationSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImpersonationSession").field("user", &self.user.id).finish_non_exhaustive()
    }
}

/// Starts an impersonation and ends an earlier one of the same session. Super admins, from their own session.
///
/// # Errors
/// NotFound; Forbidden; Invalid `reason`; Conflict `impersonate_super_admin`, `impersonate_self`, `account_shut`.
#[tracing::instrument(level = "debug", name = "auth.impersonation.start", skip_all, fields(user_id = %id))]
pub async fn start(ctx: &Ctx, auth: &Auth, id: UserId, reason: &str) -> Result<ImpersonationSession> {
    ctx.may(Action::Impersonate, Resource::Users)?;
    let Actor::User(me) = &ctx.actor else { return Err(Error::forbidden("forbidden")) };
    let mut check = Validator::new();
    let reason = check.single_line("reason", reason, MAX_REASON_LENGTH);
    check.finish()?;
    let reason = reason.as_str();
    let (user, new, before) = ctx
        .transaction(|tx| {
            async move {
                let user = users::lock(tx, id, None).await?;
                if user.id == me.id {
                    return Err(Error::conflict("impersonate_self"));
                }
                if user.role == Role::SuperAdmin {
                    return Err(Error::conflict("impersonate_super_admin"));
                }
                if !users::can_sign_in(tx, &user, ctx.now()).await? {
                    return Err(Error::conflict("account_shut"));
                }
                if sessions::find_live(tx, me.session_id).await?.is_none() {
                    return Err(Error::unauthenticated("session_not_found"));
                }
                // Logged for the caches of other processes.
                let before = store::end_of_session(tx, me.session_id, ctx.now()).await?;
                for (over, whom) in &before {
                    let seen = users::store::get(tx, *whom).await?.ok_or(Error::NotFound("user"))?;
                    activity::append(tx, ctx, on_behalf(event("impersonation.ended", &seen, *over), &seen)).await?;
                }
                let new = Impersonation {
                    id: ImpersonationId(ctx.random.uuid()),
                    user_id: user.id,
                    admin_id: me.id,
                    session_id: me.session_id,
                    reason: reason.to_owned(),
                    started_at: ctx.now(),
                    expires_at: ctx.now() + MAX_DURATION,
                    ended_at: None,
                };
                store::insert(tx, &new).await?;
                let event = event("impersonation.started", &user, new.id).with("reason", new.reason.clone());
                activity::append(tx, ctx, on_behalf(event, &user)).await?;
                Ok((user, new, before))
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_sessions(&before.into_iter().map(|(over, _)| as_session(over)).collect::<Vec<_>>());
    let access_token = tokens::impersonation_token(ctx, auth, &user, &new)?;
    Ok(ImpersonationSession { access_token, expires_at: new.expires_at, user })
}

/// Ends the present impersonation.
///
/// # Errors
/// Conflict `not_impersonating`.
#[tracing::instrument(level = "debug", name = "auth.impersonation.end", skip_all)]
pub async fn end(ctx: &Ctx, auth: &Auth) -> Result<()> {
    let (Actor::User(who), Some(_)) = (&ctx.actor, ctx.actor.impersonator()) else {
        return Err(Error::conflict("not_impersonating"));
    };
    // The only write during an impersonation, which [`Ctx::transaction`] refuses.
    ctx.db
        .transaction(|tx| {
            async move {
                if store::end(tx, ImpersonationId(who.session_id.0), ctx.now()).await? {
                    let user = users::store::get(tx, who.id).await?.ok_or(Error::NotFound("user"))?;
                    let event = event("impersonation.ended", &user, ImpersonationId(who.session_id.0));
                    activity::append(tx, ctx, event).await?;
                }
                Ok(())
            }
            .scope_boxed()
        })
        .await?;
    auth.token_cache.forget_sessions(&[who.session_id]);
    Ok(())
}

/// The actor of an impersonation token.
///
/// # Errors
/// Unauthenticated `session_not_found` when it has ended or expired, or either user may no longer sign in.
pub(super) async fn authenticate(db: &mut Db, now: DateTime<Utc>, user: UserId, id: SessionId) -> Result<SignedIn> {
    let gone = || Error::unauthenticated("session_not_found");
    let row = store::get(db, ImpersonationId(id.0)).await?.ok_or_else(gone)?;
    if row.user_id != user || row.ended_at.is_some() || row.expires_at <= now {
        return Err(gone());
    }
    let session = sessions::find_live(db, row.session_id).await?.filter(|session| session.user_id == row.admin_id);
    let admin = users::store::get(db, row.admin_id).await?.ok_or_else(gone)?;
    let user = users::store::get(db, row.user_id).await?.ok_or_else(gone)?;
    let admin_may = admin.role == Role::SuperAdmin && users::can_sign_in(db, &admin, now).await?;
    let user_may = user.role != Role::SuperAdmin && users::can_sign_in(db, &user, now).await?;
    if session.is_none() || !admin_may || !user_may {
        return Err(gone());
    }
    let impersonator =
        Impersonator { id: admin.id, name: admin.name(), session_id: row.session_id, until: row.expires_at };
    // The super admin has authenticated; requirements of the impersonated user do not apply.
    Ok(SignedIn { must_change_password: false, impersonator: Some(impersonator), ..user.signed_in(id) })
}

fn event(action: &'static str, user: &User, id: ImpersonationId) -> Event {
    let client = (user.role == Role::Client).then_some(user.id);
    Event::new(action, "impersonation", user.id.0, user.name())
        .of(client, user.company_id, user.iso_id)
        .with("session_id", id.to_string())
}

/// The fields that [`activity::append`] adds during an impersonation, for events of the super admin's own session.
fn on_behalf(event: Event, user: &User) -> Event {
    event.with("on_behalf_of", user.name()).with("on_behalf_of_id", user.id.to_string())
}

/// Impersonation tokens carry its id as their session.
fn as_session(id: ImpersonationId) -> SessionId {
    SessionId(id.0)
}
