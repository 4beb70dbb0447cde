//! Export of the activity log, for super admins with address and user agent.
use super::column::{Column, column, optional};
pub(super) use crate::platform::activity::{list, search};
use crate::{kernel::i18n, platform::activity::Activity};

pub(super) const COLUMNS: &[Column<Activity>] = LOG_COLUMNS.split_at(12).0;

/// [`COLUMNS`] and the two of the origin.
pub(super) const LOG_COLUMNS: &[Column<Activity>] = &[
    column("seq", |_, row| row.seq.map(|seq| seq.to_string()).unwrap_or_default()),
    column("id", |_, row| row.id.to_string()),
    column("at", |_, row| row.at.to_rfc3339()),
    column("actor_kind", |_, row| row.actor_kind.clone()),
    column("actor_id", |_, row| row.actor_id.map(|id| id.to_string()).unwrap_or_default()),
    column("actor_name", |ctx, row| i18n::actor(ctx.language(), &row.actor_kind, &row.actor_name)),
    column("action", |_, row| row.action.clone()),
    column("subject_kind", |_, row| row.subject_kind.clone()),
    column("subject_id", |_, row| row.subject_id.map(|id| id.to_string()).unwrap_or_default()),
    column("subject_label", |_, row| row.subject_label.clone()),
    column("spv_id", |_, row| row.spv_id.map(|id| id.to_string()).unwrap_or_default()),
    column("data", |_, row| serde_json::Value::Object(row.data.clone()).to_string()),
    column("address", |_, row| optional(&row.address)),
    column("user_agent", |_, row| optional(&row.user_agent)),
];
