//! The Seed Test Data button's job.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::seed::{self, Run},
    platform::queue::{Job, worker::Failure},
};

/// Makes the test data; what is there already is left alone, so a second run changes nothing.
pub async fn create_test_data(state: State, job: Run) -> Result<(), Failure> {
    seed::run(&state.ctx(Run::NAME), job.id).await.map_err(job_error::classify)
}

/// Tells the toast that it did not work, once no other attempt will follow.
pub async fn record_failure(state: State, job: Run, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = seed::failed(&state.ctx(Run::NAME), job.id, &why).await {
        tracing::warn!(job = %job.id, %error, "the failure could not be told");
    }
}

pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    seed::queue(&ctx).await.map(drop)
}
