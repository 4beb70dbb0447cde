//! What partners' open orders will earn them when they close: kept like [`super::figures`], in a table of its own, which
//! the version before this one does not look at.
use super::figures::Place;
use crate::kernel::{
    db::{Sql, Tx},
    error::Result,
    ids::{CompanyId, IsoId},
    money::Currency,
};
use std::{collections::BTreeMap, mem};

/// The same, counted from the orders and their ledger; the migration has it, too. Not what is in the ledger already, as
/// of an order that was reopened, nor what was taken out of it.
const COUNTED: &str = "select r.iso_id, r.company_id, r.currency, cast(sum(r.minor) as bigint) as minor from ( \
        select s.iso_id, s.company_id, s.currency, s.iso_commission_minor \
            - coalesce((select sum(e.amount_minor) from commissions e where e.spv_id = s.id), 0) as minor \
        from spvs s where s.status in ('pending', 'active', 'processing', 'on_hold') \
        and s.iso_commission_minor > 0 and s.iso_id is not null \
    ) r where r.minor > 0 group by r.iso_id, r.company_id, r.currency";

type Row = (IsoId, CompanyId, Currency, i64);

/// By how much it changes with a transaction.
pub(super) type Changes = BTreeMap<(IsoId, CompanyId, Currency), i64>;

/// An order will earn its partner `minor` more, or less.
pub(crate) fn add(tx: &mut Tx, place: Place, minor: i64) {
    if let Some(iso) = place.iso {
        *tx.figures().expected.entry((iso, place.company, place.currency)).or_default() += minor;
    }
}

/// What is kept, by a name for each.
pub(super) async fn kept(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let sql = "select iso_id, company_id, currency, cast(sum(minor) as bigint) from expected_commissions \
               group by iso_id, company_id, currency";
    Ok(named(db.sql(sql).all().await?))
}

pub(super) async fn recount(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    Ok(named(db.sql(COUNTED).all().await?))
}

fn named(rows: Vec<Row>) -> BTreeMap<String, i64> {
    rows.into_iter()
        .map(|(iso, company, currency, minor)| (format!("expected.{iso}.{company}.{}", currency.code()), minor))
        .collect()
}

/// Writes it anew from the orders, what this transaction has changed of it included.
pub(super) async fn repair(tx: &mut Tx) -> Result<()> {
    tx.figures().expected.clear();
    tx.sql("delete from expected_commissions").run().await?;
    tx.sql_built(format!("insert into expected_commissions (iso_id, company_id, currency, minor) {COUNTED}"))
        .run()
        .await?;
    Ok(())
}

/// Writes what has changed; for the commit.
pub(super) async fn write(tx: &mut Tx) -> Result<()> {
    for ((iso, company, currency), minor) in mem::take(&mut tx.figures().expected) {
        if minor == 0 {
            continue;
        }
        tx.sql(
            "insert into expected_commissions (iso_id, company_id, currency, minor) values ($1, $2, $3, $4) \
             on conflict (iso_id, company_id, currency) do update \
             set minor = expected_commissions.minor + excluded.minor",
        )
        .bind(iso)
        .bind(company)
        .bind(currency)
        .bind(minor)
        .run()
        .await?;
    }
    Ok(())
}
