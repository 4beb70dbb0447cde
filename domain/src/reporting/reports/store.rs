//! SQL of report rows.
use crate::{
    kernel::{
        db::{Db, Row, Sql, select_rows},
        error::Result,
        ids::{CompanyId, SpvId},
        money::Currency,
    },
    orders::{
        spvs::{Country, Status},
        steps::Party,
    },
    reporting::analytics,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;

/// Cursor of a page: the position of an order among the newest.
pub type OrderCursor = (NaiveDate, DateTime<Utc>, SpvId);

crate::kernel::db::row! {
    /// A row of the portfolio report.
    #[derive(Clone, Debug, Deserialize)]
    pub struct Order {
        pub id: SpvId,
        pub custom_identifier: Option<String>,
        pub client_first_name: String,
        pub client_last_name: String,
        pub iso_first_name: Option<String>,
        pub iso_last_name: Option<String>,
        pub country: Country,
        pub status: Status,
        pub ordered_date: NaiveDate,
        pub closed_at: Option<DateTime<Utc>>,
        pub steps_total: i64,
        pub steps_completed: i64,
        pub currency: Currency,
        /// 0 for a cancelled order, so that the column sums to the total of the company.
        pub amount_minor: i64,
        pub invoiced_minor: i64,
        pub paid_minor: i64,
        pub created_at: DateTime<Utc>,
    }
}

crate::kernel::db::row! {
    /// A row of the step times report.
    #[derive(Clone, Debug, Deserialize)]
    pub struct Step {
        pub spv_id: SpvId,
        pub custom_identifier: Option<String>,
        pub client_first_name: String,
        pub client_last_name: String,
        pub country: Country,
        pub ordered_date: NaiveDate,
        pub step_name: String,
        pub owner: Party,
        pub due_date: Option<NaiveDate>,
        pub completed_at: DateTime<Utc>,
        pub since: DateTime<Utc>,
        /// Creation time of the order, for the cursor.
        pub created_at: DateTime<Utc>,
    }
}

const IN_PERIOD: &str = "s.company_id = $1 and s.ordered_date >= $2 and s.ordered_date <= $3";
const NEWEST_FIRST: &str = "s.ordered_date desc, s.created_at desc, s.id desc";

fn after_key(after: Option<&OrderCursor>) -> &'static str {
    if after.is_some() { " and (s.ordered_date, s.created_at, s.id) < ($4, $5, $6)" } else { "" }
}

/// Invoiced and paid amounts of an order.
const INVOICED_AND_PAID: &str = "(select cast(coalesce(sum(v.total_minor - v.credited_minor), 0) as bigint) from invoices v \
        where v.spv_id = s.id and v.status <> 'void') as invoiced_minor, \
    (select cast(coalesce(sum(v.paid_minor), 0) as bigint) from invoices v \
        where v.spv_id = s.id and v.status <> 'void') as paid_minor";

const COUNTED_AMOUNT: &str = "case when s.status = 'cancelled' then 0 \
    else coalesce(s.purchase_amount_minor, s.price_minor, 0) end as amount_minor";

/// Rows of the portfolio report.
pub async fn orders(
    db: &mut Db,
    company: CompanyId,
    (from, to): (NaiveDate, NaiveDate),
    after: Option<OrderCursor>,
    limit: usize,
) -> Result<Vec<Order>> {
    let sql = format!(
        "select s.id, s.custom_identifier, c.first_name as client_first_name, c.last_name as client_last_name, \
         i.first_name as iso_first_name, i.last_name as iso_last_name, s.country, s.status, s.ordered_date, s.closed_at, \
         s.steps_total, s.steps_completed, s.currency, {COUNTED_AMOUNT}, {INVOICED_AND_PAID}, s.created_at \
         from spvs s join users c on c.id = s.client_id left join isos i on i.id = s.iso_id \
         where {IN_PERIOD}{} order by {NEWEST_FIRST} limit {limit}",
        after_key(after.as_ref())
    );
    let mut query = db.sql_built(select_rows(db.dialect(), Order::COLUMNS, &sql)).bind(company).bind(from).bind(to);
    if let Some((date, at, id)) = after {
        query = query.bind(date).bind(at).bind(id);
    }
    query.list().await
}

/// Currency, number of orders, their amounts, invoiced and paid amounts.
pub type OrderSums = (Currency, i64, i64, i64, i64);

/// Totals of the portfolio report by currency.
pub async fn order_sums(db: &mut Db, company: CompanyId, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<OrderSums>> {
    db.sql_built(format!(
        "select o.currency, count(*), cast(sum(o.amount_minor) as bigint), cast(sum(o.invoiced_minor) as bigint), \
         cast(sum(o.paid_minor) as bigint) from (select s.currency, {COUNTED_AMOUNT}, {INVOICED_AND_PAID} from spvs s where {IN_PERIOD}) o \
         group by o.currency order by o.currency"
    ))
    .bind(company)
    .bind(from)
    .bind(to)
    .all()
    .await
}

/// Completed steps of a page of orders that have any, in the order of the steps.
pub async fn steps(
    db: &mut Db,
    company: CompanyId,
    (from, to): (NaiveDate, NaiveDate),
    after: Option<OrderCursor>,
    limit: usize,
) -> Result<Vec<Step>> {
    let since = analytics::workable_since("o");
    let sql = format!(
        "select o.id as spv_id, o.custom_identifier, o.first_name as client_first_name, o.last_name as client_last_name, \
         o.country, o.ordered_date, d.step_name, d.owner, d.due_date, d.completed_at, {since} as since, o.created_at from ( \
             select s.id, s.custom_identifier, s.country, s.ordered_date, s.created_at, c.first_name, c.last_name \
             from spvs s join users c on c.id = s.client_id \
             where {IN_PERIOD} and s.steps_completed > 0{} order by {NEWEST_FIRST} limit {limit} \
         ) o join spv_steps d on d.spv_id = o.id where d.status = 'completed' \
         order by o.ordered_date desc, o.created_at desc, o.id desc, d.step_order, d.id",
        after_key(after.as_ref())
    );
    let mut query = db.sql_built(select_rows(db.dialect(), Step::COLUMNS, &sql)).bind(company).bind(from).bind(to);
    if let Some((date, at, id)) = after {
        query = query.bind(date).bind(at).bind(id);
    }
    query.list().await
}

/// Number of rows of the step times report.
pub async fn step_count(db: &mut Db, company: CompanyId, (from, to): (NaiveDate, NaiveDate)) -> Result<i64> {
    db.sql_built(format!("select cast(coalesce(sum(s.steps_completed), 0) as bigint) from spvs s where {IN_PERIOD}"))
        .bind(company)
        .bind(from)
        .bind(to)
        .scalar()
        .await
}
