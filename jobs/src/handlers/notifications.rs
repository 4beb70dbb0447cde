//! Notification mails: immediate ones and daily digests.
use crate::{job_error, state::State};
use domain::{
    outbox::notifications::{self, Digests, MailSoon},
    platform::queue::{Job, worker::Failure},
};

/// Mails a user's unread notifications. A second run finds nothing left to mail.
pub async fn send_immediate(state: State, job: MailSoon) -> Result<(), Failure> {
    notifications::mail_now(&state.ctx(MailSoon::NAME), job.user_id).await.map(drop).map_err(job_error::classify)
}

/// Queues the daily digest of every user who is due for one.
pub async fn send_digests(state: State, _: Digests) -> Result<(), Failure> {
    let count = notifications::mail_digests(&state.ctx(Digests::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "queued digests");
    Ok(())
}
