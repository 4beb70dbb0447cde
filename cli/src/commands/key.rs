//! `spvctl key …`
use crate::{
    context::CliContext,
    exit::Result,
    output::{Record, info},
};
use clap::Subcommand;
use domain::accounts::auth::keys::{self, KeyInfo};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the signing keys; the first one signs
    #[command(after_help = "Examples:\n  spvctl key list")]
    List,
    /// Sign with a new key; the others stay accepted, so no one is signed out
    #[command(
        long_about = "Sign with a new key; the others stay accepted, so no one is signed out.\n\nRunning servers take it up \
                      within seconds. Once the old key's access tokens have expired, its entry may be removed from the file; \
                      that ends the sessions whose refresh tokens it made, and the authenticator apps set up under it.",
        after_help = "Examples:\n  spvctl key rotate"
    )]
    Rotate,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let path = &cli.config.signing_keys;
    // There is no file before the first start.
    domain::accounts::auth::Keys::load_or_create(path)?;
    let found = match verb {
        Verb::List => keys::list(&cli.ctx, path)?,
        Verb::Rotate => {
            let found = keys::rotate(&cli.ctx, path).await?;
            info("A new key signs from now on; running servers take it up within seconds.");
            found
        }
    };
    cli.out.list(found.iter().map(record).collect(), "signing keys")
}

fn record(key: &KeyInfo) -> Record {
    Record::new()
        .with("kid", key.kid.clone())
        .with("algorithm", key.algorithm)
        .with("made_at", key.made_at.map(|at| at.to_rfc3339()))
        .with("use", if key.signs { "signs" } else { "accepted" })
}
