//! What the desk opens with: how many there are of what, what is most pressing, and what happened last.
use super::{Filter, ListOrder, Priority, Request, Status, list, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock,
        ctx::Ctx,
        error::Result,
        page::PageQuery,
    },
    platform::{
        activity::{self, Activity},
        settings,
    },
};
use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;

/// So many weeks are drawn, this one included.
pub const WEEKS: usize = 12;
/// So many of each priority are in the queue.
const QUEUE: u32 = 5;
/// So much of what happened last.
const RECENT: u32 = 6;

#[derive(Clone, Debug)]
pub struct Desk {
    /// How many there are of each state, also of those without any.
    pub statuses: Vec<(Status, i64)>,
    /// The oldest first; weeks begin on Mondays, where the viewer is.
    pub weeks: Vec<Week>,
    /// The most urgent first.
    pub queue: Vec<Queue>,
    /// The newest first.
    pub activity: Vec<Activity>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Week {
    pub begins: NaiveDate,
    /// Without what was withdrawn: it is what has become of them, added up.
    pub received: i64,
    /// What has become of those by now.
    pub approved: i64,
    pub rejected: i64,
    pub open: i64,
}

/// What is open of one priority.
#[derive(Clone, Debug)]
pub struct Queue {
    pub priority: Priority,
    pub open: i64,
    pub overdue: i64,
    /// What is due first.
    pub requests: Vec<Request>,
}

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Counted {
    pub priority: Priority,
    pub open: i64,
    pub overdue: i64,
}

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct Weekly {
    pub nth: i64,
    pub status: Status,
    pub count: i64,
}

/// The desk's figures. Staff.
///
/// # Errors
/// Forbidden for others.
pub async fn desk(ctx: &Ctx) -> Result<Desk> {
    ctx.may(Action::View, Resource::Requests)?;
    let mut db = ctx.db();
    let counted = store::count_by_status(&mut db).await?;
    let of = |status: Status| counted.iter().find(|(is, _)| *is == status).map_or(0, |(_, count)| *count);
    let (days, borders) = weeks(ctx.now(), settings::person_zone(ctx).await?);
    let weekly = store::weekly(&mut db, &borders).await?;
    let open = store::open(&mut db, ctx.now()).await?;
    let mut queue = Vec::new();
    for priority in Priority::ALL {
        let filter = Filter { open: true, priority: Some(priority), order: ListOrder::Due, ..Filter::default() };
        let first = PageQuery { limit: Some(QUEUE), cursor: None };
        let count = open.iter().find(|count| count.priority == priority);
        queue.push(Queue {
            priority,
            open: count.map_or(0, |count| count.open),
            overdue: count.map_or(0, |count| count.overdue),
            requests: list(ctx, &filter, &first).await?.items,
        });
    }
    let recent = activity::Filter { requests_only: true, ..activity::Filter::default() };
    let newest = PageQuery { limit: Some(RECENT), cursor: None };
    Ok(Desk {
        statuses: Status::ALL.map(|status| (status, of(status))).to_vec(),
        weeks: days
            .iter()
            .enumerate()
            .map(|(nth, begins)| {
                let of = |wanted: fn(Status) -> bool| {
                    let fits = |row: &&Weekly| row.nth == nth as i64 && wanted(row.status);
                    weekly.iter().filter(fits).map(|row| row.count).sum()
                };
                Week {
                    begins: *begins,
                    received: of(|status| status != Status::Withdrawn),
                    approved: of(|status| status == Status::Approved),
                    rejected: of(|status| status == Status::Rejected),
                    open: of(Status::is_open),
                }
            })
            .collect(),
        queue,
        activity: activity::list(ctx, &recent, &newest).await?.items,
    })
}

/// The Mondays, the oldest first, and when each week begins where the viewer is; the last border ends this week.
fn weeks(now: DateTime<Utc>, zone: Tz) -> (Vec<NaiveDate>, Vec<DateTime<Utc>>) {
    let today = now.with_timezone(&zone).date_naive();
    let monday = today - TimeDelta::days(i64::from(today.weekday().num_days_from_monday()));
    let days: Vec<NaiveDate> = (0..WEEKS as u64).rev().map(|back| monday - Days::new(7 * back)).collect();
    let borders =
        days.iter().copied().chain([monday + Days::new(7)]).map(|day| clock::start_of_day(day, zone)).collect();
    (days, borders)
}
