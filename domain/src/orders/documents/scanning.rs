//! Antivirus scans of new contents: a version cannot be opened before it was scanned, where a scanner is configured.
use super::{event, model::Scan, store};
use crate::{
    kernel::{
        antivirus::Verdict,
        ctx::Ctx,
        db::{ScopedFutureExt, Tx},
        error::Result,
        ids::VersionId,
    },
    platform::{
        activity,
        queue::{self, Job},
    },
};
use chrono::Duration;
use serde::{Deserialize, Serialize};

/// The number of scans that one run queues again.
const RESCAN_BATCH: i64 = 500;

/// The job that scans a version's content.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ScanVersion {
    pub version_id: VersionId,
}

impl Job for ScanVersion {
    const NAME: &'static str = "documents.scan";
}

/// The job that queues scans of versions that were never scanned.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ScanPendingVersions {}

impl Job for ScanPendingVersions {
    const NAME: &'static str = "documents.scan_rest";
}

/// The scan status of a new content.
pub(super) fn initial_scan(ctx: &Ctx) -> Scan {
    if ctx.options.scanner.is_some() { Scan::Waiting } else { Scan::NotScanned }
}

/// Queues the scan of a new version with the commit of its transaction.
pub(super) async fn enqueue_scan(tx: &mut Tx, version: VersionId, scan: Scan) -> Result<()> {
    if scan == Scan::Waiting {
        queue::enqueue(tx, &ScanVersion { version_id: version }).await?;
    }
    Ok(())
}

/// Scans a version's content, unless that was done. The result applies to every version with the same content; an
/// infection is logged for the staff and the client. A job.
///
/// # Errors
/// Unavailable while scanner or storage cannot be reached.
#[tracing::instrument(level = "debug", name = "documents.scanning.scan", skip_all, fields(version_id = %version))]
pub async fn scan(ctx: &Ctx, version: VersionId) -> Result<()> {
    let Some(scanner) = &ctx.options.scanner else { return Ok(()) };
    let Some((version, ..)) = store::version(&mut ctx.db(), version).await? else { return Ok(()) };
    if matches!(version.scan, Scan::Clean | Scan::Infected) {
        return Ok(());
    }
    let content = ctx.options.storage.read(&version.storage_key, 0..version.bytes.unsigned_abs()).await?;
    let (version, verdict) = (&version, &scanner.scan(content).await?);
    ctx.transaction(|tx| {
        async move {
            match verdict {
                Verdict::Clean => store::save_scan(tx, &version.storage_key, Scan::Clean).await?,
                Verdict::Infected(virus) => {
                    store::save_scan(tx, &version.storage_key, Scan::Infected).await?;
                    if let Some(document) = store::get(tx, version.document_id).await? {
                        let event = event("document.infected", &document);
                        let event = event.with("number", version.number).with("virus", virus.clone());
                        activity::append(tx, ctx, event).await?;
                    }
                }
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Queues again, once a day for each, the scans of versions that have waited for an hour or were uploaded without a
/// scanner. Returns their number. A scheduled job.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "documents.scanning.enqueue_pending_scans", skip_all)]
pub async fn enqueue_pending_scans(ctx: &Ctx) -> Result<usize> {
    if ctx.options.scanner.is_none() {
        return Ok(0);
    }
    let mut queued = 0;
    let before = ctx.now() - Duration::hours(1);
    for version_id in store::unscanned(&mut ctx.db(), before, RESCAN_BATCH).await? {
        let key = format!("{}-{version_id}-{}", ScanVersion::NAME, ctx.now().format("%F"));
        queued += usize::from(queue::enqueue_once(ctx, &ScanVersion { version_id }, &key).await?);
    }
    Ok(queued)
}
