//! `spvctl commission …`
use super::lookup;
use crate::{
    args::{Paging, parse_name, parse_sort},
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, counted, info},
};
use chrono::NaiveDate;
use clap::{Args, Subcommand};
use domain::{
    kernel::{
        error::Error,
        money::{self, Currency},
        page::Order,
    },
    orders::commissions::{self, Commission, CommissionSort, Filter, PayoutPreview, Period, RunDetail, Status},
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what partners earned, newest first
    #[command(
        after_help = "Examples:\n  spvctl commission list --status pending\n  spvctl commission list --iso iso@example.com --from 2026-11-01 --to 2026-11-30 --format csv"
    )]
    List(List),
    /// Approve commissions for the next payout run
    #[command(
        after_help = "Examples:\n  spvctl commission approve 6f0d2f4e-1b8a-4c58-9a30-0c1d2e3f4a5b\n  spvctl commission approve --all --iso iso@example.com"
    )]
    Approve(Approve),
    /// Open a payout run of everything approved, or record one as paid
    #[command(
        after_help = "Examples:\n  spvctl commission pay\n  spvctl commission pay PAY-2026-001 --paid-date 2026-11-20"
    )]
    Pay(Pay),
    /// Print the file for the bank: CSV, or SEPA credit transfers (pain.001) of the euros
    #[command(
        after_help = "Examples:\n  spvctl commission bank PAY-2026-001 > payouts.csv\n  spvctl commission bank PAY-2026-001 --sepa > payouts.xml"
    )]
    Bank(BankFile),
    /// Show what a partner earned between two days
    #[command(
        after_help = "Examples:\n  spvctl commission statement --iso iso@example.com\n  spvctl commission statement --iso iso@example.com --period last_month --format json"
    )]
    Statement(Statement),
}

#[derive(Debug, Args)]
pub struct List {
    /// pending, approved, paid or void
    #[arg(long, value_parser = parse_name::<Status>)]
    status: Option<Status>,
    /// Email address, name or id of the partner
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// Identifier, order number or id
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    /// First day on which it was earned
    #[arg(long, value_name = "YYYY-MM-DD")]
    from: Option<NaiveDate>,
    /// Last day on which it was earned
    #[arg(long, value_name = "YYYY-MM-DD")]
    to: Option<NaiveDate>,
    /// earned_date or amount; -amount for descending [default: -earned_date]
    #[arg(long, value_name = "ORDER", allow_hyphen_values = true, value_parser = parse_sort::<CommissionSort>)]
    sort: Option<Order<CommissionSort>>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct Approve {
    /// Ids of commissions, or their first characters
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "ID")]
    ids: Vec<String>,
    /// Everything pending whose order is not open
    #[arg(long)]
    all: bool,
    /// With --all: of this partner only
    #[arg(long, value_name = "ISO", requires = "all")]
    iso: Option<String>,
}

#[derive(Debug, Args)]
pub struct Pay {
    /// Name or id of the run whose transfers were made; without it a new run is opened
    run: Option<String>,
    /// [default: the office's today]
    #[arg(long, value_name = "YYYY-MM-DD", requires = "run")]
    paid_date: Option<String>,
}

#[derive(Debug, Args)]
pub struct BankFile {
    /// Name or id of the run
    run: String,
    /// ISO 20022 pain.001 instead of CSV
    #[arg(long)]
    sepa: bool,
}

#[derive(Debug, Args)]
pub struct Statement {
    /// Email address, name or id of the partner; without it of all
    #[arg(long, value_name = "ISO")]
    iso: Option<String>,
    /// this_month, last_month or this_year [default: this_month]
    #[arg(long, value_parser = parse_name::<Period>, conflicts_with_all = ["from", "to"])]
    period: Option<Period>,
    /// First day
    #[arg(long, value_name = "YYYY-MM-DD", requires = "to")]
    from: Option<NaiveDate>,
    /// Last day
    #[arg(long, value_name = "YYYY-MM-DD", requires = "from")]
    to: Option<NaiveDate>,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    match verb {
        Verb::List(args) => list(args, cli).await,
        Verb::Approve(args) => approve(args, cli).await,
        Verb::Pay(args) => pay(args, cli).await,
        Verb::Bank(args) => {
            let run = commissions::find_run(&cli.ctx, &args.run).await?.run;
            let text = if args.sepa {
                commissions::sepa(&cli.ctx, run.id).await?
            } else {
                commissions::bank(&cli.ctx, run.id).await?
            };
            cli.out.raw(text.as_bytes())
        }
        Verb::Statement(args) => statement(args, cli).await,
    }
}

async fn list(args: List, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let spv_id = match &args.spv {
        Some(name) => Some(lookup::spv(ctx, name).await?.spv.id),
        None => None,
    };
    let iso_id = lookup::iso(ctx, args.iso.as_deref()).await?;
    let filter = Filter {
        iso_id,
        spv_id,
        status: args.status,
        from: args.from,
        to: args.to,
        order: args.sort.unwrap_or_default(),
        ..Filter::default()
    };
    let page = args.paging.read(async |query| commissions::list(ctx, &filter, &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "commissions", page.next_cursor)
}

async fn approve(args: Approve, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let nothing = || Failure::Refused("nothing is pending that could be approved".to_owned());
    let rows = if args.all {
        let pending = commissions::pending(ctx, lookup::iso(ctx, args.iso.as_deref()).await?).await?;
        if !pending.reopened.is_empty() {
            let reopened = counted(pending.reopened.len(), "commission");
            info(&format!("Left out: {reopened} of reopened orders."));
        }
        if pending.approvable.is_empty() {
            return Err(nothing());
        }
        pending.approvable
    } else {
        let mut ids = BTreeSet::new();
        for id in &args.ids {
            ids.insert(lookup::commission(ctx, id).await?);
        }
        let mut rows = Vec::new();
        for id in ids {
            rows.push(commissions::get(ctx, id).await?);
        }
        rows
    };
    // A row that is not pending is refused by `commissions::approve`, without a question before.
    if rows.iter().all(|row| row.status == Status::Pending) {
        let sums = amounts(rows.iter().map(|row| (row.currency, row.amount_minor)));
        let rows = counted(rows.len(), "commission");
        cli.prompt.confirm_on_terminal(&format!("Approve {rows}, {sums}, for the next payout run?"))?;
    }
    let approved = if args.all {
        commissions::approve_all(ctx, &rows).await?
    } else {
        commissions::approve(ctx, &rows.iter().map(|row| row.id).collect::<Vec<_>>()).await?
    };
    if approved.is_empty() {
        return Err(nothing());
    }
    cli.out.list(approved.iter().map(record).collect(), "commissions")
}

async fn pay(args: Pay, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let detail = match &args.run {
        None => {
            let due = commissions::preview(ctx).await?;
            if due.is_empty() {
                return Err(Error::conflict("nothing_approved").into());
            }
            cli.prompt.confirm(&format!("Open a payout run for {}?", summary(&due)))?;
            commissions::open(ctx).await?
        }
        Some(name) => {
            let found = commissions::find_run(ctx, name).await?;
            let (run, payouts) = (found.run, counted(found.payouts.len(), "transfer"));
            let sums = amounts(found.payouts.iter().map(|payout| (payout.currency, payout.amount_minor)));
            let made = format!("Record the {payouts} of {}, {sums}, as made?", run.name());
            cli.prompt.confirm(&format!("{made} The partners are notified."))?;
            commissions::pay(ctx, run.id, None, args.paid_date.as_deref()).await?
        }
    };
    cli.out.one(run_record(&detail))
}

/// What a payout run would transfer: `2 partners, USD 20987.50 (Priya Raman USD 2650.00, …)`.
fn summary(payouts: &[PayoutPreview]) -> String {
    let partners: BTreeSet<_> = payouts.iter().map(|payout| payout.iso_id).collect();
    let sums = amounts(payouts.iter().map(|payout| (payout.currency, payout.amount_minor)));
    let each = payouts.iter().map(|payout| {
        format!("{} {} {}", payout.iso_name(), payout.currency.code(), payout.currency.format(payout.amount_minor))
    });
    format!("{}, {sums} ({})", counted(partners.len(), "partner"), each.collect::<Vec<_>>().join(", "))
}

/// The sums by currency: `USD 1250.00, JPY 5000`.
fn amounts(rows: impl Iterator<Item = (Currency, i64)>) -> String {
    let mut sums = BTreeMap::new();
    for (currency, minor) in rows {
        sums.entry(currency.code()).or_insert((currency, 0)).1 += minor;
    }
    let each = sums.values().map(|(currency, minor)| format!("{} {}", currency.code(), currency.format(*minor)));
    each.collect::<Vec<_>>().join(", ")
}

async fn statement(args: Statement, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let iso = lookup::iso(ctx, args.iso.as_deref()).await?;
    let (from, to) = match args.from.zip(args.to) {
        Some(days) => days,
        None => commissions::days(ctx, iso, args.period.unwrap_or_default()).await?,
    };
    let found = commissions::statement(ctx, iso, from, to).await?;
    let sums = found.sums.iter().map(|sums| {
        let amount = |minor| sums.currency.format(minor);
        Record::new()
            .with("currency", sums.currency.code())
            .with("total", amount(sums.total_minor()))
            .with("pending", amount(sums.pending_minor))
            .with("approved", amount(sums.approved_minor))
            .with("paid", amount(sums.paid_minor))
    });
    cli.out.one(
        Record::new()
            .with("iso", found.iso.as_ref().map(domain::directory::isos::Iso::name))
            .hidden_in_table("iso_id", found.iso.map(|iso| iso.id.to_string()))
            .with("from", from.to_string())
            .with("to", to.to_string())
            .nested("sums", sums.collect())
            .nested("commissions", found.rows.iter().map(record).collect()),
    )
}

fn record(row: &Commission) -> Record {
    Record::new()
        .with("id", row.id.to_string())
        .with_room("earned_date", row.earned_date.to_string())
        .with("iso", row.iso_name())
        .hidden_in_table("iso_id", row.iso_id.to_string())
        .with("spv", row.spv_identifier())
        .hidden_in_table("client", row.client_name())
        .hidden_in_table("kind", row.kind.name())
        .hidden_in_table("rule", row.rule.name())
        .hidden_in_table("rate", row.rate.map(money::format_percent))
        .hidden_in_table("base", row.base_minor.map(|minor| row.currency.format(minor)))
        .with("currency", row.currency.code())
        .with("amount", row.currency.format(row.amount_minor))
        .with("status", row.status.name())
        .with_room("run", row.run())
        .hidden_in_table("paid_date", row.paid_date.map(|date| date.to_string()))
        .hidden_in_table("reason", row.reason.clone())
}

fn run_record(detail: &RunDetail) -> Record {
    let payouts = detail.payouts.iter().map(|payout| {
        Record::new()
            .with("iso", payout.iso_name())
            .with("email", payout.iso_email.clone())
            .with("company", payout.company_name.clone())
            .with("currency", payout.currency.code())
            .with("amount", payout.currency.format(payout.amount_minor))
            .with("entries", payout.entries)
    });
    Record::new()
        .hidden_in_table("id", detail.run.id.to_string())
        .with("run", detail.run.name())
        .with("status", detail.run.status.name())
        .with("created_by", detail.run.created_by.clone())
        .with("paid_date", detail.run.paid_date.map(|date| date.to_string()))
        .hidden_in_table("awaits_approval", detail.awaits_approval)
        .nested("payouts", payouts.collect())
}
