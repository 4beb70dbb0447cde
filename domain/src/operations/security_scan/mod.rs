//! The security scan: looks through what a running portal needs and what makes it safe, on the server, when somebody
//! asks; each finding is a code with what its sentence needs, worded where it is shown.
mod checks;
mod store;

pub(crate) use checks::KEY_DAYS;
pub use checks::{Finding, State, keys_changed_at};
pub use store::Scan;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        idempotency,
        ids::ScanId,
    },
    platform::{
        activity::{self, Event},
        queue::{self, Job},
    },
};
use serde::{Deserialize, Serialize};

/// The job that looks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Look {
    pub id: ScanId,
}

impl Job for Look {
    const NAME: &'static str = "portal.scan";
    /// Few: somebody waits.
    const ATTEMPTS: usize = 2;
}

/// Has the portal looked through. Super admins. Its outcome is the event `scan.finished` or `scan.failed` of this id.
///
/// # Errors
/// Forbidden.
pub async fn ask(ctx: &Ctx) -> Result<Scan> {
    ctx.may(Action::Update, Resource::System)?;
    let asked = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(ScanId(id));
            }
            let id = ScanId(ctx.chance.uuid());
            store::insert(tx, id, ctx.now(), &ctx.who()).await?;
            queue::enqueue(tx, &Look { id }).await?;
            idempotency::remember(tx, ctx, id.0).await?;
            activity::append(tx, ctx, Event::new("scan.asked", "scan", id.0, "Security scan")).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, asked.await?).await
}

/// # Errors
/// Forbidden; NotFound.
pub async fn get(ctx: &Ctx, id: ScanId) -> Result<Scan> {
    ctx.may(Action::View, Resource::System)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("scan"))
}

/// The newest one, if there was any. Super admins.
///
/// # Errors
/// Forbidden.
pub async fn latest(ctx: &Ctx) -> Result<Option<Scan>> {
    ctx.may(Action::View, Resource::System)?;
    store::latest(&mut ctx.db()).await
}

/// Looks, and keeps what was found. `mail` asks the way by which mails leave. Our own jobs.
///
/// # Errors
/// What the database refuses; tell it with [`failed`].
pub async fn run(
    ctx: &Ctx,
    id: ScanId,
    mail: impl Future<Output = std::result::Result<String, String>> + Send,
) -> Result<()> {
    let findings = checks::all(ctx, mail).await?;
    let bad = findings.iter().filter(|finding| finding.state == State::Failed).count();
    let notes = findings.iter().filter(|finding| finding.state == State::Note).count();
    let findings = &findings;
    ctx.transaction(|tx| {
        async move {
            store::finish(tx, id, ctx.now(), findings, None).await?;
            let told =
                Event::new("scan.finished", "scan", id.0, "Security scan").with("failed", bad).with("notes", notes);
            activity::append(tx, ctx, told).await
        }
        .scope_boxed()
    })
    .await
}

/// Keeps why it could not be done.
///
/// # Errors
/// What the database refuses.
pub async fn failed(ctx: &Ctx, id: ScanId, why: &str) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            store::finish(tx, id, ctx.now(), &[], Some(why)).await?;
            activity::append(tx, ctx, Event::new("scan.failed", "scan", id.0, "Security scan").with("reason", why))
                .await
        }
        .scope_boxed()
    })
    .await
}
