//! Export of commissions.
use super::column::{Column, column, date, optional};
pub(super) use crate::orders::commissions::list;
use crate::{kernel::money, orders::commissions::Commission};

pub(super) const COLUMNS: &[Column<Commission>] = &[
    column("id", |_, row| row.id.to_string()),
    column("earned_date", |_, row| row.earned_date.to_string()),
    column("iso_name", |_, row| row.iso_name()),
    column("identifier", |_, row| row.spv_identifier()),
    column("client_name", |_, row| row.client_name()),
    column("kind", |_, row| row.kind.name().to_owned()),
    column("rule", |_, row| row.rule.name().to_owned()),
    column("rate", |_, row| row.rate.map(money::format_percent).unwrap_or_default()),
    column("base", |_, row| row.base_minor.map(|minor| row.currency.format(minor)).unwrap_or_default()),
    column("currency", |_, row| row.currency.code().to_owned()),
    // Sums to the statement.
    column("amount", |_, row| row.currency.format(row.counted_minor())),
    column("status", |_, row| row.status.name().to_owned()),
    column("paid_date", |_, row| date(row.paid_date)),
    column("payout_run", |_, row| row.run().unwrap_or_default()),
    column("reason", |_, row| optional(&row.reason)),
];
