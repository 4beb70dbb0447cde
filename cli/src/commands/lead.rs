//! `spvctl lead …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::Result,
    output::Record,
    prompt::{email, line},
};
use clap::{Args, Subcommand};
use domain::{
    directory::leads::{self, Filter, Input, Lead, LeadSort, Stage},
    kernel::page::Order,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add a lead of an ISO partner
    #[command(
        after_help = "Examples:\n  spvctl lead create --iso iso@example.com --first-name Noor --last-name Haddad --email noor@example.com"
    )]
    Create(Create),
    /// List leads, newest first
    #[command(
        after_help = "Examples:\n  spvctl lead list --stage qualified\n  spvctl lead list --iso iso@example.com --format csv"
    )]
    List(List),
}

#[derive(Debug, Args)]
pub struct Create {
    /// Email address, name or id of the partner
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Email address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// The lead's own company
    #[arg(long, value_name = "NAME")]
    organisation: Option<String>,
    /// What was said or agreed
    #[arg(long)]
    note: Option<String>,
    /// Next step
    #[arg(long, value_name = "TEXT")]
    next_step: Option<String>,
    /// Day of the next step
    #[arg(long, value_name = "YYYY-MM-DD")]
    next_step_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// new, contacted, qualified, won or lost
    #[arg(long, value_parser = parse_name::<Stage>)]
    stage: Option<Stage>,
    /// Email address, name or id of the partner
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Beginnings of words of name, email or company
    #[arg(long)]
    q: Option<String>,
    /// created_at, first_name or next_step_date; -first_name for descending [default: -created_at]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<LeadSort>)]
    sort: Option<Order<LeadSort>>,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    match verb {
        Verb::Create(args) => create(args, cli).await,
        Verb::List(args) => list(args, cli).await,
    }
}

async fn create(args: Create, cli: &CliContext) -> Result {
    let prompt = &cli.prompt;
    prompt.missing(&[
        ("iso", args.iso.is_some()),
        ("first-name", args.first_name.is_some()),
        ("last-name", args.last_name.is_some()),
        ("email", args.email.is_some()),
    ])?;
    let iso = match args.iso {
        Some(name) => lookup::iso_named(&cli.ctx, &name).await?,
        None => lookup::ask(cli, "ISO partner (email)", async |name| lookup::iso_named(&cli.ctx, name).await).await?,
    };
    let input = Input {
        first_name: prompt.text(args.first_name, "First name", line)?,
        last_name: prompt.text(args.last_name, "Last name", line)?,
        email: prompt.text(args.email, "Email", email)?,
        phone: args.phone,
        organisation: args.organisation,
        note: args.note,
        next_step: args.next_step,
        next_step_date: args.next_step_date,
    };
    cli.out.one(record(&leads::create_for(&cli.ctx, iso.id, input).await?))
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let iso_id = lookup::iso(ctx, args.iso.as_deref()).await?;
    let filter =
        Filter { q: args.q, stage: args.stage, iso_id, order: args.sort.unwrap_or_default(), ..Filter::default() };
    let page = args.paging.read(async |query| leads::list(ctx, &filter, &query).await).await?;
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
        .with_room("next_step", lead.next_step.clone())
        .hidden_in_table("next_step_date", lead.next_step_date.map(|date| date.to_string()))
        .with_room("protected_until", lead.protected_until.to_string())
        .hidden_in_table("client_id", lead.client_id.map(|id| id.to_string()))
        .hidden_in_table("spv_id", lead.spv_id.map(|id| id.to_string()))
}
