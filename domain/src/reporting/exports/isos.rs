//! Export of ISO partners.
use super::column::{Column, column, optional, time};
use crate::directory::isos::Iso;
pub(super) use crate::directory::isos::list;

pub(super) const COLUMNS: &[Column<Iso>] = &[
    column("id", |_, row| row.id.to_string()),
    column("first_name", |_, row| row.first_name.clone()),
    column("last_name", |_, row| row.last_name.clone()),
    column("email", |_, row| row.email.clone()),
    column("phone", |_, row| optional(&row.phone)),
    column("company_name", |_, row| row.company_name.clone()),
    column("archived_at", |_, row| time(row.archived_at)),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
