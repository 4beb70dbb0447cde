//! `spvctl activity …`
use crate::{
    args::Paging,
    exit::{LANGUAGE, Result},
    output::{Record, say},
    portal::Portal,
};
use clap::{Args, Subcommand};
use domain::{
    activity::{self, Activity, Filter},
    catalogue, spvs,
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what happened, newest first
    #[command(after_help = "Examples:\n  spvctl activity list --spv SPV-2026-001")]
    List(List),
    /// Walk the whole log and check that nothing was changed or taken out
    #[command(after_help = "Examples:\n  spvctl activity verify")]
    Verify,
}

#[derive(Debug, Args)]
pub struct List {
    /// Identifier, order number or id of an order
    #[arg(long, value_name = "SPV")]
    spv: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    let (ctx, out) = (&portal.ctx, &portal.out);
    match verb {
        Verb::List(args) => {
            let spv_id = match &args.spv {
                Some(name) => Some(spvs::find(ctx, name).await?.spv.id),
                None => None,
            };
            let page = activity::list(ctx, &Filter { spv_id, ..Filter::default() }, &args.paging.query()).await?;
            out.page(page.items.iter().map(record).collect(), "activity", page.next_cursor)
        }
        Verb::Verify => {
            let rows = activity::verify(ctx).await?;
            say(&format!("The log is whole: {rows} entries."));
            Ok(())
        }
    }
}

fn record(row: &Activity) -> Record {
    let mut params = row.data.clone();
    params.insert("actor".to_owned(), row.actor_name.clone().into());
    params.insert("subject".to_owned(), row.subject_label.clone().into());
    Record::new()
        .with("seq", row.seq)
        .with("at", row.at.to_rfc3339())
        .with("event", catalogue::text(LANGUAGE, "events", &row.action, &params))
        .more("action", row.action.clone())
        .more("actor", row.actor_name.clone())
        .more("actor_kind", row.actor_kind.clone())
        .more("subject_kind", row.subject_kind.clone())
        .more("subject_id", row.subject_id.map(|id| id.to_string()))
        .more("subject", row.subject_label.clone())
        .more("spv_id", row.spv_id.map(|id| id.to_string()))
        .more("data", row.data.clone())
}
