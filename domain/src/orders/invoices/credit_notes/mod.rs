//! Credit notes: each lowers what one invoice bills, in a gapless series of numbers per year.
//!
//! Visible to the client and the staff, as the invoice is. A corrected price issues them ([`super::price_change`]).
mod store;

pub use store::Filter;
pub(super) use store::filing_fees;

use super::{
    Invoice, event, lines,
    price_change::{Billed, Parts},
    rollup, save_counted,
};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::Tx,
        error::{Error, Result},
        i18n,
        ids::{CreditNoteId, InvoiceId, SpvId, UserId},
        money::Currency,
        page::{Page, PageQuery},
    },
    orders::spvs,
    platform::{activity, rollups, settings},
};
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use rollup::InvoiceFacts;
use serde_json::Map;

crate::kernel::db::row! {
    /// A credit note with the names around it. The amount is in minor units of `currency`.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct CreditNote of d {
        pub id: CreditNoteId,
        pub year: i64,
        /// Sequential within the year, without gaps.
        pub number: i64,
        pub invoice_id: InvoiceId,
        pub invoice_year: i64 = "v.year",
        pub invoice_number: i64 = "v.number",
        pub spv_id: SpvId,
        pub spv_custom_identifier: Option<String> = "s.custom_identifier",
        pub client_id: UserId,
        pub client_first_name: String = "c.first_name",
        pub client_last_name: String = "c.last_name",
        /// As printed on the invoice.
        pub billed_to: String,
        pub billed_address: Option<String>,
        pub currency: Currency,
        pub amount_minor: i64,
        /// The tax within the amount.
        pub tax_minor: i64,
        /// The filing fee within the amount, which is not taxed.
        pub filing_fee_minor: i64,
        pub description: String,
        pub issued_date: NaiveDate,
        pub created_at: DateTime<Utc>,
        pub created_by: String,
    }
}

impl CreditNote {
    /// The number of the credit note: `CN-2026-0001`.
    pub fn name(&self) -> String {
        format!("CN-{}-{:04}", self.year, self.number)
    }

    /// The number of its invoice.
    pub fn invoice(&self) -> String {
        super::model::invoice_name(self.invoice_year, self.invoice_number)
    }

    pub fn spv_identifier(&self) -> String {
        spvs::display_identifier(self.spv_id, self.spv_custom_identifier.as_deref())
    }

    pub fn client_name(&self) -> String {
        format!("{} {}", self.client_first_name, self.client_last_name)
    }
}

/// Issues a credit note over parts of an invoice that the caller has locked. Returns the credit note and the invoice
/// after it. The row of the year's numbers is locked until the commit.
///
/// # Errors
/// Internal for more than the invoice bills.
pub(super) async fn issue(
    tx: &mut Tx,
    ctx: &Ctx,
    billed: &Billed,
    parts: Parts,
    language: &str,
) -> Result<(CreditNote, Invoice)> {
    let (invoice, minor) = (&billed.invoice, parts.total());
    let credited = super::bump_version(ctx, invoice.credited(minor)?);
    let issued_date = settings::within(tx).await?.day(ctx.now());
    let year = i64::from(issued_date.year());
    // By what is credited so far, so that the notes of a whole invoice add up to its tax.
    let taxed_minor = invoice.total_minor - invoice.filing_fee_minor();
    let tax_of = |part_minor| lines::tax_share(invoice.tax_minor, taxed_minor, part_minor);
    let taxed_before = invoice.credited_minor - billed.credited_filing_fee_minor;
    let identifier = Map::from_iter([("identifier".to_owned(), invoice.spv_identifier().into())]);
    let note = CreditNote {
        id: CreditNoteId(ctx.random.uuid()),
        year,
        number: store::next_number(tx, year).await?,
        invoice_id: invoice.id,
        invoice_year: invoice.year,
        invoice_number: invoice.number,
        spv_id: invoice.spv_id,
        spv_custom_identifier: invoice.spv_custom_identifier.clone(),
        client_id: invoice.client_id,
        client_first_name: invoice.client_first_name.clone(),
        client_last_name: invoice.client_last_name.clone(),
        billed_to: invoice.billed_to.clone(),
        billed_address: invoice.billed_address.clone(),
        currency: invoice.currency,
        amount_minor: minor,
        tax_minor: tax_of(taxed_before + parts.fee) - tax_of(taxed_before),
        filing_fee_minor: parts.filing_fee,
        description: i18n::text(language, "names", "invoice_line.credit", &identifier),
        issued_date,
        created_at: ctx.now(),
        created_by: ctx.actor_name(),
    };
    store::insert(tx, &note).await?;
    let of = rollups::dimensions_of(tx, invoice.spv_id).await?;
    let after = InvoiceFacts::of(&credited, of, Vec::new()).with_credit(issued_date, minor);
    save_counted(tx, &credited, InvoiceFacts::of(invoice, of, Vec::new()), after).await?;
    activity::append(tx, ctx, event("invoice.credited", &credited).with("credit_note", note.name())).await?;
    Ok((note, credited))
}

/// One credit note. Its client, and the staff.
///
/// # Errors
/// NotFound, also for a credit note that the actor may not see.
#[tracing::instrument(level = "debug", name = "invoices.credit_notes.get", skip_all, fields(credit_note_id = %id))]
pub async fn get(ctx: &Ctx, id: CreditNoteId) -> Result<CreditNote> {
    let note = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("credit_note"))?;
    let visible = ctx.may(Action::View, Resource::Invoice { client_id: note.client_id });
    visible.map_err(|error| match error {
        Error::NotFound(_) => Error::NotFound("credit_note"),
        error => error,
    })?;
    Ok(note)
}

/// The credit note with this number, `CN-2026-0001`, or id.
///
/// # Errors
/// NotFound, also for a credit note that the actor may not see.
#[tracing::instrument(level = "debug", name = "invoices.credit_notes.find", skip_all)]
pub async fn find(ctx: &Ctx, name: &str) -> Result<CreditNote> {
    if let Ok(id) = name.parse() {
        return get(ctx, id).await;
    }
    let upper = name.trim().to_ascii_uppercase();
    let number = super::store::parse_number(upper.strip_prefix("CN-").unwrap_or(&upper));
    let (year, number) = number.ok_or(Error::NotFound("credit_note"))?;
    let id = store::by_number(&mut ctx.db(), year, number).await?.ok_or(Error::NotFound("credit_note"))?;
    get(ctx, id).await
}

/// Credit notes that the actor may see, newest number first.
///
/// # Errors
/// Unauthenticated; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "invoices.credit_notes.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<CreditNote>> {
    let (scope, limit) = (ctx.scope()?, page.limit()?);
    let rows = store::list(&mut ctx.db(), scope, filter, page.after()?, limit + 1).await?;
    Ok(Page::from_rows(rows, limit, |note| (note.year, note.number)))
}

/// All credit notes of an invoice that the caller may see, newest first.
pub(super) async fn of_invoice(ctx: &Ctx, invoice: InvoiceId) -> Result<Vec<CreditNote>> {
    let filter = Filter { invoice_id: Some(invoice), ..Filter::default() };
    let mut page = PageQuery { limit: Some(crate::kernel::page::MAX_LIMIT), cursor: None };
    let mut found = Vec::new();
    loop {
        let part = list(ctx, &filter, &page).await?;
        found.extend(part.items);
        match part.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return Ok(found),
        }
    }
}
