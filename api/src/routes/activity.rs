//! Activity log within the actor's scope.
use crate::{
    error::Result,
    extract::{Query, SignedIn, empty_string_as_none, reject_unknown_order},
    response::{self, JsonBody, Page},
};
use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    kernel::{
        ids::{ActivityId, SpvId},
        page::PageQuery,
    },
    orders::templates,
    platform::activity::{self, Filter},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// An activity log entry. The catalogue's `events` have a sentence for each `action`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Activity {
    id: ActivityId,
    /// Position in the log; an event stream resumes after it.
    seq: i64,
    #[serde(serialize_with = "response::instant")]
    at: DateTime<Utc>,
    #[schema(example = "spv.started")]
    action: String,
    actor: Who,
    subject: What,
    spv_id: Option<SpvId>,
    /// Parameters of the sentence.
    #[schema(value_type = HashMap<String, Value>)]
    data: Map<String, Value>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityActor)]
pub struct Who {
    /// A role, `operator`, `system`, `service` or `anonymous`.
    kind: String,
    /// Of a person, of the operator's login or of a job; empty for `service` and `anonymous`.
    name: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivitySubject)]
pub struct What {
    kind: String,
    id: Option<Uuid>,
    label: String,
}

impl Activity {
    /// With names of steps and documents in the reader's language.
    pub fn of(ctx: &Ctx, mut row: activity::Activity) -> Self {
        templates::names::translate_values(ctx.language(), &mut row.data);
        if matches!(row.subject_kind.as_str(), "document" | "document_request" | "template") {
            row.subject_label = templates::shown(ctx, &row.subject_label);
        }
        Self {
            id: row.id,
            // Only rows with a `seq` are listed.
            seq: row.seq.unwrap_or_default(),
            at: row.at,
            action: row.action,
            actor: Who { kind: row.actor_kind, name: row.actor_name },
            subject: What { kind: row.subject_kind, id: row.subject_id, label: row.subject_label },
            spv_id: row.spv_id,
            data: row.data,
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListActivityQuery {
    /// Kind of `subject_id`, which it requires; `subject_id` works alone.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    subject_kind: Option<String>,
    #[serde(default, deserialize_with = "empty_string_as_none")]
    /// Entries about this row; for a client, company or ISO partner also those about their orders.
    subject_id: Option<Uuid>,
    /// Entries about an order and its steps.
    #[serde(default, deserialize_with = "empty_string_as_none")]
    spv_id: Option<SpvId>,
    /// Sort order; only `-seq` is supported.
    order: Option<String>,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Activity within your scope, newest first.
#[utoipa::path(get, path = "/activity", operation_id = "activity_list", tag = "activity", params(ListActivityQuery),
    responses((status = 200, body = Page<Activity>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListActivityQuery>) -> Result<JsonBody<Page<Activity>>> {
    reject_unknown_order(query.order.as_deref(), "-seq")?;
    // A filter without an id would match everything.
    if query.subject_kind.is_some() && query.subject_id.is_none() {
        return Err(domain::Error::field("subject_id", "required").into());
    }
    let filter = Filter { subject_id: query.subject_id, spv_id: query.spv_id, ..Filter::default() };
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    Ok(JsonBody(Page::of(activity::list(&ctx, &filter, &page).await?, |row| Activity::of(&ctx, row))))
}
