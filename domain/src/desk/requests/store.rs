//! SQL of requests.
use super::desk::{Counted, Weekly};
use crate::{
    kernel::{
        db::{Db, Sql},
        error::{Problem, Result},
        ids::{RequestId, UserId},
        search::{self, SearchCondition, SearchScope},
    },
    outbox::requests::{Kind, Priority, Request, SELECT_WITH_NAMES, Status},
    platform::rollups::companies::NO_PARTNER,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use uuid::Uuid;

/// What waits for the staff, as the partial indexes have it.
const OPEN: &str = "r.status in ('pending', 'in_review')";

/// As the index of it has it.
const RANK: &str = "(case r.priority when 'high' then 1 when 'medium' then 2 else 3 end)";

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
    let mut sql = format!("{SELECT_WITH_NAMES} where 1 = 1");
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
    db.sql_built(format!("{SELECT_WITH_NAMES} where r.id between $1 and $2 limit 2")).bind(first).bind(last).all().await
}

/// The number of requests of each status, as the rollups store it.
pub async fn count_by_status(db: &mut impl Sql) -> Result<Vec<(Status, i64)>> {
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
