//! Virus scans: each new content is looked through before anybody can open it, where there is a scanner.
use super::{model::Scan, store, told};
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

/// Contents asked for again in one go.
const AT_ONCE: i64 = 500;

/// The job that has one version's content looked through.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ScanVersion {
    pub version_id: VersionId,
}

impl Job for ScanVersion {
    const NAME: &'static str = "documents.scan";
}

/// The job that finds what was never looked through.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct ScanRest {}

impl Job for ScanRest {
    const NAME: &'static str = "documents.scan_rest";
}

/// What a new content's scan is to begin with.
pub(super) fn first(ctx: &Ctx) -> Scan {
    if ctx.options.scanner.is_some() { Scan::Waiting } else { Scan::NotScanned }
}

/// Has a new version looked through, once its transaction commits.
pub(super) async fn ask(tx: &mut Tx, version: VersionId, scan: Scan) -> Result<()> {
    if scan == Scan::Waiting {
        queue::enqueue(tx, &ScanVersion { version_id: version }).await?;
    }
    Ok(())
}

/// Has a version's content looked through, unless that was done. What is found in it holds for every version with the
/// same content; the staff and the client are told. A job.
///
/// # Errors
/// Unavailable while scanner or storage are away.
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
                Verdict::Clean => store::scanned(tx, &version.storage_key, Scan::Clean).await?,
                Verdict::Infected(virus) => {
                    store::scanned(tx, &version.storage_key, Scan::Infected).await?;
                    if let Some(document) = store::get(tx, version.document_id).await? {
                        let event = told("document.infected", &document);
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

/// Asks again, once a day each, for the scan of contents that have waited for an hour or came when there was no
/// scanner. Says how many. A scheduled job.
///
/// # Errors
/// What the database refuses.
pub async fn ask_for_the_rest(ctx: &Ctx) -> Result<usize> {
    if ctx.options.scanner.is_none() {
        return Ok(0);
    }
    let mut asked = 0;
    let before = ctx.now() - Duration::hours(1);
    for version_id in store::unscanned(&mut ctx.db(), before, AT_ONCE).await? {
        let key = format!("{}-{version_id}-{}", ScanVersion::NAME, ctx.now().format("%F"));
        asked += usize::from(queue::enqueue_once(ctx, &ScanVersion { version_id }, &key).await?);
    }
    Ok(asked)
}
