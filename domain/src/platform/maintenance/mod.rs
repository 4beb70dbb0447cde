//! Maintenance mode: read-only for all but super admins, with a message on every page.
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Db, ScopedFutureExt},
        error::{Problem, Result},
        validate::Validator,
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Characters of the message, which is one line above every page.
const MAX_MESSAGE_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maintenance {
    /// The message of who turned it on; `None` for the default one.
    pub message: Option<String>,
    pub since: DateTime<Utc>,
    pub by: String,
}

/// The maintenance mode, if it is on. Public.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "maintenance.get", skip_all)]
pub async fn get(ctx: &Ctx) -> Result<Option<Maintenance>> {
    read(&mut ctx.db()).await
}

pub(crate) async fn read(db: &mut Db) -> Result<Option<Maintenance>> {
    store::get(db).await
}

/// Turns maintenance mode on, or changes its message. Applies from the next request on. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid `message`.
#[tracing::instrument(level = "debug", name = "maintenance.start", skip_all)]
pub async fn start(ctx: &Ctx, message: Option<&str>) -> Result<Maintenance> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut check = Validator::new();
    let message = check.optional_text("message", message);
    if message.as_deref().is_some_and(|text| text.chars().count() > MAX_MESSAGE_CHARS) {
        check.reject("message", Problem::new("too_long").with("max", MAX_MESSAGE_CHARS));
    }
    check.finish()?;
    let message = &message;
    ctx.transaction(|tx| {
        async move {
            let before = store::lock(tx).await?;
            let since = before.map_or(ctx.now(), |before| before.since);
            let now = Maintenance { message: message.clone(), since, by: ctx.actor_name() };
            store::set(tx, &now, ctx.now()).await?;
            let started = event("maintenance.started");
            activity::append(
                tx,
                ctx,
                now.message.iter().fold(started, |event, text| event.with("message", text.clone())),
            )
            .await?;
            Ok(now)
        }
        .scope_boxed()
    })
    .await
}

/// Turns maintenance mode off. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "maintenance.end", skip_all)]
pub async fn end(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::Update, Resource::Settings)?;
    ctx.transaction(|tx| {
        async move {
            if store::lock(tx).await?.is_some() {
                store::clear(tx).await?;
                activity::append(tx, ctx, event("maintenance.ended")).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

fn event(action: &'static str) -> Event {
    Event::new(action, "settings", uuid::Uuid::nil(), "Maintenance")
}
