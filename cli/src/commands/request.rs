//! `spvctl request …`
use crate::{args::Paging, exit::Result, output::Record, portal::Portal};
use clap::Subcommand;
use domain::requests;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List requests, newest first
    #[command(after_help = "Examples:\n  spvctl request list --limit 20")]
    List(Paging),
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let Verb::List(paging) = verb;
    let page = requests::list(&portal.ctx, &paging.query()).await?;
    let records = page.items.iter().map(|request| {
        Record::new()
            .more("id", request.id.to_string())
            .with("reference", request.reference())
            .with("created_at", request.created_at.to_rfc3339())
            .with("kind", request.kind.clone())
            .with("status", request.status.clone())
            .with("name", request.name.clone())
            .with("email", request.email.clone())
            .with("message", request.message.clone())
            .more("data", request.data.clone())
    });
    portal.out.page(records.collect(), "requests", page.next_cursor)
}
