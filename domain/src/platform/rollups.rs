//! Rollups: counters and sums that transactions maintain for what they change, so that reading one takes the same time for ten
//! orders and ten million. `spvctl doctor --recount` compares them with a recount.
pub(crate) mod companies;
pub(crate) mod dated;
pub(crate) mod expected_commissions;

use crate::kernel::{
    db::{Db, Dialect, PerDialect, Sql, Tx, counter_shard},
    error::Result,
    money::Currency,
};
use std::collections::{BTreeMap, BTreeSet};

static ADD: PerDialect = PerDialect::new(|dialect| {
    format!(
        "insert into counts (name, slot, value) values ($1, {}, $2) \
         on conflict (name, slot) do update set value = counts.value + excluded.value",
        counter_shard(dialect)
    )
});

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
}

/// Deltas of counters, summed up and written once, at the end of a transaction and in one order, so that no two transactions
/// deadlock.
#[derive(Debug, Default)]
pub struct CounterDeltas(BTreeMap<Counter, i64>);

impl CounterDeltas {
    pub fn add(&mut self, counter: Counter, by: i64) {
        *self.0.entry(counter).or_default() += by;
    }

    /// Writes the deltas.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn write(self, tx: &mut Tx) -> Result<()> {
        for (counter, by) in self.0 {
            if by != 0 {
                tx.sql(ADD.get(tx.dialect())).bind(counter.name()).bind(by).run().await?;
            }
        }
        Ok(())
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

/// Rollups that differ from a recount: a name, the stored and the recomputed value; of those by day and month the first
/// hundred. Reads one snapshot, as others go on writing.
///
/// # Errors
/// What the database refuses.
pub async fn diff(db: &Db) -> Result<Vec<(String, i64, i64)>> {
    let mut snapshot = db.snapshot().await?;
    let (stored, recomputed) = (stored(&mut snapshot).await?, recompute(&mut snapshot).await?);
    let names: BTreeSet<&String> = stored.keys().chain(recomputed.keys()).collect();
    let value = |of: &BTreeMap<String, i64>, name: &String| of.get(name).copied().unwrap_or(0);
    let mut differing: Vec<_> = names
        .into_iter()
        .map(|name| (name.clone(), value(&stored, name), value(&recomputed, name)))
        .filter(|(_, stored, recomputed)| stored != recomputed)
        .collect();
    differing.extend(dated::diff(&mut snapshot).await?);
    snapshot.close().await;
    Ok(differing)
}

/// Every stored rollup by name, without zeros and without those by day and month.
///
/// # Errors
/// What the database refuses.
pub async fn stored(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let mut found = all(db).await?;
    found.extend(companies::stored(db).await?);
    found.extend(expected_commissions::stored(db).await?);
    found.retain(|_, value| *value != 0);
    Ok(found)
}

/// As [`stored`], recomputed from the rows.
///
/// # Errors
/// What the database refuses.
pub async fn recompute(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let mut found = recompute_counters(db).await?;
    found.extend(companies::recompute(db).await?);
    found.extend(expected_commissions::recompute(db).await?);
    found.retain(|_, value| *value != 0);
    Ok(found)
}

async fn recompute_counters(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let mut found = BTreeMap::new();
    let clients: i64 =
        db.sql("select count(*) from users where role = 'client' and status <> 'archived'").scalar().await?;
    let users: i64 = db.sql("select count(*) from users where status <> 'archived'").scalar().await?;
    let active: i64 = db.sql("select count(*) from spvs where status = 'active'").scalar().await?;
    let pending: i64 = db
        .sql(
            "select count(*) from spv_steps t join spvs s on s.id = t.spv_id \
             where t.status = 'pending' and s.status not in ('closed', 'cancelled')",
        )
        .scalar()
        .await?;
    found.insert(Counter::Clients.name(), clients);
    found.insert(Counter::Users.name(), users);
    found.insert(Counter::ActiveSpvs.name(), active);
    found.insert(Counter::PendingReviews.name(), pending);
    // A restored version shares the content of the older one.
    let bytes: i64 = db
        .sql("select cast(coalesce(sum(bytes), 0) as bigint) from document_versions where restored_from is null")
        .scalar()
        .await?;
    found.insert(Counter::StorageBytes.name(), bytes);
    let sums: Vec<(Currency, i64)> = db
        .sql(
            "select currency, cast(sum(price_minor) as bigint) from spvs \
             where status = 'active' and price_minor is not null group by currency",
        )
        .all()
        .await?;
    for (currency, sum) in sums {
        found.insert(Counter::Revenue(currency).name(), sum);
    }
    Ok(found)
}

/// Recomputes every rollup, while the portal runs: transactions that change one wait until this commits.
///
/// # Errors
/// What the database refuses.
pub async fn rebuild(tx: &mut Tx) -> Result<()> {
    // SQLite has one writer. On PostgreSQL all tables at once, in the order in which transactions write them: earlier
    // writes are visible to the recount, and no transaction deadlocks with it.
    if tx.dialect() == Dialect::Postgres {
        tx.sql(
            "lock table counts, company_clients, company_client_counts, company_figures, figures, expected_commissions \
             in share row exclusive mode",
        )
        .run()
        .await?;
    }
    companies::rebuild(tx).await?;
    dated::rebuild(tx).await?;
    expected_commissions::rebuild(tx).await?;
    let found = recompute_counters(tx).await?;
    tx.sql("delete from counts").run().await?;
    for (name, value) in found.into_iter().filter(|(_, value)| *value != 0) {
        tx.sql("insert into counts (name, slot, value) values ($1, 0, $2)").bind(name).bind(value).run().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;

    /// PostgreSQL only: SQLite has one writer.
    #[tokio::test]
    async fn counters_in_different_slots_do_not_wait_for_each_other() {
        let Some(world) = World::postgres().await else { return };
        let clients = async || recorded(&world.db).await.get("clients").copied().unwrap_or(0);
        let before = clients().await;
        let mut open = BTreeMap::new();
        for _ in 0..8 {
            let mut tx = world.db.begin().await.expect("begins");
            let slot: i32 = tx.sql("select pg_backend_pid() % 16").scalar().await.expect("is told");
            open.insert(slot, tx);
        }
        assert!(open.len() > 1, "eight connections of one slot");
        for tx in open.values_mut() {
            let mut deltas = CounterDeltas::default();
            deltas.add(Counter::Clients, 1);
            tx.sql("set local lock_timeout = '1s'").run().await.expect("is set");
            deltas.write(tx).await.expect("is to be written");
            tx.sql("select 1").run().await.expect("nobody is waited for");
        }
        let by = i64::try_from(open.len()).expect("is small");
        for tx in open.into_values() {
            tx.commit().await.expect("commits");
        }
        assert_eq!(clients().await, before + by);
    }

    async fn recorded(db: &Db) -> BTreeMap<String, i64> {
        all(&mut db.clone()).await.expect("is read")
    }
}
