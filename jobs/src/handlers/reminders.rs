//! Tells people of what is late.
use crate::{outcome, state::State};
use domain::{
    queue::{Job, worker::Failure},
    steps,
};
use serde::{Deserialize, Serialize};

/// One mail to each of the staff with the steps that are newly past their due date.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RemindOverdue {}

impl Job for RemindOverdue {
    const NAME: &'static str = "steps.remind_overdue";
}

pub async fn overdue(state: State, _: RemindOverdue) -> Result<(), Failure> {
    let count = steps::remind_overdue(&state.ctx(RemindOverdue::NAME)).await.map_err(outcome::of)?;
    tracing::info!(count, "overdue steps were told of");
    Ok(())
}
