//! The job of the Seed Test Data button.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::seed::{self, SeedTestData},
    platform::queue::{Job, worker::Failure},
};

/// Creates the missing test data; a second run changes nothing.
pub async fn create_test_data(state: State, job: SeedTestData) -> Result<(), Failure> {
    seed::run(&state.ctx(SeedTestData::NAME), job.id).await.map_err(job_error::classify)
}

/// Records the failure after the last attempt; the page shows it.
pub async fn record_failure(state: State, job: SeedTestData, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = seed::record_failure(&state.ctx(SeedTestData::NAME), job.id, &why).await {
        tracing::warn!(job = %job.id, %error, "failure not recorded");
    }
}

/// Enqueues the job for `spvctl job run`.
pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    seed::enqueue(&ctx).await.map(drop)
}
