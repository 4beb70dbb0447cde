//! SQL of a company's analytics.
use crate::{
    db::{Col, Db, Shape, Sql, elapsed, json_list, json_row, selected, within},
    error::Result,
    ids::CompanyId,
    spvs::{Country, Status},
};
use chrono::NaiveDate;
use serde::Deserialize;

/// Orders that have these three in common.
#[derive(Clone, Debug, Deserialize)]
pub struct Orders {
    /// `2026-11`
    pub month: String,
    pub country: Country,
    pub status: Status,
    pub count: i64,
}

pub(crate) const ORDERS: &Shape = &[
    ("month", "t.month", Col::Plain),
    ("country", "t.country", Col::Plain),
    ("status", "t.status", Col::Plain),
    ("count", "t.count", Col::Plain),
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

pub(crate) const STEPS: &Shape = &[
    ("name", "t.step_name", Col::Plain),
    ("completed", "t.completed", Col::Plain),
    ("middle", "t.middle", Col::Plain),
    ("longest", "t.longest", Col::Plain),
];

/// Completed steps that had a date, of the orders of one month.
#[derive(Clone, Debug, Deserialize)]
pub struct Kept {
    pub month: String,
    pub due: i64,
    pub kept: i64,
}

pub(crate) const KEPT: &Shape =
    &[("month", "t.month", Col::Plain), ("due", "t.due", Col::Plain), ("kept", "t.kept", Col::Plain)];

#[derive(Debug, Deserialize)]
pub struct Found {
    pub orders: Vec<Orders>,
    pub steps: Vec<Steps>,
    pub kept: Vec<Kept>,
}

/// Since when a step of `order` could be worked on: the one before it, or the order itself. As the staff's card counts.
pub(crate) fn since(order: &str) -> String {
    format!(
        "coalesce(max(d.completed_at) over (partition by d.spv_id order by d.completed_at \
         range between unbounded preceding and current row exclude group), {order}.created_at)"
    )
}

/// Everything in one statement, so that the charts agree with each other.
pub async fn read(db: &mut Db, company: CompanyId, (from, to): (NaiveDate, NaiveDate)) -> Result<Found> {
    let dialect = db.dialect();
    let placed = "s.company_id = $1 and s.ordered_date >= $2 and s.ordered_date <= $3";
    let month = "substr(cast(s.ordered_date as text), 1, 7)";
    let seconds = elapsed(dialect, "x.since", "x.completed_at");
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
    let kept = "select x.month, count(*) as due, \
         count(*) filter (where substr(cast(x.completed_at as text), 1, 10) <= cast(x.due_date as text)) as kept \
         from done x where x.due_date is not null group by x.month";
    let list = |shape: &Shape, from: &str| within(dialect, &json_list(dialect, shape, from));
    let value = json_row(
        dialect,
        &[
            ("orders", &list(ORDERS, &orders), Col::Plain),
            ("steps", &list(STEPS, &steps), Col::Plain),
            ("kept", &list(KEPT, kept), Col::Plain),
        ],
    );
    db.sql_built(format!("with done as materialized ({done}) {}", selected(dialect, &value)))
        .bind(company)
        .bind(from)
        .bind(to)
        .json()
        .await
}
