//! `spvctl task …`
use super::lookup;
use crate::{context::CliContext, exit::Result, output::Record};
use clap::{Args, Subcommand};
use domain::desk::tasks::{self, Task};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List what is assigned to a member of the staff, the soonest due first
    #[command(after_help = "Examples:\n  spvctl task list eli@example.com")]
    List(List),
}

#[derive(Debug, Args)]
pub struct List {
    /// Email address, name or id
    user: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let Verb::List(args) = verb;
    let user = lookup::user(&cli.ctx, &args.user).await?;
    let tasks = tasks::of(&cli.ctx, user.id).await?;
    cli.out.list(tasks.iter().map(record).collect(), "tasks")
}

fn record(task: &Task) -> Record {
    Record::new()
        .hidden_in_table("id", task.id.to_string())
        .with("kind", task.kind.name())
        .with("name", task.name.clone())
        .with_room("subject", task.request_subject.clone())
        .with("status", task.status.clone())
        .with("due_date", task.due_date.map(|date| date.to_string()))
        .with("overdue", task.overdue)
        .with("spv", task.identifier())
        .with_room("client", task.client_name.clone())
        .with_room("waiting_on", task.waiting_on.map(|party| party.name()))
}
