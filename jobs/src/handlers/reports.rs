//! Scheduled report mails.
use crate::{job_error, state::State};
use domain::{
    platform::queue::{Job, worker::Failure},
    reporting::reports,
};
use serde::{Deserialize, Serialize};

/// One mail to each recipient of each due report schedule. A second run finds nothing due.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct MailReports {}

impl Job for MailReports {
    const NAME: &'static str = "reports.mail";
}

pub async fn send_due(state: State, _: MailReports) -> Result<(), Failure> {
    let count = reports::mail_due(&state.ctx(MailReports::NAME)).await.map_err(job_error::classify)?;
    tracing::debug!(count, "queued reports");
    Ok(())
}
