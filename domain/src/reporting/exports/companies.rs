//! Export of companies.
use super::column::{Column, column, optional, time};
use crate::directory::companies::Company;
pub(super) use crate::directory::companies::list;

pub(super) const COLUMNS: &[Column<Company>] = &[
    column("id", |_, row| row.id.to_string()),
    column("name", |_, row| row.name.clone()),
    column("business_name", |_, row| row.business_name.clone()),
    column("email", |_, row| optional(&row.email)),
    column("phone", |_, row| optional(&row.phone)),
    column("logo_url", |_, row| optional(&row.logo_url)),
    column("domain", |_, row| optional(&row.domain)),
    column("country", |_, row| row.country.clone()),
    column("tax_id", |_, row| optional(&row.tax_id)),
    column("industry", |_, row| row.industry.map(|industry| industry.name().to_owned()).unwrap_or_default()),
    column("size", |_, row| row.size.map(|size| size.name().to_owned()).unwrap_or_default()),
    column("website", |_, row| optional(&row.website)),
    column("address", |_, row| optional(&row.address)),
    column("time_zone", |_, row| row.time_zone.clone()),
    column("language", |_, row| row.language.clone()),
    column("currency", |_, row| row.currency.map(|currency| currency.code().to_owned()).unwrap_or_default()),
    column("archived_at", |_, row| time(row.archived_at)),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
