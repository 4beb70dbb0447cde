//! Idempotency keys: a repeated request creates no second row and gets the row of the first.
use crate::kernel::{
    ctx::Ctx,
    db::{ScopedFutureExt, Sql, Tx, insert},
    error::{Error, Result},
};
use chrono::Duration;
use uuid::Uuid;

/// How long a key is stored.
const KEY_TTL: Duration = Duration::days(2);

/// The row that an earlier request with this key created, if there is one. Waits for a concurrent request with the key.
///
/// # Errors
/// Conflict `idempotency_key_reused` when the key was used for a different request.
pub async fn find_previous(tx: &mut Tx, ctx: &Ctx) -> Result<Option<Uuid>> {
    let Some((key, hash)) = &ctx.idempotency else { return Ok(None) };
    tx.advisory_lock(format!("idempotency {} {key}", owner(ctx))).await?;
    let found: Option<(String, Uuid)> = tx
        .sql("select request_hash, created_id from idempotency_keys where actor = $1 and key = $2")
        .bind(owner(ctx))
        .bind(key.clone())
        .optional()
        .await?;
    match found {
        Some((kept, id)) if kept == *hash => Ok(Some(id)),
        Some(_) => Err(Error::conflict("idempotency_key_reused")),
        None => Ok(None),
    }
}

/// Stores the row that the request created, in its transaction.
///
/// # Errors
/// Conflict `in_progress` when a concurrent request with this key committed first.
pub async fn store(tx: &mut Tx, ctx: &Ctx, created: Uuid) -> Result<()> {
    let Some((key, hash)) = &ctx.idempotency else { return Ok(()) };
    insert!(tx, "idempotency_keys", {
        actor: owner(ctx),
        key: key.clone(),
        request_hash: hash.clone(),
        created_id: created,
        created_at: ctx.now(),
    })
    .run()
    .await
    .map_err(|e| if e.is_unique_violation() { Error::conflict("in_progress") } else { e })?;
    Ok(())
}

/// Deletes expired keys and returns how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let before = ctx.now() - KEY_TTL;
    ctx.transaction(|tx| {
        async move {
            let deleted = tx.sql("delete from idempotency_keys where created_at < $1").bind(before).run().await?;
            Ok(deleted)
        }
        .scope_boxed()
    })
    .await
}

fn owner(ctx: &Ctx) -> String {
    ctx.actor.user_id().map_or_else(|| ctx.actor.kind().to_owned(), |id| id.to_string())
}
