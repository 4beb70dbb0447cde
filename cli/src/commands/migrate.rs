//! `spvctl migrate`
use crate::{
    config::{self, Config},
    exit::{Failure, Result},
    output::say,
    portal,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  spvctl migrate\n  spvctl migrate --check && echo up to date")]
pub struct Args {
    /// Change nothing; exit 1 when there is something to do
    #[arg(long)]
    check: bool,
}

pub async fn run(args: &Args, config: &Config) -> Result {
    config::make_data_dir(&config.data_dir)?;
    let db = portal::database(config).await?;
    let done = db.is_migrated().await?;
    if args.check {
        say(if done { "The schema is up to date." } else { "The schema is not up to date; run `spvctl migrate`." });
        return if done { Ok(()) } else { Err(Failure::Found) };
    }
    db.migrate()
        .await
        .map_err(|e| Failure::Fault(anyhow::anyhow!("the migration failed, the schema is as it was: {e}")))?;
    say(if done { "The schema was up to date." } else { "The schema is up to date now." });
    db.close().await;
    Ok(())
}
