//! Recount of the rollups: adds up the facts of all rows by the definition that changes use, compares with the stored sums, and
//! repairs them. `spvctl doctor --recount` and the security scan call it.
use crate::{
    accounts::users,
    kernel::{
        db::{Db, Dialect, FigureKey, Metric, Period, RollupDeltas, RollupKey, Sql, Sums, Tx},
        error::Result,
        geo::Country,
        ids::{CompanyId, IsoId, UserId},
        money::Currency,
    },
    orders::{commissions, documents, invoices, spvs},
    outbox::requests,
    platform::rollups::{Contributions, Counter, Facts},
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Differences that [`diff`] lists.
const MAX_DIFFERENCES: usize = 100;

/// Rollups that differ from a recount, the first hundred: name, stored and recomputed value. Reads one snapshot, as others go
/// on writing.
///
/// # Errors
/// What the database refuses.
pub async fn diff(db: &Db) -> Result<Vec<(String, i64, i64)>> {
    let mut snapshot = db.snapshot().await?;
    let recomputed = recompute_sums(&mut snapshot).await?;
    let stored = stored_sums(&mut snapshot).await?;
    let mut active = active_clients(&recomputed);
    for (company, n) in stored_active_clients(&mut snapshot).await? {
        active.entry(company).or_default().0 = n;
    }
    snapshot.close().await;
    let keys: BTreeSet<&RollupKey> = stored.keys().chain(recomputed.keys()).collect();
    let sums = keys.into_iter().flat_map(|key| {
        let values = |of: &RollupDeltas| values(key, of.get(key).copied());
        let pairs = values(&stored).into_iter().zip(values(&recomputed));
        pairs
            .map(|((suffix, stored), (_, recomputed))| (format!("{key}{suffix}"), stored, recomputed))
            .collect::<Vec<_>>()
    });
    let active = active.into_iter().map(|(company, (stored, found))| (active_name(company), stored, found));
    let mut differing: Vec<_> = active.chain(sums).filter(|(_, stored, recomputed)| stored != recomputed).collect();
    // Sums by day and month last: there are many.
    differing.sort_by_key(|(name, ..)| name.starts_with("figures."));
    differing.truncate(MAX_DIFFERENCES);
    Ok(differing)
}

/// Every stored rollup by name, without zeros.
///
/// # Errors
/// What the database refuses.
pub async fn stored(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let active = stored_active_clients(db).await?.into_iter().map(|(company, n)| (active_name(company), n));
    Ok(named(stored_sums(db).await?, active))
}

/// As [`stored`], recomputed from the rows.
///
/// # Errors
/// What the database refuses.
pub async fn recompute(db: &mut impl Sql) -> Result<BTreeMap<String, i64>> {
    let sums = recompute_sums(db).await?;
    let active = active_clients(&sums).into_iter().map(|(company, (_, n))| (active_name(company), n));
    Ok(named(sums, active))
}

/// Repairs every rollup by adding the difference to a recount, while the portal runs: transactions that change one wait until
/// this commits.
///
/// # Errors
/// What the database refuses.
pub async fn rebuild(tx: &mut Tx) -> Result<()> {
    // SQLite has one writer. On PostgreSQL all tables at once, in the order in which transactions write them: earlier
    // writes are visible to the recount, and no transaction deadlocks with it.
    if tx.dialect() == Dialect::Postgres {
        tx.sql(
            "lock table counts, company_figures, figures, expected_commissions, company_clients, company_client_counts \
             in share row exclusive mode",
        )
        .run()
        .await?;
    }
    // Rows of clients without an order, and rows without the time the account was created, which are written anew.
    tx.sql(
        "delete from company_clients where not exists (select 1 from users u \
             where u.id = company_clients.client_id and u.created_at = company_clients.client_created_at) \
         or not exists (select 1 from spvs s \
             where s.company_id = company_clients.company_id and s.client_id = company_clients.client_id)",
    )
    .run()
    .await?;
    // The triggers of company_clients keep this: only the difference is added.
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
    let mut deltas = recompute_sums(tx).await?;
    for (key, sums) in stored_sums(tx).await? {
        *deltas.entry(key).or_default() += -sums;
    }
    // Written when the transaction commits. What it collected so far is in the recount.
    *tx.rollup_deltas() = deltas;
    Ok(())
}

async fn recompute_sums(db: &mut impl Sql) -> Result<RollupDeltas> {
    let mut sums = RollupDeltas::default();
    add_all(&mut sums, users::rollup::facts(db).await?);
    add_all(&mut sums, spvs::rollup::facts(db).await?);
    add_all(&mut sums, invoices::rollup::facts(db).await?);
    add_all(&mut sums, commissions::rollup::facts(db).await?);
    add_all(&mut sums, documents::rollup::facts(db).await?);
    add_all(&mut sums, requests::rollup::facts(db).await?);
    Ok(sums)
}

fn add_all(sums: &mut RollupDeltas, rows: Vec<impl Facts>) {
    let mut to = Contributions::recount(sums);
    for facts in rows {
        facts.contribute(&mut to);
    }
}

async fn stored_sums(db: &mut impl Sql) -> Result<RollupDeltas> {
    let mut found = RollupDeltas::default();
    let counts: Vec<(String, i64)> =
        db.sql("select name, cast(sum(value) as bigint) from counts group by name").all().await?;
    for (name, n) in counts {
        if let Some(counter) = Counter::named(&name) {
            found.insert(RollupKey::Counter(counter), Sums { n, ..Sums::default() });
        }
    }
    let orders: Vec<(CompanyId, IsoId, Currency, i64, i64, i64)> = db
        .sql(
            "select company_id, iso_id, currency, cast(sum(spvs) as bigint), cast(sum(cancelled) as bigint), \
             cast(sum(minor) as bigint) from company_figures group by company_id, iso_id, currency",
        )
        .all()
        .await?;
    for (company, iso, currency, n, cancelled, minor) in orders {
        found.insert(RollupKey::CompanyOrders { company, iso, currency }, Sums { n, cancelled, minor });
    }
    // Builds before 2026-11-28 kept the leads of each partner here, too.
    type Figure = (Uuid, Period, String, Metric, IsoId, String, String, i64, i64);
    let figures: Vec<Figure> = db
        .sql(
            "select owner_id, grain, period, what, iso_id, country, currency, n, minor from figures \
             where what <> 'leads'",
        )
        .all()
        .await?;
    for (owner, grain, period, what, iso, country, currency, n, minor) in figures {
        let country = country.parse::<Country>().map_or("", Country::code);
        let currency = currency.parse::<Currency>().map_or("", Currency::code);
        let key = FigureKey { owner, grain, period, what, iso, country, currency };
        found.insert(RollupKey::Figure(key), Sums { n, minor, cancelled: 0 });
    }
    let expected: Vec<(IsoId, CompanyId, Currency, i64)> =
        db.sql("select iso_id, company_id, currency, minor from expected_commissions").all().await?;
    for (iso, company, currency, minor) in expected {
        found.insert(RollupKey::ExpectedCommission { iso, company, currency }, Sums { minor, ..Sums::default() });
    }
    let clients: Vec<(CompanyId, UserId, i64)> = db
        .sql(
            "select k.company_id, k.client_id, k.spvs from company_clients k \
             join users u on u.id = k.client_id and u.created_at = k.client_created_at",
        )
        .all()
        .await?;
    for (company, client, n) in clients {
        found.insert(RollupKey::ClientOrders { company, client }, Sums { n, ..Sums::default() });
    }
    Ok(found)
}

/// The number of each company's clients with an order that is not cancelled, beside a 0.
fn active_clients(sums: &RollupDeltas) -> BTreeMap<CompanyId, (i64, i64)> {
    let mut active: BTreeMap<CompanyId, (i64, i64)> = BTreeMap::new();
    for (key, sums) in sums {
        if let RollupKey::ClientOrders { company, .. } = key {
            active.entry(*company).or_default().1 += i64::from(sums.n > sums.cancelled);
        }
    }
    active
}

async fn stored_active_clients(db: &mut impl Sql) -> Result<Vec<(CompanyId, i64)>> {
    db.sql("select company_id, cast(sum(clients) as bigint) from company_client_counts group by company_id").all().await
}

fn active_name(company: CompanyId) -> String {
    format!("company.{company}.active_clients")
}

/// The values that are compared, by the end of their name.
fn values(key: &RollupKey, sums: Option<Sums>) -> Vec<(&'static str, i64)> {
    let Sums { n, cancelled, minor } = sums.unwrap_or_default();
    match key {
        RollupKey::Counter(_) => vec![("", n)],
        RollupKey::CompanyOrders { .. } => vec![(".spvs", n), (".cancelled", cancelled), (".revenue", minor)],
        RollupKey::Figure(_) => vec![(".count", n), (".amount", minor)],
        RollupKey::ExpectedCommission { .. } => vec![("", minor)],
        // A client is listed even if all orders are cancelled.
        RollupKey::ClientOrders { .. } => vec![(".listed", i64::from(sums.is_some())), (".orders", n - cancelled)],
    }
}

fn named(sums: RollupDeltas, active: impl Iterator<Item = (String, i64)>) -> BTreeMap<String, i64> {
    let of_key = |(key, sums): (RollupKey, Sums)| {
        values(&key, Some(sums)).into_iter().map(|(suffix, n)| (format!("{key}{suffix}"), n)).collect::<Vec<_>>()
    };
    sums.into_iter().flat_map(of_key).chain(active).filter(|(_, value)| *value != 0).collect()
}
