//! Has documents looked through for viruses.
use crate::{job_error, state::State};
use domain::{
    orders::documents::scanning::{self, ScanRest, ScanVersion},
    platform::queue::{Job, worker::Failure},
};

/// A second run finds it done.
pub async fn scan(state: State, job: ScanVersion) -> Result<(), Failure> {
    scanning::scan(&state.ctx(ScanVersion::NAME), job.version_id).await.map_err(job_error::classify)
}

/// What waited too long, or came before there was a scanner.
pub async fn scan_pending(state: State, _: ScanRest) -> Result<(), Failure> {
    let count = scanning::ask_for_the_rest(&state.ctx(ScanRest::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "scans were asked for");
    Ok(())
}
