//! A person's own sign-ins, as the activity log tells them: begun, refused and ended.
use super::failures;
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

/// What the list is made of.
pub const ACTIONS: [&str; 3] = ["session.started", "session.ended", "sign_in.failed"];

/// One's own sign-ins, newest first.
///
/// # Errors
/// Unauthenticated; Forbidden while something is due; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, page: &PageQuery) -> Result<Page<Activity>> {
    let me = super::factors::me(ctx)?;
    me.check_fully_authenticated()?;
    of(ctx, me.id, page).await
}

/// Somebody's sign-ins, newest first. Super admins and the operator.
///
/// # Errors
/// Forbidden; NotFound; Invalid for a wrong limit or cursor.
pub async fn list_of(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let user = users::row(ctx, user).await?;
    of(ctx, user.id, page).await
}

async fn of(ctx: &Ctx, user: UserId, page: &PageQuery) -> Result<Page<Activity>> {
    let limit = page.limit()?;
    let rows = activity::of_subject(&mut ctx.db(), user.0, &ACTIONS, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |row| row.seq))
}

/// A refused sign-in that rolls its transaction back; [`record_refusal`] records it in another.
#[derive(Debug, thiserror::Error)]
#[error("{method} refused: {reason}")]
struct Refusal {
    user: User,
    method: &'static str,
    reason: &'static str,
    response: Error,
}

/// An error that rolls the transaction back, to be given to [`record_refusal`]; the caller then gets `response`.
pub(super) fn refuse(user: &User, method: &'static str, reason: &'static str, response: Error) -> Error {
    Error::internal(Refusal { user: user.clone(), method, reason, response })
}

/// Records the refused sign-in that a transaction was rolled back for ([`refuse`]), and answers its error. Any other
/// outcome of the transaction stays as it is.
///
/// # Errors
/// Those of `done`; what the database refuses.
pub(super) async fn record_refusal<T>(ctx: &Ctx, done: Result<T>) -> Result<T> {
    let error = match done {
        Err(Error::Internal(error)) => error,
        other => return other,
    };
    match error.downcast::<Refusal>() {
        Ok(refusal) => {
            refused(ctx, &refusal.user, refusal.method, refusal.reason).await?;
            Err(refusal.response)
        }
        Err(other) => Err(Error::Internal(other)),
    }
}

/// [`repeated`] in a transaction of its own, where what was tried leaves nothing else behind.
///
/// # Errors
/// What the database refuses.
async fn refused(ctx: &Ctx, user: &User, method: &'static str, reason: &'static str) -> Result<()> {
    ctx.transaction(|tx| repeated(tx, ctx, user, method, reason).scope_boxed()).await
}

/// [`failed`] for what can be tried again and again without a wait: the log hears of some of it only. The caller
/// commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn repeated(
    tx: &mut Tx,
    ctx: &Ctx,
    user: &User,
    method: &'static str,
    reason: &'static str,
) -> Result<()> {
    failures::note_place(tx, ctx, 1).await?;
    match failures::note_refusal(tx, ctx, user.id, method, reason).await? {
        Some(count) => tell(tx, ctx, users::event("sign_in.failed", user).with("count", count), method, reason).await,
        None => Ok(()),
    }
}

/// Counts a refused sign-in and tells the log of it: whose it would have been, how and why not. Never what was typed,
/// which may be a password in the wrong field. The caller commits.
///
/// # Errors
/// What the database refuses.
pub(super) async fn failed(
    tx: &mut Tx,
    ctx: &Ctx,
    user: Option<&User>,
    method: &'static str,
    reason: &'static str,
) -> Result<()> {
    failures::note_place(tx, ctx, 1).await?;
    let event = match user {
        Some(user) => users::event("sign_in.failed", user),
        None => match failures::note_unknown(tx, ctx).await? {
            Some(count) => Event::new("sign_in.failed", "user", Uuid::nil(), "an unknown account").with("count", count),
            None => return Ok(()),
        },
    };
    tell(tx, ctx, event, method, reason).await
}

async fn tell(tx: &mut Tx, ctx: &Ctx, event: Event, method: &'static str, reason: &'static str) -> Result<()> {
    activity::append(tx, ctx, event.with("method", method).with("reason", reason)).await
}
