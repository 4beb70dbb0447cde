//! Reminders of due dates, each sent in the morning of the recipient's time zone.
use crate::{job_error, state::State};
use domain::{
    orders::{document_requests, invoices, steps},
    platform::queue::{Job, worker::Failure},
};
use serde::{Deserialize, Serialize};

/// One mail to each member of the staff with the newly overdue steps; reminders to clients of steps, documents and
/// invoices.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RemindOverdue {}

impl Job for RemindOverdue {
    const NAME: &'static str = "steps.remind_overdue";
}

pub async fn remind_overdue(state: State, _: RemindOverdue) -> Result<(), Failure> {
    let ctx = state.ctx(RemindOverdue::NAME);
    let count = steps::remind_overdue(&ctx).await.map_err(job_error::classify)?;
    tracing::info!(count, "sent overdue-step reminders");
    let count = document_requests::remind(&ctx).await.map_err(job_error::classify)?;
    tracing::info!(count, "sent document reminders");
    let count = invoices::remind(&ctx).await.map_err(job_error::classify)?;
    tracing::info!(count, "sent invoice reminders");
    Ok(())
}
