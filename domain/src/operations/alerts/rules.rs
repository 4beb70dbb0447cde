//! The rules by which alerts are made, all of them. Each says what it found, by subject; what it finds no more is over.
use super::store;
use crate::{
    accounts::auth::login_throttle,
    kernel::{ctx::Ctx, error::Result},
    operations::{health_checks::Disk, security_scan},
};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Map, Value, json};

/// Failed sign-ins from one place that are a storm, within this time.
const STORM: i64 = 20;
const STORM_WITHIN: Duration = Duration::minutes(15);
/// Mails that were given up in a day, or attempts at one that still waits.
const MAILS: i64 = 3;
/// Failures of a probe in a row: one may be chance.
const PROBES: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    SignInStorm,
    MailFailing,
    DeadJobs,
    DiskLow,
    ProbeFailing,
    KeyExpiring,
    BackupOld,
    BackupIncomplete,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::SignInStorm => "sign_in_storm",
            Self::MailFailing => "mail_failing",
            Self::DeadJobs => "dead_jobs",
            Self::DiskLow => "disk_low",
            Self::ProbeFailing => "probe_failing",
            Self::KeyExpiring => "key_expiring",
            Self::BackupOld => "backup_old",
            Self::BackupIncomplete => "backup_incomplete",
        }
    }
}

/// What the machine says, which the database does not know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readings {
    /// Of the data folder.
    pub disk: Option<Disk>,
    /// When the key that signs was made.
    pub keys_changed_at: Option<DateTime<Utc>>,
}

impl Readings {
    /// As they are now.
    pub fn take(ctx: &Ctx) -> Self {
        Self {
            disk: ctx.options.data_dir.as_deref().and_then(crate::operations::health_checks::disk),
            keys_changed_at: security_scan::keys_changed_at(ctx),
        }
    }
}

/// Something that a rule found.
#[derive(Clone, Debug)]
pub struct Cause {
    pub kind: Kind,
    pub subject: String,
    pub data: Map<String, Value>,
}

fn cause(kind: Kind, subject: impl Into<String>, data: Value) -> Cause {
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    Cause { kind, subject: subject.into(), data }
}

/// # Errors
/// What the database refuses.
pub async fn all(ctx: &Ctx, readings: &Readings) -> Result<Vec<Cause>> {
    let mut found = sign_in_storms(ctx).await?;
    found.extend(mail_failing(ctx).await?);
    found.extend(dead_jobs(ctx).await?);
    found.extend(readings.disk.and_then(disk_low));
    found.extend(probes_failing(ctx).await?);
    found.extend(readings.keys_changed_at.and_then(|at| key_expiring(ctx.now() - at)));
    found.extend(backup_old(ctx).await?);
    found.extend(backup_incomplete(ctx).await?);
    Ok(found)
}

/// By the place they come from. Many places that fail a few times each are many people, not a storm.
async fn sign_in_storms(ctx: &Ctx) -> Result<Vec<Cause>> {
    let storms = login_throttle::detect_password_spraying(ctx, STORM_WITHIN, STORM).await?;
    let told = |(place, count)| cause(Kind::SignInStorm, place, json!({ "count": count }));
    Ok(storms.into_iter().map(told).collect())
}

async fn mail_failing(ctx: &Ctx) -> Result<Option<Cause>> {
    let mut db = ctx.db();
    let failed = store::failed_mails(&mut db, ctx.now() - Duration::days(1)).await?;
    let waiting = store::waiting_mails(&mut db, MAILS).await?;
    let found = failed >= MAILS || waiting > 0;
    Ok(found.then(|| cause(Kind::MailFailing, "mail", json!({ "failed": failed, "waiting": waiting }))))
}

async fn dead_jobs(ctx: &Ctx) -> Result<Option<Cause>> {
    let dead = crate::platform::queue::unfinished(ctx).await?.dead;
    Ok((dead > 0).then(|| cause(Kind::DeadJobs, "queue", json!({ "count": dead }))))
}

fn disk_low(disk: Disk) -> Option<Cause> {
    let data = || json!({ "percent": disk.percent_free(), "free_bytes": disk.free });
    disk.is_low().then(|| cause(Kind::DiskLow, "disk", data()))
}

async fn probes_failing(ctx: &Ctx) -> Result<Vec<Cause>> {
    let probes = crate::operations::health_checks::list(ctx).await?;
    let failing = probes.into_iter().filter(|probe| probe.failures >= PROBES);
    Ok(failing.map(|probe| cause(Kind::ProbeFailing, probe.name, json!({ "error": probe.last_error }))).collect())
}

fn key_expiring(age: Duration) -> Option<Cause> {
    let days = age.num_days();
    (days >= security_scan::KEY_DAYS).then(|| cause(Kind::KeyExpiring, "signing_keys", json!({ "days": days })))
}

async fn backup_old(ctx: &Ctx) -> Result<Option<Cause>> {
    let overdue = crate::operations::backups::overdue(ctx).await?;
    Ok(overdue.map(|(hours, made_at)| cause(Kind::BackupOld, "backup", json!({ "count": hours, "made_at": made_at }))))
}

async fn backup_incomplete(ctx: &Ctx) -> Result<Option<Cause>> {
    Ok(crate::operations::backups::incomplete(ctx).await?.map(|last| {
        let data = json!({ "count": last.documents_missing, "names": last.error, "name": last.name });
        cause(Kind::BackupIncomplete, "backup", data)
    }))
}
