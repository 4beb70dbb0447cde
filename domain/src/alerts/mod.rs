//! What somebody should look at: made by rules, one open of a kind and subject, and over when its cause is.
mod rules;
mod store;

pub use rules::{Kind, Readings};
pub use store::Alert;

use crate::{
    access::{Action, Resource},
    activity::{self, Event},
    ctx::Ctx,
    error::{Error, Result},
    ids::AlertId,
    page::{Page, PageQuery},
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
    let mut tx = ctx.begin().await?;
    let alert = store::get(&mut tx, id).await?.ok_or(Error::NotFound("alert"))?;
    if !store::end(&mut tx, id, ctx.now(), Some(&ctx.who())).await? {
        return Err(Error::conflict("alert_resolved"));
    }
    activity::append(&mut tx, ctx, told("alert.resolved", &alert)).await?;
    let alert = store::get(&mut tx, id).await?.ok_or(Error::NotFound("alert"))?;
    tx.commit().await?;
    Ok(alert)
}

/// Asks every rule: opens what is new, keeps what lasts, ends what is over. Our own jobs.
///
/// # Errors
/// What the database refuses.
pub async fn check(ctx: &Ctx, readings: &Readings) -> Result<()> {
    let found = rules::all(ctx, readings).await?;
    let now = ctx.now();
    let mut tx = ctx.begin().await?;
    tx.alone_with("alerts".to_owned()).await?;
    let open = store::open(&mut tx).await?;
    for cause in &found {
        let same = open.iter().find(|alert| alert.kind == cause.kind.name() && alert.subject == cause.subject);
        if let Some(alert) = same {
            store::seen(&mut tx, alert.id, &cause.data, now).await?;
        } else if !store::resolved_since(&mut tx, cause.kind.name(), &cause.subject, now - QUIET).await? {
            let alert = store::insert(&mut tx, AlertId(ctx.chance.uuid()), cause, now).await?;
            activity::append(&mut tx, ctx, told("alert.opened", &alert)).await?;
        }
    }
    for alert in &open {
        if !found.iter().any(|cause| cause.kind.name() == alert.kind && cause.subject == alert.subject) {
            // Somebody may have resolved it since it was read.
            if store::end(&mut tx, alert.id, now, None).await? {
                activity::append(&mut tx, ctx, told("alert.ended", alert)).await?;
            }
        }
    }
    tx.commit().await
}

fn told(action: &'static str, alert: &Alert) -> Event {
    Event::new(action, "alert", alert.id.0, alert.subject.clone()).with("kind", alert.kind.clone())
}
