//! SQL of finances.
use crate::{
    kernel::{
        date_range::{DateRange, MonthSplit},
        db::{Db, Row, Sql, select_rows},
        error::Result,
        ids::{CompanyId, IsoId},
        money::Currency,
    },
    orders::spvs::Country,
    platform::rollups::{Metric, NO_PARTNER},
};
use serde::Deserialize;

crate::kernel::db::row! {
    /// The smallest sum: all figures are made of these rows, so that they agree.
    #[derive(Clone, Debug, Deserialize)]
    pub struct FinanceRow {
        pub kind: Metric,
        /// `2026-11`; empty for outstanding amounts.
        pub month: String,
        /// The nil id without a partner.
        pub iso_id: IsoId,
        pub country: Country,
        pub currency: Currency,
        /// Number of rows in the sum.
        pub count: i64,
        pub minor: i64,
    }
}

impl FinanceRow {
    pub fn partner(&self) -> Option<IsoId> {
        Some(self.iso_id).filter(|id| *id != NO_PARTNER)
    }
}

/// Reads all sums from the rollups in one statement, so that no payment falls between two: whole months as such, and
/// the days at both ends.
pub async fn rows(db: &mut Db, company: CompanyId, span: DateRange) -> Result<Vec<FinanceRow>> {
    let MonthSplit { months, before, after } = span.parts();
    let part = |grain: &str, month: &str, periods: &str| {
        format!(
            "select what as kind, {month} as month, iso_id, country, currency, cast(sum(n) as bigint) as count, \
             cast(sum(minor) as bigint) as minor from figures where owner_id = $1 and grain = '{grain}' \
             and {periods} and n <> 0 group by 1, 2, 3, 4, 5"
        )
    };
    let parts = [
        part("month", "period", "period between $2 and $3"),
        part("day", "substr(period, 1, 7)", "period between $4 and $5"),
        part("day", "substr(period, 1, 7)", "period between $6 and $7"),
        part("now", "period", "period = ''"),
    ];
    let sql = select_rows(db.dialect(), FinanceRow::COLUMNS, &parts.join(" union all "));
    let mut query = db.sql_built(sql).bind(company);
    for (first, last) in [months, before, after] {
        query = query.bind(first).bind(last);
    }
    query.list().await
}

/// Names of the company's partners, also of archived ones.
pub async fn partners(db: &mut Db, company: CompanyId) -> Result<Vec<(IsoId, String, String)>> {
    db.sql("select id, first_name, last_name from isos where company_id = $1 order by first_name, last_name, id")
        .bind(company)
        .all()
        .await
}
