//! Context of an operator command: configuration, open database, output, prompt, and the operator as actor.
use crate::{
    config::{self, Config},
    exit::{Failure, Result},
    output::{Output, info},
    prompt::Prompt,
};
use domain::{
    Actor, Ctx, Error, Options, Origin,
    kernel::{
        clock::{Clock, RandomSource},
        db::{Db, Durability, Existing, SchemaState, inspect, sqlite_file},
    },
    operations::{
        backups::{self, Manifest},
        health_checks,
    },
};
use std::{path, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch};

pub struct CliContext {
    pub ctx: Ctx,
    pub config: Config,
    pub out: Output,
    pub prompt: Prompt,
}

impl CliContext {
    /// Opens the database of an existing portal with a current schema.
    ///
    /// # Errors
    /// Refused if there is no portal or its schema is another version's; Fault if the database is unreachable.
    pub async fn open(config: Config, out: Output, prompt: Prompt) -> Result<Self> {
        let db = open_existing_database(&config).await?;
        Self::with_database(config, db, out, prompt).await
    }

    /// As [`CliContext::open`], but creates a portal if there is none, after a yes to `question`.
    ///
    /// # Errors
    /// As of [`CliContext::open`]; Refused also after a no.
    pub async fn open_or_create(config: Config, out: Output, prompt: Prompt, question: Option<&str>) -> Result<Self> {
        if let Some(question) = question
            && !portal_exists(&config).await?
        {
            prompt.confirm(&format!("There is no portal in {} yet. {question}", config.location()))?;
        }
        let db = open_or_create_database(&config).await?;
        if db.is_empty().await? {
            db.migrate().await?;
            info("A new database was made.");
        }
        Self::with_database(config, db, out, prompt).await
    }

    async fn with_database(config: Config, db: Db, out: Output, prompt: Prompt) -> Result<Self> {
        check_schema(&config, &db).await?;
        let ctx = operator_ctx(&config.options(None)?, db.background());
        Ok(Self { ctx, config, out, prompt })
    }

    /// The configured mail transport.
    ///
    /// # Errors
    /// As of [`mailer`].
    pub fn mailer(&self) -> Result<jobs::mail::Mailer> {
        mailer(&self.config)
    }
}

/// Brings the schema up to date. A portal in use is backed up before, unless that is switched off.
///
/// # Errors
/// Refused if the backup fails, and nothing is migrated; Fault if a migration fails, and the schema stays as it was.
pub async fn migrate(config: &Config, db: &Db) -> Result {
    let outdated = db.schema_state().await? == SchemaState::Outdated;
    let backup = if outdated && config.backup_before_upgrade { back_up(config, db).await? } else { None };
    let failed = |error: Error| {
        let backup =
            backup.as_ref().map(|made| format!("; the backup {} was made before", made.name)).unwrap_or_default();
        Failure::Fault(anyhow::anyhow!("the migration failed, the schema is as it was{backup}: {error}"))
    };
    db.migrate().await.map_err(failed)?;
    if let Some(made) = backup {
        backups::adopt(&operator_ctx(&config.options(None)?, db.clone()), &made).await?;
        info(&format!(
            "The backup {0} was made before the upgrade. To go back, restore it with the version before: \
             `spvctl backup restore {0}`.",
            made.name
        ));
    }
    Ok(())
}

/// How often a running backup of another process is waited for, a second each.
const BACKUP_WAITS: usize = 600;

/// The backup before an upgrade; `None` where there is nothing to lose, or another process has migrated meanwhile.
async fn back_up(config: &Config, db: &Db) -> Result<Option<Manifest>> {
    let ctx = operator_ctx(&config.options(None)?, db.background());
    for _ in 0..BACKUP_WAITS {
        match backups::create_before_upgrade(&ctx, &|_| ()).await {
            Err(Error::Conflict(problem)) if problem.code == "backup_running" => {
                tokio::time::sleep(Duration::from_secs(1)).await;
                if db.schema_state().await? != SchemaState::Outdated {
                    return Ok(None);
                }
            }
            made => return made.map_err(backup_failed),
        }
    }
    Err(backup_failed(Error::conflict("backup_running")))
}

fn backup_failed(error: Error) -> Failure {
    Failure::Refused(format!(
        "the backup before the upgrade failed, so nothing was migrated: {}. Correct that, or migrate without one: \
         SPV_BACKUP_BEFORE_UPGRADE=false",
        Failure::from(error).message().unwrap_or_default().trim_end_matches('.')
    ))
}

/// Refuses a database that lacks migrations of this program. One of a newer program can be used.
///
/// # Errors
/// Refused, with the remedy.
pub async fn check_schema(config: &Config, db: &Db) -> Result {
    if db.schema_state().await? == SchemaState::Usable {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "{} was made by an older spvctl and lacks {} of the migrations of this one ({}); stop the older processes, and run \
         `spvctl migrate`",
        config.database(),
        db.pending_migrations().await?,
        env!("CARGO_PKG_VERSION"),
    )))
}

/// Opens the database; creates it and the data folder if they do not exist. Does not check the schema.
///
/// # Errors
/// Refused if the file is another program's, which is not changed; Fault if the database is unreachable.
pub async fn open_or_create_database(config: &Config) -> Result<Db> {
    inspect_database(config).await?;
    config::make_data_dir(&config.data_dir)?;
    open(config).await
}

/// Opens the database of an existing portal; creates nothing.
///
/// # Errors
/// Refused if there is no portal; as of [`open_or_create_database`].
pub async fn open_existing_database(config: &Config) -> Result<Db> {
    if inspect_database(config).await? == Some(Existing::Nothing) {
        return Err(no_portal(config));
    }
    let db = open(config).await?;
    if db.is_empty().await? {
        db.close().await;
        return Err(no_portal(config));
    }
    Ok(db)
}

/// Whether the configured database holds a portal.
///
/// # Errors
/// As of [`open_or_create_database`].
pub async fn portal_exists(config: &Config) -> Result<bool> {
    match inspect_database(config).await? {
        Some(found) => Ok(found == Existing::Portal),
        None => {
            let db = open(config).await?;
            let empty = db.is_empty().await?;
            db.close().await;
            Ok(!empty)
        }
    }
}

async fn inspect_database(config: &Config) -> Result<Option<Existing>> {
    #[cfg(unix)]
    check_permissions(config)?;
    let found = inspect(&config.database_url).await.map_err(|error| unreachable(config, error))?;
    if found == Some(Existing::Foreign) {
        return Err(foreign_database(&config.database()));
    }
    if found == Some(Existing::Nothing) {
        check_parent_dir(config)?;
    }
    Ok(found)
}

/// Refuses a SQLite file whose parent directory is missing, unless it is created with the data folder: a disk is not mounted
/// or the path is mistyped, and `spvctl migrate` would not help.
fn check_parent_dir(config: &Config) -> Result {
    let Some(file) = sqlite_file(&config.database_url).map_err(|error| unreachable(config, error))? else {
        return Ok(());
    };
    let (Ok(file), Ok(data_dir)) = (path::absolute(file), path::absolute(&config.data_dir)) else { return Ok(()) };
    match file.parent() {
        Some(folder) if !folder.exists() && !data_dir.starts_with(folder) => {
            Err(unreachable(config, Error::Unavailable(format!("there is no folder {}", folder.display()))))
        }
        _ => Ok(()),
    }
}

/// The refusal of a database that belongs to another program.
pub fn foreign_database(database: &str) -> Failure {
    Failure::Refused(format!(
        "{database} is not a portal's database; nothing was written. Give another --data-dir or --database-url"
    ))
}

/// Refuses a SQLite file that this user cannot read and write, and a folder where it cannot write the files beside it.
/// SQLite's own messages name no path.
#[cfg(unix)]
fn check_permissions(config: &Config) -> Result {
    use rustix::{
        fs::{Access, access},
        io::Errno,
    };
    let Some(file) = sqlite_file(&config.database_url).map_err(|error| unreachable(config, error))? else {
        return Ok(());
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(path::Path::new("."));
    let wanted = [(folder, Access::WRITE_OK | Access::EXEC_OK), (&*file, Access::READ_OK | Access::WRITE_OK)];
    for (path, access_mode) in wanted {
        let why = match access(path, access_mode) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => continue,
            Err(Errno::ROFS) => "is on a read-only file system; mount it writable".to_owned(),
            Err(_) => {
                let user = rustix::process::geteuid().as_raw();
                format!(
                    "cannot be read and written by user {user}; run spvctl as the user whom the portal's files belong to"
                )
            }
        };
        return Err(Failure::Fault(anyhow::anyhow!("database_url: {} {why}", path.display())));
    }
    Ok(())
}

async fn open(config: &Config) -> Result<Db> {
    let unreachable = |error| unreachable(config, error);
    let db = Db::open_with(&config.database_url, Durability::Full, config.pools).await.map_err(unreachable)?;
    // `serve`, `worker` and `doctor` report it when the permissions cannot be restricted.
    config::restrict_permissions(&config.data_dir);
    if db.schema_state().await.map_err(unreachable)? == SchemaState::Unreleased {
        db.close().await;
        return Err(Failure::Refused(format!(
            "{} was made before 0.1.0; make a new one: give another --data-dir or --database-url",
            config.database()
        )));
    }
    Ok(db)
}

fn unreachable(config: &Config, error: Error) -> Failure {
    match error {
        // SQLite says "disk I/O error".
        Error::Unavailable(_) if is_disk_full(config) => Failure::Fault(anyhow::anyhow!(
            "the disk of {} is full; free some space, or move the data folder to a larger disk",
            config.data_dir.display()
        )),
        Error::Unavailable(why) => {
            Failure::Fault(anyhow::anyhow!("database_url: the database cannot be reached: {why}"))
        }
        other => other.into(),
    }
}

/// Whether the disk of a portal with its own database has less than a megabyte left.
fn is_disk_full(config: &Config) -> bool {
    !config.has_own_database() && health_checks::disk(&config.data_dir).is_some_and(|disk| disk.free < 1 << 20)
}

fn no_portal(config: &Config) -> Failure {
    let flag = if config.has_own_database() { "--database-url" } else { "--data-dir" };
    Failure::Refused(format!("no portal in {}; run `spvctl migrate` to make one, or give {flag}", config.location()))
}

/// The use-case context with the operator as actor.
pub fn operator_ctx(options: &Arc<Options>, db: Db) -> Ctx {
    Ctx {
        actor: Actor::Operator(operator_name()),
        db,
        clock: Clock::system(),
        random: RandomSource::system(),
        options: options.clone(),
        origin: Origin::default(),
        idempotency: None,
        suppress_notifications: false,
    }
}

/// The configured mail transport: SMTP, or `.eml` files.
///
/// # Errors
/// Usage if the sender or the SMTP URL is not valid.
pub fn mailer(config: &Config) -> Result<jobs::mail::Mailer> {
    let wrong = |setting: &str, e: jobs::mail::MailConfigError| Failure::Usage(format!("{setting}: the value {e}"));
    let from = jobs::mail::sender(&config.mail_from).map_err(|e| wrong("mail_from", e))?;
    match &config.smtp_url {
        Some(url) => jobs::mail::Mailer::smtp(url, from).map_err(|e| wrong("smtp_url", e)),
        None => Ok(jobs::mail::Mailer::files(&config.mail_dir(), from)),
    }
}

/// Options of this process's worker: concurrency, and the host name as its name.
pub fn worker_options(config: &Config) -> jobs::WorkerOptions {
    let host = std::fs::read_to_string("/etc/hostname")
        .ok()
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty());
    jobs::WorkerOptions { concurrency: config.worker_concurrency, name: host.unwrap_or_else(|| "worker".to_owned()) }
}

/// Serves Prometheus metrics until `stop`, if an address is configured.
///
/// # Errors
/// Refused if the address cannot be bound.
pub async fn serve_metrics(config: &Config, ctx: &Ctx, mut stop: watch::Receiver<bool>) -> Result {
    let Some(address) = config.metrics_listen else { return Ok(()) };
    let refused = |e: std::io::Error| Failure::Refused(format!("metrics_listen: {address} cannot be listened on: {e}"));
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    tracing::info!("figures for Prometheus are at http://{}/metrics", listener.local_addr()?);
    let metrics = api::Metrics::install().map_err(|e| Failure::Fault(e.into()))?;
    let ctx = ctx.clone();
    tokio::spawn(async move {
        let stopped = async move {
            let _ = stop.wait_for(|stop| *stop).await;
        };
        if let Err(error) = metrics.serve(listener, ctx, stopped).await {
            tracing::warn!(%error, "metrics server failed");
        }
    });
    Ok(())
}

fn operator_name() -> String {
    ["SUDO_USER", "USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()))
        .unwrap_or_else(|| "operator".to_owned())
}
