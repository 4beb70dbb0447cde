//! The desk: what is assigned to whom, and how well the work goes.
mod store;

pub use store::{Kind, Task};

use crate::{
    desk::requests::{self, ListOrder},
    kernel::{
        access::{Action, Portal, Resource},
        ctx::Ctx,
        error::{Error, Result},
        ids::UserId,
        page::{MAX_LIMIT, PageQuery},
    },
    orders::steps,
    platform::settings,
};
use chrono::{DateTime, Days, NaiveDate, Utc};

/// A list of tasks is a person's own and ends here; whoever has more has them all late.
const TASKS: usize = 200;
/// What the performance card looks back on.
const NINETY_DAYS: u64 = 90;
/// So many steps, the newest first, tell how the work goes.
const STEPS: usize = 1_000;

/// The open steps and requests assigned to the actor, and the documents that came in for steps of theirs, by due date;
/// and whether there are more than these. Staff.
///
/// # Errors
/// Forbidden for others, and for who is no person.
pub async fn mine(ctx: &Ctx) -> Result<(Vec<Task>, bool)> {
    let mut tasks = assigned(ctx, TASKS + 1, ListOrder::Due).await?;
    let more = tasks.len() > TASKS;
    tasks.truncate(TASKS);
    Ok((tasks, more))
}

/// The same, however many they are.
///
/// # Errors
/// Forbidden as [`mine`].
pub async fn all(ctx: &Ctx) -> Result<Vec<Task>> {
    // By when they came in, so that none changes its place while page after page is read.
    assigned(ctx, i64::MAX as usize, ListOrder::Newest).await
}

/// So many of each kind at most.
async fn assigned(ctx: &Ctx, most: usize, order: ListOrder) -> Result<Vec<Task>> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let id = ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))?;
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

/// Whom a step can be assigned to: active staff by name. Staff.
///
/// # Errors
/// Forbidden for others.
pub async fn staff(ctx: &Ctx) -> Result<Vec<(UserId, String)>> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let rows = store::staff(&mut ctx.db()).await?;
    Ok(rows.into_iter().map(|(id, first, last)| (id, format!("{first} {last}"))).collect())
}

/// How the work goes. Shares are whole percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// Of the steps completed in the last ninety days, those that were not late; none without any.
    pub on_time_percent: Option<i64>,
    /// Days from the step before, or the order itself, to a step's completion: the middle one.
    pub median_days: Option<f64>,
    /// Open steps past their date, of orders that are worked on: at most 1,000, which stand for as many or more.
    pub overdue: i64,
    /// How many steps the first two are made from.
    pub completed: i64,
}

/// The performance card. Staff.
///
/// # Errors
/// Forbidden for others.
pub async fn performance(ctx: &Ctx) -> Result<Performance> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Employee))?;
    let mut db = ctx.db();
    let since = ctx.now().checked_sub_days(Days::new(NINETY_DAYS)).unwrap_or(ctx.now());
    let done = store::done_since(&mut db, since, STEPS).await?;
    let office = settings::get(ctx).await?;
    Ok(Performance {
        on_time_percent: on_time(&done, |at| office.day(at)),
        median_days: median_days(&done),
        overdue: store::overdue(&mut db, office.day(ctx.now()), STEPS).await?,
        completed: done.len() as i64,
    })
}

/// A completed step: when, due when, and since when it could be worked on.
type Done = (DateTime<Utc>, Option<NaiveDate>, DateTime<Utc>);

fn on_time(done: &[Done], office_day: impl Fn(DateTime<Utc>) -> NaiveDate) -> Option<i64> {
    let due: Vec<bool> = done.iter().filter_map(|(at, due, _)| Some(office_day(*at) <= (*due)?)).collect();
    let kept = due.iter().filter(|kept| **kept).count() as i64;
    (!due.is_empty()).then(|| crate::kernel::order::percent(kept, due.len() as i64))
}

/// To one decimal.
fn median_days(done: &[Done]) -> Option<f64> {
    let mut seconds: Vec<i64> = done.iter().map(|(at, _, since)| (*at - *since).num_seconds().max(0)).collect();
    seconds.sort_unstable();
    let (low, high) = (seconds.get(seconds.len().checked_sub(1)? / 2)?, seconds.get(seconds.len() / 2)?);
    Some(((low + high) as f64 / 2.0 / 86_400.0 * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::clock;

    fn done(days: i64, late: bool) -> Done {
        let start = DateTime::from_timestamp(1_795_262_400, 0).unwrap();
        let at = start + chrono::Duration::days(days);
        (at, Some(at.date_naive() - Days::new(u64::from(late))), start)
    }

    fn utc(at: DateTime<Utc>) -> NaiveDate {
        clock::day(at, "UTC")
    }

    #[test]
    fn a_step_is_on_time_until_the_end_of_the_office_day() {
        let at: DateTime<Utc> = "2026-12-12T01:30:00Z".parse().unwrap();
        let done = [(at, NaiveDate::from_ymd_opt(2026, 12, 11), at)];
        assert_eq!(on_time(&done, |at| clock::day(at, "America/Los_Angeles")), Some(100));
        assert_eq!(on_time(&done, |at| clock::day(at, "Pacific/Kiritimati")), Some(0));
    }

    #[test]
    fn the_card_is_right_for_none_one_and_many() {
        assert_eq!((on_time(&[], utc), median_days(&[])), (None, None));
        assert_eq!((on_time(&[done(3, false)], utc), median_days(&[done(3, false)])), (Some(100), Some(3.0)));
        let four = [done(1, false), done(8, true), done(2, false), done(4, true)];
        assert_eq!((on_time(&four, utc), median_days(&four)), (Some(50), Some(3.0)));
        let (at, _, since) = done(1, true);
        assert_eq!(on_time(&[(at, None, since)], utc), None, "nothing was due");
    }
}
