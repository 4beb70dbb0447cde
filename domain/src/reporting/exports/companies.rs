//! Export of companies. Their settings are for the staff.
use super::column::{Column, column, optional, time};
pub(super) use crate::directory::companies::list;
use crate::{directory::companies::Company, kernel::access::Actor};

pub(super) const COLUMNS: &[Column<Company>] = &[
    column("id", |_, row| row.id.to_string()),
    column("name", |_, row| row.name.clone()),
    column("business_name", |_, row| row.business_name.clone()),
    column("email", |_, row| optional(&row.email)),
    column("phone", |_, row| optional(&row.phone)),
    column("logo_url", |_, row| optional(&row.logo_url)),
    column("domain", |_, row| optional(&row.domain)),
    column("country", |_, row: &Company| row.country.clone()).only(Actor::is_staff),
    column("tax_id", |_, row: &Company| optional(&row.tax_id)).only(Actor::is_staff),
    column("industry", |_, row: &Company| row.industry.map(|industry| industry.name().to_owned()).unwrap_or_default())
        .only(Actor::is_staff),
    column("size", |_, row: &Company| row.size.map(|size| size.name().to_owned()).unwrap_or_default())
        .only(Actor::is_staff),
    column("website", |_, row: &Company| optional(&row.website)).only(Actor::is_staff),
    column("address", |_, row: &Company| optional(&row.address)).only(Actor::is_staff),
    column("time_zone", |_, row: &Company| row.time_zone.clone()).only(Actor::is_staff),
    column("language", |_, row: &Company| row.language.clone()).only(Actor::is_staff),
    column("currency", |_, row: &Company| row.currency.map(|currency| currency.code().to_owned()).unwrap_or_default())
        .only(Actor::is_staff),
    column("archived_at", |_, row| time(row.archived_at)),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
