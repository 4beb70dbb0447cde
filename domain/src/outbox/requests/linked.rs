//! Requests linked to a lead or a call: created, changed and decided in the transaction of the lead or the call. Their
//! events are the staff's, as partners are notified of the lead and the call.
use super::{LinkedEntity, Request, ResultRef, Status, event, index, insert, store};
use crate::{
    kernel::{ctx::Ctx, db::Tx, error::Result, ids::UserId},
    platform::activity,
};

/// Inserts a request for a lead or a call of the partner whose account is `user_id`.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn insert_linked(
    tx: &mut Tx,
    ctx: &Ctx,
    entity: LinkedEntity,
    user_id: Option<UserId>,
    request: Request,
) -> Result<()> {
    let request = match entity {
        LinkedEntity::Lead(id) => Request { lead_id: Some(id), user_id, ..request },
        LinkedEntity::Call(id) => Request { call_id: Some(id), user_id, ..request },
    };
    insert(tx, ctx, &request).await
}

/// Locks the request of a lead or a call, whose own row is locked.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn lock_linked(tx: &mut Tx, entity: LinkedEntity) -> Result<Option<Request>> {
    store::lock_linked(tx, entity).await
}

/// Gives a locked request the name, email and message of its lead. The version rises, so that a decision about the old
/// text is refused as stale.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn update_linked_text(
    tx: &mut Tx,
    ctx: &Ctx,
    request: Request,
    (name, email, message): (String, String, String),
) -> Result<Request> {
    let changed = Request { name, email, message, ..request.clone() };
    if changed == request {
        return Ok(request);
    }
    let changed = changed.bump_version(ctx);
    store::update_text(tx, &changed).await?;
    index(tx, &changed).await?;
    Ok(changed)
}

/// Opens a decided request again, as its lead is worked on again.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn reopen_linked(tx: &mut Tx, ctx: &Ctx, request: &Request) -> Result<()> {
    let open = Request { decided_at: None, decided_by: None, ..request.decided(ctx, Status::Pending, None) };
    store::save(tx, &open).await?;
    activity::append(tx, ctx, event("request.reopened", &open)).await
}

/// Decides a locked request as its lead or call was decided.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn close_linked(
    tx: &mut Tx,
    ctx: &Ctx,
    request: &Request,
    status: Status,
    reason: Option<String>,
    result: Option<ResultRef>,
) -> Result<()> {
    let mut closed = request.decided(ctx, status, reason);
    if let Some((kind, id, order)) = result.map(ResultRef::parts) {
        (closed.made_kind, closed.made_id, closed.spv_id) = (Some(kind), Some(id), order);
    }
    store::save(tx, &closed).await?;
    let action = match status {
        Status::Approved => "request.approved",
        Status::Rejected => "request.rejected",
        _ => "request.withdrawn",
    };
    let event = match &closed.reason {
        Some(reason) if status == Status::Rejected => event(action, &closed).with("reason", reason.clone()),
        _ => event(action, &closed),
    };
    activity::append(tx, ctx, event).await
}

/// The status of a request whose lead or call the actor gives up: a partner withdraws it, the staff reject it.
pub(crate) fn given_up_status(ctx: &Ctx) -> Status {
    if ctx.actor.is_staff() { Status::Rejected } else { Status::Withdrawn }
}
