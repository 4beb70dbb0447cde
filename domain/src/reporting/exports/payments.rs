//! Export of payments. Notes and who recorded them are for the staff.
use super::column::{Column, column, optional};
use crate::{
    kernel::{access::Actor, i18n},
    orders::invoices::ListedPayment,
};

pub(super) const COLUMNS: &[Column<ListedPayment>] = &[
    column("id", |_, payment| payment.id.to_string()),
    column("invoice_number", |_, payment| payment.invoice()),
    column("client_name", |_, payment| payment.client_name()),
    column("client_email", |_, payment| payment.client_email.clone()),
    column("spv_identifier", |_, payment| payment.spv_identifier()),
    column("received_date", |_, payment| payment.received_date.to_string()),
    column("currency", |_, payment| payment.currency.code().to_owned()),
    column("amount", |_, payment| payment.currency.format(payment.amount_minor)),
    column("method", |_, payment| payment.way.clone()),
    column("note", |_, payment: &ListedPayment| optional(&payment.note)).only(Actor::is_staff),
    column("recorded_by", |ctx, payment: &ListedPayment| i18n::actor_of_code(ctx.language(), &payment.recorded_by))
        .only(Actor::is_staff),
    column("recorded_at", |_, payment| payment.created_at.to_rfc3339()),
];
