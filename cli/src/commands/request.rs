//! `spvctl request …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::Result,
    output::Record,
    prompt::non_empty,
};
use clap::{Args, Subcommand};
use domain::{
    desk::requests::{self, Assignee, Change, Filter, Input, Kind, Priority, Request, RequestSort, Status},
    directory::clients,
    kernel::{ids::RequestId, page::Order},
    orders::onboarding,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List requests, newest first
    #[command(
        after_help = "Examples:\n  spvctl request list --limit 20\n  spvctl request list --kind order --status pending\n  spvctl request list --open --sort due_at --assignee employee@example.com"
    )]
    List(Box<List>),
    /// Show a request, and the form that came with it
    #[command(after_help = "Examples:\n  spvctl request show REQ-6f1c2d3e")]
    Show(TargetArgs),
    /// Record a request for yourself or someone else
    #[command(
        after_help = "Examples:\n  spvctl request create --kind call --name 'Maya Ortiz' --email maya@example.com --message 'Wants to talk about Japan' --priority high"
    )]
    Create(Box<Create>),
    /// Assign a request to a staff member, or unassign it
    #[command(
        after_help = "Examples:\n  spvctl request assign REQ-6f1c2d3e --to employee@example.com\n  spvctl request assign REQ-6f1c2d3e --to none"
    )]
    Assign(Assign),
    /// Say how urgent a request is; its due time follows
    #[command(after_help = "Examples:\n  spvctl request prioritise REQ-6f1c2d3e high")]
    Prioritise(Prioritise),
    /// Take a request into review
    #[command(after_help = "Examples:\n  spvctl request review REQ-6f1c2d3e")]
    Review(TargetArgs),
    /// Approve a request: create the order, invite the employee, or mark it as done
    #[command(
        after_help = "Applications of clients, ISO partners and companies are approved by `spvctl client|iso|company create --request …`.\n\nExamples:\n  spvctl request approve REQ-6f1c2d3e --price 1250.00\n  spvctl request approve REQ-6f1c2d3e --iso none --custom-identifier HARBOR-7\n  spvctl request approve REQ-0a1b2c3d --reply 'The letter is on its way'"
    )]
    Approve(Box<Approve>),
    /// Refuse a request
    #[command(after_help = "Examples:\n  spvctl request reject REQ-6f1c2d3e --reason 'We do not form vehicles there'")]
    Reject(Reject),
    /// Withdraw a request for the requester
    #[command(after_help = "Examples:\n  spvctl request withdraw REQ-6f1c2d3e")]
    Withdraw(TargetArgs),
}

#[derive(Debug, Args)]
pub struct List {
    /// Beginnings of words of reference, name or email address
    #[arg(short, long)]
    q: Option<String>,
    /// order, account, lead, document, support, call or other
    #[arg(long, value_parser = parse_name::<Kind>)]
    kind: Option<Kind>,
    /// pending, in_review, approved, rejected or withdrawn
    #[arg(long, value_parser = parse_name::<Status>)]
    status: Option<Status>,
    /// Only undecided requests
    #[arg(long)]
    open: bool,
    /// high, medium or low
    #[arg(long, value_parser = parse_name::<Priority>)]
    priority: Option<Priority>,
    /// Email address of a staff member, or `none`
    #[arg(long, value_name = "USER")]
    assignee: Option<String>,
    /// created_at, due_at or priority; -priority for descending [default: -created_at]
    #[arg(long, alias = "order", value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<RequestSort>)]
    sort: Option<Order<RequestSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Reference or id
    request: String,
}

#[derive(Debug, Args)]
pub struct Create {
    /// lead, document, support, call or other
    #[arg(long)]
    kind: Option<String>,
    /// Requester
    #[arg(long)]
    name: Option<String>,
    /// Email address of the requester
    #[arg(long)]
    email: Option<String>,
    /// What is asked for
    #[arg(long)]
    message: Option<String>,
    /// high, medium or low [default: medium]
    #[arg(long)]
    priority: Option<String>,
    /// Assignee: email address of a staff member
    #[arg(long, value_name = "USER")]
    assignee: Option<String>,
}

#[derive(Debug, Args)]
pub struct Assign {
    /// Reference or id
    request: String,
    /// Email address, name or id of a staff member, or `none`
    #[arg(long, value_name = "USER")]
    to: String,
}

#[derive(Debug, Args)]
pub struct Prioritise {
    /// Reference or id
    request: String,
    /// high, medium or low
    priority: String,
}

#[derive(Debug, Args)]
pub struct Approve {
    /// Reference or id
    request: String,
    /// Reply to the requester; not with an order
    #[arg(long)]
    reply: Option<String>,
    /// Name or id [default: the client's]
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Email address, name or id, or `none` [default: the client's]
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// [default: the office's prefix and the time]
    #[arg(long, value_name = "IDENTIFIER")]
    custom_identifier: Option<String>,
    /// Company to form [default: the first proposed]
    #[arg(long, value_name = "NAME")]
    vehicle_name: Option<String>,
    /// [default: as asked for]
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    purchase_amount: Option<String>,
    /// Our fee, like 1250.00; an invoice is raised over it
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// Fee of the authority, which the office passes on; only with a price
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    filing_fee: Option<String>,
    /// 0 to 100, up to four decimals
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    iso_commission_percentage: Option<String>,
    /// US, UAE, JP, SG or TH [default: as asked for]
    #[arg(long)]
    country: Option<String>,
    /// [default: the office's today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    ordered_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct Reject {
    /// Reference or id
    request: String,
    /// Reason, shown to the requester
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let request = match verb {
        Verb::List(args) => {
            let assignee = match args.assignee.as_deref() {
                None => None,
                Some("none") => Some(Assignee::Unassigned),
                Some(name) => Some(Assignee::One(lookup::user(ctx, name).await?.id)),
            };
            let filter = Filter {
                q: args.q,
                kind: args.kind,
                status: args.status,
                open: args.open,
                priority: args.priority,
                assignee,
                sender: None,
                order: args.sort.unwrap_or_default(),
                ids: None,
            };
            let page = args.paging.read(async |query| requests::list(ctx, &filter, &query).await).await?;
            return cli.out.page(page.items.iter().map(record).collect(), "requests", page.next_cursor);
        }
        Verb::Show(args) => find(cli, &args.request).await?,
        Verb::Create(args) => create(*args, cli).await?,
        Verb::Assign(args) => {
            let request = find(cli, &args.request).await?;
            let to = match args.to.as_str() {
                "none" => None,
                name => Some(lookup::user(ctx, name).await?.id),
            };
            requests::update(ctx, request.id, None, Change { assignee_id: Some(to), ..Change::default() }).await?
        }
        Verb::Prioritise(args) => {
            let request = find(cli, &args.request).await?;
            let change = Change { priority: Some(args.priority), ..Change::default() };
            requests::update(ctx, request.id, None, change).await?
        }
        Verb::Review(args) => {
            let request = find(cli, &args.request).await?;
            requests::review(ctx, request.id, None).await?
        }
        Verb::Approve(args) => approve(*args, cli).await?,
        Verb::Reject(args) => {
            cli.prompt.missing(&[("reason", args.reason.is_some())])?;
            let reason = cli.prompt.text(args.reason, "Reason", non_empty)?;
            let request = find(cli, &args.request).await?;
            cli.prompt.confirm(&question("Reject", &request))?;
            requests::reject(ctx, request.id, None, &reason).await?
        }
        Verb::Withdraw(args) => {
            let request = find(cli, &args.request).await?;
            cli.prompt.confirm(&format!("Withdraw the request {} of {}?", request.reference(), request.name))?;
            requests::withdraw(ctx, request.id, None).await?
        }
    };
    cli.out.one(record(&request))
}

async fn create(args: Create, cli: &CliContext) -> Result<Request> {
    let given = |value: &Option<String>| value.is_some();
    cli.prompt.missing(&[
        ("kind", given(&args.kind)),
        ("name", given(&args.name)),
        ("email", given(&args.email)),
        ("message", given(&args.message)),
    ])?;
    let assignee_id = match args.assignee.as_deref() {
        Some(name) => Some(lookup::user(&cli.ctx, name).await?.id),
        None => None,
    };
    let input = Input {
        kind: cli.prompt.text(args.kind, "Kind", non_empty)?,
        name: cli.prompt.text(args.name, "Name", non_empty)?,
        email: cli.prompt.text(args.email, "Email", non_empty)?,
        message: cli.prompt.text(args.message, "Message", non_empty)?,
        priority: args.priority,
        assignee_id,
        ..Input::default()
    };
    Ok(requests::create(&cli.ctx, input).await?)
}

/// Id of the application that is approved with a new account.
pub(super) async fn application_id(cli: &CliContext, name: Option<&str>) -> Result<Option<RequestId>> {
    match name {
        Some(name) => Ok(Some(find(cli, name).await?.id)),
        None => Ok(None),
    }
}

async fn find(cli: &CliContext, name: &str) -> Result<Request> {
    lookup::request(&cli.ctx, name).await
}

/// Approves a request. For an order, missing flags default to the request's values and the client's company and ISO partner.
async fn approve(args: Approve, cli: &CliContext) -> Result<Request> {
    let ctx = &cli.ctx;
    let request = find(cli, &args.request).await?;
    cli.prompt.confirm_on_terminal(&question("Approve", &request))?;
    if request.kind != Kind::Order {
        return Ok(requests::approve(ctx, request.id, None, args.reply.as_deref()).await?);
    }
    let order = request.order();
    let client = match request.user_id.filter(|_| order.is_some()) {
        Some(id) => Some(clients::find(ctx, &id.to_string()).await?),
        None => None,
    };
    let iso_id = match args.iso.as_deref() {
        Some("none") => None,
        Some(name) => lookup::iso(ctx, Some(name)).await?,
        None => client.as_ref().and_then(|client| client.iso_id),
    };
    let company_id = lookup::company(ctx, args.company.as_deref()).await?;
    // A price in another currency than the purchase amount, or of another country, is for the staff to agree.
    let is_same_country = |order: &requests::OrderRequest| {
        args.country.as_ref().is_none_or(|country| country.trim().eq_ignore_ascii_case(order.country.code()))
    };
    let service = order
        .as_ref()
        .filter(|order| is_same_country(order))
        .and_then(|order| order.service.as_ref().filter(|service| service.currency == order.currency));
    let asked = |of: fn(&requests::OrderRequest) -> String| order.as_ref().map(of);
    let input = onboarding::OrderInput {
        client_id: None,
        company_id: company_id.or_else(|| client.and_then(|client| client.company_id)),
        iso_id,
        custom_identifier: args.custom_identifier,
        vehicle_name: args.vehicle_name,
        reference: None,
        purchase_amount: args.purchase_amount.or_else(|| asked(|order| order.purchase_amount.clone())),
        currency: asked(|order| order.currency.code().to_owned()),
        price: args.price.or_else(|| service.map(|service| service.price.clone())),
        filing_fee: args.filing_fee.or_else(|| service.map(|service| service.filing_fee.clone())),
        iso_commission_percentage: args.iso_commission_percentage,
        country: args.country.or_else(|| asked(|order| order.country.code().to_owned())),
        ordered_date: args.ordered_date,
    };
    Ok(requests::accept(ctx, request.id, None, input).await?)
}

/// The question before a decision on a request; the sender is notified of the decision.
fn question(verb: &str, request: &Request) -> String {
    format!(
        "{verb} the request {} of {} <{}>? The sender is notified.",
        request.reference(),
        request.name,
        request.email
    )
}

fn record(request: &Request) -> Record {
    let account = request.data.get("account_type").cloned().unwrap_or_default();
    let asked = request.data.get("application").or_else(|| request.data.get("order")).cloned().unwrap_or_default();
    Record::new()
        .hidden_in_table("id", request.id.to_string())
        .with("reference", request.reference())
        .with_room("created_at", request.created_at.to_rfc3339())
        .with("kind", request.kind.name())
        .with_room("account_type", account)
        .with("status", request.status.name())
        .with_room("priority", request.priority.name())
        .with_room("assignee", request.assignee_name.clone())
        .hidden_in_table("due_at", request.due_at.to_rfc3339())
        .with("name", request.name.clone())
        .with("email", request.email.clone())
        .with_room("message", request.message.clone())
        .with_room("spv", request.spv_identifier())
        .hidden_in_table("reason", request.reason.clone())
        .hidden_in_table("decided_at", request.decided_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("decided_by", request.decided_by.clone())
        .hidden_in_table("application", asked)
}
