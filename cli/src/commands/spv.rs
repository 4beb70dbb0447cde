//! `spvctl spv …`
use super::{lookup, step};
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, info},
    prompt::non_empty,
};
use clap::{Args, Subcommand};
use domain::{
    kernel::{
        money::{self, Currency},
        page::Order,
    },
    orders::{
        corrections::{self, Consequence},
        invoices::InvoiceChange,
        onboarding,
        services::Service,
        spvs::{self, Detail, Event, Filter, IsoFilter, Spv, SpvSort, Status},
    },
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create a pending order
    #[command(
        after_help = "Examples:\n  spvctl spv create --client maya@example.com --purchase-amount 250000\n  spvctl spv create --client maya@example.com --iso ines@example.com --purchase-amount 250000 --iso-commission-percentage 2.5"
    )]
    Create(Box<Create>),
    /// List orders, newest first
    #[command(
        after_help = "Examples:\n  spvctl spv list --status processing\n  spvctl spv list --iso none --format csv"
    )]
    List(List),
    /// Show one order with its steps
    #[command(after_help = "Examples:\n  spvctl spv show SPV-2026-001\n  spvctl spv show 1b9d6bcd --format json")]
    Show(TargetArgs),
    /// Correct the details of an open order
    #[command(
        after_help = "Examples:\n  spvctl spv update SPV-2026-001 --vehicle-name 'Okeanos Holdings'\n  spvctl spv update SPV-2026-001 --reference ''\n  spvctl spv update SPV-2026-001 --price 1400.00 --yes\n\nWhat is left out stays as it is; '' clears a field. What follows for invoices and commissions is shown first."
    )]
    Update(Box<Update>),
    /// Start processing a pending order
    #[command(after_help = "Examples:\n  spvctl spv start SPV-2026-001")]
    Start(TargetArgs),
    /// Put an open order on hold
    #[command(after_help = "Examples:\n  spvctl spv hold SPV-2026-001 --reason 'Waiting for the bank'")]
    Hold(ReasonArgs),
    /// Take an order off hold
    #[command(after_help = "Examples:\n  spvctl spv resume SPV-2026-001")]
    Resume(TargetArgs),
    /// Cancel an open order
    #[command(after_help = "Examples:\n  spvctl spv cancel SPV-2026-001 --reason 'The client withdrew'")]
    Cancel(ReasonArgs),
    /// Reopen a closed or cancelled order
    #[command(after_help = "Examples:\n  spvctl spv reopen SPV-2026-001 --reason 'A document was wrong'")]
    Reopen(ReasonArgs),
}

#[derive(Debug, Args)]
pub struct Create {
    /// Email address, name or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Name or id [default: the client's]
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id; none without it
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// [default: the office's prefix and the time]
    #[arg(long, value_name = "IDENTIFIER")]
    custom_identifier: Option<String>,
    /// Name of the company to form
    #[arg(long, value_name = "NAME")]
    vehicle_name: Option<String>,
    /// The client's own reference, on invoices
    #[arg(long, value_name = "REFERENCE")]
    reference: Option<String>,
    /// Purchase amount of the vehicle, like 250000.00
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    purchase_amount: Option<String>,
    /// [default: USD]
    #[arg(long)]
    currency: Option<String>,
    /// Our fee, like 1250.00; an invoice is raised over it
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// Fee of the authority, which the office passes on; only with a price
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    filing_fee: Option<String>,
    /// Service of the price list: its price, filing fee and currency where they are not given
    #[arg(long, value_name = "SERVICE")]
    service: Option<String>,
    /// 0 to 100, up to four decimals
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    iso_commission_percentage: Option<String>,
    /// US, UAE, JP, SG or TH [default: US]
    #[arg(long)]
    country: Option<String>,
    /// [default: the office's today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    ordered_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct Update {
    /// Identifier, order number or id
    #[arg(value_name = "SPV")]
    spv: String,
    /// Unique in the company
    #[arg(long, value_name = "IDENTIFIER")]
    custom_identifier: Option<String>,
    /// The client's own reference, on invoices
    #[arg(long, value_name = "REFERENCE")]
    reference: Option<String>,
    /// Name of the company to form
    #[arg(long, value_name = "NAME")]
    vehicle_name: Option<String>,
    /// Purchase amount of the vehicle, like 250000.00; a commission that is a percentage follows it
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    purchase_amount: Option<String>,
    /// The date of the order
    #[arg(long, value_name = "YYYY-MM-DD")]
    ordered_date: Option<String>,
    /// Our fee, like 1250.00; its invoices follow
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// Fee of the authority, which the office passes on; its invoices follow
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    filing_fee: Option<String>,
    /// Only while nothing is paid and no commission settled
    #[arg(long)]
    currency: Option<String>,
    /// Fixed commission of the ISO partner, like 500.00; replaces a percentage
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    commission: Option<String>,
    /// 0 to 100, up to four decimals; replaces a fixed commission
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    iso_commission_percentage: Option<String>,
    /// Email address, name or id; unpaid invoices are raised anew for them
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Name or id; client and ISO partner belong to it
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id, or `none`, which also clears the commission
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// US, UAE, JP, SG or TH; while every step is pending, as the steps are replaced
    #[arg(long)]
    country: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Words that identifiers, names or addresses begin with
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// pending, active, processing, on_hold, closed or cancelled
    #[arg(long, value_parser = parse_name::<Status>)]
    status: Option<Status>,
    /// Leave out closed and cancelled orders
    #[arg(long)]
    open: bool,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id, or `none`
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Email address, name or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// ordered_date, amount or vehicle_name; -amount for descending [default: -ordered_date]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<SpvSort>)]
    sort: Option<Order<SpvSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Identifier, order number or id
    #[arg(value_name = "SPV")]
    spv: String,
}

#[derive(Debug, Args)]
pub struct ReasonArgs {
    /// Identifier, order number or id
    #[arg(value_name = "SPV")]
    spv: String,
    /// Why; the client reads it
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    let reason = |given: Option<String>| -> Result<String> {
        prompt.missing(&[("reason", given.is_some())])?;
        prompt.text(given, "Reason", non_empty)
    };
    let detail = match verb {
        Verb::Create(args) => create(*args, cli).await?,
        Verb::List(args) => return list(args, cli).await,
        Verb::Show(args) => lookup::spv(ctx, &args.spv).await?,
        Verb::Update(args) => update(*args, cli).await?,
        Verb::Start(args) => {
            let spv = lookup::spv(ctx, &args.spv).await?.spv;
            spv.state().after(Event::Start)?;
            prompt.confirm_on_terminal(&question("Start", &spv))?;
            spvs::start(ctx, spv.id, None).await?
        }
        Verb::Resume(args) => {
            let spv = lookup::spv(ctx, &args.spv).await?.spv;
            spv.state().after(Event::Resume)?;
            prompt.confirm_on_terminal(&question("Resume", &spv))?;
            spvs::resume(ctx, spv.id, None).await?
        }
        Verb::Hold(args) => {
            let spv = lookup::spv(ctx, &args.spv).await?.spv;
            spv.state().after(Event::Hold)?;
            let reason = reason(args.reason)?;
            prompt.confirm(&question("Put on hold", &spv))?;
            spvs::hold(ctx, spv.id, None, &reason).await?
        }
        Verb::Cancel(args) => {
            let spv = lookup::spv(ctx, &args.spv).await?.spv;
            spv.state().after(Event::Cancel)?;
            let reason = reason(args.reason)?;
            prompt.confirm(&question("Cancel", &spv))?;
            spvs::cancel(ctx, spv.id, None, &reason).await?
        }
        Verb::Reopen(args) => {
            let spv = lookup::spv(ctx, &args.spv).await?.spv;
            spv.state().after(Event::Reopen)?;
            let reason = reason(args.reason)?;
            prompt.confirm(&question("Reopen", &spv))?;
            spvs::reopen(ctx, spv.id, None, &reason).await?
        }
    };
    show(detail, cli)
}

/// The question before a change of an order's status; the client is notified of the change.
fn question(verb: &str, spv: &Spv) -> String {
    format!(
        "{verb} the order {} of {} ({})? The client is notified.",
        spv.identifier(),
        spv.client_name(),
        spv.status.name()
    )
}

/// Corrects the version that is stored now, after showing what follows from it.
async fn update(args: Update, cli: &CliContext) -> Result<Detail> {
    let spv = lookup::spv(&cli.ctx, &args.spv).await?.spv;
    let client_id = match &args.client {
        Some(name) => Some(lookup::client(&cli.ctx, name).await?.id),
        None => None,
    };
    let iso_id = match args.iso.as_deref() {
        Some("none") => Some(None),
        Some(name) => Some(lookup::iso(&cli.ctx, Some(name)).await?),
        None => None,
    };
    let correction = corrections::Correction {
        custom_identifier: args.custom_identifier,
        reference: args.reference,
        vehicle_name: args.vehicle_name,
        purchase_amount: args.purchase_amount,
        ordered_date: args.ordered_date,
        price: args.price,
        filing_fee: args.filing_fee,
        currency: args.currency,
        commission: args.commission,
        iso_commission_percentage: args.iso_commission_percentage,
        client_id,
        company_id: lookup::company(&cli.ctx, args.company.as_deref()).await?,
        iso_id,
        country: args.country,
    };
    let preview = corrections::preview(&cli.ctx, spv.id, Some(spv.version), correction.clone()).await?;
    if !preview.consequences.is_empty() {
        for consequence in &preview.consequences {
            info(&sentence(consequence));
        }
        let (identifier, client) = (spv.identifier(), spv.client_name());
        cli.prompt.confirm(&format!("Correct the order {identifier} of {client}, with what follows from it?"))?;
    }
    let corrected = corrections::correct(&cli.ctx, spv.id, Some(spv.version), correction).await?;
    Ok(Detail { spv: corrected.spv, steps: corrected.steps })
}

/// A consequence of a correction as a sentence.
fn sentence(consequence: &Consequence) -> String {
    let amount = |currency: &Currency, minor: &i64| format!("{} {}", currency.code(), currency.format(*minor));
    let maybe = |currency: &Currency, minor: &Option<i64>| {
        minor.as_ref().map_or_else(|| "none".to_owned(), |minor| amount(currency, minor))
    };
    match consequence {
        Consequence::Invoice(change) => match change {
            InvoiceChange::Voided { invoice, minor, currency, installments } => {
                let voided = format!("Invoice {invoice} over {} is voided.", amount(currency, minor));
                match installments {
                    0 => voided,
                    1 => format!("{voided} Its installment ends."),
                    count => format!("{voided} Its {count} installments end."),
                }
            }
            InvoiceChange::Raised { invoice, replaces: Some(void), minor, currency } => {
                format!("Invoice {void} is raised anew as {invoice} over {}.", amount(currency, minor))
            }
            InvoiceChange::Raised { invoice, minor, currency, .. } => {
                format!("Invoice {invoice} over {} is raised.", amount(currency, minor))
            }
            InvoiceChange::Further { invoice, minor, currency } => {
                format!("A further invoice {invoice} over the difference of {} is raised.", amount(currency, minor))
            }
            InvoiceChange::Credited { credit_note, invoice, minor, currency } => {
                format!("Credit note {credit_note} lowers invoice {invoice} by {}.", amount(currency, minor))
            }
            InvoiceChange::ClientCredit { minor, currency, .. } => {
                format!("{} of what was paid becomes credit of the client.", amount(currency, minor))
            }
        },
        Consequence::Commission { from, from_currency, to, currency } => {
            format!("The commission changes from {} to {}.", maybe(from_currency, from), maybe(currency, to))
        }
        Consequence::CommissionRow { minor, currency } => {
            format!("A commission of {} is added for the difference.", amount(currency, minor))
        }
        Consequence::Steps { removed, added, .. } => {
            format!("The {removed} steps are replaced by the {added} of the other country.")
        }
    }
}

async fn create(args: Create, cli: &CliContext) -> Result<Detail> {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    prompt.missing(&[("client", args.client.is_some()), ("purchase-amount", args.purchase_amount.is_some())])?;
    let client = match args.client {
        Some(name) => lookup::client(ctx, &name).await?,
        None => lookup::ask(cli, "Client (email)", async |name| lookup::client_named(ctx, name).await).await?,
    };
    let service = chosen_service(cli, args.service.as_deref(), args.country.as_deref()).await?;
    let defaults = Defaults::of(service.as_ref(), args.currency, args.price, args.filing_fee, args.country)?;
    let office = domain::platform::settings::currency(ctx).await?;
    let currency: Currency = defaults.currency.as_deref().and_then(|code| code.parse().ok()).unwrap_or(office);
    let amount = |text: &str| currency.parse(text).map(drop);
    let input = onboarding::OrderInput {
        client_id: Some(client.id),
        company_id: lookup::company(ctx, args.company.as_deref()).await?.or(client.company_id),
        iso_id: lookup::iso(ctx, args.iso.as_deref()).await?,
        custom_identifier: args.custom_identifier,
        vehicle_name: args.vehicle_name,
        reference: args.reference,
        purchase_amount: Some(prompt.text(
            args.purchase_amount,
            &format!("Purchase amount ({})", currency.code()),
            amount,
        )?),
        currency: defaults.currency,
        price: defaults.price,
        filing_fee: defaults.filing_fee,
        iso_commission_percentage: args.iso_commission_percentage,
        country: defaults.country,
        ordered_date: args.ordered_date,
    };
    Ok(onboarding::create_order(ctx, input).await?)
}

/// The service that `--service` names.
pub(super) async fn chosen_service(
    cli: &CliContext,
    name: Option<&str>,
    country: Option<&str>,
) -> Result<Option<Service>> {
    let Some(name) = name else { return Ok(None) };
    Ok(Some(lookup::service(&cli.ctx, name, country.and_then(|country| country.parse().ok())).await?))
}

/// Country and amounts of an order: as given, else those of the chosen service. Its amounts are not taken over into another
/// currency or country.
pub(super) struct Defaults {
    pub currency: Option<String>,
    pub price: Option<String>,
    pub filing_fee: Option<String>,
    pub country: Option<String>,
}

impl Defaults {
    pub fn of(
        service: Option<&Service>,
        currency: Option<String>,
        price: Option<String>,
        filing_fee: Option<String>,
        country: Option<String>,
    ) -> Result<Self> {
        if let Some(service) = service {
            let differs = |given: &Option<String>, own: &str| {
                given.as_ref().is_some_and(|given| !given.trim().eq_ignore_ascii_case(own))
            };
            let (own_currency, own_country) = (service.currency.code(), service.country.code());
            if differs(&currency, own_currency) || differs(&country, own_country) {
                return Err(Failure::Refused(format!(
                    "--service {} is in {own_currency} for {own_country}; leave out --currency and --country, or --service",
                    service.name
                )));
            }
        }
        let amount = |service: &Service, minor| service.currency.format(minor);
        Ok(Self {
            currency: currency.or_else(|| service.map(|service| service.currency.code().to_owned())),
            price: price.or_else(|| service.map(|service| amount(service, service.price_minor))),
            filing_fee: filing_fee.or_else(|| service.map(|service| amount(service, service.filing_fee_minor))),
            country: country.or_else(|| service.map(|service| service.country.code().to_owned())),
        })
    }
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let iso = match args.iso.as_deref() {
        Some("none") => Some(IsoFilter::None),
        name => lookup::iso(ctx, name).await?.map(IsoFilter::One),
    };
    let client_id = match &args.client {
        Some(name) => Some(lookup::client(ctx, name).await?.id),
        None => None,
    };
    let company_id = lookup::company(ctx, args.company.as_deref()).await?;
    let filter = Filter {
        q: args.q,
        status: args.status,
        open: args.open,
        company_id,
        iso,
        client_id,
        order: args.sort.unwrap_or_default(),
        ..Filter::default()
    };
    let page = args.paging.read(async |query| spvs::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "orders", page.next_cursor)
}

/// Prints an order with its steps.
fn show(detail: Detail, cli: &CliContext) -> Result {
    cli.out.one(record(&detail.spv).nested("steps", detail.steps.iter().map(step::record).collect()))
}

pub(super) fn record(spv: &Spv) -> Record {
    let money = |minor: Option<i64>| minor.map(|minor| spv.currency.format(minor));
    Record::new()
        .hidden_in_table("id", spv.id.to_string())
        .with("identifier", spv.identifier())
        .hidden_in_table("order_number", spv.order_number())
        .with_room("vehicle_name", spv.vehicle_name.clone())
        .hidden_in_table("reference", spv.reference.clone())
        .with("client", spv.client_name())
        .hidden_in_table("client_id", spv.client_id.to_string())
        .hidden_in_table("client_email", spv.client_email.clone())
        .with_room("company", spv.company_name.clone())
        .hidden_in_table("company_id", spv.company_id.to_string())
        .with_room("iso", spv.iso_name())
        .hidden_in_table("iso_id", spv.iso_id.map(|id| id.to_string()))
        .with_room("country", spv.country.code())
        .with("amount", money(spv.amount_minor()))
        .with("currency", spv.currency.code())
        .hidden_in_table("price", money(spv.price_minor))
        .hidden_in_table("filing_fee", money(spv.filing_fee_minor))
        .hidden_in_table("commission", money(spv.commission_minor))
        .hidden_in_table("purchase_amount", money(spv.purchase_amount_minor))
        .hidden_in_table("iso_commission_percentage", spv.iso_commission_percentage.map(money::format_percent))
        .hidden_in_table("iso_commission", money(spv.iso_commission_minor))
        .with("status", spv.status.name())
        .hidden_in_table("status_reason", spv.status_reason.clone())
        .with_room("percent", spv.percent())
        .hidden_in_table("current_step", spv.current_step.clone())
        .with_room("ordered_date", spv.ordered_date.to_string())
        .hidden_in_table("closed_at", spv.closed_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("created_at", spv.created_at.to_rfc3339())
        .hidden_in_table("version", spv.version)
}

/// Adds the order to the record of its client.
pub(super) fn with_order(client: Record, spv: &Spv) -> Record {
    client.with("spv_id", spv.id.to_string()).with("identifier", spv.identifier())
}
