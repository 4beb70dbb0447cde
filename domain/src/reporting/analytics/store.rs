//! SQL of analytics.
use crate::{
    kernel::{
        db::{ColumnSpec, Db, Nested, Row, Sql, elapsed_seconds, select_nested},
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

crate::kernel::db::row! {
    /// Number of orders by month, country and status.
    #[derive(Clone, Debug, Deserialize)]
    pub struct OrderCount {
        /// `2026-11`
        pub month: String,
        pub country: Country,
        pub status: Status,
        pub count: i64,
    }
}

crate::kernel::db::row! {
    /// Durations of the completed steps of one name.
    #[derive(Clone, Debug, Deserialize)]
    pub struct StepDuration {
        pub name: String,
        pub completed: i64,
        /// Twice the median, in seconds: for an even number of steps the sum of the two in the middle.
        pub middle: i64,
        pub longest: i64,
    }
}

crate::kernel::db::row! {
    /// Completed steps with a due date, of the orders of one month.
    #[derive(Clone, Debug, Deserialize)]
    pub struct OnTimeCount {
        pub month: String,
        pub due: i64,
        pub kept: i64,
    }
}

/// Rows of all charts, from one statement.
#[derive(Debug, sqlx::FromRow)]
pub struct ChartRows {
    #[sqlx(try_from = "Nested<Vec<OrderCount>>")]
    pub orders: Vec<OrderCount>,
    #[sqlx(try_from = "Nested<Vec<StepDuration>>")]
    pub steps: Vec<StepDuration>,
    #[sqlx(try_from = "Nested<Vec<OnTimeCount>>")]
    pub kept: Vec<OnTimeCount>,
}

/// SQL of the time since when a step of `order` could be worked on: the completion of the step before it, or the
/// creation of the order. The performance card of the staff uses the same.
pub(crate) fn workable_since(order: &str) -> String {
    format!(
        "coalesce(max(d.completed_at) over (partition by d.spv_id order by d.completed_at \
         range between unbounded preceding and current row exclude group), {order}.created_at)"
    )
}

const IN_PERIOD: &str = "s.ordered_date >= $1 and s.ordered_date <= $2";

/// Reads all charts in one statement, so that they agree: of one company, or of all. On time is decided in `zone`.
pub async fn read(
    db: &mut Db,
    company: Option<CompanyId>,
    (from, to): (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<ChartRows> {
    let dialect = db.dialect();
    let placed = match company {
        Some(_) => format!("s.company_id = $3 and {IN_PERIOD}"),
        None => IN_PERIOD.to_owned(),
    };
    let month = "substr(cast(s.ordered_date as text), 1, 7)";
    let seconds = elapsed_seconds(dialect, "x.workable_since", "x.completed_at");
    let done = format!(
        "select {month} as month, d.step_name, d.due_date, d.completed_at, {} as workable_since \
         from spvs s join spv_steps d on d.spv_id = s.id where {placed} and d.status = 'completed'",
        workable_since("s")
    );
    let orders = format!(
        "select {month} as month, s.country, s.status, count(*) as count from spvs s where {placed} group by 1, 2, 3"
    );
    // An odd number has one step in the middle, which is counted twice.
    let steps = format!(
        "select z.step_name as name, max(z.n) as completed, max(z.seconds) as longest, cast(sum(case \
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
        list(OrderCount::COLUMNS, &orders),
        list(StepDuration::COLUMNS, &steps),
        list(OnTimeCount::COLUMNS, &kept)
    );
    let mut query = db.sql_built(sql).bind(from).bind(to);
    if let Some(company) = company {
        query = query.bind(company);
    }
    query.one().await
}

/// Number and total duration in seconds of completed steps, by month of completion, whenever their orders were placed.
pub async fn step_durations(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64, i64)>> {
    let dialect = db.dialect();
    let day = local_date(dialect, "x.completed_at", zone, now);
    let seconds = elapsed_seconds(dialect, "x.workable_since", "x.completed_at");
    let (from, to) = instants_around(days);
    // The previous step may be completed before the period, so all steps of these orders are read.
    db.sql_built(format!(
        "select substr(z.day, 1, 7), count(*), cast(sum(z.seconds) as bigint) from ( \
             select {day} as day, {seconds} as seconds from ( \
                 select d.completed_at, {} as workable_since from spv_steps d join spvs s on s.id = d.spv_id \
                 where d.status = 'completed' and d.spv_id in ( \
                     select f.spv_id from spv_steps f \
                     where f.completed_at >= $1 and f.completed_at < $2) \
             ) x where x.completed_at >= $1 and x.completed_at < $2 \
         ) z where z.day >= $3 and z.day <= $4 group by 1",
        workable_since("s")
    ))
    .bind(from)
    .bind(to)
    .bind(days.0.to_string())
    .bind(days.1.to_string())
    .all()
    .await
}

/// Fees by month, country and currency.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct FeeSum {
    pub month: String,
    pub country: Country,
    pub currency: Currency,
    pub minor: i64,
}

/// Fees of the orders placed in a period.
pub async fn fees(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<FeeSum>> {
    db.sql_built(format!(
        "select substr(cast(s.ordered_date as text), 1, 7) as month, s.country, s.currency, \
         cast(sum(s.price_minor) as bigint) as minor from spvs s \
         where {IN_PERIOD} and s.status <> 'cancelled' and s.price_minor is not null group by 1, 2, 3"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// Orders and fees of one company or partner in one currency.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct GroupSum {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub currency: Currency,
    pub spvs: i64,
    pub minor: i64,
}

const COUNT_AND_FEES: &str = "count(*) as spvs, cast(coalesce(sum(case when s.status <> 'cancelled' then s.price_minor end), 0) \
     as bigint) as minor";

/// Orders and fees by company.
pub async fn companies(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<GroupSum>> {
    db.sql_built(format!(
        "select g.company_id as id, c.name, g.currency, g.spvs, g.minor from ( \
             select s.company_id, s.currency, {COUNT_AND_FEES} from spvs s where {IN_PERIOD} group by s.company_id, s.currency \
         ) g join companies c on c.id = g.company_id"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// Orders and fees by partner.
pub async fn isos(db: &mut Db, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<GroupSum>> {
    db.sql_built(format!(
        "select g.iso_id as id, i.first_name || ' ' || i.last_name as name, g.currency, g.spvs, g.minor from ( \
             select s.iso_id, s.currency, {COUNT_AND_FEES} from spvs s where {IN_PERIOD} group by s.iso_id, s.currency \
         ) g left join isos i on i.id = g.iso_id"
    ))
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// Instants that include these days in any time zone; the exact days are filtered afterwards.
fn instants_around((from, to): (NaiveDate, NaiveDate)) -> (DateTime<Utc>, DateTime<Utc>) {
    let midnight = |date: NaiveDate| date.and_time(chrono::NaiveTime::MIN).and_utc();
    (midnight(from) - Duration::days(1), midnight(to) + Duration::days(2))
}

/// Number of requests by month.
pub async fn requests(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64)>> {
    let day = local_date(db.dialect(), "r.created_at", zone, now);
    let (from, to) = instants_around(days);
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

/// Number of sign-ins and of failed sign-ins by month.
pub async fn sign_ins(
    db: &mut Db,
    days: (NaiveDate, NaiveDate),
    zone: Tz,
    now: DateTime<Utc>,
) -> Result<Vec<(String, i64, i64)>> {
    let day = local_date(db.dialect(), "a.at", zone, now);
    let (from, to) = instants_around(days);
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
