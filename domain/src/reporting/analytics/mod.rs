//! Analytics of a company: number, country, status and duration of the orders placed in a period. Every chart counts
//! the same orders.
mod staff;
mod store;

pub use staff::{CountryRevenue, Fee, Group, StaffAnalytics, StaffMonth, staff};
pub(super) use store::workable_since;

use crate::{
    directory::companies::{self, Company},
    kernel::{
        ctx::Ctx,
        date_range::{DateRange, DateRangeQuery},
        error::Result,
        ids::CompanyId,
        order::percent,
    },
    orders::spvs::{Country, Status},
};

/// Charts of a company.
#[derive(Clone, Debug)]
pub struct Analytics {
    pub company: Company,
    pub span: DateRange,
    pub total: i64,
    /// Every month of the period.
    pub months: Vec<Month>,
    pub countries: Vec<(Country, i64)>,
    /// Every status, in the order of the state machine.
    pub statuses: Vec<(Status, i64)>,
    /// By name.
    pub steps: Vec<StepTime>,
    pub on_time: OnTime,
}

/// Orders placed in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Month {
    /// `2026-11`
    pub month: String,
    pub placed: i64,
    /// How many of these are closed.
    pub closed: i64,
    pub cancelled: i64,
    /// Steps of these orders.
    pub on_time: OnTime,
}

/// Completed steps with a due date, and how many were on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnTime {
    pub due: i64,
    pub kept: i64,
}

impl OnTime {
    /// Share on time as a whole percent; none without due steps.
    pub fn percent(self) -> Option<i64> {
        (self.due > 0).then(|| percent(self.kept, self.due))
    }
}

/// Duration of the completed steps of one name, in days to one decimal.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTime {
    pub name: String,
    pub completed: i64,
    pub median_days: f64,
    pub longest_days: f64,
}

/// Analytics of a company. Its admins, and super admins for a picked company.
///
/// # Errors
/// As [`companies::portal`]; Invalid days.
#[tracing::instrument(level = "debug", name = "analytics.get", skip_all)]
pub async fn get(ctx: &Ctx, picked: Option<CompanyId>, asked: &DateRangeQuery) -> Result<Analytics> {
    let company = companies::portal(ctx, picked).await?;
    let span = asked.span(company.today(ctx.now()))?;
    let zone = company.time_zone.parse().unwrap_or(chrono_tz::UTC);
    let found = store::read(&mut ctx.db(), Some(company.id), span.days(), zone, ctx.now()).await?;
    let months = span.months(found.orders.iter().map(|row| row.month.clone()).collect(), company.today(ctx.now()));
    let Figures { total, months, countries, statuses, steps, on_time } = figures(&found, months);
    Ok(Analytics { total, months, countries, statuses, steps, on_time, company, span })
}

/// Charts that the company and the staff share.
struct Figures {
    total: i64,
    months: Vec<Month>,
    countries: Vec<(Country, i64)>,
    statuses: Vec<(Status, i64)>,
    steps: Vec<StepTime>,
    on_time: OnTime,
}

fn figures(found: &store::ChartRows, months: Vec<String>) -> Figures {
    let count = |wanted: &dyn Fn(&store::OrderCount) -> bool| {
        found.orders.iter().filter(|row| wanted(row)).map(|row| row.count).sum::<i64>()
    };
    let on_time = |kept: &mut dyn Iterator<Item = &store::OnTimeCount>| {
        kept.fold(OnTime::default(), |sum, row| OnTime { due: sum.due + row.due, kept: sum.kept + row.kept })
    };
    let months = months.into_iter().map(|month| Month {
        placed: count(&|row| row.month == month),
        closed: count(&|row| row.month == month && row.status == Status::Closed),
        cancelled: count(&|row| row.month == month && row.status == Status::Cancelled),
        on_time: on_time(&mut found.kept.iter().filter(|row| row.month == month)),
        month,
    });
    let countries = Country::ALL.into_iter().map(|country| (country, count(&|row| row.country == country)));
    let mut steps: Vec<StepTime> = found
        .steps
        .iter()
        .map(|row| StepTime {
            name: row.name.clone(),
            completed: row.completed,
            median_days: days(row.middle as f64 / 2.0),
            longest_days: days(row.longest as f64),
        })
        .collect();
    steps.sort_by(|a, b| b.median_days.total_cmp(&a.median_days).then_with(|| a.name.cmp(&b.name)));
    Figures {
        total: count(&|_| true),
        months: months.collect(),
        countries: countries.filter(|(_, count)| *count > 0).collect(),
        statuses: Status::ALL.into_iter().map(|status| (status, count(&|row| row.status == status))).collect(),
        steps,
        on_time: on_time(&mut found.kept.iter()),
    }
}

/// Seconds as days to one decimal.
pub(crate) fn days(seconds: f64) -> f64 {
    (seconds / 86_400.0 * 10.0).round() / 10.0
}
