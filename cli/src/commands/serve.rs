//! `spvctl serve`: web app, API, worker and schedules in one process.
use crate::{
    checks,
    config::{self, Config, LogFormat},
    context,
    exit::Result,
    listen::Bound,
    output::{Format, Output, Record, info},
    shutdown,
};
use domain::{
    Actor, Ctx, Error, Options,
    accounts::auth::{Auth, Keys},
};
use tokio::sync::broadcast;

/// Events that a slow subscriber may lag behind before it reads the database instead.
const FEED_CAPACITY: usize = 1024;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl serve\n  SPV_DEMO=true spvctl serve --listen 0.0.0.0:8080\n  spvctl serve --no-worker\n\n\
                  Signals:\n  SIGTERM  /readyz answers 503 while requests are served for SPV_DRAIN_SECONDS\n  \
                  SIGINT   stops without that wait, as does Ctrl-C\n  A second signal stops at once."
)]
pub struct Args {
    /// Address of the portal, unix:FILE or systemd [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Leave emails and scheduled jobs to `spvctl worker`
    #[arg(long)]
    no_worker: bool,
}

pub async fn run(args: Args, config: Config) -> Result {
    let mailer = context::mailer(&config)?;
    let Bound { listener, address, file: _socket_file } = config.listen.bind().await?;
    let db = context::open_or_create_database(&config).await?;
    if let Some(words) = config::restrict_permissions(&config.data_dir) {
        tracing::warn!("{words}");
    }
    let options = config.options(address)?;
    context::migrate(&config, &db).await?;
    let auth = auth(&config)?;
    let ctx = context::operator_ctx(&options, db.clone()).acting_as(Actor::System("portal"));
    let shutdown = shutdown::with_drain(config.drain);
    let mut stop = shutdown.stopped.clone();
    tokio::select! {
        made = prepare_demo(&ctx, config.demo) => made?,
        // An interrupted demo seed is rolled back; the next start repeats it.
        _ = stop.wait_for(|stop| *stop) => return Ok(()),
    }

    context::serve_metrics(&config, &ctx, stop.clone()).await?;
    let feed = broadcast::channel(FEED_CAPACITY).0;
    let verified = auth.token_cache.clone();
    let invalidate_session = move |event: &domain::platform::activity::Activity| verified.forget(event);
    let sequencer = tokio::spawn(domain::outbox::activity_feed::run(ctx.clone(), feed.clone(), invalidate_session));
    let key_watcher = tokio::spawn(auth.keys.clone().watch());
    let heartbeat = tokio::spawn(jobs::run_heartbeat(ctx.clone(), stop.clone()));
    let worker = (!args.no_worker).then(|| {
        let state = jobs::State::new(ctx.clone(), mailer).with_program_checks(checks::of_program(&config));
        tokio::spawn(jobs::run(ctx.clone(), state, context::worker_options(&config), stop.clone()))
    });
    let app = api::AppState::new(api::AppConfig {
        db: db.clone(),
        clock: ctx.clock.clone(),
        random: ctx.random.clone(),
        options: options.clone(),
        auth,
        feed,
        http: http_config(&config),
    });
    let listening = address.map_or_else(|| config.listen.to_string(), |address| address.to_string());
    match config.log_format {
        // Each line of the log is an object.
        LogFormat::Json => tracing::info!(url = options.public_url, listening, "the portal is ready"),
        LogFormat::Text => print_banner(&options, &listening)?,
    }
    api::serve(listener, app, shutdown.requested()).await?;
    if let Some(worker) = worker {
        let _ = worker.await;
    }
    let _ = heartbeat.await;
    sequencer.abort();
    key_watcher.abort();
    db.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// Creates the demo office in demo mode. Otherwise signs out the demo accounts.
async fn prepare_demo(ctx: &Ctx, on: bool) -> Result {
    if !on {
        let emails = domain::operations::demo_accounts::sign_out_all(ctx).await?;
        if !emails.is_empty() {
            tracing::warn!(accounts = emails.join(", "), "demo accounts cannot sign in while SPV_DEMO is false");
        }
        return Ok(());
    }
    match domain::operations::seed::demo(ctx).await {
        Ok(_) => Ok(()),
        Err(error @ Error::Unavailable(_)) => Err(error.into()),
        // The portal holds other data; it starts without a complete demo.
        Err(error) => {
            tracing::warn!(%error, "the demo office is not complete");
            Ok(())
        }
    }
}

fn auth(config: &Config) -> Result<Auth> {
    let mut keys = Keys::load_or_create(&config.signing_keys)?;
    if let Some(secret) = &config.jwt_secret {
        keys = keys.with_secret(secret);
    }
    Ok(Auth::new(keys))
}

fn http_config(config: &Config) -> api::HttpConfig {
    api::HttpConfig {
        cors_origins: config.cors_origins.clone(),
        trusted_proxies: config.trusted_proxies.clone(),
        redirects: config.redirects.clone(),
        providers: config.providers.clone(),
        rate_limits: config.rate_limits,
        max_connections_per_address: config.max_connections_per_address,
        hsts_subdomains: config.hsts_subdomains,
        ..api::HttpConfig::default()
    }
}

/// Prints the portal's address, and in demo mode the sign-ins.
fn print_banner(options: &Options, listening: &str) -> Result {
    info(&format!("The portal is at {} (listening on {listening}).", options.public_url));
    if !options.demo {
        return Ok(());
    }
    info("Demo sign-ins:");
    let records = [
        ("Client portal", "/auth/login/client", "client@example.com"),
        ("Employee portal", "/auth/login/employee", "employee@example.com"),
        ("Super admin", "/auth/login/employee", "super@example.com"),
        ("Company portal", "/auth/login/company", "company@example.com"),
        ("ISO portal", "/auth/login/iso", "iso@example.com"),
    ]
    .map(|(portal, path, email)| {
        Record::new()
            .with("portal", portal)
            .with("address", format!("{}{path}", options.public_url))
            .with("email", email)
            .with("password", options.demo_password.clone())
    });
    Output::new(Format::Table, Vec::new()).list(records.into(), "sign-ins")
}
