//! The access log of documents: who opened or downloaded which version. Its activity rows are for the staff only, and no
//! feed of work shows them.
use super::{links::LinkHolder, model::Version, store};
use crate::{
    accounts::users,
    kernel::{
        access::{Actor, Impersonator},
        ctx::Ctx,
        db::Tx,
        error::Result,
        ids::SessionId,
    },
    platform::activity::{self, Event},
};
use std::sync::Arc;
use uuid::Uuid;

/// The actor that a link was issued to, whose session may have ended.
pub(super) async fn link_holder(ctx: &Ctx, holder: &LinkHolder) -> Result<Actor> {
    let Some(by) = holder.by else { return Ok(Actor::Service) };
    let (mut db, session_id) = (ctx.db(), SessionId(Uuid::nil()));
    let Some(user) = users::by_id(&mut db, by).await? else { return Ok(Actor::Anonymous) };
    let mut actor = user.signed_in(session_id);
    if let Some(id) = holder.admin {
        let name = users::by_id(&mut db, id).await?.map(|admin| admin.name()).unwrap_or_default();
        actor.impersonator = Some(Impersonator { id, name, session_id, until: ctx.now() });
    }
    Ok(Actor::User(Arc::new(actor)))
}

/// The event that a version was opened inline or downloaded; None for a deleted document.
pub(super) async fn event(tx: &mut Tx, version: &Version, inline: bool) -> Result<Option<Event>> {
    let Some(document) = store::get(tx, version.document_id).await? else { return Ok(None) };
    let action = if inline { "document.opened" } else { "document.downloaded" };
    let event = Event::new(action, activity::FILE, document.id.0, document.name)
        .of(Some(document.client_id), None, None)
        .with("number", version.number)
        .with("version_id", version.id.to_string())
        .with("file_name", version.file_name.clone());
    Ok(Some(match document.spv_id {
        Some(spv) => event.spv(spv),
        None => event,
    }))
}
