//! Export of the steps of all orders.
use super::column::{Column, column, date, optional, time};
pub(super) use crate::orders::steps::all;
use crate::orders::{steps::ListedStep, templates};

pub(super) const COLUMNS: &[Column<ListedStep>] = &[
    column("id", |_, step| step.id.to_string()),
    column("spv_identifier", |_, step| step.spv_identifier()),
    column("company_name", |_, step| step.company_name.clone()),
    column("step_order", |_, step| step.step_order.to_string()),
    column("step_name", |ctx, step| templates::shown(ctx, &step.step_name)),
    column("status", |_, step| step.status.name().to_owned()),
    column("owner", |_, step| step.owner.name().to_owned()),
    column("due_date", |_, step| date(step.due_date)),
    column("completed_at", |_, step| time(step.completed_at)),
    column("assignee_name", |_, step| optional(&step.assignee_name)),
    column("waiting_on", |_, step| step.waiting_on.map(|party| party.name().to_owned()).unwrap_or_default()),
    column("blocked_reason", |_, step| optional(&step.blocked_reason)),
    column("text_data", |_, step| optional(&step.text_data)),
    column("document_url", |_, step| optional(&step.document_url)),
];
