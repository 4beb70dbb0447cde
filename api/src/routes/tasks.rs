//! Tasks of staff: assigned steps, staff list, performance.
use crate::{
    error::Result,
    extract::SignedIn,
    response::{ItemList, JsonBody},
    routes::steps::Assignee,
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    desk::{
        requests,
        tasks::{self, Kind},
    },
    kernel::ids::{SpvId, UserId},
    orders::{steps::Party, templates},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// An open step or request assigned to the caller, or an uploaded document of such a step.
#[derive(Debug, Serialize, ToSchema)]
pub struct Task {
    kind: Kind,
    /// Id of the step, the document request or the request.
    id: Uuid,
    /// Title of the step or document; reference of a request.
    name: String,
    /// What a request asks for.
    request_kind: Option<requests::Kind>,
    /// What a request is about: the first proposed name of an order, or the beginning of the message.
    request_subject: Option<String>,
    /// The step, also the one of a document; null for a request.
    step_name: Option<String>,
    /// Status of the step, the document request or the request.
    status: String,
    due_date: Option<NaiveDate>,
    /// Due time of a request; null for a step and a document, which are due by the end of the office's day.
    due_at: Option<DateTime<Utc>>,
    /// Past the due date by the office's day, or past the due time.
    overdue: bool,
    waiting_on: Option<Party>,
    spv_id: Option<SpvId>,
    /// Null for a request, like `spv_id`.
    spv_identifier: Option<String>,
    /// The name of the company that the order forms.
    vehicle_name: Option<String>,
    client_id: Option<UserId>,
    /// Or the sender of the request.
    client_name: String,
}

/// The first 200 tasks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskList {
    items: Vec<Task>,
    /// There are more than these; the export has all.
    more: bool,
}

/// Tasks assigned to you, by due date.
#[utoipa::path(get, path = "/tasks", operation_id = "task_list", tag = "tasks",
    responses((status = 200, body = TaskList)))]
pub async fn list(SignedIn(ctx): SignedIn) -> Result<JsonBody<TaskList>> {
    let (found, more) = tasks::mine(&ctx).await?;
    let items = found.into_iter().map(|task| Task {
        spv_identifier: task.identifier(),
        client_name: task.client_name,
        kind: task.kind,
        id: task.id,
        name: templates::shown(&ctx, &task.name),
        request_kind: task.request_kind,
        request_subject: task.request_subject,
        step_name: task.step_name.map(|name| templates::shown(&ctx, &name)),
        status: task.status,
        due_date: task.due_date,
        due_at: task.due_at,
        overdue: task.overdue,
        waiting_on: task.waiting_on,
        spv_id: task.spv_id,
        client_id: task.client_id,
        vehicle_name: task.vehicle_name,
    });
    Ok(JsonBody(TaskList { items: items.collect(), more }))
}

/// Active staff by name, for assigning steps.
#[utoipa::path(get, path = "/staff", operation_id = "staff_list", tag = "tasks",
    responses((status = 200, body = ItemList<Assignee>)))]
pub async fn staff(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<Assignee>>> {
    let items = tasks::staff(&ctx).await?.into_iter().map(|(id, name)| Assignee { id, name }).collect();
    Ok(JsonBody(ItemList { items }))
}

/// Performance of the last ninety days.
#[derive(Debug, Serialize, ToSchema)]
pub struct Performance {
    /// Whole percent of completed steps that were not late; null when none had a due date.
    on_time_percent: Option<i64>,
    /// Median days from the previous step, or from the order date, to a step's completion, to one decimal.
    median_days: Option<f64>,
    /// Overdue open steps of active orders; capped at 1,000.
    overdue: i64,
    /// Number of completed steps in the first two figures: the newest, at most 1,000.
    completed: i64,
}

/// The office's performance.
#[utoipa::path(get, path = "/dashboards/performance", operation_id = "dashboard_performance", tag = "dashboards",
    responses((status = 200, body = Performance)))]
pub async fn performance(SignedIn(ctx): SignedIn) -> Result<JsonBody<Performance>> {
    let found = tasks::performance(&ctx).await?;
    Ok(JsonBody(Performance {
        on_time_percent: found.on_time_percent,
        median_days: found.median_days,
        overdue: found.overdue,
        completed: found.completed,
    }))
}
