//! Reports of a company: tables for the screen, files and print, whose totals agree with the other pages.
mod model;
mod schedule_store;
pub(crate) mod schedules;
mod store;

pub use model::{Cells, Column, Frequency, Kind, Recipient, Report, Schedule, Sum, Totals};
pub use schedules::{Change, Input, admins, can, create, delete, get, list, mail_due, update};

use crate::{
    accounts::auth,
    directory::companies::{self, Company},
    kernel::{
        access::Scope,
        csv,
        ctx::Ctx,
        date_range::{DateRange, DateRangeQuery},
        db::ScopedFutureExt,
        error::Result,
        ids::{CompanyId, SpvId},
        money::Currency,
        page::{MAX_LIMIT, Page, PageQuery, at_most},
    },
    orders::{
        commissions::{self, Commission},
        spvs::display_identifier,
        templates,
    },
    platform::activity::{self, Event},
    reporting::{analytics::days, exports},
};
use chrono::{DateTime, NaiveDate, Utc};

/// A report of a company and period.
#[derive(Clone, Debug)]
pub struct ReportQuery {
    pub report: Report,
    pub company_id: Option<CompanyId>,
    pub asked: DateRangeQuery,
}

/// A page of a report's rows.
#[derive(Clone, Debug)]
pub struct ReportChunk {
    pub company: Company,
    pub span: DateRange,
    pub rows: Page<Cells>,
}

/// Rows of a report, the newest first. The limit counts rows; for step times it counts orders, with all their steps.
///
/// # Errors
/// As [`companies::portal`]; Invalid days, limit or cursor.
#[tracing::instrument(level = "debug", name = "reports.page", skip_all)]
pub async fn page(ctx: &Ctx, query: &ReportQuery, page: &PageQuery) -> Result<ReportChunk> {
    let company = companies::portal(ctx, query.company_id).await?;
    let span = query.asked.span(company.today(ctx.now()))?;
    let limit = page.limit()?;
    let mut db = ctx.db();
    let rows = match query.report {
        Report::Portfolio => {
            let found = store::orders(&mut db, company.id, span.days(), page.after()?, limit + 1).await?;
            Page::from_rows(found, limit, |row| (row.ordered_date, row.created_at, row.id))
                .map(|row| order(&company, row))
        }
        Report::Commissions => {
            let filter = filter(span);
            let scope = Scope::Company(company.id);
            commissions::list_in(ctx, scope, &filter, page).await?.map(commission)
        }
        Report::StepTimes => {
            let found = store::steps(&mut db, company.id, span.days(), page.after()?, limit + 1).await?;
            page_by_order(found, limit).map(|row| step(ctx, &company, row))
        }
    };
    Ok(ReportChunk { company, span, rows })
}

/// Totals of the whole report.
///
/// # Errors
/// As [`page`].
#[tracing::instrument(level = "debug", name = "reports.totals", skip_all)]
pub async fn totals(ctx: &Ctx, query: &ReportQuery) -> Result<Totals> {
    let company = companies::portal(ctx, query.company_id).await?;
    let span = query.asked.span(company.today(ctx.now()))?;
    let mut db = ctx.db();
    Ok(match query.report {
        Report::Portfolio => {
            let found = store::order_sums(&mut db, company.id, span.days()).await?;
            Totals {
                rows: found.iter().map(|sums| sums.1).sum(),
                sums: found
                    .into_iter()
                    .map(|(currency, _, amount, invoiced, paid)| Sum {
                        currency,
                        amounts: vec![("amount", amount), ("invoiced", invoiced), ("paid", paid)],
                    })
                    .collect(),
            }
        }
        Report::Commissions => {
            let (scope, filter) = (Scope::Company(company.id), filter(span));
            let found = commissions::total_rows(&mut db, scope, &filter).await?;
            Totals {
                rows: commissions::count(&mut db, scope, &filter).await?,
                sums: found
                    .into_iter()
                    .map(|sums| Sum { currency: sums.currency, amounts: vec![("amount", sums.total_minor())] })
                    .collect(),
            }
        }
        Report::StepTimes => Totals { rows: store::step_count(&mut db, company.id, span.days()).await?, sums: vec![] },
    })
}

/// The first page as CSV, with the header line. The export is recorded in the activity log.
///
/// # Errors
/// As [`page`].
#[tracing::instrument(level = "debug", name = "reports.first_page", skip_all)]
pub async fn first_page(ctx: &Ctx, query: &ReportQuery) -> Result<exports::CsvPage> {
    let rest = next_page(ctx, query, None).await?;
    let mut text = String::new();
    csv::write_line(&mut text, query.report.columns().iter().map(|(name, _)| (*name).to_owned()));
    text.push_str(&rest.text);
    log_export(ctx, query).await?;
    Ok(exports::CsvPage { text, ..rest })
}

/// The page after `cursor` as CSV. Revalidates the session, as pages can be hours apart.
///
/// # Errors
/// As [`page`]; Unauthenticated if the session ended since the first page.
#[tracing::instrument(level = "debug", name = "reports.next_page", skip_all)]
pub async fn next_page(ctx: &Ctx, query: &ReportQuery, cursor: Option<String>) -> Result<exports::CsvPage> {
    if cursor.is_some() {
        auth::revalidate_session(&mut ctx.db(), ctx).await?;
    }
    let found = page(ctx, query, &PageQuery { limit: Some(MAX_LIMIT), cursor }).await?.rows;
    let mut text = String::new();
    found.items.into_iter().for_each(|cells| csv::write_line(&mut text, cells));
    Ok(exports::CsvPage { text, next_cursor: found.next_cursor })
}

/// All rows. The export is recorded in the activity log.
///
/// # Errors
/// As [`page`]; Invalid `period` for more than [`crate::kernel::page::MAX_EXPORT_ROWS`] rows.
#[tracing::instrument(level = "debug", name = "reports.all_rows", skip_all)]
pub async fn all_rows(ctx: &Ctx, query: &ReportQuery) -> Result<Vec<Cells>> {
    let mut page_query = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let mut rows = Vec::new();
    loop {
        let found = page(ctx, query, &page_query).await?.rows;
        rows.extend(found.items);
        at_most(rows.len())?;
        match found.next_cursor {
            Some(cursor) => page_query.cursor = Some(cursor),
            None => break,
        }
    }
    log_export(ctx, query).await?;
    Ok(rows)
}

async fn log_export(ctx: &Ctx, query: &ReportQuery) -> Result<()> {
    let company = ctx.actor.company(query.company_id)?;
    let event = &Event::new("export.made", "export", company.0, query.report.name()).of(None, Some(company), None);
    ctx.transaction(|tx| activity::append(tx, ctx, event.clone()).scope_boxed()).await
}

fn filter(span: DateRange) -> commissions::Filter {
    commissions::Filter { from: span.from, to: span.to, ..commissions::Filter::default() }
}

/// A page of `limit` orders, from the steps of one more.
fn page_by_order(mut rows: Vec<store::Step>, limit: usize) -> Page<store::Step> {
    let mut seen: Vec<(SpvId, NaiveDate, DateTime<Utc>)> = Vec::new();
    for row in &rows {
        if seen.last().is_none_or(|(id, ..)| *id != row.spv_id) {
            seen.push((row.spv_id, row.ordered_date, row.created_at));
        }
    }
    let orders: Vec<_> = seen.iter().map(|(id, date, at)| (*date, *at, *id)).collect();
    let first_beyond = seen.get(limit).map(|(id, ..)| *id);
    rows.retain(|row| Some(row.spv_id) != first_beyond);
    let next_cursor = Page::from_rows(orders, limit, |key| *key).next_cursor;
    Page { items: rows, next_cursor }
}

fn amount(currency: Currency, minor: i64) -> String {
    currency.format(minor)
}

fn day(date: Option<NaiveDate>) -> String {
    date.map(|date| date.to_string()).unwrap_or_default()
}

/// Dates are in the time zone of the company.
fn order(company: &Company, row: store::Order) -> Cells {
    let iso = row.iso_first_name.zip(row.iso_last_name).map(|(first, last)| format!("{first} {last}"));
    vec![
        display_identifier(row.id, row.custom_identifier.as_deref()),
        format!("{} {}", row.client_first_name, row.client_last_name),
        iso.unwrap_or_default(),
        row.country.code().to_owned(),
        row.status.name().to_owned(),
        row.ordered_date.to_string(),
        day(row.closed_at.map(|at| company.today(at))),
        crate::kernel::order::percent(row.steps_completed, row.steps_total).to_string(),
        row.currency.code().to_owned(),
        amount(row.currency, row.amount_minor),
        amount(row.currency, row.invoiced_minor),
        amount(row.currency, row.paid_minor),
    ]
}

fn commission(row: Commission) -> Cells {
    // Sums to the statement.
    let counted = row.counted_minor();
    vec![
        row.earned_date.to_string(),
        row.iso_name(),
        row.spv_identifier(),
        row.client_name(),
        row.status.name().to_owned(),
        day(row.paid_date),
        row.run().unwrap_or_default(),
        row.currency.code().to_owned(),
        amount(row.currency, counted),
    ]
}

fn step(ctx: &Ctx, company: &Company, row: store::Step) -> Cells {
    let done = company.today(row.completed_at);
    let seconds = (row.completed_at.timestamp() - row.since.timestamp()).max(0);
    let on_time = row.due_date.map(|due| if done <= due { "yes" } else { "no" });
    vec![
        display_identifier(row.spv_id, row.custom_identifier.as_deref()),
        format!("{} {}", row.client_first_name, row.client_last_name),
        row.country.code().to_owned(),
        templates::shown(ctx, &row.step_name),
        row.owner.name().to_owned(),
        row.ordered_date.to_string(),
        day(row.due_date),
        done.to_string(),
        format!("{:.1}", days(seconds as f64)),
        on_time.unwrap_or_default().to_owned(),
    ]
}
