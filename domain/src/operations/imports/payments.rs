//! Imports a payment of an invoice.
use super::{Columns, Import, Row, RowPlan, cell, text, write::Write};
use crate::{
    kernel::{
        ctx::Ctx,
        error::{Error, Problem, Result},
        money::Currency,
        validate::{self, Validator},
    },
    orders::{
        invoices::{self, Invoice, ReceivedPayment, Status, imported},
        spvs::MAX_IDENTIFIER_LENGTH,
    },
    platform::settings,
};
use chrono::NaiveDate;

pub(super) const COLUMNS: Columns = Columns {
    required: &["invoice_number", "received_date", "amount"],
    optional: &["currency", "note"],
    unread: &["id", "client_name", "client_email", "spv_identifier", "method", "recorded_by", "recorded_at"],
};

/// Plans a row. Payments have no number, so they are counted: an invoice has as many of one date and amount as the file has rows
/// of them, however often it is imported.
///
/// # Errors
/// Invalid per field; Conflict `invoice_settled` of a void invoice.
pub(super) async fn plan(import: &mut Import, row: &Row) -> Result<RowPlan> {
    let ctx = &import.ctx.clone();
    let mut check = Validator::new();
    let number = check.single_line("invoice_number", text(row, "invoice_number"), MAX_IDENTIFIER_LENGTH);
    let invoice = if number.is_empty() { None } else { find_invoice(&mut check, ctx, &number).await? };
    let today = settings::office_today(ctx).await?;
    let received = invoice.as_ref().and_then(|invoice| read_row(&mut check, row, invoice, today));
    check.finish()?;
    let (Some(invoice), Some(received)) = (invoice, received) else { return Err(Error::NotFound("invoice")) };
    let key = (invoice.id, received.received_date, received.amount_minor);
    let count = import.payments.entry(key).or_default();
    *count += 1;
    let nth = *count - 1;
    let existing = imported::payments(&mut ctx.db(), invoice.id).await?;
    let same = |payment: &invoices::Payment| {
        (payment.received_date, payment.amount_minor) == (received.received_date, received.amount_minor)
    };
    if existing.iter().filter(|payment| same(payment)).nth(nth).is_some() {
        return Ok(RowPlan::Existing { spelling: None, differences: Vec::new(), update: None });
    }
    if invoice.status == Status::Void {
        return Err(Error::Conflict(Problem::new("invoice_settled").with("status", invoice.status.name())));
    }
    Ok(RowPlan::New(Write::NewPayment(invoice.id, received)))
}

async fn find_invoice(check: &mut Validator, ctx: &Ctx, number: &str) -> Result<Option<Invoice>> {
    let found = imported::named(&mut ctx.db(), number).await?;
    Ok(check.read("invoice_number", found))
}

fn read_row(check: &mut Validator, row: &Row, invoice: &Invoice, today: NaiveDate) -> Option<ReceivedPayment> {
    let currency = check.optional("currency", cell(row, "currency"), str::parse::<Currency>);
    if currency.is_some_and(|currency| currency != invoice.currency) {
        check.reject("currency", Problem::new("other_currency").with("currency", invoice.currency.code()));
    }
    let amount_minor = check.required("amount", cell(row, "amount"), |text| match invoice.currency.parse(text)? {
        0 => Err(Problem::new("not_positive")),
        minor => Ok(minor),
    });
    let received_date = check.required("received_date", cell(row, "received_date"), validate::date);
    if received_date.is_some_and(|date| date > today) {
        check.reject("received_date", Problem::new("future"));
    }
    let note = check.optional_text("note", cell(row, "note"));
    Some(ReceivedPayment { amount_minor: amount_minor?, received_date: received_date?, note, keeps_excess: true })
}
