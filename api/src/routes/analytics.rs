//! How a company's orders go.
use crate::{
    error::Result,
    extract::{Query, SignedIn},
    routes::{finances::WantedSpan, me::Named},
};
use axum::Json as Answer;
use chrono::NaiveDate;
use domain::{
    analytics,
    spvs::{Country, Status},
};
use serde::Serialize;
use utoipa::ToSchema;

/// Figures of the orders that were placed in the period.
#[derive(Debug, Serialize, ToSchema)]
pub struct Analytics {
    company: Named,
    /// Null where the period is open on this side.
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    total: i64,
    months: Vec<AnalyticsMonth>,
    countries: Vec<AnalyticsCountry>,
    /// Every status, in the order in which an order goes through them.
    statuses: Vec<AnalyticsStatus>,
    /// The slowest first.
    steps: Vec<AnalyticsStep>,
    on_time: OnTime,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsMonth {
    #[schema(example = "2026-11")]
    month: String,
    placed: i64,
    /// Of these, closed by now.
    closed: i64,
    cancelled: i64,
    on_time: OnTime,
}

/// Completed steps that had a due date.
#[derive(Debug, Serialize, ToSchema)]
pub struct OnTime {
    due: i64,
    /// Done by it.
    kept: i64,
    /// Whole percent; null where nothing was due.
    percent: Option<i64>,
}

impl From<analytics::OnTime> for OnTime {
    fn from(of: analytics::OnTime) -> Self {
        Self { due: of.due, kept: of.kept, percent: of.percent() }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsCountry {
    country: Country,
    spvs: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsStatus {
    status: Status,
    spvs: i64,
}

/// From the step before, or the order itself, to a step's completion.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsStep {
    name: String,
    completed: i64,
    median_days: f64,
    longest_days: f64,
}

/// A company's orders over time, by country, status and step.
#[utoipa::path(get, path = "/analytics", operation_id = "analytics_get", tag = "company", params(WantedSpan),
    responses((status = 200, body = Analytics)))]
pub async fn get(SignedIn(ctx): SignedIn, Query(wanted): Query<WantedSpan>) -> Result<Answer<Analytics>> {
    let (company, asked) = wanted.read();
    let found = analytics::get(&ctx, company, &asked).await?;
    let months = found.months.into_iter().map(|row| AnalyticsMonth {
        month: row.month,
        placed: row.placed,
        closed: row.closed,
        cancelled: row.cancelled,
        on_time: row.on_time.into(),
    });
    let steps = found.steps.into_iter().map(|row| AnalyticsStep {
        name: row.name,
        completed: row.completed,
        median_days: row.median_days,
        longest_days: row.longest_days,
    });
    Ok(Answer(Analytics {
        company: Named { id: found.company.id.0, name: found.company.name },
        from: found.span.from,
        to: found.span.to,
        total: found.total,
        months: months.collect(),
        countries: found.countries.into_iter().map(|(country, spvs)| AnalyticsCountry { country, spvs }).collect(),
        statuses: found.statuses.into_iter().map(|(status, spvs)| AnalyticsStatus { status, spvs }).collect(),
        steps: steps.collect(),
        on_time: found.on_time.into(),
    }))
}
