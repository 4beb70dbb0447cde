//! Health checks of each component, run every minute by a job and stored as one row per component with its latency.
mod disk;
mod store;

pub use disk::{Disk, disk};
pub use store::Probe;

use crate::{
    kernel::{
        access::{Action, Resource},
        ctx::Ctx,
        db::{ScopedFutureExt, Sql},
        error::{Error, Result, causes},
    },
    platform::queue::{self, Job},
};
use chrono::Duration;
use serde::{Deserialize, Serialize};
use std::{future::Future, path::Path, time::Instant};
use tokio::task::JoinHandle;

/// Timeout of one probe.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);
/// An older result says nothing about the present.
const MAX_AGE: Duration = Duration::minutes(3);

/// Job that runs the health checks and then evaluates the alert rules.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RunHealthChecks {}

impl Job for RunHealthChecks {
    const NAME: &'static str = "portal.watch";
    /// It fails only if its worker dies. That must not leave a dead job, as the next run is a minute away.
    const ATTEMPTS: usize = 3;
}

/// The components, in display order.
pub const COMPONENTS: [&str; 7] = ["web_server", "database", "api_gateway", "file_storage", SCANNER, "mail", "queue"];
/// Probed only if a scanner is configured.
const SCANNER: &str = "virus_scanner";

/// Lists the last result of each component. Super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "health_checks.list", skip_all)]
pub async fn list(ctx: &Ctx) -> Result<Vec<Probe>> {
    ctx.may(Action::View, Resource::System)?;
    let mut found = store::list(&mut ctx.db()).await?;
    found.retain(|probe| COMPONENTS.contains(&probe.name.as_str()));
    found.sort_by_key(|probe| COMPONENTS.iter().position(|name| *name == probe.name));
    for probe in &mut found {
        probe.fresh = ctx.now() - probe.checked_at < MAX_AGE;
        // Workers run the probes: without a recent result no worker runs.
        if probe.name == "queue" && !probe.fresh && probe.ok {
            probe.ok = false;
            probe.detail = Some("no worker has been at work".to_owned());
        }
    }
    Ok(found)
}

/// Enqueues a run of all health checks. Super admins.
///
/// # Errors
/// Forbidden.
#[tracing::instrument(level = "debug", name = "health_checks.enqueue", skip_all)]
pub async fn enqueue(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::Update, Resource::System)?;
    ctx.transaction(|tx| queue::enqueue(tx, &RunHealthChecks {}).scope_boxed()).await
}

/// Outcome of one probe: details, or why the component does not work.
type ProbeResult = std::result::Result<String, String>;

/// Probes all components in parallel and stores the results. `mail` probes the mail transport. Jobs.
///
/// # Errors
/// Internal if the database fails.
#[tracing::instrument(level = "debug", name = "health_checks.check", skip_all)]
pub async fn check(ctx: &Ctx, mail: impl Future<Output = ProbeResult> + Send + 'static) -> Result<()> {
    let url = &ctx.options.public_url;
    let mut parts = vec![
        ("web_server", probe(page(format!("{url}/"), None))),
        ("database", probe(database(ctx.clone()))),
        ("api_gateway", probe(page(format!("{url}/rest/v1/settings"), None))),
        ("file_storage", probe(storage(ctx.clone()))),
        ("mail", probe(mail)),
        ("queue", probe(queue(ctx.clone()))),
    ];
    if let Some(scanner) = ctx.options.scanner.clone() {
        let asked = async move { scanner.probe().await.map(|()| scanner.location()).map_err(|e| e.to_string()) };
        parts.push((SCANNER, probe(asked)));
    }
    let mut found = Vec::new();
    for (name, probe) in parts {
        let (result, latency_ms) = probe.await.unwrap_or_else(|e| (Err(e.to_string()), 0));
        found.push((name, result, latency_ms));
    }
    let found = &found;
    ctx.transaction(|tx| {
        async move {
            for (name, result, latency_ms) in found {
                store::upsert(tx, name, result.clone(), *latency_ms, ctx.now()).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Runs a probe in a task of its own with a timeout, so that one that hangs does not delay the others.
fn probe(part: impl Future<Output = ProbeResult> + Send + 'static) -> JoinHandle<(ProbeResult, i64)> {
    tokio::spawn(async move {
        let begun = Instant::now();
        let result = tokio::time::timeout(TIMEOUT, part)
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {} seconds", TIMEOUT.as_secs())));
        (result, i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX))
    })
}

/// Gets a page of a running portal, over its Unix socket if there is one.
///
/// # Errors
/// Why it does not answer, or the status that it answers with.
pub async fn page(url: String, socket: Option<&Path>) -> ProbeResult {
    // Several crates use TLS, so rustls needs a default crypto provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = reqwest::Client::builder().timeout(TIMEOUT).no_proxy();
    if let Some(path) = socket {
        client = client.unix_socket(path);
    }
    let client = client.build().map_err(|e| causes(&e))?;
    let answer = client.get(&url).send().await.map_err(|e| causes(&e))?;
    if answer.status().is_success() { Ok(url) } else { Err(format!("{url} answers {}", answer.status())) }
}

async fn database(ctx: Ctx) -> ProbeResult {
    let asked: Result<i64> = ctx.db().sql("select cast(1 as bigint)").scalar().await;
    asked.map(|_| format!("{:?}", ctx.db().dialect())).map_err(|e| e.to_string())
}

async fn storage(ctx: Ctx) -> ProbeResult {
    let storage = &ctx.options.storage;
    storage.probe().await.map(|()| storage.location().to_owned()).map_err(|e| e.to_string())
}

async fn queue(ctx: Ctx) -> ProbeResult {
    let text = |e: Error| e.to_string();
    let waiting = queue::unfinished(&ctx).await.map_err(text)?.waiting;
    match queue::live_workers(&ctx).await.map_err(text)? {
        0 => Err("no worker is at work".to_owned()),
        workers => Ok(format!("{workers} workers, {waiting} waiting")),
    }
}
