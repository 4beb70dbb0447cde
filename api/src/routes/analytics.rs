//! Analytics of a company and of the office.
use crate::{
    error::Result,
    extract::{Query, SignedIn},
    response::SerializedJson,
    routes::{finances::FinancesQuery, me::Named},
    state::AppState,
};
use axum::extract::{OriginalUri, State};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    Ctx,
    kernel::{date_range::DateRangeQuery, money::Currency},
    orders::{
        spvs::{Country, Status},
        templates,
    },
    platform::settings,
    reporting::analytics,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// Figures of the orders placed in the period.
#[derive(Debug, Serialize, ToSchema)]
pub struct Analytics {
    company: Named,
    /// Null when the period has no bound on this side.
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    total: i64,
    months: Vec<AnalyticsMonth>,
    countries: Vec<AnalyticsCountry>,
    /// Every status, in the order of the workflow.
    statuses: Vec<AnalyticsStatus>,
    /// Slowest first.
    steps: Vec<AnalyticsStep>,
    on_time: OnTime,
    /// When this was computed. Slow figures are cached for five minutes.
    as_of: DateTime<Utc>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsMonth {
    #[schema(example = "2026-11")]
    month: String,
    placed: i64,
    /// Of these, closed so far.
    closed: i64,
    cancelled: i64,
    on_time: OnTime,
}

/// Completed steps that had a due date.
#[derive(Debug, Serialize, ToSchema)]
pub struct OnTime {
    due: i64,
    /// Completed by the due date.
    kept: i64,
    /// Whole percent; null when nothing was due.
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

/// Days from the previous step, or from the order date, to a step's completion.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsStep {
    name: String,
    completed: i64,
    median_days: f64,
    longest_days: f64,
}

/// A company's orders over time, by country, status and step.
#[utoipa::path(get, path = "/analytics", operation_id = "analytics_get", tag = "company", params(FinancesQuery),
    responses((status = 200, body = Analytics)))]
pub async fn get(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    OriginalUri(url): OriginalUri,
    Query(query): Query<FinancesQuery>,
) -> Result<SerializedJson> {
    app.figures_cache
        .get(&ctx, &url, async { of_company(&ctx, query).await.map(|view| SerializedJson::of(&view)) })
        .await
}

async fn of_company(ctx: &Ctx, query: FinancesQuery) -> Result<Analytics> {
    let (company, asked) = query.read();
    let found = analytics::get(ctx, company, &asked).await?;
    Ok(Analytics {
        company: Named { id: found.company.id.0, name: found.company.name },
        from: found.span.from,
        to: found.span.to,
        total: found.total,
        months: found.months.into_iter().map(AnalyticsMonth::from).collect(),
        countries: countries(found.countries),
        statuses: statuses(found.statuses),
        steps: found.steps.into_iter().map(|row| AnalyticsStep::of(ctx, row)).collect(),
        on_time: found.on_time.into(),
        as_of: ctx.now(),
    })
}

fn countries(found: Vec<(Country, i64)>) -> Vec<AnalyticsCountry> {
    found.into_iter().map(|(country, spvs)| AnalyticsCountry { country, spvs }).collect()
}

fn statuses(found: Vec<(Status, i64)>) -> Vec<AnalyticsStatus> {
    found.into_iter().map(|(status, spvs)| AnalyticsStatus { status, spvs }).collect()
}

impl From<analytics::Month> for AnalyticsMonth {
    fn from(row: analytics::Month) -> Self {
        Self {
            month: row.month,
            placed: row.placed,
            closed: row.closed,
            cancelled: row.cancelled,
            on_time: row.on_time.into(),
        }
    }
}

impl AnalyticsStep {
    fn of(ctx: &Ctx, row: analytics::StepTime) -> Self {
        let name = templates::shown(ctx, &row.name);
        Self { name, completed: row.completed, median_days: row.median_days, longest_days: row.longest_days }
    }
}

/// Figures of the whole office in the period.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfficeAnalytics {
    /// Null when the period has no bound on this side.
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    total: i64,
    months: Vec<OfficeMonth>,
    countries: Vec<OfficeCountry>,
    statuses: Vec<AnalyticsStatus>,
    steps: Vec<AnalyticsStep>,
    on_time: OnTime,
    /// Of all steps completed in the period; null when there are none.
    average_step_days: Option<f64>,
    /// The ones with the most orders.
    companies: Vec<OfficeGroup>,
    /// Null for orders without a partner.
    isos: Vec<OfficeGroup>,
    /// Fees of all orders that are not cancelled.
    revenue: Vec<Fee>,
    /// The office's share.
    currency: Currency,
    /// When this was computed. Slow figures are cached for five minutes.
    as_of: DateTime<Utc>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OfficeMonth {
    #[serde(flatten)]
    of: AnalyticsMonth,
    /// Fees of the orders placed and not cancelled.
    revenue: Vec<Fee>,
    /// Completed in this month, whenever the orders were placed.
    steps: i64,
    /// Average duration; null when none was completed.
    average_step_days: Option<f64>,
    requests: i64,
    sign_ins: i64,
    failed_sign_ins: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct OfficeCountry {
    country: Country,
    spvs: i64,
    /// Fees of the orders that are not cancelled.
    revenue: Vec<Fee>,
}

/// A sum in one currency. Currencies are never added up.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fee {
    currency: Currency,
    #[schema(example = "1250.00")]
    amount: String,
}

/// Orders of one company or partner.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfficeGroup {
    id: Option<Uuid>,
    name: Option<String>,
    spvs: i64,
    revenue: Vec<Fee>,
}

fn fees(found: Vec<analytics::Fee>) -> Vec<Fee> {
    found.into_iter().map(|(currency, minor)| Fee { currency, amount: currency.format(minor) }).collect()
}

fn groups(found: Vec<analytics::Group>) -> Vec<OfficeGroup> {
    let group =
        |row: analytics::Group| OfficeGroup { id: row.id, name: row.name, spvs: row.spvs, revenue: fees(row.revenue) };
    found.into_iter().map(group).collect()
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OfficeAnalyticsQuery {
    /// `this_month`, `last_month`, `this_year`, `last_year` or `all_time`; default: `this_year`.
    period: Option<String>,
    /// The first day, instead of a period.
    from: Option<String>,
    /// Last day.
    to: Option<String>,
}

/// Figures of the whole office: orders, fees, step times, requests and sign-ins over time, by country, company and
/// partner. Super admins.
#[utoipa::path(get, path = "/analytics/office", operation_id = "analytics_office", tag = "system", params(OfficeAnalyticsQuery),
    responses((status = 200, body = OfficeAnalytics)))]
pub async fn office(
    State(app): State<AppState>,
    SignedIn(ctx): SignedIn,
    OriginalUri(url): OriginalUri,
    Query(query): Query<OfficeAnalyticsQuery>,
) -> Result<SerializedJson> {
    app.figures_cache
        .get(&ctx, &url, async { of_office(&ctx, query).await.map(|view| SerializedJson::of(&view)) })
        .await
}

async fn of_office(ctx: &Ctx, query: OfficeAnalyticsQuery) -> Result<OfficeAnalytics> {
    let asked = DateRangeQuery { period: query.period, from: query.from, to: query.to };
    let found = analytics::staff(ctx, &asked).await?;
    let months = found.months.into_iter().map(|row| OfficeMonth {
        of: row.of.into(),
        revenue: fees(row.revenue),
        steps: row.steps,
        average_step_days: row.average_step_days,
        requests: row.requests,
        sign_ins: row.sign_ins,
        failed_sign_ins: row.failed_sign_ins,
    });
    let countries = found.countries.into_iter().map(|row| OfficeCountry {
        country: row.country,
        spvs: row.spvs,
        revenue: fees(row.revenue),
    });
    Ok(OfficeAnalytics {
        from: found.span.from,
        to: found.span.to,
        total: found.total,
        months: months.collect(),
        countries: countries.collect(),
        statuses: statuses(found.statuses),
        steps: found.steps.into_iter().map(|row| AnalyticsStep::of(ctx, row)).collect(),
        on_time: found.on_time.into(),
        average_step_days: found.average_step_days,
        companies: groups(found.companies),
        isos: groups(found.isos),
        revenue: fees(found.revenue),
        currency: settings::currency(ctx).await?,
        as_of: ctx.now(),
    })
}
