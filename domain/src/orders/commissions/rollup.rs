//! What a row of the ledger of commissions counts for in the rollups.
use super::Status;
use crate::{
    kernel::{
        db::{Metric, Sql, Tx, const_concat},
        error::Result,
        ids::SpvId,
    },
    platform::rollups::{self, Contributions, Dimensions, Facts},
};
use chrono::NaiveDate;

#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(crate) struct CommissionFacts {
    #[sqlx(flatten)]
    pub of: Dimensions,
    pub status: Status,
    pub earned_date: NaiveDate,
    pub amount_minor: i64,
}

impl Facts for CommissionFacts {
    fn contribute(&self, to: &mut Contributions<'_>) {
        if self.status != Status::Void {
            to.dated(Metric::Commission, self.of, self.earned_date, self.amount_minor);
        }
    }
}

/// Updates the rollups for a new or a changed row.
pub(super) fn count_change(tx: &mut Tx, before: Option<CommissionFacts>, after: CommissionFacts) {
    rollups::apply(tx, before, Some(after));
}

/// Updates the rollups for a removed row.
pub(super) fn count_removal(tx: &mut Tx, before: CommissionFacts) {
    rollups::apply(tx, Some(before), None);
}

/// Updates the rollups for an order's rows, which count for its company and country, before another one of them is saved.
pub(crate) async fn count_moved(tx: &mut Tx, spv: SpvId, to: Dimensions) -> Result<()> {
    const OF_ORDER: &str = const_concat!(FACTS, " where e.spv_id = $1");
    let rows: Vec<CommissionFacts> = tx.sql(OF_ORDER).bind(spv).all().await?;
    for before in rows {
        let of = Dimensions { company: to.company, country: to.country, ..before.of };
        rollups::apply(tx, Some(before), Some(CommissionFacts { of, ..before }));
    }
    Ok(())
}

const FACTS: &str = "select s.company_id, e.iso_id, s.country, e.currency, e.status, e.earned_date, e.amount_minor \
    from commissions e join spvs s on s.id = e.spv_id";

/// The facts of all rows.
pub(crate) async fn facts(db: &mut impl Sql) -> Result<Vec<CommissionFacts>> {
    db.sql(FACTS).all().await
}
