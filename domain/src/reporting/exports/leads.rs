//! Export of leads.
use super::column::{Column, column, date, optional, time};
use crate::directory::leads::Lead;
pub(super) use crate::directory::leads::list;

pub(super) const COLUMNS: &[Column<Lead>] = &[
    column("id", |_, row| row.id.to_string()),
    column("iso_name", |_, row| row.iso_name()),
    column("first_name", |_, row| row.first_name.clone()),
    column("last_name", |_, row| row.last_name.clone()),
    column("email", |_, row| row.email.clone()),
    column("phone", |_, row| optional(&row.phone)),
    column("organisation", |_, row| optional(&row.organisation)),
    column("stage", |_, row| row.stage.name().to_owned()),
    column("next_step", |_, row| optional(&row.next_step)),
    column("next_step_date", |_, row| date(row.next_step_date)),
    column("protected_until", |_, row| row.protected_until.to_string()),
    column("note", |_, row| optional(&row.note)),
    column("converted_at", |_, row| time(row.converted_at)),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
