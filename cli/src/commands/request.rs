//! `spvctl request …`
use super::named;
use crate::{args::Paging, ask::anything, exit::Result, output::Record, portal::Portal};
use clap::{Args, Subcommand};
use domain::{
    clients,
    requests::{self, Filter, Request, Status},
    spvs,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List requests, newest first
    #[command(
        after_help = "Examples:\n  spvctl request list --limit 20\n  spvctl request list --kind order --status pending"
    )]
    List(List),
    /// Show a request, and the form that came with it
    #[command(after_help = "Examples:\n  spvctl request show REQ-6f1c2d3e")]
    Show(Show),
    /// Accept the order that a client asks for: make it, pending
    #[command(
        after_help = "Examples:\n  spvctl request approve REQ-6f1c2d3e --price 1250.00\n  spvctl request approve REQ-6f1c2d3e --iso none --custom-identifier HARBOR-7"
    )]
    Approve(Box<Approve>),
    /// Refuse a request
    #[command(after_help = "Examples:\n  spvctl request reject REQ-6f1c2d3e --reason 'We do not form vehicles there'")]
    Reject(Reject),
}

#[derive(Debug, Args)]
pub struct List {
    /// order, account or support
    #[arg(long)]
    kind: Option<String>,
    /// pending, in_review, approved, rejected or withdrawn
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct Show {
    /// Reference or id
    request: String,
}

#[derive(Debug, Args)]
pub struct Approve {
    /// Reference or id
    request: String,
    /// Name or id [default: the client's]
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// E-mail address or id, or `none` [default: the client's]
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// [default: SPV- and the time]
    #[arg(long, value_name = "IDENTIFIER")]
    custom_identifier: Option<String>,
    /// [default: as asked for]
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    purchase_amount: Option<String>,
    /// Our fee, like 1250.00; an invoice is raised over it
    #[arg(long, value_name = "AMOUNT", allow_hyphen_values = true)]
    price: Option<String>,
    /// 0 to 100, up to four decimals
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    iso_commission_percentage: Option<String>,
    /// US, UAE, JP, SG or TH [default: as asked for]
    #[arg(long)]
    country: Option<String>,
    /// [default: today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    ordered_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct Reject {
    /// Reference or id
    request: String,
    /// Why; whoever sent it reads it
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let ctx = &portal.ctx;
    let request = match verb {
        Verb::List(args) => {
            let filter = Filter { kind: args.kind, status: args.status };
            let page = requests::list(ctx, &filter, &args.paging.query()).await?;
            return portal.out.page(page.items.iter().map(record).collect(), "requests", page.next_cursor);
        }
        Verb::Show(args) => find(portal, &args.request).await?,
        Verb::Approve(args) => approve(*args, portal).await?,
        Verb::Reject(args) => {
            portal.ask.about(&[("reason", args.reason.is_some())])?;
            let reason = portal.ask.text(args.reason, "Reason", anything)?;
            let request = find(portal, &args.request).await?;
            requests::reject(ctx, request.id, None, &reason).await?
        }
    };
    portal.out.one(record(&request))
}

async fn find(portal: &Portal, name: &str) -> Result<Request> {
    Ok(match name.parse() {
        Ok(id) => requests::get(&portal.ctx, id).await?,
        Err(_) => requests::find(&portal.ctx, name).await?,
    })
}

/// What is not given is as the client asked for, with the client's company and ISO partner.
async fn approve(args: Approve, portal: &Portal) -> Result<Request> {
    let ctx = &portal.ctx;
    let request = find(portal, &args.request).await?;
    let order = request.order();
    let client = match request.user_id.filter(|_| order.is_some()) {
        Some(id) => Some(clients::find(ctx, &id.to_string()).await?),
        None => None,
    };
    let iso_id = match args.iso.as_deref() {
        Some("none") => None,
        Some(name) => named::iso(ctx, Some(name)).await?,
        None => client.as_ref().and_then(|client| client.iso_id),
    };
    let company_id = named::company(ctx, args.company.as_deref()).await?;
    let asked = |of: fn(&requests::Order) -> String| order.as_ref().map(of);
    let input = spvs::Input {
        client_id: None,
        company_id: company_id.or_else(|| client.and_then(|client| client.company_id)),
        iso_id,
        custom_identifier: args.custom_identifier,
        purchase_amount: args.purchase_amount.or_else(|| asked(|order| order.purchase_amount.clone())),
        currency: asked(|order| order.currency.code().to_owned()),
        price: args.price,
        iso_commission_percentage: args.iso_commission_percentage,
        country: args.country.or_else(|| asked(|order| order.country.code().to_owned())),
        ordered_date: args.ordered_date,
    };
    Ok(requests::accept(ctx, request.id, None, input).await?)
}

fn status(text: &str) -> Result<Status, String> {
    text.parse().map_err(|_| format!("one of {}", Status::ALL.map(Status::name).join(", ")))
}

fn record(request: &Request) -> Record {
    let account = request.data.get("account_type").cloned().unwrap_or_default();
    let asked = request.data.get("application").or_else(|| request.data.get("order")).cloned().unwrap_or_default();
    Record::new()
        .more("id", request.id.to_string())
        .with("reference", request.reference())
        .with("created_at", request.created_at.to_rfc3339())
        .with("kind", request.kind.clone())
        .with("account_type", account)
        .with("status", request.status.name())
        .with("name", request.name.clone())
        .with("email", request.email.clone())
        .with("message", request.message.clone())
        .with("spv", request.spv_identifier())
        .more("reason", request.reason.clone())
        .more("decided_at", request.decided_at.map(|at| at.to_rfc3339()))
        .more("decided_by", request.decided_by.clone())
        .more("application", asked)
}
