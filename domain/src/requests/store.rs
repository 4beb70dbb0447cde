//! A request's row, and SQL of requests.
use crate::{
    db::{Db, Json, Sql, Tx},
    documents::Document,
    error::{Problem, Result},
    ids::{RequestId, SpvId, UserId},
    spvs,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = RequestStatus)]
pub enum Status {
    Pending,
    InReview,
    Approved,
    Rejected,
    Withdrawn,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Pending, Self::InReview, Self::Approved, Self::Rejected, Self::Withdrawn];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Still to be decided.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InReview)
    }
}

impl std::str::FromStr for Status {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|status| status.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Request {
    pub id: RequestId,
    pub kind: String,
    pub status: Status,
    pub user_id: Option<UserId>,
    pub name: String,
    pub email: String,
    pub message: String,
    #[sqlx(json)]
    pub data: Map<String, Value>,
    pub created_at: DateTime<Utc>,
    /// The order that it was accepted as.
    pub spv_id: Option<SpvId>,
    #[sqlx(default)]
    pub spv_custom_identifier: Option<String>,
    /// Why it was rejected.
    pub reason: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decided_by: Option<String>,
    pub version: i64,
    /// Of whoever has no account.
    pub language: Option<String>,
    /// What goes with it.
    #[sqlx(skip)]
    pub documents: Vec<Document>,
}

impl Request {
    /// What people call the order that it was accepted as.
    pub fn spv_identifier(&self) -> Option<String> {
        Some(spvs::display_identifier(self.spv_id?, self.spv_custom_identifier.as_deref()))
    }
}

const WITH_ORDER: &str = "select r.*, s.custom_identifier as spv_custom_identifier from requests r \
    left join spvs s on s.id = r.spv_id";

pub async fn insert(tx: &mut Tx, request: &Request, address: Option<&str>) -> Result<()> {
    tx.sql(
        "insert into requests (id, kind, status, user_id, name, email, message, data, address, created_at, language) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(request.id)
    .bind(request.kind.clone())
    .bind(request.status)
    .bind(request.user_id)
    .bind(request.name.clone())
    .bind(request.email.clone())
    .bind(request.message.clone())
    .bind(Json(request.data.clone()))
    .bind(address.map(str::to_owned))
    .bind(request.created_at)
    .bind(request.language.clone())
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: RequestId) -> Result<Option<Request>> {
    db.sql_built(format!("{WITH_ORDER} where r.id = $1")).bind(id).optional().await
}

/// The row, kept from others until the transaction ends.
pub async fn lock(tx: &mut Tx, id: RequestId) -> Result<Option<Request>> {
    tx.sql("update requests set version = version where id = $1 returning *").bind(id).optional().await
}

/// What became of it.
pub async fn decide(tx: &mut Tx, request: &Request) -> Result<()> {
    tx.sql(
        "update requests set status = $2, spv_id = $3, reason = $4, decided_at = $5, decided_by = $6, version = $7 \
         where id = $1",
    )
    .bind(request.id)
    .bind(request.status)
    .bind(request.spv_id)
    .bind(request.reason.clone())
    .bind(request.decided_at)
    .bind(request.decided_by.clone())
    .bind(request.version)
    .run()
    .await?;
    Ok(())
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub kind: Option<String>,
    pub status: Option<Status>,
}

/// `of`: only this person's own.
pub async fn list(
    db: &mut Db,
    of: Option<UserId>,
    filter: &Filter,
    before: Option<(DateTime<Utc>, RequestId)>,
    limit: usize,
) -> Result<Vec<Request>> {
    let mut sql = format!("{WITH_ORDER} where 1 = 1");
    let mut n = 0;
    let mut next = || {
        n += 1;
        n
    };
    if of.is_some() {
        sql.push_str(&format!(" and r.user_id = ${}", next()));
    }
    if filter.kind.is_some() {
        sql.push_str(&format!(" and r.kind = ${}", next()));
    }
    if let Some(status) = filter.status {
        sql.push_str(&format!(" and r.status = '{}'", status.name()));
    }
    if before.is_some() {
        sql.push_str(&format!(" and (r.created_at, r.id) < (${}, ${})", next(), next()));
    }
    sql.push_str(&format!(" order by r.created_at desc, r.id desc limit {limit}"));
    let mut query = db.sql_built(sql);
    if let Some(user) = of {
        query = query.bind(user);
    }
    if let Some(kind) = &filter.kind {
        query = query.bind(kind.clone());
    }
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

pub async fn between(db: &mut Db, first: RequestId, last: RequestId) -> Result<Vec<Request>> {
    db.sql_built(format!("{WITH_ORDER} where r.id between $1 and $2 limit 2")).bind(first).bind(last).all().await
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
