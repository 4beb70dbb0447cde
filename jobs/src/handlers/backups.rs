//! Makes backups: those that are asked for, and one every night.
use crate::{outcome, state::State};
use domain::{
    Ctx,
    operations::backups::{self, CreateBackup, NightlyBackup},
    platform::queue::{Job, worker::Failure},
};

/// Makes one. What a worker leaves half-made when it ends, the next attempt clears away.
pub async fn make(state: State, job: CreateBackup) -> Result<(), Failure> {
    backups::run(&state.ctx(CreateBackup::NAME), job.id).await.map_err(outcome::of)
}

/// Tells whoever waits that it could not be made, once no other attempt will follow.
pub async fn failed(state: State, job: CreateBackup, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = backups::record_failure(&state.ctx(CreateBackup::NAME), job.id, &why).await {
        tracing::warn!(backup = %job.id, %error, "the failure could not be told");
    }
}

/// Asks for the night's.
pub async fn nightly(state: State, _: NightlyBackup) -> Result<(), Failure> {
    backups::nightly(&state.ctx(NightlyBackup::NAME)).await.map_err(outcome::of)
}

pub async fn ask(ctx: Ctx) -> domain::Result<()> {
    backups::enqueue(&ctx).await.map(drop)
}
