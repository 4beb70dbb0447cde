//! Antivirus jobs for document versions.
use crate::{job_error, state::State};
use domain::{
    orders::documents::scanning::{self, ScanPendingVersions, ScanVersion},
    platform::queue::{Job, worker::Failure},
};

/// Scans one version. A second run finds it scanned.
pub async fn scan(state: State, job: ScanVersion) -> Result<(), Failure> {
    scanning::scan(&state.ctx(ScanVersion::NAME), job.version_id).await.map_err(job_error::classify)
}

/// Enqueues scans for versions that are still pending, for example from before a scanner was configured.
pub async fn scan_pending(state: State, _: ScanPendingVersions) -> Result<(), Failure> {
    let count =
        scanning::enqueue_pending_scans(&state.ctx(ScanPendingVersions::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "enqueued pending scans");
    Ok(())
}
