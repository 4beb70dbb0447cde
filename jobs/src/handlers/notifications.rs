//! Mails people what they were told of.
use crate::{job_error, state::State};
use domain::{
    outbox::notifications::{self, Digests, MailSoon},
    platform::queue::{Job, worker::Failure},
};

/// Mails somebody what they have not read since. A second run finds nothing left to mail.
pub async fn send_immediate(state: State, job: MailSoon) -> Result<(), Failure> {
    notifications::mail_now(&state.ctx(MailSoon::NAME), job.user_id).await.map(drop).map_err(job_error::classify)
}

/// Mails the day's digest to whoever has not had it this morning.
pub async fn send_digests(state: State, _: Digests) -> Result<(), Failure> {
    let count = notifications::mail_digests(&state.ctx(Digests::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "digests were queued");
    Ok(())
}
