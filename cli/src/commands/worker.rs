//! `spvctl worker`
use crate::{
    config::{self, Config},
    exit::{Failure, Result},
    portal, shutdown,
};
use domain::{Actor, kernel::db::SchemaState};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl worker --config portal.toml")]
pub struct Args {}

pub async fn run(config: Config) -> Result {
    let mailer = portal::mailer(&config)?;
    let db = portal::database(&config).await?;
    if let Some(words) = config::make_private(&config.data_dir) {
        tracing::warn!("{words}");
    }
    if db.is_empty().await? {
        db.migrate().await?;
    }
    if db.schema_state().await? != SchemaState::Usable {
        return Err(Failure::Refused(
            "the database has another schema than this program; run `spvctl migrate`".to_owned(),
        ));
    }
    let ctx = portal::context(&config.options(None)?, db.clone()).acting_as(Actor::System("worker"));
    let stop = shutdown::on_signal();
    portal::metrics(&config, &ctx, stop.clone()).await?;
    // Events of this worker's jobs are numbered even while no server runs.
    let following =
        tokio::spawn(domain::outbox::activity_feed::run(ctx.clone(), tokio::sync::broadcast::channel(16).0, |_| ()));
    tracing::info!(concurrency = config.worker_concurrency, "working");
    jobs::run(ctx.clone(), jobs::State::new(ctx, mailer), portal::worker_options(&config), stop).await;
    following.abort();
    db.close().await;
    Ok(())
}
