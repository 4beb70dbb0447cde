//! Invoices and payments of another system, as an import inserts them, and their removal by its undo.
use super::{
    Bill, ImportedBill, Invoice, InvoiceFacts, InvoiceableOrder, LineText, Payment, Status, bump_version, insert_bill,
    lines::{Line, LineKind, TaxTerms, totals},
    model::invoice_name,
    payment_method::{BankTransfer, PaymentMethod, ReceivedPayment},
    save, store, void_within,
};
use crate::{
    kernel::{
        clock::{self, Clock},
        ctx::Ctx,
        db::{Db, Tx},
        error::{Error, Problem, Result},
        ids::{InvoiceId, PaymentId, SpvId},
        money::Currency,
    },
    orders::{spvs, steps},
    platform::{
        activity::{self, Event},
        rollups, settings,
    },
};
use chrono::{Datelike, Days, NaiveDate};
use chrono_tz::Tz;

/// Longer numbers are not kept: the next number of the year would be as long.
const MAX_NUMBER_DIGITS: usize = 6;

/// An invoice of another system. Amounts are minor units of `currency`.
#[derive(Clone, Debug)]
pub(crate) struct ImportedInvoice {
    pub spv_id: SpvId,
    pub number: ImportedNumber,
    pub currency: Currency,
    /// With the tax.
    pub total_minor: i64,
    /// Tax rate in ten-thousandths of a percent.
    pub tax_percent: i64,
    pub issued_date: NaiveDate,
    /// By the office's terms by default.
    pub due_date: Option<NaiveDate>,
    /// The formation of the order by default.
    pub description: Option<String>,
    /// The client's name by default.
    pub billed_to: Option<String>,
    /// Of a void invoice.
    pub void_reason: Option<String>,
}

impl ImportedInvoice {
    /// The tax within the total.
    pub fn tax_minor(total_minor: i64, tax_percent: i64) -> i64 {
        let line = Line::single(String::new(), LineKind::Fee, total_minor, tax_percent);
        totals(&[line], true, settings::TaxRounding::default()).tax_minor
    }
}

/// The number of an imported invoice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportedNumber {
    /// The number to keep: one in the portal's form, such as `2025-0007`, whose year is the year of issue. Without one the
    /// invoice gets the next number of its year.
    pub kept: Option<i64>,
    /// The number in the system that issued it, if that is another one.
    pub former: Option<String>,
    /// The highest number of the year that the file keeps. A number that is not kept must be higher.
    pub after: i64,
}

impl ImportedNumber {
    /// Reads the number of an invoice that was issued on this day, and its former number.
    ///
    /// # Errors
    /// `not_allowed` for a former number beside one that is not kept.
    pub fn read(text: &str, former: Option<String>, issued_date: NaiveDate) -> Result<Self, Problem> {
        let own_form = |digits: &&str| {
            (4..=MAX_NUMBER_DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        };
        let digits = text.strip_prefix(&format!("{}-", issued_date.year())).filter(own_form);
        match (digits.and_then(|digits| digits.parse().ok()).filter(|number| *number > 0), former) {
            (Some(number), former) => Ok(Self { kept: Some(number), former, after: 0 }),
            (None, None) => Ok(Self { kept: None, former: Some(text.to_owned()), after: 0 }),
            (None, Some(_)) => Err(Problem::new("not_allowed")),
        }
    }
}

/// The context of a write as of the start of a day of the office.
async fn as_of(tx: &mut Tx, ctx: &Ctx, day: NaiveDate) -> Result<Ctx> {
    let zone = settings::within(tx).await?.time_zone().parse().unwrap_or(Tz::UTC);
    let at = clock::start_of_day(day, zone).min(ctx.now());
    Ok(Ctx { clock: Clock::fixed(at), ..ctx.clone() })
}

/// The invoice with the number, or with the former number in its year, of an imported one.
pub(crate) async fn find(db: &mut Db, number: &ImportedNumber, issued_date: NaiveDate) -> Result<Option<Invoice>> {
    let year = i64::from(issued_date.year());
    let mut id = None;
    if let Some(number) = number.kept {
        id = store::by_number(db, year, number).await?;
    }
    if let (None, Some(former)) = (id, &number.former) {
        let found = store::by_former_number(db, former).await?;
        id = found.into_iter().find(|(_, of)| *of == year).map(|(id, _)| id);
    }
    match id {
        Some(id) => store::get(db, id).await,
        None => Ok(None),
    }
}

/// The invoice that a payment names: by its number as it is printed, or by its former number.
///
/// # Errors
/// `not_found`; `ambiguous_number` for a number that several invoices have or had.
pub(crate) async fn named(db: &mut Db, name: &str) -> Result<Result<Invoice, Problem>> {
    let mut ids: Vec<InvoiceId> = store::by_former_number(db, name).await?.into_iter().map(|(id, _)| id).collect();
    let own = store::parse_number(name).filter(|(year, number)| invoice_name(*year, *number) == name);
    if let Some((year, number)) = own {
        ids.extend(store::by_number(db, year, number).await?);
    }
    ids.sort_by_key(|id| id.0);
    ids.dedup();
    match ids.as_slice() {
        [id] => Ok(store::get(db, *id).await?.ok_or_else(|| Problem::new("not_found"))),
        [] => Ok(Err(Problem::new("not_found"))),
        _ => Ok(Err(Problem::new("ambiguous_number"))),
    }
}

/// Locks orders and invoices by their ids, as the other writers do, before a batch of rows is written.
pub(crate) async fn lock_all(tx: &mut Tx, mut orders: Vec<SpvId>, mut invoices: Vec<InvoiceId>) -> Result<()> {
    orders.sort_by_key(|id| id.0);
    orders.dedup();
    for id in orders {
        spvs::lock(tx, id).await?;
    }
    invoices.sort_by_key(|id| id.0);
    invoices.dedup();
    for id in invoices {
        store::lock(tx, id).await?;
    }
    Ok(())
}

/// The payments of an invoice.
pub(crate) async fn payments(db: &mut Db, invoice: InvoiceId) -> Result<Vec<Payment>> {
    store::payments(db, invoice).await
}

/// Inserts an invoice as of its date of issue; the caller has locked its order ([`lock_all`]). No reminder is sent for one that
/// is overdue or nearly so.
///
/// # Errors
/// NotFound for an unknown order; a unique violation for a number that is taken.
pub(crate) async fn insert(tx: &mut Tx, ctx: &Ctx, new: &ImportedInvoice) -> Result<InvoiceId> {
    let (spv, _) = spvs::find_with_steps(tx, new.spv_id).await?.ok_or(Error::NotFound("spv"))?;
    let office = settings::within(tx).await?;
    let identifier = spv.identifier();
    let order = InvoiceableOrder::of(&spv, &identifier);
    let description = match &new.description {
        Some(text) => text.clone(),
        None => LineText::Formation.words(&store::bill_to(tx, spv.client_id).await?.language, &order),
    };
    let bill = Bill {
        currency: new.currency,
        manual: true,
        lines: vec![Line::single(description, LineKind::Fee, new.total_minor, new.tax_percent)],
        tax: TaxTerms {
            included: true,
            rounding: office.billing.tax_rounding.unwrap_or_default(),
            name: office.billing.tax_name.clone().filter(|_| new.tax_percent > 0),
            note: None,
        },
        due_date: new.due_date.unwrap_or_else(|| office.billing.due_date(new.issued_date)),
        installments: Vec::new(),
        terms: None,
        import: Some(ImportedBill {
            number: new.number.clone(),
            issued_date: new.issued_date,
            billed_to: new.billed_to.clone(),
        }),
    };
    let then = as_of(tx, ctx, new.issued_date).await?;
    let invoice = insert_bill(tx, &then, order, bill).await?;
    if let Some(reason) = &new.void_reason {
        void_within(tx, &then, &invoice, reason.clone()).await?;
    }
    let today = office.day(ctx.now());
    store::suppress_reminders(tx, invoice.id, today, today + Days::new(steps::DUE_SOON_DAYS)).await?;
    Ok(invoice.id)
}

/// Records a payment as of the day when it was received; the caller has locked its invoice ([`lock_all`]). More than is due
/// becomes the client's credit, also on a paid invoice, so that the order of the payments does not matter.
///
/// # Errors
/// NotFound; Conflict `invoice_settled` of a void invoice.
pub(crate) async fn insert_payment(
    tx: &mut Tx,
    ctx: &Ctx,
    invoice: InvoiceId,
    received: &ReceivedPayment,
) -> Result<PaymentId> {
    let before = store::get(tx, invoice).await?.ok_or(Error::NotFound("invoice"))?;
    let then = as_of(tx, ctx, received.received_date).await?;
    let after = bump_version(ctx, before.with_payment(received.amount_minor)?);
    let id = PaymentId(ctx.random.uuid());
    save(tx, &before, &after, vec![(received.received_date, received.amount_minor)]).await?;
    store::insert_payment(tx, id, invoice, BankTransfer::NAME, received, &ctx.actor_name(), then.now()).await?;
    let action = if after.status == Status::Paid { "invoice.paid" } else { "invoice.part_paid" };
    activity::append(tx, &then, super::event(action, &after)).await?;
    Ok(id)
}

/// Deletes an imported invoice. Only the last invoice of a year can be deleted, so that the numbers stay without gaps.
///
/// # Errors
/// NotFound; Conflict `later_invoices` when it is not the last one, `changed_since_import` when it was raised again; a foreign
/// key violation if payments, credit notes or receipts refer to it.
pub(crate) async fn remove(tx: &mut Tx, ctx: &Ctx, id: InvoiceId) -> Result<()> {
    store::lock(tx, id).await?;
    let invoice = store::get(tx, id).await?.ok_or(Error::NotFound("invoice"))?;
    if invoice.replaced_by_id.is_some() {
        return Err(Error::conflict("changed_since_import"));
    }
    // Issuing an invoice waits for the row of the year's numbers.
    let last = store::lock_numbers(tx, invoice.year).await?;
    if last > invoice.number {
        return Err(Error::conflict("later_invoices"));
    }
    let of = rollups::dimensions_of(tx, invoice.spv_id).await?;
    store::remove(tx, &invoice).await?;
    rollups::apply(tx, Some(InvoiceFacts::of(&invoice, of, Vec::new())), None);
    let event = Event::new("invoice.removed", "invoice", id.0, invoice.name());
    activity::append(tx, ctx, event.of(Some(invoice.client_id), None, None)).await
}

/// Deletes an imported payment; its amount is due again.
///
/// # Errors
/// NotFound; Conflict `used_since_import` if a credit note of the invoice was issued.
pub(crate) async fn remove_payment(tx: &mut Tx, ctx: &Ctx, id: PaymentId) -> Result<()> {
    let invoice_id = store::invoice_of_payment(tx, id).await?.ok_or(Error::NotFound("payment"))?;
    store::lock(tx, invoice_id).await?;
    let before = store::get(tx, invoice_id).await?.ok_or(Error::NotFound("invoice"))?;
    let payment = store::payments(tx, invoice_id).await?.into_iter().find(|payment| payment.id == id);
    let payment = payment.ok_or(Error::NotFound("payment"))?;
    // Without the payment an invoice without others would be void instead of credited.
    if before.credited_minor > 0 {
        return Err(Error::conflict("used_since_import"));
    }
    let after = bump_version(ctx, before.without_payment(payment.amount_minor));
    store::remove_payment(tx, id).await?;
    store::save(tx, &after).await?;
    let of = rollups::dimensions_of(tx, after.spv_id).await?;
    let counted = InvoiceFacts::of(&before, of, vec![(payment.received_date, payment.amount_minor)]);
    rollups::apply(tx, Some(counted), Some(InvoiceFacts::of(&after, of, Vec::new())));
    let event = Event::new("payment.removed", "payment", id.0, after.name());
    activity::append(tx, ctx, event.of(Some(after.client_id), None, None).spv(after.spv_id)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_the_form_of_the_portal_are_kept() {
        let read = |text: &str, former: Option<&str>| {
            ImportedNumber::read(text, former.map(str::to_owned), "2025-03-01".parse().unwrap())
        };
        assert_eq!(read("2025-0007", None), Ok(ImportedNumber { kept: Some(7), former: None, after: 0 }));
        let both = ImportedNumber { kept: Some(123_456), former: Some("INV-7".to_owned()), after: 0 };
        assert_eq!(read("2025-123456", Some("INV-7")), Ok(both));
        for other in ["INV-7", "2024-0007", "2025-7", "2025-0000", "2025-1234567", "2025-00a7", "2025-0007-1", "0007"] {
            assert_eq!(read(other, None), Ok(ImportedNumber { kept: None, former: Some(other.to_owned()), after: 0 }));
            assert_eq!(read(other, Some("INV-7")).unwrap_err().code, "not_allowed");
        }
    }
}
