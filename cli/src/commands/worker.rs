//! `spvctl worker`
use crate::{
    checks,
    config::{self, Config},
    context,
    exit::Result,
    shutdown,
};
use domain::Actor;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl worker --config portal.toml")]
pub struct Args {}

pub async fn run(config: Config) -> Result {
    let mailer = context::mailer(&config)?;
    let db = context::open_or_create_database(&config).await?;
    if let Some(words) = config::restrict_permissions(&config.data_dir) {
        tracing::warn!("{words}");
    }
    if db.is_empty().await? {
        db.migrate().await?;
    }
    context::check_schema(&config, &db).await?;
    let ctx = context::operator_ctx(&config.options(None)?, db.clone()).acting_as(Actor::System("worker"));
    let stop = shutdown::on_signal();
    context::serve_metrics(&config, &ctx, stop.clone()).await?;
    // Numbers the activity entries of this worker's jobs even while no server runs.
    let sequencer =
        tokio::spawn(domain::outbox::activity_feed::run(ctx.clone(), tokio::sync::broadcast::channel(16).0, |_| ()));
    tracing::info!(concurrency = config.worker_concurrency, "worker started");
    let state = jobs::State::new(ctx.clone(), mailer).with_program_checks(checks::of_program(&config));
    jobs::run(ctx, state, context::worker_options(&config), stop).await;
    sequencer.abort();
    db.close().await;
    Ok(())
}
