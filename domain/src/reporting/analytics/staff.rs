//! Analytics of the whole office: orders, fees, step durations, requests and sign-ins over time; by country, company
//! and partner.
use super::{Month, OnTime, StepTime, store};
use crate::{
    kernel::{
        access::{Action, Portal, Resource},
        ctx::Ctx,
        date_range::{DateRange, DateRangeQuery},
        error::Result,
        money::Currency,
    },
    orders::spvs::{Country, Status},
    platform::settings,
};
use uuid::Uuid;

/// An amount in one currency, in minor units.
pub type Fee = (Currency, i64);

/// Charts of the office.
#[derive(Clone, Debug)]
pub struct StaffAnalytics {
    pub span: DateRange,
    pub total: i64,
    pub months: Vec<StaffMonth>,
    pub countries: Vec<CountryRevenue>,
    pub statuses: Vec<(Status, i64)>,
    pub steps: Vec<StepTime>,
    pub on_time: OnTime,
    /// Average over all steps completed in the period, in days to one decimal.
    pub average_step_days: Option<f64>,
    /// The companies with the most orders.
    pub companies: Vec<Group>,
    /// The ISO partners with the most orders; without a name, the orders without a partner.
    pub isos: Vec<Group>,
    /// Fees of orders that are not cancelled.
    pub revenue: Vec<Fee>,
}

/// Figures of a month.
#[derive(Clone, Debug)]
pub struct StaffMonth {
    pub of: Month,
    /// Fees of the orders placed and not cancelled.
    pub revenue: Vec<Fee>,
    /// Steps completed in this month, whenever their orders were placed.
    pub steps: i64,
    /// Average duration of these steps, in days to one decimal.
    pub average_step_days: Option<f64>,
    pub requests: i64,
    pub sign_ins: i64,
    /// Recorded failures. Repeated ones are sampled in the activity log.
    pub failed_sign_ins: i64,
}

/// Orders of a country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountryRevenue {
    pub country: Country,
    pub spvs: i64,
    /// Fees of orders that are not cancelled.
    pub revenue: Vec<Fee>,
}

/// Orders of one company or partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub spvs: i64,
    pub revenue: Vec<Fee>,
}

/// Analytics of the office, in the time zone of the reader. Super admins.
///
/// # Errors
/// Forbidden; Invalid days.
#[tracing::instrument(level = "debug", name = "analytics.staff", skip_all)]
pub async fn staff(ctx: &Ctx, asked: &DateRangeQuery) -> Result<StaffAnalytics> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Admin))?;
    ctx.may(Action::View, Resource::Revenue)?;
    let zone = settings::person_zone(ctx).await?;
    let today = ctx.now().with_timezone(&zone).date_naive();
    let span = asked.span(today)?;
    let mut db = ctx.db();
    let found = store::read(&mut db, None, span.days(), zone, ctx.now()).await?;
    let money = store::fees(&mut db, span.days()).await?;
    let step_durations = store::step_durations(&mut db, span.days(), zone, ctx.now()).await?;
    let requests = store::requests(&mut db, span.days(), zone, ctx.now()).await?;
    let sign_ins = store::sign_ins(&mut db, span.days(), zone, ctx.now()).await?;
    let seen = [
        found.orders.iter().map(|row| row.month.clone()).collect::<Vec<_>>(),
        step_durations.iter().map(|row| row.0.clone()).collect(),
        requests.iter().map(|(month, _)| month.clone()).collect(),
        sign_ins.iter().map(|row| row.0.clone()).collect(),
    ]
    .concat();
    let figures = super::figures(&found, span.months(seen, today));
    let of = |list: &[(String, i64)], month: &str| list.iter().find(|row| row.0 == month).map_or(0, |row| row.1);
    let sign_in_counts: Vec<_> = sign_ins.iter().map(|row| (row.0.clone(), row.1)).collect();
    let failed_counts: Vec<_> = sign_ins.iter().map(|row| (row.0.clone(), row.2)).collect();
    let duration_of = |month: Option<&str>| {
        let rows = step_durations.iter().filter(|row| month.is_none_or(|month| row.0 == month));
        let (steps, seconds) = rows.fold((0_i64, 0_i64), |sum, row| (sum.0 + row.1, sum.1 + row.2));
        (steps, (steps > 0).then(|| super::days(seconds as f64 / steps as f64)))
    };
    let months = figures.months.into_iter().map(|month| StaffMonth {
        revenue: fees(money.iter().filter(|fee| fee.month == month.month)),
        steps: duration_of(Some(&month.month)).0,
        average_step_days: duration_of(Some(&month.month)).1,
        requests: of(&requests, &month.month),
        sign_ins: of(&sign_in_counts, &month.month),
        failed_sign_ins: of(&failed_counts, &month.month),
        of: month,
    });
    let countries = figures.countries.into_iter().map(|(country, spvs)| CountryRevenue {
        country,
        spvs,
        revenue: fees(money.iter().filter(|fee| fee.country == country)),
    });
    Ok(StaffAnalytics {
        span,
        total: figures.total,
        months: months.collect(),
        countries: countries.collect(),
        statuses: figures.statuses,
        steps: figures.steps,
        on_time: figures.on_time,
        average_step_days: duration_of(None).1,
        companies: groups(store::companies(&mut db, span.days()).await?),
        isos: groups(store::isos(&mut db, span.days()).await?),
        revenue: fees(money.iter()),
    })
}

fn fees<'a>(of: impl Iterator<Item = &'a store::FeeSum>) -> Vec<Fee> {
    let mut sums: Vec<Fee> = Vec::new();
    for fee in of {
        add(&mut sums, fee.currency, fee.minor);
    }
    sums.sort_by_key(|(currency, _)| *currency);
    sums
}

fn add(sums: &mut Vec<Fee>, currency: Currency, minor: i64) {
    match sums.iter_mut().find(|(known, _)| *known == currency) {
        Some((_, sum)) => *sum += minor,
        None => sums.push((currency, minor)),
    }
}

/// Number of groups that a chart shows.
const MAX_GROUPS: usize = 20;

fn groups(rows: Vec<store::GroupSum>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for row in rows {
        let at = groups.iter().position(|group| group.id == row.id).unwrap_or_else(|| {
            groups.push(Group { id: row.id, name: row.name.clone(), spvs: 0, revenue: Vec::new() });
            groups.len() - 1
        });
        groups[at].spvs += row.spvs;
        if row.minor != 0 {
            add(&mut groups[at].revenue, row.currency, row.minor);
        }
    }
    groups.sort_by(|a, b| b.spvs.cmp(&a.spvs).then_with(|| a.name.cmp(&b.name)));
    groups.truncate(MAX_GROUPS);
    groups
}
