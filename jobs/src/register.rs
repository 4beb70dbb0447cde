//! Finds the handler of a job by its name, with how long it may take and how long to wait after a failure.
use crate::state::State;
use domain::{
    Ctx,
    kernel::db::ScopedFutureExt,
    platform::queue::{
        Job,
        worker::{Attempt, Failure, Handler},
    },
};
use futures::{TryFutureExt, future::BoxFuture};
use metrics::{counter, histogram};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

type Run = Box<dyn Fn(State, Value) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;
type Failed = Box<dyn Fn(State, Value, String, bool) -> BoxFuture<'static, ()> + Send + Sync>;
type Enqueue = Box<dyn Fn(Ctx) -> BoxFuture<'static, domain::Result<()>> + Send + Sync>;

/// How often and how patiently a job is tried.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Longer than this is a failure.
    pub limit: Duration,
    /// The pause after the first failure; it doubles with each.
    pub first: Duration,
    /// And grows no longer than this.
    pub longest: Duration,
}

struct Entry {
    patience: Patience,
    run: Run,
    failed: Option<Failed>,
    by_hand: Option<Enqueue>,
}

/// All jobs, and what they share.
pub struct Register {
    state: State,
    jobs: BTreeMap<&'static str, Entry>,
}

impl Register {
    pub fn new(state: State) -> Self {
        Self { state, jobs: BTreeMap::new() }
    }

    /// A job and the function that does it.
    #[must_use]
    pub fn job<J, F>(mut self, patience: Patience, run: fn(State, J) -> F) -> Self
    where
        J: Job + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let run: Run = Box::new(move |state, payload| match serde_json::from_value::<J>(payload) {
            Ok(job) => Box::pin(run(state, job)),
            Err(e) => Box::pin(std::future::ready(Err(Failure::Fail(format!("its payload cannot be read: {e}"))))),
        });
        self.jobs.insert(J::NAME, Entry { patience, run, failed: None, by_hand: None });
        self
    }

    /// What the job of the line above notes when an attempt failed.
    #[must_use]
    pub fn noting<J, F>(mut self, failed: fn(State, J, String, bool) -> F) -> Self
    where
        J: Job + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let note: Failed = Box::new(move |state, payload, why, last| match serde_json::from_value::<J>(payload) {
            Ok(job) => Box::pin(failed(state, job, why, last)),
            Err(_) => Box::pin(std::future::ready(())),
        });
        self.jobs.get_mut(J::NAME).expect("a job is registered before what it notes").failed = Some(note);
        self
    }

    /// The job of this name may be asked for by `spvctl job run NAME`, and is queued in this way.
    #[must_use]
    pub fn by_hand<J, F>(mut self, ask: fn(Ctx) -> F) -> Self
    where
        J: Job,
        F: Future<Output = domain::Result<()>> + Send + 'static,
    {
        let entry = self.jobs.get_mut(J::NAME).expect("a job is registered before it is run by hand");
        entry.by_hand = Some(Box::new(move |ctx| Box::pin(ask(ctx))));
        self
    }

    /// Names that [`Register::ask`] knows.
    pub fn names_by_hand(&self) -> Vec<&'static str> {
        self.jobs.iter().filter(|(_, entry)| entry.by_hand.is_some()).map(|(name, _)| *name).collect()
    }

    /// Queues the job `name`.
    ///
    /// # Errors
    /// NotFound for a name that is none or needs a payload; what the database refuses.
    pub async fn ask(&self, ctx: &Ctx, name: &str) -> domain::Result<()> {
        match self.jobs.get(name).and_then(|entry| entry.by_hand.as_ref()) {
            Some(enqueue) => enqueue(ctx.clone()).await,
            None => Err(domain::Error::NotFound("job")),
        }
    }

    fn patience(&self, job: &str) -> Patience {
        const UNKNOWN: Patience = Patience {
            limit: Duration::from_secs(60),
            first: Duration::from_secs(60),
            longest: Duration::from_secs(3600),
        };
        self.jobs.get(job).map_or(UNKNOWN, |entry| entry.patience)
    }
}

impl Handler for Register {
    fn timeout(&self, job: &str) -> Duration {
        self.patience(job).limit
    }

    fn backoff(&self, job: &str, number: usize) -> Duration {
        let Patience { first, longest, .. } = self.patience(job);
        let doublings = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX).min(20);
        first.saturating_mul(1 << doublings).min(longest)
    }

    fn run(self: Arc<Self>, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        match self.jobs.get_key_value(attempt.job.as_str()) {
            Some((name, entry)) => {
                let (name, run) = (*name, (entry.run)(self.state.clone(), attempt.payload));
                let began = Instant::now();
                Box::pin(run.inspect_ok(move |()| {
                    counter!("spv_job_attempts_total", "job" => name, "outcome" => "done").increment(1);
                    histogram!("spv_job_seconds", "job" => name).record(began.elapsed());
                }))
            }
            // A newer process made it; it waits for a newer worker.
            None => Box::pin(std::future::ready(Err(Failure::Retry("this worker does not know the job".to_owned())))),
        }
    }

    fn on_failure(self: Arc<Self>, attempt: Attempt, why: String, last: bool) -> BoxFuture<'static, ()> {
        // Names that nobody here knows could be any.
        let known = self.jobs.get_key_value(attempt.job.as_str());
        let (name, outcome) = (known.map_or("unknown", |(name, _)| name), if last { "dead" } else { "failed" });
        counter!("spv_job_attempts_total", "job" => name, "outcome" => outcome).increment(1);
        match known.and_then(|(_, entry)| entry.failed.as_ref()) {
            Some(failed) => failed(self.state.clone(), attempt.payload, why, last),
            None => Box::pin(std::future::ready(())),
        }
    }
}

/// Queues a job that needs no payload.
///
/// # Errors
/// What the database refuses.
pub async fn plain<J: Job + Default>(ctx: Ctx) -> domain::Result<()> {
    let job = &J::default();
    ctx.transaction(|tx| domain::platform::queue::enqueue(tx, job).scope_boxed()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Mailer, sender};
    use domain::{outbox::mails, testing::World};

    #[tokio::test]
    async fn pauses_double_up_to_an_hour() {
        let world = World::sqlite().await;
        let mailer = Mailer::files(&world.dir.0, sender("office@example.com").unwrap());
        let register = crate::register(State::new(world.operator(), mailer));
        let hour = Duration::from_secs(3600);
        for (job, first) in [(mails::Send::NAME, 5), ("of a newer portal", 60)] {
            let pauses: Vec<_> = (1..=100).map(|number| register.backoff(job, number)).collect();
            assert_eq!(pauses[0], Duration::from_secs(first), "{job}");
            assert!(pauses.windows(2).all(|two| two[1] == (two[0] * 2).min(hour)), "{job}: {pauses:?}");
            assert_eq!((pauses[99], register.backoff(job, usize::MAX)), (hour, hour), "{job}");
        }
    }
}
