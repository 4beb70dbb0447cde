//! Health checks, alert rules and the security scan.
use crate::{job_error, state::State};
use domain::{
    operations::{
        alerts::{self, Metrics},
        health_checks::{self, RunHealthChecks},
        security_scan::{self, RunSecurityScan},
    },
    platform::queue::{Job, worker::Failure},
};

/// Runs the health checks and evaluates the alert rules. Errors are only logged: the next run follows in a minute, and a
/// dead job would raise an alert itself.
pub async fn check(state: State, _: RunHealthChecks) -> Result<(), Failure> {
    let ctx = state.ctx(RunHealthChecks::NAME);
    let mailer = state.mailer.clone();
    if let Err(error) = health_checks::check(&ctx, async move { mailer.probe().await }).await {
        tracing::warn!(%error, "health checks not stored");
    }
    if let Err(error) = alerts::check(&ctx, &Metrics::collect(&ctx)).await {
        tracing::warn!(%error, "alert rules not evaluated");
    }
    Ok(())
}

/// Runs the security scan that a page requested.
pub async fn scan(state: State, job: RunSecurityScan) -> Result<(), Failure> {
    let ctx = state.ctx(RunSecurityScan::NAME);
    security_scan::run(&ctx, job.id, &state.program_checks).await.map_err(job_error::classify)
}

/// Marks the security scan as failed after the last attempt.
pub async fn record_scan_failure(state: State, job: RunSecurityScan, why: String, last: bool) {
    if !last {
        return;
    }
    if let Err(error) = security_scan::record_failure(&state.ctx(RunSecurityScan::NAME), job.id, &why).await {
        tracing::warn!(scan = %job.id, %error, "failure not recorded");
    }
}
