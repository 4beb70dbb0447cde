//! Tasks of the staff: assigned steps and requests, documents to review, and the performance card.
mod store;

pub use store::{Kind, Task};

use crate::{
    desk::requests::{self, RequestSort},
    kernel::{
        access::{Action, Portal, Resource},
        ctx::Ctx,
        error::{Error, Result},
        ids::UserId,
        page::{MAX_LIMIT, Order, PageQuery},
    },
    orders::steps,
    platform::settings,
};
use chrono::{DateTime, Days, NaiveDate, Utc};

/// Maximum length of the list. Longer lists are all overdue.
const MAX_TASKS: usize = 200;
/// Period of the performance card.
const PERFORMANCE_WINDOW_DAYS: u64 = 90;
/// Number of newest steps that the performance card reads.
const MAX_STEPS: usize = 1_000;

/// Open steps and requests assigned to the actor, and submitted documents of their steps, by due date; and whether
/// there are more. Staff.
///
/// # Errors
/// Forbidden for others, and for actors who are no user.
#[tracing::instrument(level = "debug", name = "tasks.mine", skip_all)]
pub async fn mine(ctx: &Ctx) -> Result<(Vec<Task>, bool)> {
    let mut tasks = assigned(ctx, MAX_TASKS + 1, Order::ascending(RequestSort::DueAt)).await?;
    let more = tasks.len() > MAX_TASKS;
    tasks.truncate(MAX_TASKS);
    Ok((tasks, more))
}

/// All tasks of the actor, for exports.
///
/// # Errors
/// Forbidden as [`mine`].
#[tracing::instrument(level = "debug", name = "tasks.all", skip_all)]
pub async fn all(ctx: &Ctx) -> Result<Vec<Task>> {
    // By creation time, so that none moves while pages are read.
    assigned(ctx, i64::MAX as usize, Order::default()).await
}

/// All tasks of a member of the staff. The operator and super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "tasks.of", skip_all, fields(user_id = %staff))]
pub async fn of(ctx: &Ctx, staff: UserId) -> Result<Vec<Task>> {
    ctx.may(Action::View, Resource::System)?;
    assigned_to(ctx, staff, i64::MAX as usize, Order::default()).await
}

/// At most `most` of each kind.
async fn assigned(ctx: &Ctx, most: usize, order: Order<RequestSort>) -> Result<Vec<Task>> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let id = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
    assigned_to(ctx, id, most, order).await
}

async fn assigned_to(ctx: &Ctx, id: UserId, most: usize, order: Order<RequestSort>) -> Result<Vec<Task>> {
    let mut db = ctx.db();
    let today = settings::office_today(ctx).await?;
    let zone = settings::person_zone(ctx).await?;
    let mut tasks = store::steps_of(&mut db, id, most).await?;
    tasks.extend(store::documents_of(&mut db, id, most).await?);
    let given = requests::Filter {
        open: true,
        assignee: Some(requests::Assignee::One(id)),
        order,
        ..requests::Filter::default()
    };
    let mut page = PageQuery { limit: Some(most.min(MAX_LIMIT as usize) as u32), cursor: None };
    for task in &mut tasks {
        task.overdue = task.spv_status.is_some_and(|order| steps::is_overdue(task.due_date, order, today));
    }
    let mut left = most;
    loop {
        let found = requests::list(ctx, &given, &page).await?;
        left = left.saturating_sub(found.items.len());
        tasks.extend(found.items.into_iter().map(|request| Task::of(request, ctx.now(), zone)));
        match found.next_cursor {
            Some(next) if left > 0 => page.cursor = Some(next),
            _ => break,
        }
    }
    tasks.sort_by_key(|task| (task.due_date.is_none(), task.due_date, task.due_at));
    Ok(tasks)
}

/// Possible assignees of a step: active staff by name. Staff.
///
/// # Errors
/// Forbidden for others.
#[tracing::instrument(level = "debug", name = "tasks.staff", skip_all)]
pub async fn staff(ctx: &Ctx) -> Result<Vec<(UserId, String)>> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let rows = store::staff(&mut ctx.db()).await?;
    Ok(rows.into_iter().map(|(id, first, last)| (id, format!("{first} {last}"))).collect())
}

/// The performance card. Shares are whole percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// Share of the steps completed in the last 90 days that were on time; none without any.
    pub on_time_percent: Option<i64>,
    /// Median days from the previous step, or the order, to the completion of a step.
    pub median_days: Option<f64>,
    /// Overdue open steps of orders in progress, counted up to 1,000.
    pub overdue: i64,
    /// Number of steps behind the first two.
    pub completed: i64,
}

/// Computes the performance card. Staff.
///
/// # Errors
/// Forbidden for others.
#[tracing::instrument(level = "debug", name = "tasks.performance", skip_all)]
pub async fn performance(ctx: &Ctx) -> Result<Performance> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let mut db = ctx.db();
    let since = ctx.now().checked_sub_days(Days::new(PERFORMANCE_WINDOW_DAYS)).unwrap_or(ctx.now());
    let completed_steps = store::completed_since(&mut db, since, MAX_STEPS).await?;
    let office = settings::get(ctx).await?;
    Ok(Performance {
        on_time_percent: on_time(&completed_steps, |at| office.day(at)),
        median_days: median_days(&completed_steps),
        overdue: store::overdue(&mut db, office.day(ctx.now()), MAX_STEPS).await?,
        completed: completed_steps.len() as i64,
    })
}

/// Completion time, due date, and the time since when the step could be worked on.
type CompletedStep = (DateTime<Utc>, Option<NaiveDate>, DateTime<Utc>);

fn on_time(steps: &[CompletedStep], office_day: impl Fn(DateTime<Utc>) -> NaiveDate) -> Option<i64> {
    let due: Vec<bool> = steps.iter().filter_map(|(at, due, _)| Some(office_day(*at) <= (*due)?)).collect();
    let kept = due.iter().filter(|kept| **kept).count() as i64;
    (!due.is_empty()).then(|| crate::kernel::order::percent(kept, due.len() as i64))
}

/// To one decimal.
fn median_days(steps: &[CompletedStep]) -> Option<f64> {
    let mut seconds: Vec<i64> = steps.iter().map(|(at, _, since)| (*at - *since).num_seconds().max(0)).collect();
    seconds.sort_unstable();
    let (low, high) = (seconds.get(seconds.len().checked_sub(1)? / 2)?, seconds.get(seconds.len() / 2)?);
    Some(((low + high) as f64 / 2.0 / 86_400.0 * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::clock;

    fn step(days: i64, late: bool) -> CompletedStep {
        let start = DateTime::from_timestamp(1_795_262_400, 0).unwrap();
        let at = start + chrono::Duration::days(days);
        (at, Some(at.date_naive() - Days::new(u64::from(late))), start)
    }

    fn utc(at: DateTime<Utc>) -> NaiveDate {
        clock::day(at, "UTC")
    }

    #[test]
    fn step_is_on_time_until_the_end_of_the_office_day() {
        let at: DateTime<Utc> = "2026-12-12T01:30:00Z".parse().unwrap();
        let steps = [(at, NaiveDate::from_ymd_opt(2026, 12, 11), at)];
        assert_eq!(on_time(&steps, |at| clock::day(at, "America/Los_Angeles")), Some(100));
        assert_eq!(on_time(&steps, |at| clock::day(at, "Pacific/Kiritimati")), Some(0));
    }

    #[test]
    fn performance_of_no_one_and_many_steps() {
        assert_eq!((on_time(&[], utc), median_days(&[])), (None, None));
        assert_eq!((on_time(&[step(3, false)], utc), median_days(&[step(3, false)])), (Some(100), Some(3.0)));
        let four = [step(1, false), step(8, true), step(2, false), step(4, true)];
        assert_eq!((on_time(&four, utc), median_days(&four)), (Some(50), Some(3.0)));
        let (at, _, since) = step(1, true);
        assert_eq!(on_time(&[(at, None, since)], utc), None, "nothing was due");
    }
}
