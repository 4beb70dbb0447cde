//! Rollups of each company's orders by ISO partner and currency, and its clients. The number of clients with an order that is
//! not cancelled is maintained by the triggers of `company_clients` (price and purchase amount, decision 14).
use crate::kernel::{
    db::{PerDialect, Sql, Tx, counter_shard},
    error::Result,
    ids::{CompanyId, IsoId, UserId},
    money::Currency,
};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The partner of orders without one: a primary key has no nulls.
pub(crate) const NO_PARTNER: IsoId = IsoId(Uuid::nil());

/// The dimensions of an order in its company's rollups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub company: CompanyId,
    pub iso: Option<IsoId>,
    pub client: UserId,
    pub currency: Currency,
}

static ADD: PerDialect = PerDialect::new(|dialect| {
    format!(
        "insert into company_figures (company_id, iso_id, currency, slot, spvs, cancelled, minor) \
         values ($1, $2, $3, {}, $4, $5, $6) on conflict (company_id, iso_id, currency, slot) do update \
         set spvs = company_figures.spvs + excluded.spvs, cancelled = company_figures.cancelled + excluded.cancelled, \
         minor = company_figures.minor + excluded.minor",
        counter_shard(dialect)
    )
});

/// Adds a new order with `minor` units of revenue; a cancelled one counts in no card.
pub(crate) async fn add_order(tx: &mut Tx, order: Order, cancelled: bool, minor: i64) -> Result<()> {
    tx.sql(
        "insert into company_clients (company_id, client_id, client_created_at, spvs) \
         values ($1, $2, (select created_at from users where id = $2), 0) on conflict do nothing",
    )
    .bind(order.company)
    .bind(order.client)
    .run()
    .await?;
    add_client(tx, order, i64::from(!cancelled));
    write(tx, order, (1, i64::from(cancelled)), minor).await
}

/// Changes an order's revenue by `minor`; `cancelled` is 1 if it was cancelled, -1 if reopened.
pub(crate) async fn change_order(tx: &mut Tx, order: Order, cancelled: i64, minor: i64) -> Result<()> {
    add_client(tx, order, -cancelled);
    if cancelled == 0 && minor == 0 { Ok(()) } else { write(tx, order, (0, cancelled), minor).await }
}

fn add_client(tx: &mut Tx, order: Order, by: i64) {
    if by != 0 {
        *tx.rollup_deltas().client_orders.entry((order.company, order.client)).or_default() += by;
    }
}

async fn write(tx: &mut Tx, order: Order, (spvs, cancelled): (i64, i64), minor: i64) -> Result<()> {
    let add = tx.sql(ADD.get(tx.dialect())).bind(order.company).bind(order.iso.unwrap_or(NO_PARTNER));
    add.bind(order.currency).bind(spvs).bind(cancelled).bind(minor).run().await?;
    Ok(())
}

type Row = (CompanyId, IsoId, Currency, i64, i64, i64);

/// The stored values by name.
pub(super) async fn stored(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let rows: Vec<Row> = db
        .sql(
            "select company_id, iso_id, currency, cast(sum(spvs) as bigint), cast(sum(cancelled) as bigint), \
             cast(sum(minor) as bigint) \
             from company_figures group by company_id, iso_id, currency",
        )
        .all()
        .await?;
    // The version before this one did not write `client_created_at`: such a row differs, too.
    let clients = db
        .sql(
            "select k.company_id, count(u.id), cast(sum(k.spvs) as bigint) from company_clients k \
             left join users u on u.id = k.client_id and u.created_at = k.client_created_at group by k.company_id",
        )
        .all()
        .await?;
    let counted = db
        .sql("select company_id, cast(sum(clients) as bigint) from company_client_counts group by company_id")
        .all()
        .await?;
    Ok(named(rows, clients, counted))
}

/// The recomputed values by name.
pub(super) async fn recompute(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let rows: Vec<Row> = db
        .sql(
            "select company_id, coalesce(iso_id, $1), currency, count(*), \
             count(*) filter (where status = 'cancelled'), cast(coalesce(sum( \
                 case when status <> 'cancelled' then coalesce(purchase_amount_minor, price_minor) end), 0) as bigint) \
             from spvs group by company_id, iso_id, currency",
        )
        .bind(NO_PARTNER)
        .all()
        .await?;
    let clients = db
        .sql(
            "select company_id, count(distinct client_id), count(*) filter (where status <> 'cancelled') \
             from spvs group by company_id",
        )
        .all()
        .await?;
    let counted = db
        .sql("select company_id, count(distinct client_id) from spvs where status <> 'cancelled' group by company_id")
        .all()
        .await?;
    Ok(named(rows, clients, counted))
}

/// `clients`: per company, its clients and their orders; `counted`: clients with an order that is not cancelled.
fn named(rows: Vec<Row>, clients: Vec<(CompanyId, i64, i64)>, counted: Vec<(CompanyId, i64)>) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for (company, iso, currency, spvs, cancelled, minor) in rows {
        let partner = if iso == NO_PARTNER { "unassigned".to_owned() } else { iso.to_string() };
        let of = format!("company.{company}.{partner}.{}", currency.code());
        found.insert(format!("{of}.spvs"), spvs);
        found.insert(format!("{of}.cancelled"), cancelled);
        found.insert(format!("{of}.revenue"), minor);
    }
    for (company, n, orders) in clients {
        found.insert(format!("company.{company}.clients"), n);
        found.insert(format!("company.{company}.orders"), orders);
    }
    found.extend(counted.into_iter().map(|(company, n)| (format!("company.{company}.active_clients"), n)));
    found
}

/// Recomputes all rows from the orders.
pub(super) async fn rebuild(tx: &mut Tx) -> Result<()> {
    tx.rollup_deltas().client_orders.clear();
    tx.sql("delete from company_figures").run().await?;
    tx.sql("delete from company_clients").run().await?;
    tx.sql(
        "insert into company_figures (company_id, iso_id, currency, slot, spvs, cancelled, minor) \
         select company_id, coalesce(iso_id, $1), currency, 0, count(*), count(*) filter (where status = 'cancelled'), \
         coalesce(sum(case when status <> 'cancelled' then coalesce(purchase_amount_minor, price_minor) end), 0) \
         from spvs group by company_id, iso_id, currency",
    )
    .bind(NO_PARTNER)
    .run()
    .await?;
    tx.sql(
        "insert into company_clients (company_id, client_id, client_created_at, spvs) \
         select s.company_id, s.client_id, u.created_at, count(*) filter (where s.status <> 'cancelled') \
         from spvs s join users u on u.id = s.client_id group by s.company_id, s.client_id, u.created_at",
    )
    .run()
    .await?;
    // The table's triggers maintain this: only the difference is added.
    tx.sql(
        "insert into company_client_counts (company_id, slot, clients) \
         select company_id, 0, cast(sum(n) as bigint) from ( \
             select company_id, count(*) as n from company_clients where spvs > 0 group by company_id \
             union all select company_id, -clients from company_client_counts \
         ) t group by company_id having sum(n) <> 0 \
         on conflict (company_id, slot) do update set clients = company_client_counts.clients + excluded.clients",
    )
    .run()
    .await?;
    Ok(())
}
