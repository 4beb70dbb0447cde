//! SQL of lists and counts of requests.
use super::summary::{PriorityCount, WeekCount};
use crate::{
    kernel::{
        db::{Db, Sql},
        error::Result,
        ids::{RequestId, UserId},
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, SearchCondition, SearchScope},
    },
    outbox::requests::{Kind, Priority, Request, SELECT_WITH_NAMES, Status},
    platform::rollups::NO_PARTNER,
};
use chrono::{DateTime, Utc};
use serde_json::Value;
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
    pub order: Order<RequestSort>,
    /// Restricts to these ids, as the search found them.
    pub ids: Option<Vec<Uuid>>,
}

impl Filter {
    /// The same filter with an order in which rows do not move between pages.
    pub fn with_stable_order(&self) -> Self {
        let order = if self.order.key == RequestSort::CreatedAt { self.order } else { Order::default() };
        Self { order, ..self.clone() }
    }
}

/// Filter by assignee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignee {
    One(UserId),
    Unassigned,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSort {
    CreatedAt,
    DueAt,
    /// By priority, the highest first, then by due time.
    Priority,
}

impl SortKey for RequestSort {
    type Row = Request;
    const ALL: &'static [Self] = &[Self::CreatedAt, Self::DueAt, Self::Priority];
    const DEFAULT: Order<Self> = Order::descending(Self::CreatedAt);

    fn name(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::DueAt => "due_at",
            Self::Priority => "priority",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("r.id");
        match self {
            Self::CreatedAt => const { &[SortColumn::instant("r.created_at"), ID] },
            Self::DueAt => const { &[SortColumn::instant("r.due_at"), ID] },
            Self::Priority => {
                const { &[SortColumn::integer(PRIORITY_RANK).computed(), SortColumn::instant("r.due_at"), ID] }
            }
        }
    }

    fn values(self, row: &Request) -> Value {
        match self {
            Self::CreatedAt => values((row.created_at, row.id)),
            Self::DueAt => values((row.due_at, row.id)),
            Self::Priority => values((row.priority.rank(), row.due_at, row.id)),
        }
    }
}

/// The conditions of a filter; with `of` only the requests of this user.
async fn conditions(db: &mut Db, of: Option<UserId>, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    all.and_id("r.user_id", of.or(filter.sender).map(|id| id.0));
    match filter.assignee {
        Some(Assignee::One(id)) => all.and_id("r.assignee_id", Some(id.0)),
        Some(Assignee::Unassigned) => all.and("r.assignee_id is null"),
        None => {}
    }
    for (column, name) in [
        ("kind", filter.kind.map(Kind::name)),
        ("status", filter.status.map(Status::name)),
        ("priority", filter.priority.map(Priority::name)),
    ] {
        if let Some(name) = name {
            all.and(format!("r.{column} = '{name}'"));
        }
    }
    if filter.open {
        all.and(IS_OPEN);
    }
    let narrow = match &filter.ids {
        Some(ids) => SearchCondition::Ids(ids.clone()),
        None => search::condition(db, "request", SearchScope::default().few(of.is_some()), filter.q.as_deref()).await?,
    };
    all.and_search(&narrow, "r.id");
    Ok(all)
}

/// Lists requests; with `of` only those of this user.
pub async fn list(db: &mut Db, of: Option<UserId>, filter: &Filter, keyset: &Keyset) -> Result<Vec<Request>> {
    let all = conditions(db, of, filter).await?;
    keyset.rows(db, SELECT_WITH_NAMES, &all).await
}

/// The number of requests of a list.
pub async fn total(db: &mut Db, of: Option<UserId>, filter: &Filter) -> Result<Total> {
    conditions(db, of, filter).await?.total(db, "requests r", None).await
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
