//! What a partner keeps for itself of a client. Nobody else reads it: not the client, not the company, not the staff.
mod store;

pub use store::Note;

use crate::{
    directory::clients,
    kernel::{
        access::{Action, Resource, Scope},
        ctx::Ctx,
        db::ScopedFutureExt,
        error::{Error, Result},
        idempotency,
        ids::{IsoId, IsoNoteId, UserId},
        validate::Check,
    },
    platform::activity::{self, Event},
};

/// The partner's notes about a client, newest first.
///
/// # Errors
/// NotFound for a client that is not the partner's; Forbidden for everybody else.
pub async fn list(ctx: &Ctx, client: UserId) -> Result<Vec<Note>> {
    let iso = own(ctx, client).await?;
    store::list(&mut ctx.db(), iso, client).await
}

/// Writes a note about a client.
///
/// # Errors
/// As [`list`]; Invalid without a text.
pub async fn create(ctx: &Ctx, client: UserId, body: &str) -> Result<Note> {
    let iso = own(ctx, client).await?;
    let mut check = Check::new();
    let body = check.text("body", body);
    check.done()?;
    let body = &body;
    let made = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::made_before(tx, ctx).await? {
                return Ok(IsoNoteId(id));
            }
            let id = IsoNoteId(ctx.chance.uuid());
            store::insert(tx, id, iso, client, body.clone(), ctx.now()).await?;
            // That there is one is no secret of the office's; what it says is nowhere but in its row.
            activity::append(tx, ctx, Event::new("iso_note.written", "iso_note", id.0, "")).await?;
            idempotency::remember(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    store::get(&mut ctx.db(), made.await?, iso).await?.ok_or(Error::NotFound("note"))
}

/// Deletes an own note.
///
/// # Errors
/// NotFound for everybody else.
pub async fn delete(ctx: &Ctx, id: IsoNoteId) -> Result<()> {
    let Scope::Iso(iso) = ctx.scope()? else { return Err(Error::NotFound("note")) };
    ctx.transaction(|tx| {
        async move {
            if store::delete(tx, id, iso).await? == 0 {
                return Err(Error::NotFound("note"));
            }
            activity::append(tx, ctx, Event::new("iso_note.deleted", "iso_note", id.0, "")).await
        }
        .scope_boxed()
    })
    .await
}

/// The partner who asks, once the client is its own.
async fn own(ctx: &Ctx, client: UserId) -> Result<IsoId> {
    clients::get(ctx, client).await?;
    ctx.may(Action::View, Resource::IsoNotes)?;
    // Who only looks at the portal as the partner is not the partner.
    if ctx.actor.impersonator().is_some() {
        return Err(Error::forbidden("forbidden"));
    }
    match ctx.scope()? {
        Scope::Iso(iso) => Ok(iso),
        _ => Err(Error::forbidden("forbidden")),
    }
}
