//! Mails people what they were told of.
use crate::{outcome, state::State};
use domain::{
    outbox::notifications::{self, SendDigests, SendImmediateMail},
    platform::queue::{Job, worker::Failure},
};

/// Mails somebody what they have not read since. A second run finds nothing left to mail.
pub async fn mail(state: State, job: SendImmediateMail) -> Result<(), Failure> {
    notifications::send_immediate_mail(&state.ctx(SendImmediateMail::NAME), job.user_id)
        .await
        .map(drop)
        .map_err(outcome::of)
}

/// Mails the day's digest to whoever has not had it this morning.
pub async fn digests(state: State, _: SendDigests) -> Result<(), Failure> {
    let count = notifications::send_digests(&state.ctx(SendDigests::NAME)).await.map_err(outcome::of)?;
    tracing::debug!(count, "digests were queued");
    Ok(())
}
