//! Reports of a company: JSON, CSV, XLSX.
use crate::{
    error::Result,
    extract::{Query, SignedIn, empty_string_as_none},
    response::JsonBody,
    routes::{
        exports::{file, streamed},
        me::Named,
    },
    xlsx,
};
use axum::response::Response;
use chrono::NaiveDate;
use domain::{
    Error,
    kernel::{date_range::DateRangeQuery, error::Problem, ids::CompanyId, money::Currency, page::PageQuery},
    platform::settings,
    reporting::reports::{self, Kind, Report},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Company and period of a report.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// `portfolio`, `commissions` or `step_times`.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    report: Option<String>,
    /// The company. Required for super admins; company admins have only their own.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    company_id: Option<CompanyId>,
    /// `this_month`, `last_month`, `this_year`, `last_year` or `all_time`; default: `this_year`. Orders by the day
    /// placed, commissions by the day earned.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    period: Option<String>,
    /// First day, instead of a period.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(example = "2026-01-01")]
    from: Option<String>,
    /// Last day, instead of a period.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(example = "2026-12-31")]
    to: Option<String>,
    /// Rows, or orders for step times: 1 to 500; default: 50. Files contain all rows.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ReportQuery {
    fn read(self) -> Result<(reports::ReportQuery, PageQuery)> {
        let text = self.report.as_deref().unwrap_or_default();
        let report = if text.is_empty() { Err(Problem::new("required")) } else { text.parse() };
        let report = report.map_err(|problem| Error::field_with("report", problem))?;
        let asked = DateRangeQuery { period: self.period, from: self.from, to: self.to };
        let query = reports::ReportQuery { report, company_id: self.company_id, asked };
        Ok((query, PageQuery { limit: self.limit, cursor: self.cursor }))
    }
}

/// A page of a report, and its totals.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportPage {
    company: Named,
    report: Report,
    /// Null when the period has no bound on this side.
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    columns: Vec<ReportColumn>,
    /// Number of rows of the whole report. Null after the first page.
    total: Option<i64>,
    /// Totals of the whole report, one per currency. Null after the first page.
    sums: Option<Vec<ReportSum>>,
    /// A row is a text for each column, empty where there is no value.
    items: Vec<Vec<String>>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ReportColumn {
    #[schema(example = "ordered_date")]
    name: &'static str,
    kind: Kind,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ReportSum {
    currency: Currency,
    amounts: Vec<ReportAmount>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ReportAmount {
    /// Column of the total.
    #[schema(example = "invoiced")]
    column: &'static str,
    #[schema(example = "1250.00")]
    amount: String,
}

/// A report of a company, newest first.
#[utoipa::path(get, path = "/reports", operation_id = "report_get", tag = "company", params(ReportQuery),
    responses((status = 200, body = ReportPage)))]
pub async fn get(SignedIn(ctx): SignedIn, Query(query): Query<ReportQuery>) -> Result<JsonBody<ReportPage>> {
    let (query, page) = query.read()?;
    let found = reports::page(&ctx, &query, &page).await?;
    // Totals need a full scan, so only the first page has them.
    let totals = match page.cursor.as_deref() {
        None | Some("") => Some(reports::totals(&ctx, &query).await?),
        Some(_) => None,
    };
    let (total, sums) = totals.map(|totals| (totals.rows, totals.sums)).unzip();
    let sum = |sum: reports::Sum| ReportSum {
        currency: sum.currency,
        amounts: sum
            .amounts
            .into_iter()
            .map(|(column, minor)| ReportAmount { column, amount: sum.currency.format(minor) })
            .collect(),
    };
    Ok(JsonBody(ReportPage {
        company: Named { id: found.company.id.0, name: found.company.name },
        report: query.report,
        from: found.span.from,
        to: found.span.to,
        columns: query.report.columns().iter().map(|(name, kind)| ReportColumn { name, kind: *kind }).collect(),
        total,
        sums: sums.map(|sums| sums.into_iter().map(sum).collect()),
        items: found.rows.items,
        next_cursor: found.rows.next_cursor,
    }))
}

/// The whole report as CSV.
#[utoipa::path(get, path = "/reports.csv", operation_id = "report_csv", tag = "company", params(ReportQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn csv(SignedIn(ctx): SignedIn, Query(query): Query<ReportQuery>) -> Result<Response> {
    let (query, _) = query.read()?;
    let first = reports::first_page(&ctx, &query).await?;
    let name = format!("{}-{}.csv", query.report.name(), settings::person_today(&ctx).await?);
    Ok(streamed(&name, first, move |cursor| {
        let (ctx, query) = (ctx.clone(), query.clone());
        async move { reports::next_page(&ctx, &query, Some(cursor)).await }
    }))
}

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The whole report as an Excel workbook, with titles in your language. At most 50,000 rows.
#[utoipa::path(get, path = "/reports.xlsx", operation_id = "report_xlsx", tag = "company", params(ReportQuery),
    responses((status = 200, body = String,
        content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")))]
pub async fn workbook(SignedIn(ctx): SignedIn, Query(query): Query<ReportQuery>) -> Result<Response> {
    let (query, _) = query.read()?;
    let rows = reports::all_rows(&ctx, &query).await?;
    let (report, language) = (query.report, ctx.language().to_owned());
    let made = tokio::task::spawn_blocking(move || xlsx::workbook(report, &rows, &language));
    let bytes = made.await.map_err(Error::internal)??;
    let name = format!("{}-{}.xlsx", report.name(), settings::person_today(&ctx).await?);
    Ok(file(&name, XLSX, bytes))
}
