//! SQL of impersonations.
use super::Impersonation;
use crate::kernel::{
    db::{Sql, Tx, insert},
    error::Result,
    ids::{ImpersonationId, SessionId, UserId},
};
use chrono::{DateTime, Utc};

pub async fn insert(tx: &mut Tx, new: &Impersonation) -> Result<()> {
    insert!(tx, "impersonations", {
        id: new.id,
        user_id: new.user_id,
        admin_id: new.admin_id,
        session_id: new.session_id,
        reason: new.reason.clone(),
        started_at: new.started_at,
        expires_at: new.expires_at,
    })
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: ImpersonationId) -> Result<Option<Impersonation>> {
    db.sql(
        "select id, user_id, admin_id, session_id, reason, started_at, expires_at, ended_at from impersonations where id = $1",
    ).bind(id).optional().await
}

/// Ends an impersonation; whether it was active.
pub async fn end(tx: &mut Tx, id: ImpersonationId, at: DateTime<Utc>) -> Result<bool> {
    let ended = tx
        .sql("update impersonations set ended_at = $2 where id = $1 and ended_at is null")
        .bind(id)
        .bind(at)
        .run()
        .await?;
    Ok(ended > 0)
}

/// Ends the impersonations of a session and returns their ids and users.
pub async fn end_of_session(
    tx: &mut Tx,
    session: SessionId,
    at: DateTime<Utc>,
) -> Result<Vec<(ImpersonationId, UserId)>> {
    tx.sql("update impersonations set ended_at = $2 where session_id = $1 and ended_at is null returning id, user_id")
        .bind(session)
        .bind(at)
        .all()
        .await
}
