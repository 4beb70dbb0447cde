//! Has documents looked through for viruses.
use crate::{outcome, state::State};
use domain::{
    orders::documents::scanning::{self, ScanPendingVersions, ScanVersion},
    platform::queue::{Job, worker::Failure},
};

/// A second run finds it done.
pub async fn scan(state: State, job: ScanVersion) -> Result<(), Failure> {
    scanning::scan(&state.ctx(ScanVersion::NAME), job.version_id).await.map_err(outcome::of)
}

/// What waited too long, or came before there was a scanner.
pub async fn scan_rest(state: State, _: ScanPendingVersions) -> Result<(), Failure> {
    let count = scanning::enqueue_pending_scans(&state.ctx(ScanPendingVersions::NAME)).await.map_err(outcome::of)?;
    tracing::debug!(count, "scans were asked for");
    Ok(())
}
