//! Decisions about requests that are linked to a lead or a call: made on the lead or the call, which the request follows.
use crate::{
    directory::{calls, leads},
    kernel::{
        ctx::Ctx,
        error::{Error, Result},
    },
    outbox::requests::LinkedEntity,
};

/// Rejects it for the staff: the lead is lost, the call declined.
pub(super) async fn reject(ctx: &Ctx, entity: LinkedEntity, reason: &str) -> Result<()> {
    match entity {
        LinkedEntity::Lead(id) => leads::mark_lost(ctx, id, Some(reason)).await.map(drop),
        LinkedEntity::Call(id) => calls::decline(ctx, id, None, reason).await.map(drop),
    }
}

/// Withdraws it for the partner: the lead is lost, the call cancelled.
pub(super) async fn withdraw(ctx: &Ctx, entity: LinkedEntity) -> Result<()> {
    match entity {
        LinkedEntity::Lead(id) => leads::mark_lost(ctx, id, None).await.map(drop),
        LinkedEntity::Call(id) => {
            let call = calls::get(ctx, id).await?;
            // A call that was confirmed meanwhile is no open request any more.
            if call.status != calls::Status::Requested {
                return Err(calls::already_answered(&call));
            }
            calls::cancel(ctx, id, Some(call.version)).await.map(drop)
        }
    }
}

/// The refusal of an approval: a lead is approved by its conversion, a call by a confirmed time.
pub(super) fn approved_elsewhere(entity: LinkedEntity) -> Error {
    Error::conflict(match entity {
        LinkedEntity::Lead(_) => "approved_by_lead",
        LinkedEntity::Call(_) => "approved_by_call",
    })
}
