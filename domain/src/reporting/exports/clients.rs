//! Export of clients.
use super::column::{Column, column, optional};
use crate::directory::clients::Client;
pub(super) use crate::directory::clients::list;

pub(super) const COLUMNS: &[Column<Client>] = &[
    column("id", |_, row| row.id.to_string()),
    column("first_name", |_, row| row.first_name.clone()),
    column("last_name", |_, row| row.last_name.clone()),
    column("email", |_, row| row.email.clone()),
    column("phone", |_, row| optional(&row.phone)),
    column("address", |_, row| optional(&row.address)),
    column("company_name", |_, row| optional(&row.company_name)),
    column("iso_name", |_, row| {
        let names = row.iso_first_name.as_ref().zip(row.iso_last_name.as_ref());
        names.map(|(first, last)| format!("{first} {last}")).unwrap_or_default()
    }),
    column("status", |_, row| row.status.name().to_owned()),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
