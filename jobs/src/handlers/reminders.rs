//! Tells people of what is late.
use crate::{outcome, state::State};
use domain::{
    document_requests, invoices,
    queue::{Job, worker::Failure},
    steps,
};
use serde::{Deserialize, Serialize};

/// One mail to each of the staff with the steps that are newly past their due date; clients hear of what they have to
/// do, send in and pay.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RemindOverdue {}

impl Job for RemindOverdue {
    const NAME: &'static str = "steps.remind_overdue";
}

pub async fn overdue(state: State, _: RemindOverdue) -> Result<(), Failure> {
    let ctx = state.ctx(RemindOverdue::NAME);
    let count = steps::remind_overdue(&ctx).await.map_err(outcome::of)?;
    tracing::info!(count, "overdue steps were told of");
    let count = document_requests::remind(&ctx).await.map_err(outcome::of)?;
    tracing::info!(count, "clients were reminded of documents");
    let count = invoices::remind(&ctx).await.map_err(outcome::of)?;
    tracing::info!(count, "clients were reminded of invoices");
    Ok(())
}
