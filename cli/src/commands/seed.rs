//! `spvctl seed`
use crate::{
    context::{self, CliContext},
    exit::{Failure, Result},
    output::info,
    progress, shutdown,
};
use domain::{
    operations::{backups, seed},
    outbox::activity_feed,
    platform::{
        activity::{self, Activity},
        queue,
    },
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{broadcast, watch},
    time::{Instant, timeout},
};
use uuid::Uuid;

/// How long a running worker may take before this process runs the job itself.
const WORKER_GRACE: Duration = Duration::from_secs(2);
/// How long to wait for the outcome in total.
const OUTCOME_TIMEOUT: Duration = Duration::from_secs(90);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  spvctl seed\n  spvctl seed --demo\n  spvctl seed --spvs 20000\n  spvctl seed --spvs 4000 --companies 1 --isos 40"
)]
pub struct Args {
    /// The demo office: people to sign in as, orders in every state
    #[arg(long, conflicts_with = "spvs")]
    demo: bool,
    /// So many orders with clients, companies, ISO partners and steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    spvs: Option<u64>,
    /// Number of companies; by default one for every 400 orders
    #[arg(long, value_name = "N", requires = "spvs", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    companies: Option<u64>,
    /// Number of ISO partners in each company; by default up to four
    #[arg(long, value_name = "N", requires = "spvs", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    isos: Option<u64>,
}

pub async fn run(args: Args, cli: &CliContext) -> Result {
    if !cli.config.demo && backups::is_used(&cli.ctx).await? {
        return Err(Failure::Refused(format!(
            "the portal in {} is in use, and made-up rows cannot be taken out again: nothing was made. Seed an empty portal \
             (another --data-dir or --database-url), or set SPV_DEMO=true if this one is for trying out",
            cli.config.location()
        )));
    }
    match args.spvs {
        Some(orders) => load(seed::BenchmarkSize { orders, companies: args.companies, isos: args.isos }, cli).await,
        None if args.demo => {
            let mut stop = shutdown::on_signal();
            let spinner = progress::spinner();
            spinner.set_message("the demo office is being made, which takes some seconds");
            let made = tokio::select! {
                made = seed::demo(&cli.ctx) => made?,
                _ = stop.wait_for(|stop| *stop) => {
                    return Err(Failure::Refused("stopped; run it again to begin anew".to_owned()));
                }
            };
            spinner.finish_and_clear();
            info(match made {
                true => "The demo office was made.",
                false => "The demo office already exists; nothing was changed.",
            });
            Ok(())
        }
        None => test_data(cli).await,
    }
}

/// Enqueues the job of the Seed Test Data button and waits for its outcome. Without a running worker this process becomes one
/// until the job is done.
async fn test_data(cli: &CliContext) -> Result {
    let ctx = &cli.ctx;
    let (feed, mut events) = broadcast::channel(256);
    let before = activity::last_seq(ctx).await?;
    let sequencer = tokio::spawn(activity_feed::run(ctx.clone(), feed, |_| ()));
    let id = seed::enqueue(ctx).await?;
    let began = Instant::now();
    let alone = queue::live_workers(ctx).await? == 0;
    let first = if alone { Duration::ZERO } else { WORKER_GRACE };
    let mut outcome = timeout(first, wait_for_outcome(&mut events, id)).await.ok();
    if outcome.is_none() {
        // The event may have been missed by the subscription.
        outcome = activity::since(ctx, before, 500).await?.iter().find_map(|event| outcome_of(event, id));
    }
    if outcome.is_none() {
        let (stop, stopped) = watch::channel(false);
        let state = jobs::State::new(ctx.clone(), cli.mailer()?);
        let worker = tokio::spawn(jobs::work(ctx.clone(), state, context::worker_options(&cli.config), stopped));
        outcome =
            timeout(OUTCOME_TIMEOUT.saturating_sub(began.elapsed()), wait_for_outcome(&mut events, id)).await.ok();
        let _ = stop.send(true);
        let _ = worker.await;
    }
    sequencer.abort();
    match outcome {
        Some(Ok(())) => {
            info("Test Data Created: the test company, ISO partner, client and SPV are there.");
            Ok(())
        }
        Some(Err(why)) => Err(Failure::Refused(format!("Error Creating Test Data: {why}"))),
        None => Err(Failure::Refused("no outcome after 90 s; the job is queued, see `spvctl job list`".to_owned())),
    }
}

async fn wait_for_outcome(events: &mut broadcast::Receiver<Arc<Activity>>, id: Uuid) -> Result<(), String> {
    loop {
        match events.recv().await {
            Ok(event) => {
                if let Some(outcome) = outcome_of(&event, id) {
                    return outcome;
                }
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return Err("the log cannot be followed".to_owned()),
        }
    }
}

/// The outcome of job `id`, if this event is its end.
fn outcome_of(event: &Activity, id: Uuid) -> Option<Result<(), String>> {
    let ours = event.data.get("job_id").and_then(|value| value.as_str()) == Some(id.to_string().as_str());
    match event.action.as_str() {
        "seed.finished" if ours => Some(Ok(())),
        "seed.failed" if ours => Some(Err(event
            .data
            .get("reason")
            .and_then(|value| value.as_str())
            .unwrap_or("no reason was given")
            .to_owned())),
        _ => None,
    }
}

async fn load(wanted: seed::BenchmarkSize, cli: &CliContext) -> Result {
    let orders = wanted.orders;
    let stop = shutdown::on_signal();
    let bar = progress::bar(orders, "orders");
    let made = seed::insert_benchmark_data(&cli.ctx, wanted, |made| {
        bar.set_position(made);
        !*stop.borrow()
    })
    .await?;
    bar.finish_and_clear();
    if made < orders {
        return Err(Failure::Refused(format!("stopped: {made} of {orders} orders were made and stay")));
    }
    info(&format!("{made} orders were made."));
    Ok(())
}
