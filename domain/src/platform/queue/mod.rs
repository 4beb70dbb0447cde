//! Job queue: jobs are rows of apalis' tables, inserted in the transaction that causes them.
//!
//! Only this module and [`worker`] know those tables. A payload holds ids only; its handler reloads the row, checks again and
//! is idempotent.
pub mod worker;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Dialect, ScopedFutureExt, Sql, Tx, TxConnection, unindexed},
        error::{Error, Result},
        page::{Page, PageQuery},
    },
    platform::activity::{self, Event},
};
use apalis::prelude::{Task, TaskBuilder, TaskId};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

/// The only queue: one pool of workers runs all jobs in order of priority and time.
pub const QUEUE: &str = "portal";
/// Default number of attempts, after which a job is dead: kept, listed, and retried only by hand.
pub const MAX_ATTEMPTS: usize = 12;
/// How long done jobs are kept: longer than the period of any schedule, as the scheduler looks for the job of its last tick.
const RETENTION: Duration = Duration::days(7);

/// The payload of a job, and the name of its handler.
pub trait Job: Serialize + DeserializeOwned + Send + Sync {
    const NAME: &'static str;
    /// Attempts before the job is dead.
    const ATTEMPTS: usize = MAX_ATTEMPTS;
    /// Due jobs with a higher priority run first.
    const PRIORITY: usize = 1;
}

/// A row of the queue: the job's name and its payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobPayload {
    pub job: String,
    pub payload: serde_json::Value,
}

crate::kernel::text_enum! {
    /// The state of a job.
    pub enum Status {
        Pending = "pending",
        /// Fetched by a worker, not started.
        Queued = "queued",
        Running = "running",
        Done = "done",
        /// Will be retried.
        Failed = "failed",
        /// Out of attempts; kept until retried by hand.
        Dead = "dead",
    }
}

/// SQL condition of dead jobs: apalis calls a job without retries `Killed`, and any failed one `Failed`.
const IS_DEAD_SQL: &str = "status = 'Killed' or (status = 'Failed' and attempts >= max_attempts)";

/// SQL expression of a job's [`Status`].
fn status_sql() -> String {
    format!("case when {IS_DEAD_SQL} then 'dead' else lower(status) end")
}

/// A job in lists.
#[derive(Clone, Debug, Serialize)]
pub struct JobRow {
    pub id: String,
    pub job: String,
    pub payload: serde_json::Value,
    pub status: Status,
    pub attempts: i64,
    pub max_attempts: i64,
    pub run_at: Option<DateTime<Utc>>,
    pub done_at: Option<DateTime<Utc>>,
    pub last_result: Option<String>,
}

/// Enqueues a job; it exists only if the transaction commits.
///
/// # Errors
/// What the database refuses.
pub async fn enqueue<J: Job>(tx: &mut Tx, job: &J) -> Result<()> {
    push(tx, job, None, None).await
}

/// [`enqueue`] for a job that starts at `at` at the earliest.
///
/// # Errors
/// What the database refuses.
pub async fn enqueue_at<J: Job>(tx: &mut Tx, job: &J, at: DateTime<Utc>) -> Result<()> {
    push(tx, job, None, Some(at)).await
}

/// Enqueues a job unless there is one with this idempotency key (a schedule's tick); false if there is. Uses its own
/// transaction, which a unique violation aborts on PostgreSQL.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "queue.enqueue_once", skip_all)]
pub async fn enqueue_once<J: Job>(ctx: &Ctx, job: &J, key: &str) -> Result<bool> {
    let enqueued = ctx.transaction(|tx| {
        async move {
            let found: i64 = match tx.dialect() {
                Dialect::Sqlite => tx.sql("select count(*) from Jobs where job_type = $1 and idempotency_key = $2"),
                Dialect::Postgres => {
                    tx.sql("select count(*) from apalis.jobs where job_type = $1 and idempotency_key = $2")
                }
            }
            .bind(QUEUE)
            .bind(key.to_owned())
            .scalar()
            .await?;
            if found > 0 {
                return Ok(false);
            }
            push(tx, job, Some(key), None).await?;
            Ok(true)
        }
        .scope_boxed()
    });
    match enqueued.await {
        Err(e) if e.is_unique_violation() => Ok(false),
        enqueued => enqueued,
    }
}

async fn push<J: Job>(tx: &mut Tx, job: &J, key: Option<&str>, at: Option<DateTime<Utc>>) -> Result<()> {
    let envelope = JobPayload { job: J::NAME.to_owned(), payload: serde_json::to_value(job).map_err(Error::internal)? };
    let mut task = TaskBuilder::new(serde_json::to_vec(&envelope).map_err(Error::internal)?)
        .max_attempts(J::ATTEMPTS)
        .priority(J::PRIORITY);
    if let Some(key) = key {
        task = task.idempotency_key(key);
    }
    if let Some(at) = at {
        task = task.run_at_timestamp(u64::try_from(at.timestamp()).unwrap_or_default());
    }
    send(tx, task.build()).await
}

async fn send(tx: &mut Tx, task: Task<Vec<u8>>) -> Result<()> {
    tx.has_jobs();
    let outcome = match tx.connection().await? {
        TxConnection::Sqlite(on) => {
            apalis_sqlite::queries::push_tasks(on, QUEUE, &[task]).await.map(drop).map_err(|e| match e {
                apalis_sqlite::Error::Database(e) => e,
                e => sqlx::Error::Encode(e.into()),
            })
        }
        TxConnection::Postgres(on) => {
            apalis_postgres::queries::push_tasks(on, QUEUE, vec![task]).await.map(drop).map_err(|e| match e {
                apalis_postgres::Error::Database(e) => e,
                e => sqlx::Error::Encode(e.into()),
            })
        }
    };
    tx.record_outcome(outcome)
}

/// The table, and the SQL that reads its times as Unix seconds.
fn table(dialect: Dialect) -> (&'static str, fn(&str) -> String) {
    match dialect {
        Dialect::Sqlite => ("Jobs", |column| column.to_owned()),
        Dialect::Postgres => ("apalis.jobs", |column| format!("cast(extract(epoch from {column}) as bigint)")),
    }
}

type Columns = (String, Vec<u8>, Status, i64, i64, Option<i64>, Option<i64>, Option<String>);

/// The status filter of all jobs but those that are done.
const OPEN: &str = "open";

/// The newest jobs: all, those that are not done (`open`), or those of one [`Status`] by name. Super admins and the operator.
///
/// # Errors
/// Forbidden; Invalid for an unknown status, a wrong limit or cursor.
#[tracing::instrument(level = "debug", name = "queue.list", skip_all)]
pub async fn list(ctx: &Ctx, status: Option<&str>, page: &PageQuery) -> Result<Page<JobRow>> {
    ctx.may(Action::View, Resource::Jobs)?;
    let limit = page.limit()?;
    let before: Option<String> = page.after()?;
    let mut db = ctx.db();
    let (from, seconds) = table(db.dialect());
    // `status <> 'Done'` is the condition of our partial index, which is in the order of the list; `beside` keeps the planner
    // from apalis' index by status.
    let not_done = |condition: &str| format!("status <> 'Done' and {}", unindexed(condition));
    let is_open = status == Some(OPEN);
    let status = status.filter(|_| !is_open).map(str::parse).transpose();
    let condition = match status.map_err(|problem| Error::field_with("status", problem))? {
        None if is_open => "status <> 'Done'".to_owned(),
        None => "1 = 1".to_owned(),
        Some(Status::Pending) => not_done("status = 'Pending'"),
        Some(Status::Queued) => not_done("status = 'Queued'"),
        Some(Status::Running) => not_done("status = 'Running'"),
        Some(Status::Done) => unindexed("status = 'Done'"),
        Some(Status::Failed) => not_done("status = 'Failed' and attempts < max_attempts"),
        Some(Status::Dead) => not_done(IS_DEAD_SQL),
    };
    let after = if before.is_some() { " and id < $1" } else { "" };
    let mut query = db.sql_built(format!(
        "select id, job, {}, cast(attempts as bigint), cast(max_attempts as bigint), {}, {}, \
         cast(last_result as text) from {from} where {condition}{after} order by id desc limit {}",
        status_sql(),
        seconds("run_at"),
        seconds("done_at"),
        limit + 1
    ));
    if let Some(id) = before {
        query = query.bind(id);
    }
    let rows: Vec<Columns> = query.all().await?;
    let jobs = rows.into_iter().map(job_row).collect::<Result<Vec<_>>>()?;
    Ok(Page::from_rows(jobs, limit, |job| job.id.clone()))
}

/// A job by id. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden.
#[tracing::instrument(level = "debug", name = "queue.get", skip_all)]
pub async fn get(ctx: &Ctx, id: &str) -> Result<JobRow> {
    ctx.may(Action::View, Resource::Jobs)?;
    // PostgreSQL text has no NUL.
    if id.contains('\0') {
        return Err(Error::NotFound("job"));
    }
    let mut db = ctx.db();
    let (from, seconds) = table(db.dialect());
    let row: Option<Columns> = db
        .sql_built(format!(
            "select id, job, {}, cast(attempts as bigint), cast(max_attempts as bigint), {}, {}, \
             cast(last_result as text) from {from} where id = $1",
            status_sql(),
            seconds("run_at"),
            seconds("done_at")
        ))
        .bind(id.to_owned())
        .optional()
        .await?;
    row.map(job_row).transpose()?.ok_or(Error::NotFound("job"))
}

/// The ids of jobs that begin with `prefix`, in any letter case, the newest first; up to `limit`. Super admins and the operator.
///
/// # Errors
/// Forbidden; Unavailable.
#[tracing::instrument(level = "debug", name = "queue.ids_beginning_with", skip_all)]
pub async fn ids_beginning_with(ctx: &Ctx, prefix: &str, limit: u32) -> Result<Vec<String>> {
    ctx.may(Action::View, Resource::Jobs)?;
    // Ids are ULIDs. PostgreSQL text has no NUL.
    if !prefix.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Ok(Vec::new());
    }
    let mut db = ctx.db();
    let (from, _) = table(db.dialect());
    let length = i64::try_from(prefix.len()).unwrap_or(i64::MAX);
    let ids: Vec<(String,)> = db
        .sql_built(format!(
            "select id from {from} where upper(substr(id, 1, cast($1 as integer))) = $2 order by id desc limit {limit}"
        ))
        .bind(length)
        .bind(prefix.to_ascii_uppercase())
        .all()
        .await?;
    Ok(ids.into_iter().map(|(id,)| id).collect())
}

fn job_row((id, job, status, attempts, max_attempts, run_at, done_at, last_result): Columns) -> Result<JobRow> {
    let envelope: JobPayload = serde_json::from_slice(&job).map_err(Error::internal)?;
    let time = |seconds: Option<i64>| seconds.and_then(|s| DateTime::from_timestamp(s, 0));
    Ok(JobRow {
        id,
        job: envelope.job,
        payload: envelope.payload,
        status,
        attempts,
        max_attempts,
        run_at: time(run_at),
        done_at: time(done_at),
        last_result,
    })
}

/// The number of jobs of each status. Reads all jobs. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "queue.stats", skip_all)]
pub async fn stats(ctx: &Ctx) -> Result<Vec<(Status, i64)>> {
    count(ctx, "").await
}

/// Numbers of jobs that are not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Waiting for their first attempt or a retry.
    pub waiting: i64,
    pub dead: i64,
}

/// [`stats`] without done jobs, which are nearly all; for frequent checks. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "queue.unfinished", skip_all)]
pub async fn unfinished(ctx: &Ctx) -> Result<Unfinished> {
    let found = count(ctx, "where status <> 'Done'").await?;
    let sum = |of: &[Status]| found.iter().filter(|(status, _)| of.contains(status)).map(|(_, count)| count).sum();
    Ok(Unfinished { waiting: sum(&[Status::Pending, Status::Failed]), dead: sum(&[Status::Dead]) })
}

async fn count(ctx: &Ctx, condition: &str) -> Result<Vec<(Status, i64)>> {
    ctx.may(Action::View, Resource::Jobs)?;
    let mut db = ctx.db();
    let (from, _) = table(db.dialect());
    db.sql_built(format!("select {} as state, count(*) from {from} {condition} group by 1 order by 1", status_sql()))
        .all()
        .await
}

/// The number of unfinished jobs that were due at a time, and when the first of them was. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "queue.due_before", skip_all)]
pub async fn due_before(ctx: &Ctx, at: DateTime<Utc>) -> Result<(i64, Option<DateTime<Utc>>)> {
    ctx.may(Action::View, Resource::Jobs)?;
    let mut db = ctx.db();
    let (from, seconds) = table(db.dialect());
    let run_at = seconds("run_at");
    let sql = format!(
        "select count(*), min({run_at}) from {from} where status in ('Pending', 'Failed') and not ({IS_DEAD_SQL}) \
         and {run_at} <= $1"
    );
    let (count, first): (i64, Option<i64>) = db.sql_built(sql).bind(at.timestamp()).one().await?;
    Ok((count, first.and_then(|seconds| DateTime::from_timestamp(seconds, 0))))
}

/// The number of workers with a recent heartbeat, in all processes. Super admins and the operator.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "queue.live_workers", skip_all)]
pub async fn live_workers(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Jobs)?;
    let mut db = ctx.db();
    let since = ctx.now().timestamp().saturating_sub_unsigned(worker::WORKER_TIMEOUT.as_secs());
    let sql = match db.dialect() {
        Dialect::Sqlite => "select count(*) from Workers where last_seen >= $1",
        Dialect::Postgres => "select count(*) from apalis.workers where last_seen >= to_timestamp(cast($1 as bigint))",
    };
    db.sql(sql).bind(since).scalar().await
}

/// Releases a worker that has stopped, so that its jobs do not wait for its timeout.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn release(ctx: &Ctx, worker: &str) -> Result<()> {
    ctx.transaction(|tx| {
        async move {
            let sql = match tx.dialect() {
                Dialect::Sqlite => "update Workers set last_seen = 0 where id = $1",
                Dialect::Postgres => "update apalis.workers set last_seen = to_timestamp(0) where id = $1",
            };
            tx.sql(sql).bind(worker.to_owned()).run().await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Retries a dead or waiting job now, with all its attempts. Super admins and the operator.
///
/// # Errors
/// NotFound; Forbidden; Conflict `job_running` while it runs or when it is done.
#[tracing::instrument(level = "debug", name = "queue.retry", skip_all)]
pub async fn retry(ctx: &Ctx, id: &str) -> Result<JobRow> {
    ctx.may(Action::Update, Resource::Jobs)?;
    let job = &get(ctx, id).await?.job;
    let now = ctx.now().timestamp();
    let sql = match ctx.db.dialect() {
        Dialect::Sqlite => {
            "update Jobs set status = 'Pending', attempts = 0, run_at = $2, lock_by = null, lock_at = null, done_at = null \
             where id = $1 and status in ('Failed', 'Killed', 'Pending')"
        }
        Dialect::Postgres => {
            "update apalis.jobs set status = 'Pending', attempts = 0, run_at = to_timestamp(cast($2 as bigint)), lock_by = null, \
             lock_at = null, done_at = null where id = $1 and status in ('Failed', 'Killed', 'Pending')"
        }
    };
    ctx.transaction(|tx| {
        async move {
            if tx.sql(sql).bind(id.to_owned()).bind(now).run().await? == 0 {
                return Err(Error::conflict("job_running"));
            }
            let event = Event::new("job.retried", "job", Uuid::nil(), job.clone());
            activity::append(tx, ctx, event.with("id", id)).await?;
            tx.has_jobs();
            Ok(())
        }
        .scope_boxed()
    })
    .await?;
    get(ctx, id).await
}

/// Delays the next attempt of a failed job; apalis keeps `run_at` when it writes the outcome.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "queue.reschedule", skip_all)]
pub async fn reschedule(ctx: &Ctx, id: &str, delay: std::time::Duration) -> Result<()> {
    let at = ctx.now().timestamp().saturating_add_unsigned(delay.as_secs());
    ctx.transaction(|tx| {
        async move {
            let sql = match tx.dialect() {
                Dialect::Sqlite => "update Jobs set run_at = $2 where id = $1",
                Dialect::Postgres => "update apalis.jobs set run_at = to_timestamp(cast($2 as bigint)) where id = $1",
            };
            tx.sql(sql).bind(id.to_owned()).bind(at).run().await?;
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Deletes done jobs and old workers after the retention and returns the number of jobs. Keeps dead jobs. For the schedule.
///
/// # Errors
/// What the database refuses.
#[tracing::instrument(level = "debug", name = "queue.clean_up", skip_all)]
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let before = (ctx.now() - RETENTION).timestamp();
    let (jobs, workers) = match ctx.db.dialect() {
        Dialect::Sqlite => (
            "delete from Jobs where status = 'Done' and done_at < $1",
            "delete from Workers where last_seen < $1 and id not in (select lock_by from Jobs where lock_by is not null)",
        ),
        Dialect::Postgres => (
            "delete from apalis.jobs where status = 'Done' and done_at < to_timestamp(cast($1 as bigint))",
            "delete from apalis.workers where last_seen < to_timestamp(cast($1 as bigint)) \
             and id not in (select lock_by from apalis.jobs where lock_by is not null)",
        ),
    };
    ctx.transaction(|tx| {
        async move {
            let deleted = tx.sql(jobs).bind(before).run().await?;
            tx.sql(workers).bind(before).run().await?;
            Ok(deleted)
        }
        .scope_boxed()
    })
    .await
}

/// A job in a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JobBackup {
    pub id: String,
    pub envelope: JobPayload,
    status: String,
    attempts: i64,
    max_attempts: i64,
    run_at: i64,
    priority: i64,
    key: Option<String>,
    done_at: Option<i64>,
    last_result: Option<String>,
}

type BackupColumns = (String, Vec<u8>, String, i64, i64, i64, i64, Option<String>, Option<i64>, Option<String>);

/// Jobs that are not done, by id, after one of them; with `with_ticks` also done ones with an idempotency key, which must not
/// be enqueued again.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn jobs_for_backup(
    db: &mut impl Sql,
    with_ticks: bool,
    after: &str,
    limit: i64,
) -> Result<Vec<JobBackup>> {
    let (from, seconds) = table(db.dialect());
    let condition = if with_ticks { "(status <> 'Done' or idempotency_key is not null)" } else { "status <> 'Done'" };
    let rows: Vec<BackupColumns> = db
        .sql_built(format!(
            "select id, job, status, cast(attempts as bigint), cast(max_attempts as bigint), {}, cast(priority as bigint), \
             idempotency_key, {}, cast(last_result as text) from {from} \
             where job_type = $1 and {condition} and id > $2 order by id limit $3",
            seconds("run_at"),
            seconds("done_at")
        ))
        .bind(QUEUE)
        .bind(after.to_owned())
        .bind(limit)
        .all()
        .await?;
    let job =
        |(id, job, status, attempts, max_attempts, run_at, priority, key, done_at, last_result): BackupColumns| {
            let envelope = serde_json::from_slice(&job).map_err(Error::internal)?;
            Ok(JobBackup { id, envelope, status, attempts, max_attempts, run_at, priority, key, done_at, last_result })
        };
    rows.into_iter().map(job).collect()
}

/// Restores a job from a backup. A job that was running starts again.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn restore(tx: &mut Tx, backup: &JobBackup) -> Result<()> {
    let mut task = TaskBuilder::new(serde_json::to_vec(&backup.envelope).map_err(Error::internal)?)
        .task_id(TaskId::from_string(backup.id.clone()))
        .max_attempts(usize::try_from(backup.max_attempts).unwrap_or(MAX_ATTEMPTS))
        .priority(usize::try_from(backup.priority).unwrap_or_default())
        .run_at_timestamp(u64::try_from(backup.run_at).unwrap_or_default());
    if let Some(key) = &backup.key {
        task = task.idempotency_key(key);
    }
    send(tx, task.build()).await?;
    let ended = matches!(backup.status.as_str(), "Failed" | "Killed" | "Done");
    let status = if ended { backup.status.clone() } else { "Pending".to_owned() };
    // apalis expects JSON.
    let result = backup.last_result.as_deref().map(|text| match serde_json::from_str::<serde_json::Value>(text) {
        Ok(_) => text.to_owned(),
        Err(_) => serde_json::Value::from(text).to_string(),
    });
    let sql = match tx.dialect() {
        Dialect::Sqlite => {
            "update Jobs set status = $2, attempts = $3, done_at = $4, last_result = $5 where id = $1 and job_type = $6"
        }
        Dialect::Postgres => {
            "update apalis.jobs set status = $2, attempts = cast($3 as integer), \
             done_at = to_timestamp(cast($4 as bigint)), last_result = cast($5 as jsonb) where id = $1 and job_type = $6"
        }
    };
    tx.sql(sql)
        .bind(backup.id.clone())
        .bind(status)
        .bind(backup.attempts)
        .bind(backup.done_at)
        .bind(result)
        .bind(QUEUE)
        .run()
        .await?;
    Ok(())
}

/// Deletes every job, for a restore into a new portal.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn delete_all(tx: &mut Tx) -> Result<()> {
    let (from, _) = table(tx.dialect());
    tx.sql_built(format!("delete from {from} where job_type = $1")).bind(QUEUE).run().await?;
    Ok(())
}
