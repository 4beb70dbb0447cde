//! The queue: jobs are rows of apalis' tables, written by the transaction that makes them true.
//!
//! The only files that know those tables are this one and [`worker`]. A payload holds ids only; its handler
//! reads the row again, checks again, and may safely run twice.
pub mod worker;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{Dialect, ScopedFutureExt, Sql, Tx, TxConnection, unindexed},
        error::{Error, Problem, Result},
        page::{Page, PageQuery},
    },
    platform::activity::{self, Event},
};
use apalis::prelude::{Task, TaskBuilder, TaskId};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;

/// All jobs share one queue, so that one pool of workers serves them in order of priority and time.
pub const QUEUE: &str = "portal";
/// Attempts before a job is dead, unless it says otherwise: kept, listed, and run again only by hand.
pub const MAX_ATTEMPTS: usize = 12;
/// For so long a job is kept that is done. A schedule's last tick is one too, and must be found for longer than any
/// schedule's period.
const KEPT: Duration = Duration::days(7);

/// A kind of work: its payload, and the name under which its handler is registered.
pub trait Job: Serialize + DeserializeOwned + Send + Sync {
    const NAME: &'static str;
    /// Attempts before the job is dead.
    const ATTEMPTS: usize = MAX_ATTEMPTS;
    /// Of jobs that are due, those with more go first.
    const PRIORITY: usize = 1;
}

/// What stands in the queue: the job's name and its payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope {
    pub job: String,
    pub payload: serde_json::Value,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    Pending,
    /// Fetched by a worker that has not begun it.
    Queued,
    Running,
    Done,
    /// Will be tried again.
    Failed,
    /// Given up, and kept until somebody runs it again.
    Dead,
}

impl Status {
    pub const ALL: [Self; 6] = [Self::Pending, Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Dead];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Dead => "dead",
        }
    }
}

impl std::str::FromStr for Status {
    type Err = Problem;
    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL
            .into_iter()
            .find(|status| status.name() == text)
            .ok_or_else(|| Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What makes a job dead. apalis calls one killed that no attempt can help, and failed whatever failed.
const DEAD: &str = "status = 'Killed' or (status = 'Failed' and attempts >= max_attempts)";

/// A job's [`Status`].
fn status() -> String {
    format!("case when {DEAD} then 'dead' else lower(status) end")
}

/// A job as lists show it.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
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

/// The job exists if, and only if, this transaction commits.
///
/// # Errors
/// What the database refuses.
pub async fn enqueue<J: Job>(tx: &mut Tx, job: &J) -> Result<()> {
    push(tx, job, None, None).await
}

/// [`enqueue`] for a job that is not to begin before `at`.
///
/// # Errors
/// What the database refuses.
pub async fn enqueue_at<J: Job>(tx: &mut Tx, job: &J, at: DateTime<Utc>) -> Result<()> {
    push(tx, job, None, Some(at)).await
}

/// Enqueues a job that may exist once under `key` (a schedule's tick): the second one finds it there and makes
/// none. Takes a transaction of its own, which the refusal ends on PostgreSQL.
///
/// # Errors
/// What the database refuses.
pub async fn enqueue_once<J: Job>(ctx: &Ctx, job: &J, key: &str) -> Result<bool> {
    let made = ctx.transaction(|tx| {
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
    match made.await {
        Err(e) if e.is_unique_violation() => Ok(false),
        made => made,
    }
}

async fn push<J: Job>(tx: &mut Tx, job: &J, key: Option<&str>, at: Option<DateTime<Utc>>) -> Result<()> {
    let envelope = Envelope { job: J::NAME.to_owned(), payload: serde_json::to_value(job).map_err(Error::internal)? };
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

/// The table, and how its times are read as seconds since 1970.
fn table(dialect: Dialect) -> (&'static str, fn(&str) -> String) {
    match dialect {
        Dialect::Sqlite => ("Jobs", |column| column.to_owned()),
        Dialect::Postgres => ("apalis.jobs", |column| format!("cast(extract(epoch from {column}) as bigint)")),
    }
}

type JobRow = (String, Vec<u8>, Status, i64, i64, Option<i64>, Option<i64>, Option<String>);

/// The newest jobs, all or of one [`Status`], by its name. Super admins and the operator.
///
/// # Errors
/// Forbidden for others; Invalid for another status, and for a wrong limit or cursor.
pub async fn list(ctx: &Ctx, wanted: Option<&str>, page: &PageQuery) -> Result<Page<Listed>> {
    ctx.may(Action::View, Resource::Jobs)?;
    let limit = page.limit()?;
    let before: Option<String> = page.after()?;
    let mut db = ctx.db();
    let (from, seconds) = table(db.dialect());
    // What is not done says so: SQLite knows by these words which index has it.
    // An index is to be read that has them in their order: apalis' has them by status.
    let not_done = |condition: &str| format!("status <> 'Done' and {}", unindexed(condition));
    let wanted = match wanted.map(str::parse).transpose().map_err(|problem| Error::field_with("status", problem))? {
        None => "1 = 1".to_owned(),
        Some(Status::Pending) => not_done("status = 'Pending'"),
        Some(Status::Queued) => not_done("status = 'Queued'"),
        Some(Status::Running) => not_done("status = 'Running'"),
        Some(Status::Done) => unindexed("status = 'Done'"),
        Some(Status::Failed) => not_done("status = 'Failed' and attempts < max_attempts"),
        Some(Status::Dead) => not_done(DEAD),
    };
    let narrow = if before.is_some() { " and id < $1" } else { "" };
    let mut query = db.sql_built(format!(
        "select id, job, {}, cast(attempts as bigint), cast(max_attempts as bigint), {}, {}, \
         cast(last_result as text) from {from} where {wanted}{narrow} order by id desc limit {}",
        status(),
        seconds("run_at"),
        seconds("done_at"),
        limit + 1
    ));
    if let Some(id) = before {
        query = query.bind(id);
    }
    let rows: Vec<JobRow> = query.all().await?;
    let jobs = rows.into_iter().map(listed).collect::<Result<Vec<_>>>()?;
    Ok(Page::cut(jobs, limit, |job| job.id.clone()))
}

/// One job by id.
///
/// # Errors
/// NotFound; Forbidden for all but super admins and the operator.
pub async fn get(ctx: &Ctx, id: &str) -> Result<Listed> {
    ctx.may(Action::View, Resource::Jobs)?;
    // PostgreSQL keeps no such character.
    if id.contains('\0') {
        return Err(Error::NotFound("job"));
    }
    let mut db = ctx.db();
    let (from, seconds) = table(db.dialect());
    let row: Option<JobRow> = db
        .sql_built(format!(
            "select id, job, {}, cast(attempts as bigint), cast(max_attempts as bigint), {}, {}, \
             cast(last_result as text) from {from} where id = $1",
            status(),
            seconds("run_at"),
            seconds("done_at")
        ))
        .bind(id.to_owned())
        .optional()
        .await?;
    row.map(listed).transpose()?.ok_or(Error::NotFound("job"))
}

fn listed((id, job, status, attempts, max_attempts, run_at, done_at, last_result): JobRow) -> Result<Listed> {
    let envelope: Envelope = serde_json::from_slice(&job).map_err(Error::internal)?;
    let time = |seconds: Option<i64>| seconds.and_then(|s| DateTime::from_timestamp(s, 0));
    Ok(Listed {
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

/// How many jobs there are of each status. Reads them all.
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn stats(ctx: &Ctx) -> Result<Vec<(Status, i64)>> {
    count(ctx, "").await
}

/// How many jobs are not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// For their first attempt or their next.
    pub waiting: i64,
    pub dead: i64,
}

/// As [`stats`], without those that are done, which are nearly all: for who asks every few minutes.
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn unfinished(ctx: &Ctx) -> Result<Unfinished> {
    let found = count(ctx, "where status <> 'Done'").await?;
    let of =
        |wanted: &[Status]| found.iter().filter(|(status, _)| wanted.contains(status)).map(|(_, count)| count).sum();
    Ok(Unfinished { waiting: of(&[Status::Pending, Status::Failed]), dead: of(&[Status::Dead]) })
}

async fn count(ctx: &Ctx, narrow: &str) -> Result<Vec<(Status, i64)>> {
    ctx.may(Action::View, Resource::Jobs)?;
    let mut db = ctx.db();
    let (from, _) = table(db.dialect());
    db.sql_built(format!("select {} as state, count(*) from {from} {narrow} group by 1 order by 1", status()))
        .all()
        .await
}

/// Workers that are not silent, in every process.
///
/// # Errors
/// Forbidden for all but super admins and the operator.
pub async fn live_workers(ctx: &Ctx) -> Result<i64> {
    ctx.may(Action::View, Resource::Jobs)?;
    let mut db = ctx.db();
    let since = ctx.now().timestamp().saturating_sub_unsigned(worker::SILENCE.as_secs());
    let sql = match db.dialect() {
        Dialect::Sqlite => "select count(*) from Workers where last_seen >= $1",
        Dialect::Postgres => "select count(*) from apalis.workers where last_seen >= to_timestamp(cast($1 as bigint))",
    };
    db.sql(sql).bind(since).scalar().await
}

/// A worker that has stopped in good order is not waited for.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn leave(ctx: &Ctx, worker: &str) -> Result<()> {
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

/// Runs a dead or waiting job again, now, with all its attempts.
///
/// # Errors
/// NotFound; Conflict `job_running` while it runs or when it is done.
pub async fn retry(ctx: &Ctx, id: &str) -> Result<Listed> {
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

/// Puts a failed job's next attempt off; apalis leaves `run_at` alone when it writes the outcome.
///
/// # Errors
/// What the database refuses.
pub async fn put_off(ctx: &Ctx, id: &str, wait: std::time::Duration) -> Result<()> {
    let at = ctx.now().timestamp().saturating_add_unsigned(wait.as_secs());
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

/// Deletes jobs done long ago, and workers long gone; says how many jobs. Dead jobs are kept. For the schedule.
///
/// # Errors
/// What the database refuses.
pub async fn clean_up(ctx: &Ctx) -> Result<u64> {
    let before = (ctx.now() - KEPT).timestamp();
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
            let gone = tx.sql(jobs).bind(before).run().await?;
            tx.sql(workers).bind(before).run().await?;
            Ok(gone)
        }
        .scope_boxed()
    })
    .await
}

/// A job as a backup keeps it: one that is waited for, or that was given up and is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub id: String,
    pub envelope: Envelope,
    status: String,
    attempts: i64,
    max_attempts: i64,
    run_at: i64,
    priority: i64,
    key: Option<String>,
    done_at: Option<i64>,
    last_result: Option<String>,
}

type KeptRow = (String, Vec<u8>, String, i64, i64, i64, i64, Option<String>, Option<i64>, Option<String>);

/// Jobs that are not done, in the order of their ids, after one of them; `with_ticks` also those that are done and must
/// not be made again, as the schedules' are, by their key.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn kept(db: &mut impl Sql, with_ticks: bool, after: &str, limit: i64) -> Result<Vec<Kept>> {
    let (from, seconds) = table(db.dialect());
    let wanted = if with_ticks { "(status <> 'Done' or idempotency_key is not null)" } else { "status <> 'Done'" };
    let rows: Vec<KeptRow> = db
        .sql_built(format!(
            "select id, job, status, cast(attempts as bigint), cast(max_attempts as bigint), {}, cast(priority as bigint), \
             idempotency_key, {}, cast(last_result as text) from {from} \
             where job_type = $1 and {wanted} and id > $2 order by id limit $3",
            seconds("run_at"),
            seconds("done_at")
        ))
        .bind(QUEUE)
        .bind(after.to_owned())
        .bind(limit)
        .all()
        .await?;
    let kept = |(id, job, status, attempts, max_attempts, run_at, priority, key, done_at, last_result): KeptRow| {
        let envelope = serde_json::from_slice(&job).map_err(Error::internal)?;
        Ok(Kept { id, envelope, status, attempts, max_attempts, run_at, priority, key, done_at, last_result })
    };
    rows.into_iter().map(kept).collect()
}

/// Queues a job as it was kept. One that was being done is to be begun again.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn put_back(tx: &mut Tx, kept: &Kept) -> Result<()> {
    let mut task = TaskBuilder::new(serde_json::to_vec(&kept.envelope).map_err(Error::internal)?)
        .task_id(TaskId::from_string(kept.id.clone()))
        .max_attempts(usize::try_from(kept.max_attempts).unwrap_or(MAX_ATTEMPTS))
        .priority(usize::try_from(kept.priority).unwrap_or_default())
        .run_at_timestamp(u64::try_from(kept.run_at).unwrap_or_default());
    if let Some(key) = &kept.key {
        task = task.idempotency_key(key);
    }
    send(tx, task.build()).await?;
    let ended = matches!(kept.status.as_str(), "Failed" | "Killed" | "Done");
    let status = if ended { kept.status.clone() } else { "Pending".to_owned() };
    // apalis wants JSON, whatever it was.
    let result = kept.last_result.as_deref().map(|text| match serde_json::from_str::<serde_json::Value>(text) {
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
        .bind(kept.id.clone())
        .bind(status)
        .bind(kept.attempts)
        .bind(kept.done_at)
        .bind(result)
        .bind(QUEUE)
        .run()
        .await?;
    Ok(())
}

/// Takes every job out, for a restore into a portal that nobody has used yet.
///
/// # Errors
/// What the database refuses.
pub(crate) async fn empty(tx: &mut Tx) -> Result<()> {
    let (from, _) = table(tx.dialect());
    tx.sql_built(format!("delete from {from} where job_type = $1")).bind(QUEUE).run().await?;
    Ok(())
}
