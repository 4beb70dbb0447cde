//! Export of the actor's tasks.
use super::column::{Column, column, date, time};
use crate::{
    desk::tasks::{self, Task},
    kernel::{ctx::Ctx, error::Result, page::Page},
    orders::templates,
};

pub(super) const COLUMNS: &[Column<Task>] = &[
    column("kind", |_, row| row.kind.name().to_owned()),
    column("id", |_, row| row.id.to_string()),
    column("name", |ctx, row| templates::shown(ctx, &row.name)),
    column("step_name", |ctx, row| row.step_name.as_ref().map(|name| templates::shown(ctx, name)).unwrap_or_default()),
    column("spv_identifier", |_, row| row.identifier().unwrap_or_default()),
    column("client_name", |_, row| row.client_name.clone()),
    column("status", |_, row| row.status.clone()),
    column("waiting_on", |_, row| row.waiting_on.map(|party| party.name().to_owned()).unwrap_or_default()),
    column("due_date", |_, row| date(row.due_date)),
    column("due_at", |_, row| time(row.due_at)),
    column("overdue", |_, row| row.overdue.to_string()),
];

/// All tasks in one page.
pub(super) async fn list(ctx: &Ctx) -> Result<Page<Task>> {
    Ok(Page { items: tasks::all(ctx).await?, next_cursor: None })
}
