//! Stopping: the first signal asks everything to finish what it is doing, the second does not ask.
use std::time::Duration;
use tokio::sync::watch;

/// How long finishing may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Turns true at the first SIGINT or SIGTERM; ends the process at the second, or 30 s later.
pub fn on_signal() -> watch::Receiver<bool> {
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        signal().await;
        tracing::info!("stopping; a second signal stops at once");
        // Nobody waiting means that all is over already.
        let _ = stop.send(true);
        tokio::select! {
            () = signal() => tracing::warn!("stopped at once"),
            () = tokio::time::sleep(PATIENCE) => tracing::warn!("stopped after {} s", PATIENCE.as_secs()),
        }
        std::process::exit(1);
    });
    stopped
}

async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
