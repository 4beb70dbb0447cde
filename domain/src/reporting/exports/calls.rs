//! Export of calls.
use super::column::{Column, column, optional, time};
pub(super) use crate::directory::calls::list;
use crate::{directory::calls::Call, kernel::i18n};

pub(super) const COLUMNS: &[Column<Call>] = &[
    column("id", |_, row| row.id.to_string()),
    column("iso_name", |_, row| row.iso_name()),
    column("topic", |_, row| row.topic.clone()),
    column("note", |_, row| optional(&row.note)),
    column("minutes", |_, row| row.minutes.to_string()),
    column("times", |_, row| row.proposed.iter().map(|at| at.to_rfc3339()).collect::<Vec<_>>().join("; ")),
    column("status", |_, row| row.status.name().to_owned()),
    column("begins_at", |_, row| time(row.begins_at)),
    column("answer", |_, row| optional(&row.answer)),
    column("answered_by", |ctx, row| {
        row.answered_by.as_ref().map(|by| i18n::actor_of_code(ctx.language(), by)).unwrap_or_default()
    }),
    column("created_at", |_, row| row.created_at.to_rfc3339()),
];
