//! Background jobs: the registry with handlers and retry policies, the cron schedules, and mail delivery.
//!
//! No rules and no SQL here: a handler calls a use case of `domain`, or sends a mail that one prepared.
mod handlers;
mod job_error;
pub mod mail;
mod registry;
mod schedules;
mod state;
mod templates;

pub use domain::platform::queue::worker::WorkerOptions;
pub use handlers::mails::{Preview, preview as preview_mail, send_test_now};
pub use registry::JobRegistry;
pub use state::State;

use chrono::{DateTime, Utc};
use domain::{
    Ctx,
    accounts::auth::mail_request,
    operations::{backups, health_checks, security_scan, seed},
    orders::documents::scanning::{ScanPendingVersions, ScanVersion},
    outbox::{
        mails,
        notifications::{SendDigests, SendImmediateMail},
    },
    platform::queue::worker::{self, stopped},
};
use handlers::{cleanup::CleanUp, reminders::RemindOverdue, reports::MailReports};
use registry::{RetryPolicy, enqueue_default};
use schedules::Schedule;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

const MAIL_POLICY: RetryPolicy = retry_policy(90, 5);
const DEFAULT_POLICY: RetryPolicy = retry_policy(120, 30);
const INTERACTIVE_POLICY: RetryPolicy = retry_policy(60, 2);
/// Backups: up to six hours, as every document may have to be copied from remote storage.
const LONG_POLICY: RetryPolicy = retry_policy(6 * 3600, 60);

/// The registry of all jobs: handler, retry policy, and whether an operator may enqueue it by name.
pub fn registry(state: State) -> JobRegistry {
    JobRegistry::new(state)
        .job::<mails::Send, _>(MAIL_POLICY, handlers::mails::send)
        .on_failure(handlers::mails::record_failure)
        .job::<mails::SendTest, _>(INTERACTIVE_POLICY, handlers::mails::send_test)
        .on_failure(handlers::mails::record_test_failure)
        .job::<RemindOverdue, _>(DEFAULT_POLICY, handlers::reminders::remind_overdue)
        .allow_manual::<RemindOverdue, _>(enqueue_default::<RemindOverdue>)
        .job::<MailReports, _>(DEFAULT_POLICY, handlers::reports::send_due)
        .allow_manual::<MailReports, _>(enqueue_default::<MailReports>)
        .job::<CleanUp, _>(DEFAULT_POLICY, handlers::cleanup::clean_up)
        .allow_manual::<CleanUp, _>(enqueue_default::<CleanUp>)
        .job::<health_checks::RunHealthChecks, _>(DEFAULT_POLICY, handlers::health::check)
        .allow_manual::<health_checks::RunHealthChecks, _>(enqueue_default::<health_checks::RunHealthChecks>)
        .job::<security_scan::RunSecurityScan, _>(DEFAULT_POLICY, handlers::health::scan)
        .on_failure(handlers::health::record_scan_failure)
        .job::<backups::CreateBackup, _>(LONG_POLICY, handlers::backups::create)
        .on_failure(handlers::backups::record_failure)
        .allow_manual::<backups::CreateBackup, _>(handlers::backups::enqueue)
        .job::<backups::copies::CopyBackup, _>(LONG_POLICY, handlers::backups::copy)
        .on_failure(handlers::backups::record_copy_failure)
        .job::<backups::NightlyBackup, _>(DEFAULT_POLICY, handlers::backups::nightly)
        .job::<SendImmediateMail, _>(INTERACTIVE_POLICY, handlers::notifications::send_immediate)
        .job::<SendDigests, _>(DEFAULT_POLICY, handlers::notifications::send_digests)
        .allow_manual::<SendDigests, _>(enqueue_default::<SendDigests>)
        .job::<ScanVersion, _>(DEFAULT_POLICY, handlers::documents::scan)
        .job::<ScanPendingVersions, _>(DEFAULT_POLICY, handlers::documents::scan_pending)
        .allow_manual::<ScanPendingVersions, _>(enqueue_default::<ScanPendingVersions>)
        .job::<mail_request::SendAuthMailJob, _>(INTERACTIVE_POLICY, handlers::mails::handle_mail_request)
        .job::<seed::SeedTestData, _>(INTERACTIVE_POLICY, handlers::seed::create_test_data)
        .on_failure(handlers::seed::record_failure)
        .allow_manual::<seed::SeedTestData, _>(handlers::seed::enqueue)
}

/// The cron schedules of the recurring jobs, in UTC.
fn schedules() -> Vec<Schedule> {
    vec![
        Schedule::new::<RemindOverdue>("0 0 * * * *"), // hourly: each recipient is mailed at seven in their time zone
        Schedule::new::<SendDigests>("0 2/15 * * * *"), // every 15 minutes, for the same reason
        Schedule::new::<MailReports>("0 7 * * * *"),   // hourly, at minute 7
        Schedule::new::<ScanPendingVersions>("0 35 * * * *"), // hourly, at minute 35
        Schedule::new::<health_checks::RunHealthChecks>("20 * * * * *"), // every minute
        Schedule::new::<backups::NightlyBackup>("0 10 2 * * *"), // daily at 02:10
        Schedule::new::<CleanUp>("0 5 * * * *"),       // hourly, at minute 5
    ]
}

/// The recurring jobs: name, cron expression with seconds in UTC, and next time.
pub fn list_schedules(now: DateTime<Utc>) -> Vec<(&'static str, String, Option<DateTime<Utc>>)> {
    schedules().iter().map(|schedule| schedule.describe(now)).collect()
}

/// Runs the worker and the schedules until `stop` turns true and the running jobs are done.
pub async fn run(ctx: Ctx, state: State, workers: WorkerOptions, stop: watch::Receiver<bool>) {
    tokio::join!(work(ctx.clone(), state, workers, stop.clone()), schedules::run(ctx, schedules(), stop),);
}

/// Runs the worker without the schedules, until `stop`.
pub async fn work(ctx: Ctx, state: State, workers: WorkerOptions, stop: watch::Receiver<bool>) {
    worker::run(ctx, workers, Arc::new(registry(state)), stop).await;
}

/// Records each minute in which the portal runs, for the uptime figure: at the start of the minute, and 5 s later again when
/// the database was unavailable.
pub async fn run_heartbeat(ctx: Ctx, mut stop: watch::Receiver<bool>) {
    loop {
        let pause = match domain::reporting::dashboards::heartbeat(&ctx).await {
            Ok(()) => u64::try_from(60 - ctx.now().timestamp().rem_euclid(60)).unwrap_or(60),
            Err(error) => {
                tracing::debug!(%error, "heartbeat not recorded");
                5
            }
        };
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(pause)) => {}
            () = stopped(&mut stop) => return,
        }
    }
}

/// A policy from a timeout and an initial backoff in seconds; the backoff doubles up to an hour.
const fn retry_policy(timeout: u64, initial_backoff: u64) -> RetryPolicy {
    RetryPolicy {
        timeout: Duration::from_secs(timeout),
        initial_backoff: Duration::from_secs(initial_backoff),
        max_backoff: Duration::from_secs(3600),
    }
}
