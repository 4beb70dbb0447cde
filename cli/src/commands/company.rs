//! `spvctl company …`
use super::{lookup, request};
use crate::{
    args::{Paging, parse_sort},
    context::CliContext,
    exit::Result,
    output::{Record, info},
    prompt::non_empty,
};
use clap::{Args, Subcommand};
use domain::{
    directory::companies::{self, Company, CompanySort, Input},
    kernel::page::Order,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create a company
    #[command(
        after_help = "Examples:\n  spvctl company create --name 'Harbor Capital' --business-name 'Harbor Capital LLC'"
    )]
    Create(Create),
    /// List companies by name
    #[command(after_help = "Examples:\n  spvctl company list --q harbor\n  spvctl company list --archived")]
    List(List),
    /// Show one company and what depends on it
    #[command(after_help = "Examples:\n  spvctl company show 'Harbor Capital'")]
    Show(TargetArgs),
    /// Update a company; omitted fields keep their values
    #[command(after_help = "Examples:\n  spvctl company update 'Harbor Capital' --phone '+1 555 0100'")]
    Update(Update),
    /// Hide a company; its members cannot sign in
    #[command(after_help = "Examples:\n  spvctl company archive 'Harbor Capital'")]
    Archive(TargetArgs),
    /// Restore an archived company
    #[command(after_help = "Examples:\n  spvctl company restore 'Harbor Capital'")]
    Restore(TargetArgs),
    /// Delete a company that nothing depends on
    #[command(after_help = "Examples:\n  spvctl company delete 'Harbor Capital' --yes")]
    Delete(TargetArgs),
}

#[derive(Debug, Args)]
pub struct Fields {
    /// Short name, as lists show it
    #[arg(long)]
    name: Option<String>,
    /// Registered name
    #[arg(long, value_name = "NAME")]
    business_name: Option<String>,
    /// Address for mail to the company
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Begins with https://
    #[arg(long, value_name = "LINK")]
    logo_url: Option<String>,
    /// Web domain, like harbor.example
    #[arg(long)]
    domain: Option<String>,
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    fields: Fields,
    /// Reference or id of the application that this answers: approved with it, its sender the first admin
    #[arg(long, value_name = "REQUEST")]
    request: Option<String>,
}

#[derive(Debug, Args)]
pub struct Update {
    /// Name or id
    company: String,
    #[command(flatten)]
    fields: Fields,
}

#[derive(Debug, Args)]
pub struct List {
    /// Words that the names begin with
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Only archived ones
    #[arg(long)]
    archived: bool,
    /// name, -name, created_at or -created_at
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<CompanySort>)]
    sort: Option<Order<CompanySort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Name or id
    #[arg(value_name = "COMPANY")]
    company: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::Create(Create { fields, request }) => {
            let asking = cli
                .prompt
                .missing(&[("name", fields.name.is_some()), ("business-name", fields.business_name.is_some())])?;
            let mut input =
                Input { request_id: request::application_id(cli, request.as_deref()).await?, ..fields.input() };
            if asking {
                input.name = Some(cli.prompt.text(input.name, "Name", non_empty)?);
                input.business_name = Some(cli.prompt.text(input.business_name, "Business name", non_empty)?);
                input.email = cli.prompt.optional(input.email, "Email")?;
                input.phone = cli.prompt.optional(input.phone, "Phone")?;
            }
            out.one(record(&companies::create(ctx, input).await?))
        }
        Verb::List(args) => list(args, cli).await,
        Verb::Show(args) => {
            let company = lookup::company_named(ctx, &args.company).await?;
            let depends = companies::depends(ctx, company.id).await?;
            out.one(
                record(&company)
                    .with("clients", depends.map(|found| found.clients))
                    .with("isos", depends.map(|found| found.isos))
                    .with("spvs", depends.map(|found| found.spvs))
                    .with("users", depends.map(|found| found.users)),
            )
        }
        Verb::Update(args) => {
            let company = lookup::company_named(ctx, &args.company).await?;
            out.one(record(&companies::update(ctx, company.id, None, args.fields.input()).await?))
        }
        Verb::Archive(args) => {
            let company = lookup::company_named(ctx, &args.company).await?;
            cli.prompt.confirm(&format!("Archive the company {}? Its members cannot sign in.", company.name))?;
            out.one(record(&companies::archive(ctx, company.id, None).await?))
        }
        Verb::Restore(args) => {
            let company = lookup::company_named(ctx, &args.company).await?;
            cli.prompt.confirm(&format!("Restore the company {}? Its members can sign in again.", company.name))?;
            out.one(record(&companies::restore(ctx, company.id, None).await?))
        }
        Verb::Delete(args) => {
            let company = lookup::company_named(ctx, &args.company).await?;
            cli.prompt.confirm(&format!("Are you sure you want to delete this company, {}?", company.name))?;
            companies::delete(ctx, company.id, Some(company.version)).await?;
            info("Company deleted.");
            Ok(())
        }
    }
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let filter = companies::Filter {
        q: args.q,
        archived: args.archived,
        order: args.sort.unwrap_or_default(),
        ..Default::default()
    };
    let page = args.paging.read(async |query| companies::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "companies", page.next_cursor)
}

impl Fields {
    fn input(self) -> Input {
        Input {
            name: self.name,
            business_name: self.business_name,
            email: self.email,
            phone: self.phone,
            logo_url: self.logo_url,
            domain: self.domain,
            request_id: None,
        }
    }
}

fn record(company: &Company) -> Record {
    Record::new()
        .hidden_in_table("id", company.id.to_string())
        .with("name", company.name.clone())
        .with("business_name", company.business_name.clone())
        .with_room("email", company.email.clone())
        .with_room("phone", company.phone.clone())
        .hidden_in_table("logo_url", company.logo_url.clone())
        .hidden_in_table("domain", company.domain.clone())
        .hidden_in_table("archived_at", company.archived_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("created_at", company.created_at.to_rfc3339())
        .hidden_in_table("version", company.version)
}
