//! SQL of identities.
use super::Identity;
use crate::kernel::{
    db::{Json, Row, Sql, Tx, in_id_list, insert},
    error::Result,
    ids::{IdentityId, UserId},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

const COLUMNS: &str = Identity::LIST;

pub async fn insert(tx: &mut Tx, identity: &Identity) -> Result<()> {
    insert!(tx, "identities", identity).run().await?;
    Ok(())
}

pub async fn by_subject(tx: &mut Tx, provider: &str, subject: &str) -> Result<Option<Identity>> {
    tx.sql_built(format!("select {COLUMNS} from identities where provider = $1 and provider_id = $2"))
        .bind(provider.to_owned())
        .bind(subject.to_owned())
        .optional()
        .await
}

/// Identities of several users, each user's as in [`list`].
pub async fn list_of_many(db: &mut impl Sql, users: &[UserId]) -> Result<Vec<Identity>> {
    let sql =
        format!("select {COLUMNS} from identities where user_id {} order by created_at, id", in_id_list(db.dialect()));
    db.sql_built(sql).bind(json!(users).to_string()).all().await
}

pub async fn list(db: &mut impl Sql, user: UserId) -> Result<Vec<Identity>> {
    db.sql_built(format!("select {COLUMNS} from identities where user_id = $1 order by created_at, id"))
        .bind(user)
        .all()
        .await
}

/// Records a sign-in and the provider's present claims.
pub async fn record_sign_in(
    tx: &mut Tx,
    id: IdentityId,
    email: &str,
    data: &Map<String, Value>,
    at: DateTime<Utc>,
) -> Result<()> {
    tx.sql("update identities set email = $2, data = $3, last_sign_in_at = $4, updated_at = $4 where id = $1")
        .bind(id)
        .bind(email.to_owned())
        .bind(Json(data.clone()))
        .bind(at)
        .run()
        .await?;
    Ok(())
}

pub async fn delete(tx: &mut Tx, id: IdentityId) -> Result<()> {
    tx.sql("delete from identities where id = $1").bind(id).run().await?;
    Ok(())
}
