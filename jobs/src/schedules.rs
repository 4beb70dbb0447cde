//! Cron schedules of recurring jobs. A tick is a job whose key is made of name and time, so that only one of several
//! processes enqueues it. After a downtime only the last missed tick is enqueued.
use chrono::{DateTime, Utc};
use cron::Schedule as CronSchedule;
use domain::{
    Ctx,
    platform::queue::{self, Job, worker::stopped},
};
use futures::future::BoxFuture;
use std::{str::FromStr, sync::Arc, time::Duration};
use tokio::sync::watch;
use tracing::Instrument;

/// How far back a missed tick is caught up.
const CATCH_UP_WINDOW: chrono::Duration = chrono::Duration::days(8);
/// Longest sleep between two looks at the clock, so that a changed system clock is noticed.
const MAX_SLEEP: Duration = Duration::from_secs(20);

type Enqueue = Arc<dyn Fn(Ctx, String) -> BoxFuture<'static, domain::Result<bool>> + Send + Sync>;

/// A recurring job: cron expression and how to enqueue it.
#[derive(Clone)]
pub struct Schedule {
    name: &'static str,
    cron: CronSchedule,
    enqueue: Enqueue,
    /// The last tick that this process enqueued or found enqueued.
    last: Option<DateTime<Utc>>,
}

impl Schedule {
    /// `cron` is an expression with seconds, in UTC.
    pub fn new<J: Job + Default + 'static>(cron: &str) -> Self {
        Self {
            name: J::NAME,
            cron: CronSchedule::from_str(cron).expect("the schedules are cron expressions"),
            enqueue: Arc::new(|ctx, key| Box::pin(async move { queue::enqueue_once(&ctx, &J::default(), &key).await })),
            last: None,
        }
    }

    /// The newest tick up to `now` that this process has not handled.
    fn due(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let begin = now - CATCH_UP_WINDOW;
        let after = self.last.map_or(begin, |last| last.max(begin));
        self.cron.after(&after).take_while(|tick| *tick <= now).last()
    }

    fn next(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.cron.after(&now).next()
    }

    /// Name, cron expression with seconds in UTC, and next time.
    pub fn describe(&self, now: DateTime<Utc>) -> (&'static str, String, Option<DateTime<Utc>>) {
        (self.name, self.cron.to_string(), self.next(now))
    }

    async fn enqueue_tick(&mut self, ctx: &Ctx, tick: DateTime<Utc>) {
        let key = format!("{}:{}", self.name, tick.timestamp());
        match (self.enqueue)(ctx.clone(), key).await {
            Ok(created) => {
                tracing::debug!(created, "tick");
                self.last = Some(tick);
            }
            Err(error) => tracing::warn!(%error, "tick waits for the database"),
        }
    }
}

/// Enqueues due ticks until `stop`. Retries while the database is unavailable.
pub async fn run(ctx: Ctx, mut schedules: Vec<Schedule>, mut stop: watch::Receiver<bool>) {
    while let Err(error) = skip_to_restore(&ctx, &mut schedules).await {
        tracing::warn!(%error, "schedules wait for the database");
        tokio::select! {
            () = tokio::time::sleep(MAX_SLEEP) => {}
            () = stopped(&mut stop) => return,
        }
    }
    loop {
        for schedule in &mut schedules {
            let Some(tick) = schedule.due(ctx.now()) else { continue };
            // At error level, so that no filter takes the fields from the lines inside.
            let span = tracing::error_span!("schedule", job = schedule.name, %tick);
            schedule.enqueue_tick(&ctx, tick).instrument(span).await;
        }
        let now = ctx.now();
        let pause = schedules
            .iter()
            .filter_map(|schedule| schedule.next(now))
            .min()
            .and_then(|next| (next - now).to_std().ok());
        tokio::select! {
            () = tokio::time::sleep(pause.unwrap_or(MAX_SLEEP).min(MAX_SLEEP)) => {}
            () = stopped(&mut stop) => return,
        }
    }
}

/// Skips the ticks before a restore from backup: the portal that made the backup has handled them.
async fn skip_to_restore(ctx: &Ctx, schedules: &mut [Schedule]) -> domain::Result<()> {
    // The clock may have been ahead at the restore and corrected since.
    let restored = domain::operations::backups::restored_at(ctx).await?.map(|at| at.min(ctx.now()));
    for schedule in schedules {
        schedule.last = schedule.last.max(restored);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers::reminders::RemindOverdue;
    use chrono::TimeZone;
    use domain::{
        Options,
        kernel::{
            clock::Clock,
            db::{Db, Durability},
            page::PageQuery,
        },
        operations::backups,
        platform::queue::{
            Status,
            worker::{self, Attempt, Failure, Handler, WorkerOptions},
        },
        testing::{World, noon, on_both},
    };
    use std::sync::Mutex;

    fn at(day: u32, hour: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, day, hour, 0, 0).unwrap()
    }

    #[test]
    fn only_the_last_missed_tick_is_enqueued_after_a_downtime() {
        let mut daily = Schedule::new::<RemindOverdue>("0 0 7 * * *");
        daily.last = Some(at(10, 7));
        assert_eq!(daily.due(at(11, 6)), None);
        assert_eq!(daily.due(at(14, 9)), Some(at(14, 7)));
    }

    #[tokio::test]
    async fn a_restored_portal_skips_the_ticks_before_the_restore() {
        on_both(async |world| {
            let ticks = async |ctx: &Ctx| {
                let (stop, stopped) = watch::channel(false);
                let (_, ()) = tokio::join!(
                    run(ctx.clone(), vec![Schedule::new::<RemindOverdue>("0 0 7 * * *")], stopped),
                    async {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        stop.send(true).unwrap();
                    }
                );
                queue::list(ctx, None, &PageQuery::default()).await.unwrap().items.len()
            };
            let folder = tempfile::tempdir().unwrap();
            let options = Options { backup_dir: Some(folder.path().to_owned()), ..Options::clone(&world.options) };
            let office = World { options: Arc::new(options.clone()), ..world };
            let made = backups::create(&office.operator(), &|_| ()).await.unwrap();
            assert_eq!(ticks(&office.operator()).await, 1, "a portal that was only down");

            let home = World::sqlite().await;
            let home = World {
                options: Arc::new(Options { backup_dir: options.backup_dir, ..Options::clone(&home.options) }),
                ..home
            };
            backups::restore(&home.operator(), &made.name, &|_| ()).await.unwrap();
            assert_eq!(ticks(&home.operator()).await, 0);
            let next = World { clock: Clock::fixed(noon() + chrono::Duration::days(1)), ..home.clone() };
            assert_eq!(ticks(&next.operator()).await, 1, "the next morning");

            // The clock was a year ahead at the restore.
            let ahead = World { clock: Clock::fixed(noon() + chrono::Duration::days(365)), ..World::sqlite().await };
            let ahead = World { options: home.options.clone(), ..ahead };
            backups::restore(&ahead.operator(), &made.name, &|_| ()).await.unwrap();
            let schedules = || vec![Schedule::new::<RemindOverdue>("0 0 7 * * *")];
            let right = World { clock: Clock::fixed(noon()), ..ahead.clone() }.operator();
            let mut skipped = schedules();
            skip_to_restore(&right, &mut skipped).await.unwrap();
            assert_eq!(skipped[0].last, Some(noon()));
        })
        .await;
    }

    /// Records the ids of the jobs it ran.
    #[derive(Default)]
    struct RecordingHandler(Mutex<Vec<String>>);

    impl Handler for RecordingHandler {
        fn timeout(&self, _: &str) -> Duration {
            Duration::from_secs(60)
        }

        fn backoff(&self, _: &str, _: usize) -> Duration {
            Duration::from_secs(1)
        }

        fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
            self.0.lock().unwrap().push(attempt.id);
            Box::pin(std::future::ready(Ok(())))
        }

        fn on_failure(self: Arc<Self>, _: Attempt, why: String, _: bool) -> BoxFuture<'static, ()> {
            panic!("{why}")
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn two_machines_enqueue_and_run_each_tick_once() {
        const TICKS: u32 = 12;
        on_both(async |world| {
            // Separate connections, as in two processes. apalis' statements use the database's clock.
            let mut machines = Vec::new();
            for _ in 0..2 {
                let db = Db::open(&world.url, Durability::Normal).await.unwrap();
                machines.push(Ctx { db, clock: Clock::system(), ..world.operator() });
            }
            let handler = Arc::new(RecordingHandler::default());
            let (stop, stopped) = watch::channel(false);
            let work = |(nth, ctx): (usize, &Ctx)| {
                let options = WorkerOptions { concurrency: 2, name: format!("machine-{nth}") };
                tokio::spawn(worker::run(ctx.clone(), options, handler.clone(), stopped.clone()))
            };
            let working: Vec<_> = machines.iter().enumerate().map(work).collect();
            for hour in 0..TICKS {
                // Already stopped, so each checks its schedules once; both at the same time.
                let (_stop, ended) = watch::channel(true);
                let look = |ctx: &Ctx| {
                    let ctx = Ctx { clock: Clock::fixed(at(14, hour)), ..ctx.clone() };
                    tokio::spawn(run(ctx, vec![Schedule::new::<RemindOverdue>("0 0 * * * *")], ended.clone()))
                };
                for look in machines.iter().map(look).collect::<Vec<_>>() {
                    look.await.unwrap();
                }
            }
            let done = [(Status::Done, i64::from(TICKS))];
            let mut found = Vec::new();
            for _ in 0..300 {
                found = queue::stats(&machines[0]).await.unwrap();
                if found == done {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            assert_eq!(found, done);
            stop.send(true).unwrap();
            for one in working {
                one.await.unwrap();
            }
            let jobs = queue::list(&machines[0], None, &PageQuery::default()).await.unwrap().items;
            let mut made: Vec<String> = jobs.into_iter().map(|job| job.id).collect();
            let mut begun = handler.0.lock().unwrap().clone();
            made.sort();
            begun.sort();
            assert_eq!(begun, made, "each runs once");
        })
        .await;
    }

    #[test]
    fn a_new_process_catches_up_the_tick_before_its_start() {
        let daily = Schedule::new::<RemindOverdue>("0 0 7 * * *");
        assert_eq!(daily.due(at(14, 9)), Some(at(14, 7)));
        assert_eq!(daily.due(at(14, 7)), Some(at(14, 7)), "the minute itself counts");
    }
}
