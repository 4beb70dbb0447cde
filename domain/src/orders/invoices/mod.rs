//! Invoices: over the price of an order, issued with it, and manual ones. Numbered without gaps per year, paid by bank transfer.
//!
//! An invoice is visible to its client and the staff, not to the order's company and ISO partner.
pub mod credit_notes;
pub(crate) mod imported;
mod installments;
mod lines;
mod manual;
mod model;
mod payment_method;
pub mod payments;
mod price_change;
mod raise_again;
pub(crate) mod rollup;
mod store;

pub use credit_notes::CreditNote;
pub use installments::{Installment, InstallmentState, NewInstallment, NextPayment, set_installments};
pub use lines::{Line, LineKind, TaxRow, TaxTerms, Totals};
pub use manual::{NewInvoice, NewLine, Preview, create, preview};
pub use model::{Due, Invoice, Payment, Receipt, Status};
pub use payment_method::{BankTransfer, ManualPayment, PaymentMethod, ReceivedPayment};
pub use payments::{Filter as PaymentFilter, ListedPayment};
pub use price_change::InvoiceChange;
pub(crate) use price_change::{FormerPrice, follow_price};
pub use raise_again::raise;
pub(crate) use rollup::count_moved;
pub(crate) use store::lock_of_order;
pub use store::{Filter, InvoiceSort, Outstanding};
pub(crate) use store::{has_manual, has_payments};

use crate::{
    accounts::users,
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        geo, i18n, idempotency,
        ids::{DocumentId, InvoiceId, PaymentId, SpvId, UserId},
        money::{Currency, CurrencyTotal},
        page::{MAX_LIMIT, Order, Page, PageQuery, Total},
        validate::Validator,
    },
    orders::{documents, spvs::Spv, steps},
    platform::{
        activity::{self, Event},
        rollups::{self, Dimensions},
        settings::{self, Bank, Settings},
    },
};
use chrono::{Datelike, Days, NaiveDate};
use imported::ImportedNumber;
use rollup::InvoiceFacts;
use serde_json::Map;

/// The reminders of one kind that one run sends in one group of time zones.
const REMINDER_BATCH: i64 = 500;

/// An order whose price is to be invoiced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InvoiceableOrder<'a> {
    pub spv_id: SpvId,
    pub identifier: &'a str,
    pub client_id: UserId,
    pub dimensions: Dimensions,
    /// Our fee and the filing fee.
    pub price_minor: i64,
    /// The filing fee within it.
    pub filing_fee_minor: i64,
}

impl<'a> InvoiceableOrder<'a> {
    /// The whole price of an order. `identifier` is [`Spv::identifier`].
    pub fn of(spv: &Spv, identifier: &'a str) -> Self {
        Self {
            spv_id: spv.id,
            identifier,
            client_id: spv.client_id,
            dimensions: spv.dimensions(),
            price_minor: spv.billable_minor().unwrap_or(0),
            filing_fee_minor: spv.filing_fee_minor.unwrap_or(0),
        }
    }
}

/// What the line of an invoice says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineText {
    /// The formation of the company.
    Formation,
    /// The difference to a corrected price, beside other invoices of the order.
    Difference,
}

impl LineText {
    /// The text in the client's language.
    fn words(self, language: &str, order: &InvoiceableOrder<'_>) -> String {
        let key = match self {
            Self::Formation => "invoice_line.formation",
            Self::Difference => "invoice_line.difference",
        };
        let country = format!("country.{}", order.dimensions.country.code());
        let country = i18n::text(language, "names", &country, &Map::new());
        let params = [("identifier".to_owned(), order.identifier.into()), ("country".to_owned(), country.into())];
        i18n::text(language, "names", key, &Map::from_iter(params))
    }
}

/// Issues the invoice over an order's price, in the transaction that inserts the order. Must come last in it: the row of
/// the year's numbers is locked until the commit.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn issue(tx: &mut Tx, ctx: &Ctx, order: InvoiceableOrder<'_>) -> Result<()> {
    if order.price_minor <= 0 {
        return Ok(());
    }
    insert_next(tx, ctx, order, LineText::Formation).await.map(drop)
}

/// What an invoice bills, and its terms.
#[derive(Debug)]
struct Bill {
    currency: Currency,
    manual: bool,
    lines: Vec<Line>,
    tax: TaxTerms,
    due_date: NaiveDate,
    installments: Vec<Installment>,
    terms: Option<String>,
    /// Of an imported invoice.
    import: Option<ImportedBill>,
}

/// What an imported invoice has from the system that issued it.
#[derive(Debug)]
struct ImportedBill {
    number: ImportedNumber,
    issued_date: NaiveDate,
    /// The client's name by default.
    billed_to: Option<String>,
}

impl Bill {
    /// Lines over amounts that include the office's tax.
    fn of_price(office: &Settings, currency: Currency, issued_date: NaiveDate, lines: Vec<Line>) -> Self {
        let Settings { billing, .. } = office;
        Self {
            currency,
            manual: false,
            lines,
            tax: TaxTerms {
                included: true,
                rounding: billing.tax_rounding.unwrap_or_default(),
                name: billing.tax_name.clone(),
                note: None,
            },
            due_date: billing.due_date(issued_date),
            installments: Vec::new(),
            terms: billing.payment_terms.clone(),
            import: None,
        }
    }
}

/// Inserts an invoice over an amount of an order under the next number.
async fn insert_next(tx: &mut Tx, ctx: &Ctx, order: InvoiceableOrder<'_>, text: LineText) -> Result<Invoice> {
    let language = store::bill_to(tx, order.client_id).await?.language;
    let office = settings::within(tx).await?;
    let filing_fee = i18n::text(&language, "names", "invoice_line.filing_fee", &Map::new());
    let rate = office.billing.tax_rate();
    let filing_fee_minor = order.filing_fee_minor.min(order.price_minor);
    let mut lines = vec![
        Line::single(text.words(&language, &order), LineKind::Fee, order.price_minor - filing_fee_minor, rate),
        Line::single(filing_fee, LineKind::FilingFee, filing_fee_minor, 0),
    ];
    lines.retain(|line| line.amount_minor > 0);
    let bill = Bill::of_price(&office, order.dimensions.currency, office.day(ctx.now()), lines);
    insert_bill(tx, ctx, order, bill).await
}

/// The number of a new invoice and its former one: the next number of the year, or that of an import.
async fn number_of(tx: &mut Tx, year: i64, imported: Option<ImportedNumber>) -> Result<(i64, Option<String>)> {
    Ok(match imported {
        Some(ImportedNumber { kept: Some(number), former, .. }) => {
            store::reserve_number(tx, year, number).await?;
            (number, former)
        }
        Some(ImportedNumber { former, after, .. }) => {
            store::reserve_number(tx, year, after).await?;
            (store::next_number(tx, year).await?, former)
        }
        None => (store::next_number(tx, year).await?, None),
    })
}

/// Inserts an invoice to the client of an order under the next number, or under that of an import.
async fn insert_bill(tx: &mut Tx, ctx: &Ctx, order: InvoiceableOrder<'_>, bill: Bill) -> Result<Invoice> {
    let bill_to = store::bill_to(tx, order.client_id).await?;
    let (issued_date, number, billed_to) = match bill.import {
        Some(import) => (import.issued_date, Some(import.number), import.billed_to),
        None => (settings::within(tx).await?.day(ctx.now()), None, None),
    };
    let year = i64::from(issued_date.year());
    let (number, former_number) = number_of(tx, year, number).await?;
    let sums = lines::totals(&bill.lines, bill.tax.included, bill.tax.rounding);
    let invoice = Invoice {
        id: InvoiceId(ctx.random.uuid()),
        year,
        number,
        former_number,
        spv_id: order.spv_id,
        spv_custom_identifier: None,
        vehicle_name: None,
        reference: None,
        client_id: order.client_id,
        billed_to: billed_to.unwrap_or_else(|| format!("{} {}", bill_to.first_name, bill_to.last_name)),
        billed_address: bill_to.address(),
        client_first_name: bill_to.first_name,
        client_last_name: bill_to.last_name,
        client_email: bill_to.email,
        currency: bill.currency,
        total_minor: sums.total_minor,
        paid_minor: 0,
        credited_minor: 0,
        manual: bill.manual,
        tax_minor: sums.tax_minor,
        tax_included: bill.tax.included,
        tax_rounding: bill.tax.rounding,
        tax_name: bill.tax.name,
        tax_note: bill.tax.note,
        terms: bill.terms,
        status: Status::Due,
        issued_date,
        due_date: bill.due_date,
        void_reason: None,
        replaced_by_id: None,
        replaced_by_year: None,
        replaced_by_number: None,
        created_at: ctx.now(),
        updated_at: ctx.now(),
        updated_by: ctx.actor_name(),
        version: 1,
        lines: bill.lines,
        installments: bill.installments,
    }
    .with_next_due_date();
    store::insert(tx, &invoice).await?;
    rollup::count_change(tx, None, InvoiceFacts::of(&invoice, order.dimensions, Vec::new()));
    activity::append(tx, ctx, event("invoice.raised", &invoice)).await?;
    Ok(invoice)
}

impl store::BillTo {
    /// The address of the profile, else the one that the staff entered.
    fn address(&self) -> Option<String> {
        let town = [self.zip_code.as_deref(), self.city.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let lines = [
            self.street_address.as_deref(),
            Some(town.as_str()),
            self.state.as_deref().map(geo::state_name),
            self.country.as_deref().map(geo::country_name),
        ];
        let lines: Vec<&str> = lines.into_iter().flatten().filter(|line| !line.is_empty()).collect();
        if lines.is_empty() { self.address.clone() } else { Some(lines.join("\n")) }
    }
}

/// An invoice with its payments, receipts and the issuing office.
#[derive(Clone, Debug)]
pub struct Detail {
    pub invoice: Invoice,
    pub payments: Vec<Payment>,
    /// Proofs of payment, newest first.
    pub receipts: Vec<Receipt>,
    /// Newest first.
    pub credit_notes: Vec<CreditNote>,
    /// The office's own details, as printed on the invoice.
    pub from: settings::Billing,
}

/// One invoice. Its client, and the staff.
///
/// # Errors
/// NotFound, also for an invoice that the actor may not see.
#[tracing::instrument(level = "debug", name = "invoices.get", skip_all, fields(invoice_id = %id))]
pub async fn get(ctx: &Ctx, id: InvoiceId) -> Result<Detail> {
    let mut db = ctx.db();
    let invoice = store::get(&mut db, id).await?.ok_or(Error::NotFound("invoice"))?;
    ctx.may(Action::View, resource(&invoice))?;
    let payments = store::payments(&mut db, id).await?;
    let sent = store::receipts(&mut db, id).await?;
    let documents = documents::attachments_of(&mut db, ctx, documents::AttachmentOwner::Invoice, vec![id.0]).await?;
    let documents = documents.into_values().flatten().collect::<Vec<_>>();
    let receipt = |(id, sent_by, created_at)| {
        let document = documents.iter().find(|document| document.id == id)?.clone();
        Some(Receipt { document, sent_by, created_at })
    };
    let receipts = sent.into_iter().filter_map(receipt).collect();
    let credit_notes = credit_notes::of_invoice(ctx, id).await?;
    Ok(Detail { invoice, payments, receipts, credit_notes, from: settings::get(ctx).await?.billing })
}

/// The invoice with this number, `2026-0001`, former number, or id.
///
/// # Errors
/// NotFound, also for an invoice that the actor may not see.
#[tracing::instrument(level = "debug", name = "invoices.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<Detail> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let mut db = ctx.db();
    let own = match store::parse_number(name) {
        Some((year, number)) => store::by_number(&mut db, year, number).await?,
        None => None,
    };
    let found = match own {
        Some(id) => Some(id),
        None => store::by_former_number(&mut db, name).await?.first().map(|(id, _)| *id),
    };
    get(ctx, found.ok_or(Error::NotFound("invoice"))?).await
}

/// Invoices that the actor may see, newest number first by default.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "invoices.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Invoice>> {
    let keyset = page.keyset(filter.order)?;
    let (scope, today) = (ctx.scope()?, settings::office_today(ctx).await?);
    let rows = store::list(&mut ctx.db(), scope, filter, today, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of invoices of a list, and what is still due on them.
///
/// # Errors
/// Unauthenticated.
#[tracing::instrument(level = "debug", name = "invoices.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    let (scope, today) = (ctx.scope()?, settings::office_today(ctx).await?);
    store::total(&mut ctx.db(), scope, filter, today).await
}

/// Outstanding amounts and how to pay them.
#[derive(Clone, Debug)]
pub struct Billing {
    /// One for each currency with an outstanding amount.
    pub owed: Vec<Outstanding>,
    /// What was paid beyond what is left of the invoices, by currency; not offset against what is owed.
    pub credit: Vec<CurrencyTotal>,
    /// What a client is to pay next, by due date; empty for the staff.
    pub payments: Vec<(Invoice, NextPayment)>,
    /// None while the office has not entered it.
    pub bank: Option<Bank>,
}

/// A client's outstanding amounts and credit; for the staff, those of all clients or of `client`.
///
/// # Errors
/// Unauthenticated; Forbidden for ISO partners and companies.
#[tracing::instrument(level = "debug", name = "invoices.billing", skip_all)]
pub async fn billing(ctx: &Ctx, client: Option<UserId>) -> Result<Billing> {
    ctx.may(Action::View, Resource::Billing)?;
    let (scope, office) = (ctx.scope()?, settings::get(ctx).await?);
    let outstanding = store::outstanding(&mut ctx.db(), scope, client, office.day(ctx.now())).await?;
    let credit = store::credits(&mut ctx.db(), scope, client).await?;
    let payments = next_payments(ctx, office.day(ctx.now())).await?;
    Ok(Billing { owed: outstanding, credit, payments, bank: BankTransfer::instructions(&office) })
}

/// The next payments of a client's open invoices, the earliest due date first.
async fn next_payments(ctx: &Ctx, today: NaiveDate) -> Result<Vec<(Invoice, NextPayment)>> {
    if ctx.actor.is_staff() {
        return Ok(Vec::new());
    }
    let page = PageQuery { limit: Some(MAX_LIMIT), cursor: None };
    let mut found = Vec::new();
    // All that is not due yet, and all that is overdue.
    for due in [Due::Overdue, Due::NotDue] {
        let filter = Filter { due: Some(due), order: Order::ascending(InvoiceSort::DueDate), ..Filter::default() };
        found.extend(list(ctx, &filter, &page).await?.items);
    }
    let next = |invoice: Invoice| invoice.next_payment(today).map(|payment| (invoice, payment));
    Ok(found.into_iter().filter_map(next).collect())
}

/// Checks that [`pay`] would record a payment; nothing is saved. Staff.
///
/// # Errors
/// As [`pay`].
#[tracing::instrument(level = "debug", name = "invoices.check_payment", skip_all, fields(invoice_id = %id))]
pub async fn check_payment(ctx: &Ctx, id: InvoiceId, payment: &ManualPayment) -> Result<()> {
    let mut db = ctx.db();
    let invoice = store::get(&mut db, id).await?.ok_or(Error::NotFound("invoice"))?;
    ctx.may(Action::Update, resource(&invoice))?;
    let today = settings::within(&mut db).await?.day(ctx.now());
    let received = BankTransfer::received(today, &invoice, payment.clone())?;
    invoice.paid(received.amount_minor, received.keeps_excess).map(drop)
}

/// Records a payment of an invoice. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, also for more than is due; Conflict `invoice_settled`, stale.
#[tracing::instrument(level = "debug", name = "invoices.pay", skip_all, fields(invoice_id = %id))]
pub async fn pay(ctx: &Ctx, id: InvoiceId, version: Option<i64>, payment: ManualPayment) -> Result<Detail> {
    let payment = &payment;
    ctx.transaction(|tx| {
        async move {
            if idempotency::find_previous(tx, ctx).await?.is_some() {
                return Ok(());
            }
            let before = lock(tx, ctx, id, version, Action::Update).await?;
            let received =
                BankTransfer::received(settings::within(tx).await?.day(ctx.now()), &before, payment.clone())?;
            let after = bump_version(ctx, before.paid(received.amount_minor, received.keeps_excess)?);
            let payment_id = PaymentId(ctx.random.uuid());
            save(tx, &before, &after, vec![(received.received_date, received.amount_minor)]).await?;
            store::insert_payment(tx, payment_id, id, BankTransfer::NAME, &received, &ctx.actor_name(), ctx.now())
                .await?;
            let action = if after.status == Status::Paid { "invoice.paid" } else { "invoice.part_paid" };
            activity::append(tx, ctx, event(action, &after)).await?;
            idempotency::store(tx, ctx, payment_id.0).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Attaches a document as proof of payment and assigns it to the order. A document that is attached already stays once.
/// The invoice's client, and the staff.
///
/// # Errors
/// NotFound, also for another client's document and one of another order; Invalid without a document; Conflict
/// `invoice_settled`.
#[tracing::instrument(level = "debug", name = "invoices.send_receipt", skip_all, fields(invoice_id = %id))]
pub async fn send_receipt(ctx: &Ctx, id: InvoiceId, document: Option<DocumentId>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            if idempotency::find_previous(tx, ctx).await?.is_some() {
                return Ok(());
            }
            let invoice = lock(tx, ctx, id, None, Action::Send).await?;
            let document = document.ok_or_else(|| Error::field("document_id", "required"))?;
            invoice.check_open()?;
            documents::attach(tx, ctx, document, invoice.client_id, Some(invoice.spv_id), false).await?;
            let receipt = ctx.random.uuid();
            if store::insert_receipt(tx, receipt, id, document, &ctx.actor_name(), ctx.now()).await? {
                activity::append(tx, ctx, event("invoice.receipt_sent", &invoice)).await?;
            }
            idempotency::store(tx, ctx, receipt).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Voids an invoice without payments, with a reason for its client. Its number stays used. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `invoice_settled`, `invoice_has_payments`, stale.
#[tracing::instrument(level = "debug", name = "invoices.void", skip_all, fields(invoice_id = %id))]
pub async fn void(ctx: &Ctx, id: InvoiceId, version: Option<i64>, reason: &str) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            let before = lock(tx, ctx, id, version, Action::Cancel).await?;
            let mut check = Validator::new();
            let reason = check.text("reason", reason);
            check.finish()?;
            void_within(tx, ctx, &before, reason).await.map(drop)
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Voids an invoice that the caller has locked.
async fn void_within(tx: &mut Tx, ctx: &Ctx, before: &Invoice, reason: String) -> Result<Invoice> {
    let after = bump_version(ctx, before.voided(reason.clone())?);
    save(tx, before, &after, Vec::new()).await?;
    activity::append(tx, ctx, event("invoice.voided", &after).with("reason", reason)).await?;
    Ok(after)
}

/// Records the invoice that was raised anew in the place of a void one, unless it is another client's: the former client must
/// not learn of it.
async fn set_replaced(tx: &mut Tx, ctx: &Ctx, void: &Invoice, by: &Invoice) -> Result<()> {
    if void.client_id != by.client_id {
        return Ok(());
    }
    let after = bump_version(ctx, Invoice { replaced_by_id: Some(by.id), ..void.clone() });
    save(tx, void, &after, Vec::new()).await
}

/// Locks an invoice for a change by the actor; refuses a stale version.
async fn lock(tx: &mut Tx, ctx: &Ctx, id: InvoiceId, version: Option<i64>, action: Action) -> Result<Invoice> {
    store::lock(tx, id).await?;
    let invoice = store::get(tx, id).await?.ok_or(Error::NotFound("invoice"))?;
    ctx.may(action, resource(&invoice))?;
    fresh(version, invoice.version, &invoice.updated_by, invoice.updated_at)?;
    Ok(invoice)
}

/// Saves an invoice and counts the change. `payments` are those that it records, by date received.
async fn save(tx: &mut Tx, before: &Invoice, after: &Invoice, payments: Vec<(NaiveDate, i64)>) -> Result<()> {
    let of = rollups::dimensions_of(tx, after.spv_id).await?;
    save_counted(tx, after, InvoiceFacts::of(before, of, Vec::new()), InvoiceFacts::of(after, of, payments)).await
}

/// [`save`] with the facts before and after the change.
async fn save_counted(tx: &mut Tx, invoice: &Invoice, before: InvoiceFacts, after: InvoiceFacts) -> Result<()> {
    store::save(tx, invoice).await?;
    rollup::count_change(tx, Some(before), after);
    Ok(())
}

fn bump_version(ctx: &Ctx, invoice: Invoice) -> Invoice {
    Invoice { updated_at: ctx.now(), updated_by: ctx.actor_name(), version: invoice.version + 1, ..invoice }
}

/// Sends each open invoice's reminders, one before its due date and one after it, in the morning of its client. A
/// scheduled job; returns the number of reminders.
///
/// # Errors
/// Forbidden for people who may not send mails.
#[tracing::instrument(level = "debug", name = "invoices.remind", skip_all)]
pub async fn remind(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            let mut count = 0;
            for (today, zones) in users::client_reminder_days(ctx, tx).await? {
                for (action, from, until, mark) in [
                    ("invoice.due_soon", today, today + Days::new(steps::DUE_SOON_DAYS), "warned_date"),
                    ("invoice.overdue", NaiveDate::default(), today - Days::new(1), "reminded_date"),
                ] {
                    for invoice in store::due(tx, (from, until), mark, &zones, REMINDER_BATCH).await? {
                        if store::mark_reminded(tx, invoice.id, mark, today).await? {
                            let event = event(action, &invoice).with("due_date", invoice.due_date.to_string());
                            activity::append(tx, ctx, event).await?;
                            count += 1;
                        }
                    }
                }
            }
            Ok(count)
        }
        .scope_boxed()
    })
    .await
}

/// An event for the client and the staff. Without amounts, as notification mails are rendered from it.
fn event(action: &'static str, invoice: &Invoice) -> Event {
    Event::new(action, "invoice", invoice.id.0, invoice.name())
        .of(Some(invoice.client_id), None, None)
        .spv(invoice.spv_id)
        .public()
}

/// Non-ASCII texts that are or will be printed on invoices: names, addresses, identifiers, lines and the office's own. For
/// `doctor`, which looks for characters without a font. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "invoices.texts_on_paper", skip_all)]
pub async fn texts_on_paper(ctx: &Ctx) -> Result<Vec<String>> {
    ctx.may(Action::View, Resource::System)?;
    let settings = settings::get(ctx).await?;
    let billing = &settings.billing;
    let bank = billing.bank.as_ref();
    let own = [
        billing.legal_name.as_deref(),
        billing.address.as_deref(),
        billing.tax_id.as_deref(),
        billing.tax_name.as_deref(),
        billing.payment_terms.as_deref(),
        billing.reverse_charge_text.as_deref(),
    ];
    let of_bank = [bank.map(|bank| bank.account_holder.as_str()), bank.map(|bank| bank.bank_name.as_str())];
    let mut texts: Vec<String> = own.into_iter().chain(of_bank).flatten().map(str::to_owned).collect();
    texts.push(settings.brand().to_owned());
    texts.extend(store::non_ascii_texts(&mut ctx.db()).await?);
    Ok(texts)
}

fn resource(invoice: &Invoice) -> Resource {
    Resource::Invoice { client_id: invoice.client_id }
}

/// The actions that the actor may take on this invoice: the buttons of its row.
pub fn can(ctx: &Ctx, invoice: &Invoice) -> Vec<&'static str> {
    [
        ("pay", Action::Update, invoice.status.is_open()),
        ("void", Action::Cancel, invoice.status == Status::Due),
        ("set_installments", Action::Update, invoice.status.is_open()),
        ("raise", Action::Update, invoice.status == Status::Void && invoice.replaced_by_id.is_none()),
        ("send_receipt", Action::Send, invoice.status.is_open()),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(invoice)))
    .map(|(name, ..)| name)
    .collect()
}
