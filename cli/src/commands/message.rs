//! `spvctl message …`
use super::lookup;
use crate::{args::Paging, context::CliContext, exit::Result, output::Record};
use clap::{Args, Subcommand};
use domain::{
    desk::messages::{self, Filter, ListedMessage, Thread},
    orders::documents::Document,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List conversations with clients by their last message, newest first
    #[command(after_help = "Examples:\n  spvctl message list\n  spvctl message list --client maya@example.com")]
    List(List),
    /// List internal notes about a client, newest first
    #[command(after_help = "Examples:\n  spvctl message notes maya@example.com")]
    Notes(Notes),
}

#[derive(Debug, Args)]
pub struct Notes {
    /// Email address, name or id
    #[arg(value_name = "CLIENT")]
    client: String,
    #[command(flatten)]
    paging: Paging,
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
    match verb {
        Verb::List(args) => list(args, cli).await,
        Verb::Notes(args) => notes(args, cli).await,
    }
}

async fn notes(args: Notes, cli: &CliContext) -> Result {
    let client = lookup::client_named(&cli.ctx, &args.client).await?.id;
    let page = args.paging.read(async |query| messages::internal_notes(&cli.ctx, client, &query).await).await?;
    let record = |(note, documents): &(ListedMessage, Vec<Document>)| {
        let names: Vec<_> = documents.iter().map(|document| document.name.as_str()).collect();
        Record::new()
            .hidden_in_table("id", note.id.to_string())
            .with("at", note.created_at.to_rfc3339())
            .with("spv", note.spv_identifier())
            .with("author", note.author_name.clone())
            .with("body", note.body.clone())
            .with_room("documents", names.join(", "))
    };
    cli.out.page(page.items.iter().map(record).collect(), "notes", page.next_cursor)
}

async fn list(args: List, cli: &CliContext) -> Result {
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
