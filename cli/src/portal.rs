//! What an operator's command works on: the configuration, an open database, and the operator as the actor.
use crate::{
    ask::Ask,
    config::{self, Config},
    exit::{Failure, Result},
    output::{Output, say},
};
use domain::{
    Actor, Ctx, Error, Options, Origin,
    kernel::{
        clock::{Chance, Clock},
        db::{Db, Durability, Existing, SchemaState, inspect, sqlite_file},
    },
};
use std::{path, sync::Arc};
use tokio::{net::TcpListener, sync::watch};

pub struct Portal {
    pub ctx: Ctx,
    pub config: Config,
    pub out: Output,
    pub ask: Ask,
}

impl Portal {
    /// Opens the database of a portal that is there; an old schema is refused.
    ///
    /// # Errors
    /// Refused with what to do; Fault when it cannot be reached.
    pub async fn open(config: Config, out: Output, ask: Ask) -> Result<Self> {
        let db = existing(&config).await?;
        Self::of(config, db, out, ask).await
    }

    /// As [`Portal::open`], and makes a portal where there is none; `question` is asked before.
    ///
    /// # Errors
    /// Refused with what to do, also when the answer is no; Fault when it cannot be reached.
    pub async fn open_or_make(config: Config, out: Output, ask: Ask, question: Option<&str>) -> Result<Self> {
        if let Some(question) = question
            && !is_there(&config).await?
        {
            ask.sure(&format!("There is no portal in {} yet. {question}", config.place()))?;
        }
        let db = database(&config).await?;
        if db.is_empty().await? {
            db.migrate().await?;
            say("A new database was made.");
        }
        Self::of(config, db, out, ask).await
    }

    async fn of(config: Config, db: Db, out: Output, ask: Ask) -> Result<Self> {
        if db.schema_state().await? != SchemaState::Usable {
            return Err(Failure::Refused(
                "the database has another schema than this program; stop older processes and run `spvctl migrate`"
                    .to_owned(),
            ));
        }
        let ctx = context(&config.options(None)?, db.background());
        Ok(Self { ctx, config, out, ask })
    }

    /// How mails leave.
    ///
    /// # Errors
    /// Usage when what is configured makes no sense.
    pub fn mailer(&self) -> Result<jobs::mail::Mailer> {
        mailer(&self.config)
    }
}

/// Opens the database, and makes it where there is none; the data folder, too. Its schema is the caller's business.
///
/// # Errors
/// Refused when the file is another program's, which is left as it is; Fault when it cannot be reached.
pub async fn database(config: &Config) -> Result<Db> {
    look(config).await?;
    config::make_data_dir(&config.data_dir)?;
    open(config).await
}

/// Opens the database of a portal that is there. Nothing is made or written where there is none.
///
/// # Errors
/// Refused, saying how to make one; as of [`database`].
pub async fn existing(config: &Config) -> Result<Db> {
    if look(config).await? == Some(Existing::Nothing) {
        return Err(no_portal(config));
    }
    let db = open(config).await?;
    if db.is_empty().await? {
        db.close().await;
        return Err(no_portal(config));
    }
    Ok(db)
}

/// Whether there is a portal.
///
/// # Errors
/// As of [`database`].
pub async fn is_there(config: &Config) -> Result<bool> {
    match look(config).await? {
        Some(found) => Ok(found == Existing::Portal),
        None => {
            let db = open(config).await?;
            let empty = db.is_empty().await?;
            db.close().await;
            Ok(!empty)
        }
    }
}

async fn look(config: &Config) -> Result<Option<Existing>> {
    let found = inspect(&config.database_url).await.map_err(unreachable)?;
    if found == Some(Existing::Foreign) {
        return Err(foreign(&config.database()));
    }
    if found == Some(Existing::Nothing) {
        has_folder(config)?;
    }
    Ok(found)
}

/// A database file can be made in a folder that is there, or that is made with the data folder. Elsewhere a disk is not
/// mounted or the address is mistyped: "run `spvctl migrate`" would not help.
fn has_folder(config: &Config) -> Result {
    let Some(file) = sqlite_file(&config.database_url).map_err(unreachable)? else { return Ok(()) };
    let (Ok(file), Ok(data_dir)) = (path::absolute(file), path::absolute(&config.data_dir)) else { return Ok(()) };
    match file.parent() {
        Some(folder) if !folder.exists() && !data_dir.starts_with(folder) => {
            Err(unreachable(Error::Unavailable(format!("there is no folder {}", folder.display()))))
        }
        _ => Ok(()),
    }
}

/// A database that is not a portal's.
pub fn foreign(database: &str) -> Failure {
    Failure::Refused(format!(
        "{database} is not a portal's database; nothing was written. Give another --data-dir or --database-url"
    ))
}

async fn open(config: &Config) -> Result<Db> {
    let db = Db::open_with(&config.database_url, Durability::Full, config.pools).await.map_err(unreachable)?;
    // Who can look into the folder although it is not ours to close, `serve`, `worker` and `doctor` say.
    config::make_private(&config.data_dir);
    if db.schema_state().await.map_err(unreachable)? == SchemaState::Unreleased {
        db.close().await;
        return Err(Failure::Refused(format!(
            "{} was made before 0.1.0; make a new one: give another --data-dir or --database-url",
            config.database()
        )));
    }
    Ok(db)
}

fn unreachable(error: Error) -> Failure {
    match error {
        Error::Unavailable(why) => {
            Failure::Fault(anyhow::anyhow!("database_url: the database cannot be reached: {why}"))
        }
        other => other.into(),
    }
}

fn no_portal(config: &Config) -> Failure {
    let flag = if config.has_own_database() { "--database-url" } else { "--data-dir" };
    Failure::Refused(format!("no portal in {}; run `spvctl migrate` to make one, or give {flag}", config.place()))
}

/// The operator's context.
pub fn context(options: &Arc<Options>, db: Db) -> Ctx {
    Ctx {
        actor: Actor::Operator(operator()),
        db,
        clock: Clock::system(),
        chance: Chance::system(),
        options: options.clone(),
        origin: Origin::default(),
        idempotency: None,
        silent: false,
    }
}

/// # Errors
/// Usage when what is configured makes no sense.
pub fn mailer(config: &Config) -> Result<jobs::mail::Mailer> {
    let wrong = |setting: &str, e: jobs::mail::Misconfigured| Failure::Usage(format!("{setting}: the value {e}"));
    let from = jobs::mail::sender(&config.mail_from).map_err(|e| wrong("mail_from", e))?;
    match &config.smtp_url {
        Some(url) => jobs::mail::Mailer::smtp(url, from).map_err(|e| wrong("smtp_url", e)),
        None => Ok(jobs::mail::Mailer::files(&config.mail_dir(), from)),
    }
}

/// What a worker of this process is called, before its process id.
pub fn worker_options(config: &Config) -> jobs::WorkerOptions {
    let host = std::fs::read_to_string("/etc/hostname")
        .ok()
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty());
    jobs::WorkerOptions { concurrency: config.worker_concurrency, name: host.unwrap_or_else(|| "worker".to_owned()) }
}

/// Counts from now on and answers Prometheus, where the configuration says so, until `stop`.
///
/// # Errors
/// Refused when the address cannot be listened on.
pub async fn metrics(config: &Config, ctx: &Ctx, mut stop: watch::Receiver<bool>) -> Result {
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
            tracing::warn!(%error, "figures for Prometheus are no longer served");
        }
    });
    Ok(())
}

fn operator() -> String {
    ["SUDO_USER", "USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()))
        .unwrap_or_else(|| "operator".to_owned())
}
