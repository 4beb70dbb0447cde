//! `spvctl request …`
use crate::{args::Paging, exit::Result, output::Record, portal::Portal};
use clap::{Args, Subcommand};
use domain::requests::{self, Request};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List requests, newest first
    #[command(after_help = "Examples:\n  spvctl request list --limit 20")]
    List(Paging),
    /// Show a request, and the form that came with it
    #[command(after_help = "Examples:\n  spvctl request show REQ-6f1c2d3e")]
    Show(Show),
}

#[derive(Debug, Args)]
pub struct Show {
    /// Reference or id
    request: String,
}

pub async fn run(verb: Verb, portal: &Portal) -> Result {
    match verb {
        Verb::List(paging) => {
            let page = requests::list(&portal.ctx, &paging.query()).await?;
            portal.out.page(page.items.iter().map(record).collect(), "requests", page.next_cursor)
        }
        Verb::Show(args) => {
            let request = match args.request.parse() {
                Ok(id) => requests::get(&portal.ctx, id).await?,
                Err(_) => requests::find(&portal.ctx, &args.request).await?,
            };
            portal.out.one(record(&request))
        }
    }
}

fn record(request: &Request) -> Record {
    let account = request.data.get("account_type").cloned().unwrap_or_default();
    Record::new()
        .more("id", request.id.to_string())
        .with("reference", request.reference())
        .with("created_at", request.created_at.to_rfc3339())
        .with("kind", request.kind.clone())
        .with("account_type", account)
        .with("status", request.status.clone())
        .with("name", request.name.clone())
        .with("email", request.email.clone())
        .with("message", request.message.clone())
        .more("application", request.data.get("application").cloned().unwrap_or_default())
}
