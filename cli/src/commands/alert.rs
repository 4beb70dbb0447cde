//! `spvctl alert …`
use crate::{args::Paging, context::CliContext, exit::Result, output::Record};
use clap::{Args, Subcommand};
use domain::operations::alerts::{self, Alert};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what needs a super admin, newest first
    #[command(after_help = "Examples:\n  spvctl alert list\n  spvctl alert list --ended --format json")]
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Those that have ended instead
    #[arg(long)]
    ended: bool,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let Verb::List(args) = verb;
    let page = args.paging.read(async |query| alerts::list(&cli.ctx, Some(!args.ended), &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "alerts", page.next_cursor)
}

fn record(alert: &Alert) -> Record {
    Record::new()
        .hidden_in_table("id", alert.id.to_string())
        .with("kind", alert.kind.clone())
        .with("subject", alert.subject.clone())
        .with("opened_at", alert.opened_at.to_rfc3339())
        .with_room("seen_at", alert.seen_at.to_rfc3339())
        .with("resolved_at", alert.resolved_at.map(|at| at.to_rfc3339()))
        .with_room("resolved_by", alert.resolved_by.clone())
        .hidden_in_table("data", alert.data.clone())
}
