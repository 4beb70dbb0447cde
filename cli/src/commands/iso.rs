//! `spvctl iso …`
use super::{named, request};
use crate::{
    args::Paging,
    ask::anything,
    exit::Result,
    output::{Record, say},
    portal::Portal,
};
use clap::{Args, Subcommand};
use domain::directory::isos::{self, Filter, Input, Iso};

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
    Show(One),
    /// Hide an ISO partner; it cannot sign in
    #[command(after_help = "Examples:\n  spvctl iso archive ines@example.com")]
    Archive(One),
    /// Restore an archived ISO partner
    #[command(after_help = "Examples:\n  spvctl iso restore ines@example.com")]
    Restore(One),
    /// Delete an ISO partner that nothing depends on
    #[command(after_help = "Examples:\n  spvctl iso delete ines@example.com --yes")]
    Delete(One),
}

#[derive(Debug, Args)]
pub struct Create {
    /// Reference or id of the application that this answers: it is approved with it
    #[arg(long, value_name = "REQUEST")]
    request: Option<String>,
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
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
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct One {
    /// Email address or id
    #[arg(value_name = "ISO")]
    iso: String,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let (ctx, out) = (&portal.ctx, &portal.out);
    match verb {
        Verb::Create(args) => create(args, portal).await,
        Verb::List(args) => {
            let company_id = named::company(ctx, args.company.as_deref()).await?;
            let filter = Filter { q: args.q, company_id, archived: args.archived };
            let page = isos::list(ctx, &filter, &args.paging.query()).await?;
            out.page(page.items.iter().map(record).collect(), "ISO partners", page.next_cursor)
        }
        Verb::Show(args) => {
            let iso = isos::find(ctx, &args.iso).await?;
            let depends = isos::depends(ctx, &iso).await?;
            out.one(
                record(&iso)
                    .with("clients", depends.map(|found| found.clients))
                    .with("spvs", depends.map(|found| found.spvs)),
            )
        }
        Verb::Archive(args) => out.one(record(&isos::archive(ctx, isos::find(ctx, &args.iso).await?.id, None).await?)),
        Verb::Restore(args) => out.one(record(&isos::restore(ctx, isos::find(ctx, &args.iso).await?.id, None).await?)),
        Verb::Delete(args) => {
            let iso = isos::find(ctx, &args.iso).await?;
            portal.ask.sure(&format!("Are you sure you want to delete this ISO, {}?", iso.name()))?;
            isos::delete(ctx, iso.id, Some(iso.version)).await?;
            say("ISO deleted.");
            Ok(())
        }
    }
}

async fn create(args: Create, portal: &Portal) -> Result {
    let ask = &portal.ask;
    ask.about(&[
        ("first-name", args.first_name.is_some()),
        ("last-name", args.last_name.is_some()),
        ("email", args.email.is_some()),
        ("company", args.company.is_some()),
    ])?;
    let input = Input {
        first_name: ask.text(args.first_name, "First name", anything)?,
        last_name: ask.text(args.last_name, "Last name", anything)?,
        email: ask.text(args.email, "Email", anything)?,
        phone: args.phone,
        company_id: match named::company(&portal.ctx, args.company.as_deref()).await? {
            Some(company) => Some(company),
            None => Some(named::choose_company(portal).await?),
        },
        request_id: request::id(portal, args.request.as_deref()).await?,
    };
    portal.out.one(record(&isos::create(&portal.ctx, input).await?))
}

fn record(iso: &Iso) -> Record {
    Record::new()
        .more("id", iso.id.to_string())
        .more("user_id", iso.user_id.to_string())
        .with("name", iso.name())
        .with("email", iso.email.clone())
        .with("phone", iso.phone.clone())
        .more("company_id", iso.company_id.to_string())
        .with("company", iso.company_name.clone())
        .more("archived_at", iso.archived_at.map(|at| at.to_rfc3339()))
        .more("created_at", iso.created_at.to_rfc3339())
        .more("version", iso.version)
}
