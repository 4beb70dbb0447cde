//! Mails people what they were told of.
use crate::{outcome, state::State};
use domain::{
    outbox::notifications::{self, Digests, MailSoon},
    platform::queue::{Job, worker::Failure},
};

/// Mails somebody what they have not read since. A second run finds nothing left to mail.
pub async fn mail(state: State, job: MailSoon) -> Result<(), Failure> {
    notifications::mail_now(&state.ctx(MailSoon::NAME), job.user_id).await.map(drop).map_err(outcome::of)
}

/// Mails the day's digest to whoever has not had it this morning.
pub async fn digests(state: State, _: Digests) -> Result<(), Failure> {
    let count = notifications::mail_digests(&state.ctx(Digests::NAME)).await.map_err(outcome::of)?;
    tracing::debug!(count, "digests were queued");
    Ok(())
}
