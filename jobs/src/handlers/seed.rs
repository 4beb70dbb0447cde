//! The Seed Test Data button's job.
use crate::{outcome, state::State};
use domain::{
    Ctx,
    operations::seed::{self, SeedTestData},
    platform::queue::{Job, worker::Failure},
};

/// Makes the test data; what is there already is left alone, so a second run changes nothing.
pub async fn test_data(state: State, job: SeedTestData) -> Result<(), Failure> {
    seed::run(&state.ctx(SeedTestData::NAME), job.id).await.map_err(outcome::of)
}

/// Tells the toast that it did not work, once no other attempt will follow.
pub async fn failed(state: State, job: SeedTestData, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = seed::record_failure(&state.ctx(SeedTestData::NAME), job.id, &why).await {
        tracing::warn!(job = %job.id, %error, "the failure could not be told");
    }
}

pub async fn ask(ctx: Ctx) -> domain::Result<()> {
    seed::enqueue(&ctx).await.map(drop)
}
