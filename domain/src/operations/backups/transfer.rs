//! Transfers the portal into another database: dumps the rows as a backup does, loads them into the target and compares
//! both, in one transaction. Documents and signing keys stay where they are.
use super::{
    Progress, ProgressCallback, Purpose, ROWS_PER_REPORT, Target, create,
    directory::{StoredBackup, TempDir},
    dump::{self, list_tables, select_rows},
    event, jsonl, restore, store,
};
use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Db, ScopedFutureExt, Sql, Tx},
        error::{Error, Problem, Result},
        ids::BackupId,
    },
    platform::{activity, queue},
};
use chrono::Duration;
use futures::StreamExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{fs, io, path::Path, time::SystemTime};

/// Result of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferReport {
    pub tables: usize,
    pub rows: i64,
    /// Queued jobs, which run once a worker starts there.
    pub jobs: i64,
    /// Contents of documents. The target must have access to the same storage.
    pub documents: i64,
}

/// A completed and compared transfer, not yet committed. Dropping it rolls back.
#[must_use]
#[derive(Debug)]
pub struct DatabaseTransfer {
    tx: Tx,
    report: TransferReport,
}

const JOBS_PER_QUERY: i64 = 500;
/// Name of the temporary directory in the data directory.
const TEMP_DIR: &str = ".moving";
/// A temporary directory older than this belongs to no running transfer.
const STALE_AFTER: Duration = Duration::days(1);

/// Checks that no server and no worker runs on this database, and that `target`, if given, has no portal in use. The operator.
///
/// # Errors
/// Forbidden; Conflict `move_at_work`, `move_target`.
#[tracing::instrument(level = "debug", name = "backups.check_transfer", skip_all)]
pub async fn check_transfer(ctx: &Ctx, target: Option<&Db>) -> Result<()> {
    ctx.may(Action::Update, Resource::System)?;
    if store::is_served(&mut ctx.db(), ctx.now()).await? || queue::live_workers(ctx).await? > 0 {
        return Err(Error::conflict("move_at_work"));
    }
    match target {
        Some(target) if !target.is_empty().await? && store::is_used(&mut target.background()).await? => {
            Err(Error::conflict("move_target"))
        }
        _ => Ok(()),
    }
}

/// Copies every row into the empty `target` and compares both databases. The source is not changed. The operator.
///
/// # Errors
/// Forbidden; Conflict `move_at_work` while a worker runs here or a server ran within two minutes, `move_target` unless
/// `target` is empty, `move_refused` if it rejects a row, `move_differs` if rows were written here in the meantime;
/// Unavailable. Nothing is written in any of these cases.
#[tracing::instrument(level = "debug", name = "backups.begin_transfer", skip_all)]
pub async fn begin_transfer(ctx: &Ctx, target: &Db, on_progress: ProgressCallback<'_>) -> Result<DatabaseTransfer> {
    check_transfer(ctx, None).await?;
    let there = Ctx { db: target.background(), ..ctx.clone() };
    let dir = ctx.options.data_dir.clone().unwrap_or_else(std::env::temp_dir);
    let temp = TempDir::within(dir, TEMP_DIR).await?;
    let transfer = copy_and_compare(ctx, there, &temp.0, on_progress).await;
    temp.remove().await?;
    transfer
}

/// Copies every row into the empty `target` in one transaction, through the directory `at`. Records no activity.
///
/// # Errors
/// As [`begin_transfer`], if `target` is not empty or rejects a row.
pub(crate) async fn copy_into_empty(ctx: &Ctx, target: &Db, at: &Path) -> Result<()> {
    let refused = |e: io::Error| jsonl::unavailable(at, &e);
    tokio::fs::create_dir(at.join("tables")).await.map_err(refused)?;
    let there = Ctx { db: target.background(), ..ctx.clone() };
    let id = BackupId(ctx.random.uuid());
    let on_progress: ProgressCallback<'_> = &|_| ();
    let manifest =
        create::dump_rows(ctx, Purpose::Move, at, (id, &id.0.simple().to_string(), &ctx.actor_name()), on_progress)
            .await?;
    let dumped = StoredBackup { at: at.to_owned(), manifest };
    restore::check_target(&there, &dumped, Target::Empty).await.map_err(map_restore_error)?;
    let dumped = &dumped;
    there
        .transaction(|tx| {
            async move {
                restore::load_all(tx, Purpose::Move, dumped, Target::Empty, on_progress)
                    .await
                    .map_err(map_restore_error)?;
                tx.analyze().await
            }
            .scope_boxed()
        })
        .await
}

/// Removes the directory of an interrupted transfer, which holds every row of the portal.
///
/// # Errors
/// Unavailable.
pub(super) async fn remove_stale(ctx: &Ctx) -> Result<()> {
    // The system's temporary directory is shared with other programs.
    let Some(dir) = &ctx.options.data_dir else { return Ok(()) };
    let (left, before) = (dir.join(TEMP_DIR), SystemTime::from(ctx.now() - STALE_AFTER));
    jsonl::run_blocking(move || {
        let begun = match fs::symlink_metadata(&left).and_then(|about| about.modified()) {
            Ok(begun) => begun,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(jsonl::unavailable(&left, &e)),
        };
        if begun < before {
            fs::remove_dir_all(&left).map_err(|e| jsonl::unavailable(&left, &e))?;
        }
        Ok(())
    })
    .await
}

impl DatabaseTransfer {
    /// Commits the transfer.
    ///
    /// # Errors
    /// Errors of the target database.
    pub async fn commit(self) -> Result<TransferReport> {
        self.tx.commit().await?;
        Ok(self.report)
    }
}

async fn copy_and_compare(
    ctx: &Ctx,
    there: Ctx,
    at: &Path,
    on_progress: ProgressCallback<'_>,
) -> Result<DatabaseTransfer> {
    let refused = |e: io::Error| jsonl::unavailable(at, &e);
    tokio::fs::create_dir(at.join("tables")).await.map_err(refused)?;
    let id = BackupId(ctx.random.uuid());
    let name = id.0.simple().to_string();
    // Counted first: a failure after the commit would report a successful transfer as failed.
    let jobs = queue::unfinished(ctx).await?.waiting;
    let manifest = create::dump_rows(ctx, Purpose::Move, at, (id, &name, &ctx.actor.name()), on_progress).await?;
    let dumped = StoredBackup { at: at.to_owned(), manifest };
    restore::check_target(&there, &dumped, Target::Empty).await.map_err(map_restore_error)?;
    let mut tx = there.db.begin_bulk().await?;
    restore::load_all(&mut tx, Purpose::Move, &dumped, Target::Empty, on_progress).await.map_err(map_restore_error)?;
    compare(ctx, &mut tx, on_progress).await?;
    activity::append(&mut tx, &there, event("backup.moved", id, "the portal")).await?;
    tx.analyze().await?;
    let manifest = dumped.manifest;
    let report = TransferReport {
        tables: manifest.tables.len(),
        rows: manifest.rows(),
        jobs,
        documents: manifest.documents.lines,
    };
    Ok(DatabaseTransfer { tx, report })
}

/// Maps errors of a restore to those of a transfer.
fn map_restore_error(error: Error) -> Error {
    match error {
        Error::Conflict(problem) if problem.code.starts_with("portal_") => Error::conflict("move_target"),
        Error::Conflict(problem) if problem.code == "backup_damaged" => {
            let reason = problem.params.get("reason").cloned().unwrap_or_default();
            Error::Conflict(Problem::new("move_refused").with("reason", reason))
        }
        error => error,
    }
}

/// Compares all rows and jobs of both databases.
async fn compare(ctx: &Ctx, there: &mut Tx, on_progress: ProgressCallback<'_>) -> Result<()> {
    let differs = |table: &str| Error::Conflict(Problem::new("move_differs").with("table", table));
    let mut here = ctx.db.snapshot().await?;
    let all = list_tables(&mut here).await?;
    let theirs = list_tables(there).await?;
    let all: Vec<_> = all.into_iter().filter(|table| !Purpose::Move.excludes(&table.name)).collect();
    let (mut done, of) = (0, dump::count_all(&mut here, &all).await?);
    on_progress(Progress::Compared { done, of });
    for table in &all {
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut read = RowsDigest::default();
        let mut rows = here.lines(select_rows(here.dialect(), table));
        while let Some(row) = rows.next().await {
            read.add(&names, &row?);
            done += 1;
            if done % ROWS_PER_REPORT == 0 {
                on_progress(Progress::Compared { done, of });
            }
        }
        drop(rows);
        let other = theirs.iter().find(|other| other.name == table.name);
        let other = other.ok_or_else(|| Error::internal(format!("{} was not made there", table.name)))?;
        let names: Vec<&str> = other.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut found = RowsDigest::default();
        there.for_each_line(select_rows(there.dialect(), other), |row| found.add(&names, row)).await?;
        if found != read {
            return Err(differs(&table.name));
        }
    }
    let mut after = String::new();
    loop {
        let ours = queue::jobs_for_backup(&mut here, true, &after, JOBS_PER_QUERY).await?;
        let theirs = queue::jobs_for_backup(there, true, &after, JOBS_PER_QUERY).await?;
        // A running job is queued again in the target, so the status is not compared.
        let what = |job: &queue::JobBackup| (job.id.clone(), job.envelope.job.clone(), job.envelope.payload.clone());
        if !ours.iter().map(what).eq(theirs.iter().map(what)) {
            return Err(differs("jobs"));
        }
        let Some(last) = ours.last() else { break };
        after.clone_from(&last.id);
    }
    here.close().await;
    Ok(())
}

/// Order-independent digest of the rows of a table: their number and the sum of their hashes.
#[derive(Debug, Default, PartialEq, Eq)]
struct RowsDigest {
    count: i64,
    sum: u128,
}

impl RowsDigest {
    /// Sorts cells by column name: databases order columns differently, and PostgreSQL reorders JSON keys.
    fn add(&mut self, names: &[&str], line: &str) {
        let values: Vec<Value> = serde_json::from_str(line).unwrap_or_default();
        let mut cells: Vec<(&str, Value)> = names.iter().copied().zip(values.into_iter().map(normalize_json)).collect();
        cells.sort_by_key(|(name, _)| *name);
        let hash = Sha256::digest(serde_json::to_vec(&cells).unwrap_or_default());
        let half: [u8; 16] = std::array::from_fn(|n| hash[n]);
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
    }
}

/// Parses a string with a JSON object or array.
fn normalize_json(value: Value) -> Value {
    match value.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(inside @ (Value::Object(_) | Value::Array(_)))) => normalize_numbers(inside),
        _ => value,
    }
}

/// Rounds numbers other than small integers to fifteen digits, as PostgreSQL writes 1e+16 as 10000000000000000.
fn normalize_numbers(value: Value) -> Value {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) if number.as_i64().is_none_or(|exact| exact.unsigned_abs() >= EXACT) => {
            // Adding 0.0 turns -0.0 into 0.0.
            Value::String(format!("{:.14e}", number.as_f64().unwrap_or_default() + 0.0))
        }
        Value::Array(all) => all.into_iter().map(normalize_numbers).collect(),
        Value::Object(all) => all.into_iter().map(|(name, value)| (name, normalize_numbers(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str], lines: &[&str]) -> RowsDigest {
        let mut rows = RowsDigest::default();
        lines.iter().for_each(|line| rows.add(names, line));
        rows
    }

    #[test]
    fn digest_ignores_number_formats() {
        let data = |number: &str| rows(&["data"], &[&format!(r#"["{{\"n\":[{number}]}}"]"#)]);
        for (sqlite, postgres) in
            [("1e+16", "10000000000000000"), ("-0.0", "0.0"), ("1.5e-7", "0.00000015"), ("7", "7"), ("0.5", "0.5")]
        {
            assert_eq!(data(sqlite), data(postgres), "{sqlite}");
        }
        for (one, other) in
            [("1e+16", "1.1e+16"), ("7", "8"), ("0.5", "0.25"), ("9007199254740991", "9007199254740990")]
        {
            assert_ne!(data(one), data(other), "{one}");
        }
    }

    #[test]
    fn digest_ignores_order_and_detects_any_changed_cell() {
        let here = rows(&["id", "data"], &[r#"["a", "{\"x\":1,\"y\":2}"]"#, r#"["b", null]"#]);
        assert_eq!(here, rows(&["data", "id"], &[r#"[null, "b"]"#, r#"["{\"y\": 2, \"x\": 1}", "a"]"#]));
        for others in [
            &[r#"["a", "{\"x\":1,\"y\":2}"]"#][..],
            &[r#"["a", "{\"x\":1,\"y\":3}"]"#, r#"["b", null]"#],
            &[r#"["a", "{\"x\":1,\"y\":2}"]"#, r#"["b", ""]"#],
            &[r#"["a", "{\"x\":1,\"y\":2}"]"#, r#"["b", null]"#, r#"["b", null]"#],
        ] {
            assert_ne!(here, rows(&["id", "data"], others), "{others:?}");
        }
    }
}
