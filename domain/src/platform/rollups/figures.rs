//! What each company's money comes to by day and by month, and what each partner has, kept by the transactions that
//! change it: finances and the partners' dashboards cost the same for ten orders and a hundred thousand.
//!
//! A date is a calendar day that is stored as such: no time zone moves it into another month. A transaction sums its
//! changes up and writes them last of all, in one order for everybody: whoever waits for a figure waits for a commit.
use super::{
    companies::{self, NOBODY},
    expected,
};
use crate::{
    desk::requests,
    kernel::{
        db::{Sql, Tx},
        error::Result,
        ids::{CompanyId, IsoId, SpvId},
        money::Currency,
    },
    orders::spvs::{Country, Status},
};
use chrono::NaiveDate;
use serde::Deserialize;
use std::{collections::BTreeMap, mem};
use uuid::Uuid;

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Of {
    /// Amounts of orders that are not cancelled.
    Ordered,
    Invoiced,
    Paid,
    /// What partners earned.
    Commission,
    /// What is owed now, whenever it was invoiced.
    Due,
    /// A partner's clients, active or pending.
    Clients,
    /// A partner's leads that are neither won nor lost.
    Leads,
    /// A partner's orders that are closed.
    Closed,
    /// The office's requests of one status, which stands where others have a period.
    Requests,
}

/// What a figure's period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
enum Grain {
    /// `2026-11-22`
    Day,
    /// `2026-11`
    Month,
    /// None, or a status: it is as it stands now.
    Now,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// A company, a partner or, with the nil id, the office.
    owner: Uuid,
    grain: Grain,
    period: String,
    what: Of,
    iso: IsoId,
    country: &'static str,
    currency: &'static str,
}

/// What a transaction will have changed, as how many there are and what they come to.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    figures: BTreeMap<Key, (i64, i64)>,
    pub(super) expected: expected::Changes,
    pub(super) clients: companies::Changes,
}

impl Changes {
    fn add(&mut self, key: Key, n: i64, minor: i64) {
        let sums = self.figures.entry(key).or_default();
        sums.0 += n;
        sums.1 += minor;
    }
}

/// Where the money of an order is counted; none of this ever changes.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct Place {
    #[sqlx(rename = "company_id")]
    pub company: CompanyId,
    #[sqlx(rename = "iso_id")]
    pub iso: Option<IsoId>,
    pub country: Country,
    pub currency: Currency,
}

/// Where an order's invoices and commissions are counted.
pub(crate) async fn place(tx: &mut Tx, spv: SpvId) -> Result<Place> {
    tx.sql("select company_id, iso_id, country, currency from spvs where id = $1").bind(spv).one().await
}

/// `n` more of what has a date, or fewer: orders, invoices, payments, commissions.
pub(crate) fn dated(tx: &mut Tx, what: Of, place: Place, date: NaiveDate, n: i64, minor: i64) {
    let (month, currency) = (date.format("%Y-%m").to_string(), place.currency.code());
    for (grain, period) in [(Grain::Day, date.to_string()), (Grain::Month, month.clone())] {
        let (owner, iso, country) = (place.company.0, place.iso.unwrap_or(NOBODY), place.country.code());
        tx.figures().add(Key { owner, grain, period, what, iso, country, currency }, n, minor);
    }
    if let (Of::Commission, Some(IsoId(owner))) = (what, place.iso) {
        let own = Key { owner, grain: Grain::Month, period: month, what, iso: NOBODY, country: "", currency };
        tx.figures().add(own, n, minor);
    }
}

/// `n` more invoices are to be paid, or fewer, or another amount of them.
pub(crate) fn due(tx: &mut Tx, place: Place, n: i64, minor: i64) {
    let key = Key {
        owner: place.company.0,
        grain: Grain::Now,
        period: String::new(),
        what: Of::Due,
        iso: place.iso.unwrap_or(NOBODY),
        country: place.country.code(),
        currency: place.currency.code(),
    };
    tx.figures().add(key, n, minor);
}

/// A partner has `n` more of these, or fewer.
pub(crate) fn partner(tx: &mut Tx, IsoId(owner): IsoId, what: Of, n: i64) {
    let key = Key { owner, grain: Grain::Now, period: String::new(), what, iso: NOBODY, country: "", currency: "" };
    tx.figures().add(key, n, 0);
}

/// `n` more requests are of this status, or fewer.
pub(crate) fn request(tx: &mut Tx, status: requests::Status, n: i64) {
    let (IsoId(owner), period, what) = (NOBODY, status.name().to_owned(), Of::Requests);
    tx.figures().add(Key { owner, grain: Grain::Now, period, what, iso: NOBODY, country: "", currency: "" }, n, 0);
}

/// An order that has come to be as it is (`by` 1), or is so no more (-1).
pub(crate) fn order(tx: &mut Tx, place: Place, status: Status, ordered_date: NaiveDate, minor: i64, by: i64) {
    if status != Status::Cancelled {
        dated(tx, Of::Ordered, place, ordered_date, by, by * minor);
    }
    if let (Status::Closed, Some(iso)) = (status, place.iso) {
        partner(tx, iso, Of::Closed, by);
    }
}

/// Writes what has changed; for the commit.
pub(crate) async fn write(tx: &mut Tx) -> Result<()> {
    for (key, (n, minor)) in mem::take(&mut tx.figures().figures) {
        if (n, minor) == (0, 0) {
            continue;
        }
        tx.sql(
            "insert into figures (owner_id, grain, period, what, iso_id, country, currency, n, minor) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             on conflict (owner_id, grain, period, what, iso_id, country, currency) do update \
             set n = figures.n + excluded.n, minor = figures.minor + excluded.minor",
        )
        .bind(key.owner)
        .bind(key.grain)
        .bind(key.period)
        .bind(key.what)
        .bind(key.iso)
        .bind(key.country.to_owned())
        .bind(key.currency.to_owned())
        .bind(n)
        .bind(minor)
        .run()
        .await?;
    }
    expected::write(tx).await?;
    companies::write_clients(tx).await
}

/// Every figure counted from the rows themselves, with [`NOBODY`] as `$1`. The migrations have the same.
pub(super) fn counted() -> String {
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

/// Figures that are not what the rows come to, the first hundred: a name, what is kept and what there is.
pub(super) async fn differ(db: &mut impl Sql) -> Result<Vec<(String, i64, i64)>> {
    type Row = (Uuid, String, String, String, IsoId, String, String, i64, i64, i64, i64);
    let key = "owner_id, grain, period, what, iso_id, country, currency";
    let rows: Vec<Row> = db
        .sql_built(format!(
            "select {key}, cast(sum(n) as bigint), cast(sum(found) as bigint), cast(sum(minor) as bigint), \
             cast(sum(found_minor) as bigint) from ( \
                 select {key}, n, minor, 0 as found, 0 as found_minor from figures \
                 union all select {key}, 0, 0, n, minor from ({}) c \
             ) t group by {key} having sum(n) <> sum(found) or sum(minor) <> sum(found_minor) order by {key} limit 100",
            counted()
        ))
        .bind(NOBODY)
        .all()
        .await?;
    let mut differing = Vec::new();
    for (owner, _, period, what, iso, country, currency, n, found, minor, found_minor) in rows {
        let iso = if iso == NOBODY { String::new() } else { iso.to_string() };
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

/// Writes them anew from the rows, what this transaction has changed of them included.
pub(super) async fn repair(tx: &mut Tx) -> Result<()> {
    tx.figures().figures.clear();
    tx.sql("delete from figures").run().await?;
    tx.sql_built(format!(
        "insert into figures (owner_id, grain, period, what, iso_id, country, currency, n, minor) {}",
        counted()
    ))
    .bind(NOBODY)
    .run()
    .await?;
    Ok(())
}
