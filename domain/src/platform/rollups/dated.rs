//! Rollups by day and month of each company's money, and of what each ISO partner has now: finances and the partners'
//! dashboards read the same number of rows for ten orders and a hundred thousand.
//!
//! A date is a stored calendar day, so no time zone moves it into another month.
use super::companies::NO_PARTNER;
pub use crate::kernel::db::Metric;
use crate::kernel::{
    db::{Period, RollupKey, Sql, Tx},
    error::Result,
    geo::Country,
    ids::{CompanyId, IsoId, SpvId},
    money::Currency,
    order::OrderStatus,
};
use chrono::NaiveDate;
use uuid::Uuid;

/// The dimensions under which an order's amounts are added up. They never change.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct Dimensions {
    #[sqlx(rename = "company_id")]
    pub company: CompanyId,
    #[sqlx(rename = "iso_id")]
    pub iso: Option<IsoId>,
    pub country: Country,
    pub currency: Currency,
}

/// The dimensions of an order's invoices and commissions.
pub(crate) async fn dimensions_of(tx: &mut Tx, spv: SpvId) -> Result<Dimensions> {
    tx.sql("select company_id, iso_id, country, currency from spvs where id = $1").bind(spv).one().await
}

/// Adds `n` orders, invoices, payments or commissions of one date; removes them if negative.
pub(crate) fn add_dated(tx: &mut Tx, what: Metric, dimensions: Dimensions, date: NaiveDate, n: i64, minor: i64) {
    let (month, currency) = (date.format("%Y-%m").to_string(), dimensions.currency.code());
    for (grain, period) in [(Period::Day, date.to_string()), (Period::Month, month.clone())] {
        let (owner, iso, country) =
            (dimensions.company.0, dimensions.iso.unwrap_or(NO_PARTNER), dimensions.country.code());
        tx.rollup_deltas().add(RollupKey { owner, grain, period, what, iso, country, currency }, n, minor);
    }
    if let (Metric::Commission, Some(IsoId(owner))) = (what, dimensions.iso) {
        let own =
            RollupKey { owner, grain: Period::Month, period: month, what, iso: NO_PARTNER, country: "", currency };
        tx.rollup_deltas().add(own, n, minor);
    }
}

/// Adds `n` outstanding invoices and their amount.
pub(crate) fn add_outstanding(tx: &mut Tx, dimensions: Dimensions, n: i64, minor: i64) {
    let key = RollupKey {
        owner: dimensions.company.0,
        grain: Period::Now,
        period: String::new(),
        what: Metric::Due,
        iso: dimensions.iso.unwrap_or(NO_PARTNER),
        country: dimensions.country.code(),
        currency: dimensions.currency.code(),
    };
    tx.rollup_deltas().add(key, n, minor);
}

/// Adds `n` to a count of an ISO partner.
pub(crate) fn add_partner_count(tx: &mut Tx, IsoId(owner): IsoId, what: Metric, n: i64) {
    let key = RollupKey {
        owner,
        grain: Period::Now,
        period: String::new(),
        what,
        iso: NO_PARTNER,
        country: "",
        currency: "",
    };
    tx.rollup_deltas().add(key, n, 0);
}

/// Adds `n` requests of a status.
pub(crate) fn add_request_count(tx: &mut Tx, status: &str, n: i64) {
    let (IsoId(owner), period, what) = (NO_PARTNER, status.to_owned(), Metric::Requests);
    tx.rollup_deltas().add(
        RollupKey { owner, grain: Period::Now, period, what, iso: NO_PARTNER, country: "", currency: "" },
        n,
        0,
    );
}

/// Adds an order in its present state (`by` 1), or removes it in its former one (-1).
pub(crate) fn add_order(
    tx: &mut Tx,
    dimensions: Dimensions,
    status: OrderStatus,
    ordered_date: NaiveDate,
    minor: i64,
    by: i64,
) {
    if status != OrderStatus::Cancelled {
        add_dated(tx, Metric::Ordered, dimensions, ordered_date, by, by * minor);
    }
    if let (OrderStatus::Closed, Some(iso)) = (status, dimensions.iso) {
        add_partner_count(tx, iso, Metric::Closed, by);
    }
}

/// SQL that recomputes every row of `figures`, with [`NO_PARTNER`] as `$1`. The migrations have the same.
pub(super) fn recompute_sql() -> String {
    let mut parts = Vec::new();
    let mut dated = |what: &str, date: &str, of: &str, minor: &str, rows: &str| {
        let date = format!("cast({date} as text)");
        for (grain, period) in [("day", date.clone()), ("month", format!("substr({date}, 1, 7)"))] {
            parts.push(format!(
                "select s.company_id as owner_id, '{grain}' as grain, {period} as period, '{what}' as what, \
                 coalesce(s.iso_id, $1) as iso_id, s.country, {of}.currency, count(*) as n, \
                 cast(coalesce(sum({minor}), 0) as bigint) as minor from {rows} group by 1, 3, 5, 6, 7"
            ));
        }
    };
    let invoices = "invoices v join spvs s on s.id = v.spv_id";
    dated(
        "ordered",
        "s.ordered_date",
        "s",
        "coalesce(s.purchase_amount_minor, s.price_minor)",
        "spvs s where s.status <> 'cancelled'",
    );
    dated("invoiced", "v.issued_date", "v", "v.total_minor", &format!("{invoices} where v.status <> 'void'"));
    dated(
        "paid",
        "p.received_date",
        "v",
        "p.amount_minor",
        "invoice_payments p join invoices v on v.id = p.invoice_id join spvs s on s.id = v.spv_id \
         where v.status in ('part_paid', 'paid')",
    );
    dated(
        "commission",
        "e.earned_date",
        "e",
        "e.amount_minor",
        "commissions e join spvs s on s.id = e.spv_id where e.status <> 'void'",
    );
    parts.push(format!(
        "select s.company_id, 'now', '', 'due', coalesce(s.iso_id, $1), s.country, v.currency, count(*), \
         cast(sum(v.total_minor - v.paid_minor) as bigint) from {invoices} \
         where v.status in ('due', 'part_paid') group by 1, 5, 6, 7"
    ));
    parts.push(
        "select e.iso_id, 'month', substr(cast(e.earned_date as text), 1, 7), 'commission', $1, '', e.currency, count(*), \
         cast(sum(e.amount_minor) as bigint) from commissions e where e.status <> 'void' group by 1, 3, 7"
            .to_owned(),
    );
    for (what, rows) in [
        ("clients", "users where role = 'client' and status in ('active', 'pending') and iso_id is not null"),
        ("leads", "leads where stage in ('new', 'contacted', 'qualified')"),
        ("closed", "spvs where status = 'closed' and iso_id is not null"),
    ] {
        parts.push(format!("select iso_id, 'now', '', '{what}', $1, '', '', count(*), 0 from {rows} group by iso_id"));
    }
    parts
        .push("select $1, 'now', status, 'requests', $1, '', '', count(*), 0 from requests group by status".to_owned());
    parts.join(" union all ")
}

/// Rows that differ from a recount, the first hundred: a name, the stored and the recomputed value.
pub(super) async fn diff(db: &mut impl Sql) -> Result<Vec<(String, i64, i64)>> {
    type Row = (Uuid, String, String, String, IsoId, String, String, i64, i64, i64, i64);
    let key = "owner_id, grain, period, what, iso_id, country, currency";
    let rows: Vec<Row> = db
        .sql_built(format!(
            "select {key}, cast(sum(n) as bigint), cast(sum(found) as bigint), cast(sum(minor) as bigint), \
             cast(sum(found_minor) as bigint) from ( \
                 select {key}, n, minor, 0 as found, 0 as found_minor from figures \
                 union all select {key}, 0, 0, n, minor from ({}) c \
             ) t group by {key} having sum(n) <> sum(found) or sum(minor) <> sum(found_minor) order by {key} limit 100",
            recompute_sql()
        ))
        .bind(NO_PARTNER)
        .all()
        .await?;
    let mut differing = Vec::new();
    for (owner, _, period, what, iso, country, currency, n, found, minor, found_minor) in rows {
        let iso = if iso == NO_PARTNER { String::new() } else { iso.to_string() };
        let parts = ["figures".to_owned(), owner.to_string(), period, what, iso, country, currency];
        let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        for (which, kept, found) in [("count", n, found), ("amount", minor, found_minor)] {
            if kept != found {
                differing.push((format!("{name}.{which}"), kept, found));
            }
        }
    }
    Ok(differing)
}

/// Recomputes all rows; the deltas of this transaction are included.
pub(super) async fn rebuild(tx: &mut Tx) -> Result<()> {
    tx.rollup_deltas().dated.clear();
    tx.sql("delete from figures").run().await?;
    tx.sql_built(format!(
        "insert into figures (owner_id, grain, period, what, iso_id, country, currency, n, minor) {}",
        recompute_sql()
    ))
    .bind(NO_PARTNER)
    .run()
    .await?;
    Ok(())
}
