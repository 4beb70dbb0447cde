//! Deltas of rollups that a transaction collects and writes last, before its commit.
//!
//! Sums, not single changes, in one order for every transaction: row locks are held only until the commit, and no two
//! transactions deadlock. [`crate::kernel::db::Tx`] owns them; what they mean is in `platform/rollups`.
use super::{Sql, Tx};
use crate::kernel::{
    error::Result,
    ids::{CompanyId, IsoId, UserId},
    money::Currency,
};
use serde::Deserialize;
use std::{collections::BTreeMap, mem};
use uuid::Uuid;

/// What a dated rollup counts.
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
    /// An ISO partner's leads that are neither won nor lost.
    Leads,
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
pub(crate) struct RollupKey {
    /// A company, an ISO partner or, with the nil id, the office.
    pub owner: Uuid,
    pub grain: Period,
    pub period: String,
    pub what: Metric,
    pub iso: IsoId,
    pub country: &'static str,
    pub currency: &'static str,
}

#[derive(Debug, Default)]
pub(crate) struct RollupDeltas {
    /// Count and amount in minor units.
    pub dated: BTreeMap<RollupKey, (i64, i64)>,
    /// Minor units of commission that open orders will earn.
    pub expected_commissions: BTreeMap<(IsoId, CompanyId, Currency), i64>,
    /// Orders of a client that are not cancelled.
    pub client_orders: BTreeMap<(CompanyId, UserId), i64>,
}

impl RollupDeltas {
    pub fn add(&mut self, key: RollupKey, n: i64, minor: i64) {
        let sums = self.dated.entry(key).or_default();
        sums.0 += n;
        sums.1 += minor;
    }
}

/// Writes the deltas of a transaction that is about to commit.
pub(super) async fn write(tx: &mut Tx) -> Result<()> {
    write_dated(tx).await?;
    write_expected_commissions(tx).await?;
    write_client_orders(tx).await
}

async fn write_dated(tx: &mut Tx) -> Result<()> {
    for (key, (n, minor)) in mem::take(&mut tx.rollup_deltas().dated) {
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
    Ok(())
}

async fn write_expected_commissions(tx: &mut Tx) -> Result<()> {
    for ((iso, company, currency), minor) in mem::take(&mut tx.rollup_deltas().expected_commissions) {
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

async fn write_client_orders(tx: &mut Tx) -> Result<()> {
    for ((company, client), by) in mem::take(&mut tx.rollup_deltas().client_orders) {
        if by == 0 {
            continue;
        }
        let sql = "update company_clients set spvs = spvs + $3 where company_id = $1 and client_id = $2";
        tx.sql(sql).bind(company).bind(client).bind(by).run().await?;
    }
    Ok(())
}
