//! Worker: fetches jobs from apalis' tables and runs their handlers with timeout, retries and backoff.
//!
//! Uses apalis' storage, locking and recovery of orphaned jobs. Timeout, panic handling, retry and polling are implemented
//! here: apalis' layers for them leave jobs `Running` for ever or stop polling.
use super::{JobPayload, QUEUE, release, reschedule};
use crate::kernel::{
    ctx::Ctx,
    db::{Db, QueuePool},
};
use apalis::prelude::{
    AbortError, BackendExt, BoxDynError, FromRequest, MissingDataError, Monitor, MonitorError, PollSnapshot,
    PollStrategy, Task, WorkerBuilder, WorkerBuilderExt,
};
use futures::{Stream, StreamExt, future::BoxFuture, stream::BoxStream};
use sqlx::{PgPool, SqlitePool};
use std::{
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{sync::watch, task::JoinSet};
use tracing::Instrument;

/// Interval of the worker's heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(10);
const MAX_MISSED_HEARTBEATS: usize = 3;
/// Time without a heartbeat after which a worker counts as dead and its jobs are recovered.
pub(super) const WORKER_TIMEOUT: Duration = Duration::from_secs(HEARTBEAT.as_secs() * MAX_MISSED_HEARTBEATS as u64);
/// Jobs fetched at once: few, as a fetched job that has not started at shutdown loses an attempt.
const BATCH: usize = 2;
/// Polling intervals, for jobs that nothing announces: of another process on SQLite, or due after a delay.
const SQLITE_POLL_INTERVAL: Duration = Duration::from_millis(500);
const POSTGRES_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Polling interval at shutdown, until the worker has no open statements.
const DRAIN_POLL: Duration = Duration::from_millis(20);
/// Delays before a failed worker restarts, doubled at each failure.
const MIN_RESTART_DELAY: Duration = Duration::from_millis(500);
const MAX_RESTART_DELAY: Duration = Duration::from_secs(10);
/// Uptime after which the delay starts again from the minimum.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Delay before the listener of PostgreSQL reconnects.
const RECONNECT_DELAY: Duration = Duration::from_secs(2);
/// Time for running jobs to finish at shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(25);

#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Jobs that run at a time.
    pub concurrency: usize,
    /// Prefix of the worker's name; a random id is appended.
    pub name: String,
}

/// One attempt at a job.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub id: String,
    pub job: String,
    pub payload: serde_json::Value,
    /// Starts at 1.
    pub number: usize,
    /// Whether there is no further attempt.
    pub last: bool,
}

/// Why an attempt failed, and whether to retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Retry(String),
    Fail(String),
}

/// Runs jobs by name.
pub trait Handler: Send + Sync + 'static {
    /// Timeout of an attempt.
    fn timeout(&self, job: &str) -> Duration;
    /// Delay of the next attempt after attempt `number` failed.
    fn backoff(&self, job: &str, number: usize) -> Duration;
    fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>>;
    /// Called after each failed attempt, including panics and timeouts; `last` when the job is dead now.
    fn on_failure(self: Arc<Self>, attempt: Attempt, why: String, last: bool) -> BoxFuture<'static, ()>;
}

/// Runs jobs until `stop` is true, then finishes the running ones within [`SHUTDOWN_GRACE`]. Restarts with a growing delay
/// while the database cannot be reached.
pub async fn run(ctx: Ctx, options: WorkerOptions, handler: Arc<dyn Handler>, mut stop: watch::Receiver<bool>) {
    let mut delay = MIN_RESTART_DELAY;
    loop {
        // A new name for each start: in a container host name and process id are the same after a `kill -9`, and a worker with
        // the name of a dead one keeps its jobs from being recovered.
        let name = format!("{}-{}", options.name, ctx.random.uuid());
        let started = tokio::time::Instant::now();
        let worker =
            Worker { ctx: ctx.clone(), name: name.clone(), concurrency: options.concurrency, handler: handler.clone() };
        let error = match worker.run(&mut stop).await {
            Err(error) => error,
            Ok(orderly) => {
                if orderly && let Err(error) = release(&ctx, &name).await {
                    tracing::debug!(%error, "worker was not released");
                }
                return;
            }
        };
        if started.elapsed() > STABLE_AFTER {
            delay = MIN_RESTART_DELAY;
        }
        let error = error.to_string();
        let error = error.lines().rfind(|line| !line.is_empty()).unwrap_or_default();
        tracing::warn!(error, ?delay, "worker failed, restarting");
        tokio::select! {
            () = tokio::time::sleep(delay) => {}
            () = stopped(&mut stop) => return,
        }
        delay = (delay * 2).min(MAX_RESTART_DELAY);
    }
}

/// One start of a worker.
#[derive(Clone)]
struct Worker {
    ctx: Ctx,
    name: String,
    concurrency: usize,
    handler: Arc<dyn Handler>,
}

impl Worker {
    /// As [`run_until_stopped`].
    async fn run(self, stop: &mut watch::Receiver<bool>) -> Result<bool, MonitorError> {
        match self.ctx.db.queue_pool() {
            QueuePool::Sqlite(pool) => {
                let monitor = self.on_sqlite(&pool, stop.clone());
                run_until_stopped(monitor, stop, || pool.num_idle() < pool.size() as usize).await
            }
            // Open statements of apalis block no writers on PostgreSQL.
            QueuePool::Postgres(pool) => run_until_stopped(self.on_postgres(&pool, stop.clone()), stop, || false).await,
        }
    }

    fn on_sqlite(self, pool: &SqlitePool, stop: watch::Receiver<bool>) -> Monitor {
        let config = apalis_sqlite::Config::default()
            .queue(QUEUE)
            .heartbeat_interval(HEARTBEAT)
            .missed_heartbeats(MAX_MISSED_HEARTBEATS)
            .batch_size(BATCH);
        let storage = apalis_sqlite::SqliteStorage::<JobPayload>::new(pool).with_config(config);
        Monitor::new().register(move |_| {
            let wake = local_wakeups(&self.ctx);
            let ticks = poll_ticks(&self.ctx, SQLITE_POLL_INTERVAL, wake, stop.clone());
            let worker = self.clone();
            WorkerBuilder::new(self.name.as_str())
                .backend(storage.clone().poll_with_strategy(ticks))
                .concurrency(self.concurrency)
                .build(move |job: JobPayload, info: AttemptInfo| {
                    run_attempt(worker.ctx.clone(), worker.handler.clone(), job, info)
                })
        })
    }

    fn on_postgres(self, pool: &PgPool, stop: watch::Receiver<bool>) -> Monitor {
        let config = apalis_postgres::Config::default()
            .queue(QUEUE)
            .heartbeat_interval(HEARTBEAT)
            .missed_heartbeats(MAX_MISSED_HEARTBEATS)
            .batch_size(BATCH);
        let storage = apalis_postgres::PostgresStorage::<JobPayload>::new(pool).with_config(config);
        Monitor::new().register(move |_| {
            let wake = futures::stream::select(local_wakeups(&self.ctx), remote_wakeups(&self.ctx));
            let ticks = poll_ticks(&self.ctx, POSTGRES_POLL_INTERVAL, wake, stop.clone());
            let worker = self.clone();
            WorkerBuilder::new(self.name.as_str())
                .backend(storage.clone().poll_with_strategy(ticks))
                .concurrency(self.concurrency)
                .build(move |job: JobPayload, info: AttemptInfo| {
                    run_attempt(worker.ctx.clone(), worker.handler.clone(), job, info)
                })
        })
    }
}

/// Returns once `stop` is true or its sender is dropped.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Runs a monitor until it fails or, after `stop`, all jobs are done: true, or false when jobs are still running.
///
/// A monitor that shuts down keeps its open statements and their locks while jobs run, which may need to write. So it runs
/// on until the database is no longer `busy` with it.
async fn run_until_stopped(
    monitor: Monitor,
    stop: &mut watch::Receiver<bool>,
    busy: impl Fn() -> bool,
) -> Result<bool, MonitorError> {
    let monitored = monitor.context();
    let mut running = std::pin::pin!(monitor.run());
    tokio::select! {
        ended = &mut running => return ended.map(|()| true),
        () = stopped(stop) => {}
    }
    let stopping = async {
        while busy() {
            if let Ok(ended) = tokio::time::timeout(DRAIN_POLL, &mut running).await {
                return ended;
            }
        }
        // The monitor is polled only here, so it starts nothing between the check and the shutdown.
        let _ = monitored.shutdown();
        running.await
    };
    match tokio::time::timeout(SHUTDOWN_GRACE, stopping).await {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) => {
            tracing::warn!(%error, "worker stopped with an error");
            Ok(false)
        }
        Err(_) => {
            tracing::warn!("jobs are still running at shutdown and will be recovered");
            Ok(false)
        }
    }
}

/// Runs one attempt in a span, so that every log line inside carries `job_id`, `job` and `attempt`.
async fn run_attempt(
    ctx: Ctx,
    handler: Arc<dyn Handler>,
    job: JobPayload,
    info: AttemptInfo,
) -> Result<(), BoxDynError> {
    let max = info.max;
    let attempt =
        Attempt { id: info.id, last: info.number >= info.max, number: info.number, job: job.job, payload: job.payload };
    // At error level, so that no filter takes the fields from the lines inside.
    let span = tracing::error_span!("job", job_id = attempt.id, job = attempt.job, attempt = attempt.number);
    run_in_span(ctx, handler, attempt, max).instrument(span).await
}

/// Panics and timeouts are failures like any other; a failure delays the next attempt.
async fn run_in_span(ctx: Ctx, handler: Arc<dyn Handler>, attempt: Attempt, max: usize) -> Result<(), BoxDynError> {
    let timeout = handler.timeout(&attempt.job);
    // A job that crashes its worker never reports a failure, but each recovery counts as an attempt.
    if attempt.number > max {
        let why = "crashed its worker at each attempt".to_owned();
        tracing::warn!(dead = true, why, "job failed");
        handler.on_failure(attempt, why.clone(), true).await;
        return Err(AbortError::new(why).into());
    }
    // In its own task, so that a blocking job does not stop the worker's heartbeat. Aborted when this future is dropped.
    let mut task = JoinSet::new();
    task.spawn(handler.clone().run(attempt.clone()).in_current_span());
    let result = match tokio::time::timeout(timeout, task.join_next()).await {
        Err(_) => Err(Failure::Retry(format!("took longer than {} s", timeout.as_secs()))),
        Ok(None) => Err(Failure::Retry("did not run".to_owned())),
        Ok(Some(Err(panic))) => Err(Failure::Retry(panic_message(panic))),
        Ok(Some(Ok(result))) => result,
    };
    let (why, permanent) = match result {
        Ok(()) => {
            tracing::debug!("job done");
            return Ok(());
        }
        Err(Failure::Retry(why)) => (why, false),
        Err(Failure::Fail(why)) => (why, true),
    };
    let dead = permanent || attempt.last;
    tracing::warn!(dead, why, "job failed");
    handler.clone().on_failure(attempt.clone(), why.clone(), dead).await;
    if permanent {
        return Err(AbortError::new(why).into());
    }
    if !dead {
        reschedule(&ctx, &attempt.id, handler.backoff(&attempt.job, attempt.number)).await?;
    }
    Err(why.into())
}

fn panic_message(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .map(ToString::to_string)
                .or_else(|| panic.downcast_ref::<String>().cloned());
            format!("panicked: {}", text.unwrap_or_default())
        }
        Err(error) => error.to_string(),
    }
}

/// The metadata of an attempt.
struct AttemptInfo {
    id: String,
    number: usize,
    max: usize,
}

impl<Args: Sync> FromRequest<Task<Args>> for AttemptInfo {
    type Error = MissingDataError;

    async fn from_request(task: &Task<Args>) -> Result<Self, Self::Error> {
        let id = task.ctx().task_id().ok_or_else(|| MissingDataError::NotFound("job id".to_owned()))?;
        Ok(Self {
            id: id.to_string(),
            number: task.ctx().attempt(),
            max: task.ctx().max_attempts().unwrap_or(super::MAX_ATTEMPTS),
        })
    }
}

/// Polling strategy: on every tick, and at once on a wake-up. apalis' own interval does not restart its timer after a fetch
/// that takes longer than the interval.
struct PollTicks {
    tick: tokio::time::Interval,
    wake: Mutex<BoxStream<'static, ()>>,
    /// No polling once it is true.
    stop: watch::Receiver<bool>,
    /// No polling while the database file is replaced: jobs would fail until they are dead.
    db: Db,
}

fn poll_ticks(
    ctx: &Ctx,
    period: Duration,
    wake: impl Stream<Item = ()> + Send + 'static,
    stop: watch::Receiver<bool>,
) -> PollTicks {
    let mut tick = tokio::time::interval(period);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    PollTicks { tick, wake: Mutex::new(wake.chain(futures::stream::pending()).boxed()), stop, db: ctx.db.clone() }
}

impl PollStrategy for PollTicks {
    /// Polls every source until it is pending, so that each has registered the waker.
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        if *self.stop.borrow() {
            return Poll::Pending;
        }
        let mut ready = false;
        while self.tick.poll_tick(cx).is_ready() {
            ready = true;
        }
        let wake = self.wake.get_mut().unwrap_or_else(PoisonError::into_inner);
        while wake.poll_next_unpin(cx).is_ready() {
            ready = true;
        }
        if ready && self.db.verify_not_replaced().is_ok() { Poll::Ready(Some(())) } else { Poll::Pending }
    }
}

/// Wakes when this process commits a job.
fn local_wakeups(ctx: &Ctx) -> impl Stream<Item = ()> + Send + 'static {
    futures::stream::unfold(ctx.db.jobs_signal(), |mut signal| async move {
        signal.changed().await.ok()?;
        Some(((), signal))
    })
}

/// Wakes when another process commits a job, by `listen` on PostgreSQL. Reconnects, which apalis' listener does not.
fn remote_wakeups(ctx: &Ctx) -> impl Stream<Item = ()> + Send + 'static {
    const CHANNEL: &str = "apalis::job::insert";
    futures::stream::unfold((ctx.db(), None), |(db, mut listener)| async move {
        loop {
            match &mut listener {
                None => match db.listen(CHANNEL).await {
                    Ok(found) => listener = Some(found?),
                    Err(_) => tokio::time::sleep(RECONNECT_DELAY).await,
                },
                Some(open) => match open.recv().await {
                    Ok(_) => return Some(((), (db, listener))),
                    Err(_) => listener = None,
                },
            }
        }
    })
}
