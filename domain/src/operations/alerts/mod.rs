//! Alerts for super admins, opened and ended by rules. At most one alert of a kind and subject is open; it ends when
//! its cause ends.
mod rules;
mod store;

pub use rules::{Kind, Metrics};
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

/// An alert that a person resolved is not opened again for this long, even if its cause lasts.
const REOPEN_COOLDOWN: Duration = Duration::hours(1);

/// Lists alerts, the newest first: the open ones, those that have ended, or all. Super admins.
///
/// # Errors
/// Forbidden; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "alerts.list", skip_all)]
pub async fn list(ctx: &Ctx, open: Option<bool>, page: &PageQuery) -> Result<Page<Alert>> {
    ctx.may(Action::View, Resource::System)?;
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), open, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |alert| (alert.opened_at, alert.id)))
}

/// Resolves an alert. It is opened again after an hour if its cause lasts. Super admins.
///
/// # Errors
/// NotFound; Forbidden; Conflict `alert_resolved` if it is already resolved.
#[tracing::instrument(level = "debug", name = "alerts.resolve", skip_all, fields(alert_id = %id))]
pub async fn resolve(ctx: &Ctx, id: AlertId) -> Result<Alert> {
    ctx.may(Action::Update, Resource::System)?;
    ctx.transaction(|tx| {
        async move {
            let alert = store::get(tx, id).await?.ok_or(Error::NotFound("alert"))?;
            if !store::resolve(tx, id, ctx.now(), Some(&ctx.actor_name())).await? {
                return Err(Error::conflict("alert_resolved"));
            }
            activity::append(tx, ctx, event("alert.resolved", &alert)).await?;
            store::get(tx, id).await?.ok_or(Error::NotFound("alert"))
        }
        .scope_boxed()
    })
    .await
}

/// Evaluates every rule: opens new alerts, updates those that last and resolves those without a cause. Jobs.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "alerts.check", skip_all)]
pub async fn check(ctx: &Ctx, metrics: &Metrics) -> Result<()> {
    let found = &rules::evaluate(ctx, metrics).await?;
    let now = ctx.now();
    ctx.transaction(|tx| {
        async move {
            tx.advisory_lock("alerts".to_owned()).await?;
            let open = store::list_open(tx).await?;
            for trigger in found {
                let same =
                    open.iter().find(|alert| alert.kind == trigger.kind.name() && alert.subject == trigger.subject);
                if let Some(alert) = same {
                    store::update_seen(tx, alert.id, &trigger.data, now).await?;
                } else if !store::resolved_since(tx, trigger.kind.name(), &trigger.subject, now - REOPEN_COOLDOWN)
                    .await?
                {
                    let alert = store::insert(tx, AlertId(ctx.random.uuid()), trigger, now).await?;
                    activity::append(tx, ctx, event("alert.opened", &alert)).await?;
                }
            }
            for alert in &open {
                if !found.iter().any(|trigger| trigger.kind.name() == alert.kind && trigger.subject == alert.subject) {
                    // `resolve` changes no row if a person resolved the alert in the meantime.
                    if store::resolve(tx, alert.id, now, None).await? {
                        activity::append(tx, ctx, event("alert.ended", alert)).await?;
                    }
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

fn event(action: &'static str, alert: &Alert) -> Event {
    Event::new(action, "alert", alert.id.0, alert.subject.clone()).with("kind", alert.kind.clone())
}
