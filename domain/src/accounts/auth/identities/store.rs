//! SQL of identities.
use super::Identity;
use crate::kernel::{
    db::{ColumnKind, ColumnSpec, Json, Sql, Tx, in_id_list},
    error::Result,
    ids::{IdentityId, UserId},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

/// The columns of an [`Identity`].
pub(crate) const ROW_COLUMNS: &str =
    "id, user_id, provider, provider_id, email, data, last_sign_in_at, created_at, updated_at";

pub(crate) const COLUMNS: &[ColumnSpec] = &[
    ("id", "t.id", ColumnKind::Uuid),
    ("user_id", "t.user_id", ColumnKind::Uuid),
    ("provider", "t.provider", ColumnKind::Plain),
    ("provider_id", "t.provider_id", ColumnKind::Plain),
    ("email", "t.email", ColumnKind::Plain),
    ("data", "t.data", ColumnKind::Json),
    ("last_sign_in_at", "t.last_sign_in_at", ColumnKind::Plain),
    ("created_at", "t.created_at", ColumnKind::Plain),
    ("updated_at", "t.updated_at", ColumnKind::Plain),
];

pub async fn insert(tx: &mut Tx, identity: &Identity) -> Result<()> {
    tx.sql(
        "insert into identities (id, user_id, provider, provider_id, email, data, last_sign_in_at, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(identity.id)
    .bind(identity.user_id)
    .bind(identity.provider.clone())
    .bind(identity.provider_id.clone())
    .bind(identity.email.clone())
    .bind(Json(identity.data.clone()))
    .bind(identity.last_sign_in_at)
    .bind(identity.created_at)
    .bind(identity.updated_at)
    .run()
    .await?;
    Ok(())
}

pub async fn by_subject(tx: &mut Tx, provider: &str, subject: &str) -> Result<Option<Identity>> {
    tx.sql_built(format!("select {ROW_COLUMNS} from identities where provider = $1 and provider_id = $2"))
        .bind(provider.to_owned())
        .bind(subject.to_owned())
        .optional()
        .await
}

/// Identities of several users, each user's as in [`list`].
pub async fn list_of_many(db: &mut impl Sql, users: &[UserId]) -> Result<Vec<Identity>> {
    let sql = format!(
        "select {ROW_COLUMNS} from identities where user_id {} order by created_at, id",
        in_id_list(db.dialect())
    );
    db.sql_built(sql).bind(json!(users).to_string()).all().await
}

pub async fn list(db: &mut impl Sql, user: UserId) -> Result<Vec<Identity>> {
    db.sql_built(format!("select {ROW_COLUMNS} from identities where user_id = $1 order by created_at, id"))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::db::assert_columns_match;

    #[test]
    fn columns_match_the_struct_fields() {
        assert_columns_match::<Identity>(COLUMNS);
    }
}
