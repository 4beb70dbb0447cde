//! Job registry: finds handler, timeout and retry policy of a job by its name.
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
type OnFailure = Box<dyn Fn(State, Value, String, bool) -> BoxFuture<'static, ()> + Send + Sync>;
type Enqueue = Box<dyn Fn(Ctx) -> BoxFuture<'static, domain::Result<()>> + Send + Sync>;

/// Timeout of an attempt and exponential backoff between attempts. The number of attempts is `Job::ATTEMPTS`.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// An attempt that takes longer has failed.
    pub timeout: Duration,
    /// Delay after the first failure; doubles with each further one.
    pub initial_backoff: Duration,
    /// Upper bound of the delay.
    pub max_backoff: Duration,
}

struct Entry {
    policy: RetryPolicy,
    run: Run,
    on_failure: Option<OnFailure>,
    manual: Option<Enqueue>,
}

/// All jobs by name, and the state that their handlers share.
pub struct JobRegistry {
    state: State,
    jobs: BTreeMap<&'static str, Entry>,
}

impl JobRegistry {
    pub fn new(state: State) -> Self {
        Self { state, jobs: BTreeMap::new() }
    }

    /// Registers a job with its handler.
    #[must_use]
    pub fn job<J, F>(mut self, policy: RetryPolicy, run: fn(State, J) -> F) -> Self
    where
        J: Job + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let run: Run = Box::new(move |state, payload| match serde_json::from_value::<J>(payload) {
            Ok(job) => Box::pin(run(state, job)),
            Err(e) => Box::pin(std::future::ready(Err(Failure::Fail(format!("its payload cannot be read: {e}"))))),
        });
        self.jobs.insert(J::NAME, Entry { policy, run, on_failure: None, manual: None });
        self
    }

    /// Registers the callback of a failed attempt of job `J`. The last argument is true when no attempt follows.
    #[must_use]
    pub fn on_failure<J, F>(mut self, failed: fn(State, J, String, bool) -> F) -> Self
    where
        J: Job + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let handler: OnFailure =
            Box::new(move |state, payload, why, last| match serde_json::from_value::<J>(payload) {
                Ok(job) => Box::pin(failed(state, job, why, last)),
                Err(_) => Box::pin(std::future::ready(())),
            });
        self.jobs.get_mut(J::NAME).expect("a job is registered before its failure callback").on_failure = Some(handler);
        self
    }

    /// Allows an operator to enqueue the job with `spvctl job run NAME`; `enqueue` does it.
    #[must_use]
    pub fn allow_manual<J, F>(mut self, enqueue: fn(Ctx) -> F) -> Self
    where
        J: Job,
        F: Future<Output = domain::Result<()>> + Send + 'static,
    {
        let entry = self.jobs.get_mut(J::NAME).expect("a job is registered before it is allowed by name");
        entry.manual = Some(Box::new(move |ctx| Box::pin(enqueue(ctx))));
        self
    }

    /// Names that [`JobRegistry::enqueue_manual`] accepts.
    pub fn manual_names(&self) -> Vec<&'static str> {
        self.jobs.iter().filter(|(_, entry)| entry.manual.is_some()).map(|(name, _)| *name).collect()
    }

    /// Enqueues the job `name`.
    ///
    /// # Errors
    /// NotFound for an unknown name or a job that needs a payload; errors of the database.
    pub async fn enqueue_manual(&self, ctx: &Ctx, name: &str) -> domain::Result<()> {
        match self.jobs.get(name).and_then(|entry| entry.manual.as_ref()) {
            Some(enqueue) => enqueue(ctx.clone()).await,
            None => Err(domain::Error::NotFound("job")),
        }
    }

    fn policy(&self, job: &str) -> RetryPolicy {
        const UNKNOWN: RetryPolicy = RetryPolicy {
            timeout: Duration::from_secs(60),
            initial_backoff: Duration::from_secs(60),
            max_backoff: Duration::from_secs(3600),
        };
        self.jobs.get(job).map_or(UNKNOWN, |entry| entry.policy)
    }
}

impl Handler for JobRegistry {
    fn timeout(&self, job: &str) -> Duration {
        self.policy(job).timeout
    }

    fn backoff(&self, job: &str, number: usize) -> Duration {
        let RetryPolicy { initial_backoff, max_backoff, .. } = self.policy(job);
        let doublings = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX).min(20);
        initial_backoff.saturating_mul(1 << doublings).min(max_backoff)
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
            // Enqueued by a newer process; retried until a newer worker runs.
            None => Box::pin(std::future::ready(Err(Failure::Retry("this worker does not know the job".to_owned())))),
        }
    }

    fn on_failure(self: Arc<Self>, attempt: Attempt, why: String, last: bool) -> BoxFuture<'static, ()> {
        // Unknown names share one label, so that the number of metric series stays bounded.
        let known = self.jobs.get_key_value(attempt.job.as_str());
        let (name, outcome) = (known.map_or("unknown", |(name, _)| name), if last { "dead" } else { "failed" });
        counter!("spv_job_attempts_total", "job" => name, "outcome" => outcome).increment(1);
        match known.and_then(|(_, entry)| entry.on_failure.as_ref()) {
            Some(failed) => failed(self.state.clone(), attempt.payload, why, last),
            None => Box::pin(std::future::ready(())),
        }
    }
}

/// Enqueues a job without payload.
///
/// # Errors
/// Errors of the database.
pub async fn enqueue_default<J: Job + Default>(ctx: Ctx) -> domain::Result<()> {
    let job = &J::default();
    ctx.transaction(|tx| domain::platform::queue::enqueue(tx, job).scope_boxed()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Mailer, sender};
    use domain::{outbox::mails, testing::World};

    #[tokio::test]
    async fn backoff_doubles_up_to_one_hour() {
        let world = World::sqlite().await;
        let mailer = Mailer::files(&world.dir.path, sender("office@example.com").unwrap());
        let registry = crate::registry(State::new(world.operator(), mailer));
        let hour = Duration::from_secs(3600);
        for (job, first) in [(mails::Send::NAME, 5), ("of a newer portal", 60)] {
            let pauses: Vec<_> = (1..=100).map(|number| registry.backoff(job, number)).collect();
            assert_eq!(pauses[0], Duration::from_secs(first), "{job}");
            assert!(pauses.windows(2).all(|two| two[1] == (two[0] * 2).min(hour)), "{job}: {pauses:?}");
            assert_eq!((pauses[99], registry.backoff(job, usize::MAX)), (hour, hour), "{job}");
        }
    }
}
