//! Export of the price list.
use super::column::{Column, column};
use crate::{
    kernel::{ctx::Ctx, error::Result, page::Page},
    orders::services::{self, Service},
};

pub(super) const COLUMNS: &[Column<Service>] = &[
    column("id", |_, service| service.id.to_string()),
    column("country", |_, service| service.country.code().to_owned()),
    column("name", |_, service| service.name.clone()),
    column("currency", |_, service| service.currency.code().to_owned()),
    column("price", |_, service| service.currency.format(service.price_minor)),
    column("filing_fee", |_, service| service.currency.format(service.filing_fee_minor)),
    column("active", |_, service| service.active.to_string()),
];

/// All services in one page.
pub(super) async fn list(ctx: &Ctx) -> Result<Page<Service>> {
    Ok(Page { items: services::list(ctx, None).await?, next_cursor: None })
}
