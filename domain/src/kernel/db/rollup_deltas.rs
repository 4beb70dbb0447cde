//! Deltas of rollups that a transaction collects and writes last, before its commit.
//!
//! Sums, not single changes, in the order of their keys: row locks are held only until the commit, and no two transactions
//! deadlock. [`crate::kernel::db::Tx`] owns them; `platform/rollups` says what they count.
use super::{Dialect, Query, Sql, Tx, counter_shard};
use crate::kernel::{
    error::Result,
    ids::{CompanyId, IsoId, UserId},
    money::Currency,
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    mem,
    ops::{AddAssign, Neg},
};
use uuid::Uuid;

/// The partner of orders without one: a primary key has no nulls.
pub(crate) const NO_PARTNER: IsoId = IsoId(Uuid::nil());

/// A counter of the whole office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Client accounts that are not archived.
    Clients,
    /// Accounts of every role that are not archived.
    Users,
    /// Orders in status active.
    ActiveSpvs,
    /// Pending steps of open orders (pending reviews, decision 10).
    PendingReviews,
    /// Size of all documents.
    StorageBytes,
    /// Prices of active orders, in minor units of one currency (price and purchase amount, decision 14).
    Revenue(Currency),
}

impl Counter {
    pub fn name(self) -> String {
        match self {
            Self::Clients => "clients".to_owned(),
            Self::Users => "users".to_owned(),
            Self::ActiveSpvs => "active_spvs".to_owned(),
            Self::PendingReviews => "pending_reviews".to_owned(),
            Self::StorageBytes => "storage_bytes".to_owned(),
            Self::Revenue(currency) => format!("revenue.{}", currency.code()),
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        let fixed = [Self::Clients, Self::Users, Self::ActiveSpvs, Self::PendingReviews, Self::StorageBytes];
        let revenue = Currency::ALL.into_iter().map(Self::Revenue);
        fixed.into_iter().chain(revenue).find(|counter| counter.name() == name)
    }
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Metric {
    /// Amounts of orders that are not cancelled.
    Ordered,
    Invoiced,
    Paid,
    /// Commissions that ISO partners earned.
    Commission,
    /// Amounts outstanding now, whenever they were invoiced.
    Due,
    /// An ISO partner's clients, active or pending.
    Clients,
    /// An ISO partner's closed orders.
    Closed,
    /// The office's requests of one status, which is stored as the period.
    Requests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub(crate) enum Period {
    /// `2026-11-22`
    Day,
    /// `2026-11`
    Month,
    /// The present state: the period is empty or a status.
    Now,
}

/// The primary key of a row of `figures`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FigureKey {
    /// A company, an ISO partner or, with the nil id, the office.
    pub owner: Uuid,
    pub grain: Period,
    pub period: String,
    pub what: Metric,
    pub iso: IsoId,
    /// Empty where it does not matter, as is the currency.
    pub country: &'static str,
    pub currency: &'static str,
}

/// The row of a rollup. Transactions write them in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RollupKey {
    /// Table `counts`: a counter of the office.
    Counter(Counter),
    /// Table `company_figures`: orders of a company by ISO partner and currency.
    CompanyOrders { company: CompanyId, iso: IsoId, currency: Currency },
    /// Table `figures`: money by day and month, present numbers of an ISO partner and of the office.
    Figure(FigureKey),
    /// Table `expected_commissions`: commissions that an ISO partner's open orders will earn when they close.
    ExpectedCommission { iso: IsoId, company: CompanyId, currency: Currency },
    /// Table `company_clients`: a client's orders. Its triggers keep `company_client_counts`.
    ClientOrders { company: CompanyId, client: UserId },
}

/// How `doctor --recount` names it.
impl fmt::Display for RollupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let partner = |iso: &IsoId| if *iso == NO_PARTNER { String::new() } else { iso.to_string() };
        match self {
            Self::Counter(counter) => f.write_str(&counter.name()),
            Self::CompanyOrders { company, iso, currency } => {
                let iso = if *iso == NO_PARTNER { "unassigned".to_owned() } else { iso.to_string() };
                write!(f, "company.{company}.{iso}.{}", currency.code())
            }
            Self::Figure(key) => {
                write!(f, "figures.{}", key.owner)?;
                let what = format!("{:?}", key.what).to_lowercase();
                for part in [&*key.period, &*what, &*partner(&key.iso), key.country, key.currency] {
                    if !part.is_empty() {
                        write!(f, ".{part}")?;
                    }
                }
                Ok(())
            }
            Self::ExpectedCommission { iso, company, currency } => {
                write!(f, "expected.{iso}.{company}.{}", currency.code())
            }
            Self::ClientOrders { company, client } => write!(f, "company.{company}.client.{client}"),
        }
    }
}

/// What is added up under a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub n: i64,
    /// Cancelled orders among `n`.
    pub cancelled: i64,
    /// In the currency of the key.
    pub minor: i64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.n += other.n;
        self.cancelled += other.cancelled;
        self.minor += other.minor;
    }
}

impl Neg for Sums {
    type Output = Self;

    fn neg(self) -> Self {
        Self { n: -self.n, cancelled: -self.cancelled, minor: -self.minor }
    }
}

pub(crate) type RollupDeltas = BTreeMap<RollupKey, Sums>;

/// Rows of one statement: SQLite binds up to 32,766 values, PostgreSQL 65,535.
const ROWS_PER_STATEMENT: usize = 500;

/// Adds the deltas of a transaction that is about to commit to the stored sums: one statement per table.
pub(super) async fn write(tx: &mut Tx) -> Result<()> {
    let deltas = mem::take(tx.rollup_deltas());
    let changed: Vec<_> = deltas.into_iter().filter(|(_, sums)| *sums != Sums::default()).collect();
    for of_table in changed.chunk_by(|a, b| mem::discriminant(&a.0) == mem::discriminant(&b.0)) {
        for rows in of_table.chunks(ROWS_PER_STATEMENT) {
            let sql = upsert_sql(tx.dialect(), &rows[0].0, rows.len());
            rows.iter().fold(tx.sql_built(sql), bind).run().await?;
        }
    }
    for (key, sums) in &changed {
        if let RollupKey::ClientOrders { company, client } = key
            && sums.n < 0
        {
            remove_without_orders(tx, *company, *client).await?;
        }
    }
    Ok(())
}

/// Removes the row of a client who has no order of the company any more, not even a cancelled one.
async fn remove_without_orders(tx: &mut Tx, company: CompanyId, client: UserId) -> Result<()> {
    tx.sql(
        "delete from company_clients where company_id = $1 and client_id = $2 and spvs = 0 \
         and not exists (select 1 from spvs where company_id = $1 and client_id = $2)",
    )
    .bind(company)
    .bind(client)
    .run()
    .await?;
    Ok(())
}

/// Inserts rows of the key's table, or adds to those that are there.
fn upsert_sql(dialect: Dialect, key: &RollupKey, rows: usize) -> String {
    let slot = counter_shard(dialect);
    // Table, primary key, other columns, sums; the values of a row, where `?` is the next parameter.
    let (table, keys, others, sums, values) = match key {
        RollupKey::Counter(_) => ("counts", "name, slot", "", "value", format!("?, {slot}, ?")),
        RollupKey::CompanyOrders { .. } => (
            "company_figures",
            "company_id, iso_id, currency, slot",
            "",
            "spvs, cancelled, minor",
            format!("?, ?, ?, {slot}, ?, ?, ?"),
        ),
        RollupKey::Figure(_) => (
            "figures",
            "owner_id, grain, period, what, iso_id, country, currency",
            "",
            "n, minor",
            "?, ?, ?, ?, ?, ?, ?, ?, ?".to_owned(),
        ),
        RollupKey::ExpectedCommission { .. } => {
            ("expected_commissions", "iso_id, company_id, currency", "", "minor", "?, ?, ?, ?".to_owned())
        }
        RollupKey::ClientOrders { .. } => (
            "company_clients",
            "company_id, client_id",
            "client_created_at, ",
            "spvs",
            "?, ?, (select created_at from users where id = ?), ?".to_owned(),
        ),
    };
    let mut sql = format!("insert into {table} ({keys}, {others}{sums}) values ");
    let mut next = 0;
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for part in values.split_inclusive('?') {
            match part.strip_suffix('?') {
                Some(before) => {
                    next += 1;
                    let _ = write!(sql, "{before}${next}");
                }
                None => sql.push_str(part),
            }
        }
        sql.push(')');
    }
    let added: Vec<_> = sums.split(", ").map(|sum| format!("{sum} = {table}.{sum} + excluded.{sum}")).collect();
    let _ = write!(sql, " on conflict ({keys}) do update set {}", added.join(", "));
    sql
}

fn bind<'q>(query: Query<'q>, (key, sums): &(RollupKey, Sums)) -> Query<'q> {
    match key {
        RollupKey::Counter(counter) => query.bind(counter.name()).bind(sums.n),
        RollupKey::CompanyOrders { company, iso, currency } => {
            query.bind(*company).bind(*iso).bind(*currency).bind(sums.n).bind(sums.cancelled).bind(sums.minor)
        }
        RollupKey::Figure(key) => query
            .bind(key.owner)
            .bind(key.grain)
            .bind(key.period.clone())
            .bind(key.what)
            .bind(key.iso)
            .bind(key.country)
            .bind(key.currency)
            .bind(sums.n)
            .bind(sums.minor),
        RollupKey::ExpectedCommission { iso, company, currency } => {
            query.bind(*iso).bind(*company).bind(*currency).bind(sums.minor)
        }
        // The orders that are not cancelled; the row of a client whose orders all are stays at 0.
        RollupKey::ClientOrders { company, client } => {
            query.bind(*company).bind(*client).bind(*client).bind(sums.n - sums.cancelled)
        }
    }
}
