//! SQL of alerts and of what their rules read.
use super::rules::AlertTrigger;
use crate::kernel::{
    db::{Db, Json, Row, Sql, Tx, insert},
    error::Result,
    ids::AlertId,
};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

crate::kernel::db::row! {
    /// A condition that needs a super admin.
    #[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
    pub struct Alert {
        pub id: AlertId,
        pub kind: String,
        /// What it is about: a network address, or a component of the portal.
        pub subject: String,
        #[sqlx(json)]
        pub data: Map<String, Value>,
        pub opened_at: DateTime<Utc>,
        /// When a rule last found its cause.
        pub seen_at: DateTime<Utc>,
        pub resolved_at: Option<DateTime<Utc>>,
        /// None if it ended with its cause.
        pub resolved_by: Option<String>,
    }
}

const COLUMNS: &str = Alert::LIST;

pub async fn list(
    db: &mut Db,
    open: Option<bool>,
    before: Option<(DateTime<Utc>, AlertId)>,
    limit: usize,
) -> Result<Vec<Alert>> {
    let open = match open {
        Some(true) => " and resolved_at is null",
        Some(false) => " and resolved_at is not null",
        None => "",
    };
    let narrow = if before.is_some() { " and (opened_at, id) < ($1, $2)" } else { "" };
    let mut query = db.sql_built(format!(
        "select {COLUMNS} from alerts where 1 = 1{open}{narrow} order by opened_at desc, id desc limit {limit}"
    ));
    if let Some((at, id)) = before {
        query = query.bind(at).bind(id);
    }
    query.all().await
}

pub async fn get(db: &mut impl Sql, id: AlertId) -> Result<Option<Alert>> {
    db.sql_built(format!("select {COLUMNS} from alerts where id = $1")).bind(id).optional().await
}

pub async fn list_open(tx: &mut Tx) -> Result<Vec<Alert>> {
    tx.sql_built(format!("select {COLUMNS} from alerts where resolved_at is null")).all().await
}

pub async fn insert(tx: &mut Tx, id: AlertId, trigger: &AlertTrigger, at: DateTime<Utc>) -> Result<Alert> {
    let alert = Alert {
        id,
        kind: trigger.kind.name().to_owned(),
        subject: trigger.subject.clone(),
        data: trigger.data.clone(),
        opened_at: at,
        seen_at: at,
        resolved_at: None,
        resolved_by: None,
    };
    insert!(tx, "alerts", &alert).run().await?;
    Ok(alert)
}

pub async fn update_seen(tx: &mut Tx, id: AlertId, data: &Map<String, Value>, at: DateTime<Utc>) -> Result<()> {
    let sql = "update alerts set data = $2, seen_at = $3 where id = $1";
    tx.sql(sql).bind(id).bind(Json(data.clone())).bind(at).run().await?;
    Ok(())
}

/// Returns false if it was already resolved.
pub async fn resolve(tx: &mut Tx, id: AlertId, at: DateTime<Utc>, by: Option<&str>) -> Result<bool> {
    let sql = "update alerts set resolved_at = $2, resolved_by = $3 where id = $1 and resolved_at is null";
    Ok(tx.sql(sql).bind(id).bind(at).bind(by.map(str::to_owned)).run().await? == 1)
}

/// Whether a person, not the end of the cause, resolved such an alert since then.
pub async fn resolved_since(tx: &mut Tx, kind: &str, subject: &str, since: DateTime<Utc>) -> Result<bool> {
    tx.sql(
        "select exists (select 1 from alerts where kind = $1 and subject = $2 and resolved_at >= $3 \
         and resolved_by is not null)",
    )
    .bind(kind.to_owned())
    .bind(subject.to_owned())
    .bind(since)
    .scalar()
    .await
}

/// Mails that failed for good since then. A mail is retried for days, so the time of the failure is taken from the
/// activity log.
pub async fn count_failed_mails(db: &mut Db, since: DateTime<Utc>) -> Result<i64> {
    db.sql(
        "select count(*) from (select id from mails where status = 'failed' and created_at >= $1 \
         union select id from mails where status = 'failed' and id in (select subject_id from activity \
         where action = 'mail.failed' and seq is not null and at >= $1)) f",
    )
    .bind(since)
    .scalar()
    .await
}

/// Queued mails with at least so many attempts.
pub async fn count_retrying_mails(db: &mut Db, attempts: i64) -> Result<i64> {
    db.sql("select count(*) from mails where status = 'queued' and attempts >= $1").bind(attempts).scalar().await
}
