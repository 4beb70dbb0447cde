//! SQL of recovery codes.
use crate::kernel::{
    ctx::Ctx,
    db::{Sql, Tx, insert},
    error::Result,
    ids::UserId,
};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Number of codes, and of unused ones.
pub async fn count(db: &mut impl Sql, user: UserId) -> Result<(i64, i64)> {
    db.sql("select count(*), count(*) filter (where used_at is null) from recovery_codes where user_id = $1")
        .bind(user)
        .one()
        .await
}

pub async fn unused(tx: &mut Tx, user: UserId) -> Result<Vec<(Uuid, String)>> {
    tx.sql("select id, code_hash from recovery_codes where user_id = $1 and used_at is null").bind(user).all().await
}

pub async fn mark_used(tx: &mut Tx, id: Uuid, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update recovery_codes set used_at = $2 where id = $1").bind(id).bind(at).run().await?;
    Ok(())
}

pub async fn replace(tx: &mut Tx, ctx: &Ctx, user: UserId, hashes: impl Iterator<Item = String>) -> Result<()> {
    tx.sql("delete from recovery_codes where user_id = $1").bind(user).run().await?;
    for hash in hashes {
        insert!(tx, "recovery_codes", {
            id: ctx.random.uuid(),
            user_id: user,
            code_hash: hash,
            created_at: ctx.now(),
        })
        .run()
        .await?;
    }
    Ok(())
}

pub async fn issued_since(tx: &mut Tx, user: UserId, since: DateTime<Utc>) -> Result<bool> {
    tx.sql("select exists (select 1 from recovery_codes where user_id = $1 and created_at >= $2)")
        .bind(user)
        .bind(since)
        .scalar()
        .await
}
