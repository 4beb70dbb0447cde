//! Makes backups: those that are asked for, and one every night.
use crate::{job_error, state::State};
use domain::{
    Ctx,
    operations::backups::{self, Make, Nightly},
    platform::queue::{Job, worker::Failure},
};

/// Makes one. What a worker leaves half-made when it ends, the next attempt clears away.
pub async fn create(state: State, job: Make) -> Result<(), Failure> {
    backups::run(&state.ctx(Make::NAME), job.id).await.map_err(job_error::classify)
}

/// Tells whoever waits that it could not be made, once no other attempt will follow.
pub async fn record_failure(state: State, job: Make, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = backups::failed(&state.ctx(Make::NAME), job.id, &why).await {
        tracing::warn!(backup = %job.id, %error, "the failure could not be told");
    }
}

/// Asks for the night's.
pub async fn nightly(state: State, _: Nightly) -> Result<(), Failure> {
    backups::nightly(&state.ctx(Nightly::NAME)).await.map_err(job_error::classify)
}

pub async fn enqueue(ctx: Ctx) -> domain::Result<()> {
    backups::ask(&ctx).await.map(drop)
}
