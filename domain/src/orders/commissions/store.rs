//! SQL of the ledger and its payouts.
use super::model::{Commission, Payout, PayoutPreview, Run, RunStatus, Status, Terms, Totals};
use crate::{
    kernel::{
        access::Scope,
        ctx::check_version,
        db::{Db, Dialect, Row, Sql, Tx, const_concat, for_update, insert, select_rows},
        error::Result,
        ids::{CommissionId, IsoId, PayoutId, PayoutRunId, SpvId},
        money::Currency,
        page::{Conditions, Keyset, Order, SortColumn, SortKey, Total, values},
        search::{self, SearchScope},
    },
    orders::spvs::{self, Spv},
};
use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;

const RUN_COLUMNS: &str = Run::LIST;

const SELECT_WITH_NAMES: &str = const_concat!(
    "select ",
    Commission::LIST,
    " from commissions e join isos i on i.id = e.iso_id join spvs s on s.id = e.spv_id join users c on c.id = e.client_id \
     left join payouts p on p.id = e.payout_id left join payout_runs g on g.id = p.run_id"
);

/// The row of a new commission.
pub struct InsertCommission<'a> {
    pub id: CommissionId,
    pub iso_id: IsoId,
    pub spv: &'a Spv,
    pub terms: Terms,
    pub adjusts: Option<CommissionId>,
    pub amount_minor: i64,
    pub earned_date: NaiveDate,
    pub at: DateTime<Utc>,
    pub by: String,
}

pub async fn insert(tx: &mut Tx, row: &InsertCommission<'_>) -> Result<()> {
    let values = insert!(tx, "commissions", {
        id: row.id,
        iso_id: row.iso_id,
        company_id: row.spv.company_id,
        spv_id: row.spv.id,
        client_id: row.spv.client_id,
        kind: row.terms.kind,
        rule: row.terms.rule,
        rate: row.terms.rate,
        base_minor: row.terms.base_minor,
        currency: row.spv.currency,
        amount_minor: row.amount_minor,
        status: Status::Pending,
        earned_date: row.earned_date,
        adjusts_id: row.adjusts,
        created_at: row.at,
        updated_at: row.at,
        updated_by: row.by.clone(),
    });
    values.run().await?;
    Ok(())
}

/// The total of an order's rows without void ones.
pub async fn earned_by_order(tx: &mut Tx, spv: SpvId) -> Result<i64> {
    tx.sql(
        "select cast(coalesce(sum(amount_minor), 0) as bigint) from commissions where spv_id = $1 and status <> 'void'",
    )
    .bind(spv)
    .scalar()
    .await
}

/// Deletes an order's rows that are as they were earned. Returns their days and amounts.
pub async fn remove_unreviewed(tx: &mut Tx, spv: SpvId) -> Result<Vec<(NaiveDate, i64)>> {
    tx.sql(
        "delete from commissions where spv_id = $1 and status = 'pending' and version = 1 and payout_id is null \
         returning earned_date, amount_minor",
    )
    .bind(spv)
    .all()
    .await
}

/// The total of an order's void rows.
pub async fn voided_of_order(tx: &mut Tx, spv: SpvId) -> Result<i64> {
    tx.sql(
        "select cast(coalesce(sum(amount_minor), 0) as bigint) from commissions where spv_id = $1 and status = 'void'",
    )
    .bind(spv)
    .scalar()
    .await
}

/// All rows of an order, oldest first.
pub async fn of_order(tx: &mut Tx, spv: SpvId) -> Result<Vec<Commission>> {
    let from = format!("{SELECT_WITH_NAMES} where e.spv_id = $1 order by e.created_at, e.id");
    let sql = select_rows(tx.dialect(), Commission::COLUMNS, &from);
    tx.sql_built(sql).bind(spv).list().await
}

/// Locks an order's rows until the transaction ends, by id, as row locks are taken in one order.
pub async fn lock_of_order(tx: &mut Tx, spv: SpvId) -> Result<()> {
    if tx.dialect() == Dialect::Postgres {
        let lock = for_update(tx.dialect(), "e");
        let sql = format!("select e.id from commissions e where e.spv_id = $1 order by e.id{lock}");
        tx.sql_built(sql).bind(spv).all::<(CommissionId,)>().await?;
    }
    Ok(())
}

/// Whether the order has rows in the ledger.
pub async fn has_rows(tx: &mut Tx, spv: SpvId) -> Result<bool> {
    tx.sql("select exists (select 1 from commissions where spv_id = $1)").bind(spv).scalar().await
}

/// Whether a row of the order is approved, paid or void.
pub async fn has_settled(tx: &mut Tx, spv: SpvId) -> Result<bool> {
    tx.sql("select exists (select 1 from commissions where spv_id = $1 and status <> 'pending')")
        .bind(spv)
        .scalar()
        .await
}

/// Saves amount, currency, terms, status and reason of a row that was pending.
///
/// # Errors
/// Conflict `conflict` where it is not pending any more.
pub async fn save_pending(tx: &mut Tx, row: &Commission) -> Result<()> {
    let changed = tx
        .sql(
            "update commissions set amount_minor = $2, currency = $3, kind = $4, rule = $5, rate = $6, base_minor = $7, \
             status = $8, reason = $9, updated_at = $10, updated_by = $11, version = $12 \
             where id = $1 and status = 'pending' and version = $13",
        )
        .bind(row.id)
        .bind(row.amount_minor)
        .bind(row.currency)
        .bind(row.kind)
        .bind(row.rule)
        .bind(row.rate)
        .bind(row.base_minor)
        .bind(row.status)
        .bind(row.reason.clone())
        .bind(row.updated_at)
        .bind(row.updated_by.clone())
        .bind(row.version)
        .bind(row.version - 1)
        .run()
        .await?;
    check_version(changed)
}

/// The language of a partner's account.
pub async fn language_of_iso(tx: &mut Tx, iso: IsoId) -> Result<String> {
    tx.sql("select u.language from isos i join users u on u.id = i.user_id where i.id = $1").bind(iso).scalar().await
}

fn params(count: usize, from: usize) -> String {
    (from..from + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// Reads these rows, sorted by order.
pub async fn of_ids(db: &mut impl Sql, ids: &[CommissionId]) -> Result<Vec<Commission>> {
    let which = params(ids.len(), 1);
    let sql = select_rows(
        db.dialect(),
        Commission::COLUMNS,
        &format!("{SELECT_WITH_NAMES} where e.id in ({which}) order by e.spv_id, e.id"),
    );
    ids.iter().fold(db.sql_built(sql), |query, id| query.bind(*id)).list().await
}

/// Locks these rows and their orders and reads the rows. Locks are taken in id order, orders first, which avoids deadlocks.
pub async fn lock_rows(tx: &mut Tx, ids: &[CommissionId]) -> Result<Vec<Commission>> {
    if tx.dialect() == Dialect::Postgres {
        let which = params(ids.len(), 1);
        for text in [
            format!(
                "select s.id from spvs s where s.id in (select spv_id from commissions where id in ({which})) \
                 order by s.id{}",
                for_update(tx.dialect(), "s")
            ),
            format!(
                "select e.id from commissions e where e.id in ({which}) order by e.id{}",
                for_update(tx.dialect(), "e")
            ),
        ] {
            ids.iter().fold(tx.sql_built(text), |query, id| query.bind(*id)).all::<(Uuid,)>().await?;
        }
    }
    of_ids(tx, ids).await
}

/// The orders of positive ones of these rows that are open again.
pub async fn open_orders(db: &mut impl Sql, ids: &[CommissionId]) -> Result<Vec<SpvId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let which = params(ids.len(), 1);
    let text = format!(
        "select distinct s.id from spvs s join commissions e on e.spv_id = s.id where e.id in ({which}) \
         and e.amount_minor > 0 and {} order by s.id",
        spvs::IS_OPEN
    );
    let found: Vec<(SpvId,)> = ids.iter().fold(db.sql_built(text), |query, id| query.bind(*id)).all().await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Approves those of the rows that are pending.
pub async fn approve(tx: &mut Tx, ids: &[CommissionId], at: DateTime<Utc>, by: &str) -> Result<()> {
    let which = params(ids.len(), 3);
    let text = format!(
        "update commissions set status = 'approved', updated_at = $1, updated_by = $2, version = version + 1 \
         where id in ({which}) and status = 'pending'"
    );
    let query = tx.sql_built(text).bind(at).bind(by.to_owned());
    ids.iter().fold(query, |query, id| query.bind(*id)).run().await?;
    Ok(())
}

/// An order of one of these rows that has another pending row.
pub async fn find_partially_approved(tx: &mut Tx, ids: &[CommissionId]) -> Result<Option<SpvId>> {
    let which = params(ids.len(), 1);
    let text = format!(
        "select spv_id from commissions where spv_id in (select spv_id from commissions where id in ({which})) \
         group by spv_id having coalesce(sum(amount_minor) filter (where status in ('approved', 'paid')), 0) \
         <> coalesce(sum(amount_minor) filter (where status <> 'void'), 0) order by spv_id limit 1"
    );
    let found: Option<(SpvId,)> = ids.iter().fold(tx.sql_built(text), |query, id| query.bind(*id)).optional().await?;
    Ok(found.map(|(id,)| id))
}

/// Makes an order's approved rows pending again, except those in a payout run.
pub async fn revoke_approval(tx: &mut Tx, spv: SpvId, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql(
        "update commissions set status = 'pending', updated_at = $2, updated_by = $3, version = version + 1 \
         where spv_id = $1 and status = 'approved' and payout_id is null and amount_minor > 0",
    )
    .bind(spv)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

pub async fn get(db: &mut impl Sql, id: CommissionId) -> Result<Option<Commission>> {
    let sql = select_rows(db.dialect(), Commission::COLUMNS, &format!("{SELECT_WITH_NAMES} where e.id = $1"));
    let rows: Vec<Commission> = db.sql_built(sql).bind(id).list().await?;
    Ok(rows.into_iter().next())
}

/// Locks the row until the transaction ends.
pub async fn lock(tx: &mut Tx, id: CommissionId) -> Result<()> {
    if tx.dialect() == Dialect::Postgres {
        let text = format!("select e.id from commissions e where e.id = $1{}", for_update(tx.dialect(), "e"));
        tx.sql_built(text).bind(id).optional::<(CommissionId,)>().await?;
    }
    Ok(())
}

/// Sets the status of a row that is not paid and in no payout run.
pub async fn set_status(
    tx: &mut Tx,
    id: CommissionId,
    status: Status,
    reason: Option<String>,
    at: DateTime<Utc>,
    by: &str,
) -> Result<()> {
    tx.sql(
        "update commissions set status = $2, reason = $3, updated_at = $4, updated_by = $5, version = version + 1 \
         where id = $1 and status in ('pending', 'approved') and payout_id is null",
    )
    .bind(id)
    .bind(status)
    .bind(reason)
    .bind(at)
    .bind(by.to_owned())
    .run()
    .await?;
    Ok(())
}

/// The filters of a list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Search words of its order.
    pub q: Option<String>,
    pub iso_id: Option<IsoId>,
    pub spv_id: Option<SpvId>,
    pub run_id: Option<PayoutRunId>,
    pub status: Option<Status>,
    /// The first and the last day on which it was earned.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub order: Order<CommissionSort>,
    /// Only these ids.
    pub ids: Option<Vec<Uuid>>,
}

/// The sort keys of a list. Amounts are sorted within each currency, as amounts of two currencies do not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommissionSort {
    EarnedDate,
    Amount,
}

impl SortKey for CommissionSort {
    type Row = Commission;
    const ALL: &'static [Self] = &[Self::EarnedDate, Self::Amount];
    const DEFAULT: Order<Self> = Order::descending(Self::EarnedDate);

    fn name(self) -> &'static str {
        match self {
            Self::EarnedDate => "earned_date",
            Self::Amount => "amount",
        }
    }

    fn columns(self) -> &'static [SortColumn] {
        const ID: SortColumn = SortColumn::id("e.id");
        match self {
            Self::EarnedDate => const { &[SortColumn::date("e.earned_date"), SortColumn::instant("e.created_at"), ID] },
            Self::Amount => const { &[SortColumn::text("e.currency"), SortColumn::integer("e.amount_minor"), ID] },
        }
    }

    fn values(self, row: &Commission) -> Value {
        match self {
            Self::EarnedDate => values((row.earned_date, row.created_at, row.id)),
            Self::Amount => values((row.currency, row.amount_minor, row.id)),
        }
    }
}

const TABLE: &str = "commissions e";

async fn conditions(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Conditions> {
    let mut all = Conditions::new(db.dialect());
    // Commissions are not visible to clients.
    all.and_scope(scope, Some("e.company_id"), Some("e.iso_id"), None);
    all.and_id("e.iso_id", filter.iso_id.map(|id| id.0));
    // An order or a run has few rows: the other conditions must not keep SQLite from their index.
    let few = filter.spv_id.is_some() || filter.run_id.is_some();
    if few {
        all.unindex();
    }
    all.and_id("e.spv_id", filter.spv_id.map(|id| id.0));
    if let Some(run) = filter.run_id {
        all.and_value("e.payout_id in (select id from payouts where run_id = $)", run.0);
    }
    all.and_among("e.id", filter.ids.as_deref());
    if let Some(status) = filter.status {
        all.and(format!("e.status = '{}'", status.name()));
    }
    for (sign, date) in [(">=", filter.from), ("<=", filter.to)] {
        if let Some(date) = date {
            all.and_value(&format!("e.earned_date {sign} $"), date);
        }
    }
    let narrow = search::condition(db, "spv", SearchScope::default().few(few), filter.q.as_deref()).await?;
    all.and_search(&narrow, "e.spv_id");
    Ok(all)
}

/// A page of the list.
pub async fn list(db: &mut Db, scope: Scope, filter: &Filter, keyset: &Keyset) -> Result<Vec<Commission>> {
    let mut all = conditions(db, scope, filter).await?;
    if !keyset.is_default() {
        keyset.choose_index(db, TABLE, &mut all).await?;
    }
    let dialect = db.dialect();
    keyset.nested_rows(db, SELECT_WITH_NAMES, &all, |rows| select_rows(dialect, Commission::COLUMNS, rows)).await
}

/// The number of rows of a list, counted up to a limit, and the sums of their amounts.
pub async fn total(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Total> {
    conditions(db, scope, filter).await?.total(db, TABLE, Some(("e.currency", "e.amount_minor"))).await
}

/// The number of rows.
pub async fn count(db: &mut Db, scope: Scope, filter: &Filter) -> Result<i64> {
    let all = conditions(db, scope, filter).await?;
    let sql = format!("select count(*) from commissions e where {}", all.sql());
    all.bind(db.sql_built(sql)).scalar().await
}

/// The totals by currency.
pub async fn totals(db: &mut Db, scope: Scope, filter: &Filter) -> Result<Vec<Totals>> {
    let all = conditions(db, scope, filter).await?;
    let sql = format!(
        "select e.currency, e.status, cast(sum(e.amount_minor) as bigint) from commissions e \
         where {} and e.status <> 'void' group by e.currency, e.status order by e.currency, e.status",
        all.sql()
    );
    let rows: Vec<(Currency, Status, i64)> = all.bind(db.sql_built(sql)).all().await?;
    let mut found: Vec<Totals> = Vec::new();
    for (currency, status, minor) in rows {
        if found.last().is_none_or(|sums| sums.currency != currency) {
            found.push(Totals { currency, pending_minor: 0, approved_minor: 0, paid_minor: 0 });
        }
        let Some(sums) = found.last_mut() else { continue };
        match status {
            Status::Pending => sums.pending_minor += minor,
            Status::Approved => sums.approved_minor += minor,
            Status::Paid => sums.paid_minor += minor,
            Status::Void => {}
        }
    }
    Ok(found)
}

/// Whether a payout was ever made.
pub async fn has_payouts(db: &mut Db, scope: Scope, filter: &Filter) -> Result<bool> {
    let all = conditions(db, scope, filter).await?;
    let sql = format!("select exists (select 1 from commissions e where {} and e.status = 'paid')", all.sql());
    all.bind(db.sql_built(sql)).scalar().await
}

/// The commissions of open orders by currency, from the stored rollup ([`crate::platform::rollups`]).
pub async fn expected(db: &mut Db, scope: Scope, iso: Option<IsoId>) -> Result<Vec<(Currency, i64)>> {
    let all = conditions(db, scope, &Filter { iso_id: iso, ..Filter::default() }).await?;
    let sql = format!(
        "select e.currency, cast(sum(e.minor) as bigint) from expected_commissions e where {} \
         group by e.currency having sum(e.minor) > 0 order by e.currency",
        all.sql()
    );
    all.bind(db.sql_built(sql)).all().await
}

/// The positive sums of what is approved and in no payout run, by partner and currency.
pub async fn due(db: &mut impl Sql) -> Result<Vec<PayoutPreview>> {
    db.sql(
        "select a.iso_id, i.first_name as iso_first_name, i.last_name as iso_last_name, a.currency, a.amount_minor, a.entries \
         from (select iso_id, currency, cast(sum(amount_minor) as bigint) as amount_minor, count(*) as entries \
         from commissions where status = 'approved' and payout_id is null group by iso_id, currency) a \
         join isos i on i.id = a.iso_id where a.amount_minor > 0 \
         order by i.first_name, i.last_name, a.currency, a.iso_id",
    )
    .all()
    .await
}

/// The next number of a year; its row stays locked until the transaction ends.
pub async fn next_number(tx: &mut Tx, year: i64) -> Result<i64> {
    tx.sql(
        "insert into payout_numbers (year, last) values ($1, 1) \
         on conflict (year) do update set last = payout_numbers.last + 1 returning last",
    )
    .bind(year)
    .scalar()
    .await
}

pub async fn insert_run(tx: &mut Tx, run: &Run) -> Result<()> {
    insert!(tx, "payout_runs", run).run().await?;
    Ok(())
}

/// Takes what is approved for one partner in one currency into a run, and says what that is in all. Only what this
/// transaction got hold of is counted.
pub async fn claim(tx: &mut Tx, id: PayoutId, run: PayoutRunId, iso: IsoId, currency: Currency) -> Result<i64> {
    insert!(tx, "payouts", {
        id,
        run_id: run,
        iso_id: iso,
        currency,
        amount_minor: 0_i64,
        entries: 0_i64,
    })
    .run()
    .await?;
    let rows: Vec<(i64,)> = tx
        .sql(
            "update commissions set payout_id = $1, version = version + 1 where iso_id = $2 and currency = $3 \
             and status = 'approved' and payout_id is null returning amount_minor",
        )
        .bind(id)
        .bind(iso)
        .bind(currency)
        .all()
        .await?;
    let total = rows.iter().map(|(minor,)| minor).sum();
    if total > 0 {
        tx.sql("update payouts set amount_minor = $2, entries = $3 where id = $1")
            .bind(id)
            .bind(total)
            .bind(rows.len() as i64)
            .run()
            .await?;
    } else {
        tx.sql("update commissions set payout_id = null where payout_id = $1").bind(id).run().await?;
        tx.sql("delete from payouts where id = $1").bind(id).run().await?;
    }
    Ok(total)
}

pub async fn run(db: &mut impl Sql, id: PayoutRunId) -> Result<Option<Run>> {
    db.sql_built(format!("select {RUN_COLUMNS} from payout_runs where id = $1")).bind(id).optional().await
}

pub async fn run_by_number(db: &mut Db, year: i64, number: i64) -> Result<Option<PayoutRunId>> {
    let row: Option<(PayoutRunId,)> =
        db.sql("select id from payout_runs where year = $1 and number = $2").bind(year).bind(number).optional().await?;
    Ok(row.map(|(id,)| id))
}

pub async fn lock_run(tx: &mut Tx, id: PayoutRunId) -> Result<Option<Run>> {
    let sql = format!("update payout_runs set version = version where id = $1 returning {RUN_COLUMNS}");
    tx.sql_built(sql).bind(id).optional().await
}

pub async fn runs(db: &mut Db, before: Option<(i64, i64)>, limit: usize) -> Result<Vec<Run>> {
    let narrow = before.map(|(year, number)| format!("where (year, number) < ({year}, {number})")).unwrap_or_default();
    db.sql_built(format!(
        "select {RUN_COLUMNS} from payout_runs {narrow} order by year desc, number desc limit {limit}"
    ))
    .all()
    .await
}

/// The transfers of these runs, by payee.
pub async fn payouts(db: &mut impl Sql, runs: &[PayoutRunId]) -> Result<Vec<Payout>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let which = params(runs.len(), 1);
    let text = format!(
        "select p.id, p.run_id, p.iso_id, p.currency, p.amount_minor, p.entries, i.first_name as iso_first_name, i.last_name as iso_last_name, i.email as iso_email, i.company_id, \
         k.name as company_name from payouts p join isos i on i.id = p.iso_id join companies k on k.id = i.company_id \
         where p.run_id in ({which}) order by i.first_name, i.last_name, p.currency, p.id"
    );
    runs.iter().fold(db.sql_built(text), |query, id| query.bind(*id)).all().await
}

/// The runs that were recorded as paid after this time.
pub async fn paid_since(tx: &mut Tx, since: DateTime<Utc>) -> Result<Vec<PayoutRunId>> {
    let rows: Vec<(PayoutRunId,)> =
        tx.sql("select id from payout_runs where status = 'paid' and updated_at > $1").bind(since).all().await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Closes a run: paid on a date, or discarded.
pub async fn end_run(tx: &mut Tx, run: &Run) -> Result<()> {
    tx.sql("update payout_runs set status = $2, paid_date = $3, updated_at = $4, updated_by = $5, version = $6 where id = $1")
        .bind(run.id)
        .bind(run.status)
        .bind(run.paid_date)
        .bind(run.updated_at)
        .bind(run.updated_by.clone())
        .bind(run.version)
        .run()
        .await?;
    let rows = match run.status {
        RunStatus::Paid => tx.sql(
            "update commissions set status = 'paid', paid_date = $2, updated_at = $3, updated_by = $4, \
             version = version + 1 where payout_id in (select id from payouts where run_id = $1)",
        ),
        _ => tx.sql(
            // An order may have been reopened meanwhile: what was approved is looked at again.
            "update commissions set payout_id = null, status = 'pending', paid_date = $2, updated_at = $3, updated_by = $4, \
             version = version + 1 where payout_id in (select id from payouts where run_id = $1)",
        ),
    };
    rows.bind(run.id).bind(run.paid_date).bind(run.updated_at).bind(run.updated_by.clone()).run().await?;
    Ok(())
}
