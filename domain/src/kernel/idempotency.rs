//! `Idempotency-Key`: the same question asked twice makes one row, and the second answer is the first one's row.
use crate::kernel::{
    ctx::Ctx,
    db::{ScopedFutureExt, Sql, Tx},
    error::{Error, Result},
};
use chrono::Duration;
use uuid::Uuid;

/// For so long a key is known.
const KEPT: Duration = Duration::days(2);

/// The row that an earlier request with this key made, if there was one. Of several at once the others wait here
/// until the first has made it.
///
/// # Errors
/// Conflict `idempotency_key_reused` when the key was used for a different request.
pub async fn made_before(tx: &mut Tx, ctx: &Ctx) -> Result<Option<Uuid>> {
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

/// Remembers what the request made, in the transaction that made it.
///
/// # Errors
/// Conflict `in_progress` when the same key is being used by a request that has just finished.
pub async fn remember(tx: &mut Tx, ctx: &Ctx, created: Uuid) -> Result<()> {
    let Some((key, hash)) = &ctx.idempotency else { return Ok(()) };
    tx.sql(
        "insert into idempotency_keys (actor, key, request_hash, created_id, created_at) values ($1, $2, $3, $4, $5)",
    )
    .bind(owner(ctx))
    .bind(key.clone())
    .bind(hash.clone())
    .bind(created)
    .bind(ctx.now())
    .run()
    .await
    .map_err(|e| if e.is_unique_violation() { Error::conflict("in_progress") } else { e })?;
    Ok(())
}

/// Forgets keys used long ago; says how many. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let before = ctx.now() - KEPT;
    ctx.transaction(|tx| {
        async move {
            let gone = tx.sql("delete from idempotency_keys where created_at < $1").bind(before).run().await?;
            Ok(gone)
        }
        .scope_boxed()
    })
    .await
}

fn owner(ctx: &Ctx) -> String {
    ctx.actor.user_id().map_or_else(|| ctx.actor.kind().to_owned(), |id| id.to_string())
}
