//! `spvctl maintenance …`
use crate::{
    context::CliContext,
    exit::Result,
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::platform::maintenance::{self, Maintenance};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Start maintenance, or change its message
    On(On),
    /// Open the portal again
    #[command(after_help = "Examples:\n  spvctl maintenance off")]
    Off,
    /// Say whether it is on
    #[command(after_help = "Examples:\n  spvctl maintenance status --format json")]
    Status,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  spvctl maintenance on\n  spvctl maintenance on --message 'We are moving house. Back at 18:00 UTC.'"
)]
pub struct On {
    /// Shown above every page, up to 300 characters
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::On(args) => {
            cli.prompt
                .confirm("Make the portal read-only for everyone but super admins until `spvctl maintenance off`?")?;
            let now = maintenance::start(ctx, args.message.as_deref()).await?;
            info("Only super admins can make changes now. Jobs and emails keep running.");
            out.one(record(Some(&now)))
        }
        Verb::Off => {
            maintenance::end(ctx).await?;
            info("The portal is live again.");
            Ok(())
        }
        Verb::Status => out.one(record(maintenance::get(ctx).await?.as_ref())),
    }
}

fn record(now: Option<&Maintenance>) -> Record {
    Record::new()
        .with("maintenance", if now.is_some() { "on" } else { "off" })
        .with("message", now.and_then(|now| now.message.clone()))
        .with("since", now.map(|now| now.since.to_rfc3339()))
        .with("by", now.map(|now| now.by.clone()))
}
