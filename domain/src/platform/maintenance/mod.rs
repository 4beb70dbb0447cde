//! Maintenance mode: everybody may look, only super admins may change anything, and everybody is told why.
mod store;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Db, ScopedFutureExt},
        error::{Problem, Result},
        validate::Check,
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Longest message, in characters: it is a line above every page.
const MESSAGE: usize = 300;

/// What everybody is told while it lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maintenance {
    /// In the words of whoever turned it on; none for the portal's own.
    pub message: Option<String>,
    pub since: DateTime<Utc>,
    pub by: String,
}

/// Whether the portal is being maintained. Public.
///
/// # Errors
/// What the database refuses.
pub async fn get(ctx: &Ctx) -> Result<Option<Maintenance>> {
    read(&mut ctx.db()).await
}

pub(crate) async fn read(db: &mut Db) -> Result<Option<Maintenance>> {
    store::get(db).await
}

/// Lets nobody but super admins change anything, from the next request on; while it lasts, changes what is said.
/// Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid `message`.
pub async fn start(ctx: &Ctx, message: Option<&str>) -> Result<Maintenance> {
    ctx.may(Action::Update, Resource::Settings)?;
    let mut check = Check::new();
    let message = check.optional_text("message", message);
    if message.as_deref().is_some_and(|text| text.chars().count() > MESSAGE) {
        check.refuse("message", Problem::new("too_long").with("max", MESSAGE));
    }
    check.done()?;
    let message = &message;
    ctx.transaction(|tx| {
        async move {
            let before = store::lock(tx).await?;
            let since = before.map_or(ctx.now(), |before| before.since);
            let now = Maintenance { message: message.clone(), since, by: ctx.who() };
            store::set(tx, &now, ctx.now()).await?;
            let told = event("maintenance.started");
            activity::append(tx, ctx, now.message.iter().fold(told, |told, text| told.with("message", text.clone())))
                .await?;
            Ok(now)
        }
        .scope_boxed()
    })
    .await
}

/// Opens the portal again. Super admins and the operator.
///
/// # Errors
/// Forbidden.
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
