//! Background jobs: list, enqueue, retry.
use crate::{
    error::Result,
    extract::{CreateRequest, Path, Query, SignedIn, reject_unknown_order},
    response::{JsonBody, Page},
};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{
    accounts::auth::mail_request::SendAuthMailJob,
    kernel::page::PageQuery,
    operations::seed,
    platform::queue::{self, Job as _},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    id: String,
    #[schema(example = "mails.send")]
    name: String,
    /// Ids only.
    #[schema(value_type = HashMap<String, Value>)]
    payload: Value,
    /// `pending`, `queued`, `running`, `done`, `failed` (will be retried) or `dead`.
    status: String,
    attempts: i64,
    max_attempts: i64,
    run_at: Option<DateTime<Utc>>,
    done_at: Option<DateTime<Utc>>,
    last_result: Option<String>,
}

impl From<queue::JobRow> for Job {
    fn from(mut row: queue::JobRow) -> Self {
        // The email address and origin of a mail request are personal data.
        if row.job == SendAuthMailJob::NAME
            && let Value::Object(payload) = &mut row.payload
        {
            payload.retain(|name, _| name == "wanted");
        }
        Self {
            id: row.id,
            name: row.job,
            payload: row.payload,
            status: row.status.name().to_owned(),
            attempts: row.attempts,
            max_attempts: row.max_attempts,
            run_at: row.run_at,
            done_at: row.done_at,
            last_result: row.last_result,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListJobsQuery {
    /// `pending`, `queued`, `running`, `done`, `failed`, `dead`, or `open` for all that are not done.
    status: Option<String>,
    /// Sort order; only `-id` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The jobs, newest first.
#[utoipa::path(get, path = "/jobs", operation_id = "job_list", tag = "jobs", params(ListJobsQuery),
    responses((status = 200, body = Page<Job>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListJobsQuery>) -> Result<JsonBody<Page<Job>>> {
    reject_unknown_order(query.order.as_deref(), "-id")?;
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let found = queue::list(&ctx, query.status.as_deref().filter(|s| !s.is_empty()), &page).await?;
    Ok(JsonBody(Page::of(found, Job::from)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewJob {
    name: Name,
}

/// Retries a dead or waiting job now, with all its attempts. Super admins.
#[utoipa::path(post, path = "/jobs/{id}/retry", operation_id = "job_retry", tag = "jobs",
    params(("id" = String, Path)), responses((status = 200, body = Job)))]
pub async fn retry(SignedIn(ctx): SignedIn, Path(id): Path<String>) -> Result<JsonBody<Job>> {
    Ok(JsonBody(queue::retry(&ctx, &id).await?.into()))
}

/// Jobs that can be requested.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = JobName)]
enum Name {
    Seed,
}

/// A queued job. Its outcome arrives as an event with this id as `data.job_id`.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobQueued {
    id: Uuid,
}

/// Queues a job: test data, in demo mode.
#[utoipa::path(post, path = "/jobs", operation_id = "job_create", tag = "jobs", request_body = NewJob,
    responses((status = 202, body = JobQueued)))]
pub async fn create(
    CreateRequest { ctx, input, .. }: CreateRequest<NewJob>,
) -> Result<(StatusCode, JsonBody<JobQueued>)> {
    let id = match input.name {
        Name::Seed => seed::enqueue(&ctx).await?,
    };
    Ok((StatusCode::ACCEPTED, JsonBody(JobQueued { id })))
}
