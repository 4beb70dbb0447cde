//! `spvctl lead …`
use super::lookup;
use crate::{
    args::{Paging, parse_name},
    context::CliContext,
    exit::Result,
    output::Record,
};
use clap::{Args, Subcommand};
use domain::directory::leads::{self, Filter, Lead, Stage};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List leads, newest first
    #[command(
        after_help = "Examples:\n  spvctl lead list --stage qualified\n  spvctl lead list --iso iso@example.com --format csv"
    )]
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// new, contacted, qualified, won or lost
    #[arg(long, value_parser = parse_name::<Stage>)]
    stage: Option<Stage>,
    /// Email address or id of the partner
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Beginnings of words of name, email or company
    #[arg(long)]
    q: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let Verb::List(args) = verb;
    let ctx = &cli.ctx;
    let iso_id = lookup::iso(ctx, args.iso.as_deref()).await?;
    let filter = Filter { q: args.q, stage: args.stage, iso_id, ..Filter::default() };
    let page = leads::list(ctx, &filter, &args.paging.query()).await?;
    cli.out.page(page.items.iter().map(record).collect(), "leads", page.next_cursor)
}

fn record(lead: &Lead) -> Record {
    Record::new()
        .hidden_in_table("id", lead.id.to_string())
        .with("name", lead.name())
        .with("email", lead.email.clone())
        .hidden_in_table("phone", lead.phone.clone())
        .hidden_in_table("organisation", lead.organisation.clone())
        .with("iso", lead.iso_name())
        .with("stage", lead.stage.name())
        .with("next_step", lead.next_step.clone())
        .hidden_in_table("next_step_date", lead.next_step_date.map(|date| date.to_string()))
        .with("protected_until", lead.protected_until.to_string())
        .hidden_in_table("client_id", lead.client_id.map(|id| id.to_string()))
        .hidden_in_table("spv_id", lead.spv_id.map(|id| id.to_string()))
}
