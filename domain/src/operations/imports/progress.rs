//! Progress of an imported order: its status and completed steps, which are replayed through the ordinary transitions (order
//! status table, decision 3).
use super::{Row, cell, is_filled, lookup::CompanyContext};
use crate::{
    kernel::{
        access::Action,
        clock,
        ctx::Ctx,
        db::Tx,
        error::{Error, Problem, Result},
        ids::{SpvId, StepId},
        text::unique_key,
        validate::{self, Validator},
    },
    orders::{
        spvs::{self, Event, Status},
        steps::{self, Change},
    },
};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

/// Status and progress of an order.
pub(super) struct OrderProgress {
    pub status: Status,
    pub reason: Option<String>,
    pub steps_completed: Option<usize>,
    pub closed_at: Option<DateTime<Utc>>,
}

/// Reads the status. On hold and cancelled require a reason, other statuses refuse one (decision 3).
pub(super) fn read(
    check: &mut Validator,
    row: &Row,
    context: &CompanyContext,
    ordered_date: NaiveDate,
    now: DateTime<Utc>,
) -> OrderProgress {
    let status = check.optional("status", cell(row, "status"), |text| unique_key(text).parse::<Status>());
    let status = status.unwrap_or(Status::Pending);
    let reason = check.optional_text("status_reason", cell(row, "status_reason"));
    match (matches!(status, Status::OnHold | Status::Cancelled), &reason) {
        (true, None) => check.reject("status_reason", Problem::new("required")),
        (false, Some(_)) => check.reject("status_reason", Problem::new("not_allowed")),
        _ => {}
    }
    let steps_completed = check.optional("steps_completed", cell(row, "steps_completed"), |text| {
        text.parse::<usize>().map_err(|_| Problem::new("malformed"))
    });
    let closed_at = check.optional("closed_at", cell(row, "closed_at"), |text| instant(text, zone(context)));
    if let Some(at) = closed_at {
        if status != Status::Closed {
            check.reject("closed_at", Problem::new("not_allowed"));
        } else if at > now {
            check.reject("closed_at", Problem::new("future"));
        } else if !is_filled(row, "ordered_date") {
            check.reject("ordered_date", Problem::new("required"));
        } else if context.company.today(at) < ordered_date {
            check.reject("closed_at", Problem::new("before_ordered"));
        }
    }
    // Without a closing time it is closed by its steps, today.
    if status == Status::Closed && closed_at.is_none() && context.company.today(now) < ordered_date {
        check.reject("ordered_date", Problem::new("future"));
    }
    OrderProgress { status, reason, steps_completed, closed_at }
}

/// Time zone of the company.
pub(super) fn zone(context: &CompanyContext) -> Tz {
    context.company.time_zone.parse().unwrap_or(Tz::UTC)
}

/// An instant as exported, or the start of a day in the zone.
pub(super) fn instant(text: &str, zone: Tz) -> std::result::Result<DateTime<Utc>, Problem> {
    match DateTime::parse_from_rfc3339(text) {
        Ok(at) => Ok(at.to_utc()),
        Err(_) => Ok(clock::start_of_day(validate::date(text)?, zone)),
    }
}

/// Replays the progress of a new order. Only a closed order has all steps completed, as the last one closes it. An
/// order on hold or cancelled was processed before if any step is completed.
pub(super) async fn replay(tx: &mut Tx, ctx: &Ctx, id: SpvId, progress: &OrderProgress) -> Result<()> {
    let (order, _) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let total = usize::try_from(order.steps_total).map_err(Error::internal)?;
    let most = match progress.status {
        Status::Closed => total,
        Status::Active => 0,
        _ => total.saturating_sub(1),
    };
    let mut done = progress.steps_completed.unwrap_or(0);
    if done > most {
        let problem = Problem::new("out_of_range").with("min", 0).with("max", most);
        return Err(Error::field_with("steps_completed", problem));
    }
    if progress.status == Status::Closed {
        done = total;
    }
    let rests = matches!(progress.status, Status::OnHold | Status::Cancelled);
    if progress.status == Status::Processing || (rests && done > 0) {
        spvs::transition(tx, ctx, id, None, Action::Start, Event::Start, None).await?;
    }
    while let Some(step) = next(tx, id, done).await? {
        set_step_status(tx, ctx, step, steps::Status::Completed).await?;
    }
    let (action, event) = match progress.status {
        Status::Processing => {
            if let Some(step) = next(tx, id, total).await? {
                set_step_status(tx, ctx, step, steps::Status::InProgress).await?;
            }
            return Ok(());
        }
        Status::OnHold => (Action::Hold, Event::Hold),
        Status::Cancelled => (Action::Cancel, Event::Cancel),
        Status::Pending | Status::Active | Status::Closed => return Ok(()),
    };
    spvs::transition(tx, ctx, id, None, action, event, progress.reason.as_deref()).await.map(drop)
}

/// The next of the first `done` steps that is not completed, dependencies first. If all wait for later steps it is the
/// first one, whose completion is refused.
async fn next(tx: &mut Tx, id: SpvId, done: usize) -> Result<Option<StepId>> {
    let (_, steps) = spvs::find_with_steps(tx, id).await?.ok_or(Error::NotFound("spv"))?;
    let mut left = steps.iter().take(done).filter(|step| step.status != steps::Status::Completed).peekable();
    let first = left.peek().map(|step| step.id);
    Ok(left.find(|step| step.open_dependencies(&steps).next().is_none()).map(|step| step.id).or(first))
}

async fn set_step_status(tx: &mut Tx, ctx: &Ctx, step: StepId, status: steps::Status) -> Result<()> {
    let change = Change { status: Some(status.name().to_owned()), ..Change::default() };
    steps::update_within(tx, ctx, step, None, change).await.map(drop)
}
