//! The worker on both databases: success, retry, failure, timeout and panic of jobs.
#![expect(clippy::unwrap_used, reason = "helpers of tests, too")]
use domain::{
    Ctx,
    kernel::{
        clock::Clock,
        db::{Db, Durability},
        page::PageQuery,
    },
    operations::alerts::{self, Metrics},
    platform::queue::{
        self, Job, Status, Unfinished,
        worker::{self, Attempt, Failure, Handler, WorkerOptions},
    },
    testing::{World, on_both},
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    what: String,
}

impl Job for Task {
    const NAME: &'static str = "tests.task";
    const ATTEMPTS: usize = 2;
}

/// Runs each task as its payload says and records runs and failures.
#[derive(Default)]
struct ScriptedHandler {
    runs: AtomicUsize,
    failures: Mutex<Vec<(String, bool)>>,
}

impl Handler for ScriptedHandler {
    fn timeout(&self, _: &str) -> Duration {
        Duration::from_millis(400)
    }

    fn backoff(&self, _: &str, _: usize) -> Duration {
        Duration::from_secs(1)
    }

    fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match attempt.payload["what"].as_str().unwrap_or_default() {
                "fail once" if attempt.number == 1 => Err(Failure::Retry("not yet".to_owned())),
                "fail" => Err(Failure::Retry("never works".to_owned())),
                "refuse" => Err(Failure::Fail("makes no sense".to_owned())),
                "panic" => panic!("ouch"),
                "hang" => std::future::pending().await,
                _ => Ok(()),
            }
        })
    }

    fn on_failure(self: Arc<Self>, _: Attempt, why: String, last: bool) -> BoxFuture<'static, ()> {
        self.failures.lock().unwrap().push((why, last));
        Box::pin(std::future::ready(()))
    }
}

/// The operator with the system clock, as apalis' statements use the database's clock.
fn now(world: &World) -> Ctx {
    Ctx { clock: Clock::system(), ..world.operator() }
}

async fn enqueue(ctx: &Ctx, what: &str) {
    let mut tx = ctx.begin().await.unwrap();
    queue::enqueue(&mut tx, &Task { what: what.to_owned() }).await.unwrap();
    tx.commit().await.unwrap();
}

/// Runs a worker until the counts by status are as expected, then stops it.
async fn work(ctx: &Ctx, handler: &Arc<ScriptedHandler>, wanted: &[(Status, i64)]) {
    let (stop, stopped) = watch::channel(false);
    let options = WorkerOptions { concurrency: 4, name: format!("test-{}", ctx.random.uuid()) };
    let working = tokio::spawn(worker::run(ctx.clone(), options, handler.clone(), stopped));
    let mut found = Vec::new();
    for _ in 0..300 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        found = queue::stats(ctx).await.unwrap();
        if found == wanted {
            break;
        }
    }
    stop.send(true).unwrap();
    working.await.unwrap();
    assert_eq!(found, wanted);
    assert_eq!(queue::live_workers(ctx).await.unwrap(), 0, "a worker that stopped is not waited for");
}

#[tokio::test]
async fn a_committed_job_runs_once_and_a_rolled_back_one_never() {
    on_both(|world| async move {
        let ctx = now(&world);
        enqueue(&ctx, "work").await;
        let mut tx = ctx.begin().await.unwrap();
        queue::enqueue(&mut tx, &Task { what: "work".to_owned() }).await.unwrap();
        drop(tx);
        let handler = Arc::new(ScriptedHandler::default());
        work(&ctx, &handler, &[(Status::Done, 1)]).await;
        assert_eq!(handler.runs.load(Ordering::SeqCst), 1);
    })
    .await;
}

#[tokio::test]
async fn a_job_of_the_same_process_starts_without_polling_delay() {
    on_both(|world| async move {
        let ctx = now(&world);
        let handler = Arc::new(ScriptedHandler::default());
        let (stop, stopped) = watch::channel(false);
        let options = WorkerOptions { concurrency: 4, name: "prompt".to_owned() };
        let working = tokio::spawn(worker::run(ctx.clone(), options, handler.clone(), stopped));
        // A worker that only polls has just polled when the next job is enqueued. The first job waits for the worker to
        // start, and a busy machine may delay some of the others, so the fastest counts.
        let mut soonest = Duration::MAX;
        for nth in 1..=6 {
            enqueue(&ctx, "work").await;
            let asked = tokio::time::Instant::now();
            while handler.runs.load(Ordering::SeqCst) < nth {
                assert!(asked.elapsed() < Duration::from_secs(10), "job {nth} was not begun");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if nth > 1 {
                soonest = soonest.min(asked.elapsed());
            }
        }
        assert!(soonest < Duration::from_millis(300), "the wake-up came too late: {soonest:?}");
        stop.send(true).unwrap();
        working.await.unwrap();
    })
    .await;
}

/// Enqueues a job from within a job, once `go` is true.
struct BlockingWriter {
    ctx: Ctx,
    begun: watch::Sender<bool>,
    go: watch::Receiver<bool>,
}

impl Handler for BlockingWriter {
    fn timeout(&self, _: &str) -> Duration {
        Duration::from_secs(20)
    }

    fn backoff(&self, _: &str, _: usize) -> Duration {
        Duration::from_secs(1)
    }

    fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            if attempt.payload["what"] == "write" {
                self.begun.send_replace(true);
                self.go.clone().wait_for(|go| *go).await.unwrap();
                enqueue(&self.ctx, "written").await;
            }
            Ok(())
        })
    }

    fn on_failure(self: Arc<Self>, _: Attempt, why: String, _: bool) -> BoxFuture<'static, ()> {
        panic!("{why}")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_still_running_at_shutdown_can_write() {
    let world = World::sqlite().await;
    let ctx = now(&world);
    let ((begun, mut has_begun), (go, may_go)) = (watch::channel(false), watch::channel(false));
    let (stop, stopped) = watch::channel(false);
    enqueue(&ctx, "write").await;
    let handler = Arc::new(BlockingWriter { ctx: ctx.clone(), begun, go: may_go });
    let options = WorkerOptions { concurrency: 4, name: "stopping".to_owned() };
    let working = tokio::spawn(worker::run(ctx.clone(), options, handler, stopped));
    has_begun.wait_for(|begun| *begun).await.unwrap();
    // Another connection holds the write lock, so the worker's next poll is blocked when it is asked to stop.
    let other = Db::open(&world.url, Durability::Normal).await.unwrap();
    let busy = other.begin().await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    stop.send(true).unwrap();
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    drop(busy);
    go.send(true).unwrap();
    working.await.unwrap();
    let states: Vec<_> = queue::stats(&ctx).await.unwrap().into_iter().map(|(state, _)| state).collect();
    assert!(states.contains(&Status::Done), "{states:?}");
    assert!(!states.contains(&Status::Failed) && !states.contains(&Status::Running), "{states:?}");
}

#[tokio::test]
async fn failed_jobs_are_retried_after_a_backoff_and_dead_ones_are_kept() {
    on_both(|world| async move {
        let ctx = now(&world);
        for what in ["fail once", "fail", "refuse", "panic", "hang"] {
            enqueue(&ctx, what).await;
        }
        let handler = Arc::new(ScriptedHandler::default());
        work(&ctx, &handler, &[(Status::Dead, 4), (Status::Done, 1)]).await;
        assert_eq!(handler.runs.load(Ordering::SeqCst), 2 + 2 + 1 + 2 + 2);
        let mut failures = handler.failures.lock().unwrap().clone();
        failures.sort();
        let expected = [
            ("makes no sense", true),
            ("never works", false),
            ("never works", true),
            ("not yet", false),
            ("panicked: ouch", false),
            ("panicked: ouch", true),
            ("took longer than 0 s", false),
            ("took longer than 0 s", true),
        ];
        assert_eq!(failures, expected.map(|(why, last)| (why.to_owned(), last)));
        let dead = queue::list(&ctx, Some("dead"), &PageQuery::default()).await.unwrap().items;
        assert_eq!(dead.len(), 4);
        assert_eq!(queue::unfinished(&ctx).await.unwrap(), Unfinished { waiting: 0, dead: 4 });
        assert!(dead.iter().any(|job| job.last_result.as_deref().is_some_and(|why| why.contains("ouch"))));
        alerts::check(&ctx, &Metrics::default()).await.unwrap();
        let open = alerts::list(&ctx, Some(true), &PageQuery::default()).await.unwrap().items;
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!((open[0].kind.as_str(), open[0].data["count"].as_i64()), ("dead_jobs", Some(4)));
    })
    .await;
}

#[tokio::test]
async fn a_dead_job_can_be_retried_manually() {
    on_both(|world| async move {
        let ctx = now(&world);
        enqueue(&ctx, "refuse").await;
        let handler = Arc::new(ScriptedHandler::default());
        work(&ctx, &handler, &[(Status::Dead, 1)]).await;
        let dead = queue::list(&ctx, Some("dead"), &PageQuery::default()).await.unwrap().items.remove(0);
        assert_eq!(queue::retry(&ctx, &dead.id).await.unwrap().status, Status::Pending);
        work(&ctx, &handler, &[(Status::Dead, 1)]).await;
        assert_eq!(handler.runs.load(Ordering::SeqCst), 2);
    })
    .await;
}

#[tokio::test]
async fn concurrent_enqueues_with_one_key_create_one_job() {
    on_both(|world| async move {
        let ctx = now(&world);
        let task = Task { what: "work".to_owned() };
        let mut made = 0;
        let tries: Vec<_> = (0..8)
            .map(|_| {
                let (ctx, task) = (ctx.clone(), task.clone());
                tokio::spawn(async move { queue::enqueue_once(&ctx, &task, "tests.task:1").await.unwrap() })
            })
            .collect();
        for one in tries {
            made += usize::from(one.await.unwrap());
        }
        assert_eq!(made, 1);
        let handler = Arc::new(ScriptedHandler::default());
        work(&ctx, &handler, &[(Status::Done, 1)]).await;
        assert!(
            !queue::enqueue_once(&ctx, &task, "tests.task:1").await.unwrap(),
            "the key stays taken after the job is done"
        );
        assert_eq!(queue::clean_up(&ctx).await.unwrap(), 0);
        let later = Ctx { clock: Clock::fixed(ctx.now() + chrono::Duration::days(8)), ..ctx };
        assert_eq!(queue::clean_up(&later).await.unwrap(), 1);
    })
    .await;
}
