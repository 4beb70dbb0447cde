//! Request rows that other nouns write: applications, answered by creating the account, and requests linked to a lead
//! or a call. The request desk, where people send and decide requests, is `desk::requests`.
mod accounts;
mod linked;
mod model;
pub(crate) mod rollup;
mod store;

pub(crate) use accounts::{Applicant, apply_for_account, approve, approve_application, lock_application};
pub(crate) use linked::{close_linked, given_up_status, insert_linked, lock_linked, reopen_linked, update_linked_text};
pub use model::{AccountType, Kind, Priority, Request, ResultKind, Status};
pub(crate) use model::{LinkedEntity, ResultRef};
pub(crate) use store::{SELECT_WITH_NAMES, delete_of_iso, get, insert as insert_rows, save};

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::{Ctx, fresh},
        db::Tx,
        error::{Error, Problem, Result},
        ids::RequestId,
        search::{self, Entry},
    },
    platform::activity::{self, Event},
};

/// Inserts a request with its search entry and its activity.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn insert(tx: &mut Tx, ctx: &Ctx, request: &Request) -> Result<()> {
    store::insert(tx, std::slice::from_ref(request), ctx.origin.address.as_deref()).await?;
    index(tx, request).await?;
    activity::append(tx, ctx, event("request.created", request)).await
}

/// Locks an open request for a decision by the actor.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, stale.
pub(crate) async fn lock_open(
    tx: &mut Tx,
    ctx: &Ctx,
    id: RequestId,
    version: Option<i64>,
    action: Action,
) -> Result<Request> {
    let request = store::lock(tx, id).await?.ok_or(Error::NotFound("request"))?;
    check_open(ctx, &request, version, action)?;
    Ok(request)
}

/// Checks that the actor may decide this request, and that it is open and of this version.
///
/// # Errors
/// NotFound; Forbidden; Conflict `request_decided`, stale.
pub(crate) fn check_open(ctx: &Ctx, request: &Request, version: Option<i64>, action: Action) -> Result<()> {
    ctx.may(action, resource(request))?;
    if !request.status.is_open() {
        return Err(Error::Conflict(Problem::new("request_decided").with("status", request.status.name())));
    }
    fresh(version, request.version, &request.updated_by, request.updated_at)
}

/// An activity event that the sender of the request sees. Partners see the lead or the call of a linked request instead.
pub(crate) fn event(action: &'static str, request: &Request) -> Event {
    let event = staff_event(action, request);
    match request.user_id {
        Some(user) if request.linked().is_none() => event.of(Some(user), None, None).public(),
        _ => event,
    }
}

/// An activity event that only the staff see.
pub(crate) fn staff_event(action: &'static str, request: &Request) -> Event {
    let event = Event::new(action, "request", request.id.0, request.reference()).with("kind", request.kind.name());
    match request.linked() {
        Some(LinkedEntity::Lead(id)) => event.with("lead_id", id.to_string()),
        Some(LinkedEntity::Call(id)) => event.with("call_id", id.to_string()),
        None => event,
    }
}

pub(crate) fn resource(request: &Request) -> Resource {
    Resource::Request { user_id: request.user_id }
}

/// The texts that a search finds a request by.
pub(crate) fn search_texts(request: &Request) -> [String; 4] {
    let digits = request.id.to_string()[..8].to_owned();
    [request.reference(), digits, request.name.clone(), request.email.clone()]
}

/// The search entry of a request, of its [`search_texts`].
pub(crate) fn search_entry<'t>(request: &Request, texts: &'t [String]) -> Entry<'t> {
    let texts = texts.iter().map(String::as_str).collect();
    Entry { kind: "request", subject: request.id.0, company: None, iso: None, texts }
}

async fn index(tx: &mut Tx, request: &Request) -> Result<()> {
    let texts = search_texts(request);
    search::index(tx, search_entry(request, &texts)).await
}
