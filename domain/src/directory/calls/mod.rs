//! Calls: an ISO partner proposes times, and the staff confirm one of them. Each call has a request on the request desk.
mod request;
mod store;

pub use store::{Call, CallSort, Filter, Status};

use crate::{
    kernel::{
        access::{Action, Resource, Scope},
        ctx::{Ctx, fresh},
        db::{ScopedFutureExt, Tx},
        error::{Error, Problem, Result},
        idempotency,
        ids::CallId,
        page::{Page, PageQuery, Total},
        validate::{LINE, Validator},
    },
    platform::activity::{self, Event},
};
use chrono::{DateTime, Duration, Utc};

const MAX_PROPOSED_TIMES: usize = 3;
const DURATION_RANGE_MINUTES: std::ops::RangeInclusive<i64> = 10..=120;
const DEFAULT_DURATION_MINUTES: i64 = 30;
const MAX_DAYS_AHEAD: i64 = 180;

#[derive(Clone, Debug, Default)]
pub struct Input {
    pub topic: String,
    pub note: Option<String>,
    /// [`DEFAULT_DURATION_MINUTES`] where left out.
    pub minutes: Option<i64>,
    pub times: Vec<DateTime<Utc>>,
}

/// Proposes a call. ISO partners.
///
/// # Errors
/// Forbidden; Invalid per field: one to [`MAX_PROPOSED_TIMES`] times, all in the future.
#[tracing::instrument(level = "debug", name = "calls.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<Call> {
    ctx.may(Action::Create, Resource::NewCall)?;
    let Scope::Iso(iso_id) = ctx.scope()? else { return Err(Error::forbidden("forbidden")) };
    let mut check = Validator::new();
    let topic = check.single_line("topic", &input.topic, LINE);
    let note = check.optional_text("note", input.note.as_deref());
    let minutes = input.minutes.unwrap_or(DEFAULT_DURATION_MINUTES);
    check.range("minutes", minutes, DURATION_RANGE_MINUTES);
    let mut times = input.times;
    times.sort();
    let given = times.len();
    times.dedup();
    match given {
        0 => check.reject("times", Problem::new("required")),
        _ if given > MAX_PROPOSED_TIMES => {
            check.reject("times", Problem::new("too_many").with("max", MAX_PROPOSED_TIMES))
        }
        _ if times.len() < given => check.reject("times", Problem::new("twice")),
        _ if times[0] <= ctx.now() => check.reject("times", Problem::new("past")),
        _ if times[times.len() - 1] > ctx.now() + Duration::days(MAX_DAYS_AHEAD) => {
            check.reject("times", Problem::new("too_far").with("days", MAX_DAYS_AHEAD));
        }
        _ => {}
    }
    check.finish()?;
    let id = CallId(ctx.random.uuid());
    let new = &store::InsertCall {
        id,
        iso_id,
        topic,
        note,
        minutes,
        proposed: times,
        created_at: ctx.now(),
        updated_by: ctx.actor_name(),
    };
    let created = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(CallId(id));
            }
            store::insert(tx, new).await?;
            let call = store::get(tx, id).await?.ok_or(Error::NotFound("call"))?;
            activity::append(tx, ctx, event("call.requested", &call)).await?;
            request::on_created(tx, ctx, &call).await?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, created.await?).await
}

/// One call. Its partner, and the staff.
///
/// # Errors
/// NotFound, also for a call that the actor may not see.
#[tracing::instrument(level = "debug", name = "calls.get", skip_all, fields(call_id = %id))]
pub async fn get(ctx: &Ctx, id: CallId) -> Result<Call> {
    let call = store::get(&mut ctx.db(), id).await?.ok_or(Error::NotFound("call"))?;
    ctx.may(Action::View, resource(&call))?;
    Ok(call)
}

/// Calls, by default newest first: a partner's own, the staff's all.
///
/// # Errors
/// Forbidden for others; Invalid for a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "calls.list", skip_all)]
pub async fn list(ctx: &Ctx, filter: &Filter, page: &PageQuery) -> Result<Page<Call>> {
    ctx.may(Action::View, Resource::Calls)?;
    let keyset = page.keyset(filter.order)?;
    let rows = store::list(&mut ctx.db(), ctx.scope()?, filter, &keyset).await?;
    Page::sorted(rows, page, filter.order)
}

/// The number of calls of a list.
///
/// # Errors
/// As [`list`].
#[tracing::instrument(level = "debug", name = "calls.total", skip_all)]
pub async fn total(ctx: &Ctx, filter: &Filter) -> Result<Total> {
    ctx.may(Action::View, Resource::Calls)?;
    store::total(&mut ctx.db(), ctx.scope()?, filter).await
}

/// Confirms one of the proposed times. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid `begins_at`; Conflict `call_answered`, stale.
#[tracing::instrument(level = "debug", name = "calls.confirm", skip_all, fields(call_id = %id))]
pub async fn confirm(
    ctx: &Ctx,
    id: CallId,
    version: Option<i64>,
    begins_at: Option<DateTime<Utc>>,
    answer: Option<&str>,
) -> Result<Call> {
    ctx.transaction(|tx| {
        async move {
            let call = locked(tx, ctx, id, version, Action::Review).await?;
            let mut check = Validator::new();
            let answer = check.optional_text("answer", answer);
            match begins_at {
                None => check.reject("begins_at", Problem::new("required")),
                Some(at) if !call.proposed.contains(&at) => check.reject("begins_at", Problem::new("not_proposed")),
                Some(at) if at <= ctx.now() => check.reject("begins_at", Problem::new("past")),
                Some(_) => {}
            }
            check.finish()?;
            if call.status != Status::Requested {
                return Err(already_answered(&call));
            }
            save_answer(tx, ctx, "call.confirmed", Call { status: Status::Confirmed, begins_at, answer, ..call }).await
        }
        .scope_boxed()
    })
    .await
}

/// Declines a call with a reason for the partner. Staff.
///
/// # Errors
/// NotFound; Forbidden; Invalid without a reason; Conflict `call_answered`, stale.
#[tracing::instrument(level = "debug", name = "calls.decline", skip_all, fields(call_id = %id))]
pub async fn decline(ctx: &Ctx, id: CallId, version: Option<i64>, reason: &str) -> Result<Call> {
    ctx.transaction(|tx| {
        async move {
            let call = locked(tx, ctx, id, version, Action::Review).await?;
            let mut check = Validator::new();
            let reason = check.text("reason", reason);
            check.finish()?;
            if call.status != Status::Requested {
                return Err(already_answered(&call));
            }
            save_answer(tx, ctx, "call.declined", Call { status: Status::Declined, answer: Some(reason), ..call }).await
        }
        .scope_boxed()
    })
    .await
}

/// Cancels a call, confirmed or not. Its partner, and the staff.
///
/// # Errors
/// NotFound; Conflict `call_answered` once it is declined or cancelled, stale.
#[tracing::instrument(level = "debug", name = "calls.cancel", skip_all, fields(call_id = %id))]
pub async fn cancel(ctx: &Ctx, id: CallId, version: Option<i64>) -> Result<Call> {
    ctx.transaction(|tx| {
        async move {
            let call = locked(tx, ctx, id, version, Action::Cancel).await?;
            if !matches!(call.status, Status::Requested | Status::Confirmed) {
                return Err(already_answered(&call));
            }
            save_answer(tx, ctx, "call.cancelled", Call { status: Status::Cancelled, ..call }).await
        }
        .scope_boxed()
    })
    .await
}

async fn save_answer(tx: &mut Tx, ctx: &Ctx, action: &'static str, call: Call) -> Result<Call> {
    let answered_by = if call.status == Status::Cancelled { call.answered_by.clone() } else { Some(ctx.actor_name()) };
    let version = call.version + 1;
    let call = Call { updated_at: ctx.now(), updated_by: ctx.actor_name(), answered_by, version, ..call };
    store::save(tx, &call).await?;
    activity::append(tx, ctx, event(action, &call)).await?;
    request::on_answered(tx, ctx, &call).await?;
    Ok(call)
}

/// Locks the call for a change by the actor; refuses a stale version.
async fn locked(tx: &mut Tx, ctx: &Ctx, id: CallId, version: Option<i64>, action: Action) -> Result<Call> {
    store::lock(tx, id).await?;
    let call = store::get(tx, id).await?.ok_or(Error::NotFound("call"))?;
    ctx.may(action, resource(&call))?;
    fresh(version, call.version, &call.updated_by, call.updated_at)?;
    Ok(call)
}

/// The refusal of an answer to a call that has one.
pub(crate) fn already_answered(call: &Call) -> Error {
    Error::Conflict(Problem::new("call_answered").with("status", call.status.name()))
}

fn event(action: &'static str, call: &Call) -> Event {
    Event::new(action, "call", call.id.0, call.topic.clone()).of(None, None, Some(call.iso_id)).public()
}

fn resource(call: &Call) -> Resource {
    Resource::Call { iso_id: call.iso_id }
}

/// The actions that the actor may take on this call: the buttons of its row.
pub fn can(ctx: &Ctx, call: &Call) -> Vec<&'static str> {
    let (asked, confirmed) = (call.status == Status::Requested, call.status == Status::Confirmed);
    [
        ("confirm", Action::Review, asked),
        ("decline", Action::Review, asked),
        ("cancel", Action::Cancel, asked || confirmed),
        ("calendar", Action::View, call.begins_at.is_some()),
    ]
    .into_iter()
    .filter(|(_, action, fits)| *fits && ctx.can(*action, resource(call)))
    .map(|(name, ..)| name)
    .collect()
}
