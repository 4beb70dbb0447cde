//! Rollups: counters and sums that transactions maintain for what they change, so that reading one takes the same time for ten
//! orders and ten million.
//!
//! Each noun that is counted has a `rollup.rs`: the facts of a row, what they add to which rollup, and the query that reads the
//! facts of all rows. A change calls [`apply`] with the facts before and after it; `operations/recount` adds up all rows by the
//! same definition and compares.
pub use crate::kernel::db::{Counter, Metric};
pub(crate) use crate::kernel::db::{NO_PARTNER, RollupDeltas};
use crate::kernel::{
    db::{FigureKey, Period, RollupKey, Sql, Sums, Tx},
    error::Result,
    geo::Country,
    ids::{CompanyId, IsoId, SpvId, UserId},
    money::Currency,
};
use chrono::NaiveDate;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The facts of a row on which rollups depend.
pub(crate) trait Facts {
    /// Adds what this row counts for.
    fn contribute(&self, to: &mut Contributions<'_>);
}

/// Updates the rollups for a changed row: removes what it counted for before (`None` if it is new) and adds what it counts
/// for now (`None` if it is deleted). Written when the transaction commits.
pub(crate) fn apply<F: Facts>(tx: &mut Tx, before: Option<F>, after: Option<F>) {
    let deltas = tx.rollup_deltas();
    if let Some(facts) = before {
        facts.contribute(&mut Contributions { deltas, sign: Sign::Remove });
    }
    if let Some(facts) = after {
        facts.contribute(&mut Contributions { deltas, sign: Sign::Add });
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Add,
    Remove,
}

/// The dimensions of an order's money. A correction that changes them moves the counts of its invoices and commissions
/// (`count_moved` of both).
#[derive(Clone, Copy, Debug, PartialEq, sqlx::FromRow)]
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

/// Collects what rows count for.
pub(crate) struct Contributions<'a> {
    deltas: &'a mut RollupDeltas,
    sign: Sign,
}

impl<'a> Contributions<'a> {
    /// Collects the sums of whole tables, for a recount.
    pub fn recount(deltas: &'a mut RollupDeltas) -> Self {
        Self { deltas, sign: Sign::Add }
    }

    fn add(&mut self, key: RollupKey, sums: Sums) {
        *self.deltas.entry(key).or_default() += if self.sign == Sign::Add { sums } else { -sums };
    }

    /// Adds to a counter of the office.
    pub fn counter(&mut self, counter: Counter, n: i64) {
        self.add(RollupKey::Counter(counter), Sums { n, ..Sums::default() });
    }

    /// An order of a company and its client; a cancelled one counts without an amount.
    pub fn company_order(&mut self, of: Dimensions, client: UserId, cancelled: bool, minor: i64) {
        let sums = Sums { n: 1, cancelled: i64::from(cancelled), minor: if cancelled { 0 } else { minor } };
        let (company, iso) = (of.company, of.iso.unwrap_or(NO_PARTNER));
        self.add(RollupKey::CompanyOrders { company, iso, currency: of.currency }, sums);
        self.add(RollupKey::ClientOrders { company, client }, Sums { minor: 0, ..sums });
    }

    /// An amount of one day, added up by day and month. The date is a calendar day as stored: no time zone moves it into
    /// another month.
    pub fn dated(&mut self, what: Metric, of: Dimensions, date: NaiveDate, minor: i64) {
        let (month, currency) = (date.format("%Y-%m").to_string(), of.currency.code());
        let sums = Sums { n: 1, minor, ..Sums::default() };
        let (owner, iso, country) = (of.company.0, of.iso.unwrap_or(NO_PARTNER), of.country.code());
        for (grain, period) in [(Period::Day, date.to_string()), (Period::Month, month.clone())] {
            self.add(RollupKey::Figure(FigureKey { owner, grain, period, what, iso, country, currency }), sums);
        }
        if let (Metric::Commission, Some(IsoId(owner))) = (what, of.iso) {
            let (grain, iso) = (Period::Month, NO_PARTNER);
            let own = FigureKey { owner, grain, period: month, what, iso, country: "", currency };
            self.add(RollupKey::Figure(own), sums);
        }
    }

    /// An amount outstanding now.
    pub fn outstanding(&mut self, of: Dimensions, minor: i64) {
        let key = FigureKey {
            owner: of.company.0,
            grain: Period::Now,
            period: String::new(),
            what: Metric::Due,
            iso: of.iso.unwrap_or(NO_PARTNER),
            country: of.country.code(),
            currency: of.currency.code(),
        };
        self.add(RollupKey::Figure(key), Sums { n: 1, minor, ..Sums::default() });
    }

    /// One more of what an ISO partner has now.
    pub fn partner(&mut self, IsoId(owner): IsoId, what: Metric) {
        self.present(owner, what, "");
    }

    /// A request of a status.
    pub fn request(&mut self, status: &str) {
        self.present(NO_PARTNER.0, Metric::Requests, status);
    }

    fn present(&mut self, owner: Uuid, what: Metric, period: &str) {
        let (grain, period, iso) = (Period::Now, period.to_owned(), NO_PARTNER);
        let key = FigureKey { owner, grain, period, what, iso, country: "", currency: "" };
        self.add(RollupKey::Figure(key), Sums { n: 1, ..Sums::default() });
    }

    /// Commission that an open order will earn its partner.
    pub fn expected_commission(&mut self, iso: IsoId, company: CompanyId, currency: Currency, minor: i64) {
        self.add(RollupKey::ExpectedCommission { iso, company, currency }, Sums { minor, ..Sums::default() });
    }
}

/// Every counter with its value.
///
/// # Errors
/// What the database refuses.
pub async fn all(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let rows: Vec<(String, i64)> =
        db.sql("select name, cast(sum(value) as bigint) from counts group by name").all().await?;
    Ok(rows.into_iter().collect())
}

/// The value of one counter.
///
/// # Errors
/// What the database refuses.
pub async fn one(db: &mut impl Sql, counter: Counter) -> Result<i64> {
    let sql = "select cast(coalesce(sum(value), 0) as bigint) from counts where name = $1";
    db.sql(sql).bind(counter.name()).scalar().await
}
