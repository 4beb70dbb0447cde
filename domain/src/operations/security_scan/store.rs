//! SQL of security scans.
use super::Finding;
use crate::kernel::{
    ctx::DEMO_SUPER_ADMIN,
    db::{Db, Dialect, Json, Row, Sql, Tx, insert},
    error::Result,
    ids::ScanId,
};
use chrono::{DateTime, Utc};

crate::kernel::db::row! {
    /// One scan of the installation.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Scan {
        pub id: ScanId,
        pub asked_at: DateTime<Utc>,
        pub asked_by: String,
        /// None while it runs.
        pub finished_at: Option<DateTime<Utc>>,
        /// Why it failed.
        pub error: Option<String>,
        #[sqlx(json)]
        pub findings: Vec<Finding>,
    }
}

const COLUMNS: &str = Scan::LIST;

pub async fn insert(tx: &mut Tx, id: ScanId, at: DateTime<Utc>, by: &str) -> Result<()> {
    let scan = Scan { id, asked_at: at, asked_by: by.to_owned(), finished_at: None, error: None, findings: Vec::new() };
    insert!(tx, "scans", &scan).run().await?;
    Ok(())
}

pub async fn get(db: &mut Db, id: ScanId) -> Result<Option<Scan>> {
    db.sql_built(format!("select {COLUMNS} from scans where id = $1")).bind(id).optional().await
}

pub async fn latest(db: &mut Db) -> Result<Option<Scan>> {
    db.sql_built(format!("select {COLUMNS} from scans order by asked_at desc, id desc limit 1")).optional().await
}

pub async fn finish(
    tx: &mut Tx,
    id: ScanId,
    at: DateTime<Utc>,
    findings: &[Finding],
    error: Option<&str>,
) -> Result<()> {
    tx.sql("update scans set finished_at = $2, findings = $3, error = $4 where id = $1")
        .bind(id)
        .bind(at)
        .bind(Json(findings.to_vec()))
        .bind(error.map(str::to_owned))
        .run()
        .await?;
    Ok(())
}

/// Condition of active users without a verified second factor.
const WITHOUT_FACTOR: &str = "u.status = 'active' \
     and not exists (select 1 from factors f where f.user_id = u.id and f.kind = 'totp' and f.status = 'verified') \
     and not exists (select 1 from passkeys p where p.user_id = u.id and p.credential_id is not null)";

/// Counts active staff without a verified second factor.
pub async fn count_staff_without_factor(db: &mut Db) -> Result<i64> {
    let sql = format!("select count(*) from users u where u.role in ('employee', 'super_admin') and {WITHOUT_FACTOR}");
    db.sql_built(sql).scalar().await
}

/// The numbers of active and of pending super admins. That of the demo office signs in only in demo mode.
pub async fn count_super_admins(db: &mut Db, now: DateTime<Utc>, demo: bool) -> Result<(i64, i64)> {
    db.sql(
        "select count(*) filter (where status = 'active'), count(*) filter (where status = 'pending') from users \
         where role = 'super_admin' and (banned_until is null or banned_until <= $1) and ($2 or email <> $3)",
    )
    .bind(now)
    .bind(demo)
    .bind(DEMO_SUPER_ADMIN.to_owned())
    .one()
    .await
}

/// Emails of active super admins without a verified second factor.
pub async fn super_admins_without_factor(db: &mut Db) -> Result<Vec<String>> {
    let sql = format!("select email from users u where u.role = 'super_admin' and {WITHOUT_FACTOR} order by email");
    let found: Vec<(String,)> = db.sql_built(sql).all().await?;
    Ok(found.into_iter().map(|(email,)| email).collect())
}

/// Time of the newest log entry.
pub async fn newest_activity(db: &mut Db) -> Result<Option<DateTime<Utc>>> {
    let sql = "select at from activity where seq = (select max(seq) from activity)";
    Ok(db.sql(sql).optional::<(DateTime<Utc>,)>().await?.map(|(at,)| at))
}

pub async fn database_version(db: &mut Db) -> Result<String> {
    let sql = match db.dialect() {
        Dialect::Sqlite => "select sqlite_version()",
        Dialect::Postgres => "select current_setting('server_version')",
    };
    db.sql(sql).scalar().await
}

/// PostgreSQL's settings that are off, each as `fsync = off`. SQLite's are those that the portal sets.
pub async fn unsafe_settings(db: &mut Db) -> Result<Vec<String>> {
    if db.dialect() == Dialect::Sqlite {
        return Ok(Vec::new());
    }
    let sql = "select name || ' = off' from pg_settings \
               where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by 1";
    let found: Vec<(String,)> = db.sql(sql).all().await?;
    Ok(found.into_iter().map(|(setting,)| setting).collect())
}

/// The clock of the database server; `None` for SQLite, which has ours.
pub async fn server_time(db: &mut Db) -> Result<Option<DateTime<Utc>>> {
    match db.dialect() {
        Dialect::Sqlite => Ok(None),
        Dialect::Postgres => Ok(Some(db.sql("select clock_timestamp()").scalar().await?)),
    }
}
