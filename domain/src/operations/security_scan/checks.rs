//! Checks of the security scan.
use super::store;
use crate::{
    accounts::auth::keys,
    kernel::{
        ctx::Ctx,
        error::{Error, Result},
    },
    operations::{backups, demo_accounts, health_checks},
    platform::{activity, queue, rollups, settings},
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

crate::kernel::text_enum! {
    #[schema(as = FindingState)]
    pub enum State {
        Ok = "ok",
        /// Works, but should be looked at.
        Note = "note",
        Failed = "failed",
    }
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the check: `encryption`, `queue`.
    pub check: String,
    pub state: State,
    /// Selects the text that the client shows, with the remedy.
    pub code: String,
    pub params: Map<String, Value>,
}

fn finding(check: &str, state: State, code: &str) -> Finding {
    Finding { check: check.to_owned(), state, code: code.to_owned(), params: Map::new() }
}

impl Finding {
    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }
}

/// Age after which a signing key should be rotated.
pub(crate) const MAX_SIGNING_KEY_AGE_DAYS: i64 = 365;

/// Runs every check. `mail` probes the mail transport.
///
/// # Errors
/// Internal if the database fails.
pub async fn run_all(
    ctx: &Ctx,
    mail: impl Future<Output = std::result::Result<String, String>> + Send,
) -> Result<Vec<Finding>> {
    let mail = tokio::time::timeout(std::time::Duration::from_secs(10), mail);
    let mail = match mail.await.unwrap_or_else(|_| Err("no answer within 10 seconds".to_owned())) {
        Ok(words) => finding("mail", State::Ok, "mail_leaves").with("detail", words),
        Err(why) => finding("mail", State::Failed, "mail_fails").with("reason", why),
    };
    let mut findings = vec![encryption(ctx), sign_ins(ctx).await?, second_factor(ctx).await?, staff(ctx).await?];
    findings.extend([default_password(ctx), signup(ctx), log(ctx).await?, signing_keys(ctx)]);
    findings.extend([storage(ctx).await, scanner(ctx).await, mail, queue(ctx).await?, workers(ctx).await?]);
    findings.extend([schema(ctx).await?, counters(ctx).await?, backup_folder(ctx).await, backup(ctx).await?]);
    findings.extend(disk(ctx));
    Ok(findings)
}

fn encryption(ctx: &Ctx) -> Finding {
    let url = &ctx.options.public_url;
    let host = url.split("://").last().unwrap_or_default();
    let near = ["127.0.0.1", "localhost", "[::1]"].iter().any(|near| host.starts_with(near));
    match (url.starts_with("https://"), near) {
        (true, _) => finding("encryption", State::Ok, "encrypted"),
        (false, true) => finding("encryption", State::Note, "only_here"),
        (false, false) => finding("encryption", State::Failed, "not_encrypted"),
    }
    .with("url", url.clone())
}

async fn sign_ins(ctx: &Ctx) -> Result<Finding> {
    let open = demo_accounts::list_open(ctx).await?.join(", ");
    Ok(match open.is_empty() {
        true => finding("demo", State::Ok, "no_demo_sign_ins"),
        false => finding("demo", State::Note, "demo_mode"),
    }
    .with("accounts", open))
}

async fn second_factor(ctx: &Ctx) -> Result<Finding> {
    let needs = settings::get(ctx).await?.require_mfa.filled_in(&ctx.options);
    let all = needs.super_admin && needs.employee;
    Ok(if all { finding("mfa", State::Ok, "mfa_required") } else { finding("mfa", State::Note, "mfa_not_required") })
}

async fn staff(ctx: &Ctx) -> Result<Finding> {
    Ok(match store::without_factor(&mut ctx.db()).await? {
        0 => finding("staff", State::Ok, "staff_have_factors"),
        count => finding("staff", State::Note, "staff_without_factor").with("count", count),
    })
}

fn default_password(ctx: &Ctx) -> Finding {
    match ctx.options.default_password {
        None => finding("default_password", State::Ok, "no_default_password"),
        Some(_) => finding("default_password", State::Note, "default_password"),
    }
}

fn signup(ctx: &Ctx) -> Finding {
    if ctx.options.signup {
        finding("signup", State::Note, "signup_open")
    } else {
        finding("signup", State::Ok, "signup_closed")
    }
}

async fn log(ctx: &Ctx) -> Result<Finding> {
    match activity::verify(ctx).await {
        Ok(rows) => Ok(finding("log", State::Ok, "log_whole").with("count", rows)),
        Err(Error::Conflict(problem)) => {
            let seq = problem.params.get("seq").cloned().unwrap_or_default();
            Ok(finding("log", State::Failed, "log_broken").with("seq", seq))
        }
        Err(e) => Err(e),
    }
}

fn signing_keys(ctx: &Ctx) -> Finding {
    match keys_changed_at(ctx).map(|at| (ctx.now() - at).num_days()) {
        None => finding("keys", State::Note, "keys_unknown"),
        Some(days) if days >= MAX_SIGNING_KEY_AGE_DAYS => finding("keys", State::Note, "keys_old").with("count", days),
        Some(days) => finding("keys", State::Ok, "keys_fresh").with("count", days.max(0)),
    }
}

/// When the current signing key was created. None if keys are not in a file, or the file does not say.
pub fn keys_changed_at(ctx: &Ctx) -> Option<DateTime<Utc>> {
    let finding = keys::list(ctx, ctx.options.signing_keys.as_ref()?).ok()?;
    finding.first()?.made_at
}

async fn storage(ctx: &Ctx) -> Finding {
    match ctx.options.storage.probe().await {
        Ok(()) => finding("storage", State::Ok, "storage_works").with("place", ctx.options.storage.location()),
        Err(e) => finding("storage", State::Failed, "storage_fails").with("reason", e.to_string()),
    }
}

async fn scanner(ctx: &Ctx) -> Finding {
    let Some(scanner) = &ctx.options.scanner else { return finding("scanner", State::Note, "no_scanner") };
    match scanner.probe().await {
        Ok(()) => finding("scanner", State::Ok, "scanner_works").with("place", scanner.location()),
        Err(e) => finding("scanner", State::Failed, "scanner_fails").with("reason", e.to_string()),
    }
}

async fn queue(ctx: &Ctx) -> Result<Finding> {
    Ok(match queue::unfinished(ctx).await?.dead {
        0 => finding("queue", State::Ok, "queue_works"),
        count => finding("queue", State::Note, "jobs_dead").with("count", count),
    })
}

/// Workers that run now, in all processes.
async fn workers(ctx: &Ctx) -> Result<Finding> {
    Ok(match queue::live_workers(ctx).await? {
        0 => finding("workers", State::Note, "no_workers"),
        count => finding("workers", State::Ok, "workers_live").with("count", count),
    })
}

async fn schema(ctx: &Ctx) -> Result<Finding> {
    Ok(if ctx.db.is_migrated().await? {
        finding("schema", State::Ok, "schema_current")
    } else {
        finding("schema", State::Failed, "schema_differs")
    })
}

async fn backup_folder(ctx: &Ctx) -> Finding {
    match backups::check_directory(ctx).await {
        Ok(()) => finding("backup_folder", State::Ok, "backup_folder_works"),
        Err(_) => finding("backup_folder", State::Failed, "backup_folder_fails"),
    }
}

async fn backup(ctx: &Ctx) -> Result<Finding> {
    let last = backups::last_good(ctx).await?;
    let Some((last, at)) = last.as_ref().and_then(|last| Some((last, last.made_at?))) else {
        return Ok(finding("backup", State::Note, "no_backup"));
    };
    let finding = if last.is_incomplete() {
        finding("backup", State::Note, "backup_incomplete")
    } else if backups::overdue(ctx).await?.is_some() {
        finding("backup", State::Note, "backup_old")
    } else {
        finding("backup", State::Ok, "backup_fresh")
    };
    Ok(finding.with("name", last.name.clone()).with("count", (ctx.now() - at).num_hours()))
}

async fn counters(ctx: &Ctx) -> Result<Finding> {
    Ok(if rollups::diff(&ctx.db()).await?.is_empty() {
        finding("counters", State::Ok, "counters_agree")
    } else {
        finding("counters", State::Failed, "counters_differ")
    })
}

fn disk(ctx: &Ctx) -> Option<Finding> {
    let disk = health_checks::disk(ctx.options.data_dir.as_ref()?)?;
    let finding = if disk.is_low() {
        finding("disk", State::Failed, "disk_full")
    } else {
        finding("disk", State::Ok, "disk_has_room")
    };
    Some(finding.with("percent", disk.percent_free()))
}
