//! Tasks of staff: assigned steps, staff list, performance.
use crate::{
    error::Result,
    extract::SignedIn,
    response::{ItemList, JsonBody},
    routes::steps::Assignee,
};
use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    desk::tasks::{self, Kind},
    kernel::ids::{SpvId, UserId},
    orders::{steps::Party, templates},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// An open step or request that is assigned to the caller, or a document that came in for such a step.
#[derive(Debug, Serialize, ToSchema)]
pub struct Task {
    kind: Kind,
    /// The step's, the document request's, or the request's.
    id: Uuid,
    /// What the step or the document is called; a request's reference.
    name: String,
    /// The step, also the one that a document is for; null for a request.
    step_name: Option<String>,
    /// A step's, a document request's, or a request's.
    status: String,
    due_date: Option<NaiveDate>,
    /// When a request is due; null for a step and a document, which are due by the end of the office's day.
    due_at: Option<DateTime<Utc>>,
    /// Past its date by the office's day, or its time.
    overdue: bool,
    waiting_on: Option<Party>,
    spv_id: Option<SpvId>,
    /// Null for a request, as its id is.
    spv_identifier: Option<String>,
    client_id: Option<UserId>,
    /// Or whoever asks.
    client_name: String,
}

/// The first 200 tasks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskList {
    items: Vec<Task>,
    /// There are more than these: the export has them all.
    more: bool,
}

/// What is assigned to you, by due date.
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
        step_name: task.step_name.map(|name| templates::shown(&ctx, &name)),
        status: task.status,
        due_date: task.due_date,
        due_at: task.due_at,
        overdue: task.overdue,
        waiting_on: task.waiting_on,
        spv_id: task.spv_id,
        client_id: task.client_id,
    });
    Ok(JsonBody(TaskList { items: items.collect(), more }))
}

/// The active staff by name: whom a step can be assigned to.
#[utoipa::path(get, path = "/staff", operation_id = "staff_list", tag = "tasks",
    responses((status = 200, body = ItemList<Assignee>)))]
pub async fn staff(SignedIn(ctx): SignedIn) -> Result<JsonBody<ItemList<Assignee>>> {
    let items = tasks::staff(&ctx).await?.into_iter().map(|(id, name)| Assignee { id, name }).collect();
    Ok(JsonBody(ItemList { items }))
}

/// How the work went in the last ninety days.
#[derive(Debug, Serialize, ToSchema)]
pub struct Performance {
    /// Whole percent of completed steps that were not late; null without any that had a date.
    on_time_percent: Option<i64>,
    /// Days from the step before, or the order itself, to a step's completion: the middle one, to one decimal.
    median_days: Option<f64>,
    /// Open steps past their date, of orders that are worked on: at most 1,000, which stand for as many or more.
    overdue: i64,
    /// How many completed steps the first two are made from: the newest, at most 1,000.
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
