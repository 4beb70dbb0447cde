//! Export of orders. The commission columns are for those who see commissions.
use super::column::{Column, column, optional, time};
pub(super) use crate::orders::spvs::list;
use crate::{
    kernel::{access::Actor, money},
    orders::{spvs::Spv, templates},
};

pub(super) const COLUMNS: &[Column<Spv>] = &[
    column("id", |_, row| row.id.to_string()),
    column("identifier", |_, row| row.identifier()),
    column("client_name", |_, row| row.client_name()),
    column("client_email", |_, row| row.client_email.clone()),
    column("company_name", |_, row| row.company_name.clone()),
    column("iso_name", |_, row| row.iso_name().unwrap_or_default()),
    column("vehicle_name", |_, row| optional(&row.vehicle_name)),
    column("reference", |_, row| optional(&row.reference)),
    column("country", |_, row| row.country.code().to_owned()),
    column("currency", |_, row| row.currency.code().to_owned()),
    column("purchase_amount", |_, row| amount(row, row.purchase_amount_minor)),
    column("price", |_, row| amount(row, row.price_minor)),
    column("filing_fee", |_, row| amount(row, row.filing_fee_minor)),
    // Sums to the value of the portfolio.
    column("amount", |_, row| amount(row, row.counted_minor())),
    column("commission", |_, row: &Spv| amount(row, row.commission_minor)).only(Actor::sees_commission),
    column("iso_commission_percentage", |_, row: &Spv| {
        row.iso_commission_percentage.map(money::format_percent).unwrap_or_default()
    })
    .only(Actor::sees_commission),
    column("iso_commission", |_, row: &Spv| amount(row, row.iso_commission_minor)).only(Actor::sees_commission),
    column("status", |_, row| row.status.name().to_owned()),
    column("status_reason", |_, row| optional(&row.status_reason)),
    column("ordered_date", |_, row| row.ordered_date.to_string()),
    column("closed_at", |_, row| time(row.closed_at)),
    column("steps_completed", |_, row| row.steps_completed.to_string()),
    column("steps_total", |_, row| row.steps_total.to_string()),
    column("current_step", |ctx, row| {
        row.current_step.as_ref().map(|name| templates::shown(ctx, name)).unwrap_or_default()
    }),
];

fn amount(row: &Spv, minor: Option<i64>) -> String {
    minor.map(|minor| row.currency.format(minor)).unwrap_or_default()
}
