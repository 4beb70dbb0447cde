//! SQL of flows.
use super::Flow;
use crate::{
    accounts::auth::identities::ProviderClaims,
    kernel::{
        db::{Json, Sql, Tx, for_update, insert},
        error::Result,
        ids::{FlowId, UserId},
    },
};
use chrono::{DateTime, Utc};

/// The columns of a [`Flow`].
const ROW_COLUMNS: &str = "id, user_id, method, code_challenge, code_challenge_method, redirect_to, provider, provider_nonce, \
     provider_verifier, linking_user_id, linking_session_id, arrival, provider_tokens, created_at, \
     expires_at, code_issued_at, used_at";

pub async fn insert(tx: &mut Tx, flow: &Flow) -> Result<()> {
    insert!(tx, "flows", {
        id: flow.id,
        user_id: flow.user_id,
        method: flow.method.clone(),
        code_challenge: flow.code_challenge.clone(),
        code_challenge_method: flow.code_challenge_method,
        redirect_to: flow.redirect_to.clone(),
        provider: flow.provider.clone(),
        provider_nonce: flow.provider_nonce.clone(),
        provider_verifier: flow.provider_verifier.clone(),
        linking_user_id: flow.linking_user_id,
        linking_session_id: flow.linking_session_id,
        created_at: flow.created_at,
        expires_at: flow.expires_at,
    })
    .run()
    .await?;
    Ok(())
}

/// The row, locked until the transaction ends.
pub async fn lock(tx: &mut Tx, id: FlowId) -> Result<Option<Flow>> {
    let sql = format!("select {ROW_COLUMNS} from flows where id = $1{}", for_update(tx.dialect(), "flows"));
    tx.sql_built(sql).bind(id).optional().await
}

/// User of a code.
pub async fn owner(tx: &mut Tx, code_hash: &str) -> Result<Option<UserId>> {
    let row: Option<(Option<UserId>,)> =
        tx.sql("select user_id from flows where auth_code_hash = $1").bind(code_hash.to_owned()).optional().await?;
    Ok(row.and_then(|(user,)| user))
}

pub async fn lock_by_code(tx: &mut Tx, code_hash: &str) -> Result<Option<Flow>> {
    let sql = format!("select {ROW_COLUMNS} from flows where auth_code_hash = $1{}", for_update(tx.dialect(), "flows"));
    tx.sql_built(sql).bind(code_hash.to_owned()).optional().await
}

pub async fn mark_used(tx: &mut Tx, id: FlowId, at: DateTime<Utc>) -> Result<()> {
    tx.sql("update flows set used_at = $2 where id = $1").bind(id).bind(at).run().await?;
    Ok(())
}

pub async fn save_code(
    tx: &mut Tx,
    id: FlowId,
    user: UserId,
    code_hash: &str,
    at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    provider_tokens: Option<String>,
) -> Result<()> {
    tx.sql(
        "update flows set user_id = $2, auth_code_hash = $3, code_issued_at = $4, used_at = $4, expires_at = $5, \
         provider_tokens = $6 where id = $1",
    )
    .bind(id)
    .bind(user)
    .bind(code_hash.to_owned())
    .bind(at)
    .bind(expires_at)
    .bind(provider_tokens)
    .run()
    .await?;
    Ok(())
}

pub async fn save_claims(tx: &mut Tx, id: FlowId, claims: &ProviderClaims) -> Result<()> {
    tx.sql("update flows set arrival = $2 where id = $1").bind(id).bind(Json(claims.clone())).run().await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: FlowId) -> Result<()> {
    tx.sql("delete from flows where id = $1").bind(id).run().await?;
    Ok(())
}

pub async fn delete_all_of(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.sql("delete from flows where (user_id = $1 and auth_code_hash is not null) or linking_user_id = $1")
        .bind(user)
        .run()
        .await?;
    Ok(())
}

pub async fn delete_expired(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from flows where expires_at < $1").bind(before).run().await
}
