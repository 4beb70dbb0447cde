//! SQL of imports.
use super::{ImportTotals, Kind};
use crate::kernel::{
    ctx::Ctx,
    db::{Db, Dialect, Sql, Tx, for_update},
    error::{Error, Result},
    ids::{CompanyId, ImportId, SpvId, UserId},
    text::unique_key,
};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use uuid::Uuid;

/// How long an import can be undone.
pub const UNDO_PERIOD: Duration = Duration::hours(24);

/// Imports in a list.
const LISTED: i64 = 50;

/// A recorded import: one that created rows.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ImportRecord {
    pub id: ImportId,
    pub kind: Kind,
    pub file_name: String,
    pub created_at: DateTime<Utc>,
    pub created_by: String,
    pub created_rows: i64,
    pub updated_rows: i64,
    pub present_rows: i64,
    pub differing_rows: i64,
    pub rejected_rows: i64,
    /// Rows that an undo has removed.
    pub removed_rows: i64,
    pub undone_at: Option<DateTime<Utc>>,
}

impl ImportRecord {
    /// Until when it can be undone.
    pub fn undo_until(&self) -> DateTime<Utc> {
        self.created_at + UNDO_PERIOD
    }
}

const SELECT: &str = "select id, kind, file_name, created_at, created_by, created_rows, updated_rows, present_rows, \
    differing_rows, rejected_rows, removed_rows, undone_at from imports";

/// A row that an import created.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CreatedRow {
    pub subject_id: Uuid,
    pub line: i64,
    pub label: String,
    pub version: i64,
    pub created_at: DateTime<Utc>,
}

/// The newest imports.
pub async fn list(db: &mut Db) -> Result<Vec<ImportRecord>> {
    db.sql_built(format!("{SELECT} order by created_at desc, id desc limit $1")).bind(LISTED).all().await
}

pub async fn get(db: &mut impl Sql, id: ImportId) -> Result<Option<ImportRecord>> {
    db.sql_built(format!("{SELECT} where id = $1")).bind(id).optional().await
}

/// Locks an import until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ImportId) -> Result<ImportRecord> {
    let lock = for_update(tx.dialect(), "imports");
    let found = tx.sql_built(format!("{SELECT} where id = $1{lock}")).bind(id).optional().await?;
    found.ok_or(Error::NotFound("import"))
}

/// Records an import before its first rows.
pub async fn record(tx: &mut Tx, ctx: &Ctx, id: ImportId, kind: Kind, file_name: &str) -> Result<()> {
    tx.sql(
        "insert into imports (id, kind, file_name, created_at, created_by, created_rows, updated_rows, present_rows, \
         differing_rows, rejected_rows) values ($1, $2, $3, $4, $5, 0, 0, 0, 0, 0) on conflict (id) do nothing",
    )
    .bind(id)
    .bind(kind)
    .bind(file_name.to_owned())
    .bind(ctx.now())
    .bind(ctx.actor_name())
    .run()
    .await?;
    Ok(())
}

/// Deletes the rows of imports that can no longer be undone: their labels are names of people.
pub async fn delete_expired_rows(tx: &mut Tx, at: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from import_rows where import_id in (select id from imports where created_at < $1)")
        .bind(at - UNDO_PERIOD)
        .run()
        .await
}

/// The table of the rows of a kind, and the version of a row. A payment has none, as it never changes.
fn table(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Clients => ("users", "version"),
        Kind::Companies => ("companies", "version"),
        Kind::Isos => ("isos", "version"),
        Kind::Spvs => ("spvs", "version"),
        Kind::Invoices => ("invoices", "version"),
        Kind::Payments => ("invoice_payments", "1"),
    }
}

/// Records a row that an import has created, with its version.
pub async fn record_row(
    tx: &mut Tx,
    ctx: &Ctx,
    (id, kind): (ImportId, Kind),
    subject: Uuid,
    line: usize,
    label: &str,
) -> Result<()> {
    let (table, version) = table(kind);
    let sql = format!(
        "insert into import_rows (import_id, subject_id, line, label, created_at, version) \
         select cast($1 as {uuid}), id, cast($3 as bigint), cast($4 as text), {at}, {version} from {table} where id = $2",
        uuid = if tx.dialect() == Dialect::Postgres { "uuid" } else { "blob" },
        at = if tx.dialect() == Dialect::Postgres { "cast($5 as timestamptz)" } else { "$5" },
    );
    let line = i64::try_from(line).map_err(Error::internal)?;
    tx.sql_built(sql).bind(id).bind(subject).bind(line).bind(label.to_owned()).bind(ctx.now()).run().await?;
    Ok(())
}

/// Counts the new rows of a batch.
pub async fn count_created(tx: &mut Tx, id: ImportId, rows: i64) -> Result<()> {
    if rows > 0 {
        let sql = "update imports set created_rows = created_rows + $2 where id = $1";
        tx.sql(sql).bind(id).bind(rows).run().await?;
    }
    Ok(())
}

/// Saves the other totals of a finished import.
pub async fn save_totals(tx: &mut Tx, id: ImportId, totals: &ImportTotals) -> Result<()> {
    let count = |rows: u64| i64::try_from(rows).map_err(Error::internal);
    tx.sql(
        "update imports set updated_rows = $2, present_rows = $3, differing_rows = $4, rejected_rows = $5 where id = $1",
    )
    .bind(id)
    .bind(count(totals.updated)?)
    .bind(count(totals.present)?)
    .bind(count(totals.differing)?)
    .bind(count(totals.rejected)?)
    .run()
    .await?;
    Ok(())
}

/// The rows that an import created and that were not removed, last line first; invoices by their number, the last first.
pub async fn created_rows(db: &mut Db, id: ImportId) -> Result<Vec<CreatedRow>> {
    db.sql(
        "select r.subject_id, r.line, r.label, r.version, r.created_at from import_rows r \
         left join invoices v on v.id = r.subject_id where r.import_id = $1 \
         order by v.year desc, v.number desc, r.line desc",
    )
    .bind(id)
    .all()
    .await
}

/// Notes that a row was removed.
pub async fn mark_removed(tx: &mut Tx, id: ImportId, row: &CreatedRow, at: DateTime<Utc>) -> Result<()> {
    tx.sql("delete from import_rows where import_id = $1 and subject_id = $2")
        .bind(id)
        .bind(row.subject_id)
        .run()
        .await?;
    tx.sql("update imports set removed_rows = removed_rows + 1, undone_at = $2 where id = $1")
        .bind(id)
        .bind(at)
        .run()
        .await?;
    Ok(())
}

/// Finds the company's order with this identifier. An order without an identifier is exported under its order number
/// (decision 7).
pub async fn find_existing(db: &mut Db, company: CompanyId, identifier: &str) -> Result<Option<SpvId>> {
    let key = unique_key(identifier);
    let (low, high) = id_range(&key).unzip();
    let found: Option<(SpvId,)> = db
        .sql(
            "select id from spvs where company_id = $1 and custom_identifier_key = $2 \
             union all select id from spvs where company_id = $1 and custom_identifier_key is null \
             and id >= $3 and id <= $4 limit 1",
        )
        .bind(company)
        .bind(key)
        .bind(low)
        .bind(high)
        .optional()
        .await?;
    Ok(found.map(|(id,)| id))
}

/// The orders of a client with this identifier, or order number. Up to two.
pub async fn orders_of_client(db: &mut Db, client: UserId, identifier: &str) -> Result<Vec<SpvId>> {
    let key = unique_key(identifier);
    let (low, high) = id_range(&key).unzip();
    let found: Vec<(SpvId,)> = db
        .sql(
            "select id from spvs where client_id = $1 and (custom_identifier_key = $2 \
             or custom_identifier_key is null and id >= $3 and id <= $4) order by id limit 2",
        )
        .bind(client)
        .bind(key)
        .bind(low)
        .bind(high)
        .all()
        .await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Marks due dates until `soon` as already reminded, so that an import sends no reminders for what was overdue or
/// nearly so. What becomes overdue later is reminded.
pub async fn suppress_reminders(tx: &mut Tx, order: SpvId, today: NaiveDate, soon: NaiveDate) -> Result<()> {
    for table in ["spv_steps", "document_requests"] {
        let sql = format!(
            "update {table} set warned_date = $2, reminded_date = case when due_date < $2 then $2 end \
             where spv_id = $1 and due_date <= $3"
        );
        tx.sql_built(sql).bind(order).bind(today).bind(soon).run().await?;
    }
    Ok(())
}

/// Range of ids with this order number.
fn id_range(key: &str) -> Option<(Uuid, Uuid)> {
    let digits = key.strip_prefix("spv-")?;
    if digits.len() != 8 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((format!("{digits:0<32}").parse().ok()?, format!("{digits:f<32}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_number_has_eight_hex_digits() {
        let (low, high) = id_range("spv-1a2b3c4d").expect("a number");
        assert_eq!(low.to_string(), "1a2b3c4d-0000-0000-0000-000000000000");
        assert_eq!(high.to_string(), "1a2b3c4d-ffff-ffff-ffff-ffffffffffff");
        for other in ["spv-20261121120000", "spv-2026-001", "1a2b3c4d", "spv-", "spv-1a2b3c4é"] {
            assert_eq!(id_range(other), None, "{other}");
        }
    }
}
