//! SQL of lists and counts of requests.
use super::summary::{PriorityCount, WeekCount};
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

/// Condition of open requests, as in the partial indexes.
const IS_OPEN: &str = "r.status in ('pending', 'in_review')";

/// Rank of the priority, as in its index.
const PRIORITY_RANK: &str = "(case r.priority when 'high' then 1 when 'medium' then 2 else 3 end)";

/// Filter and order of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub q: Option<String>,
    pub kind: Option<Kind>,
    pub status: Option<Status>,
    /// Pending or in review.
    pub open: bool,
    pub priority: Option<Priority>,
    pub assignee: Option<Assignee>,
    /// The user who sent them.
    pub sender: Option<UserId>,
    pub order: ListOrder,
    /// Restricts to these ids, as the search found them.
    pub ids: Option<Vec<Uuid>>,
}

impl Filter {
    /// The same filter with an order in which rows do not move between pages.
    pub fn with_stable_order(&self) -> Self {
        let order = match self.order {
            ListOrder::Oldest => ListOrder::Oldest,
            ListOrder::Newest | ListOrder::Due | ListOrder::Priority => ListOrder::Newest,
        };
        Self { order, ..self.clone() }
    }
}

/// Filter by assignee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignee {
    One(UserId),
    Nobody,
}

/// Order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListOrder {
    #[default]
    Newest,
    Oldest,
    /// By due time.
    Due,
    /// By priority, then by due time.
    Priority,
}

impl ListOrder {
    /// Parses the `order` parameter.
    ///
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

/// Cursor of a page: order, rank, time and id of its last row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cursor(pub ListOrder, pub i64, pub DateTime<Utc>, pub RequestId);

impl Cursor {
    pub fn of(order: ListOrder, request: &Request) -> Self {
        let at = match order {
            ListOrder::Newest | ListOrder::Oldest => request.created_at,
            ListOrder::Due | ListOrder::Priority => request.due_at,
        };
        Self(order, request.priority.rank(), at, request.id)
    }
}

/// Lists requests; with `of` only those of this user.
pub async fn list(
    db: &mut Db,
    of: Option<UserId>,
    filter: &Filter,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Vec<Request>> {
    let (mut sql, ids) = select_filtered(of, filter);
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => search::condition(db, "request", SearchScope::default().few(of.is_some()), filter.q.as_deref()).await?,
    };
    let (search, words) = narrow.sql(db.dialect(), "r.id", ids.len() + 1);
    sql.push_str(&search);
    let (beyond, way) = if filter.order == ListOrder::Newest { ("<", " desc") } else { (">", "") };
    let columns = filter.order.columns();
    if let Some(Cursor(_, rank, ..)) = &after {
        let n = ids.len() + words.len();
        let (rank_column, rank) = match filter.order {
            ListOrder::Priority => (format!("{PRIORITY_RANK}, "), format!("{rank}, ")),
            _ => Default::default(),
        };
        let _ = write!(sql, " and ({rank_column}{columns}) {beyond} ({rank}${}, ${})", n + 1, n + 2);
    }
    let by = columns.split(", ").map(|column| format!("{column}{way}")).collect::<Vec<_>>().join(", ");
    let rank = if filter.order == ListOrder::Priority { format!("{PRIORITY_RANK}, ") } else { String::new() };
    let _ = write!(sql, " order by {rank}{by} limit {limit}");
    let mut query = db.sql_built(sql);
    for id in ids {
        query = query.bind(id);
    }
    for word in words {
        query = query.bind(word);
    }
    if let Some(Cursor(_, _, at, id)) = after {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

/// The select with the conditions of a filter except search, and the ids to bind.
fn select_filtered(of: Option<UserId>, filter: &Filter) -> (String, Vec<UserId>) {
    let mut sql = format!("{SELECT_WITH_NAMES} where 1 = 1");
    let mut ids = Vec::new();
    let assignee = match filter.assignee {
        Some(Assignee::One(id)) => Some(id),
        _ => None,
    };
    for (column, id) in [("user_id", of.or(filter.sender)), ("assignee_id", assignee)] {
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
        let _ = write!(sql, " and {IS_OPEN}");
    }
    (sql, ids)
}

/// Up to two requests with ids in this range.
pub async fn in_id_range(db: &mut Db, first: RequestId, last: RequestId) -> Result<Vec<Request>> {
    db.sql_built(format!("{SELECT_WITH_NAMES} where r.id between $1 and $2 limit 2")).bind(first).bind(last).all().await
}

/// The number of requests of each status, as the rollups store it.
pub async fn count_by_status(db: &mut impl Sql) -> Result<Vec<(Status, i64)>> {
    db.sql("select period, n from figures where owner_id = $1 and grain = 'now' and what = 'requests' and n <> 0")
        .bind(NO_PARTNER)
        .all()
        .await
}

/// Number of open and of overdue requests by priority.
pub async fn count_open_by_priority(db: &mut Db, now: DateTime<Utc>) -> Result<Vec<PriorityCount>> {
    db.sql_built(format!(
        "select r.priority, count(*) as open, \
         count(*) filter (where coalesce(r.due_at, r.created_at) < $1) as overdue from requests r \
         where {IS_OPEN} group by r.priority"
    ))
    .bind(now)
    .all()
    .await
}

/// Number of requests between each two `borders`, by status.
pub async fn count_by_week(db: &mut Db, borders: &[DateTime<Utc>]) -> Result<Vec<WeekCount>> {
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
