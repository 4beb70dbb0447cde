//! The whole office in figures: orders, fees, step times, requests and sign-ins over time; by country, company and
//! partner.
use super::{Month, OnTime, StepTime, store};
use crate::{
    kernel::{
        access::{Action, Portal, Resource},
        ctx::Ctx,
        date_range::{Asked, Span},
        error::Result,
        money::Currency,
    },
    orders::spvs::{Country, Status},
    platform::settings,
};
use uuid::Uuid;

/// An amount in one currency, in minor units.
pub type Fee = (Currency, i64);

#[derive(Clone, Debug)]
pub struct Office {
    pub span: Span,
    pub total: i64,
    pub months: Vec<OfficeMonth>,
    pub countries: Vec<OfficeCountry>,
    pub statuses: Vec<(Status, i64)>,
    pub steps: Vec<StepTime>,
    pub on_time: OnTime,
    /// Of all that were completed in the span, in days to one decimal.
    pub average_step_days: Option<f64>,
    /// Those with the most orders.
    pub companies: Vec<Group>,
    /// The same of ISO partners; no name are orders without one.
    pub isos: Vec<Group>,
    /// Fees of all that is not cancelled.
    pub revenue: Vec<Fee>,
}

#[derive(Clone, Debug)]
pub struct OfficeMonth {
    pub of: Month,
    /// Fees of the orders that were placed and not cancelled.
    pub revenue: Vec<Fee>,
    /// Completed in this month, whenever their orders were placed.
    pub steps: i64,
    /// How long one of them took, in days to one decimal; none where none was completed.
    pub average_step_days: Option<f64>,
    pub requests: i64,
    pub sign_ins: i64,
    /// Those that the log tells of: of repeated ones it hears ever more rarely.
    pub failed_sign_ins: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficeCountry {
    pub country: Country,
    pub spvs: i64,
    /// Fees of those that are not cancelled.
    pub revenue: Vec<Fee>,
}

/// Orders that have a company or a partner in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub spvs: i64,
    pub revenue: Vec<Fee>,
}

/// The office's analytics, by the clock of whoever asks. Super admins.
///
/// # Errors
/// Forbidden; Invalid days.
pub async fn office(ctx: &Ctx, asked: &Asked) -> Result<Office> {
    ctx.may(Action::View, Resource::Dashboard(Portal::Admin))?;
    ctx.may(Action::View, Resource::Revenue)?;
    let zone = settings::person_zone(ctx).await?;
    let today = ctx.now().with_timezone(&zone).date_naive();
    let span = asked.span(today)?;
    let mut db = ctx.db();
    let found = store::read(&mut db, None, span.days(), zone, ctx.now()).await?;
    let money = store::fees(&mut db, span.days()).await?;
    let step_times = store::step_times(&mut db, span.days(), zone, ctx.now()).await?;
    let requests = store::requests(&mut db, span.days(), zone, ctx.now()).await?;
    let sign_ins = store::sign_ins(&mut db, span.days(), zone, ctx.now()).await?;
    let seen = [
        found.orders.iter().map(|row| row.month.clone()).collect::<Vec<_>>(),
        step_times.iter().map(|row| row.0.clone()).collect(),
        requests.iter().map(|(month, _)| month.clone()).collect(),
        sign_ins.iter().map(|row| row.0.clone()).collect(),
    ]
    .concat();
    let figures = super::figures(&found, span.months(seen, today));
    let of = |list: &[(String, i64)], month: &str| list.iter().find(|row| row.0 == month).map_or(0, |row| row.1);
    let signed: Vec<_> = sign_ins.iter().map(|row| (row.0.clone(), row.1)).collect();
    let refused: Vec<_> = sign_ins.iter().map(|row| (row.0.clone(), row.2)).collect();
    let took = |month: Option<&str>| {
        let rows = step_times.iter().filter(|row| month.is_none_or(|month| row.0 == month));
        let (steps, seconds) = rows.fold((0_i64, 0_i64), |sum, row| (sum.0 + row.1, sum.1 + row.2));
        (steps, (steps > 0).then(|| super::days(seconds as f64 / steps as f64)))
    };
    let months = figures.months.into_iter().map(|month| OfficeMonth {
        revenue: fees(money.iter().filter(|fee| fee.month == month.month)),
        steps: took(Some(&month.month)).0,
        average_step_days: took(Some(&month.month)).1,
        requests: of(&requests, &month.month),
        sign_ins: of(&signed, &month.month),
        failed_sign_ins: of(&refused, &month.month),
        of: month,
    });
    let countries = figures.countries.into_iter().map(|(country, spvs)| OfficeCountry {
        country,
        spvs,
        revenue: fees(money.iter().filter(|fee| fee.country == country)),
    });
    Ok(Office {
        span,
        total: figures.total,
        months: months.collect(),
        countries: countries.collect(),
        statuses: figures.statuses,
        steps: figures.steps,
        on_time: figures.on_time,
        average_step_days: took(None).1,
        companies: groups(store::companies(&mut db, span.days()).await?),
        isos: groups(store::isos(&mut db, span.days()).await?),
        revenue: fees(money.iter()),
    })
}

fn fees<'a>(of: impl Iterator<Item = &'a store::Fees>) -> Vec<Fee> {
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

/// How many of them a chart shows.
const MOST: usize = 20;

fn groups(rows: Vec<store::GroupRow>) -> Vec<Group> {
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
    groups.truncate(MOST);
    groups
}
