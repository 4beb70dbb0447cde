//! The request of a lead on the request desk, changed in the transaction of the lead.
use super::{Lead, Stage};
use crate::{
    directory::isos,
    kernel::{
        clock,
        ctx::Ctx,
        db::Tx,
        error::Result,
        ids::{LeadId, SpvId, UserId},
    },
    outbox::requests::{self, Kind, LinkedEntity, Priority, Request, ResultRef, Status},
};
use chrono::Days;
use serde_json::Map;

/// Puts a new lead on the desk with low priority, due when its protection ends by the clock of the partner's company:
/// until then the partner works on it.
pub(super) async fn on_created(tx: &mut Tx, ctx: &Ctx, lead: &Lead) -> Result<()> {
    let zone = lead.time_zone.parse().unwrap_or(chrono_tz::UTC);
    let message = lead.note.clone().unwrap_or_default();
    let request = Request {
        priority: Priority::Low,
        due_at: clock::start_of_day(lead.protected_until + Days::new(1), zone),
        ..Request::new(ctx, Kind::Lead, lead.name(), lead.email.clone(), message, Map::new())
    };
    let account = isos::account(tx, lead.iso_id).await?;
    requests::insert_linked(tx, ctx, LinkedEntity::Lead(lead.id), account, request).await
}

/// Brings the request up to date with a changed lead: its text, and its end with a lost lead or a new start. The lead's
/// row is locked.
pub(super) async fn on_updated(tx: &mut Tx, ctx: &Ctx, lead: &Lead, reason: Option<String>) -> Result<()> {
    let lost = lead.stage == Stage::Lost;
    let Some(request) = requests::lock_linked(tx, LinkedEntity::Lead(lead.id)).await? else {
        // Lost before leads had requests.
        return if lost { Ok(()) } else { on_created(tx, ctx, lead).await };
    };
    let text = (lead.name(), lead.email.clone(), lead.note.clone().unwrap_or_default());
    let request = requests::update_linked_text(tx, ctx, request, text).await?;
    match (lost, request.status.is_open()) {
        (true, true) => requests::close_linked(tx, ctx, &request, requests::given_up_status(ctx), reason, None).await,
        (false, false) => requests::reopen_linked(tx, ctx, &request).await,
        _ => Ok(()),
    }
}

/// Approves the request of a lead that was converted.
pub(super) async fn on_converted(tx: &mut Tx, ctx: &Ctx, lead: LeadId, client: UserId, spv: SpvId) -> Result<()> {
    let Some(request) = requests::lock_linked(tx, LinkedEntity::Lead(lead)).await? else { return Ok(()) };
    let result = Some(ResultRef::Client(client, spv));
    requests::close_linked(tx, ctx, &request, Status::Approved, None, result).await
}
