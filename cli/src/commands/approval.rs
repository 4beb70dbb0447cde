//! `spvctl approval …`
use crate::{
    args::{Paging, parse_name},
    context::CliContext,
    exit::{Failure, LANGUAGE, Result},
    output::Record,
};
use clap::{Args, Subcommand};
use domain::{
    kernel::{i18n, ids::ApprovalId},
    platform::approvals::{self, Approval, Request, Status},
};
use serde_json::Map;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List acts that wait or waited for a second super admin, newest first
    #[command(after_help = "Examples:\n  spvctl approval list\n  spvctl approval list --status pending")]
    List(List),
    /// Show what was asked for
    #[command(after_help = "Examples:\n  spvctl approval show 6f1c2d3e-1b8a-4c58-9a30-0c1d2e3f4a5b")]
    Show(Show),
}

#[derive(Debug, Args)]
pub struct List {
    /// pending, approved, declined, withdrawn or expired
    #[arg(long, value_name = "STATUS", value_parser = parse_name::<Status>)]
    status: Option<Status>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct Show {
    /// Id, as the list prints it
    id: ApprovalId,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    match verb {
        Verb::List(args) => {
            let page = args.paging.read(async |query| approvals::list(ctx, args.status, &query).await).await?;
            cli.out.page(page.items.iter().map(record).collect(), "approvals", page.next_cursor)
        }
        Verb::Show(Show { id }) => {
            let approval = approvals::get(ctx, id).await?;
            let details = details(&approval.request().map_err(Failure::from)?);
            cli.out.one(record(&approval).with("details", details))
        }
    }
}

/// The name of an act in a sentence of the log.
pub fn act_name(act: &str) -> String {
    i18n::text(LANGUAGE, "names", &format!("approval_act.{act}"), &Map::new())
}

fn record(approval: &Approval) -> Record {
    Record::new()
        .with("id", approval.id.to_string())
        .with("requested_at", approval.requested_at.to_rfc3339())
        .with("status", approval.status.name())
        .with("act", approval.act.name())
        .with("subject", approval.subject.clone())
        .with("requester", approval.requester.clone())
        .with("decider", approval.decider.clone())
        .hidden_in_table("target", approval.target.clone())
        .hidden_in_table("expires_at", approval.expires_at.to_rfc3339())
        .hidden_in_table("decided_at", approval.decided_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("reason", approval.reason.clone())
}

/// What was asked for, in one line.
fn details(request: &Request) -> String {
    match request {
        Request::PayRun { paid_date, totals, .. } => {
            let total = |total: &approvals::Total| {
                format!("{} {}", total.currency.code(), total.currency.format(total.amount_minor))
            };
            format!("{} on {paid_date}", totals.iter().map(total).collect::<Vec<_>>().join(", "))
        }
        Request::MakeSuperAdmin { version } | Request::RestoreSuperAdmin { version } => {
            format!("version {version} of the account")
        }
        Request::CreateSuperAdmin(new) => format!("{} <{}>", new.name(), new.email),
        Request::RotateKeys { kid } => format!("replaces {kid}"),
        Request::ChangeFourEyes { to, .. } => {
            let limit = to.payout_currency.zip(to.payout_limit.as_ref());
            let limit =
                limit.map_or_else(|| "none".to_owned(), |(currency, limit)| format!("{} {limit}", currency.code()));
            format!("{}, payout limit: {limit}", if to.is_on() { "on" } else { "off" })
        }
    }
}
