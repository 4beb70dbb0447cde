//! Whether each part of the portal works, and how fast: asked every minute by a job, and kept as one row each.
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
use std::{future::Future, time::Instant};
use tokio::task::JoinHandle;

/// Timeout of one part's probe.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);
/// What was probed longer ago says nothing of now.
const FRESH: Duration = Duration::minutes(3);

/// The job that probes, and then looks for what somebody should know of.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Watch {}

impl Job for Watch {
    const NAME: &'static str = "portal.watch";
    /// It fails only when its worker dies under it, and that must not make it a dead job: the next comes in a minute.
    const ATTEMPTS: usize = 3;
}

/// The parts, in the order in which they are shown.
pub const NAMES: [&str; 7] = ["web_server", "database", "api_gateway", "file_storage", SCANNER, "mail", "queue"];
/// Probed where one is configured.
const SCANNER: &str = "virus_scanner";

/// How every part stood when it was last probed. Super admins.
///
/// # Errors
/// Forbidden.
pub async fn list(ctx: &Ctx) -> Result<Vec<Probe>> {
    ctx.may(Action::View, Resource::System)?;
    let mut found = store::list(&mut ctx.db()).await?;
    found.retain(|probe| NAMES.contains(&probe.name.as_str()));
    found.sort_by_key(|probe| NAMES.iter().position(|name| *name == probe.name));
    for probe in &mut found {
        probe.fresh = ctx.now() - probe.checked_at < FRESH;
        // A worker probes: when none has, none works.
        if probe.name == "queue" && !probe.fresh && probe.ok {
            probe.ok = false;
            probe.detail = Some("no worker has been at work".to_owned());
        }
    }
    Ok(found)
}

/// Has everything probed now. Super admins.
///
/// # Errors
/// Forbidden.
pub async fn ask(ctx: &Ctx) -> Result<()> {
    ctx.may(Action::Update, Resource::System)?;
    ctx.transaction(|tx| queue::enqueue(tx, &Watch {}).scope_boxed()).await
}

/// What a part said: in words, or why it does not work.
type Said = std::result::Result<String, String>;

/// Probes everything at once, each part in a task of its own, and keeps what it said. `mail` asks the way by which mails
/// leave. Our own jobs.
///
/// # Errors
/// What the database refuses.
pub async fn check(ctx: &Ctx, mail: impl Future<Output = Said> + Send + 'static) -> Result<()> {
    let url = &ctx.options.public_url;
    let mut parts = vec![
        ("web_server", probe(page(format!("{url}/")))),
        ("database", probe(database(ctx.clone()))),
        ("api_gateway", probe(page(format!("{url}/rest/v1/settings")))),
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
        let (said, latency_ms) = probe.await.unwrap_or_else(|e| (Err(e.to_string()), 0));
        found.push((name, said, latency_ms));
    }
    let found = &found;
    ctx.transaction(|tx| {
        async move {
            for (name, said, latency_ms) in found {
                store::keep(tx, name, said.clone(), *latency_ms, ctx.now()).await?;
            }
            Ok(())
        }
        .scope_boxed()
    })
    .await
}

/// Runs one part's probe in a task of its own, with its own timeout: one that hangs holds up none of the others.
fn probe(part: impl Future<Output = Said> + Send + 'static) -> JoinHandle<(Said, i64)> {
    tokio::spawn(async move {
        let begun = Instant::now();
        let said = tokio::time::timeout(TIMEOUT, part)
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {} seconds", TIMEOUT.as_secs())));
        (said, i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX))
    })
}

/// Our own pages, by the address that people use.
async fn page(url: String) -> Said {
    // Several crates speak TLS here, and rustls wants to be told once whose cryptography they use.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().timeout(TIMEOUT).no_proxy().build().map_err(|e| causes(&e))?;
    let answer = client.get(&url).send().await.map_err(|e| causes(&e))?;
    if answer.status().is_success() { Ok(url) } else { Err(format!("{url} answers {}", answer.status())) }
}

async fn database(ctx: Ctx) -> Said {
    let asked: Result<i64> = ctx.db().sql("select cast(1 as bigint)").scalar().await;
    asked.map(|_| format!("{:?}", ctx.db().dialect())).map_err(|e| e.to_string())
}

async fn storage(ctx: Ctx) -> Said {
    let storage = &ctx.options.storage;
    storage.probe().await.map(|()| storage.location().to_owned()).map_err(|e| e.to_string())
}

async fn queue(ctx: Ctx) -> Said {
    let words = |e: Error| e.to_string();
    let waiting = queue::unfinished(&ctx).await.map_err(words)?.waiting;
    match queue::live_workers(&ctx).await.map_err(words)? {
        0 => Err("no worker is at work".to_owned()),
        workers => Ok(format!("{workers} workers, {waiting} waiting")),
    }
}
