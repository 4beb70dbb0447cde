//! Graceful shutdown: the first signal asks everything to finish, the second ends the process.
use std::{
    sync::{
        Arc, Once,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// Time for running work to finish after the drain, before the process exits.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);

/// Exit code of a process that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// How many parts of this process react to SIGINT in their own way: open prompts, and work that stops in good order.
static HANDLERS: AtomicUsize = AtomicUsize::new(0);

/// While it lives, SIGINT does not end the process.
pub struct HandledInterrupts(());

impl Drop for HandledInterrupts {
    fn drop(&mut self) {
        HANDLERS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Leaves SIGINT to the caller. Without any caller left it ends the process again, as it does by default.
pub fn handle_interrupts() -> HandledInterrupts {
    static WATCHER: Once = Once::new();
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    #[cfg(unix)]
    WATCHER.call_once(|| {
        // Takes effect at once, and for the rest of the process's life.
        let Ok(mut interrupt) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()) else {
            return;
        };
        tokio::spawn(async move {
            while interrupt.recv().await.is_some() {
                if HANDLERS.load(Ordering::SeqCst) == 0 {
                    std::process::exit(INTERRUPTED);
                }
            }
        });
    });
    HandledInterrupts(())
}

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
    let (interrupts, mut signals) = (handle_interrupts(), Signals::listen());
    tokio::spawn(async move {
        let _interrupts = interrupts;
        let interrupt = signals.next().await;
        interrupted.store(interrupt, Ordering::Relaxed);
        let drain = if interrupt { Duration::ZERO } else { drain };
        tracing::info!(drain_seconds = drain.as_secs(), "stopping; a second signal stops at once");
        // Without receivers everything has ended already.
        let _ = stop.send(true);
        let limit = drain + SHUTDOWN_GRACE;
        tokio::select! {
            _ = signals.next() => tracing::warn!("stopped by a second signal"),
            () = tokio::time::sleep(limit) => tracing::warn!("stopped after {} s", limit.as_secs()),
        }
        std::process::exit(1);
    });
    shutdown
}

/// Listens for SIGINT and SIGTERM from its creation on.
#[cfg(unix)]
struct Signals(Option<(tokio::signal::unix::Signal, tokio::signal::unix::Signal)>);

#[cfg(unix)]
impl Signals {
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self(signal(SignalKind::interrupt()).ok().zip(signal(SignalKind::terminate()).ok()))
    }

    /// Waits for a signal; true when it is SIGINT.
    async fn next(&mut self) -> bool {
        let Some((interrupt, terminate)) = &mut self.0 else { return std::future::pending().await };
        tokio::select! {
            _ = interrupt.recv() => true,
            _ = terminate.recv() => false,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    async fn next(&mut self) -> bool {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        true
    }
}
