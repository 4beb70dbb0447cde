//! SQL of a company's analytics.
use crate::{
    kernel::{
        db::{ColumnKind, ColumnSpec, Db, Nested, Sql, elapsed_seconds, select_nested},
        error::Result,
        ids::CompanyId,
        local_date::local_date,
        money::Currency,
    },
    orders::spvs::{Country, Status},
};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use uuid::Uuid;

/// Orders that have these three in common.
#[derive(Clone, Debug, Deserialize)]
pub struct Orders {
    /// `2026-11`
    pub month: String,
    pub country: Country,
    pub status: Status,
    pub count: i64,
}

pub(crate) const ORDERS: &[ColumnSpec] = &[
    ("month", "t.month", ColumnKind::Plain),
    ("country", "t.country", ColumnKind::Plain),
    ("status", "t.status", ColumnKind::Plain),
    ("count", "t.count", ColumnKind::Plain),
];

/// Completed steps of one name.
#[derive(Clone, Debug, Deserialize)]
pub struct Steps {
    pub name: String,
    pub completed: i64,
    /// The middle one, in seconds; of an even number, the two in the middle together.
    pub middle: i64,
    pub longest: i64,
}

pub(crate) const STEPS: &[ColumnSpec] = &[
    ("name", "t.step_name", ColumnKind::Plain),
    ("completed", "t.completed", ColumnKind::Plain),
    ("middle", "t.middle", ColumnKind::Plain),
    ("longest", "t.longest", ColumnKind::Plain),
];

/// Completed steps that had a date, of the orders of one month.
#[derive(Clone, Debug, Deserialize)]
pub struct Kept {
    pub month: String,
    pub due: i64,
    pub kept: i64,
}

pub(crate) const KEPT: &[ColumnSpec] = &[
    ("month", "t.month", ColumnKind::Plain),
    ("due", "t.due", ColumnKind::Plain),
    ("kept", "t.kept", ColumnKind::Plain),
];

#[derive(Debug, sqlx::FromRow)]
pub struct Found {
    #[sqlx(try_from = "Nested<Vec<Orders>>")]
    pub orders: Vec<Orders>,
    #[sqlx(try_from = "Nested<Vec<Steps>>")]
    pub steps: Vec<Steps>,
    #[sqlx(try_from = "Nested<Vec<Kept>>")]
    pub kept: Vec<Kept>,
}

/// Since when a step of `order` could be worked on: the one before it, or the order itself. As the staff's card counts.
pub(crate) fn since(order: &str) -> String {
    format!(
        "coalesce(max(d.completed_at) over (partition by d.spv_id order by d.completed_at \
         range between unbounded preceding and current row exclude group), {order}.created_at)"
    )
}

const PLACED: &str = "s.ordered_date >= $1 and s.ordered_date <= $2";

/// Everything in one statement, so that the charts agree with each other: of one company, or of all. What was done in
/// time is told by the clock of `zone`.
pub async fn read(
    db: &mut Db,
    company: Option<CompanyId>,
    (from, to): (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Found> {
    let dialect = db.dialect();
    let placed = match company {
        Some(_) => format!("s.company_id = $3 and {PLACED}"),
        None => PLACED.to_owned(),
    };
    let month = "substr(cast(s.ordered_date as text), 1, 7)";
    let seconds = elapsed_seconds(dialect, "x.since", "x.completed_at");
    let done = format!(
        "select {month} as month, d.step_name, d.due_date, d.completed_at, {} as since \
         from spvs s join spv_steps d on d.spv_id = s.id where {placed} and d.status = 'completed'",
        since("s")
    );
    let orders = format!(
        "select {month} as month, s.country, s.status, count(*) as count from spvs s where {placed} group by 1, 2, 3"
    );
    // The middle of an odd number is its own double.
    let steps = format!(
        "select z.step_name, max(z.n) as completed, max(z.seconds) as longest, cast(sum(case \
             when z.nth = (z.n + 1) / 2 and z.nth = (z.n + 2) / 2 then 2 * z.seconds \
             when z.nth = (z.n + 1) / 2 or z.nth = (z.n + 2) / 2 then z.seconds else 0 end) as bigint) as middle from ( \
             select q.step_name, q.seconds, row_number() over (partition by q.step_name order by q.seconds) as nth, \
             count(*) over (partition by q.step_name) as n from ( \
                 select x.step_name, {seconds} as seconds from done x) q) z group by z.step_name"
    );
    let day = local_date(dialect, "x.completed_at", zone, now);
    let kept = format!(
        "select x.month, count(*) as due, count(*) filter (where {day} <= cast(x.due_date as text)) as kept \
         from done x where x.due_date is not null group by x.month"
    );
    let list = |shape: &[ColumnSpec], from: &str| select_nested(dialect, shape, from);
    let sql = format!(
        "with done as materialized ({done}) select ({}) as orders, ({}) as steps, ({}) as kept",
        list(ORDERS, &orders),
        list(STEPS, &steps),
        list(KEPT, &kept)
    );
    let mut query = db.sql_built(sql).bind(from).bind(to);
    if let Some(company) = company {
        query = query.bind(company);
    }
    query.one().await
}

/// How many steps were completed, and how long they took together, in seconds: by the month of their completion,
/// whenever their orders were placed.
pub async fn step_times(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64, i64)>> {
    let dialect = db.dialect();
    let day = local_date(dialect, "x.completed_at", zone, now);
    let seconds = elapsed_seconds(dialect, "x.since", "x.completed_at");
    let (from, to) = around(days);
    // The step before may have been completed before the first day, so that all of an order's are looked at.
    db.sql_built(format!(
        "select substr(z.day, 1, 7), count(*), cast(sum(z.seconds) as bigint) from ( \
             select {day} as day, {seconds} as seconds from ( \
                 select d.completed_at, {} as since from spv_steps d join spvs s on s.id = d.spv_id \
                 where d.status = 'completed' and d.spv_id in ( \
                     select f.spv_id from spv_steps f \
                     where f.completed_at >= $1 and f.completed_at < $2) \
             ) x where x.completed_at >= $1 and x.completed_at < $2 \
         ) z where z.day >= $3 and z.day <= $4 group by 1",
        since("s")
    ))
    .bind(from)
    .bind(to)
    .bind(days.0.to_string())
    .bind(days.1.to_string())
    .all()
    .await
}

/// Fees of a month and country in one currency.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Fees {
    pub month: String,
    pub country: Country,
    pub currency: Currency,
    pub minor: i64,
}

pub async fn fees(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<Fees>> {
    db.sql_built(format!(
        "select substr(cast(s.ordered_date as text), 1, 7) as month, s.country, s.currency, \
         cast(sum(s.price_minor) as bigint) as minor from spvs s \
         where {PLACED} and s.status <> 'cancelled' and s.price_minor is not null group by 1, 2, 3"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// Orders that have these in common.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct GroupRow {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub currency: Currency,
    pub spvs: i64,
    pub minor: i64,
}

const FEES: &str = "count(*) as spvs, cast(coalesce(sum(case when s.status <> 'cancelled' then s.price_minor end), 0) \
     as bigint) as minor";

pub async fn companies(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<GroupRow>> {
    db.sql_built(format!(
        "select g.company_id as id, c.name, g.currency, g.spvs, g.minor from ( \
             select s.company_id, s.currency, {FEES} from spvs s where {PLACED} group by s.company_id, s.currency \
         ) g join companies c on c.id = g.company_id"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

pub async fn isos(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<GroupRow>> {
    db.sql_built(format!(
        "select g.iso_id as id, i.first_name || ' ' || i.last_name as name, g.currency, g.spvs, g.minor from ( \
             select s.iso_id, s.currency, {FEES} from spvs s where {PLACED} group by s.iso_id, s.currency \
         ) g left join isos i on i.id = g.iso_id"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// The instants between which these days lie, wherever the clock stands: the days themselves are told afterwards.
fn around((from, to): (NaiveDate, NaiveDate)) -> (DateTime<Utc>, DateTime<Utc>) {
    let midnight = |date: NaiveDate| date.and_time(chrono::NaiveTime::MIN).and_utc();
    (midnight(from) - Duration::days(1), midnight(to) + Duration::days(2))
}

/// How many requests came in, by month.
pub async fn requests(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64)>> {
    let day = local_date(db.dialect(), "r.created_at", zone, now);
    let (from, to) = around(days);
    db.sql_built(format!(
        "select substr(x.day, 1, 7), count(*) from ( \
             select {day} as day from requests r where r.created_at >= $1 and r.created_at < $2 \
         ) x where x.day >= $3 and x.day <= $4 group by 1"
    ))
    .bind(from)
    .bind(to)
    .bind(days.0.to_string())
    .bind(days.1.to_string())
    .all()
    .await
}

/// How many people signed in, and how often somebody could not, by month.
pub async fn sign_ins(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64, i64)>> {
    let day = local_date(db.dialect(), "a.at", zone, now);
    let (from, to) = around(days);
    db.sql_built(format!(
        "select substr(x.day, 1, 7), count(*) filter (where x.action = 'session.started'), \
         count(*) filter (where x.action = 'sign_in.failed') from ( \
             select a.action, {day} as day from activity a where a.action in ('session.started', 'sign_in.failed') \
             and a.seq is not null and a.at >= $1 and a.at < $2 \
         ) x where x.day >= $3 and x.day <= $4 group by 1"
    ))
    .bind(from)
    .bind(to)
    .bind(days.0.to_string())
    .bind(days.1.to_string())
    .all()
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::db::assert_columns_match;

    #[test]
    fn columns_match_the_struct_fields() {
        assert_columns_match::<Orders>(ORDERS);
        assert_columns_match::<Steps>(STEPS);
        assert_columns_match::<Kept>(KEPT);
    }
}
