//! What an operator's command works on: the configuration, an open database, and the operator as the actor.
use crate::{
    ask::Ask,
    config::{self, Config},
    exit::{Failure, Result},
    output::{Output, say},
};
use domain::{
    Actor, Ctx, Error, Options, Origin,
    clock::{Chance, Clock},
    db::{Db, Durability},
};
use std::sync::Arc;
use tokio::{net::TcpListener, sync::watch};

pub struct Portal {
    pub ctx: Ctx,
    pub config: Config,
    pub out: Output,
    pub ask: Ask,
}

impl Portal {
    /// Opens the database; a new one is made, an old schema is refused.
    ///
    /// # Errors
    /// Refused with what to do; Fault when it cannot be reached.
    pub async fn open(config: Config, out: Output, ask: Ask) -> Result<Self> {
        config::make_data_dir(&config.data_dir)?;
        let db = database(&config).await?;
        if !db.is_migrated().await? {
            if !db.is_empty().await? {
                return Err(Failure::Refused(
                    "the database has another schema than this program; stop older processes and run `spvctl migrate`"
                        .to_owned(),
                ));
            }
            db.migrate().await?;
            say("A new database was made.");
        }
        let ctx = context(&config.options(None)?, db);
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

/// # Errors
/// Fault when it cannot be reached.
pub async fn database(config: &Config) -> Result<Db> {
    Db::open_with(&config.database_url, Durability::Full, config.pools).await.map_err(|e| match e {
        Error::Unavailable(why) => {
            Failure::Fault(anyhow::anyhow!("database_url: the database cannot be reached: {why}"))
        }
        other => other.into(),
    })
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
pub fn worker_options(config: &Config) -> jobs::Workers {
    let host = std::fs::read_to_string("/etc/hostname")
        .ok()
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty());
    jobs::Workers { concurrency: config.worker_concurrency, name: host.unwrap_or_else(|| "worker".to_owned()) }
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
    let metrics = api::Metrics::begin().map_err(|e| Failure::Fault(e.into()))?;
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
