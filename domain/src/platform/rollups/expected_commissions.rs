//! Rollup of the commissions that ISO partners' open orders will earn when they close. In a table of its own, which the
//! version before this one does not read.
use super::dated::Dimensions;
use crate::kernel::{
    db::{Sql, Tx},
    error::Result,
    ids::{CompanyId, IsoId},
    money::Currency,
};
use std::collections::BTreeMap;

/// Recomputes it from the orders and the ledger; the migration has the same. Without amounts that the ledger has already, as
/// of a reopened order, and without voided ones.
const RECOMPUTE_SQL: &str = "select r.iso_id, r.company_id, r.currency, cast(sum(r.minor) as bigint) as minor from ( \
        select s.iso_id, s.company_id, s.currency, s.iso_commission_minor \
            - coalesce((select sum(e.amount_minor) from commissions e where e.spv_id = s.id), 0) as minor \
        from spvs s where s.status in ('pending', 'active', 'processing', 'on_hold') \
        and s.iso_commission_minor > 0 and s.iso_id is not null \
    ) r where r.minor > 0 group by r.iso_id, r.company_id, r.currency";

type Row = (IsoId, CompanyId, Currency, i64);

/// Adds `minor` to what an order will earn its partner.
pub(crate) fn add(tx: &mut Tx, dimensions: Dimensions, minor: i64) {
    if let Some(iso) = dimensions.iso {
        *tx.rollup_deltas().expected_commissions.entry((iso, dimensions.company, dimensions.currency)).or_default() +=
            minor;
    }
}

/// The stored values by name.
pub(super) async fn stored(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let sql = "select iso_id, company_id, currency, cast(sum(minor) as bigint) from expected_commissions \
               group by iso_id, company_id, currency";
    Ok(named(db.sql(sql).all().await?))
}

/// The recomputed values by name.
pub(super) async fn recompute(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    Ok(named(db.sql(RECOMPUTE_SQL).all().await?))
}

fn named(rows: Vec<Row>) -> BTreeMap<String, i64> {
    rows.into_iter()
        .map(|(iso, company, currency, minor)| (format!("expected.{iso}.{company}.{}", currency.code()), minor))
        .collect()
}

/// Recomputes all rows; the deltas of this transaction are included.
pub(super) async fn rebuild(tx: &mut Tx) -> Result<()> {
    tx.rollup_deltas().expected_commissions.clear();
    tx.sql("delete from expected_commissions").run().await?;
    tx.sql_built(format!("insert into expected_commissions (iso_id, company_id, currency, minor) {RECOMPUTE_SQL}"))
        .run()
        .await?;
    Ok(())
}
