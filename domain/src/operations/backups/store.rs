//! SQL of backups: requests for backups and their outcomes.
use super::manifest::Manifest;
use crate::kernel::{
    db::{ColumnKind, Db, Dialect, Row, Sql, Tx, insert, json_row},
    error::Result,
    ids::BackupId,
};
use chrono::{DateTime, Duration, Utc};

crate::kernel::text_enum! {
    #[schema(as = BackupState)]
    pub enum State {
        Queued = "queued",
        Running = "running",
        Done = "done",
        Failed = "failed",
    }
}

crate::kernel::db::row! {
    /// A backup that was requested on this installation.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Backup {
        pub id: BackupId,
        /// Name of its directory and argument of `spvctl backup`.
        pub name: String,
        pub state: State,
        pub asked_at: DateTime<Utc>,
        pub asked_by: String,
        /// Time of the snapshot.
        pub made_at: Option<DateTime<Utc>>,
        pub finished_at: Option<DateTime<Utc>>,
        pub rows_count: i64,
        pub documents_count: i64,
        /// Number of these that could not be read.
        pub documents_missing: i64,
        pub bytes: i64,
        /// Why it failed; for a completed one, the names of its missing documents.
        pub error: Option<String>,
        /// Path of the backup directory; none before it starts.
        pub folder: Option<String>,
        /// When it was copied to another storage.
        pub copied_at: Option<DateTime<Utc>>,
        /// Why the last attempt to copy it failed.
        pub copy_error: Option<String>,
    }
}

impl Backup {
    /// Whether its files are still in the folder where they were written.
    pub fn is_there(&self) -> bool {
        let folder = self.folder.as_ref().map(std::path::Path::new);
        folder.is_some_and(|folder| folder.join(&self.name).join(super::manifest::FILE).is_file())
    }

    /// Completed with missing documents.
    pub fn is_incomplete(&self) -> bool {
        self.state == State::Done && self.documents_missing > 0
    }
}

/// A queued backup older than this has no job any more, however often it was retried.
const QUEUED_TIMEOUT: Duration = Duration::days(1);
/// How many full minutes ago a server that still runs has written its heartbeat at most.
const HEARTBEAT_MINUTES: i64 = 1;
/// Maximum number of missing documents named in a row.
const NAMED: usize = 10;

const COLUMNS: &str = Backup::LIST;

pub async fn list(db: &mut Db, limit: usize) -> Result<Vec<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups order by asked_at desc, id desc limit {limit}")).all().await
}

pub async fn get(db: &mut impl Sql, id: BackupId) -> Result<Option<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups where id = $1")).bind(id).optional().await
}

/// The newest complete backup.
pub async fn last_good(db: &mut Db) -> Result<Option<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups where state = 'done' order by made_at desc limit 1"))
        .optional()
        .await
}

/// Whether a complete backup is recorded in this directory.
pub async fn has_backup_in(db: &mut Db, folder: &str) -> Result<bool> {
    let sql = "select exists (select 1 from backups where state = 'done' and folder = $1)";
    db.sql(sql).bind(folder.to_owned()).scalar().await
}

/// Whether a backup is queued or running. Older ones than `since` count as dead.
pub async fn has_pending(tx: &mut Tx, since: DateTime<Utc>) -> Result<bool> {
    tx.sql("select exists (select 1 from backups where state in ('queued', 'running') and asked_at >= $1)")
        .bind(since)
        .scalar()
        .await
}

pub async fn insert(tx: &mut Tx, id: BackupId, name: &str, at: DateTime<Utc>, by: &str) -> Result<()> {
    insert!(tx, "backups", {
        id,
        name: name.to_owned(),
        state: State::Queued,
        asked_at: at,
        asked_by: by.to_owned(),
    })
    .run()
    .await?;
    Ok(())
}

/// Marks a backup as running. The caller holds the lock of the directory, so others running there were interrupted, as
/// were those queued for longer than [`QUEUED_TIMEOUT`].
pub async fn begin(tx: &mut Tx, id: BackupId, at: DateTime<Utc>, folder: &str) -> Result<()> {
    tx.sql(
        "update backups set state = 'failed', finished_at = $2, error = $3 \
         where id <> $1 and ((state = 'running' and folder = $5) or (state = 'queued' and asked_at < $4))",
    )
    .bind(id)
    .bind(at)
    .bind("it was interrupted")
    .bind(at - QUEUED_TIMEOUT)
    .bind(folder.to_owned())
    .run()
    .await?;
    tx.sql("update backups set state = 'running', folder = $2 where id = $1")
        .bind(id)
        .bind(folder.to_owned())
        .run()
        .await?;
    Ok(())
}

/// Marks a backup as done, with the figures of its manifest.
pub async fn finish(tx: &mut Tx, manifest: &Manifest, folder: &str, at: DateTime<Utc>) -> Result<()> {
    upsert_done(tx, manifest, folder, at, true).await
}

/// Saves when a backup was copied, or why not; returns its id, None where it has no row.
pub async fn save_copy(
    tx: &mut Tx,
    name: &str,
    copied_at: Option<DateTime<Utc>>,
    error: Option<&str>,
) -> Result<Option<BackupId>> {
    let row: Option<(BackupId,)> = tx
        .sql("update backups set copied_at = coalesce($2, copied_at), copy_error = $3 where name = $1 returning id")
        .bind(name.to_owned())
        .bind(copied_at)
        .bind(error.map(str::to_owned))
        .optional()
        .await?;
    Ok(row.map(|(id,)| id))
}

/// Adds a row for a backup in the directory that has none.
pub async fn adopt(tx: &mut Tx, manifest: &Manifest, folder: &str) -> Result<()> {
    upsert_done(tx, manifest, folder, manifest.made_at, false).await
}

async fn upsert_done(tx: &mut Tx, manifest: &Manifest, folder: &str, at: DateTime<Utc>, over: bool) -> Result<()> {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let or = if over {
        "update set state = 'done', made_at = excluded.made_at, finished_at = excluded.finished_at, \
         rows_count = excluded.rows_count, documents_count = excluded.documents_count, \
         documents_missing = excluded.documents_missing, bytes = excluded.bytes, error = excluded.error, \
         folder = excluded.folder"
    } else {
        "nothing"
    };
    tx.sql_built(format!(
        "insert into backups (id, name, state, asked_at, asked_by, made_at, finished_at, rows_count, documents_count, \
         documents_missing, bytes, error, folder) values ($1, $2, 'done', $3, $4, $3, $5, $6, $7, $8, $9, $10, $11) \
         on conflict (name) do {or}"
    ))
    .bind(manifest.id)
    .bind(manifest.name.clone())
    .bind(manifest.made_at)
    .bind(manifest.made_by.clone())
    .bind(at)
    .bind(manifest.rows())
    .bind(manifest.documents.lines)
    .bind(i64::try_from(manifest.missing.len()).unwrap_or(i64::MAX))
    .bind(number(manifest.bytes()))
    .bind(missing_names(manifest))
    .bind(folder.to_owned())
    .run()
    .await?;
    Ok(())
}

/// Names of the missing documents.
fn missing_names(manifest: &Manifest) -> Option<String> {
    let mut names = manifest.missing_documents();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// Original file name of a content.
pub async fn original_file_name(db: &mut Db, key: &str) -> Result<Option<String>> {
    let sql = "select file_name from document_versions where storage_key = $1 order by created_at limit 1";
    Ok(db.sql(sql).bind(key.to_owned()).optional::<(String,)>().await?.map(|(name,)| name))
}

/// Time of the last restore, also if its activity row has no sequence number yet.
pub async fn restored_at(db: &mut Db) -> Result<Option<DateTime<Utc>>> {
    let sql = "select max(at) from (select max(at) as at from activity where seq is not null \
               and action = 'backup.restored' union all select max(at) from activity where seq is null \
               and action = 'backup.restored') as restored";
    db.sql(sql).scalar().await
}

/// Marks a backup as failed. Returns false if it is done.
pub async fn fail(tx: &mut Tx, id: BackupId, at: DateTime<Utc>, why: &str) -> Result<bool> {
    let sql = "update backups set state = 'failed', finished_at = $2, error = $3 where id = $1 and state <> 'done'";
    Ok(tx.sql(sql).bind(id).bind(at).bind(why.to_owned()).run().await? == 1)
}

/// Deletes the rows of removed backups, and old failures.
pub async fn delete_obsolete(tx: &mut Tx, names: &[String], failed_before: DateTime<Utc>) -> Result<()> {
    for name in names {
        tx.sql("delete from backups where name = $1").bind(name.clone()).run().await?;
    }
    tx.sql("delete from backups where state = 'failed' and asked_at < $1").bind(failed_before).run().await?;
    Ok(())
}

/// SQL for each content of a document as a JSON line: key, size, hash.
pub fn contents(dialect: Dialect) -> String {
    let columns = [
        ("key", "v.storage_key", ColumnKind::Plain),
        ("bytes", "v.bytes", ColumnKind::Plain),
        ("sha256", "v.sha256", ColumnKind::Plain),
    ];
    format!(
        "select cast({} as text) from (select distinct storage_key, bytes, sha256 from document_versions) v",
        json_row(dialect, &columns)
    )
}

/// Whether there is an account or a company.
pub async fn is_used(db: &mut impl Sql) -> Result<bool> {
    db.sql("select exists (select 1 from users) or exists (select 1 from companies)").scalar().await
}

/// Time of the first heartbeat, and whether there was one in the ten minutes before `then`.
pub async fn uptime(db: &mut Db, then: DateTime<Utc>) -> Result<(Option<DateTime<Utc>>, bool)> {
    let minute = then.timestamp().div_euclid(60);
    let sql = "select (select min(minute) from heartbeats), \
               exists (select 1 from heartbeats where minute > $1 and minute <= $2)";
    let (first, then): (Option<i64>, bool) =
        db.sql(sql).bind(minute - Duration::minutes(10).num_minutes()).bind(minute).one().await?;
    Ok((first.and_then(|minute| DateTime::from_timestamp(minute * 60, 0)), then))
}

/// Minute of the last heartbeat of a server.
async fn last_heartbeat(db: &mut Db) -> Result<Option<i64>> {
    db.sql("select max(minute) from heartbeats").scalar().await
}

/// Whether a server ran within the last two minutes.
pub async fn is_served(db: &mut Db, now: DateTime<Utc>) -> Result<bool> {
    let this_minute = now.timestamp().div_euclid(60);
    Ok(last_heartbeat(db).await?.is_some_and(|minute| minute >= this_minute - HEARTBEAT_MINUTES))
}

/// Tables with dangling foreign keys, which only SQLite admits during a restore.
pub async fn orphans(tx: &mut Tx) -> Result<Vec<(String, String)>> {
    match tx.dialect() {
        Dialect::Sqlite => {
            tx.sql("select distinct \"table\", parent from pragma_foreign_key_check limit 20").all().await
        }
        Dialect::Postgres => Ok(Vec::new()),
    }
}

/// Storage keys of documents in alphabetical order, after one of them.
pub async fn storage_keys(db: &mut Db, after: &str, limit: i64) -> Result<Vec<(String,)>> {
    let sql = "select distinct storage_key from document_versions where storage_key > $1 order by storage_key limit $2";
    db.sql(sql).bind(after.to_owned()).bind(limit).all().await
}
