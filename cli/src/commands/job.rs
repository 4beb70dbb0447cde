//! `spvctl job …`
use crate::{
    args::Paging,
    context::{self, CliContext},
    exit::{Failure, Result},
    output::{Record, info},
};
use clap::{Args, Subcommand};
use domain::kernel::nearest::nearest;
use domain::{
    Ctx, Error,
    kernel::page::{MAX_LIMIT, PageQuery},
    platform::queue::{self, JobRow, Status},
};
use std::time::Duration;
use tokio::sync::watch;

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
    #[command(after_help = "Examples:\n  spvctl job run portal.clean_up\n  spvctl job run portal.backup --wait")]
    Run(Run),
    /// Count jobs by status
    #[command(after_help = "Examples:\n  spvctl job stats --format json")]
    Stats,
}

#[derive(Debug, Args)]
pub struct List {
    /// pending, queued, running, done, failed or dead; open: all that are not done
    #[arg(long)]
    status: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Id, or its first characters
    id: String,
}

#[derive(Debug, Args)]
pub struct Run {
    /// portal.clean_up, portal.backup, steps.remind_overdue, seed.test_data, …: a wrong name is answered with all
    name: String,
    /// Wait until it is done, and do it here if no worker runs; exit 1 if it fails for good
    #[arg(long)]
    wait: bool,
}

/// Jobs of an ambiguous prefix that are listed.
const LISTED: u32 = 6;

/// The id of the one job that begins with what was typed.
async fn job_id(ctx: &Ctx, typed: &str) -> Result<String> {
    let mut found = match typed.trim() {
        "" => Vec::new(),
        prefix => queue::ids_beginning_with(ctx, prefix, LISTED).await?,
    };
    if found.len() > 1 {
        let ids = found.join(", ");
        return Err(Failure::Refused(format!("several of the jobs begin with `{typed}`: {ids}; give more characters")));
    }
    found.pop().ok_or_else(|| Failure::Refused(format!("there is no job `{typed}`; `spvctl job list` shows all")))
}

pub async fn run(verb: Verb, cli: &CliContext) -> Result {
    let (ctx, out) = (&cli.ctx, &cli.out);
    match verb {
        Verb::List(args) => {
            let page = args.paging.read(async |query| queue::list(ctx, args.status.as_deref(), &query).await).await?;
            out.page(page.items.iter().map(record).collect(), "jobs", page.next_cursor)
        }
        Verb::Show(args) => out.one(record(&queue::get(ctx, &job_id(ctx, &args.id).await?).await?)),
        Verb::Retry(args) => out.one(record(&queue::retry(ctx, &job_id(ctx, &args.id).await?).await?)),
        Verb::Run(args) => {
            let registry = jobs::registry(jobs::State::new(ctx.clone(), cli.mailer()?));
            match registry.enqueue_manual(ctx, &args.name).await {
                Err(Error::NotFound(_)) => {
                    let names = registry.manual_names();
                    let near = nearest(&args.name, names.iter().copied());
                    let near = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_else(|| ";".to_owned());
                    let names = names.join(", ");
                    Err(Failure::Usage(format!("no job `{}` can be run by name{near} there are {names}", args.name)))
                }
                other => {
                    other?;
                    if args.wait {
                        return wait(&args.name, cli).await;
                    }
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

/// How often the state of a job is read.
const POLL: Duration = Duration::from_millis(300);

/// Waits for the newest job of this name. Without a running worker this process is one meanwhile.
async fn wait(name: &str, cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let newest = queue::list(ctx, None, &PageQuery { limit: Some(MAX_LIMIT), cursor: None }).await?;
    let queued = newest.items.into_iter().find(|job| job.job == name).ok_or(Error::NotFound("job"))?;
    let (stop, stopped) = watch::channel(false);
    let worker = if queue::live_workers(ctx).await? == 0 {
        info("No worker runs; this process works until the job is done.");
        let state = jobs::State::new(ctx.clone(), cli.mailer()?);
        Some(tokio::spawn(jobs::work(ctx.clone(), state, context::worker_options(&cli.config), stopped)))
    } else {
        None
    };
    let done = loop {
        let job = queue::get(ctx, &queued.id).await?;
        if [Status::Done, Status::Dead].contains(&job.status) {
            break job;
        }
        tokio::time::sleep(POLL).await;
    };
    let _ = stop.send(true);
    if let Some(worker) = worker {
        let _ = worker.await;
    }
    cli.out.one(record(&done))?;
    if done.status == Status::Done { Ok(()) } else { Err(Failure::Found) }
}

fn record(job: &JobRow) -> Record {
    Record::new()
        .with("id", job.id.clone())
        .with("job", job.job.clone())
        .with("status", job.status.name())
        .with_room("attempts", job.attempts)
        .hidden_in_table("max_attempts", job.max_attempts)
        .with("run_at", job.run_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("done_at", job.done_at.map(|at| at.to_rfc3339()))
        .hidden_in_table("payload", job.payload.clone())
        // Of a job that succeeded it says nothing more.
        .hidden_in_table("last_result", job.last_result.clone().filter(|_| job.status != Status::Done))
}
