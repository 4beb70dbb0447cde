//! Export of credit notes.
use super::column::{Column, column};
use crate::orders::invoices::CreditNote;

pub(super) const COLUMNS: &[Column<CreditNote>] = &[
    column("id", |_, note| note.id.to_string()),
    column("number", |_, note| note.name()),
    column("invoice_number", |_, note| note.invoice()),
    column("client_name", |_, note| note.client_name()),
    column("spv_identifier", |_, note| note.spv_identifier()),
    column("billed_to", |_, note| note.billed_to.clone()),
    column("issued_date", |_, note| note.issued_date.to_string()),
    column("currency", |_, note| note.currency.code().to_owned()),
    column("amount", |_, note| note.currency.format(note.amount_minor)),
    column("tax", |_, note| note.currency.format(note.tax_minor)),
    column("description", |_, note| note.description.clone()),
];
