//! A super admin who looks at the portal as somebody else sees it: read-only, for half an hour, and never as another
//! super admin. It hangs on the super admin's own session and ends with it; there is nothing to refresh.
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
        validate::Check,
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Duration, Utc};

/// How long it lasts at most.
pub const LIFE: Duration = Duration::minutes(30);
/// Longest reason, in characters.
const REASON: usize = 300;

/// A row of `impersonations`.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Impersonation {
    pub id: ImpersonationId,
    pub user_id: UserId,
    pub admin_id: UserId,
    /// The super admin's own.
    pub session_id: SessionId,
    pub reason: String,
    pub started_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// What the browser looks with. Never printed.
#[derive(Clone)]
pub struct Begun {
    pub access_token: String,
    pub expires_at: DateTime<Utc>,
    pub user: User,
}

impl std::fmt::Debug for Begun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").field("user", &self.user.id).finish_non_exhaustive()
    }
}

/// Begins to look as somebody else. Super admins, from a session of their own; what the same session looked at before
/// ends.
///
/// # Errors
/// NotFound; Forbidden; Invalid `reason`; Conflict `impersonate_super_admin`, `impersonate_self`, `account_shut`.
pub async fn start(ctx: &Ctx, auth: &Auth, id: UserId, reason: &str) -> Result<Begun> {
    ctx.may(Action::Impersonate, Resource::Users)?;
    let Actor::User(me) = &ctx.actor else { return Err(Error::forbidden("forbidden")) };
    let mut check = Check::new();
    let reason = check.line("reason", reason, REASON);
    check.done()?;
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
                if !users::is_welcome(tx, &user, ctx.now()).await? {
                    return Err(Error::conflict("account_shut"));
                }
                if sessions::live(tx, me.session_id).await?.is_none() {
                    return Err(Error::unauthenticated("session_not_found"));
                }
                // Other processes hear of it by the log.
                let before = store::end_of_session(tx, me.session_id, ctx.now()).await?;
                for (over, whom) in &before {
                    let seen = users::store::get(tx, *whom).await?.ok_or(Error::NotFound("user"))?;
                    activity::append(tx, ctx, on_behalf(event("impersonation.ended", &seen, *over), &seen)).await?;
                }
                let new = Impersonation {
                    id: ImpersonationId(ctx.chance.uuid()),
                    user_id: user.id,
                    admin_id: me.id,
                    session_id: me.session_id,
                    reason: reason.to_owned(),
                    started_at: ctx.now(),
                    expires_at: ctx.now() + LIFE,
                    ended_at: None,
                };
                store::insert(tx, &new).await?;
                let told = event("impersonation.started", &user, new.id).with("reason", new.reason.clone());
                activity::append(tx, ctx, on_behalf(told, &user)).await?;
                Ok((user, new, before))
            }
            .scope_boxed()
        })
        .await?;
    auth.verified.forget_sessions(&before.into_iter().map(|(over, _)| as_session(over)).collect::<Vec<_>>());
    let access_token = tokens::impersonating(ctx, auth, &user, &new)?;
    Ok(Begun { access_token, expires_at: new.expires_at, user })
}

/// Stops looking as somebody else.
///
/// # Errors
/// Conflict `not_impersonating` for whoever is here as themselves.
pub async fn end(ctx: &Ctx, auth: &Auth) -> Result<()> {
    let (Actor::User(who), Some(_)) = (&ctx.actor, ctx.actor.impersonator()) else {
        return Err(Error::conflict("not_impersonating"));
    };
    // The one thing that is written meanwhile, so not by way of [`Ctx::transaction`].
    ctx.db
        .transaction(|tx| {
            async move {
                if store::end(tx, ImpersonationId(who.session_id.0), ctx.now()).await? {
                    let user = users::store::get(tx, who.id).await?.ok_or(Error::NotFound("user"))?;
                    let told = event("impersonation.ended", &user, ImpersonationId(who.session_id.0));
                    activity::append(tx, ctx, told).await?;
                }
                Ok(())
            }
            .scope_boxed()
        })
        .await?;
    auth.verified.forget_sessions(&[who.session_id]);
    Ok(())
}

/// Who looks with the token of this row.
///
/// # Errors
/// Unauthenticated `session_not_found` once it is over, or either of the two may not be here any more.
pub(super) async fn who(db: &mut Db, now: DateTime<Utc>, user: UserId, id: SessionId) -> Result<SignedIn> {
    let gone = || Error::unauthenticated("session_not_found");
    let row = store::get(db, ImpersonationId(id.0)).await?.ok_or_else(gone)?;
    if row.user_id != user || row.ended_at.is_some() || row.expires_at <= now {
        return Err(gone());
    }
    let session = sessions::live(db, row.session_id).await?.filter(|session| session.user_id == row.admin_id);
    let admin = users::store::get(db, row.admin_id).await?.ok_or_else(gone)?;
    let user = users::store::get(db, row.user_id).await?.ok_or_else(gone)?;
    let admin_may = admin.role == Role::SuperAdmin && users::is_welcome(db, &admin, now).await?;
    let user_may = user.role != Role::SuperAdmin && users::is_welcome(db, &user, now).await?;
    if session.is_none() || !admin_may || !user_may {
        return Err(gone());
    }
    let impersonator =
        Impersonator { id: admin.id, name: admin.name(), session_id: row.session_id, until: row.expires_at };
    // The super admin has shown who it is; what this person still has to do for themselves holds nobody up.
    Ok(SignedIn { must_change_password: false, impersonator: Some(impersonator), ..user.signed_in(id) })
}

fn event(action: &'static str, user: &User, id: ImpersonationId) -> Event {
    let client = (user.role == Role::Client).then_some(user.id);
    Event::new(action, "impersonation", user.id.0, user.name())
        .of(client, user.company_id, user.iso_id)
        .with("session_id", id.to_string())
}

/// As [`activity::append`] has it of whoever looks, told by the super admin's own session.
fn on_behalf(event: Event, user: &User) -> Event {
    event.with("on_behalf_of", user.name()).with("on_behalf_of_id", user.id.to_string())
}

/// Tokens name it where others name their session.
fn as_session(id: ImpersonationId) -> SessionId {
    SessionId(id.0)
}
