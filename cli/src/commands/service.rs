//! `spvctl service …`
use super::lookup;
use crate::{
    args::parse_name,
    context::CliContext,
    exit::Result,
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    kernel::geo::Country,
    orders::services::{self, Input, Service},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the price list, by country and name
    #[command(after_help = "Examples:\n  spvctl service list\n  spvctl service list AE")]
    List(List),
    /// Add a service
    #[command(
        after_help = "Examples:\n  spvctl service add US 'Delaware LLC' --price 1250.00 --filing-fee 90.00\n  spvctl service add JP 'Godo Kaisha' --price 250000 --currency JPY"
    )]
    Add(Add),
    /// Change a service; orders keep their amounts
    #[command(
        after_help = "Examples:\n  spvctl service update 'Delaware LLC' --price 1400.00\n  spvctl service update 'Delaware LLC' --active false"
    )]
    Update(Update),
    /// Delete a service; orders and requests keep their amounts
    #[command(after_help = "Examples:\n  spvctl service delete 'Delaware LLC' --yes")]
    Delete(Target),
}

#[derive(Debug, Args)]
pub struct List {
    /// US, AE, JP, SG or TH
    #[arg(value_parser = parse_name::<Country>)]
    country: Option<Country>,
}

#[derive(Debug, Args)]
pub struct Amounts {
    /// [default: the office's]
    #[arg(long)]
    currency: Option<String>,
    /// Our fee, like 1250.00
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// Fee of the authority, which the office passes on
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    filing_fee: Option<String>,
    /// Inactive services are not offered
    #[arg(long, value_name = "true|false")]
    active: Option<bool>,
}

#[derive(Debug, Args)]
pub struct Add {
    /// US, AE, JP, SG or TH
    #[arg(value_parser = parse_name::<Country>)]
    country: Country,
    /// Name, as clients read it
    name: String,
    #[command(flatten)]
    amounts: Amounts,
}

#[derive(Debug, Args)]
pub struct Target {
    /// Name or id
    service: String,
    /// Country of the service, where several have one of this name
    #[arg(long, value_parser = parse_name::<Country>)]
    country: Option<Country>,
}

#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    target: Target,
    /// New name
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    amounts: Amounts,
}

impl Amounts {
    fn input(self) -> Input {
        let Self { currency, price, filing_fee, active } = self;
        Input { currency, price, filing_fee, active, ..Input::default() }
    }
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let found = services::list(ctx, args.country).await?;
            out.list(found.iter().map(record).collect(), "services")
        }
        Verb::Add(Add { country, name, amounts }) => {
            let country = Some(country.code().to_owned());
            out.one(record(&services::create(ctx, Input { country, name: Some(name), ..amounts.input() }).await?))
        }
        Verb::Update(Update { target, name, amounts }) => {
            let service = lookup::service(ctx, &target.service, target.country).await?;
            let input = Input { name, ..amounts.input() };
            out.one(record(&services::update(ctx, service.id, Some(service.version), input).await?))
        }
        Verb::Delete(Target { service, country }) => {
            let service = lookup::service(ctx, &service, country).await?;
            let (name, code) = (&service.name, service.country.code());
            cli.prompt.confirm(&format!("Delete {name} ({code}) from the price list? Orders keep their amounts."))?;
            services::delete(ctx, service.id, Some(service.version)).await?;
            info(&format!("{name} ({code}) is no longer in the price list."));
            Ok(())
        }
    }
}

fn record(service: &Service) -> Record {
    Record::new()
        .hidden_in_table("id", service.id.to_string())
        .with("country", service.country.code())
        .with("name", service.name.clone())
        .with("price", service.currency.format(service.price_minor))
        .with("filing_fee", service.currency.format(service.filing_fee_minor))
        .with("currency", service.currency.code())
        .with("active", service.active)
        .hidden_in_table("version", service.version)
}
