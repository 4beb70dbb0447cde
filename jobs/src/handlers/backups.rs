//! Backup jobs: on request and nightly.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::backups::{
        self, CreateBackup, NightlyBackup,
        copies::{self, CopyBackup},
    },
    platform::queue::{Job, worker::Failure},
};

/// Creates a backup. The next attempt removes the incomplete directory of an interrupted one.
pub async fn create(state: State, job: CreateBackup) -> Result<(), Failure> {
    backups::run(&state.ctx(CreateBackup::NAME), job.id).await.map_err(job_error::classify)
}

/// Marks the backup as failed after the last attempt.
pub async fn record_failure(state: State, job: CreateBackup, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = backups::record_failure(&state.ctx(CreateBackup::NAME), job.id, &why).await {
        tracing::warn!(backup = %job.id, %error, "failure not recorded");
    }
}

/// Copies a backup to the other storage.
pub async fn copy(state: State, job: CopyBackup) -> Result<(), Failure> {
    copies::create(&state.ctx(CopyBackup::NAME), &job.name).await.map_err(job_error::classify)
}

/// Notes the failure after the last attempt.
pub async fn record_copy_failure(state: State, job: CopyBackup, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = copies::record_failure(&state.ctx(CopyBackup::NAME), &job.name, &why).await {
        tracing::warn!(backup = %job.name, %error, "failure not recorded");
    }
}

/// Enqueues the backup of the night.
pub async fn nightly(state: State, _: NightlyBackup) -> Result<(), Failure> {
    backups::nightly(&state.ctx(NightlyBackup::NAME)).await.map_err(job_error::classify)
}

/// Enqueues a backup for `spvctl job run`.
pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    backups::enqueue(&ctx).await.map(drop)
}
