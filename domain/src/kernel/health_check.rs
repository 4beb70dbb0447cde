//! Health check with a timeout and a cached outcome: it runs in a task of its own, so that its outcome is kept when the
//! request that asked for it is gone, and so that any number of callers cause one check at a time.
use crate::kernel::error::{Error, Result};
use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// None when all is well, else why not.
type Outcome = std::result::Result<(), String>;

/// Cheap to clone; clones share the outcome.
#[derive(Clone, Debug)]
pub struct HealthCheck {
    ttl: Duration,
    timeout: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    last: Option<(Instant, Outcome)>,
    running: Option<watch::Receiver<Option<Outcome>>>,
}

impl HealthCheck {
    /// An outcome is believed for `ttl`; a check that takes longer than `timeout` has failed.
    pub fn new(ttl: Duration, timeout: Duration) -> Self {
        Self { ttl, timeout, state: Arc::default() }
    }

    /// The outcome of `check`, of the one that runs already, or of one that ran a moment ago.
    ///
    /// # Errors
    /// Unavailable, saying why.
    pub async fn outcome(&self, check: impl Future<Output = Outcome> + Send + 'static) -> Result<()> {
        let mut running = {
            let mut state = self.state();
            match (&state.last, &state.running) {
                (_, Some(running)) => running.clone(),
                (Some((at, outcome)), None) if at.elapsed() < self.ttl => {
                    return outcome.clone().map_err(Error::Unavailable);
                }
                _ => {
                    let running = self.start(check);
                    state.running = Some(running.clone());
                    running
                }
            }
        };
        let outcome = match running.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Ok(())),
            Err(_) => {
                self.state().running = None;
                Err("the check ended without an outcome".to_owned())
            }
        };
        outcome.map_err(Error::Unavailable)
    }

    fn start(&self, check: impl Future<Output = Outcome> + Send + 'static) -> watch::Receiver<Option<Outcome>> {
        let (tell, running) = watch::channel(None);
        let this = self.clone();
        tokio::spawn(async move {
            let outcome = timeout(this.timeout, check)
                .await
                .unwrap_or_else(|_| Err(format!("no answer within {} ms", this.timeout.as_millis())));
            let mut state = this.state();
            state.last = Some((Instant::now(), outcome.clone()));
            state.running = None;
            drop(state);
            let _ = tell.send(Some(outcome));
        });
        running
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn an_outcome_is_kept_when_its_asker_is_gone_and_believed_for_its_ttl() {
        let runs = Arc::new(AtomicUsize::new(0));
        let hanging = || {
            let runs = runs.clone();
            async move {
                runs.fetch_add(1, Ordering::Relaxed);
                std::future::pending().await
            }
        };
        let limit = Duration::from_millis(200);
        let check = HealthCheck::new(Duration::from_secs(3_600), limit);
        // The first asker leaves; the check goes on and its outcome is there for the next.
        assert!(timeout(limit / 10, check.outcome(hanging())).await.is_err());
        for _ in 0..3 {
            let Err(Error::Unavailable(why)) = check.outcome(hanging()).await else { panic!("it hangs") };
            assert_eq!(why, "no answer within 200 ms");
        }
        assert_eq!(runs.load(Ordering::Relaxed), 1, "one check for all of them");
        let check = HealthCheck::new(Duration::ZERO, limit);
        assert!(check.outcome(async { Err("away".to_owned()) }).await.is_err());
        assert!(check.outcome(async { Ok(()) }).await.is_ok(), "an old outcome is not believed");
    }
}
