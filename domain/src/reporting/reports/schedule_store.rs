//! SQL of report schedules. A report can be seen by company admins who may sign in, of a company that is not archived.
use super::model::{Frequency, Recipient, Report, Schedule};
use crate::kernel::{
    date_range::Period,
    db::{Db, Dialect, Row, Sql, Tx, for_update, insert},
    error::Result,
    ids::{CompanyId, ReportScheduleId, UserId},
};
use chrono::{DateTime, NaiveDate, Utc};

const COLUMNS: &str = Schedule::LIST;

/// Maximum number of schedules per company.
pub const MAX_SCHEDULES: usize = 50;

/// Schedules of a company with their recipients, the oldest first.
pub async fn list(db: &mut Db, company: CompanyId) -> Result<Vec<Schedule>> {
    let mut rows: Vec<Schedule> = db
        .sql_built(format!(
            "select {COLUMNS} from report_schedules w where w.company_id = $1 order by w.created_at, w.id limit {MAX_SCHEDULES}"
        ))
        .bind(company)
        .all()
        .await?;
    let named: Vec<(ReportScheduleId, UserId, String, String, bool)> = db
        .sql(
            "select y.schedule_id, u.id, u.first_name, u.last_name, \
             u.role = 'company_admin' and u.company_id = w.company_id and u.status in ('pending', 'active') \
             from report_schedules w join report_recipients y on y.schedule_id = w.id join users u on u.id = y.user_id \
             where w.company_id = $1 order by u.first_name, u.last_name, u.id",
        )
        .bind(company)
        .all()
        .await?;
    let recipients = |id: ReportScheduleId| {
        let of = named.iter().filter(move |(schedule, ..)| *schedule == id);
        of.map(|(_, id, first, last, may_see)| Recipient {
            id: *id,
            name: format!("{first} {last}"),
            may_see: *may_see,
        })
    };
    for row in &mut rows {
        row.recipients = recipients(row.id).collect();
    }
    Ok(rows)
}

/// Loads a schedule without recipients.
pub async fn get(db: &mut impl Sql, id: ReportScheduleId) -> Result<Option<Schedule>> {
    db.sql_built(format!("select {COLUMNS} from report_schedules w where w.id = $1")).bind(id).optional().await
}

/// [`get`] with a row lock until the end of the transaction.
pub async fn lock(tx: &mut Tx, id: ReportScheduleId) -> Result<Option<Schedule>> {
    if tx.dialect() == Dialect::Postgres {
        let text = format!("select w.id from report_schedules w where w.id = $1{}", for_update(tx.dialect(), "w"));
        tx.sql_built(text).bind(id).optional::<(ReportScheduleId,)>().await?;
    }
    get(tx, id).await
}

pub async fn count(tx: &mut Tx, company: CompanyId) -> Result<i64> {
    tx.sql("select count(*) from report_schedules where company_id = $1").bind(company).scalar().await
}

pub async fn insert(tx: &mut Tx, row: &Schedule, at: DateTime<Utc>) -> Result<()> {
    insert!(tx, "report_schedules", row, { created_at: at }).run().await?;
    Ok(())
}

pub async fn save(tx: &mut Tx, row: &Schedule) -> Result<()> {
    tx.sql(
        "update report_schedules set report = $2, period = $3, every = $4, next_date = $5, updated_at = $6, \
         updated_by = $7, version = $8 where id = $1",
    )
    .bind(row.id)
    .bind(row.report)
    .bind(row.period)
    .bind(row.every)
    .bind(row.next_date)
    .bind(row.updated_at)
    .bind(row.updated_by.clone())
    .bind(row.version)
    .run()
    .await?;
    Ok(())
}

pub async fn set_recipients(tx: &mut Tx, id: ReportScheduleId, users: &[UserId]) -> Result<()> {
    tx.sql("delete from report_recipients where schedule_id = $1").bind(id).run().await?;
    for user in users {
        insert!(tx, "report_recipients", {
            schedule_id: id,
            user_id: *user,
        })
        .run()
        .await?;
    }
    Ok(())
}

/// Returns false if the account was no recipient.
pub async fn remove_recipient(tx: &mut Tx, id: ReportScheduleId, user: UserId) -> Result<bool> {
    let sql = "delete from report_recipients where schedule_id = $1 and user_id = $2";
    Ok(tx.sql(sql).bind(id).bind(user).run().await? == 1)
}

pub async fn delete(tx: &mut Tx, id: ReportScheduleId) -> Result<()> {
    tx.sql("delete from report_schedules where id = $1").bind(id).run().await?;
    Ok(())
}

/// Admins of the company who may sign in.
pub async fn admins(db: &mut impl Sql, company: CompanyId) -> Result<Vec<(UserId, String, String)>> {
    db.sql(
        "select id, first_name, last_name from users where company_id = $1 and role = 'company_admin' \
         and status in ('pending', 'active') order by first_name, last_name, id limit 200",
    )
    .bind(company)
    .all()
    .await
}

/// A schedule that is due, with its company.
#[derive(Debug, sqlx::FromRow)]
pub struct Due {
    pub id: ReportScheduleId,
    pub company_id: CompanyId,
    pub company_name: String,
    pub time_zone: String,
    pub report: Report,
    pub period: Period,
    pub every: Frequency,
    pub next_date: NaiveDate,
}

/// Schedules due on `day` or before.
pub async fn due(db: &mut Db, day: NaiveDate) -> Result<Vec<Due>> {
    db.sql(
        "select w.id, w.company_id, k.name as company_name, k.time_zone, w.report, w.period, w.every, w.next_date \
         from report_schedules w join companies k on k.id = w.company_id \
         where w.next_date <= $1 and k.archived_at is null order by w.next_date, w.id limit 1000",
    )
    .bind(day)
    .all()
    .await
}

/// Moves a schedule to its next date. Returns false if another worker did or it was changed since.
pub async fn advance(
    tx: &mut Tx,
    id: ReportScheduleId,
    from: NaiveDate,
    to: NaiveDate,
    at: DateTime<Utc>,
) -> Result<bool> {
    let moved = tx
        .sql("update report_schedules set next_date = $3, last_sent_at = $4 where id = $1 and next_date = $2")
        .bind(id)
        .bind(from)
        .bind(to)
        .bind(at)
        .run()
        .await?;
    Ok(moved == 1)
}

/// Recipients who may see the report now.
pub async fn recipients_with_access(tx: &mut Tx, id: ReportScheduleId) -> Result<Vec<(UserId,)>> {
    tx.sql(
        "select u.id from report_recipients y join report_schedules w on w.id = y.schedule_id \
         join users u on u.id = y.user_id where y.schedule_id = $1 and u.role = 'company_admin' \
         and u.company_id = w.company_id and u.status in ('pending', 'active') order by u.id",
    )
    .bind(id)
    .all()
    .await
}
