//! SQL of links.
use super::{Link, LinkKind};
use crate::kernel::{
    db::{Sql, Tx, insert},
    error::Result,
    ids::{FlowId, UserId},
};
use chrono::{DateTime, Utc};

pub async fn insert(tx: &mut Tx, link: &Link) -> Result<()> {
    insert!(tx, "links", {
        id: link.id,
        user_id: link.user_id,
        kind: link.kind,
        token_hash: link.token_hash.clone(),
        code_hash: link.code_hash.clone(),
        created_at: link.created_at,
        expires_at: link.expires_at,
        flow_id: link.flow_id,
        issued_by: link.issued_by.clone(),
    })
    .run()
    .await?;
    Ok(())
}

/// User and kind of a link.
pub async fn owner(tx: &mut Tx, token_hash: &str) -> Result<Option<(UserId, LinkKind)>> {
    tx.sql("select user_id, kind from links where token_hash = $1").bind(token_hash.to_owned()).optional().await
}

/// User of a link that is consumed or expired, and when it was consumed.
pub async fn find_consumed(
    tx: &mut Tx,
    token_hash: &str,
    at: DateTime<Utc>,
) -> Result<Option<(UserId, Option<DateTime<Utc>>)>> {
    tx.sql("select user_id, used_at from links where token_hash = $1 and (used_at is not null or expires_at <= $2)")
        .bind(token_hash.to_owned())
        .bind(at)
        .optional()
        .await
}

/// Consumes a valid link and returns its flow and who made it; none when it is consumed or expired.
pub async fn consume(
    tx: &mut Tx,
    token_hash: &str,
    at: DateTime<Utc>,
) -> Result<Option<(Option<FlowId>, Option<String>)>> {
    tx.sql(
        "update links set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2 \
         returning flow_id, issued_by",
    )
    .bind(token_hash.to_owned())
    .bind(at)
    .optional()
    .await
}

/// Revokes every valid link of a user.
pub async fn revoke_all(tx: &mut Tx, user: UserId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update links set used_at = $2 where user_id = $1 and used_at is null").bind(user).bind(at).run().await?;
    Ok(())
}

/// Revokes the valid links of these kinds of a user.
pub async fn revoke_kinds(tx: &mut Tx, user: UserId, kinds: &[LinkKind], at: DateTime<Utc>) -> Result<()> {
    tx.sql_built(format!(
        "update links set used_at = $2 where user_id = $1 and used_at is null and {}",
        kind_condition(kinds)
    ))
    .bind(user)
    .bind(at)
    .run()
    .await?;
    Ok(())
}

/// A link whose code was tried.
#[derive(sqlx::FromRow)]
pub struct CodeAttempt {
    pub code_hash: String,
    pub attempts: i64,
    pub created_at: DateTime<Utc>,
    pub kind: LinkKind,
    pub flow_id: Option<FlowId>,
    pub issued_by: Option<String>,
}

/// Counts an attempt on every valid link of these kinds of a user, and returns them.
pub async fn try_code(tx: &mut Tx, user: UserId, kinds: &[LinkKind], at: DateTime<Utc>) -> Result<Vec<CodeAttempt>> {
    tx.sql_built(format!(
        "update links set attempts = attempts + 1 where user_id = $1 and used_at is null and expires_at > $2 and {} \
         returning code_hash, attempts, created_at, kind, flow_id, issued_by",
        kind_condition(kinds)
    ))
    .bind(user)
    .bind(at)
    .all()
    .await
}

pub async fn delete_expired(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from links where expires_at < $1").bind(before).run().await
}

/// Names of an enum, no user input.
fn kind_condition(kinds: &[LinkKind]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
    format!("kind in ({})", names.join(", "))
}
