//! Looks after the portal itself: probes its parts, makes alerts, and looks through it when asked to.
use crate::{outcome, state::State};
use domain::{
    operations::{
        alerts::{self, Metrics},
        health_checks::{self, RunHealthChecks},
        security_scan::{self, RunSecurityScan},
    },
    platform::queue::{Job, worker::Failure},
};

/// Probes every part and asks the rules of the alerts. What fails is only logged: the next one comes in a minute, and a
/// dead job would be an alert of its own.
pub async fn watch(state: State, _: RunHealthChecks) -> Result<(), Failure> {
    let ctx = state.ctx(RunHealthChecks::NAME);
    let mailer = state.mailer.clone();
    if let Err(error) = health_checks::check(&ctx, async move { mailer.probe().await }).await {
        tracing::warn!(%error, "what was probed could not be kept");
    }
    if let Err(error) = alerts::check(&ctx, &Metrics::collect(&ctx)).await {
        tracing::warn!(%error, "the rules of the alerts could not be asked");
    }
    Ok(())
}

/// Looks through the portal, for the page that asked.
pub async fn scan(state: State, job: RunSecurityScan) -> Result<(), Failure> {
    security_scan::run(&state.ctx(RunSecurityScan::NAME), job.id, state.mailer.probe()).await.map_err(outcome::of)
}

/// Tells the page that it could not be done, once no other attempt will follow.
pub async fn scan_failed(state: State, job: RunSecurityScan, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = security_scan::record_failure(&state.ctx(RunSecurityScan::NAME), job.id, &why).await {
        tracing::warn!(scan = %job.id, %error, "the failure could not be told");
    }
}
