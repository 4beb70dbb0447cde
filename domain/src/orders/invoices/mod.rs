//! What clients owe for their orders: raised with the order, paid by transfer, in one series of numbers a year.
//!
//! An invoice is between its client and the office; the order's company and ISO partner know nothing of it.
mod model;
mod store;
mod way;

pub use model::{Invoice, Line, Payment, Receipt, Status};
pub use store::{Filter, Owed};
pub use way::{Manual, Received, Typed, Way};

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Result},
        geo, i18n, idempotency,
        ids::{DocumentId, InvoiceId, PaymentId, SpvId, UserId},
        page::{Page, PageQuery},
        validate::Check,
    },
    orders::{documents, steps},
    platform::{
        activity::{self, Event},
        rollups::dated::{self, Dimensions, Metric},
        settings::{self, Bank},
    },
};
use chrono::{Datelike, Days, NaiveDate};
use serde_json::Map;

/// Days to pay in, until the office says otherwise.
const DUE_DAYS: u64 = 14;

/// An order with a price.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Priced<'a> {
    pub spv_id: SpvId,
    pub identifier: &'a str,
    pub client_id: UserId,
    pub place: Dimensions,
    pub price_minor: i64,
}

/// Raises the invoice over an order's price, in the transaction that makes the order. Last in it: the year's row of
/// numbers is locked from here until the commit.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn raise(tx: &mut Tx, ctx: &Ctx, order: Priced<'_>) -> Result<()> {
    if order.price_minor <= 0 {
        return Ok(());
    }
    let payer = store::payer(tx, order.client_id).await?;
    let office = settings::within(tx).await?;
    let issued_date = office.day(ctx.now());
    let terms = office.billing;
    let year = i64::from(issued_date.year());
    let words = |key: &str, params| i18n::text(&payer.language, "names", key, &params);
    let country = words(&format!("country.{}", order.place.country.code()), Map::new());
    let line =
        Map::from_iter([("identifier".to_owned(), order.identifier.into()), ("country".to_owned(), country.into())]);
    let invoice = Invoice {
        id: InvoiceId(ctx.chance.uuid()),
        year,
        number: store::next_number(tx, year).await?,
        spv_id: order.spv_id,
        spv_custom_identifier: None,
        client_id: order.client_id,
        billed_to: format!("{} {}", payer.first_name, payer.last_name),
        billed_address: payer.address(),
        client_first_name: payer.first_name,
        client_last_name: payer.last_name,
        currency: order.place.currency,
        total_minor: order.price_minor,
        paid_minor: 0,
        status: Status::Due,
        issued_date,
        due_date: issued_date + Days::new(terms.due_days.unwrap_or(DUE_DAYS)),
        void_reason: None,
        created_at: ctx.now(),
        updated_at: ctx.now(),
        updated_by: ctx.who(),
        version: 1,
        lines: vec![Line { description: words("invoice_line.formation", line), amount_minor: order.price_minor }],
    };
    store::insert(tx, &invoice).await?;
    count(tx, order.place, &invoice, 1);
    activity::append(tx, ctx, told("invoice.raised", &invoice)).await
}

impl store::Payer {
    /// The profile's address, else the one that the staff noted.
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

/// An invoice with what came in for it, and how to pay it.
#[derive(Clone, Debug)]
pub struct Detail {
    pub invoice: Invoice,
    pub payments: Vec<Payment>,
    /// What was sent as proof of payments, the newest first.
    pub receipts: Vec<Receipt>,
    /// The office as it stands on the paper.
    pub from: settings::Billing,
}

/// One invoice. Its client, and the staff.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
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
    Ok(Detail { invoice, payments, receipts, from: settings::get(ctx).await?.billing })
}

/// The invoice with this number, `2026-0001`, or id.
///
/// # Errors
/// NotFound, also when it is not the actor's to know of.
pub async fn find(ctx: &Ctx, name: &str) -> Result<Detail> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let (year, number) = store::number(name).ok_or(Error::NotFound("invoice"))?;
    let id = store::by_number(&mut ctx.db(), year, number).await?.ok_or(Error::NotFound("invoice"))?;
    get(ctx, id).await
}

/// Invoices the actor may see, newest number first.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Invoice>> {
    let limit = page.limit()?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, page.after()?, limit + 1).await?;
    Ok(Page::cut(rows, limit, |invoice| (invoice.year, invoice.number)))
}

/// What is to be paid, and how.
#[derive(Clone, Debug)]
pub struct Billing {
    /// One for each currency; nothing where nothing is to be paid.
    pub owed: Vec<Owed>,
    /// For whoever has something to pay, and the staff.
    pub bank: Option<Bank>,
}

/// What a client has to pay and how; for the staff, what all clients have to.
///
/// # Errors
/// Unauthenticated; Forbidden for who has no invoices.
pub async fn billing(ctx: &Ctx) -> Result<Billing> {
    ctx.may(Action::View, Resource::Billing)?;
    let office = settings::get(ctx).await?;
    let owed = store::owed(&mut ctx.db(), ctx.scope()?, office.day(ctx.now())).await?;
    Ok(Billing { owed, bank: Manual::instructions(&office) })
}

/// Records money that came in for an invoice. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, also for more than is due; Conflict `invoice_settled`, stale.
pub async fn pay(ctx: &Ctx, id: InvoiceId, version: Option<i64>, typed: Typed) -> Result<Detail> {
    let typed = &typed;
    ctx.transaction(|tx| {
        async move {
            if idempotency::made_before(tx, ctx).await?.is_some() {
                return Ok(());
            }
            let before = locked(tx, ctx, id, version, Action::Update).await?;
            let received = Manual::received(settings::within(tx).await?.day(ctx.now()), &before, typed.clone())?;
            let after = touched(ctx, before.paid(received.amount_minor)?);
            let payment = PaymentId(ctx.chance.uuid());
            let place = save(tx, &before, &after).await?;
            dated::add_dated(tx, Metric::Paid, place, received.received_date, 1, received.amount_minor);
            store::insert_payment(tx, payment, id, Manual::NAME, &received, &ctx.who(), ctx.now()).await?;
            let action = if after.status == Status::Paid { "invoice.paid" } else { "invoice.part_paid" };
            activity::append(tx, ctx, told(action, &after)).await?;
            idempotency::remember(tx, ctx, payment.0).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Takes a document as proof that an invoice was paid: it belongs to the order from then on. The invoice's client, and
/// the staff. What is sent twice is there once.
///
/// # Errors
/// NotFound, also for a document that is not the client's or belongs to another order; Invalid without one; Conflict
/// `invoice_settled`.
pub async fn send_receipt(ctx: &Ctx, id: InvoiceId, document: Option<DocumentId>) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            if idempotency::made_before(tx, ctx).await?.is_some() {
                return Ok(());
            }
            let invoice = locked(tx, ctx, id, None, Action::Send).await?;
            let document = document.ok_or_else(|| Error::field("document_id", "required"))?;
            invoice.still_open()?;
            documents::attach(tx, ctx, document, invoice.client_id, Some(invoice.spv_id), false).await?;
            let receipt = ctx.chance.uuid();
            if store::insert_receipt(tx, receipt, id, document, &ctx.who(), ctx.now()).await? {
                activity::append(tx, ctx, told("invoice.receipt_sent", &invoice)).await?;
            }
            idempotency::remember(tx, ctx, receipt).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Takes an invoice back for which nothing was paid, with a reason that its client reads. Its number stays used. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `invoice_settled`, `invoice_has_payments`, stale.
pub async fn void(ctx: &Ctx, id: InvoiceId, version: Option<i64>, reason: &str) -> Result<Detail> {
    ctx.transaction(|tx| {
        async move {
            let before = locked(tx, ctx, id, version, Action::Cancel).await?;
            let mut check = Check::new();
            let reason = check.text("reason", reason);
            check.done()?;
            let after = touched(ctx, before.voided(reason.clone())?);
            save(tx, &before, &after).await?;
            activity::append(tx, ctx, told("invoice.voided", &after).with("reason", reason)).await
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// The invoice kept from others, once the actor may and nobody was faster.
async fn locked(tx: &mut Tx, ctx: &Ctx, id: InvoiceId, version: Option<i64>, action: Action) -> Result<Invoice> {
    store::lock(tx, id).await?;
    let invoice = store::get(tx, id).await?.ok_or(Error::NotFound("invoice"))?;
    ctx.may(action, resource(&invoice))?;
    fresh(version, invoice.version, &invoice.updated_by, invoice.updated_at)?;
    Ok(invoice)
}

/// Writes where an invoice stands now, and where its company does.
async fn save(tx: &mut Tx, before: &Invoice, after: &Invoice) -> Result<Dimensions> {
    store::save(tx, after).await?;
    let place = dated::dimensions_of(tx, after.spv_id).await?;
    count(tx, place, before, -1);
    count(tx, place, after, 1);
    Ok(place)
}

/// What an invoice adds to its company's figures (`by` 1), or takes with it (-1).
fn count(tx: &mut Tx, place: Dimensions, invoice: &Invoice, by: i64) {
    if invoice.status != Status::Void {
        dated::add_dated(tx, Metric::Invoiced, place, invoice.issued_date, by, by * invoice.total_minor);
    }
    if invoice.status.is_open() {
        dated::add_outstanding(tx, place, by, by * invoice.due_minor());
    }
}

fn touched(ctx: &Ctx, invoice: Invoice) -> Invoice {
    Invoice { updated_at: ctx.now(), updated_by: ctx.who(), version: invoice.version + 1, ..invoice }
}

/// Reminds clients, once for each invoice, that its date is near, and once that it is past: in the morning where they are.
/// A scheduled job.
///
/// # Errors
/// Forbidden for people who may not send; what the database refuses.
pub async fn remind(ctx: &Ctx) -> Result<usize> {
    ctx.may(Action::Send, Resource::Mails)?;
    ctx.transaction(|tx| {
        async move {
            let mut count = 0;
            for (today, zones) in settings::client_reminder_days(ctx, tx).await? {
                for (action, from, until, mark) in [
                    ("invoice.due_soon", today, today + Days::new(steps::DUE_SOON_DAYS), "warned_date"),
                    ("invoice.overdue", NaiveDate::default(), today - Days::new(1), "reminded_date"),
                ] {
                    for invoice in store::due(tx, (from, until), mark, &zones, 500).await? {
                        if store::told(tx, invoice.id, mark, today).await? {
                            let event = told(action, &invoice).with("due_date", invoice.due_date.to_string());
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

/// Its client hears of it, and the staff. Never an amount: mails are made of this.
fn told(action: &'static str, invoice: &Invoice) -> Event {
    Event::new(action, "invoice", invoice.id.0, invoice.name())
        .of(Some(invoice.client_id), None, None)
        .spv(invoice.spv_id)
        .public()
}

/// Texts beyond ASCII that are on invoices or will be on the next ones: names, addresses, identifiers, lines and the
/// office's own. For `doctor`, which looks for letters without a font. Super admins and the operator.
///
/// # Errors
/// Forbidden.
pub async fn texts_on_paper(ctx: &Ctx) -> Result<Vec<String>> {
    ctx.may(Action::View, Resource::System)?;
    let settings = settings::get(ctx).await?;
    let billing = &settings.billing;
    let bank = billing.bank.as_ref();
    let own = [billing.legal_name.as_deref(), billing.address.as_deref(), billing.tax_id.as_deref()];
    let of_bank = [bank.map(|bank| bank.account_holder.as_str()), bank.map(|bank| bank.bank_name.as_str())];
    let mut texts: Vec<String> = own.into_iter().chain(of_bank).flatten().map(str::to_owned).collect();
    texts.push(settings.brand().to_owned());
    texts.extend(store::texts_beyond_ascii(&mut ctx.db()).await?);
    Ok(texts)
}

fn resource(invoice: &Invoice) -> Resource {
    Resource::Invoice { client_id: invoice.client_id }
}

/// What the actor may do with this invoice: the buttons of its row.
pub fn can(ctx: &Ctx, invoice: &Invoice) -> Vec<&'static str> {
    [
        ("pay", Action::Update, invoice.status.is_open()),
        ("void", Action::Cancel, invoice.status == Status::Due),
        ("send_receipt", Action::Send, invoice.status.is_open()),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(invoice)))
    .map(|(name, ..)| name)
    .collect()
}
