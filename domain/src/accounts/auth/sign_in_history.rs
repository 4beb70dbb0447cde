//! Sign-in history from the activity log: started, refused and ended sessions.
use super::login_throttle;
use crate::{
    accounts::users::{self, User},
    kernel::{
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        ids::UserId,
        page::{Page, PageQuery},
    },
    platform::activity::{self, Activity, Event},
};
use uuid::Uuid;

/// Activity actions of the history.
pub const ACTIONS: [&str; 3] = ["session.started", "session.ended", "sign_in.failed"];

/// The signed-in user's history, newest first.
///
/// # Errors
/// Unauthenticated; Forbidden while a requirement is due; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "auth.sign_in_history.list", skip_all)]
pub async fn list(ctx: &Ctx, page: &PageQuery) -> Result<Page<Activity>> {
    let me = super::factors::require_signed_in(ctx)?;
    me.check_fully_authenticated()?;
    list_for(ctx, me.id, page).await
}

/// A user's history, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "auth.sign_in_history.list_of", skip_all, fields(user_id = %user))]
pub async fn list_of(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let user = users::row(ctx, user).await?;
    list_for(ctx, user.id, page).await
}

async fn list_for(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let limit = page.limit()?;
    let rows = activity::of_subject(&mut ctx.db(), user.0, &ACTIONS, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |row| row.seq))
}

/// A refused sign-in that rolls its transaction back; [`record_refusal`] records it in a new one.
#[derive(Debug, thiserror::Error)]
#[error("{method} refused: {reason}")]
struct Refusal {
    user: User,
    method: &'static str,
    reason: &'static str,
    response: Error,
}

/// An error that rolls the transaction back, to be passed to [`record_refusal`], which returns `response` instead.
pub(super) fn refuse(user: &User, method: &'static str, reason: &'static str, response: Error) -> Error {
    Error::internal(Refusal { user: user.clone(), method, reason, response })
}

/// Records the refused sign-in that a transaction was rolled back for ([`refuse`]) and returns its error. Other results
/// pass through.
///
/// # Errors
/// Those of `done`; database errors.
pub(super) async fn record_refusal<T>(ctx: &Ctx, done: Result<T>) -> Result<T> {
    let error = match done {
        Err(Error::Internal(error)) => error,
        other => return other,
    };
    match error.downcast::<Refusal>() {
        Ok(refusal) => {
            record_sampled_alone(ctx, &refusal.user, refusal.method, refusal.reason).await?;
            Err(refusal.response)
        }
        Err(other) => Err(Error::Internal(other)),
    }
}

/// [`record_sampled`] in a transaction of its own.
async fn record_sampled_alone(ctx: &Ctx, user: &User, method: &'static str, reason: &'static str) -> Result<()> {
    ctx.transaction(|tx| record_sampled(tx, ctx, user, method, reason).scope_boxed()).await
}

/// [`record_failure`] for attempts that are not throttled: logged at powers of two. The caller commits.
///
/// # Errors
/// Database errors.
pub(super) async fn record_sampled(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &'static str,
    reason: &'static str,
) -> Result<()> {
    login_throttle::record_source(tx, ctx, 1).await?;
    match login_throttle::record_refusal(tx, ctx, user.id, method, reason).await? {
        Some(count) => {
            append_failure(tx, ctx, users::event("sign_in.failed", user).with("count", count), method, reason).await
        }
        None => Ok(()),
    }
}

/// Counts and logs a refused sign-in with account, method and reason. Never logs the input, which may be a password in
/// the wrong field. The caller commits.
///
/// # Errors
/// Database errors.
pub(super) async fn record_failure(
    tx: &mut Tx,
    ctx: &Ctx,
    user: Option<&User>,
    method: &'static str,
    reason: &'static str,
) -> Result<()> {
    login_throttle::record_source(tx, ctx, 1).await?;
    let event = match user {
        Some(user) => users::event("sign_in.failed", user),
        None => match login_throttle::record_unknown_account(tx, ctx).await? {
            Some(count) => Event::new("sign_in.failed", "user", Uuid::nil(), "an unknown account").with("count", count),
            None => return Ok(()),
        },
    };
    append_failure(tx, ctx, event, method, reason).await
}

async fn append_failure(
    tx: &mut Tx,
    ctx: &Ctx,
    event: Event,
    method: &'static str,
    reason: &'static str,
) -> Result<()> {
    activity::append(tx, ctx, event.with("method", method).with("reason", reason)).await
}
