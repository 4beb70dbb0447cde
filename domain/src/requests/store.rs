//! A request's row, and SQL of requests.
use crate::{
    db::{Db, Json, Sql, Tx},
    error::Result,
    ids::{RequestId, UserId},
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Request {
    pub id: RequestId,
    pub kind: String,
    pub status: String,
    pub user_id: Option<UserId>,
    pub name: String,
    pub email: String,
    pub message: String,
    #[sqlx(json)]
    pub data: Map<String, Value>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

pub async fn insert(tx: &mut Tx, request: &Request, address: Option<&str>) -> Result<()> {
    tx.sql(
        "insert into requests (id, kind, status, user_id, name, email, message, data, address, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(request.id)
    .bind(request.kind.clone())
    .bind(request.status.clone())
    .bind(request.user_id)
    .bind(request.name.clone())
    .bind(request.email.clone())
    .bind(request.message.clone())
    .bind(Json(request.data.clone()))
    .bind(address.map(str::to_owned))
    .bind(request.created_at)
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: RequestId) -> Result<Option<Request>> {
    db.sql("select * from requests where id = $1").bind(id).optional().await
}

pub async fn list(db: &mut Db, before: Option<(DateTime<Utc>, RequestId)>, limit: usize) -> Result<Vec<Request>> {
    let narrow = if before.is_some() { "where (created_at, id) < ($1, $2)" } else { "" };
    let mut query =
        db.sql_built(format!("select * from requests {narrow} order by created_at desc, id desc limit {limit}"));
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

pub async fn between(db: &mut Db, first: RequestId, last: RequestId) -> Result<Vec<Request>> {
    db.sql("select * from requests where id between $1 and $2 limit 2").bind(first).bind(last).all().await
}

/// Whether the staff have such a request of this address still to decide.
pub async fn is_open(tx: &mut Tx, kind: &str, email: &str) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from requests where kind = $1 and lower(email) = $2 and status in ('pending', 'in_review'))",
    )
    .bind(kind.to_owned())
    .bind(email.to_owned())
    .scalar()
    .await
}
