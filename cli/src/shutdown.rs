//! Graceful shutdown: the first signal asks everything to finish, the second ends the process.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// Time for running work to finish after the drain, before the process exits.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);

/// Receives the first signal.
#[derive(Clone, Debug)]
pub struct Shutdown {
    pub stopped: watch::Receiver<bool>,
    drain: Duration,
    interrupted: Arc<AtomicBool>,
}

impl Shutdown {
    /// Waits for the first signal and returns how long to keep serving: the drain at SIGTERM, so that a load balancer
    /// notices; zero at SIGINT, where a person waits.
    pub async fn requested(mut self) -> Duration {
        // The sender lives as long as the process.
        let _ = self.stopped.wait_for(|stop| *stop).await;
        if self.interrupted.load(Ordering::Relaxed) { Duration::ZERO } else { self.drain }
    }
}

/// Turns true at the first SIGINT or SIGTERM. Exits the process at the second, or after [`SHUTDOWN_GRACE`].
pub fn on_signal() -> watch::Receiver<bool> {
    with_drain(Duration::ZERO).stopped
}

/// [`on_signal`] for a server that keeps serving for `drain` after SIGTERM.
pub fn with_drain(drain: Duration) -> Shutdown {
    let (stop, stopped) = watch::channel(false);
    let shutdown = Shutdown { stopped, drain, interrupted: Arc::default() };
    let interrupted = shutdown.interrupted.clone();
    tokio::spawn(async move {
        let interrupt = wait_for_signal().await;
        interrupted.store(interrupt, Ordering::Relaxed);
        let drain = if interrupt { Duration::ZERO } else { drain };
        tracing::info!(drain_seconds = drain.as_secs(), "stopping; a second signal stops at once");
        // Without receivers everything has ended already.
        let _ = stop.send(true);
        let limit = drain + SHUTDOWN_GRACE;
        tokio::select! {
            _ = wait_for_signal() => tracing::warn!("stopped by a second signal"),
            () = tokio::time::sleep(limit) => tracing::warn!("stopped after {} s", limit.as_secs()),
        }
        std::process::exit(1);
    });
    shutdown
}

/// Waits for a signal; true when it is SIGINT.
async fn wait_for_signal() -> bool {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => true,
            _ = terminate.recv() => false,
        }
    }
    #[cfg(not(unix))]
    {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        true
    }
}
