//! SQL of a company's finances.
use crate::{
    db::{Col, Db, Shape, Sql, json_list},
    error::Result,
    ids::{CompanyId, IsoId},
    money::Currency,
    spvs::Country,
};
use chrono::NaiveDate;
use serde::Deserialize;

/// What a sum is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// Amounts of orders.
    Ordered,
    Invoiced,
    Paid,
    /// What partners earned.
    Commission,
    /// What is owed now, whenever it was invoiced.
    Due,
}

/// The smallest sum there is: every figure is made of these, so that they all agree.
#[derive(Clone, Debug, Deserialize)]
pub struct Cell {
    pub kind: Of,
    /// `2026-11`; empty for what is due.
    pub month: String,
    pub iso_id: Option<IsoId>,
    pub country: Country,
    pub currency: Currency,
    /// Rows it is made of.
    pub count: i64,
    pub minor: i64,
}

pub(crate) const CELLS: &Shape = &[
    ("kind", "t.kind", Col::Plain),
    ("month", "t.month", Col::Plain),
    ("iso_id", "t.iso_id", Col::Id),
    ("country", "t.country", Col::Plain),
    ("currency", "t.currency", Col::Plain),
    ("count", "t.count", Col::Plain),
    ("minor", "t.minor", Col::Plain),
];

/// All sums in one statement, so that nothing is paid between two of them.
pub async fn cells(db: &mut Db, company: CompanyId, (from, to): (NaiveDate, NaiveDate)) -> Result<Vec<Cell>> {
    let part = |of: &str, date: &str, currency: &str, minor: &str, rows: &str| {
        format!(
            "select '{of}' as kind, substr(cast({date} as text), 1, 7) as month, s.iso_id, s.country, {currency}.currency, \
             count(*) as count, cast(coalesce(sum({minor}), 0) as bigint) as minor from {rows} \
             and {date} >= $2 and {date} <= $3 group by 2, 3, 4, 5"
        )
    };
    let invoices = "spvs s join invoices v on v.spv_id = s.id";
    let parts = [
        part(
            "ordered",
            "s.ordered_date",
            "s",
            "coalesce(s.purchase_amount_minor, s.price_minor)",
            "spvs s where s.company_id = $1 and s.status <> 'cancelled'",
        ),
        part(
            "invoiced",
            "v.issued_date",
            "v",
            "v.total_minor",
            &format!("{invoices} where s.company_id = $1 and v.status <> 'void'"),
        ),
        part(
            "paid",
            "p.received_date",
            "v",
            "p.amount_minor",
            &format!(
                "{invoices} join invoice_payments p on p.invoice_id = v.id \
                 where s.company_id = $1 and v.status in ('part_paid', 'paid')"
            ),
        ),
        part(
            "commission",
            "e.earned_date",
            "e",
            "e.amount_minor",
            "commissions e join spvs s on s.id = e.spv_id where e.company_id = $1 and e.status <> 'void'",
        ),
        format!(
            "select 'due' as kind, '' as month, s.iso_id, s.country, v.currency, count(*) as count, \
             cast(sum(v.total_minor - v.paid_minor) as bigint) as minor from {invoices} \
             where s.company_id = $1 and v.status in ('due', 'part_paid') group by 3, 4, 5"
        ),
    ];
    let sql = json_list(db.dialect(), CELLS, &parts.join(" union all "));
    db.sql_built(sql).bind(company).bind(from).bind(to).json().await
}

/// What the company's partners are called, also those that left.
pub async fn partners(db: &mut Db, company: CompanyId) -> Result<Vec<(IsoId, String, String)>> {
    db.sql("select id, first_name, last_name from isos where company_id = $1 order by first_name, last_name, id")
        .bind(company)
        .all()
        .await
}
