//! `spvctl iso …`
use super::{lookup, request};
use crate::{
    args::{Paging, parse_sort},
    context::CliContext,
    exit::Result,
    output::{Record, info},
    prompt::{email, line, non_empty},
};
use clap::{Args, Subcommand};
use domain::{
    directory::isos::{self, Change, Filter, Input, Iso, IsoSort, PayoutAccount},
    kernel::page::Order,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create an ISO partner and its account; emails a link to set a password
    #[command(
        after_help = "Examples:\n  spvctl iso create --first-name Ines --last-name Vega --email ines@example.com --company 'Harbor Capital'"
    )]
    Create(Create),
    /// List ISO partners by name
    #[command(after_help = "Examples:\n  spvctl iso list --company 'Harbor Capital'")]
    List(List),
    /// Show one ISO partner and what depends on it
    #[command(after_help = "Examples:\n  spvctl iso show ines@example.com")]
    Show(TargetArgs),
    /// Correct an ISO partner and its account; omitted fields keep their values
    #[command(
        after_help = "Examples:\n  spvctl iso update ines@example.com --last-name Vega\n  spvctl iso update ines@example.com --phone ''"
    )]
    Update(Update),
    /// Show a partner's bank account for payouts, masked
    #[command(after_help = "Examples:\n  spvctl iso account ines@example.com")]
    Account(TargetArgs),
    /// Confirm a partner's bank account, so that the bank's file has it
    #[command(
        after_help = "The number is the one that the partner gave by another way, such as by phone.\n\nExamples:\n  spvctl iso confirm-account ines@example.com --number 'DE89 3704 0044 0532 0130 00'"
    )]
    ConfirmAccount(ConfirmAccount),
    /// Hide an ISO partner; it cannot sign in
    #[command(after_help = "Examples:\n  spvctl iso archive ines@example.com")]
    Archive(TargetArgs),
    /// Restore an archived ISO partner
    #[command(after_help = "Examples:\n  spvctl iso restore ines@example.com")]
    Restore(TargetArgs),
    /// Delete an ISO partner that nothing depends on
    #[command(after_help = "Examples:\n  spvctl iso delete ines@example.com --yes")]
    Delete(TargetArgs),
}

#[derive(Debug, Args)]
pub struct ConfirmAccount {
    #[command(flatten)]
    target: TargetArgs,
    /// IBAN or account number in full
    #[arg(long)]
    number: Option<String>,
}

#[derive(Debug, Args)]
pub struct Create {
    /// Reference or id of the application that this answers: it is approved with it
    #[arg(long, value_name = "REQUEST")]
    request: Option<String>,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Address the partner signs in with
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Words that names or addresses begin with
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Only archived ones
    #[arg(long)]
    archived: bool,
    /// first_name, -first_name, created_at or -created_at
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<IsoSort>)]
    sort: Option<Order<IsoSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Email address, name or id
    #[arg(value_name = "ISO")]
    iso: String,
}

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    target: TargetArgs,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Empty for none
    #[arg(long)]
    phone: Option<String>,
    /// Name or id; another one only while it has no clients, leads and orders
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::Create(args) => create(args, cli).await,
        Verb::List(args) => {
            let company_id = lookup::company(ctx, args.company.as_deref()).await?;
            let filter = Filter {
                q: args.q,
                company_id,
                archived: args.archived,
                order: args.sort.unwrap_or_default(),
                ..Filter::default()
            };
            let page = args.paging.read(async |query| isos::list(ctx, &filter, &query).await).await?;
            out.page(page.items.iter().map(record).collect(), "ISO partners", page.next_cursor)
        }
        Verb::Show(args) => {
            let iso = lookup::iso_named(ctx, &args.iso).await?;
            let depends = isos::depends(ctx, &iso).await?;
            out.one(
                record(&iso)
                    .with("clients", depends.map(|found| found.clients))
                    .with("spvs", depends.map(|found| found.spvs)),
            )
        }
        Verb::Update(args) => update(args, cli).await,
        Verb::Account(args) => {
            let iso = lookup::iso_named(ctx, &args.iso).await?;
            let account = isos::payout_account(ctx, iso.id).await?;
            out.list(account.iter().map(account_record).collect(), "accounts")
        }
        Verb::ConfirmAccount(args) => confirm_account(args, cli).await,
        Verb::Archive(args) => {
            let iso = lookup::iso_named(ctx, &args.iso).await?;
            cli.prompt.confirm(&format!(
                "Archive the ISO partner {} <{}>? It cannot sign in.",
                iso.name(),
                iso.email
            ))?;
            out.one(record(&isos::archive(ctx, iso.id, None).await?))
        }
        Verb::Restore(args) => {
            let iso = lookup::iso_named(ctx, &args.iso).await?;
            let question = format!("Restore the ISO partner {} <{}>? It can sign in again.", iso.name(), iso.email);
            cli.prompt.confirm(&question)?;
            out.one(record(&isos::restore(ctx, iso.id, None).await?))
        }
        Verb::Delete(args) => {
            let iso = lookup::iso_named(ctx, &args.iso).await?;
            cli.prompt.confirm(&format!("Are you sure you want to delete this ISO, {}?", iso.name()))?;
            isos::delete(ctx, iso.id, Some(iso.version)).await?;
            info("ISO deleted.");
            Ok(())
        }
    }
}

async fn create(args: Create, cli: &CliContext) -> Result {
    let prompt = &cli.prompt;
    prompt.missing(&[
        ("first-name", args.first_name.is_some()),
        ("last-name", args.last_name.is_some()),
        ("email", args.email.is_some()),
        ("company", args.company.is_some()),
    ])?;
    let input = Input {
        first_name: prompt.text(args.first_name, "First name", line)?,
        last_name: prompt.text(args.last_name, "Last name", line)?,
        email: prompt.text(args.email, "Email", email)?,
        phone: args.phone,
        company_id: match lookup::company(&cli.ctx, args.company.as_deref()).await? {
            Some(company) => Some(company),
            None => Some(lookup::choose_company(cli).await?),
        },
        request_id: request::application_id(cli, args.request.as_deref()).await?,
    };
    let summary =
        format!("Create the ISO partner {} {}, and email {}?", input.first_name, input.last_name, input.email);
    prompt.confirm_on_terminal(&summary)?;
    cli.out.one(record(&isos::create(&cli.ctx, input).await?))
}

async fn confirm_account(args: ConfirmAccount, cli: &CliContext) -> Result {
    let iso = lookup::iso_named(&cli.ctx, &args.target.iso).await?;
    cli.prompt.missing(&[("number", args.number.is_some())])?;
    let number = cli.prompt.text(args.number, "IBAN or account number", non_empty)?;
    cli.out.one(account_record(&isos::confirm_payout_account(&cli.ctx, iso.id, None, &number).await?))
}

async fn update(args: Update, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let iso = lookup::iso_named(ctx, &args.target.iso).await?;
    let change = Change {
        first_name: args.first_name,
        last_name: args.last_name,
        phone: args.phone,
        company_id: lookup::company(ctx, args.company.as_deref()).await?,
    };
    cli.out.one(record(&isos::update(ctx, iso.id, None, change).await?))
}

fn account_record(account: &PayoutAccount) -> Record {
    Record::new()
        .with("account_holder", account.account_holder.clone())
        .with("number", account.masked())
        .with("bic", account.bic.clone())
        .with("routing_number", account.routing_number.clone())
        .with("entered_at", account.entered_at.to_rfc3339())
        .with("confirmed_at", account.confirmed_at.map(|at| at.to_rfc3339()))
        .with("confirmed_by", account.confirmed_by.clone())
}

fn record(iso: &Iso) -> Record {
    Record::new()
        .hidden_in_table("id", iso.id.to_string())
        .hidden_in_table("user_id", iso.user_id.to_string())
        .with("name", iso.name())
        .with("email", iso.email.clone())
        .with_room("phone", iso.phone.clone())
        .hidden_in_table("company_id", iso.company_id.to_string())
        .with("company", iso.company_name.clone())
        .hidden_in_table("archived_at", iso.archived_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("created_at", iso.created_at.to_rfc3339())
        .hidden_in_table("version", iso.version)
}
