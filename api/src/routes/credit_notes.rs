//! Credit notes of invoices.
use super::invoices::render_pdf;
use crate::{
    error::Result,
    extract::{Path, Query, SignedIn, empty_string_as_none},
    invoice_pdf,
    response::{JsonBody, Page},
};
use axum::response::Response;
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    kernel::{
        ids::{CreditNoteId, InvoiceId, SpvId, UserId},
        money::Currency,
        page::PageQuery,
    },
    orders::invoices::{self, credit_notes},
    platform::settings,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A credit note, which lowers what is due on its invoice.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreditNote {
    id: CreditNoteId,
    #[schema(example = "CN-2026-0001")]
    number: String,
    invoice_id: InvoiceId,
    #[schema(example = "2026-0001")]
    invoice_number: String,
    spv_id: SpvId,
    spv_identifier: String,
    client_id: UserId,
    client_name: String,
    billed_to: String,
    billed_address: Option<String>,
    currency: Currency,
    #[schema(example = "250.00")]
    amount: String,
    /// The tax within the amount.
    #[schema(example = "50.00")]
    tax: String,
    /// In the client's language.
    description: String,
    issued_date: NaiveDate,
    created_at: DateTime<Utc>,
}

impl CreditNote {
    pub fn of(note: invoices::CreditNote) -> Self {
        Self {
            number: note.name(),
            invoice_number: note.invoice(),
            spv_identifier: note.spv_identifier(),
            client_name: note.client_name(),
            amount: note.currency.format(note.amount_minor),
            tax: note.currency.format(note.tax_minor),
            id: note.id,
            invoice_id: note.invoice_id,
            spv_id: note.spv_id,
            client_id: note.client_id,
            billed_to: note.billed_to,
            billed_address: note.billed_address,
            currency: note.currency,
            description: note.description,
            issued_date: note.issued_date,
            created_at: note.created_at,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListCreditNotesQuery {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    invoice_id: Option<InvoiceId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    client_id: Option<UserId>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ListCreditNotesQuery {
    pub(super) fn read(self) -> (credit_notes::Filter, PageQuery) {
        let Self { invoice_id, spv_id, client_id, limit, cursor } = self;
        (credit_notes::Filter { invoice_id, spv_id, client_id }, PageQuery { limit, cursor })
    }
}

/// Credit notes you may see, highest number first: your own, or all for staff.
#[utoipa::path(get, path = "/credit-notes", operation_id = "credit_note_list", tag = "invoices",
    params(ListCreditNotesQuery), responses((status = 200, body = Page<CreditNote>)))]
pub async fn list(
    SignedIn(ctx): SignedIn,
    Query(query): Query<ListCreditNotesQuery>,
) -> Result<JsonBody<Page<CreditNote>>> {
    let (filter, page) = query.read();
    let found = credit_notes::list(&ctx, &filter, &page).await?;
    Ok(JsonBody(Page::of(found, CreditNote::of)))
}

/// One credit note.
#[utoipa::path(get, path = "/credit-notes/{id}", operation_id = "credit_note_get", tag = "invoices",
    params(("id" = CreditNoteId, Path)), responses((status = 200, body = CreditNote)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<CreditNoteId>) -> Result<JsonBody<CreditNote>> {
    Ok(JsonBody(CreditNote::of(credit_notes::get(&ctx, id).await?)))
}

/// The credit note as a PDF, in your language.
///
/// 500 `letters_without_font` lists the letters without a font on the server, and the package to install.
#[utoipa::path(get, path = "/credit-notes/{id}/pdf", operation_id = "credit_note_pdf", tag = "invoices",
    params(("id" = CreditNoteId, Path)), responses((status = 200, body = String, content_type = "application/pdf")))]
pub async fn pdf(SignedIn(ctx): SignedIn, Path(id): Path<CreditNoteId>) -> Result<Response> {
    let note = credit_notes::get(&ctx, id).await?;
    let from = settings::get(&ctx).await?.billing;
    let name = format!("credit-note-{}.pdf", note.name());
    render_pdf(&ctx, name, move |office, language, format| {
        invoice_pdf::render_credit_note(&note, &from, office, language, format)
    })
    .await
}
