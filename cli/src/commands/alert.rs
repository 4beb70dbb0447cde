//! `spvctl alert …`
use crate::{args::Paging, context::CliContext, exit::Result, output::Record};
use clap::{Args, Subcommand};
use domain::operations::alerts::{self, Alert, Kind};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what needs a super admin, newest first
    #[command(after_help = "Examples:\n  spvctl alert list\n  spvctl alert list --ended --format json")]
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Those that have ended instead
    #[arg(long)]
    ended: bool,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let Verb::List(args) = verb;
    let page = args.paging.read(async |query| alerts::list(&cli.ctx, Some(!args.ended), &query).await).await?;
    cli.out.page(page.items.iter().map(record).collect(), "alerts", page.next_cursor)
}

/// The command or act that ends an alert.
fn remedy(alert: &Alert) -> Option<String> {
    let remedy = match alert.kind.parse().ok()? {
        Kind::SignInStorm => return Some(format!("spvctl security block {}", alert.subject)),
        Kind::MailFailing => "spvctl mail list --status failed; spvctl mail test",
        Kind::DeadJobs => "spvctl job list --status dead; spvctl job retry ID",
        Kind::DiskLow => "free space on the disk of the data folder",
        Kind::ProbeFailing => "spvctl doctor",
        Kind::KeyExpiring => "spvctl key rotate",
        Kind::BackupOld => "spvctl backup create; check that a worker runs",
        Kind::BackupIncomplete => "spvctl backup verify NAME",
        Kind::BackupNotCopied => "spvctl backup copy NAME",
    };
    Some(remedy.to_owned())
}

fn record(alert: &Alert) -> Record {
    Record::new()
        .hidden_in_table("id", alert.id.to_string())
        .with("kind", alert.kind.clone())
        .with("subject", alert.subject.clone())
        .with_room("opened_at", alert.opened_at.to_rfc3339())
        .hidden_in_table("seen_at", alert.seen_at.to_rfc3339())
        .with_room("resolved_at", alert.resolved_at.map(|at| at.to_rfc3339()))
        .with_room("resolved_by", alert.resolved_by.clone())
        .hidden_in_table("data", alert.data.clone())
        .with("remedy", remedy(alert))
}
