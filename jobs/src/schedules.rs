//! When jobs come by themselves. A tick is a job with a key made of its name and time, so that of several
//! processes one makes it; a server that was down makes the last tick it missed, and only that.
use chrono::{DateTime, Utc};
use cron::Schedule;
use domain::{
    Ctx,
    platform::queue::{self, Job, worker::stopped},
};
use futures::future::BoxFuture;
use std::{str::FromStr, sync::Arc, time::Duration};
use tokio::sync::watch;

/// How far back a missed tick is looked for.
const LOOK_BACK: chrono::Duration = chrono::Duration::days(8);
/// The longest sleep, so that a clock that was set is noticed.
const NAP: Duration = Duration::from_secs(20);

type Enqueue = Arc<dyn Fn(Ctx, String) -> BoxFuture<'static, domain::Result<bool>> + Send + Sync>;

/// One line of the register: when, and what.
#[derive(Clone)]
pub struct Line {
    name: &'static str,
    schedule: Schedule,
    enqueue: Enqueue,
    /// The tick this process saw to last.
    last: Option<DateTime<Utc>>,
}

impl Line {
    /// `when` is a cron expression with seconds, in UTC.
    pub fn new<J: Job + Default + 'static>(when: &str) -> Self {
        Self {
            name: J::NAME,
            schedule: Schedule::from_str(when).expect("the register's schedules are cron expressions"),
            enqueue: Arc::new(|ctx, key| Box::pin(async move { queue::enqueue_once(&ctx, &J::default(), &key).await })),
            last: None,
        }
    }

    /// The newest tick that has come by `now` and that this process has not seen to.
    fn due(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let begin = now - LOOK_BACK;
        let after = self.last.map_or(begin, |last| last.max(begin));
        self.schedule.after(&after).take_while(|tick| *tick <= now).last()
    }

    fn next(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.schedule.after(&now).next()
    }
}

/// Makes the ticks of `lines` until `stop`. A database that is away is tried again.
pub async fn keep(ctx: Ctx, mut lines: Vec<Line>, mut stop: watch::Receiver<bool>) {
    while let Err(error) = skip_to_restore(&ctx, &mut lines).await {
        tracing::warn!(%error, "the schedules wait for the database");
        tokio::select! {
            () = tokio::time::sleep(NAP) => {}
            () = stopped(&mut stop) => return,
        }
    }
    loop {
        for line in &mut lines {
            let Some(tick) = line.due(ctx.now()) else { continue };
            let key = format!("{}:{}", line.name, tick.timestamp());
            match (line.enqueue)(ctx.clone(), key).await {
                Ok(made) => {
                    tracing::debug!(job = line.name, %tick, made, "tick");
                    line.last = Some(tick);
                }
                Err(error) => tracing::warn!(job = line.name, %tick, %error, "the tick waits for the database"),
            }
        }
        let now = ctx.now();
        let pause = lines.iter().filter_map(|line| line.next(now)).min().and_then(|next| (next - now).to_std().ok());
        tokio::select! {
            () = tokio::time::sleep(pause.unwrap_or(NAP).min(NAP)) => {}
            () = stopped(&mut stop) => return,
        }
    }
}

/// A portal that was brought back from a backup has no ticks of before: they are done, or were not to be.
async fn skip_to_restore(ctx: &Ctx, lines: &mut [Line]) -> domain::Result<()> {
    // A clock that was ahead then has been set right since.
    let restored = domain::operations::backups::restored_at(ctx).await?.map(|at| at.min(ctx.now()));
    for line in lines {
        line.last = line.last.max(restored);
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
    fn a_server_that_was_down_makes_the_last_missed_tick_only() {
        let mut daily = Line::new::<RemindOverdue>("0 0 7 * * *");
        daily.last = Some(at(10, 7));
        assert_eq!(daily.due(at(11, 6)), None);
        assert_eq!(daily.due(at(14, 9)), Some(at(14, 7)));
    }

    #[tokio::test]
    async fn a_portal_that_was_brought_back_makes_no_tick_of_before() {
        on_both(async |world| {
            let ticks = async |ctx: &Ctx| {
                let (stop, stopped) = watch::channel(false);
                let (_, ()) =
                    tokio::join!(keep(ctx.clone(), vec![Line::new::<RemindOverdue>("0 0 7 * * *")], stopped), async {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        stop.send(true).unwrap();
                    });
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

            // The clock was a year ahead then.
            let ahead = World { clock: Clock::fixed(noon() + chrono::Duration::days(365)), ..World::sqlite().await };
            let ahead = World { options: home.options.clone(), ..ahead };
            backups::restore(&ahead.operator(), &made.name, &|_| ()).await.unwrap();
            let lines = || vec![Line::new::<RemindOverdue>("0 0 7 * * *")];
            let right = World { clock: Clock::fixed(noon()), ..ahead.clone() }.operator();
            let mut skipped = lines();
            skip_to_restore(&right, &mut skipped).await.unwrap();
            assert_eq!(skipped[0].last, Some(noon()));
        })
        .await;
    }

    /// Writes down which jobs were begun.
    #[derive(Default)]
    struct Hands(Mutex<Vec<String>>);

    impl Handler for Hands {
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
    async fn of_two_machines_one_makes_a_tick_and_one_does_it() {
        const TICKS: u32 = 12;
        on_both(async |world| {
            // Each with connections of its own, as two processes have; apalis' statements use the real time.
            let mut machines = Vec::new();
            for _ in 0..2 {
                let db = Db::open(&world.url, Durability::Normal).await.unwrap();
                machines.push(Ctx { db, clock: Clock::system(), ..world.operator() });
            }
            let hands = Arc::new(Hands::default());
            let (stop, stopped) = watch::channel(false);
            let work = |(nth, ctx): (usize, &Ctx)| {
                let options = WorkerOptions { concurrency: 2, name: format!("machine-{nth}") };
                tokio::spawn(worker::run(ctx.clone(), options, hands.clone(), stopped.clone()))
            };
            let working: Vec<_> = machines.iter().enumerate().map(work).collect();
            for hour in 0..TICKS {
                // Told to end before they begin, both look once, at the same time.
                let (_told, ended) = watch::channel(true);
                let look = |ctx: &Ctx| {
                    let ctx = Ctx { clock: Clock::fixed(at(14, hour)), ..ctx.clone() };
                    tokio::spawn(keep(ctx, vec![Line::new::<RemindOverdue>("0 0 * * * *")], ended.clone()))
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
            let mut begun = hands.0.lock().unwrap().clone();
            made.sort();
            begun.sort();
            assert_eq!(begun, made, "each was begun once");
        })
        .await;
    }

    #[test]
    fn a_new_process_looks_for_the_tick_before_its_start() {
        let daily = Line::new::<RemindOverdue>("0 0 7 * * *");
        assert_eq!(daily.due(at(14, 9)), Some(at(14, 7)));
        assert_eq!(daily.due(at(14, 7)), Some(at(14, 7)), "the minute itself counts");
    }
}
