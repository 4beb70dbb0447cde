//! Security scan: checks of the installation. Runs in a job when a super admin asks, and as `spvctl doctor`. Each finding
//! is stored as a code with parameters and rendered in the reader's language.
mod checks;
mod finding;
mod store;

pub(crate) use checks::MAX_SIGNING_KEY_AGE_DAYS;
pub use checks::{ProgramChecks, disk, keys_changed_at, run_all};
pub use finding::{Finding, State, Texts};
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

/// Job that runs a scan.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RunSecurityScan {
    pub id: ScanId,
}

impl Job for RunSecurityScan {
    const NAME: &'static str = "portal.scan";
    /// Few attempts: a person waits for the result.
    const ATTEMPTS: usize = 2;
}

/// Enqueues a scan. It ends with the event `scan.finished` or `scan.failed` of this id. Super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "security_scan.enqueue", skip_all)]
pub async fn enqueue(ctx: &Ctx) -> Result<Scan> {
    ctx.may(Action::Update, Resource::System)?;
    let asked = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(ScanId(id));
            }
            let id = ScanId(ctx.random.uuid());
            store::insert(tx, id, ctx.now(), &ctx.actor_name()).await?;
            queue::enqueue(tx, &RunSecurityScan { id }).await?;
            idempotency::store(tx, ctx, id.0).await?;
            activity::append(tx, ctx, Event::new("scan.asked", "scan", id.0, "Security scan")).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, asked.await?).await
}

/// Loads a scan. Super admins.
///
/// # Errors
/// Forbidden; NotFound.
#[tracing::instrument(level = "debug", name = "security_scan.get", skip_all, fields(scan_id = %id))]
pub async fn get(ctx: &Ctx, id: ScanId) -> Result<Scan> {
    ctx.may(Action::View, Resource::System)?;
    store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("scan"))
}

/// The newest scan, if there is one. Super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "security_scan.latest", skip_all)]
pub async fn latest(ctx: &Ctx) -> Result<Option<Scan>> {
    ctx.may(Action::View, Resource::System)?;
    store::latest(&mut ctx.db()).await
}

/// Runs a scan and stores its findings. Jobs.
///
/// # Errors
/// Internal if the database fails; report it with [`record_failure`].
#[tracing::instrument(level = "debug", name = "security_scan.run", skip_all, fields(scan_id = %id))]
pub async fn run(ctx: &Ctx, id: ScanId, program: &ProgramChecks) -> Result<()> {
    let findings = checks::run_all(ctx, program).await?;
    let bad = findings.iter().filter(|finding| finding.state == State::Failed).count();
    let notes = findings.iter().filter(|finding| finding.state == State::Note).count();
    let findings = &findings;
    ctx.transaction(|tx| {
        async move {
            store::finish(tx, id, ctx.now(), findings, None).await?;
            let event =
                Event::new("scan.finished", "scan", id.0, "Security scan").with("failed", bad).with("notes", notes);
            activity::append(tx, ctx, event).await
        }
        .scope_boxed()
    })
    .await
}

/// Stores why a scan failed.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "security_scan.record_failure", skip_all, fields(scan_id = %id))]
pub async fn record_failure(ctx: &Ctx, id: ScanId, why: &str) -> Result<()> {
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
