//! The job of the Seed Test Data button.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::seed::{self, Run},
    platform::queue::{Job, worker::Failure},
};

/// Creates the missing test data; a second run changes nothing.
pub async fn create_test_data(state: State, job: Run) -> Result<(), Failure> {
    seed::run(&state.ctx(Run::NAME), job.id).await.map_err(job_error::classify)
}

/// Records the failure after the last attempt; the page shows it.
pub async fn record_failure(state: State, job: Run, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = seed::failed(&state.ctx(Run::NAME), job.id, &why).await {
        tracing::warn!(job = %job.id, %error, "failure not recorded");
    }
}

/// Enqueues the job for `spvctl job run`.
pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    seed::queue(&ctx).await.map(drop)
}
