//! The full activity log for super admins, filtered and as CSV.
use crate::{
    error::Result,
    extract::{Query, SignedIn},
    response::{JsonBody, Page},
    routes::{activity::Activity, exports},
};
use axum::response::Response;
use domain::{
    Ctx,
    kernel::{ids::UserId, page::PageQuery},
    platform::activity::{self, Search},
    reporting::exports::Table,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A log entry with all details.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogEntry {
    #[serde(flatten)]
    entry: Activity,
    actor_id: Option<UserId>,
    /// Client IP.
    address: Option<String>,
    user_agent: Option<String>,
}

impl LogEntry {
    fn of(ctx: &Ctx, row: activity::Activity) -> Self {
        Self {
            actor_id: row.actor_id,
            address: row.address.clone(),
            user_agent: row.user_agent.clone(),
            entry: Activity::of(ctx, row),
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// A person by id, name or email address.
    who: Option<String>,
    /// A role, `operator`, `system`, `service` or `anonymous`.
    role: Option<String>,
    /// An action such as `spv.started`, or all of a noun such as `spv`.
    what: Option<String>,
    /// The subject: an id, or words of its name.
    subject: Option<String>,
    /// First day, in your time zone.
    from: Option<String>,
    /// Last day.
    to: Option<String>,
    /// Client IP.
    address: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl LogQuery {
    fn read(self) -> (Search, PageQuery) {
        let Self { who, role, what, subject, from, to, address, limit, cursor } = self;
        (Search { who, role, what, subject, from, to, address }, PageQuery { limit, cursor })
    }
}

/// The whole log, newest first. Super admins.
#[utoipa::path(get, path = "/logs", operation_id = "log_list", tag = "activity", params(LogQuery),
    responses((status = 200, body = Page<LogEntry>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<LogQuery>) -> Result<JsonBody<Page<LogEntry>>> {
    let (search, page) = query.read();
    Ok(JsonBody(Page::of(activity::search(&ctx, &search, &page).await?, |row| LogEntry::of(&ctx, row))))
}

/// All matching entries of the log, as CSV. Super admins.
#[utoipa::path(get, path = "/logs.csv", operation_id = "log_export", tag = "activity", params(LogQuery),
    responses((status = 200, content_type = "text/csv", body = String)))]
pub async fn csv(SignedIn(ctx): SignedIn, Query(query): Query<LogQuery>) -> Result<Response> {
    exports::answer(ctx, Table::Log(query.read().0)).await
}
