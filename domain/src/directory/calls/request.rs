//! The request of a call on the request desk, changed in the transaction of the call.
use super::{Call, Status};
use crate::{
    directory::isos,
    kernel::{ctx::Ctx, db::Tx, error::Result},
    outbox::requests::{self, Kind, LinkedEntity, Request},
};
use serde_json::Map;

/// Puts a new call on the desk. It is due before the first proposed time at the latest.
pub(super) async fn on_created(tx: &mut Tx, ctx: &Ctx, call: &Call) -> Result<()> {
    let message = call.note.as_deref().map_or_else(|| call.topic.clone(), |note| format!("{}\n\n{note}", call.topic));
    let request = Request::new(ctx, Kind::Call, call.iso_name(), call.iso_email.clone(), message, Map::new());
    let due_at = call.proposed.first().map_or(request.due_at, |first| request.due_at.min(*first));
    let account = isos::account(tx, call.iso_id).await?;
    requests::insert_linked(tx, ctx, LinkedEntity::Call(call.id), account, Request { due_at, ..request }).await
}

/// Decides the request of a call that was answered or cancelled.
pub(super) async fn on_answered(tx: &mut Tx, ctx: &Ctx, call: &Call) -> Result<()> {
    let Some(request) = requests::lock_linked(tx, LinkedEntity::Call(call.id)).await? else { return Ok(()) };
    // A confirmed call that is cancelled later keeps its approved request.
    if !request.status.is_open() {
        return Ok(());
    }
    let (status, reason) = match call.status {
        Status::Requested => return Ok(()),
        Status::Confirmed => (requests::Status::Approved, call.answer.clone()),
        Status::Declined => (requests::Status::Rejected, call.answer.clone()),
        Status::Cancelled => (requests::given_up_status(ctx), None),
    };
    requests::close_linked(tx, ctx, &request, status, reason, None).await
}
