//! Summary of requests for the staff: numbers by status, the most urgent ones, and the newest activity.
use super::{Filter, Priority, Request, RequestSort, Status, list, store};
use crate::{
    kernel::{
        access::{Action, Resource},
        clock,
        ctx::Ctx,
        error::Result,
        page::{Order, PageQuery},
    },
    platform::{
        activity::{self, Activity},
        settings,
    },
};
use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;

/// Number of weeks of the chart, including the current one.
pub const WEEKS: usize = 12;
/// Requests shown per priority.
const MAX_PER_PRIORITY: u32 = 5;
/// Newest activity shown.
const MAX_ACTIVITY: u32 = 6;

/// Summary of all requests.
#[derive(Clone, Debug)]
pub struct RequestSummary {
    /// Number of requests by status, including zeros.
    pub statuses: Vec<(Status, i64)>,
    /// The oldest first. Weeks begin on Mondays in the time zone of the viewer.
    pub weeks: Vec<Week>,
    /// The most urgent first.
    pub queue: Vec<PriorityBucket>,
    /// The newest first.
    pub activity: Vec<Activity>,
}

/// Requests of a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Week {
    pub begins: NaiveDate,
    /// Received requests without withdrawn ones: the sum of the others.
    pub received: i64,
    /// How many of these are approved.
    pub approved: i64,
    pub rejected: i64,
    pub open: i64,
}

/// Open requests of one priority.
#[derive(Clone, Debug)]
pub struct PriorityBucket {
    pub priority: Priority,
    pub open: i64,
    pub overdue: i64,
    /// By due time.
    pub requests: Vec<Request>,
}

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct PriorityCount {
    pub priority: Priority,
    pub open: i64,
    pub overdue: i64,
}

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct WeekCount {
    pub nth: i64,
    pub status: Status,
    pub count: i64,
}

/// Reads the summary. Staff.
///
/// # Errors
/// Forbidden for others.
#[tracing::instrument(level = "debug", name = "requests.summary", skip_all)]
pub async fn summary(ctx: &Ctx) -> Result<RequestSummary> {
    ctx.may(Action::View, Resource::Requests)?;
    let mut db = ctx.db();
    let counted = store::count_by_status(&mut db).await?;
    let of = |status: Status| counted.iter().find(|(is, _)| *is == status).map_or(0, |(_, count)| *count);
    let (days, borders) = weeks(ctx.now(), settings::person_zone(ctx).await?);
    let weekly = store::count_by_week(&mut db, &borders).await?;
    let open = store::count_open_by_priority(&mut db, ctx.now()).await?;
    let mut queue = Vec::new();
    for priority in Priority::ALL {
        let filter = Filter {
            open: true,
            priority: Some(priority),
            order: Order::ascending(RequestSort::DueAt),
            ..Filter::default()
        };
        let first = PageQuery { limit: Some(MAX_PER_PRIORITY), cursor: None };
        let count = open.iter().find(|count| count.priority == priority);
        queue.push(PriorityBucket {
            priority,
            open: count.map_or(0, |count| count.open),
            overdue: count.map_or(0, |count| count.overdue),
            requests: list(ctx, &filter, &first).await?.items,
        });
    }
    let recent = activity::Filter { requests_only: true, ..activity::Filter::default() };
    let newest = PageQuery { limit: Some(MAX_ACTIVITY), cursor: None };
    Ok(RequestSummary {
        statuses: Status::ALL.map(|status| (status, of(status))).to_vec(),
        weeks: days
            .iter()
            .enumerate()
            .map(|(nth, begins)| {
                let of = |wanted: fn(Status) -> bool| {
                    let fits = |row: &&WeekCount| row.nth == nth as i64 && wanted(row.status);
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

/// The Mondays, the oldest first, and the instants at which each week begins in `zone`; the last one ends this week.
fn weeks(now: DateTime<Utc>, zone: Tz) -> (Vec<NaiveDate>, Vec<DateTime<Utc>>) {
    let today = now.with_timezone(&zone).date_naive();
    let monday = today - TimeDelta::days(i64::from(today.weekday().num_days_from_monday()));
    let days: Vec<NaiveDate> = (0..WEEKS as u64).rev().map(|back| monday - Days::new(7 * back)).collect();
    let borders =
        days.iter().copied().chain([monday + Days::new(7)]).map(|day| clock::start_of_day(day, zone)).collect();
    (days, borders)
}
