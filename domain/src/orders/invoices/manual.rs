//! Invoices that the staff write by hand: lines beside the price of an order, such as renewals, filing fees and discounts.
use super::{
    Bill, Detail, InvoiceableOrder, get, insert_bill,
    installments::{self, NewInstallment},
    lines::{Line, LineKind, MAX_QUANTITY, ONE, TaxTerms, Totals, totals},
    store,
};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql},
        error::{Error, Problem, Result},
        i18n, idempotency,
        ids::{InvoiceId, SpvId},
        money::{self, Currency, MAX_MINOR},
        validate::{self, LINE, Validator},
    },
    orders::spvs::{self, Spv},
    platform::settings::{self, Billing, Settings},
};
use chrono::NaiveDate;
use serde_json::Map;

/// The lines that an invoice may have.
const MAX_LINES: usize = 100;

/// The form of an invoice.
#[derive(Clone, Debug, Default)]
pub struct NewInvoice {
    pub spv_id: Option<SpvId>,
    /// The order's by default.
    pub currency: Option<String>,
    pub lines: Vec<NewLine>,
    /// The prices of the lines include the tax.
    pub prices_include_tax: bool,
    /// No tax is charged; the office's text says why.
    pub reverse_charge: bool,
    /// By the office's terms by default.
    pub due_date: Option<String>,
    /// The office's by default.
    pub terms: Option<String>,
    /// Deposit, balance and the like; none: all is due on the due date.
    pub installments: Vec<NewInstallment>,
}

#[derive(Clone, Debug, Default)]
pub struct NewLine {
    pub description: Option<String>,
    /// A fee by default.
    pub kind: Option<String>,
    /// One by default.
    pub quantity: Option<String>,
    /// Also of a discount without a sign.
    pub unit_price: Option<String>,
    /// The office's rate by default; none for a filing fee.
    pub tax_percent: Option<String>,
}

/// What an invoice would sum to.
#[derive(Clone, Debug)]
pub struct Preview {
    pub currency: Currency,
    pub lines: Vec<Line>,
    pub tax: TaxTerms,
    pub totals: Totals,
    pub due_date: NaiveDate,
}

/// Issues an invoice over lines to the client of an order. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid per field, for a line as `lines.0.quantity`.
#[tracing::instrument(level = "debug", name = "invoices.create", skip_all)]
pub async fn create(ctx: &Ctx, new: NewInvoice) -> Result<Detail> {
    let new = &new;
    let created = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(InvoiceId(id));
            }
            // Locked, so that a correction of the order's client or company waits.
            if let Some(id) = new.spv_id {
                spvs::lock(tx, id).await?;
            }
            let spv = order_of(tx, ctx, new).await?;
            let office = settings::within(tx).await?;
            let bill = read(new, &spv, &office, reverse_charge_text(tx, &office.billing, &spv).await?, ctx)?;
            let identifier = spv.identifier();
            let order = InvoiceableOrder::of(&spv, &identifier);
            let invoice = insert_bill(tx, ctx, order, bill).await?;
            idempotency::store(tx, ctx, invoice.id.0).await?;
            Ok(invoice.id)
        }
        .scope_boxed()
    });
    get(ctx, created.await?).await
}

/// What [`create`] would bill; nothing is saved. Staff.
///
/// # Errors
/// As [`create`].
#[tracing::instrument(level = "debug", name = "invoices.preview", skip_all)]
pub async fn preview(ctx: &Ctx, new: NewInvoice) -> Result<Preview> {
    let mut db = ctx.db();
    let spv = order_of(&mut db, ctx, &new).await?;
    let office = settings::within(&mut db).await?;
    let bill = read(&new, &spv, &office, reverse_charge_text(&mut db, &office.billing, &spv).await?, ctx)?;
    let totals = totals(&bill.lines, bill.tax.included, bill.tax.rounding);
    Ok(Preview { currency: bill.currency, totals, due_date: bill.due_date, lines: bill.lines, tax: bill.tax })
}

/// The order of a new invoice.
async fn order_of(db: &mut impl Sql, ctx: &Ctx, new: &NewInvoice) -> Result<Spv> {
    ctx.may(Action::Create, Resource::Billing)?;
    let id = new.spv_id.ok_or_else(|| Error::field("spv_id", "required"))?;
    let found = spvs::find_with_steps(db, id).await?.ok_or_else(|| Error::field("spv_id", "not_found"))?;
    Ok(found.0)
}

/// Reads the form.
fn read(new: &NewInvoice, spv: &Spv, office: &Settings, reverse_charge_text: String, ctx: &Ctx) -> Result<Bill> {
    let mut check = Validator::new();
    let today = office.day(ctx.now());
    // The order's may be one that is not offered any more.
    let read_currency = |text: &str| match text.parse() {
        Ok(currency) if currency == spv.currency => Ok(currency),
        _ => office.parse_currency(text),
    };
    let currency = check.optional("currency", new.currency.as_deref(), read_currency).unwrap_or(spv.currency);
    let due_date = check.optional("due_date", new.due_date.as_deref(), validate::date);
    if due_date.is_some_and(|date| date < today) {
        check.reject("due_date", Problem::new("before_today"));
    }
    let terms = check.optional_text("terms", new.terms.as_deref());
    if new.lines.is_empty() {
        check.reject("lines", Problem::new("required"));
    }
    if new.lines.len() > MAX_LINES {
        check.reject("lines", Problem::new("too_many").with("max", MAX_LINES));
    }
    let read = |(n, line)| read_line(&mut check, n, line, currency, new.reverse_charge, &office.billing);
    let lines: Vec<Line> = new.lines.iter().enumerate().filter_map(read).collect();
    let tax = TaxTerms {
        included: new.prices_include_tax,
        rounding: office.billing.tax_rounding.unwrap_or_default(),
        name: office.billing.tax_name.clone(),
        note: new.reverse_charge.then_some(reverse_charge_text),
    };
    let mut installments = Vec::new();
    if lines.len() == new.lines.len() {
        let total_minor = totals(&lines, tax.included, tax.rounding).total_minor;
        match total_minor {
            minor if minor > MAX_MINOR => {
                check.reject("lines", Problem::new("too_large").with("max", currency.format(MAX_MINOR)));
            }
            minor if minor <= 0 && !lines.is_empty() => check.reject("lines", Problem::new("total_not_positive")),
            _ => installments = installments::read(&mut check, &new.installments, (total_minor, currency), today),
        }
    }
    check.finish()?;
    Ok(Bill {
        currency,
        manual: true,
        lines,
        tax,
        due_date: due_date.unwrap_or_else(|| office.billing.due_date(today)),
        installments,
        terms: terms.or_else(|| office.billing.payment_terms.clone()),
        import: None,
    })
}

/// The office's text, else one in the client's language.
async fn reverse_charge_text(db: &mut impl Sql, office: &Billing, spv: &Spv) -> Result<String> {
    if let Some(text) = &office.reverse_charge_text {
        return Ok(text.clone());
    }
    let language = store::bill_to(db, spv.client_id).await?.language;
    Ok(i18n::text(&language, "names", "invoice_line.reverse_charge", &Map::new()))
}

fn read_line(
    check: &mut Validator,
    n: usize,
    new: &NewLine,
    currency: Currency,
    reverse_charge: bool,
    office: &Billing,
) -> Option<Line> {
    let field = |name: &str| format!("lines.{n}.{name}");
    let description = check.single_line(&field("description"), new.description.as_deref().unwrap_or(""), LINE);
    let kind = match new.kind.as_deref().map(str::trim).filter(|kind| !kind.is_empty()) {
        Some(kind) => check.read(&field("kind"), kind.parse()),
        None => Some(LineKind::Fee),
    };
    let quantity = match new.quantity.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => check.read(&field("quantity"), quantity(text)),
        None => Some(ONE),
    };
    let read_price = |text: &str| match currency.parse(text)? {
        0 => Err(Problem::new("not_positive")),
        minor => Ok(minor),
    };
    let price = check.required(&field("unit_price"), new.unit_price.as_deref(), read_price);
    let given = check.optional(&field("tax_percent"), new.tax_percent.as_deref(), money::parse_percent);
    if reverse_charge && given.is_some_and(|percent| percent > 0) {
        check.reject(&field("tax_percent"), Problem::new("no_tax_with_reverse_charge"));
    }
    let (kind, quantity, price) = (kind?, quantity?, price?);
    let default = if kind == LineKind::FilingFee || reverse_charge { 0 } else { office.tax_rate() };
    let price = if kind == LineKind::Discount { -price } else { price };
    let line = Line::new(description, kind, quantity, price, given.unwrap_or(default));
    if line.is_none() {
        check.reject(&field("unit_price"), Problem::new("too_large").with("max", currency.format(MAX_MINOR)));
    }
    line
}

/// A quantity with up to three decimals, in thousandths.
fn quantity(text: &str) -> Result<i64, Problem> {
    let value = money::parse_thousandths(text)?;
    let max = MAX_QUANTITY / ONE;
    match value {
        0 => Err(Problem::new("not_positive")),
        value if value > MAX_QUANTITY => Err(Problem::new("out_of_range").with("min", "0.001").with("max", max)),
        value => Ok(value),
    }
}
