//! `spvctl invoice …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::{Failure, Result},
    output::Record,
    prompt::non_empty,
};
use clap::{Args, Subcommand};
use domain::{
    Ctx,
    kernel::{
        ids::{SpvId, UserId},
        money,
        page::Order,
    },
    orders::invoices::{
        self, CreditNote, Detail, Filter, Invoice, InvoiceSort, LineKind, ManualPayment, NewInstallment, NewInvoice,
        NewLine, Status, credit_notes,
    },
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
    /// Issue an invoice over lines, beside those over the order's price
    #[command(
        after_help = "A line is TEXT=PRICE, or TEXT=QUANTITYxPRICE@TAX with a tax rate in percent. Without one it has the office's rate, a filing fee none.\n\nExamples:\n  spvctl invoice create SPV-2026-001 --fee 'Registered agent, one year=150.00'\n  spvctl invoice create SPV-2026-001 --fee 'Hours of counsel=2.5x200@20' --filing-fee 'Franchise tax=300' --discount 'Loyal client=50' --due-date 2026-12-31"
    )]
    Create(Create),
    /// Record money that came in
    #[command(
        after_help = "Examples:\n  spvctl invoice pay 2026-0001 --amount 1250.00\n  spvctl invoice pay 2026-0001 --amount 600 --received-date 2026-11-20 --note 'First half'"
    )]
    Pay(Pay),
    /// Divide what an invoice bills into installments; without any, all is due at once
    #[command(
        after_help = "Examples:\n  spvctl invoice installments 2026-0001 --installment 2026-12-15=500 --installment 2027-01-31=750"
    )]
    Installments(Installments),
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
    /// Email address, name or id
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
    /// Email address, name or id
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Name or id; invoices of its orders
    #[arg(long, value_name = "COMPANY")]
    company: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    /// number, due_date, billed_to or total; -total for descending [default: -number]
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
pub struct Create {
    /// Identifier, order number or id
    spv: String,
    /// A line of our own service; may be repeated
    #[arg(long = "fee", value_name = "LINE")]
    fees: Vec<String>,
    /// A line of an authority's fee; may be repeated
    #[arg(long = "filing-fee", value_name = "LINE")]
    filing_fees: Vec<String>,
    /// A line that lowers the total; may be repeated
    #[arg(long = "discount", value_name = "LINE")]
    discounts: Vec<String>,
    /// [default: the order's]
    #[arg(long)]
    currency: Option<String>,
    /// The prices of the lines include the tax
    #[arg(long)]
    prices_include_tax: bool,
    /// Charge no tax; the office's text says why
    #[arg(long)]
    reverse_charge: bool,
    /// [default: by the office's terms]
    #[arg(long, value_name = "YYYY-MM-DD")]
    due_date: Option<String>,
    /// Payment terms [default: the office's]
    #[arg(long)]
    terms: Option<String>,
    /// A part with its own due date; may be repeated, and adds up to the total
    #[arg(long = "installment", value_name = "YYYY-MM-DD=AMOUNT")]
    installments: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Installments {
    /// Number or id
    invoice: String,
    /// A part with its own due date; may be repeated, and adds up to what the invoice bills
    #[arg(long = "installment", value_name = "YYYY-MM-DD=AMOUNT")]
    installments: Vec<String>,
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
    /// Keep what is beyond the amount due as the client's credit
    #[arg(long)]
    keep_excess: bool,
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
        Verb::Create(args) => create(args, cli).await?,
        Verb::Pay(args) => pay(args, cli).await?,
        Verb::Installments(args) => {
            let parts = args.installments.iter().map(|text| installment(text)).collect::<Result<Vec<_>>>()?;
            let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
            invoices::set_installments(ctx, invoice.id, None, parts).await?
        }
        Verb::Void(args) => void(args, cli).await?,
        Verb::Raise(args) => {
            let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
            invoice.check_raise()?;
            let (name, client) = (invoice.name(), invoice.client_name());
            prompt.confirm(&format!("Raise invoice {name} of {client} again? The client is notified."))?;
            invoices::raise(ctx, invoice.id, None).await?
        }
        Verb::CreditNotes(args) => return list_credit_notes(args, cli).await,
    };
    print(&detail, cli)
}

/// Prints an invoice with its lines, installments, payments and credit notes.
fn print(detail: &Detail, cli: &CliContext) -> Result {
    let currency = detail.invoice.currency;
    let lines = detail.invoice.lines.iter().map(|line| {
        Record::new()
            .with("description", line.description.clone())
            .with("kind", line.kind.name())
            .with("quantity", money::format_thousandths(line.quantity))
            .with("unit_price", currency.format(line.unit_price_minor))
            .with("tax_percent", money::format_percent(line.tax_percent))
            .with("amount", currency.format(line.amount_minor))
    });
    let taxes = detail.invoice.taxes().into_iter().map(|row| {
        Record::new()
            .with("percent", money::format_percent(row.percent))
            .with("net", currency.format(row.net_minor))
            .with("tax", currency.format(row.tax_minor))
    });
    let installments = detail.invoice.installment_states().into_iter().map(|state| {
        Record::new()
            .with("due_date", state.due_date.to_string())
            .with("amount", currency.format(state.amount_minor))
            .with("paid", currency.format(state.paid_minor))
            .with("due", currency.format(state.due_minor()))
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
            .nested("taxes", taxes.collect())
            .nested("installments", installments.collect())
            .nested("payments", payments.collect())
            .nested("credit_notes", credit_notes.collect()),
    )
}

async fn void(args: Void, cli: &CliContext) -> Result<Detail> {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    prompt.missing(&[("reason", args.reason.is_some())])?;
    let invoice = lookup::invoice(ctx, &args.invoice).await?.invoice;
    invoice.check_void()?;
    let reason = prompt.text(args.reason, "Reason", non_empty)?;
    let (name, client) = (invoice.name(), invoice.client_name());
    prompt.confirm(&format!("Void invoice {name} of {client}? The client is notified; it cannot be undone."))?;
    Ok(invoices::void(ctx, invoice.id, None, &reason).await?)
}

async fn create(args: Create, cli: &CliContext) -> Result<Detail> {
    let (ctx, prompt) = (&cli.ctx, &cli.prompt);
    let spv = lookup::spv(ctx, &args.spv).await?.spv;
    let kinds =
        [(LineKind::Fee, args.fees), (LineKind::FilingFee, args.filing_fees), (LineKind::Discount, args.discounts)];
    let mut lines = Vec::new();
    for (kind, of_kind) in kinds {
        for text in of_kind {
            lines.push(line(kind, &text)?);
        }
    }
    let new = NewInvoice {
        spv_id: Some(spv.id),
        currency: args.currency,
        lines,
        prices_include_tax: args.prices_include_tax,
        reverse_charge: args.reverse_charge,
        due_date: args.due_date,
        terms: args.terms,
        installments: args.installments.iter().map(|text| installment(text)).collect::<Result<Vec<_>>>()?,
    };
    let preview = invoices::preview(ctx, new.clone()).await?;
    let summary = format!(
        "Issue an invoice over {} {}, due on {}, for {} of {}? The client is notified.",
        preview.currency.code(),
        preview.currency.format(preview.totals.total_minor),
        preview.due_date,
        spv.identifier(),
        spv.client_name(),
    );
    prompt.confirm(&summary)?;
    Ok(invoices::create(ctx, new).await?)
}

/// A line as `TEXT=PRICE` or `TEXT=QUANTITYxPRICE@TAX`.
fn line(kind: LineKind, text: &str) -> Result<NewLine> {
    let shape = || Failure::Usage(format!("`{text}` is no line; write TEXT=PRICE, or TEXT=QUANTITYxPRICE@TAX"));
    let (description, numbers) = text.rsplit_once('=').ok_or_else(shape)?;
    let (numbers, tax) = match numbers.split_once('@') {
        Some((numbers, tax)) => (numbers, Some(tax.trim_end_matches('%').to_owned())),
        None => (numbers, None),
    };
    let (quantity, price) = match numbers.split_once('x') {
        Some((quantity, price)) => (Some(quantity.to_owned()), price),
        None => (None, numbers),
    };
    Ok(NewLine {
        description: Some(description.to_owned()),
        kind: Some(kind.name().to_owned()),
        quantity,
        unit_price: Some(price.to_owned()),
        tax_percent: tax,
    })
}

/// An installment as `2026-12-15=500`.
fn installment(text: &str) -> Result<NewInstallment> {
    let (date, amount) = text
        .split_once('=')
        .ok_or_else(|| Failure::Usage(format!("`{text}` is no installment; write YYYY-MM-DD=AMOUNT")))?;
    Ok(NewInstallment { due_date: Some(date.to_owned()), amount: Some(amount.to_owned()) })
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
    let typed = ManualPayment {
        amount: Some(amount),
        amount_again: again,
        received_date: args.received_date,
        note: args.note,
        keep_excess: args.keep_excess,
    };
    let summary = format!(
        "Record {} {} as received for invoice {} of {}? The client is notified.",
        currency.code(),
        typed.amount.as_deref().unwrap_or_default(),
        invoice.name(),
        invoice.client_name(),
    );
    invoices::check_payment(ctx, invoice.id, &typed).await?;
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
        .hidden_in_table("tax", note.currency.format(note.tax_minor))
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
    let company_id = lookup::company(ctx, args.company.as_deref()).await?;
    let order = args.sort.unwrap_or_default();
    let filter = Filter { spv_id, client_id, company_id, status: args.status, order, ..Filter::default() };
    let page = args.paging.read(async |query| invoices::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "invoices", page.next_cursor)
}

fn record(invoice: &Invoice) -> Record {
    let amount = |minor: i64| invoice.currency.format(minor);
    Record::new()
        .hidden_in_table("id", invoice.id.to_string())
        .with("number", invoice.name())
        .hidden_in_table("former_number", invoice.former_number.clone())
        .with_room("spv", invoice.spv_identifier())
        .with("client", invoice.client_name())
        .hidden_in_table("client_id", invoice.client_id.to_string())
        .with("status", invoice.status.name())
        .with("currency", invoice.currency.code())
        .hidden_in_table("tax", amount(invoice.tax_minor))
        .with("total", amount(invoice.total_minor))
        .hidden_in_table("credited", amount(invoice.credited_minor))
        .with_room("paid", amount(invoice.paid_minor))
        .with("due", amount(invoice.due_minor()))
        .with_room("issued_date", invoice.issued_date.to_string())
        .with("due_date", invoice.due_date.to_string())
        .hidden_in_table("credit", amount(invoice.credit_minor()))
        .hidden_in_table("manual", invoice.manual)
        .hidden_in_table("tax_note", invoice.tax_note.clone())
        .hidden_in_table("terms", invoice.terms.clone())
        .hidden_in_table("void_reason", invoice.void_reason.clone())
        .hidden_in_table("replaced_by", invoice.replaced_by())
        .hidden_in_table("version", invoice.version)
}
