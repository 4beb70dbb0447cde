//! What somebody should look at: made by rules, one open of a kind and subject, and over when its cause is.
mod rules;
mod store;

pub use rules::{Kind, Readings};
pub use store::Alert;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        ids::AlertId,
        page::{Page, PageQuery},
    },
    platform::activity::{self, Event},
};
use chrono::Duration;

/// So long an alert that somebody resolved stays away while its cause lasts.
const QUIET: Duration = Duration::hours(1);

/// The newest alerts, or those that are open. Super admins.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, open: bool, page: &PageQuery) -> Result<Page<Alert>> {
    ctx.may(Action::View, Resource::System)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), open, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |alert| (alert.opened_at, alert.id)))
}

/// Says that somebody has seen to it. It comes again if its cause is still there in an hour. Super admins.
///
/// # Errors
/// NotFound; Forbidden; Conflict `alert_resolved` when it is over already.
pub async fn resolve(ctx: &Ctx, id: AlertId) -> Result<Alert> {
    ctx.may(Action::Update, Resource::System)?;
    ctx.transaction(|tx| {
        async move {
            let alert = store::get(tx, id).await?.ok_or(Error::NotFound("alert"))?;
            if !store::end(tx, id, ctx.now(), Some(&ctx.who())).await? {
                return Err(Error::conflict("alert_resolved"));
            }
            activity::append(tx, ctx, told("alert.resolved", &alert)).await?;
            store::get(tx, id).await?.ok_or(Error::NotFound("alert"))
        }
        .scope_boxed()
    })
    .await
}

/// Asks every rule: opens what is new, keeps what lasts, ends what is over. Our own jobs.
///
/// # Errors
/// What the database refuses.
pub async fn check(ctx: &Ctx, readings: &Readings) -> Result<()> {
    let found = &rules::all(ctx, readings).await?;
    let now = ctx.now();
    ctx.transaction(|tx| {
        async move {
            tx.advisory_lock("alerts".to_owned()).await?;
            let open = store::open(tx).await?;
            for cause in found {
                let same = open.iter().find(|alert| alert.kind == cause.kind.name() && alert.subject == cause.subject);
                if let Some(alert) = same {
                    store::seen(tx, alert.id, &cause.data, now).await?;
                } else if !store::resolved_since(tx, cause.kind.name(), &cause.subject, now - QUIET).await? {
                    let alert = store::insert(tx, AlertId(ctx.chance.uuid()), cause, now).await?;
                    activity::append(tx, ctx, told("alert.opened", &alert)).await?;
                }
            }
            for alert in &open {
                if !found.iter().any(|cause| cause.kind.name() == alert.kind && cause.subject == alert.subject) {
                    // Checked again under the lock: it may have been resolved since it was read.
                    if store::end(tx, alert.id, now, None).await? {
                        activity::append(tx, ctx, told("alert.ended", alert)).await?;
                    }
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

fn told(action: &'static str, alert: &Alert) -> Event {
    Event::new(action, "alert", alert.id.0, alert.subject.clone()).with("kind", alert.kind.clone())
}
