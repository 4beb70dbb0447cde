//! Export of requests. Priority, due time and assignee are for the staff.
use super::column::{Column, column, optional, time};
use crate::{
    desk::requests::{self, Filter, OrderRequest, Request},
    kernel::{
        access::Actor,
        ctx::Ctx,
        error::Result,
        i18n,
        page::{Page, PageQuery},
    },
};
use serde_json::Value;

/// A request with the order that it asks for.
pub(super) struct Row {
    request: Request,
    order: Option<OrderRequest>,
}

pub(super) const COLUMNS: &[Column<Row>] = &[
    column("id", |_, row| row.request.id.to_string()),
    column("reference", |_, row| row.request.reference()),
    column("kind", |_, row| row.request.kind.name().to_owned()),
    column("status", |_, row| row.request.status.name().to_owned()),
    column("name", |_, row| row.request.name.clone()),
    column("email", |_, row| row.request.email.clone()),
    column("account_type", |_, row| {
        row.request.data.get("account_type").and_then(Value::as_str).unwrap_or_default().to_owned()
    }),
    column("country", |_, row| row.of_order(|order| order.country.code().to_owned())),
    column("proposed_names", |_, row| row.of_order(|order| order.proposed_names.join("; "))),
    column("purchase_amount", |_, row| row.of_order(|order| order.purchase_amount.clone())),
    column("currency", |_, row| row.of_order(|order| order.currency.code().to_owned())),
    column("message", |_, row| row.request.message.clone()),
    column("reason", |_, row| optional(&row.request.reason)),
    column("spv_identifier", |_, row| row.request.spv_identifier().unwrap_or_default()),
    column("created_at", |_, row| row.request.created_at.to_rfc3339()),
    column("decided_at", |_, row| time(row.request.decided_at)),
    column("priority", |_, row: &Row| row.request.priority.name().to_owned()).only(Actor::is_staff),
    column("due_at", |_, row: &Row| row.request.due_at.to_rfc3339()).only(Actor::is_staff),
    column("overdue", |ctx, row: &Row| row.request.is_overdue(ctx.now()).to_string()).only(Actor::is_staff),
    column("assignee_name", |_, row: &Row| optional(&row.request.assignee_name)).only(Actor::is_staff),
    column("decided_by", |ctx, row: &Row| {
        row.request.decided_by.as_ref().map(|by| i18n::actor_of_code(ctx.language(), by)).unwrap_or_default()
    })
    .only(Actor::is_staff),
];

impl Row {
    fn of_order(&self, cell: fn(&OrderRequest) -> String) -> String {
        self.order.as_ref().map(cell).unwrap_or_default()
    }
}

pub(super) async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Row>> {
    let found = requests::list(ctx, &filter.with_stable_order(), page).await?;
    Ok(found.map(|request| Row { order: request.order(), request }))
}
