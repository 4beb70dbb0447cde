//! Private notes of an ISO partner about a client, which neither the client nor the company nor the staff can read.
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
        validate::Validator,
    },
    platform::activity::{self, Event},
};

/// The partner's notes about a client, newest first.
///
/// # Errors
/// NotFound for a client that is not the partner's; Forbidden for other roles.
#[tracing::instrument(level = "debug", name = "iso_notes.list", skip_all, fields(user_id = %client))]
pub async fn list(ctx: &Ctx, client: UserId) -> Result<Vec<Note>> {
    let iso = partner_of(ctx, client).await?;
    store::list(&mut ctx.db(), iso, client).await
}

/// Writes a note about a client.
///
/// # Errors
/// As [`list`]; Invalid without a text.
#[tracing::instrument(level = "debug", name = "iso_notes.create", skip_all, fields(user_id = %client))]
pub async fn create(ctx: &Ctx, client: UserId, body: &str) -> Result<Note> {
    let iso = partner_of(ctx, client).await?;
    let mut check = Validator::new();
    let body = check.text("body", body);
    check.finish()?;
    let body = &body;
    let created = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(IsoNoteId(id));
            }
            let id = IsoNoteId(ctx.random.uuid());
            store::insert(tx, id, iso, client, body.clone(), ctx.now()).await?;
            // The log shows that there is a note, but not its text.
            activity::append(tx, ctx, Event::new("iso_note.written", "iso_note", id.0, "")).await?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    store::get(&mut ctx.db(), created.await?, iso).await?.ok_or(Error::NotFound("note"))
}

/// Deletes an own note.
///
/// # Errors
/// NotFound, also for another partner's note.
#[tracing::instrument(level = "debug", name = "iso_notes.delete", skip_all, fields(iso_note_id = %id))]
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

/// The acting partner, where the client is its own.
async fn partner_of(ctx: &Ctx, client: UserId) -> Result<IsoId> {
    clients::get(ctx, client).await?;
    ctx.may(Action::View, Resource::IsoNotes)?;
    // Impersonating admins must not read the notes.
    if ctx.actor.impersonator().is_some() {
        return Err(Error::forbidden("forbidden"));
    }
    match ctx.scope()? {
        Scope::Iso(iso) => Ok(iso),
        _ => Err(Error::forbidden("forbidden")),
    }
}
