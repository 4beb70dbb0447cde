//! Moves the portal into another database: its rows are written as a backup's are, put back there, and compared with
//! those that are here, in one transaction. Documents and signing keys stay where they are.
use super::{
    Progress, Purpose, Tell, event,
    folder::{Kept, Trial},
    lines, make, restore, store,
    tables::{dump, tables},
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

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    pub tables: usize,
    pub rows: i64,
    /// Jobs that wait, and go on when a worker runs there.
    pub jobs: i64,
    /// Contents of documents, which are to be found there where they are found here.
    pub documents: i64,
}

/// A portal that has arrived and is alike, and is there for good once it is kept. Dropped, nothing is there.
#[must_use]
#[derive(Debug)]
pub struct Moving {
    tx: Tx,
    moved: Moved,
}

/// Jobs read at a time.
const JOBS: i64 = 500;
/// The rows on their way, in the data folder.
const ROOM: &str = ".moving";
/// How old these are when nobody can be moving them any more.
const LEFT: Duration = Duration::days(1);
/// How long ago, in minutes, a server that beats every minute may have stopped and be taken for one that goes on.
const BEAT: i64 = 1;

/// Copies every row into `target`, which is empty, and looks whether all are there as they are here. This database stays
/// as it is. The operator.
///
/// # Errors
/// Forbidden; Conflict `move_at_work` while a worker runs here or a server was here within two minutes, `move_target`
/// unless `target` is empty, `move_refused` when it does not take a row, `move_differs` when somebody went on writing
/// meanwhile; Unavailable. Then no row is there that was not there before.
pub async fn begin_move(ctx: &Ctx, target: &Db, tell: Tell<'_>) -> Result<Moving> {
    ctx.may(Action::Update, Resource::System)?;
    let this_minute = ctx.now().timestamp().div_euclid(60);
    let beat = store::last_beat(&mut ctx.db()).await?;
    if beat.is_some_and(|minute| minute >= this_minute - BEAT) || queue::live_workers(ctx).await? > 0 {
        return Err(Error::conflict("move_at_work"));
    }
    let there = Ctx { db: target.background(), ..ctx.clone() };
    let room = ctx.options.data_dir.clone().unwrap_or_else(std::env::temp_dir);
    let trial = Trial::within(room, ROOM).await?;
    let moving = filled(ctx, there, &trial.0, tell).await;
    trial.over().await?;
    moving
}

/// Copies every row into `target`, which is empty, in one transaction, by way of the folder `at`. Nothing is noted of it.
///
/// # Errors
/// As of [`begin_move`], when `target` is not empty or does not take a row.
pub(crate) async fn copy_into_empty(ctx: &Ctx, target: &Db, at: &Path) -> Result<()> {
    let refused = |e: io::Error| lines::unavailable(at, &e);
    tokio::fs::create_dir(at.join("tables")).await.map_err(refused)?;
    let there = Ctx { db: target.background(), ..ctx.clone() };
    let id = BackupId(ctx.chance.uuid());
    let tell: Tell<'_> = &|_| ();
    let manifest = make::rows(ctx, Purpose::Move, at, (id, &id.0.simple().to_string(), &ctx.who()), tell).await?;
    let kept = Kept { at: at.to_owned(), manifest };
    restore::welcome(&there, &kept).await.map_err(of_move)?;
    let kept = &kept;
    there
        .transaction(|tx| {
            async move {
                restore::fill(tx, Purpose::Move, kept, tell).await.map_err(of_move)?;
                tx.analyze().await
            }
            .scope_boxed()
        })
        .await
}

/// Takes away what a move left that was killed: every row of the portal lies there.
///
/// # Errors
/// Unavailable.
pub(super) async fn clear(ctx: &Ctx) -> Result<()> {
    // Elsewhere it may be anybody's.
    let Some(room) = &ctx.options.data_dir else { return Ok(()) };
    let (left, before) = (room.join(ROOM), SystemTime::from(ctx.now() - LEFT));
    lines::aside(move || {
        let begun = match fs::symlink_metadata(&left).and_then(|about| about.modified()) {
            Ok(begun) => begun,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(lines::unavailable(&left, &e)),
        };
        if begun < before {
            fs::remove_dir_all(&left).map_err(|e| lines::unavailable(&left, &e))?;
        }
        Ok(())
    })
    .await
}

impl Moving {
    /// From now on the portal is there.
    ///
    /// # Errors
    /// What the other database refuses.
    pub async fn keep(self) -> Result<Moved> {
        self.tx.commit().await?;
        Ok(self.moved)
    }
}

async fn filled(ctx: &Ctx, there: Ctx, at: &Path, tell: Tell<'_>) -> Result<Moving> {
    let refused = |e: io::Error| lines::unavailable(at, &e);
    tokio::fs::create_dir(at.join("tables")).await.map_err(refused)?;
    let id = BackupId(ctx.chance.uuid());
    let name = id.0.simple().to_string();
    // Counted before anything is kept there: what fails afterwards would tell of a move that was made as of none.
    let jobs = queue::unfinished(ctx).await?.waiting;
    let manifest = make::rows(ctx, Purpose::Move, at, (id, &name, &ctx.actor.name()), tell).await?;
    let kept = Kept { at: at.to_owned(), manifest };
    restore::welcome(&there, &kept).await.map_err(of_move)?;
    let mut tx = there.db.begin_bulk().await?;
    restore::fill(&mut tx, Purpose::Move, &kept, tell).await.map_err(of_move)?;
    alike(ctx, &mut tx, tell).await?;
    activity::append(&mut tx, &there, event("backup.moved", id, "the portal")).await?;
    tx.analyze().await?;
    let manifest = kept.manifest;
    let moved =
        Moved { tables: manifest.tables.len(), rows: manifest.rows(), jobs, documents: manifest.documents.lines };
    Ok(Moving { tx, moved })
}

/// What a restore says of a portal that is not empty and of a backup is not what a move says.
fn of_move(error: Error) -> Error {
    match error {
        Error::Conflict(problem) if problem.code.starts_with("portal_") => Error::conflict("move_target"),
        Error::Conflict(problem) if problem.code == "backup_damaged" => {
            let reason = problem.params.get("reason").cloned().unwrap_or_default();
            Error::Conflict(Problem::new("move_refused").with("reason", reason))
        }
        error => error,
    }
}

/// Whether what is here by now has all the rows and jobs that were put there, and no others.
async fn alike(ctx: &Ctx, there: &mut Tx, tell: Tell<'_>) -> Result<()> {
    let differs = |table: &str| Error::Conflict(Problem::new("move_differs").with("table", table));
    let mut here = ctx.db.snapshot().await?;
    let all = tables(&mut here).await?;
    let theirs = tables(there).await?;
    for (n, table) in all.iter().enumerate().filter(|(_, table)| !Purpose::Move.leaves_out(&table.name)) {
        tell(Progress::Compared { name: &table.name, nth: n + 1, of: all.len() });
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut read = Rows::default();
        let mut rows = here.lines(dump(here.dialect(), table));
        while let Some(row) = rows.next().await {
            read.add(&names, &row?);
        }
        drop(rows);
        let other = theirs.iter().find(|other| other.name == table.name);
        let other = other.ok_or_else(|| Error::internal(format!("{} was not made there", table.name)))?;
        let names: Vec<&str> = other.columns.iter().map(|(name, _)| name.as_str()).collect();
        let mut found = Rows::default();
        there.for_each_line(dump(there.dialect(), other), |row| found.add(&names, row)).await?;
        if found != read {
            return Err(differs(&table.name));
        }
    }
    let mut after = String::new();
    loop {
        let ours = queue::jobs_for_backup(&mut here, true, &after, JOBS).await?;
        let theirs = queue::jobs_for_backup(there, true, &after, JOBS).await?;
        // One that was being done is to be begun again there: its status is another.
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

/// Rows of a table, in whatever order: how many there are, and a sum of their hashes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rows {
    count: i64,
    sum: u128,
}

impl Rows {
    /// Databases give columns in orders of their own, and PostgreSQL writes the names in JSON in another than they came.
    fn add(&mut self, names: &[&str], line: &str) {
        let values: Vec<Value> = serde_json::from_str(line).unwrap_or_default();
        let mut cells: Vec<(&str, Value)> = names.iter().copied().zip(values.into_iter().map(meant)).collect();
        cells.sort_by_key(|(name, _)| *name);
        let hash = Sha256::digest(serde_json::to_vec(&cells).unwrap_or_default());
        let half: [u8; 16] = std::array::from_fn(|n| hash[n]);
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from_be_bytes(half));
    }
}

/// A text of JSON, as what it means.
fn meant(value: Value) -> Value {
    match value.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(inside @ (Value::Object(_) | Value::Array(_)))) => alike_numbers(inside),
        _ => value,
    }
}

/// Numbers that are no small integers as their first fifteen digits: PostgreSQL writes 1e+16 as 10000000000000000.
fn alike_numbers(value: Value) -> Value {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) if number.as_i64().is_none_or(|exact| exact.unsigned_abs() >= EXACT) => {
            // Nothing is added but to -0.0, which is 0 then.
            Value::String(format!("{:.14e}", number.as_f64().unwrap_or_default() + 0.0))
        }
        Value::Array(all) => all.into_iter().map(alike_numbers).collect(),
        Value::Object(all) => all.into_iter().map(|(name, value)| (name, alike_numbers(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str], lines: &[&str]) -> Rows {
        let mut rows = Rows::default();
        lines.iter().for_each(|line| rows.add(names, line));
        rows
    }

    #[test]
    fn a_number_is_alike_however_a_database_writes_it() {
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
    fn rows_are_alike_in_any_order_and_unlike_by_any_cell() {
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
