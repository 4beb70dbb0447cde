//! The checks of an installation, for the security scan and `spvctl doctor`.
use super::{
    Finding,
    State::{self, Failed, Note},
    store,
};
use crate::{
    accounts::auth::{
        Keys, factors, keys,
        passkeys::relying_party::{self, Unsupported},
    },
    kernel::{
        ctx::Ctx,
        db::{Dialect, Sql},
        error::{Error, Result},
        i18n, schema as schema_text,
    },
    operations::{backups, demo_accounts, health_checks, recount},
    platform::{activity, holidays, queue, settings},
};
use chrono::{DateTime, Datelike, Days, Duration, Utc};
use futures::future::BoxFuture;
use std::{fmt, future::Future, path::Path, sync::Arc};

/// Checks of what only the whole program knows: its configuration, mail transport, sign-in providers and fonts.
#[derive(Clone)]
pub struct ProgramChecks(Arc<dyn Fn(Ctx) -> BoxFuture<'static, Vec<Finding>> + Send + Sync>);

impl ProgramChecks {
    pub fn new<F, R>(checks: F) -> Self
    where
        F: Fn(Ctx) -> R + Send + Sync + 'static,
        R: Future<Output = Vec<Finding>> + Send + 'static,
    {
        Self(Arc::new(move |ctx| Box::pin(checks(ctx))))
    }
}

impl fmt::Debug for ProgramChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgramChecks")
    }
}

/// Age after which a signing key should be rotated.
pub(crate) const MAX_SIGNING_KEY_AGE_DAYS: i64 = 365;
/// Second factors and tokens are valid for half a minute around their time.
const MAX_CLOCK_DIFFERENCE_SECONDS: i64 = 5;
/// A due job that waits longer has no worker, or too few.
const MAX_QUEUE_DELAY: Duration = Duration::minutes(15);
/// The table of public holidays should reach this far.
const HOLIDAYS_AHEAD_DAYS: u64 = 400;
/// Accounts that are named.
const MAX_NAMED: usize = 5;

/// Runs every check. The operator, jobs.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "security_scan.run_all", skip_all)]
pub async fn run_all(ctx: &Ctx, program: &ProgramChecks) -> Result<Vec<Finding>> {
    let mut findings =
        vec![encryption(ctx), passkeys(ctx), demo_sign_ins(ctx).await?, second_factor(ctx).await?, staff(ctx).await?];
    findings.extend(super_admins(ctx).await?);
    findings.extend([
        default_password(ctx),
        signup(ctx),
        log(ctx).await?,
        signing_keys(ctx),
        public_holidays(ctx).await?,
    ]);
    findings.extend(unusable_factors(ctx).await?);
    findings.extend([storage(ctx).await, scanner(ctx).await, queue(ctx).await?, workers(ctx).await?]);
    findings.extend([database(ctx).await?, schema(ctx).await?, counters(ctx).await?, clock(ctx).await?]);
    findings.extend([backup_folder(ctx).await, backup(ctx).await?]);
    findings.extend(backup_copy(ctx).await?);
    let data = ctx.options.data_dir.as_deref();
    findings.extend([backup_disk(ctx), data.and_then(disk)].into_iter().flatten());
    findings.extend(program.0(ctx.clone()).await);
    Ok(findings)
}

fn ok(check: &str, code: &str) -> Finding {
    Finding::new(check, State::Ok, code)
}

fn note(check: &str, code: &str) -> Finding {
    Finding::new(check, Note, code)
}

fn failed(check: &str, code: &str) -> Finding {
    Finding::new(check, Failed, code)
}

fn encryption(ctx: &Ctx) -> Finding {
    let url = &ctx.options.public_url;
    let host = url.split("://").last().unwrap_or_default();
    let near = ["127.0.0.1", "localhost", "[::1]"].iter().any(|near| host.starts_with(near));
    match (url.starts_with("https://"), near) {
        (true, _) => ok("encryption", "encrypted"),
        (false, true) => note("encryption", "only_here"),
        (false, false) => failed("encryption", "not_encrypted"),
    }
    .with("url", url.clone())
}

/// Passkeys are bound to the domain of the public URL.
fn passkeys(ctx: &Ctx) -> Finding {
    let url = &ctx.options.public_url;
    match relying_party::check(url) {
        Ok(_) => ok("passkeys", "passkeys_work"),
        Err(Unsupported::NoDomain) => note("passkeys", "passkeys_no_domain"),
        Err(Unsupported::NotSecure) => note("passkeys", "passkeys_not_secure"),
    }
    .with("url", url.clone())
}

async fn demo_sign_ins(ctx: &Ctx) -> Result<Finding> {
    let open = demo_accounts::list_open(ctx).await?.join(", ");
    let found = if open.is_empty() { ok("demo", "no_demo_sign_ins") } else { note("demo", "demo_mode") };
    Ok(found.with("accounts", open))
}

/// Due dates in business days are counted with a table of public holidays, which a release brings.
async fn public_holidays(ctx: &Ctx) -> Result<Finding> {
    let last = holidays::last_day();
    let ends_soon = last < settings::office_today(ctx).await? + Days::new(HOLIDAYS_AHEAD_DAYS);
    let found = if ends_soon { note("holidays", "holidays_end") } else { ok("holidays", "holidays_known") };
    Ok(found.with("year", last.year()))
}

async fn second_factor(ctx: &Ctx) -> Result<Finding> {
    let needs = settings::get(ctx).await?.require_mfa.filled_in(&ctx.options);
    let all = needs.super_admin && needs.employee;
    Ok(if all { ok("mfa", "mfa_required") } else { note("mfa", "mfa_not_required") })
}

async fn staff(ctx: &Ctx) -> Result<Finding> {
    Ok(match store::count_staff_without_factor(&mut ctx.db()).await? {
        0 => ok("staff", "staff_have_factors"),
        count => note("staff", "staff_without_factor").with("count", count),
    })
}

async fn super_admins(ctx: &Ctx) -> Result<Option<Finding>> {
    let (active, pending) = store::count_super_admins(&mut ctx.db(), ctx.now(), ctx.options.demo).await?;
    match (active, pending) {
        (0, 0) => return Ok(Some(failed("super_admins", "no_super_admin"))),
        (0, _) => return Ok(Some(note("super_admins", "super_admins_pending").with("count", pending))),
        _ => {}
    }
    let emails = store::super_admins_without_factor(&mut ctx.db()).await?;
    Ok((!emails.is_empty())
        .then(|| note("super_admins", "super_admins_without_factor").with("accounts", named(&emails))))
}

/// The first few, and how many more.
fn named(accounts: &[String]) -> String {
    let first = accounts.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match accounts.len().saturating_sub(MAX_NAMED) {
        0 => first,
        more => format!("{first} (+{more})"),
    }
}

fn default_password(ctx: &Ctx) -> Finding {
    match ctx.options.default_password {
        None => ok("default_password", "no_default_password"),
        Some(_) => note("default_password", "default_password"),
    }
}

fn signup(ctx: &Ctx) -> Finding {
    if ctx.options.signup { note("signup", "signup_open") } else { ok("signup", "signup_closed") }
}

async fn log(ctx: &Ctx) -> Result<Finding> {
    match activity::verify(ctx).await {
        Ok(rows) => Ok(ok("log", "log_whole").with("count", rows)),
        Err(Error::Conflict(problem)) => {
            let seq = problem.params.get("seq").cloned().unwrap_or_default();
            Ok(failed("log", "log_broken").with("seq", seq))
        }
        Err(e) => Err(e),
    }
}

fn signing_keys(ctx: &Ctx) -> Finding {
    if let Some(path) = ctx.options.signing_keys.as_deref() {
        if !path.exists() {
            return ok("keys", "keys_new");
        }
        if let Err(e) = Keys::load_or_create(path) {
            return failed("keys", "keys_unreadable").because(e.to_string());
        }
    }
    match keys_changed_at(ctx).map(|at| (ctx.now() - at).num_days()) {
        None => note("keys", "keys_unknown"),
        Some(days) if days >= MAX_SIGNING_KEY_AGE_DAYS => note("keys", "keys_old").with("count", days),
        Some(..=0) => ok("keys", "keys_today"),
        Some(days) => ok("keys", "keys_fresh").with("count", days),
    }
}

/// When the current signing key was created. None if keys are not in a file, or the file does not say.
pub fn keys_changed_at(ctx: &Ctx) -> Option<DateTime<Utc>> {
    let found = keys::list(ctx, ctx.options.signing_keys.as_ref()?).ok()?;
    found.first()?.made_at
}

/// TOTP factors are encrypted with the signing key at their creation, so they need it.
async fn unusable_factors(ctx: &Ctx) -> Result<Option<Finding>> {
    // A missing or unreadable key file is the finding of another check.
    let path = ctx.options.signing_keys.as_deref().filter(|path| path.exists());
    let Some(keys) = path.and_then(|path| Keys::load_or_create(path).ok()) else { return Ok(None) };
    let accounts = factors::list_unusable(ctx, &keys).await?;
    Ok(Some(if accounts.is_empty() {
        ok("factors", "factors_usable")
    } else {
        failed("factors", "factors_unusable").with("accounts", named(&accounts))
    }))
}

async fn storage(ctx: &Ctx) -> Finding {
    match ctx.options.storage.probe().await {
        Ok(()) => ok("storage", "storage_works").with("place", ctx.options.storage.location()),
        Err(e) => failed("storage", "storage_fails").because(e.to_string()),
    }
}

async fn scanner(ctx: &Ctx) -> Finding {
    let Some(scanner) = &ctx.options.scanner else { return note("scanner", "no_scanner") };
    match scanner.probe().await {
        Ok(()) => ok("scanner", "scanner_works").with("place", scanner.location()),
        Err(e) => failed("scanner", "scanner_fails").because(e.to_string()),
    }
}

async fn queue(ctx: &Ctx) -> Result<Finding> {
    let queue::Unfinished { waiting, dead } = queue::unfinished(ctx).await?;
    if dead > 0 {
        return Ok(failed("queue", "jobs_dead").with("count", dead));
    }
    let (late, oldest) = queue::due_before(ctx, ctx.now() - MAX_QUEUE_DELAY).await?;
    Ok(match oldest {
        None => ok("queue", "queue_works").with("waiting", waiting),
        Some(oldest) => {
            failed("queue", "queue_late").with("count", late).with("minutes", (ctx.now() - oldest).num_minutes())
        }
    })
}

/// Workers that run now, in all processes.
async fn workers(ctx: &Ctx) -> Result<Finding> {
    Ok(match queue::live_workers(ctx).await? {
        0 => note("workers", "no_workers"),
        count => ok("workers", "workers_live").with("count", count),
    })
}

/// The version of the database, and PostgreSQL's settings that let a power failure lose what was committed.
async fn database(ctx: &Ctx) -> Result<Finding> {
    let mut db = ctx.db();
    let kind = if db.dialect() == Dialect::Sqlite { "SQLite" } else { "PostgreSQL" };
    let settings = store::unsafe_settings(&mut db).await?;
    let found = if settings.is_empty() {
        ok("database", "database_works")
    } else {
        note("database", "database_unsafe").with("settings", settings.join(", "))
    };
    Ok(found.with("kind", kind).with("version", store::database_version(&mut db).await?))
}

/// Compares tables, constraints, indexes and triggers with this version's schema.
async fn schema(ctx: &Ctx) -> Result<Finding> {
    if !ctx.db.is_migrated().await? {
        return Ok(note("schema", "schema_newer"));
    }
    let differences = schema_text::differences(&mut ctx.db()).await?;
    Ok(match differences.first() {
        None => ok("schema", "schema_current"),
        Some(first) => failed("schema", "schema_changed")
            .with("count", differences.len())
            .with("first", first.chars().take(120).collect::<String>()),
    })
}

async fn counters(ctx: &Ctx) -> Result<Finding> {
    let differ = recount::diff(&ctx.db()).await?;
    let differ: Vec<String> =
        differ.into_iter().map(|(name, stored, counted)| format!("{name}: {stored}, not {counted}")).collect();
    Ok(if differ.is_empty() {
        ok("counters", "counters_agree")
    } else {
        failed("counters", "counters_differ").with("differences", differ.join("; "))
    })
}

/// Compares the clock with the database server's, and with the newest log entry: a clock that was set back repeats times.
async fn clock(ctx: &Ctx) -> Result<Finding> {
    let mut db = ctx.db();
    let server = store::server_time(&mut db).await?;
    let seconds = server.map_or(0, |server| (ctx.now() - server).num_seconds().abs());
    if seconds > MAX_CLOCK_DIFFERENCE_SECONDS {
        return Ok(failed("clock", "clock_differs").with("seconds", seconds));
    }
    let newest = store::newest_activity(&mut db).await?;
    let behind = newest.map_or(0, |newest| (newest - ctx.now()).num_seconds());
    Ok(if behind > MAX_CLOCK_DIFFERENCE_SECONDS {
        failed("clock", "clock_behind").with("seconds", behind)
    } else {
        ok("clock", "clock_agrees")
    })
}

async fn backup_folder(ctx: &Ctx) -> Finding {
    match backups::check_directory(ctx).await {
        Ok(()) => {
            let folder = ctx.options.backups().unwrap_or_default();
            ok("backup_folder", "backup_folder_works").with("folder", folder.display().to_string())
        }
        Err(e) => failed("backup_folder", "backup_folder_fails").because(reason(ctx, &e)),
    }
}

/// Why a check failed, in the language of the actor.
fn reason(ctx: &Ctx, error: &Error) -> String {
    match error {
        Error::Unavailable(why) => why.clone(),
        error => i18n::error(ctx.language(), error),
    }
}

async fn backup(ctx: &Ctx) -> Result<Finding> {
    let last = backups::last_good(ctx).await?;
    let Some((last, at)) = last.as_ref().and_then(|last| Some((last, last.made_at?))) else {
        return Ok(note("backup", "no_backup"));
    };
    let found = if !last.is_there() {
        failed("backup", "backup_missing")
    } else if last.is_incomplete() {
        note("backup", "backup_incomplete")
    } else if backups::overdue(ctx).await?.is_some() {
        failed("backup", "backup_old")
    } else {
        ok("backup", "backup_fresh")
    };
    let folder = last.folder.clone().unwrap_or_default();
    Ok(found.with("name", last.name.clone()).with("folder", folder).with("count", (ctx.now() - at).num_hours() + 1))
}

/// Whether the last backup was copied to the other storage, where there is one.
async fn backup_copy(ctx: &Ctx) -> Result<Option<Finding>> {
    let (Some(copies), Some(last)) = (&ctx.options.backup_copies, backups::last_good(ctx).await?) else {
        return Ok(None);
    };
    let found = match (&last.copy_error, last.copied_at) {
        (Some(why), _) => failed("backup_copy", "backup_copy_failed").because(why.clone()),
        (None, Some(_)) if copies.recipient.is_none() => note("backup_copy", "backup_copy_plain"),
        (None, Some(_)) => ok("backup_copy", "backup_copy_works"),
        (None, None) if backups::copies::not_copied(ctx).await?.is_none() => note("backup_copy", "backup_copy_waits"),
        (None, None) => failed("backup_copy", "backup_copy_missing"),
    };
    Ok(Some(found.with("name", last.name).with("location", copies.storage.location().to_owned())))
}

/// Whether the backups survive the disk of the portal.
fn backup_disk(ctx: &Ctx) -> Option<Finding> {
    if ctx.options.backup_copies.is_some() {
        return None;
    }
    let (data, backups) = (ctx.options.data_dir.clone()?, ctx.options.backups()?);
    if device(&data)? == device(&backups)? {
        return Some(note("backup_disk", "backup_same_disk"));
    }
    let disk = health_checks::disk(&backups)?;
    let found =
        if disk.is_low() { failed("backup_disk", "backup_disk_full") } else { ok("backup_disk", "backup_other_disk") };
    Some(found.with("percent", disk.percent_free()))
}

/// Number of the device that holds a folder.
#[cfg(unix)]
fn device(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().map(|found| found.dev())
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}

/// Free space on the disk of the data folder. None if the system does not report it.
pub fn disk(data: &Path) -> Option<Finding> {
    let disk = health_checks::disk(data)?;
    let found = if disk.is_low() { failed("disk", "disk_full") } else { ok("disk", "disk_has_room") };
    Some(found.with("percent", disk.percent_free()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_accounts_are_counted() {
        let accounts: Vec<String> = (1..=7).map(|n| format!("a{n}@example.com")).collect();
        assert_eq!(named(&accounts[..1]), "a1@example.com");
        assert!(named(&accounts).ends_with("a5@example.com (+2)"));
    }
}
