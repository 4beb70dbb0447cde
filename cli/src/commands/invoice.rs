//! `spvctl invoice …`
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
    Ctx,
    kernel::{
        ids::{SpvId, UserId},
        page::Order,
    },
    orders::invoices::{self, CreditNote, Detail, Filter, Invoice, InvoiceSort, ManualPayment, Status, credit_notes},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List invoices, newest number first
    #[command(
        after_help = "Examples:\n  spvctl invoice list --status due\n  spvctl invoice list --client maya@example.com --format csv"
    )]
    List(List),
    /// Show one invoice with its lines and payments
    #[command(after_help = "Examples:\n  spvctl invoice show 2026-0001 --format json")]
    Show(TargetArgs),
    /// Record money that came in
    #[command(
        after_help = "Examples:\n  spvctl invoice pay 2026-0001 --amount 1250.00\n  spvctl invoice pay 2026-0001 --amount 600 --received-date 2026-11-20 --note 'First half'"
    )]
    Pay(Pay),
    /// Take an invoice back for which nothing was paid
    #[command(after_help = "Examples:\n  spvctl invoice void 2026-0001 --reason 'Wrong price'")]
    Void(Void),
    /// Raise a void invoice again under the next number
    #[command(after_help = "Examples:\n  spvctl invoice raise 2026-0001")]
    Raise(TargetArgs),
    /// List credit notes, newest number first
    #[command(
        after_help = "Examples:\n  spvctl invoice credit-notes\n  spvctl invoice credit-notes --client maya@example.com --format csv"
    )]
    CreditNotes(ListCreditNotes),
}

#[derive(Debug, Args)]
pub struct ListCreditNotes {
    /// Number or id
    #[arg(long, value_name = "INVOICE")]
    invoice: Option<String>,
    /// Email address or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct List {
    /// due, part_paid, paid or void
    #[arg(long, value_parser = parse_name::<Status>)]
    status: Option<Status>,
    /// Email address or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    /// -number, number, due_date, billed_to or total; - before it for descending
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<InvoiceSort>)]
    sort: Option<Order<InvoiceSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Number or id
    invoice: String,
}

#[derive(Debug, Args)]
pub struct Pay {
    /// Number or id
    invoice: String,
    /// Amount received, in the invoice's currency
    #[arg(long, allow_hyphen_values = true)]
    amount: Option<String>,
    /// [default: the office's today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    received_date: Option<String>,
    /// For the staff
    #[arg(long)]
    note: Option<String>,
}

#[derive(Debug, Args)]
pub struct Void {
    /// Number or id
    invoice: String,
    /// Why; the client reads it
    #[arg(long)]
    reason: Option<String>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    let detail = match verb {
        Verb::List(args) => return list(args, cli).await,
        Verb::Show(args) => lookup::invoice(ctx, &args.invoice).await?,
        Verb::Pay(args) => pay(args, cli).await?,
        Verb::Void(args) => {
            prompt.missing(&[("reason", args.reason.is_some())])?;
            let reason = prompt.text(args.reason, "Reason", non_empty)?;
            let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
            let (name, client) = (invoice.name(), invoice.client_name());
            prompt
                .confirm(&format!("Void invoice {name} of {client}? The client is notified; it cannot be undone."))?;
            invoices::void(ctx, invoice.id, None, &reason).await?
        }
        Verb::Raise(args) => {
            let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
            let (name, client) = (invoice.name(), invoice.client_name());
            prompt.confirm(&format!("Raise invoice {name} of {client} again? The client is notified."))?;
            invoices::raise(ctx, invoice.id, None).await?
        }
        Verb::CreditNotes(args) => return list_credit_notes(args, cli).await,
    };
    let currency = detail.invoice.currency;
    let lines = detail.invoice.lines.iter().map(|line| {
        Record::new().with("description", line.description.clone()).with("amount", currency.format(line.amount_minor))
    });
    let payments = detail.payments.iter().map(|payment| {
        Record::new()
            .with("received_date", payment.received_date.to_string())
            .with("amount", currency.format(payment.amount_minor))
            .with("way", payment.way.clone())
            .with("note", payment.note.clone())
            .with("recorded_by", payment.recorded_by.clone())
    });
    let credit_notes = detail.credit_notes.iter().map(credit_note);
    cli.out.one(
        record(&detail.invoice)
            .nested("lines", lines.collect())
            .nested("payments", payments.collect())
            .nested("credit_notes", credit_notes.collect()),
    )
}

async fn pay(args: Pay, cli: &CliContext) -> Result<Detail> {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    let asking = prompt.missing(&[("amount", args.amount.is_some())])?;
    let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
    let currency = invoice.currency;
    let question = format!("Amount received ({} of {} are due)", currency.code(), currency.format(invoice.due_minor()));
    let amount = prompt.text(args.amount, &question, |text| currency.parse(text).map(drop))?;
    // On a terminal the amount is entered twice, as in the web app.
    let again = if asking { Some(prompt.text(None, "Confirm the amount", non_empty)?) } else { None };
    let typed =
        ManualPayment { amount: Some(amount), amount_again: again, received_date: args.received_date, note: args.note };
    let summary = format!(
        "Record {} {} as received for invoice {} of {}? The client is notified.",
        currency.code(),
        typed.amount.as_deref().unwrap_or_default(),
        invoice.name(),
        invoice.client_name(),
    );
    prompt.confirm(&summary)?;
    Ok(invoices::pay(ctx, invoice.id, None, typed).await?)
}

async fn list_credit_notes(args: ListCreditNotes, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let invoice_id = match &args.invoice {
        Some(name) => Some(lookup::invoice(ctx, name).await?.invoice.id),
        None => None,
    };
    let filter = credit_notes::Filter {
        invoice_id,
        client_id: client_id(ctx, args.client.as_deref()).await?,
        spv_id: spv_id(ctx, args.spv.as_deref()).await?,
    };
    let page = args.paging.read(async |query| credit_notes::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(credit_note).collect(), "credit notes", page.next_cursor)
}

fn credit_note(note: &CreditNote) -> Record {
    Record::new()
        .hidden_in_table("id", note.id.to_string())
        .with("number", note.name())
        .with("invoice", note.invoice())
        .with_room("spv", note.spv_identifier())
        .with("client", note.client_name())
        .with("currency", note.currency.code())
        .with("amount", note.currency.format(note.amount_minor))
        .with("issued_date", note.issued_date.to_string())
        .hidden_in_table("description", note.description.clone())
}

async fn client_id(ctx: &Ctx, name: Option<&str>) -> Result<Option<UserId>> {
    Ok(match name {
        Some(name) => Some(lookup::client(ctx, name).await?.id),
        None => None,
    })
}

async fn spv_id(ctx: &Ctx, name: Option<&str>) -> Result<Option<SpvId>> {
    Ok(match name {
        Some(name) => Some(lookup::spv(ctx, name).await?.spv.id),
        None => None,
    })
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let client_id = client_id(ctx, args.client.as_deref()).await?;
    let spv_id = spv_id(ctx, args.spv.as_deref()).await?;
    let order = args.sort.unwrap_or_default();
    let filter = Filter { spv_id, client_id, status: args.status, order, ..Filter::default() };
    let page = args.paging.read(async |query| invoices::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "invoices", page.next_cursor)
}

fn record(invoice: &Invoice) -> Record {
    let amount = |minor: i64| invoice.currency.format(minor);
    Record::new()
        .hidden_in_table("id", invoice.id.to_string())
        .with("number", invoice.name())
        .with_room("spv", invoice.spv_identifier())
        .with("client", invoice.client_name())
        .hidden_in_table("client_id", invoice.client_id.to_string())
        .with("status", invoice.status.name())
        .with("currency", invoice.currency.code())
        .with("total", amount(invoice.total_minor))
        .hidden_in_table("credited", amount(invoice.credited_minor))
        .with_room("paid", amount(invoice.paid_minor))
        .with("due", amount(invoice.due_minor()))
        .with_room("issued_date", invoice.issued_date.to_string())
        .with("due_date", invoice.due_date.to_string())
        .hidden_in_table("credit", amount(invoice.credit_minor()))
        .hidden_in_table("void_reason", invoice.void_reason.clone())
        .hidden_in_table("replaced_by", invoice.replaced_by())
        .hidden_in_table("version", invoice.version)
}
