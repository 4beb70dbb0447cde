//! Saved views of lists: filters and order of a list under a name. Each person has their own.
mod model;
mod store;

pub use model::{Change, Input, List, SavedView};

use crate::kernel::{
    ctx::Ctx,
    db::{ScopedFutureExt, Tx},
    error::{Error, Problem, Result},
    idempotency,
    ids::{SavedViewId, UserId},
};

/// Views of one list that a person may save.
const MAX_VIEWS: usize = 30;

/// The actor's views of a list, in their order.
///
/// # Errors
/// Unauthenticated; Forbidden for actors who are no user.
#[tracing::instrument(level = "debug", name = "saved_views.list", skip_all)]
pub async fn list(ctx: &Ctx, list: List) -> Result<Vec<SavedView>> {
    store::list(&mut ctx.db(), owner(ctx)?, list).await
}

/// Saves a view after the others of its list.
///
/// # Errors
/// As [`list`]; Invalid per field; Conflict `too_many_views`.
#[tracing::instrument(level = "debug", name = "saved_views.create", skip_all)]
pub async fn create(ctx: &Ctx, input: Input) -> Result<SavedView> {
    let (owner, view) = (owner(ctx)?, &input.validated()?);
    let id = ctx.transaction(|tx| {
        async move {
            if let Some(id) = idempotency::find_previous(tx, ctx).await? {
                return Ok(SavedViewId(id));
            }
            store::lock(tx, owner).await?;
            let others = store::list(tx, owner, view.list).await?;
            if others.len() >= MAX_VIEWS {
                return Err(Error::Conflict(Problem::new("too_many_views").with("max", MAX_VIEWS)));
            }
            let id = SavedViewId(ctx.random.uuid());
            store::insert(tx, id, owner, view, others.len() as i64, ctx.now()).await?;
            idempotency::store(tx, ctx, id.0).await?;
            Ok(id)
        }
        .scope_boxed()
    });
    get(ctx, id.await?).await
}

/// Changes a view's name, query or position; a field left out stays.
///
/// # Errors
/// NotFound, also for another person's view; Invalid per field.
#[tracing::instrument(level = "debug", name = "saved_views.update", skip_all, fields(saved_view_id = %id))]
pub async fn update(ctx: &Ctx, id: SavedViewId, change: Change) -> Result<SavedView> {
    let (owner, change) = (owner(ctx)?, &change.validated()?);
    ctx.transaction(|tx| {
        async move {
            let view = lock(tx, id, owner).await?;
            let name = change.name.as_ref().unwrap_or(&view.name);
            let query = change.query.as_ref().unwrap_or(&view.query);
            store::save(tx, id, name, query, ctx.now()).await?;
            match change.position {
                Some(position) => place(tx, owner, &view, position).await,
                None => Ok(()),
            }
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Deletes a view.
///
/// # Errors
/// NotFound, also for another person's view.
#[tracing::instrument(level = "debug", name = "saved_views.delete", skip_all, fields(saved_view_id = %id))]
pub async fn delete(ctx: &Ctx, id: SavedViewId) -> Result<()> {
    let owner = owner(ctx)?;
    ctx.transaction(|tx| {
        async move {
            let view = lock(tx, id, owner).await?;
            store::delete(tx, id).await?;
            let rest = store::list(tx, owner, view.list).await?;
            renumber(tx, &rest).await
        }
        .scope_boxed()
    })
    .await
}

async fn get(ctx: &Ctx, id: SavedViewId) -> Result<SavedView> {
    store::get(&mut ctx.db(), id, owner(ctx)?).await?.ok_or(Error::NotFound("saved_view"))
}

fn owner(ctx: &Ctx) -> Result<UserId> {
    ctx.scope()?;
    ctx.actor.user_id().ok_or_else(|| Error::forbidden("forbidden"))
}

/// Locks the person's views and reads one.
async fn lock(tx: &mut Tx, id: SavedViewId, owner: UserId) -> Result<SavedView> {
    store::lock(tx, owner).await?;
    store::get(tx, id, owner).await?.ok_or(Error::NotFound("saved_view"))
}

/// Moves a view to a position from 0 among those of its list.
async fn place(tx: &mut Tx, owner: UserId, view: &SavedView, position: usize) -> Result<()> {
    let mut all = store::list(tx, owner, view.list).await?;
    if let Some(from) = all.iter().position(|other| other.id == view.id) {
        let moved = all.remove(from);
        all.insert(position.min(all.len()), moved);
    }
    renumber(tx, &all).await
}

async fn renumber(tx: &mut Tx, views: &[SavedView]) -> Result<()> {
    for (position, view) in views.iter().enumerate() {
        if view.position != position as i64 {
            store::set_position(tx, view.id, position as i64).await?;
        }
    }
    Ok(())
}
