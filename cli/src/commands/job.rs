//! `spvctl job …`
use crate::{
    args::Paging,
    context::CliContext,
    exit::{Failure, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::{
    Error,
    platform::queue::{self, JobRow},
};

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List jobs, newest first
    #[command(after_help = "Examples:\n  spvctl job list\n  spvctl job list --status dead")]
    List(List),
    /// Show one job
    #[command(after_help = "Examples:\n  spvctl job show 01JD…")]
    Show(TargetArgs),
    /// Run a dead or waiting job again, now
    #[command(after_help = "Examples:\n  spvctl job retry 01JD…")]
    Retry(TargetArgs),
    /// Queue a job by name
    #[command(after_help = "Examples:\n  spvctl job run portal.clean_up")]
    Run(Run),
    /// Count jobs by status
    #[command(after_help = "Examples:\n  spvctl job stats --format json")]
    Stats,
}

#[derive(Debug, Args)]
pub struct List {
    /// pending, queued, running, done, failed or dead
    #[arg(long)]
    status: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    id: String,
}

#[derive(Debug, Args)]
pub struct Run {
    /// portal.clean_up, portal.backup, steps.remind_overdue, seed.test_data, …: a wrong name is answered with all
    name: String,
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let page = queue::list(ctx, args.status.as_deref(), &args.paging.query()).await?;
            out.page(page.items.iter().map(record).collect(), "jobs", page.next_cursor)
        }
        Verb::Show(args) => out.one(record(&queue::get(ctx, &args.id).await?)),
        Verb::Retry(args) => out.one(record(&queue::retry(ctx, &args.id).await?)),
        Verb::Run(args) => {
            let registry = jobs::registry(jobs::State::new(ctx.clone(), cli.mailer()?));
            match registry.enqueue_manual(ctx, &args.name).await {
                Err(Error::NotFound(_)) => {
                    let names = registry.manual_names().join(", ");
                    Err(Failure::Refused(format!("no job `{}` can be run by name; there are {names}", args.name)))
                }
                other => {
                    other?;
                    info("The job is queued; a running worker does it.");
                    Ok(())
                }
            }
        }
        Verb::Stats => {
            let mut records: Vec<Record> = queue::stats(ctx)
                .await?
                .into_iter()
                .map(|(status, count)| Record::new().with("status", status.name()).with("count", count))
                .collect();
            records.push(Record::new().with("status", "workers").with("count", queue::live_workers(ctx).await?));
            out.list(records, "jobs")
        }
    }
}

fn record(job: &JobRow) -> Record {
    Record::new()
        .with("id", job.id.clone())
        .with("job", job.job.clone())
        .with("status", job.status.name())
        .with("attempts", job.attempts)
        .hidden_in_table("max_attempts", job.max_attempts)
        .with("run_at", job.run_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("done_at", job.done_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("payload", job.payload.clone())
        .hidden_in_table("last_result", job.last_result.clone())
}
