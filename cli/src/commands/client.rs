//! `spvctl client …`
use super::{lookup, request, spv, user};
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::Result,
    output::{Record, info},
    prompt::{email, line},
};
use clap::{Args, Subcommand, ValueEnum};
use domain::{
    accounts::users,
    desk::people,
    directory::clients::{self, Change, Client, ClientSort, Filter},
    kernel::{money::Currency, page::Order},
    orders::{
        invoices,
        onboarding::{self, ClientInput, Setup},
        spvs::Country,
    },
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create a client, its account and its first order; asks for missing values
    Create(Box<Create>),
    /// List clients, newest first
    #[command(
        after_help = "Examples:\n  spvctl client list --q ortiz\n  spvctl client list --company 'Harbor Capital' --format csv"
    )]
    List(List),
    /// Show one client
    #[command(after_help = "Examples:\n  spvctl client show maya@example.com")]
    Show(TargetArgs),
    /// Correct a client; omitted fields keep their values
    #[command(
        after_help = "Examples:\n  spvctl client update maya@example.com --phone '+1 555 0100'\n  spvctl client update maya@example.com --iso none"
    )]
    Update(Update),
    /// Email a new link to set a password
    #[command(after_help = "Examples:\n  spvctl client invite maya@example.com")]
    Invite(Invite),
    /// End a client's sessions and keep it from signing in
    #[command(after_help = "Examples:\n  spvctl client suspend maya@example.com")]
    Suspend(TargetArgs),
    /// Let a suspended or archived client in again
    #[command(after_help = "Examples:\n  spvctl client restore maya@example.com")]
    Restore(TargetArgs),
    /// Hide a client; its orders stay
    #[command(after_help = "Examples:\n  spvctl client archive maya@example.com")]
    Archive(TargetArgs),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SetupMode {
    /// An email with a link to set a password
    Quick,
    /// Active immediately, with a welcome email
    Full,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  spvctl client create --setup quick\n  spvctl client create --setup quick --first-name Maya \
                        --last-name Ortiz --email maya@example.com --company 'Harbor Capital' --price 1250.00"
)]
pub struct Create {
    /// Reference or id of the application that this answers: it is approved with it
    #[arg(long, value_name = "REQUEST")]
    request: Option<String>,
    /// How the client gets in
    #[arg(long, value_enum)]
    setup: Option<SetupMode>,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// Address the client signs in with
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Postal address
    #[arg(long)]
    address: Option<String>,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id of the ISO partner; none without it
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Our fee, like 1250.00
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// Fee of the authority, which the office passes on
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    filing_fee: Option<String>,
    /// Service of the price list: its price, filing fee and currency where they are not given
    #[arg(long, value_name = "SERVICE")]
    service: Option<String>,
    /// The ISO partner's commission; required with one
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    commission: Option<String>,
    /// US, UAE, JP, SG or TH [default: US]
    #[arg(long)]
    country: Option<String>,
    /// [default: USD]
    #[arg(long)]
    currency: Option<String>,
    /// [default: the office's today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    ordered_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// Words that names or addresses begin with
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// pending, active, suspended or archived
    #[arg(long, value_parser = parse_name::<users::Status>)]
    status: Option<users::Status>,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// created_at or first_name; -first_name for descending [default: -created_at]
    #[arg(long, alias = "order", value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<ClientSort>)]
    sort: Option<Order<ClientSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Email address, name or id
    #[arg(value_name = "CLIENT")]
    client: String,
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
    /// With the country code, like +1 555 0100
    #[arg(long)]
    phone: Option<String>,
    /// Postal address
    #[arg(long)]
    address: Option<String>,
    /// Name or id
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id, or `none`; existing orders keep theirs
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
}

#[derive(Debug, Args)]
pub struct Invite {
    #[command(flatten)]
    target: TargetArgs,
    /// Print the link instead of emailing it
    #[arg(long)]
    print_link: bool,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::Create(args) => create(*args, cli).await,
        Verb::List(args) => {
            let filter = Filter {
                q: args.q,
                status: args.status,
                company_id: lookup::company(ctx, args.company.as_deref()).await?,
                iso_id: lookup::iso(ctx, args.iso.as_deref()).await?,
                ids: None,
                order: args.sort.unwrap_or_default(),
            };
            let page = args.paging.read(async |query| clients::list(ctx, &filter, &query).await).await?;
            out.page(page.items.iter().map(record).collect(), "clients", page.next_cursor)
        }
        Verb::Update(args) => update(args, cli).await,
        Verb::Show(args) => {
            let client = lookup::client_named(ctx, &args.client).await?;
            let billing = invoices::billing(ctx, Some(client.id)).await?;
            let owed = amounts(billing.owed.iter().map(|owed| (owed.currency, owed.minor)));
            let credit = amounts(billing.credit.iter().map(|credit| (credit.currency, credit.minor)));
            out.one(record(&client).with("owed", owed).with("credit", credit))
        }
        Verb::Invite(args) => {
            let client = lookup::client_named(ctx, &args.target.client).await?;
            if args.print_link {
                return user::print_link(&client.email, cli).await;
            }
            cli.prompt.confirm(&format!("Email {} a link to set a password?", person(&client)))?;
            let client = clients::invite(ctx, client.id).await?;
            info(&format!("An email to {} is on its way.", client.email));
            out.one(record(&client))
        }
        Verb::Suspend(args) => {
            let client = lookup::client_named(ctx, &args.client).await?;
            cli.prompt.confirm(&format!("Suspend {}? The client cannot sign in until restored.", person(&client)))?;
            out.one(record(&clients::suspend(ctx, client.id, None).await?))
        }
        Verb::Restore(args) => {
            let client = lookup::client_named(ctx, &args.client).await?;
            cli.prompt.confirm(&format!("Restore {}? The client can sign in again.", person(&client)))?;
            out.one(record(&clients::restore(ctx, client.id, None).await?))
        }
        Verb::Archive(args) => {
            let client = lookup::client_named(ctx, &args.client).await?;
            let question =
                format!("Archive {}? The client is hidden and cannot sign in; its orders stay.", person(&client));
            cli.prompt.confirm(&question)?;
            out.one(record(&clients::archive(ctx, client.id, None).await?))
        }
    }
}

async fn create(args: Create, cli: &CliContext) -> Result {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    let asking = prompt.missing(&[
        ("setup", args.setup.is_some()),
        ("first-name", args.first_name.is_some()),
        ("last-name", args.last_name.is_some()),
        ("email", args.email.is_some()),
        ("company", args.company.is_some()),
        ("price", args.price.is_some() || args.service.is_some()),
        ("commission", args.commission.is_some() || args.iso.is_none()),
    ])?;
    let setup = args.setup.map_or_else(|| choose_setup(cli), Ok)?;
    let service = spv::chosen_service(cli, args.service.as_deref(), args.country.as_deref()).await?;
    let defaults = spv::Defaults::of(service.as_ref(), args.currency, args.price, args.filing_fee, args.country)?;
    let mut input = ClientInput {
        first_name: prompt.text(args.first_name, "First name", line)?,
        last_name: prompt.text(args.last_name, "Last name", line)?,
        email: prompt.text(args.email, "Email", email)?,
        phone: args.phone,
        address: args.address,
        company_id: lookup::company(ctx, args.company.as_deref()).await?,
        iso_id: lookup::iso(ctx, args.iso.as_deref()).await?,
        country: defaults.country,
        currency: defaults.currency,
        filing_fee: defaults.filing_fee,
        ordered_date: args.ordered_date,
        request_id: request::application_id(cli, args.request.as_deref()).await?,
        ..ClientInput::default()
    };
    if asking {
        ask_optional_fields(&mut input, setup, cli).await?;
    }
    let office = domain::platform::settings::currency(ctx).await?;
    let currency: Currency = input.currency.as_deref().and_then(|code| code.parse().ok()).unwrap_or(office);
    let amount = |text: &str| currency.parse(text).map(drop);
    input.price = Some(prompt.text(defaults.price, &format!("Price ({})", currency.code()), amount)?);
    input.commission = match (args.commission, input.iso_id) {
        (None, None) => None,
        (given, _) => Some(prompt.text(given, &format!("Commission ({})", currency.code()), amount)?),
    };
    let setup = match setup {
        SetupMode::Quick => Setup::Quick,
        SetupMode::Full => Setup::Full,
    };
    let (name, price) =
        (format!("{} {}", input.first_name, input.last_name), input.price.as_deref().unwrap_or_default());
    let summary =
        format!("Create the client {name} with an order of {} {price}, and email {}?", currency.code(), input.email);
    prompt.confirm_on_terminal(&summary)?;
    let made = onboarding::create_client(ctx, setup, input).await?;
    info(match setup {
        Setup::Quick => "Client has been created and notified via email.",
        Setup::Full => "Client account is ready and welcome email sent.",
    });
    cli.out.one(spv::with_order(record(&made.client), &made.spv))
}

fn choose_setup(cli: &CliContext) -> Result<SetupMode> {
    Ok(match cli.prompt.select("Setup", &["Quick Setup (Email)".to_owned(), "Full Setup".to_owned()])? {
        0 => SetupMode::Quick,
        _ => SetupMode::Full,
    })
}

/// Asks for what a flag may leave out: phone and address, company, ISO partner and country.
async fn ask_optional_fields(input: &mut ClientInput, setup: SetupMode, cli: &CliContext) -> Result {
    if matches!(setup, SetupMode::Full) {
        input.phone = cli.prompt.optional(input.phone.take(), "Phone")?;
        input.address = cli.prompt.optional(input.address.take(), "Address")?;
    }
    let company = match input.company_id {
        Some(company) => company,
        None => lookup::choose_company(cli).await?,
    };
    input.company_id = Some(company);
    if input.iso_id.is_none() {
        input.iso_id = lookup::choose_iso(cli, company).await?;
    }
    if input.country.is_none() {
        // The names that `--country` takes.
        let names = Country::ALL.map(|country| if country.code() == "AE" { "UAE" } else { country.code() }.to_owned());
        input.country = Some(names[cli.prompt.select("Country", &names)?].clone());
    }
    Ok(())
}

async fn update(args: Update, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let client = lookup::client_named(ctx, &args.target.client).await?;
    let change = Change {
        first_name: args.first_name,
        last_name: args.last_name,
        phone: args.phone,
        address: args.address,
        company_id: lookup::company(ctx, args.company.as_deref()).await?,
        iso_id: match args.iso.as_deref() {
            Some("none") => Some(None),
            name => lookup::iso(ctx, name).await?.map(Some),
        },
    };
    cli.out.one(record(&people::update_client(ctx, client.id, None, change).await?))
}

fn person(client: &Client) -> String {
    format!("{} <{}>", client.name(), client.email)
}

/// Amounts by currency, which are never added up; none for an empty list.
fn amounts(sums: impl Iterator<Item = (Currency, i64)>) -> Option<String> {
    let shown: Vec<String> =
        sums.map(|(currency, minor)| format!("{} {}", currency.format(minor), currency.code())).collect();
    (!shown.is_empty()).then(|| shown.join(" + "))
}

fn record(client: &Client) -> Record {
    let iso = client
        .iso_first_name
        .as_ref()
        .zip(client.iso_last_name.as_ref())
        .map(|(first, last)| format!("{first} {last}"));
    Record::new()
        .hidden_in_table("id", client.id.to_string())
        .with("name", client.name())
        .with("email", client.email.clone())
        .with_room("phone", client.phone.clone())
        .hidden_in_table("address", client.address.clone())
        .hidden_in_table("company_id", client.company_id.map(|id| id.to_string()))
        .with("company", client.company_name.clone())
        .hidden_in_table("iso_id", client.iso_id.map(|id| id.to_string()))
        .with_room("iso", iso)
        .with("status", client.status.name())
        .hidden_in_table("created_at", client.created_at.to_rfc3339())
        .hidden_in_table("version", client.version)
}
