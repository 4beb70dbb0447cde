//! Export of invoices.
use super::column::{Column, column, optional};
use crate::{
    kernel::{
        ctx::Ctx,
        error::Result,
        money,
        page::{Page, PageQuery},
    },
    orders::invoices::{self, Filter, Invoice},
    platform::settings,
};
use chrono::NaiveDate;

/// An invoice on the office's current date, by which it is overdue or not.
pub(super) struct Row {
    invoice: Invoice,
    today: NaiveDate,
}

pub(super) const COLUMNS: &[Column<Row>] = &[
    column("id", |_, row| row.invoice.id.to_string()),
    column("number", |_, row| row.invoice.name()),
    column("former_number", |_, row| optional(&row.invoice.former_number)),
    column("client_name", |_, row| row.invoice.client_name()),
    column("client_email", |_, row| row.invoice.client_email.clone()),
    column("spv_identifier", |_, row| row.invoice.spv_identifier()),
    column("billed_to", |_, row| row.invoice.billed_to.clone()),
    column("issued_date", |_, row| row.invoice.issued_date.to_string()),
    column("due_date", |_, row| row.invoice.due_date.to_string()),
    column("status", |_, row| row.invoice.status.name().to_owned()),
    column("overdue", |_, row| row.invoice.is_overdue(row.today).to_string()),
    column("currency", |_, row| row.invoice.currency.code().to_owned()),
    column("total", |_, row| row.invoice.currency.format(row.invoice.total_minor)),
    column("tax", |_, row| row.invoice.currency.format(row.invoice.tax_minor)),
    column("tax_percent", |_, row| tax_percent(&row.invoice).map(money::format_percent).unwrap_or_default()),
    column("description", |_, row| row.invoice.description()),
    column("credited", |_, row| row.invoice.currency.format(row.invoice.credited_minor)),
    column("paid", |_, row| row.invoice.currency.format(row.invoice.paid_minor)),
    column("due", |_, row| row.invoice.currency.format(row.invoice.due_minor())),
    column("credit", |_, row| row.invoice.currency.format(row.invoice.credit_minor())),
    column("void_reason", |_, row| optional(&row.invoice.void_reason)),
];

/// The rate of all its lines, if there is one.
fn tax_percent(invoice: &Invoice) -> Option<i64> {
    let (first, others) = invoice.lines.split_first()?;
    others.iter().all(|line| line.tax_percent == first.tax_percent).then_some(first.tax_percent)
}

pub(super) async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Row>> {
    let today = settings::office_today(ctx).await?;
    Ok(invoices::list(ctx, filter, page).await?.map(|invoice| Row { invoice, today }))
}
