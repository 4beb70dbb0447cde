//! Runs the queue: fetches jobs from apalis' tables and hands them to whoever knows what they mean.
//!
//! apalis' storage, locking and recovery of orphans are used; its own time-out, panic, retry and interval layers
//! are not, because they leave jobs `Running` for ever or stop looking. What they would do is done here.
use super::{Envelope, QUEUE, leave, put_off};
use crate::kernel::{
    ctx::Ctx,
    db::{Db, QueuePool},
};
use apalis::prelude::{
    AbortError, BackendExt, BoxDynError, FromRequest, MissingDataError, Monitor, MonitorError, PollSnapshot,
    PollStrategy, Task, WorkerBuilder, WorkerBuilderExt,
};
use futures::{Stream, StreamExt, future::BoxFuture, stream::BoxStream};
use std::{
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{sync::watch, task::JoinSet};
use tracing::Instrument;

/// How often a worker says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// So many times it may fail to.
const MISSED: usize = 3;
/// A worker that has been silent for longer is dead, and its jobs are another's.
pub(super) const SILENCE: Duration = Duration::from_secs(HEARTBEAT.as_secs() * MISSED as u64);
/// Jobs fetched at once. One that is fetched and not begun loses an attempt at a stop, so few are.
const BATCH: usize = 2;
/// How often to look for what nothing announces: another process on SQLite, a job whose pause is over.
const SQLITE_POLL: Duration = Duration::from_millis(500);
const POSTGRES_POLL: Duration = Duration::from_secs(1);
/// How often a worker that is told to stop looks whether what it has begun in the database is ended.
const QUIET: Duration = Duration::from_millis(20);
/// How long running jobs may take to finish once the worker is told to stop.
const GRACE: Duration = Duration::from_secs(25);

/// How a worker runs.
#[derive(Clone, Debug)]
pub struct Workers {
    /// Jobs at a time.
    pub concurrency: usize,
    /// Tells this machine's workers from others'; the process id and a count of restarts are added.
    pub name: String,
}

/// One attempt at a job.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub id: String,
    pub job: String,
    pub payload: serde_json::Value,
    /// 1 at the first.
    pub number: usize,
    /// Whether a failure of this attempt is the end: no other will follow.
    pub last: bool,
}

/// Why an attempt failed, and whether another may help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    Later(String),
    Never(String),
}

/// Knows the jobs by name: how long one may take, how to run it, what to note when it failed.
pub trait Handler: Send + Sync + 'static {
    /// After this long an attempt counts as failed.
    fn limit(&self, job: &str) -> Duration;
    /// The pause before the next attempt after attempt `number` failed.
    fn pause(&self, job: &str, number: usize) -> Duration;
    fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>>;
    /// Called after every failed attempt, panics and time-outs included; `last` when the job is dead now.
    fn failed(self: Arc<Self>, attempt: Attempt, why: String, last: bool) -> BoxFuture<'static, ()>;
}

/// Works until `stop` turns true, and then until the jobs in hand are done, at most 25 s. A database that cannot
/// be reached is waited for: the worker starts again with a growing pause.
pub async fn work(ctx: Ctx, options: Workers, handler: Arc<dyn Handler>, mut stop: watch::Receiver<bool>) {
    let mut pause = Duration::from_millis(500);
    loop {
        // A name that no worker had before: in a container both host name and process id outlive a `kill -9`, and whoever
        // signs on as the dead one keeps its jobs from being handed to anybody.
        let name = format!("{}-{}", options.name, ctx.chance.uuid());
        let began = tokio::time::Instant::now();
        let ended = match ctx.db.queue_pool() {
            QueuePool::Sqlite(pool) => {
                let config = apalis_sqlite::Config::default()
                    .queue(QUEUE)
                    .heartbeat_interval(HEARTBEAT)
                    .missed_heartbeats(MISSED)
                    .batch_size(BATCH);
                let storage = apalis_sqlite::SqliteStorage::<Envelope>::new(&pool).with_config(config);
                let (ctx, handler, name, told) = (ctx.clone(), handler.clone(), name.clone(), stop.clone());
                let monitor = Monitor::new().register(move |_| {
                    let (inner, handler) = (ctx.clone(), handler.clone());
                    WorkerBuilder::new(name.as_str())
                        .backend(storage.clone().poll_with_strategy(every(
                            &ctx,
                            SQLITE_POLL,
                            wakes(&ctx),
                            told.clone(),
                        )))
                        .concurrency(options.concurrency)
                        .build(move |job: Envelope, ticket: Ticket| {
                            guarded(inner.clone(), handler.clone(), job, ticket)
                        })
                });
                until(monitor, &mut stop, || pool.num_idle() < pool.size() as usize).await
            }
            QueuePool::Postgres(pool) => {
                let config = apalis_postgres::Config::default()
                    .queue(QUEUE)
                    .heartbeat_interval(HEARTBEAT)
                    .missed_heartbeats(MISSED)
                    .batch_size(BATCH);
                let storage = apalis_postgres::PostgresStorage::<Envelope>::new(&pool).with_config(config);
                let (ctx, handler, name, told) = (ctx.clone(), handler.clone(), name.clone(), stop.clone());
                let monitor = Monitor::new().register(move |_| {
                    let (inner, handler) = (ctx.clone(), handler.clone());
                    let wake = futures::stream::select(wakes(&ctx), announced(&ctx));
                    WorkerBuilder::new(name.as_str())
                        .backend(storage.clone().poll_with_strategy(every(&ctx, POSTGRES_POLL, wake, told.clone())))
                        .concurrency(options.concurrency)
                        .build(move |job: Envelope, ticket: Ticket| {
                            guarded(inner.clone(), handler.clone(), job, ticket)
                        })
                });
                // What apalis leaves lying there keeps nobody from writing.
                until(monitor, &mut stop, || false).await
            }
        };
        let error = match ended {
            Err(error) => error,
            Ok(orderly) => {
                if orderly && let Err(error) = leave(&ctx, &name).await {
                    tracing::debug!(%error, "the worker's end was not noted");
                }
                return;
            }
        };
        if began.elapsed() > Duration::from_secs(60) {
            pause = Duration::from_millis(500);
        }
        let error = error.to_string();
        let error = error.lines().rfind(|line| !line.is_empty()).unwrap_or_default();
        tracing::warn!(error, "the worker starts again in {pause:?}");
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = stopped(&mut stop) => return,
        }
        pause = (pause * 2).min(Duration::from_secs(10));
    }
}

/// Returns once `stop` is true, or nobody is left who could turn it so.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Runs one monitor until it fails or, after `stop`, all is done: then true, false when jobs are still running.
///
/// What apalis has begun in the database it leaves lying once it shuts down, with its locks, for as long as jobs are
/// running, and they may want to write: so it goes on until the database is no longer `busy` with it.
async fn until(
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
            if let Ok(ended) = tokio::time::timeout(QUIET, &mut running).await {
                return ended;
            }
        }
        // Nothing of it runs between the look and this, as it is run here.
        let _ = monitored.shutdown();
        running.await
    };
    match tokio::time::timeout(GRACE, stopping).await {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the worker stopped with an error");
            Ok(false)
        }
        Err(_) => {
            tracing::warn!("jobs still running are left to another worker");
            Ok(false)
        }
    }
}

/// Runs one attempt so that apalis always sees a plain result: a panic or a job that takes too long is a failure
/// like any other, and the next attempt waits.
///
/// Every log line inside carries `job_id`, `job` and `attempt`.
async fn guarded(ctx: Ctx, handler: Arc<dyn Handler>, job: Envelope, ticket: Ticket) -> Result<(), BoxDynError> {
    let max = ticket.max;
    let attempt = Attempt {
        id: ticket.id,
        last: ticket.number >= max,
        number: ticket.number,
        job: job.job,
        payload: job.payload,
    };
    // At error level, so that no filter takes the fields from the lines inside.
    let span = tracing::error_span!("job", job_id = attempt.id, job = attempt.job, attempt = attempt.number);
    run_attempt(ctx, handler, attempt, max).instrument(span).await
}

async fn run_attempt(ctx: Ctx, handler: Arc<dyn Handler>, attempt: Attempt, max: usize) -> Result<(), BoxDynError> {
    let limit = handler.limit(&attempt.job);
    // A job that brings its worker down never reports; handing it out again counts, though.
    if attempt.number > max {
        let why = "brought its worker down each time".to_owned();
        tracing::warn!(dead = true, why, "job failed");
        handler.failed(attempt, why.clone(), true).await;
        return Err(AbortError::new(why).into());
    }
    // In a task of its own: a job that blocks must not stop the worker's heartbeat. Dropped with this future.
    let mut task = JoinSet::new();
    task.spawn(handler.clone().run(attempt.clone()).in_current_span());
    let result = match tokio::time::timeout(limit, task.join_next()).await {
        Err(_) => Err(Failure::Later(format!("took longer than {} s", limit.as_secs()))),
        Ok(None) => Err(Failure::Later("was not run".to_owned())),
        Ok(Some(Err(panic))) => Err(Failure::Later(panicked(panic))),
        Ok(Some(Ok(result))) => result,
    };
    let (why, never) = match result {
        Ok(()) => {
            tracing::debug!("job done");
            return Ok(());
        }
        Err(Failure::Later(why)) => (why, false),
        Err(Failure::Never(why)) => (why, true),
    };
    let dead = never || attempt.last;
    tracing::warn!(dead, why, "job failed");
    handler.clone().failed(attempt.clone(), why.clone(), dead).await;
    if never {
        return Err(AbortError::new(why).into());
    }
    if !dead {
        put_off(&ctx, &attempt.id, handler.pause(&attempt.job, attempt.number)).await?;
    }
    Err(why.into())
}

fn panicked(error: tokio::task::JoinError) -> String {
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

/// What apalis knows of an attempt beside its payload.
struct Ticket {
    id: String,
    number: usize,
    max: usize,
}

impl<Args: Sync> FromRequest<Task<Args>> for Ticket {
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

/// When the worker looks for jobs: on every tick, and at once when something wakes it. apalis' own interval
/// forgets to set its timer again when a fetch takes longer than the interval.
struct Ticks {
    tick: tokio::time::Interval,
    wake: Mutex<BoxStream<'static, ()>>,
    /// From then on by nothing.
    stop: watch::Receiver<bool>,
    /// Where it is not what was opened, jobs would be tried again and again and then given up.
    db: Db,
}

fn every(
    ctx: &Ctx,
    period: Duration,
    wake: impl Stream<Item = ()> + Send + 'static,
    stop: watch::Receiver<bool>,
) -> Ticks {
    let mut tick = tokio::time::interval(period);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    Ticks { tick, wake: Mutex::new(wake.chain(futures::stream::pending()).boxed()), stop, db: ctx.db.clone() }
}

impl PollStrategy for Ticks {
    /// Polls every source until it is pending, so that a waker is always in place.
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

/// This process committed a job.
fn wakes(ctx: &Ctx) -> impl Stream<Item = ()> + Send + 'static {
    futures::stream::unfold(ctx.db.jobs_signal(), |mut signal| async move {
        signal.changed().await.ok()?;
        Some(((), signal))
    })
}

/// Another process committed a job; PostgreSQL tells. apalis' own listener gives up for good when it cannot
/// connect once, this one tries again.
fn announced(ctx: &Ctx) -> impl Stream<Item = ()> + Send + 'static {
    const CHANNEL: &str = "apalis::job::insert";
    futures::stream::unfold((ctx.db(), None), |(db, mut listener)| async move {
        loop {
            match &mut listener {
                None => match db.listen(CHANNEL).await {
                    Ok(found) => listener = Some(found?),
                    Err(_) => tokio::time::sleep(Duration::from_secs(2)).await,
                },
                Some(open) => match open.recv().await {
                    Ok(_) => return Some(((), (db, listener))),
                    Err(_) => listener = None,
                },
            }
        }
    })
}
