//! `spvctl migrate`
use crate::{
    config::Config,
    context,
    exit::{Failure, Result},
    output::info,
};
use domain::kernel::db::SchemaState;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl migrate\n  spvctl migrate --check && echo up to date")]
pub struct Args {
    /// Change nothing; exit 1 when there is something to do
    #[arg(long)]
    check: bool,
}

pub async fn run(args: &Args, config: &Config) -> Result {
    if args.check {
        return check(config).await;
    }
    let db = context::open_or_create_database(config).await?;
    let done = db.schema_state().await? == SchemaState::Usable;
    context::migrate(config, &db).await?;
    info(if done { "The schema was up to date." } else { "The schema is up to date now." });
    db.close().await;
    Ok(())
}

/// `migrate --check`. Creates nothing if there is no portal.
async fn check(config: &Config) -> Result {
    if !context::portal_exists(config).await? {
        info(&format!("There is no portal in {} yet; run `spvctl migrate`.", config.location()));
        return Err(Failure::Found);
    }
    let db = context::open_existing_database(config).await?;
    let done = db.schema_state().await? == SchemaState::Usable;
    db.close().await;
    info(if done { "The schema is up to date." } else { "The schema is not up to date; run `spvctl migrate`." });
    if done { Ok(()) } else { Err(Failure::Found) }
}
