//! The access log of documents: who opened or downloaded which version. Rows are for the staff: they are neither public
//! nor of a kind that feeds of work show.
use super::{links::Opening, model::Version, store};
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

/// Who was given a link. The session it was asked for in may be over.
pub(super) async fn holder(ctx: &Ctx, opening: &Opening) -> Result<Actor> {
    let Some(by) = opening.by else { return Ok(Actor::Service) };
    let (mut db, session_id) = (ctx.db(), SessionId(Uuid::nil()));
    let Some(user) = users::by_id(&mut db, by).await? else { return Ok(Actor::Anonymous) };
    let mut who = user.signed_in(session_id);
    if let Some(id) = opening.admin {
        let name = users::by_id(&mut db, id).await?.map(|admin| admin.name()).unwrap_or_default();
        who.impersonator = Some(Impersonator { id, name, session_id, until: ctx.now() });
    }
    Ok(Actor::User(Arc::new(who)))
}

/// That a version was opened in a page, or saved; none of a document that is gone.
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
