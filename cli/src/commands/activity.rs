//! `spvctl activity …`
use super::{approval::act_name, lookup};
use crate::{
    args::Paging,
    context::CliContext,
    exit::{LANGUAGE, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    kernel::{
        error::{Error, Problem},
        i18n,
    },
    platform::activity::{self, Activity, Filter, Search},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what happened, newest first
    #[command(
        after_help = "Examples:\n  spvctl activity list --spv SPV-2026-001\n  spvctl activity list --who maya@example.com --from 2026-11-01"
    )]
    List(List),
    /// Verify that no log entry was changed or removed
    #[command(after_help = "Examples:\n  spvctl activity verify")]
    Verify(Verify),
}

#[derive(Debug, Args)]
pub struct List {
    /// Identifier, order number or id of an order
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    /// Name, email address or id of the actor
    #[arg(long, conflicts_with = "spv")]
    who: Option<String>,
    /// An action as spv.started, or a noun as spv
    #[arg(long, conflicts_with = "spv")]
    what: Option<String>,
    /// Address that it came from
    #[arg(long, conflicts_with = "spv")]
    address: Option<String>,
    /// The first day (UTC)
    #[arg(long, value_name = "DATE", conflicts_with = "spv")]
    from: Option<String>,
    /// The last day (UTC)
    #[arg(long, value_name = "DATE", conflicts_with = "spv")]
    to: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct Verify {
    /// Fail unless the log still contains this head from an earlier run
    #[arg(long, value_name = "SEQ:HASH", value_parser = parse_head)]
    expect: Option<(i64, String)>,
}

fn parse_head(text: &str) -> Result<(i64, String), String> {
    let read = text.split_once(':').and_then(|(seq, hash)| Some((seq.parse().ok()?, hash.to_owned())));
    read.ok_or_else(|| "as `activity verify` prints it".to_owned())
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    // Entries written while no server ran are not numbered yet.
    activity::sequence_all(ctx).await?;
    match verb {
        Verb::List(args) => {
            let List { spv, who, what, address, from, to, paging } = args;
            let page = match &spv {
                Some(name) => {
                    let spv_id = Some(lookup::spv(ctx, name).await?.spv.id);
                    let filter = Filter { spv_id, ..Filter::default() };
                    paging.read(async |query| activity::list(ctx, &filter, &query).await).await?
                }
                None => {
                    let wanted = Search { who, what, address, from, to, ..Search::default() };
                    paging.read(async |query| activity::search(ctx, &wanted, &query).await).await?
                }
            };
            out.page(page.items.iter().map(record).collect(), "activity", page.next_cursor)
        }
        Verb::Verify(args) => {
            // Read before the walk, which covers at least this entry.
            let (last, hash) = activity::head(ctx).await?;
            let rows = activity::verify(ctx).await?;
            let expected = match &args.expect {
                Some((seq, hash)) => Some((seq, activity::holds(ctx, *seq, hash).await?)),
                None => None,
            };
            if let Some((seq, Some(false))) = expected {
                return Err(Error::Conflict(Problem::new("activity_broken").with("seq", *seq)).into());
            }
            let entries = if rows == 1 { "entry" } else { "entries" };
            info(&format!("The log is whole: {rows} {entries}. Its head is {last}:{hash}"));
            let waiting = activity::unnumbered(ctx).await?;
            if waiting > 0 {
                let are_not = if waiting == 1 { "has no number yet and is" } else { "have no number yet and are" };
                let entries = if waiting == 1 { "entry" } else { "entries" };
                info(&format!("{waiting} newer {entries} {are_not} not checked. Run it again."));
            }
            if let Some((seq, holds)) = expected {
                let cut_off = || format!("It has been cut off beyond entry {seq}.");
                info(&holds.map_or_else(cut_off, |_| format!("It holds entry {seq} as it was.")));
            }
            Ok(())
        }
    }
}

fn record(row: &Activity) -> Record {
    let mut params = row.data.clone();
    let actor = i18n::actor(LANGUAGE, &row.actor_kind, &row.actor_name);
    params.insert("actor".to_owned(), actor.into());
    params.insert("subject".to_owned(), row.subject_label.clone().into());
    if row.action == "step.updated" && params.get("to").is_some_and(|to| to == "completed") {
        params.insert("context".to_owned(), "completed".into());
    }
    let act = params.get("act").and_then(|act| act.as_str()).map(act_name);
    params.extend(act.map(|act| ("act".to_owned(), act.into())));
    Record::new()
        .with("seq", row.seq)
        .with("at", row.at.to_rfc3339())
        .with_room("actor", row.actor_name.clone())
        .hidden_in_table("address", row.address.clone())
        .with("event", i18n::text(LANGUAGE, "events", &row.action, &params))
        .hidden_in_table("action", row.action.clone())
        .hidden_in_table("actor_kind", row.actor_kind.clone())
        .hidden_in_table("subject_kind", row.subject_kind.clone())
        .hidden_in_table("subject_id", row.subject_id.map(|id| id.to_string()))
        .hidden_in_table("subject", row.subject_label.clone())
        .hidden_in_table("spv_id", row.spv_id.map(|id| id.to_string()))
        .hidden_in_table("data", row.data.clone())
}
