//! SQL of requests.
use super::{
    desk::{Counted, Weekly},
    followed::Source,
    model::{Kind, Priority, Request, Status},
};
use crate::{
    kernel::{
        db::{Db, Json, Sql, Tx},
        email,
        error::{Problem, Result},
        ids::{RequestId, UserId},
        search::{self, SearchCondition, SearchScope},
    },
    platform::rollups::{companies::NO_PARTNER, dated},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use uuid::Uuid;

/// What a release from before the desk writes has no time it is due and nobody who changed it last.
const WITH_NAMES: &str = "select r.id, r.kind, r.status, r.priority, r.user_id, r.name, r.email, r.message, r.data, \
    r.assignee_id, r.created_at, coalesce(r.due_at, r.created_at) as due_at, r.language, r.spv_id, r.made_kind, \
    r.made_id, r.reason, r.decided_at, r.decided_by, coalesce(r.updated_at, r.created_at) as updated_at, \
    coalesce(r.updated_by, r.name) as updated_by, r.version, r.lead_id, r.call_id, s.custom_identifier as spv_custom_identifier, \
    (select a.first_name || ' ' || a.last_name from users a where a.id = r.assignee_id) as assignee_name \
    from requests r left join spvs s on s.id = r.spv_id";

/// What waits for the staff, as the partial indexes have it.
const OPEN: &str = "r.status in ('pending', 'in_review')";

/// As the index of it has it.
const RANK: &str = "(case r.priority when 'high' then 1 when 'medium' then 2 else 3 end)";

const COLUMNS: [&str; 26] = [
    "id",
    "kind",
    "status",
    "priority",
    "user_id",
    "name",
    "email",
    "message",
    "data",
    "address",
    "assignee_id",
    "created_at",
    "due_at",
    "language",
    "spv_id",
    "made_kind",
    "made_id",
    "reason",
    "decided_at",
    "decided_by",
    "updated_at",
    "updated_by",
    "version",
    "lead_id",
    "call_id",
    "email_key",
];

/// Rows of one statement: SQLite takes 32,766 values in one, PostgreSQL 65,535.
const ROWS: usize = 500;

/// Writes them, few or many.
pub async fn insert(tx: &mut Tx, requests: &[Request], address: Option<&str>) -> Result<()> {
    for some in requests.chunks(ROWS) {
        let width = COLUMNS.len();
        let mut sql = format!("insert into requests ({}) values ", COLUMNS.join(", "));
        for row in 0..some.len() {
            let values: Vec<String> = (1..=width).map(|n| format!("${}", row * width + n)).collect();
            let _ = write!(sql, "{}({})", if row == 0 { "" } else { ", " }, values.join(", "));
        }
        let mut query = tx.sql_built(sql);
        for request in some {
            query = query
                .bind(request.id)
                .bind(request.kind)
                .bind(request.status)
                .bind(request.priority)
                .bind(request.user_id)
                .bind(request.name.clone())
                .bind(request.email.clone())
                .bind(request.message.clone())
                .bind(Json(request.data.clone()))
                .bind(address.map(str::to_owned))
                .bind(request.assignee_id)
                .bind(request.created_at)
                .bind(request.due_at)
                .bind(request.language.clone())
                .bind(request.spv_id)
                .bind(request.made_kind)
                .bind(request.made_id)
                .bind(request.reason.clone())
                .bind(request.decided_at)
                .bind(request.decided_by.clone())
                .bind(request.updated_at)
                .bind(request.updated_by.clone())
                .bind(request.version)
                .bind(request.lead_id)
                .bind(request.call_id)
                .bind(email::key(&request.email));
        }
        query.run().await?;
        for request in some {
            dated::add_request_count(tx, request.status.name(), 1);
        }
    }
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: RequestId) -> Result<Option<Request>> {
    db.sql_built(format!("{WITH_NAMES} where r.id = $1")).bind(id).optional().await
}

/// The row, kept from others until the transaction ends.
pub async fn lock(tx: &mut Tx, id: RequestId) -> Result<Option<Request>> {
    tx.sql("update requests set version = version where id = $1").bind(id).run().await?;
    get(tx, id).await
}

/// The request of a lead or a call, kept from others until the transaction ends.
pub async fn lock_of(tx: &mut Tx, source: Source) -> Result<Option<Request>> {
    let (column, id) = match source {
        Source::Lead(id) => ("lead_id", id.0),
        Source::Call(id) => ("call_id", id.0),
    };
    tx.sql_built(format!("update requests set version = version where {column} = $1")).bind(id).run().await?;
    tx.sql_built(format!("{WITH_NAMES} where r.{column} = $1")).bind(id).optional().await
}

/// Whom it is about and what it says, where that was changed.
pub async fn reword(tx: &mut Tx, request: &Request) -> Result<()> {
    tx.sql(
        "update requests set name = $2, email = $3, message = $4, updated_at = $5, updated_by = $6, version = $7, \
         email_key = $8 where id = $1",
    )
    .bind(request.id)
    .bind(request.name.clone())
    .bind(request.email.clone())
    .bind(request.message.clone())
    .bind(request.updated_at)
    .bind(request.updated_by.clone())
    .bind(request.version)
    .bind(email::key(&request.email))
    .run()
    .await?;
    Ok(())
}

/// Everything that may have changed of it. Its row is locked.
pub async fn save(tx: &mut Tx, request: &Request) -> Result<()> {
    let was: (Status,) = tx.sql("select status from requests where id = $1").bind(request.id).one().await?;
    dated::add_request_count(tx, was.0.name(), -1);
    dated::add_request_count(tx, request.status.name(), 1);
    tx.sql(
        "update requests set status = $2, spv_id = $3, reason = $4, decided_at = $5, decided_by = $6, version = $7, \
         priority = $8, due_at = $9, assignee_id = $10, made_kind = $11, made_id = $12, updated_at = $13, \
         updated_by = $14 where id = $1",
    )
    .bind(request.id)
    .bind(request.status)
    .bind(request.spv_id)
    .bind(request.reason.clone())
    .bind(request.decided_at)
    .bind(request.decided_by.clone())
    .bind(request.version)
    .bind(request.priority)
    .bind(request.due_at)
    .bind(request.assignee_id)
    .bind(request.made_kind)
    .bind(request.made_id)
    .bind(request.updated_at)
    .bind(request.updated_by.clone())
    .run()
    .await?;
    Ok(())
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub kind: Option<Kind>,
    pub status: Option<Status>,
    /// Pending or in review.
    pub open: bool,
    pub priority: Option<Priority>,
    pub assignee: Option<Assignee>,
    pub order: Order,
    /// Only these, as a search found them.
    pub ids: Option<Vec<Uuid>>,
}

impl Filter {
    /// The same in an order in which no request changes its place while page after page is read.
    pub fn unmoved(&self) -> Self {
        let order = match self.order {
            Order::Oldest => Order::Oldest,
            Order::Newest | Order::Due | Order::Priority => Order::Newest,
        };
        Self { order, ..self.clone() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignee {
    One(UserId),
    Nobody,
}

/// In which order a list is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    #[default]
    Newest,
    Oldest,
    /// What is due first.
    Due,
    /// The most urgent first, and of these what is due first.
    Priority,
}

impl Order {
    /// # Errors
    /// `unknown` with what is allowed.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        Ok(match text {
            "" | "-created_at" => Self::Newest,
            "created_at" => Self::Oldest,
            "due_at" => Self::Due,
            "priority" => Self::Priority,
            _ => return Err(Problem::new("unknown").with("allowed", "-created_at, created_at, due_at, priority")),
        })
    }

    fn columns(self) -> &'static str {
        match self {
            Self::Newest | Self::Oldest => "r.created_at, r.id",
            Self::Due | Self::Priority => "r.due_at, r.id",
        }
    }
}

/// Where a page ended: in which order, and the row's rank, time and id in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key(pub Order, pub i64, pub DateTime<Utc>, pub RequestId);

impl Key {
    pub fn of(order: Order, request: &Request) -> Self {
        let at = match order {
            Order::Newest | Order::Oldest => request.created_at,
            Order::Due | Order::Priority => request.due_at,
        };
        Self(order, request.priority.rank(), at, request.id)
    }
}

/// `of`: only this person's own.
pub async fn list(
    db: &mut Db,
    of: Option<UserId>,
    filter: &Filter,
    after: Option<Key>,
    limit: usize,
) -> Result<Vec<Request>> {
    let mut sql = format!("{WITH_NAMES} where 1 = 1");
    let mut ids = Vec::new();
    let assignee = match filter.assignee {
        Some(Assignee::One(id)) => Some(id),
        _ => None,
    };
    for (column, id) in [("user_id", of), ("assignee_id", assignee)] {
        if let Some(id) = id {
            ids.push(id);
            let _ = write!(sql, " and r.{column} = ${}", ids.len());
        }
    }
    if filter.assignee == Some(Assignee::Nobody) {
        sql.push_str(" and r.assignee_id is null");
    }
    for (column, name) in [
        ("kind", filter.kind.map(Kind::name)),
        ("status", filter.status.map(Status::name)),
        ("priority", filter.priority.map(Priority::name)),
    ] {
        if let Some(name) = name {
            let _ = write!(sql, " and r.{column} = '{name}'");
        }
    }
    if filter.open {
        let _ = write!(sql, " and {OPEN}");
    }
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => search::condition(db, "request", SearchScope::default().few(of.is_some()), filter.q.as_deref()).await?,
    };
    let (search, words) = narrow.sql(db.dialect(), "r.id", ids.len() + 1);
    sql.push_str(&search);
    let (beyond, way) = if filter.order == Order::Newest { ("<", " desc") } else { (">", "") };
    let columns = filter.order.columns();
    if let Some(Key(_, rank, ..)) = &after {
        let n = ids.len() + words.len();
        let (rank_column, rank) = match filter.order {
            Order::Priority => (format!("{RANK}, "), format!("{rank}, ")),
            _ => Default::default(),
        };
        let _ = write!(sql, " and ({rank_column}{columns}) {beyond} ({rank}${}, ${})", n + 1, n + 2);
    }
    let by = columns.split(", ").map(|column| format!("{column}{way}")).collect::<Vec<_>>().join(", ");
    let rank = if filter.order == Order::Priority { format!("{RANK}, ") } else { String::new() };
    let _ = write!(sql, " order by {rank}{by} limit {limit}");
    let mut query = db.sql_built(sql);
    for id in ids {
        query = query.bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    if let Some(Key(_, _, at, id)) = after {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

pub async fn between(db: &mut Db, first: RequestId, last: RequestId) -> Result<Vec<Request>> {
    db.sql_built(format!("{WITH_NAMES} where r.id between $1 and $2 limit 2")).bind(first).bind(last).all().await
}

/// Whether the staff have such a request of this address still to decide.
pub async fn is_open(tx: &mut Tx, kind: Kind, email: &str) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from requests where kind = $1 and email_key = $2 and status in ('pending', 'in_review'))",
    )
    .bind(kind)
    .bind(email::key(email))
    .scalar()
    .await
}

/// How many there are of each state, as the figures keep it.
pub async fn counted(db: &mut impl Sql) -> Result<Vec<(Status, i64)>> {
    db.sql("select period, n from figures where owner_id = $1 and grain = 'now' and what = 'requests' and n <> 0")
        .bind(NO_PARTNER)
        .all()
        .await
}

/// How many are open of each priority, and how many of these are late.
pub async fn open(db: &mut Db, now: DateTime<Utc>) -> Result<Vec<Counted>> {
    db.sql_built(format!(
        "select r.priority, count(*) as open, \
         count(*) filter (where coalesce(r.due_at, r.created_at) < $1) as overdue from requests r \
         where {OPEN} group by r.priority"
    ))
    .bind(now)
    .all()
    .await
}

/// How many were sent between each of these times and the next, by what has become of them.
pub async fn weekly(db: &mut Db, borders: &[DateTime<Utc>]) -> Result<Vec<Weekly>> {
    let parts: Vec<String> = (1..borders.len())
        .map(|n| {
            format!(
                "select cast({} as bigint) as nth, status, count(*) as count from requests \
                 where created_at >= ${n} and created_at < ${} group by status",
                n - 1,
                n + 1
            )
        })
        .collect();
    let mut query = db.sql_built(parts.join(" union all "));
    for border in borders {
        query = query.bind(*border);
    }
    query.all().await
}
