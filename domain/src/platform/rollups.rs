//! Office-wide counters, kept in step by the transactions that change what they count, so that reading one
//! costs the same for ten orders and ten million. `doctor --recount` compares them with a real count.
pub(crate) mod companies;
pub(crate) mod expected;
pub(crate) mod figures;

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

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Client accounts that are not archived.
    Clients,
    /// Accounts of every role that are not archived.
    Users,
    /// Orders in status active.
    ActiveSpvs,
    /// Pending steps of open orders (decision 10).
    PendingReviews,
    /// What documents take, in bytes.
    StorageBytes,
    /// Prices of active orders, in minor units of one currency (decision 14).
    Revenue(Currency),
}

impl Count {
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

/// Changes to counters, summed up and written once, at the end of a transaction and always in the same order,
/// so that two transactions never wait for each other crosswise.
#[derive(Debug, Default)]
pub struct Changes(BTreeMap<Count, i64>);

impl Changes {
    pub fn add(&mut self, count: Count, by: i64) {
        *self.0.entry(count).or_default() += by;
    }

    /// Writes the changes.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn write(self, tx: &mut Tx) -> Result<()> {
        for (count, by) in self.0 {
            if by != 0 {
                tx.sql(ADD.get(tx.dialect())).bind(count.name()).bind(by).run().await?;
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

/// One of them.
///
/// # Errors
/// What the database refuses.
pub async fn one(db: &mut impl Sql, count: Count) -> Result<i64> {
    let sql = "select cast(coalesce(sum(value), 0) as bigint) from counts where name = $1";
    db.sql(sql).bind(count.name()).scalar().await
}

/// Whatever is not what a fresh count says: a name, what is kept and what there is. Of the figures by day and month,
/// of which there are many, the first hundred. All of it as it was at one moment: others go on writing meanwhile.
///
/// # Errors
/// What the database refuses.
pub async fn differ(db: &Db) -> Result<Vec<(String, i64, i64)>> {
    let mut moment = db.snapshot().await?;
    let (kept, found) = (kept(&mut moment).await?, recount(&mut moment).await?);
    let names: BTreeSet<&String> = kept.keys().chain(found.keys()).collect();
    let value = |of: &BTreeMap<String, i64>, name: &String| of.get(name).copied().unwrap_or(0);
    let mut differing: Vec<_> = names
        .into_iter()
        .map(|name| (name.clone(), value(&kept, name), value(&found, name)))
        .filter(|(_, kept, found)| kept != found)
        .collect();
    differing.extend(figures::differ(&mut moment).await?);
    moment.close().await;
    Ok(differing)
}

/// Everything that is kept, the figures of each company and partner with it, but for what is 0 and what is kept by day
/// and month.
///
/// # Errors
/// What the database refuses.
pub async fn kept(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let mut found = all(db).await?;
    found.extend(companies::kept(db).await?);
    found.extend(expected::kept(db).await?);
    found.retain(|_, value| *value != 0);
    Ok(found)
}

/// The same as [`kept`], counted afresh from the rows themselves.
///
/// # Errors
/// What the database refuses.
pub async fn recount(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let mut found = office(db).await?;
    found.extend(companies::recount(db).await?);
    found.extend(expected::recount(db).await?);
    found.retain(|_, value| *value != 0);
    Ok(found)
}

async fn office(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
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
    found.insert(Count::Clients.name(), clients);
    found.insert(Count::Users.name(), users);
    found.insert(Count::ActiveSpvs.name(), active);
    found.insert(Count::PendingReviews.name(), pending);
    // A version that was brought back shares the older one's content.
    let bytes: i64 = db
        .sql("select cast(coalesce(sum(bytes), 0) as bigint) from document_versions where restored_from is null")
        .scalar()
        .await?;
    found.insert(Count::StorageBytes.name(), bytes);
    let sums: Vec<(Currency, i64)> = db
        .sql(
            "select currency, cast(sum(price_minor) as bigint) from spvs \
             where status = 'active' and price_minor is not null group by currency",
        )
        .all()
        .await?;
    for (currency, sum) in sums {
        found.insert(Count::Revenue(currency).name(), sum);
    }
    Ok(found)
}

/// Puts the counters right after a repair by hand, while others go on: whoever counts waits until it is done.
///
/// # Errors
/// What the database refuses.
pub async fn repair(tx: &mut Tx) -> Result<()> {
    // SQLite has one writer. On PostgreSQL all of them at once, in the order in which everybody writes them: what others
    // have counted is there before it is counted anew, and nobody waits for this crosswise.
    if tx.dialect() == Dialect::Postgres {
        tx.sql(
            "lock table counts, company_clients, company_client_counts, company_figures, figures, expected_commissions \
             in share row exclusive mode",
        )
        .run()
        .await?;
    }
    companies::repair(tx).await?;
    figures::repair(tx).await?;
    expected::repair(tx).await?;
    let found = office(tx).await?;
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

    /// On SQLite whoever writes is the only one.
    #[tokio::test]
    async fn those_who_count_on_connections_of_other_slots_do_not_wait_for_one_another() {
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
            let mut changes = Changes::default();
            changes.add(Count::Clients, 1);
            tx.sql("set local lock_timeout = '1s'").run().await.expect("is set");
            changes.write(tx).await.expect("is to be written");
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
