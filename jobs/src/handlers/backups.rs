//! Backup jobs: on request and nightly.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::backups::{self, Make, Nightly},
    platform::queue::{Job, worker::Failure},
};

/// Creates a backup. The next attempt removes the incomplete directory of an interrupted one.
pub async fn create(state: State, job: Make) -> Result<(), Failure> {
    backups::run(&state.ctx(Make::NAME), job.id).await.map_err(job_error::classify)
}

/// Marks the backup as failed after the last attempt.
pub async fn record_failure(state: State, job: Make, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = backups::failed(&state.ctx(Make::NAME), job.id, &why).await {
        tracing::warn!(backup = %job.id, %error, "failure not recorded");
    }
}

/// Enqueues the backup of the night.
pub async fn nightly(state: State, _: Nightly) -> Result<(), Failure> {
    backups::nightly(&state.ctx(Nightly::NAME)).await.map_err(job_error::classify)
}

/// Enqueues a backup for `spvctl job run`.
pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    backups::ask(&ctx).await.map(drop)
}
