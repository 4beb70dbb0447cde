//! Work that is done later: which jobs there are, what they do, and when they come by themselves.
//!
//! No rules and no SQL here: a handler calls a use case of `domain`, or sends what one prepared.
mod handlers;
pub mod mail;
mod outcome;
mod register;
mod schedules;
mod state;
mod templates;

pub use domain::platform::queue::worker::WorkerOptions;
pub use register::Register;
pub use state::State;

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
use register::{Patience, plain};
use schedules::Line;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

const MAIL: Patience = patience(90, 5);
const BRIEF: Patience = patience(120, 30);
const PROMPT: Patience = patience(60, 2);
/// All documents of an office may have to be copied from far away.
const LONG: Patience = patience(6 * 3600, 60);

/// Every job. One line each.
pub fn register(state: State) -> Register {
    Register::new(state)
        .job::<mails::Send, _>(MAIL, handlers::mails::send)
        .noting(handlers::mails::failed)
        .job::<mails::SendTest, _>(PROMPT, handlers::mails::send_test)
        .noting(handlers::mails::test_failed)
        .job::<RemindOverdue, _>(BRIEF, handlers::reminders::overdue)
        .by_hand::<RemindOverdue, _>(plain::<RemindOverdue>)
        .job::<MailReports, _>(BRIEF, handlers::reports::mail)
        .by_hand::<MailReports, _>(plain::<MailReports>)
        .job::<CleanUp, _>(BRIEF, handlers::cleanup::clean_up)
        .by_hand::<CleanUp, _>(plain::<CleanUp>)
        .job::<health_checks::RunHealthChecks, _>(BRIEF, handlers::watch::watch)
        .by_hand::<health_checks::RunHealthChecks, _>(plain::<health_checks::RunHealthChecks>)
        .job::<security_scan::RunSecurityScan, _>(BRIEF, handlers::watch::scan)
        .noting(handlers::watch::scan_failed)
        .job::<backups::CreateBackup, _>(LONG, handlers::backups::make)
        .noting(handlers::backups::failed)
        .by_hand::<backups::CreateBackup, _>(handlers::backups::ask)
        .job::<backups::NightlyBackup, _>(BRIEF, handlers::backups::nightly)
        .job::<SendImmediateMail, _>(PROMPT, handlers::notifications::mail)
        .job::<SendDigests, _>(BRIEF, handlers::notifications::digests)
        .by_hand::<SendDigests, _>(plain::<SendDigests>)
        .job::<ScanVersion, _>(BRIEF, handlers::documents::scan)
        .job::<ScanPendingVersions, _>(BRIEF, handlers::documents::scan_rest)
        .by_hand::<ScanPendingVersions, _>(plain::<ScanPendingVersions>)
        .job::<mail_request::SendAuthMailJob, _>(PROMPT, handlers::mails::answer)
        .job::<seed::SeedTestData, _>(PROMPT, handlers::seed::test_data)
        .noting(handlers::seed::failed)
        .by_hand::<seed::SeedTestData, _>(handlers::seed::ask)
}

/// Every schedule, in UTC. One line each.
fn schedules() -> Vec<Line> {
    vec![
        Line::new::<RemindOverdue>("0 0 * * * *"), // every hour: it is seven in the morning somewhere
        Line::new::<SendDigests>("0 2/15 * * * *"), // every quarter of an hour: it is morning somewhere
        Line::new::<MailReports>("0 7 * * * *"),   // seven past every hour: it is morning somewhere
        Line::new::<ScanPendingVersions>("0 35 * * * *"), // twenty-five to every hour
        Line::new::<health_checks::RunHealthChecks>("20 * * * * *"), // every minute
        Line::new::<backups::NightlyBackup>("0 10 2 * * *"), // every night at ten past two
        Line::new::<CleanUp>("0 5 * * * *"),       // five past every hour
    ]
}

/// Works off the queue and makes the ticks of the schedules, until `stop` turns true and the jobs in hand are done.
pub async fn run(ctx: Ctx, state: State, workers: WorkerOptions, stop: watch::Receiver<bool>) {
    tokio::join!(work(ctx.clone(), state, workers, stop.clone()), schedules::keep(ctx, schedules(), stop),);
}

/// Only works off the queue, until `stop`.
pub async fn work(ctx: Ctx, state: State, workers: WorkerOptions, stop: watch::Receiver<bool>) {
    worker::run(ctx, workers, Arc::new(register(state)), stop).await;
}

/// Notes each minute in which a portal runs: soon after it has begun, so that none is missed, and again a little later
/// where the database was away.
pub async fn beat(ctx: Ctx, mut stop: watch::Receiver<bool>) {
    loop {
        let pause = match domain::reporting::dashboards::heartbeat(&ctx).await {
            Ok(()) => u64::try_from(60 - ctx.now().timestamp().rem_euclid(60)).unwrap_or(60),
            Err(error) => {
                tracing::debug!(%error, "the heartbeat was not noted");
                5
            }
        };
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(pause)) => {}
            () = stopped(&mut stop) => return,
        }
    }
}

/// A limit and a first pause in seconds; pauses double up to an hour.
const fn patience(limit: u64, first: u64) -> Patience {
    Patience {
        limit: Duration::from_secs(limit),
        first: Duration::from_secs(first),
        longest: Duration::from_secs(3600),
    }
}
