//! Export of messages, internal notes included.
use super::column::{Column, column};
use crate::desk::messages::ListedMessage;
pub(super) use crate::desk::messages::all;

pub(super) const COLUMNS: &[Column<ListedMessage>] = &[
    column("id", |_, message| message.id.to_string()),
    column("thread_id", |_, message| message.thread_id.to_string()),
    column("client_name", |_, message| message.client_name()),
    column("spv_identifier", |_, message| message.spv_identifier().unwrap_or_default()),
    column("author_name", |_, message| message.author_name.clone()),
    column("by_staff", |_, message| message.by_staff.to_string()),
    column("internal", |_, message| message.internal.to_string()),
    column("created_at", |_, message| message.created_at.to_rfc3339()),
    column("body", |_, message| message.body.clone()),
];
