//! `spvctl message …`
use super::lookup;
use crate::{args::Paging, context::CliContext, exit::Result, output::Record};
use clap::{Args, Subcommand};
use domain::desk::messages::{self, Filter, Thread};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List conversations with clients by their last message, newest first
    #[command(after_help = "Examples:\n  spvctl message list\n  spvctl message list --client maya@example.com")]
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Email address, name or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let Verb::List(args) = verb;
    let ctx = &cli.ctx;
    let client_id = match &args.client {
        Some(name) => Some(lookup::client(ctx, name).await?.id),
        None => None,
    };
    let spv_id = match &args.spv {
        Some(name) => Some(lookup::spv(ctx, name).await?.spv.id),
        None => None,
    };
    let filter = Filter { client_id, spv_id, ..Filter::default() };
    let page = args.paging.read(async |query| messages::threads(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "conversations", page.next_cursor)
}

fn record(thread: &Thread) -> Record {
    Record::new()
        .hidden_in_table("id", thread.id.to_string())
        .with("at", thread.at.to_rfc3339())
        .with("client", thread.client_name())
        .hidden_in_table("client_id", thread.client_id.to_string())
        .with("spv", thread.identifier())
        .with("author", thread.author_name.clone())
        .with_room("internal", thread.internal)
        .with("body", thread.body.clone())
}
