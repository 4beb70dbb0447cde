//! Call requests of partners, and their calendar files.
use crate::{
    error::{ApiError, Result},
    extract::{CreateRequest, EmptyBody, IfMatch, Json, Path, Query, SignedIn, empty_string_as_none, sort_order},
    response::{Created, JsonBody, Page, Versioned},
    state::AppState,
};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Duration, Utc};
use domain::{
    Ctx, Error,
    directory::calls,
    kernel::{
        i18n,
        ids::{CallId, IsoId},
        page::PageQuery,
    },
    platform::settings,
};
use icalendar::{Calendar, Component, Event, EventLike, EventStatus};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Serialize, ToSchema)]
pub struct Call {
    id: CallId,
    iso_id: IsoId,
    iso_name: String,
    topic: String,
    note: Option<String>,
    minutes: i64,
    /// Proposed times, earliest first.
    times: Vec<DateTime<Utc>>,
    status: calls::Status,
    begins_at: Option<DateTime<Utc>>,
    /// Dial-in details, or the reason for declining.
    answer: Option<String>,
    answered_by: Option<String>,
    created_at: DateTime<Utc>,
    version: i64,
    /// Actions allowed to the caller: `confirm`, `decline`, `cancel`, `calendar`.
    can: Vec<&'static str>,
}

impl Call {
    fn of(ctx: &Ctx, row: calls::Call) -> Self {
        Self {
            can: calls::can(ctx, &row),
            iso_name: row.iso_name(),
            id: row.id,
            iso_id: row.iso_id,
            topic: row.topic,
            note: row.note,
            minutes: row.minutes,
            times: row.proposed,
            status: row.status,
            begins_at: row.begins_at,
            answer: row.answer,
            answered_by: row.answered_by,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

fn row(ctx: &Ctx, call: calls::Call) -> Versioned<Call> {
    Versioned { version: call.version, view: Call::of(ctx, call) }
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListCallsQuery {
    #[serde(default, deserialize_with = "empty_string_as_none")]
    #[param(value_type = Option<calls::Status>)]
    status: Option<String>,
    /// `created_at` or `begins_at`, with `-` before it for descending; default: `-created_at`. Calls without a confirmed
    /// time come last.
    order: Option<String>,
    /// True adds the number of all calls of the list.
    #[serde(default)]
    count: bool,
    /// Page size, 1 to 500; default: 50.
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

impl ListCallsQuery {
    pub fn read(self) -> Result<(calls::Filter, PageQuery)> {
        let status = self.status.as_deref().map(str::parse).transpose();
        let status = status.map_err(|problem| ApiError::from(Error::field_with("status", problem)))?;
        Ok((
            calls::Filter { status, order: sort_order(self.order.as_deref())? },
            PageQuery { limit: self.limit, cursor: self.cursor },
        ))
    }
}

/// Calls, newest first: an ISO's own, or all for staff.
#[utoipa::path(get, path = "/calls", operation_id = "call_list", tag = "calls", params(ListCallsQuery),
    responses((status = 200, body = Page<Call>)))]
pub async fn list(SignedIn(ctx): SignedIn, Query(query): Query<ListCallsQuery>) -> Result<JsonBody<Page<Call>>> {
    let count = query.count;
    let (filter, page) = query.read()?;
    let found = calls::list(&ctx, &filter, &page).await?;
    let page = Page::of(found, |call| Call::of(&ctx, call));
    Ok(JsonBody(page.counted(count, calls::total(&ctx, &filter)).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCall {
    #[serde(default)]
    #[schema(required)]
    topic: String,
    note: Option<String>,
    /// Minutes, 10 to 120; default: 30.
    minutes: Option<i64>,
    /// One to three proposed times.
    #[serde(default)]
    #[schema(required)]
    times: Vec<DateTime<Utc>>,
}

/// Requests a call. ISO partners.
#[utoipa::path(post, path = "/calls", operation_id = "call_create", tag = "calls", request_body = NewCall,
    responses((status = 201, body = Call)))]
pub async fn create(
    State(app): State<AppState>,
    CreateRequest { ctx, input, .. }: CreateRequest<NewCall>,
) -> Result<Created<Call>> {
    app.check_request_limit(&ctx.actor)?;
    let typed = calls::Input { topic: input.topic, note: input.note, minutes: input.minutes, times: input.times };
    let call = calls::create(&ctx, typed).await?;
    Ok(Created { location: format!("/rest/v1/calls/{}", call.id), version: call.version, view: Call::of(&ctx, call) })
}

/// One call.
#[utoipa::path(get, path = "/calls/{id}", operation_id = "call_get", tag = "calls",
    params(("id" = CallId, Path)), responses((status = 200, body = Call)))]
pub async fn get(SignedIn(ctx): SignedIn, Path(id): Path<CallId>) -> Result<Versioned<Call>> {
    Ok(row(&ctx, calls::get(&ctx, id).await?))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallConfirmed {
    /// One of the proposed times.
    #[schema(required, value_type = String, format = DateTime)]
    begins_at: Option<DateTime<Utc>>,
    /// Dial-in details.
    answer: Option<String>,
}

/// Confirms one of the proposed times. Staff.
#[utoipa::path(post, path = "/calls/{id}/confirm", operation_id = "call_confirm", tag = "calls",
    params(("id" = CallId, Path)), request_body = CallConfirmed, responses((status = 200, body = Call)))]
pub async fn confirm(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CallId>,
    IfMatch(version): IfMatch,
    Json(input): Json<CallConfirmed>,
) -> Result<Versioned<Call>> {
    Ok(row(&ctx, calls::confirm(&ctx, id, version, input.begins_at, input.answer.as_deref()).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallDeclined {
    /// Shown to the partner.
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Declines a call with a reason. Staff.
#[utoipa::path(post, path = "/calls/{id}/decline", operation_id = "call_decline", tag = "calls",
    params(("id" = CallId, Path)), request_body = CallDeclined, responses((status = 200, body = Call)))]
pub async fn decline(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CallId>,
    IfMatch(version): IfMatch,
    Json(input): Json<CallDeclined>,
) -> Result<Versioned<Call>> {
    Ok(row(&ctx, calls::decline(&ctx, id, version, &input.reason).await?))
}

/// Cancels a call. Its partner, and staff.
#[utoipa::path(post, path = "/calls/{id}/cancel", operation_id = "call_cancel", tag = "calls",
    params(("id" = CallId, Path)), request_body = EmptyBody, responses((status = 200, body = Call)))]
pub async fn cancel(
    SignedIn(ctx): SignedIn,
    Path(id): Path<CallId>,
    IfMatch(version): IfMatch,
    Json(EmptyBody {}): Json<EmptyBody>,
) -> Result<Versioned<Call>> {
    Ok(row(&ctx, calls::cancel(&ctx, id, version).await?))
}

/// A confirmed call as an iCalendar file. Both sides get the same event, which a cancellation removes again.
#[utoipa::path(get, path = "/calls/{id}/ics", operation_id = "call_calendar", tag = "calls",
    params(("id" = CallId, Path)), responses((status = 200, body = String, content_type = "text/calendar")))]
pub async fn calendar(SignedIn(ctx): SignedIn, Path(id): Path<CallId>) -> Result<Response> {
    let call = calls::get(&ctx, id).await?;
    let begins_at = call.begins_at.ok_or_else(|| Error::conflict("call_not_confirmed"))?;
    let office = settings::get(&ctx).await?.brand().to_owned();
    let words = serde_json::Map::from_iter([
        ("topic".to_owned(), call.topic.clone().into()),
        ("iso".to_owned(), call.iso_name().into()),
        ("office".to_owned(), office.clone().into()),
    ]);
    let cancelled = call.status == calls::Status::Cancelled;
    let mut event = Event::new();
    event
        .uid(&format!("call-{}@spv-portal", call.id))
        .timestamp(call.updated_at)
        .sequence(u32::try_from(call.version).unwrap_or(u32::MAX))
        .summary(&i18n::text(ctx.language(), "names", "calendar.call", &words))
        .description(
            // Some readers take a lone CR for a line end, and the crate does not escape it.
            &[call.note.as_deref(), call.answer.as_deref()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n\n")
                .replace("\r\n", "\n")
                .replace('\r', "\n"),
        )
        .starts(begins_at)
        .ends(begins_at + Duration::minutes(call.minutes))
        .status(if cancelled { EventStatus::Cancelled } else { EventStatus::Confirmed });
    let mut calendar = Calendar::new();
    calendar.name(&office).push(event.done());
    let name = format!("attachment; filename=\"call-{}.ics\"", &id.to_string()[..8]);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/calendar; charset=utf-8")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(Error::internal)?),
    ];
    Ok((headers, calendar.to_string()).into_response())
}
