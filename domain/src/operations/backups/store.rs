//! SQL of backups: that they were asked for, and what became of them.
use super::manifest::Manifest;
use crate::kernel::{
    db::{ColumnKind, Db, Dialect, Sql, Tx, json_row},
    error::Result,
    ids::BackupId,
};
use chrono::{DateTime, Duration, Utc};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = BackupState)]
pub enum State {
    Queued,
    Running,
    Done,
    Failed,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// One backup that was asked for.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Backup {
    pub id: BackupId,
    /// Its folder's, by which `spvctl` knows it.
    pub name: String,
    pub state: State,
    pub asked_at: DateTime<Utc>,
    pub asked_by: String,
    /// The moment it holds.
    pub made_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub rows_count: i64,
    pub documents_count: i64,
    /// Of those, how many could not be read.
    pub documents_missing: i64,
    pub bytes: i64,
    /// Why it could not be made; of one that was, which documents it is without.
    pub error: Option<String>,
    /// Where it lies; none before it was begun.
    pub folder: Option<String>,
}

impl Backup {
    /// It was made, and not all of it could be read.
    pub fn is_incomplete(&self) -> bool {
        self.state == State::Done && self.documents_missing > 0
    }
}

/// After so long no job comes for one that waits, however often it was tried.
const FORGOTTEN: Duration = Duration::days(1);
/// So many missing documents are named.
const NAMED: usize = 10;

const COLUMNS: &str = "id, name, state, asked_at, asked_by, made_at, finished_at, rows_count, documents_count, \
                       documents_missing, bytes, error, folder";

pub async fn list(db: &mut Db, limit: usize) -> Result<Vec<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups order by asked_at desc, id desc limit {limit}")).all().await
}

pub async fn get(db: &mut impl Sql, id: BackupId) -> Result<Option<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups where id = $1")).bind(id).optional().await
}

/// The newest one that can be restored.
pub async fn last_good(db: &mut Db) -> Result<Option<Backup>> {
    db.sql_built(format!("select {COLUMNS} from backups where state = 'done' order by made_at desc limit 1"))
        .optional()
        .await
}

/// Whether one was made in this folder that nobody took away.
pub async fn is_filled(db: &mut Db, folder: &str) -> Result<bool> {
    let sql = "select exists (select 1 from backups where state = 'done' and folder = $1)";
    db.sql(sql).bind(folder.to_owned()).scalar().await
}

/// One that is waited for, unless it is so old that whoever made it must be gone.
pub async fn going_on(tx: &mut Tx, since: DateTime<Utc>) -> Result<bool> {
    tx.sql("select exists (select 1 from backups where state in ('queued', 'running') and asked_at >= $1)")
        .bind(since)
        .scalar()
        .await
}

pub async fn insert(tx: &mut Tx, id: BackupId, name: &str, at: DateTime<Utc>, by: &str) -> Result<()> {
    tx.sql("insert into backups (id, name, state, asked_at, asked_by) values ($1, $2, 'queued', $3, $4)")
        .bind(id)
        .bind(name.to_owned())
        .bind(at)
        .bind(by.to_owned())
        .run()
        .await?;
    Ok(())
}

/// Whoever begins one is alone in the folder: what another was making there will never be whole, nor what nobody has come
/// for in a day.
pub async fn begin(tx: &mut Tx, id: BackupId, at: DateTime<Utc>, folder: &str) -> Result<()> {
    tx.sql(
        "update backups set state = 'failed', finished_at = $2, error = $3 \
         where id <> $1 and ((state = 'running' and folder = $5) or (state = 'queued' and asked_at < $4))",
    )
    .bind(id)
    .bind(at)
    .bind("it was interrupted")
    .bind(at - FORGOTTEN)
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

pub async fn finish(tx: &mut Tx, manifest: &Manifest, folder: &str, at: DateTime<Utc>) -> Result<()> {
    put(tx, manifest, folder, at, true).await
}

/// One that lies in the folder and that nobody here has heard of.
pub async fn adopt(tx: &mut Tx, manifest: &Manifest, folder: &str) -> Result<()> {
    put(tx, manifest, folder, manifest.made_at, false).await
}

async fn put(tx: &mut Tx, manifest: &Manifest, folder: &str, at: DateTime<Utc>, over: bool) -> Result<()> {
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
    .bind(without(manifest))
    .bind(folder.to_owned())
    .run()
    .await?;
    Ok(())
}

/// The names of what it is without.
fn without(manifest: &Manifest) -> Option<String> {
    let mut names = manifest.lacking();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// What a content was called when it was sent in.
pub async fn file_name(db: &mut Db, key: &str) -> Result<Option<String>> {
    let sql = "select file_name from document_versions where storage_key = $1 order by created_at limit 1";
    Ok(db.sql(sql).bind(key.to_owned()).optional::<(String,)>().await?.map(|(name,)| name))
}

/// When a backup was last brought back, also where the log has no number for it yet.
pub async fn restored_at(db: &mut Db) -> Result<Option<DateTime<Utc>>> {
    let sql = "select max(at) from (select max(at) as at from activity where seq is not null \
               and action = 'backup.restored' union all select max(at) from activity where seq is null \
               and action = 'backup.restored') as restored";
    db.sql(sql).scalar().await
}

/// Says no when it has been made after all.
pub async fn fail(tx: &mut Tx, id: BackupId, at: DateTime<Utc>, why: &str) -> Result<bool> {
    let sql = "update backups set state = 'failed', finished_at = $2, error = $3 where id = $1 and state <> 'done'";
    Ok(tx.sql(sql).bind(id).bind(at).bind(why.to_owned()).run().await? == 1)
}

/// Those whose folders are gone, and what failed long ago.
pub async fn forget(tx: &mut Tx, names: &[String], failed_before: DateTime<Utc>) -> Result<()> {
    for name in names {
        tx.sql("delete from backups where name = $1").bind(name.clone()).run().await?;
    }
    tx.sql("delete from backups where state = 'failed' and asked_at < $1").bind(failed_before).run().await?;
    Ok(())
}

/// Selects each content that a document has as a line: key, size, hash.
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

/// Whether somebody works here: there is an account, or a company.
pub async fn is_used(db: &mut impl Sql) -> Result<bool> {
    db.sql("select exists (select 1 from users) or exists (select 1 from companies)").scalar().await
}

/// When the portal first ran, and whether it has since before `then` for a little more than a moment.
pub async fn ran(db: &mut Db, then: DateTime<Utc>) -> Result<(Option<DateTime<Utc>>, bool)> {
    let minute = then.timestamp().div_euclid(60);
    let sql = "select (select min(minute) from heartbeats), \
               exists (select 1 from heartbeats where minute > $1 and minute <= $2)";
    let (first, then): (Option<i64>, bool) =
        db.sql(sql).bind(minute - Duration::minutes(10).num_minutes()).bind(minute).one().await?;
    Ok((first.and_then(|minute| DateTime::from_timestamp(minute * 60, 0)), then))
}

/// The minute in which a server was last here.
pub async fn last_beat(db: &mut Db) -> Result<Option<i64>> {
    db.sql("select max(minute) from heartbeats").scalar().await
}

/// Rows that refer to what is not there. PostgreSQL lets none in.
pub async fn strays(tx: &mut Tx) -> Result<Vec<(String, String)>> {
    match tx.dialect() {
        Dialect::Sqlite => {
            tx.sql("select distinct \"table\", parent from pragma_foreign_key_check limit 20").all().await
        }
        Dialect::Postgres => Ok(Vec::new()),
    }
}

/// Keys of contents that documents have, in the order of the alphabet, after one of them.
pub async fn keys(db: &mut Db, after: &str, limit: i64) -> Result<Vec<(String,)>> {
    let sql = "select distinct storage_key from document_versions where storage_key > $1 order by storage_key limit $2";
    db.sql(sql).bind(after.to_owned()).bind(limit).all().await
}
