//! Notification mails: immediate ones and daily digests.
use crate::{job_error, state::State};
use domain::{
    outbox::notifications::{self, SendDigests, SendImmediateMail},
    platform::queue::{Job, worker::Failure},
};

/// Mails a user's unread notifications. A second run finds nothing left to mail.
pub async fn send_immediate(state: State, job: SendImmediateMail) -> Result<(), Failure> {
    notifications::send_immediate_mail(&state.ctx(SendImmediateMail::NAME), job.user_id)
        .await
        .map(drop)
        .map_err(job_error::classify)
}

/// Queues the daily digest of every user for whom it is due.
pub async fn send_digests(state: State, _: SendDigests) -> Result<(), Failure> {
    let count = notifications::send_digests(&state.ctx(SendDigests::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "queued digests");
    Ok(())
}
