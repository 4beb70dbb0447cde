//! Alert rules. Each returns a trigger per subject; an open alert without a trigger is over.
use super::store;
use crate::{
    accounts::auth::login_throttle,
    kernel::{ctx::Ctx, error::Result},
    operations::{health_checks::Disk, security_scan},
};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Map, Value, json};

/// Failed sign-ins from one address within [`SPRAY_WINDOW`] that count as password spraying.
const SPRAY_THRESHOLD: i64 = 20;
const SPRAY_WINDOW: Duration = Duration::minutes(15);
/// Mails that failed for good in a day, or attempts at one mail that is still queued.
const MAIL_FAILURE_THRESHOLD: i64 = 3;
/// Consecutive failures of a probe: a single one may be a coincidence.
const PROBE_FAILURE_THRESHOLD: i64 = 2;

crate::kernel::text_enum! {
    pub enum Kind {
        SignInStorm = "sign_in_storm",
        MailFailing = "mail_failing",
        DeadJobs = "dead_jobs",
        DiskLow = "disk_low",
        ProbeFailing = "probe_failing",
        KeyExpiring = "key_expiring",
        BackupOld = "backup_old",
        BackupIncomplete = "backup_incomplete",
        BackupNotCopied = "backup_not_copied",
    }
}

/// Readings of this machine that the database does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metrics {
    /// Disk of the data directory.
    pub disk: Option<Disk>,
    /// When the current signing key was created.
    pub keys_changed_at: Option<DateTime<Utc>>,
}

impl Metrics {
    /// Reads them now.
    pub fn collect(ctx: &Ctx) -> Self {
        Self {
            disk: ctx.options.data_dir.as_deref().and_then(crate::operations::health_checks::disk),
            keys_changed_at: security_scan::keys_changed_at(ctx),
        }
    }
}

/// A condition that a rule found. Opens an alert, or keeps one open.
#[derive(Clone, Debug)]
pub struct AlertTrigger {
    pub kind: Kind,
    pub subject: String,
    pub data: Map<String, Value>,
}

fn trigger(kind: Kind, subject: impl Into<String>, data: Value) -> AlertTrigger {
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    AlertTrigger { kind, subject: subject.into(), data }
}

/// Evaluates every rule.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "alerts.evaluate", skip_all)]
pub async fn evaluate(ctx: &Ctx, metrics: &Metrics) -> Result<Vec<AlertTrigger>> {
    let mut found = password_spraying(ctx).await?;
    found.extend(mail_failing(ctx).await?);
    found.extend(dead_jobs(ctx).await?);
    found.extend(metrics.disk.and_then(disk_low));
    found.extend(probes_failing(ctx).await?);
    found.extend(metrics.keys_changed_at.and_then(|at| key_expiring(ctx.now() - at)));
    found.extend(backup_old(ctx).await?);
    found.extend(backup_incomplete(ctx).await?);
    found.extend(backup_not_copied(ctx).await?);
    Ok(found)
}

/// Counted by network address: many addresses with a few failures each are ordinary users.
async fn password_spraying(ctx: &Ctx) -> Result<Vec<AlertTrigger>> {
    let storms = login_throttle::detect_password_spraying(ctx, SPRAY_WINDOW, SPRAY_THRESHOLD).await?;
    let triggered = |(address, count)| trigger(Kind::SignInStorm, address, json!({ "count": count }));
    Ok(storms.into_iter().map(triggered).collect())
}

async fn mail_failing(ctx: &Ctx) -> Result<Option<AlertTrigger>> {
    let mut db = ctx.db();
    let failed = store::count_failed_mails(&mut db, ctx.now() - Duration::days(1)).await?;
    let waiting = store::count_retrying_mails(&mut db, MAIL_FAILURE_THRESHOLD).await?;
    let found = failed >= MAIL_FAILURE_THRESHOLD || waiting > 0;
    Ok(found.then(|| trigger(Kind::MailFailing, "mail", json!({ "failed": failed, "waiting": waiting }))))
}

async fn dead_jobs(ctx: &Ctx) -> Result<Option<AlertTrigger>> {
    let dead = crate::platform::queue::unfinished(ctx).await?.dead;
    Ok((dead > 0).then(|| trigger(Kind::DeadJobs, "queue", json!({ "count": dead }))))
}

fn disk_low(disk: Disk) -> Option<AlertTrigger> {
    let data = || json!({ "percent": disk.percent_free(), "free_bytes": disk.free });
    disk.is_low().then(|| trigger(Kind::DiskLow, "disk", data()))
}

async fn probes_failing(ctx: &Ctx) -> Result<Vec<AlertTrigger>> {
    let probes = crate::operations::health_checks::list(ctx).await?;
    let failing = probes.into_iter().filter(|probe| probe.failures >= PROBE_FAILURE_THRESHOLD);
    Ok(failing.map(|probe| trigger(Kind::ProbeFailing, probe.name, json!({ "error": probe.last_error }))).collect())
}

fn key_expiring(age: Duration) -> Option<AlertTrigger> {
    let days = age.num_days();
    (days >= security_scan::MAX_SIGNING_KEY_AGE_DAYS)
        .then(|| trigger(Kind::KeyExpiring, "signing_keys", json!({ "days": days })))
}

async fn backup_old(ctx: &Ctx) -> Result<Option<AlertTrigger>> {
    let overdue = crate::operations::backups::overdue(ctx).await?;
    Ok(overdue
        .map(|(hours, made_at)| trigger(Kind::BackupOld, "backup", json!({ "count": hours, "made_at": made_at }))))
}

async fn backup_not_copied(ctx: &Ctx) -> Result<Option<AlertTrigger>> {
    Ok(crate::operations::backups::copies::not_copied(ctx).await?.map(|last| {
        let data = json!({ "name": last.name, "reason": last.copy_error });
        trigger(Kind::BackupNotCopied, "backup", data)
    }))
}

async fn backup_incomplete(ctx: &Ctx) -> Result<Option<AlertTrigger>> {
    Ok(crate::operations::backups::incomplete(ctx).await?.map(|last| {
        let data = json!({ "count": last.documents_missing, "names": last.error, "name": last.name });
        trigger(Kind::BackupIncomplete, "backup", data)
    }))
}
