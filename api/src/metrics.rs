//! Figures for Prometheus, on a listener of their own and only where one is set: how many requests and jobs there were,
//! how long they took, and how the portal stands when it is asked.
use axum::{
    Router,
    extract::{MatchedPath, State},
    http::{Method, StatusCode, header},
    response::IntoResponse,
    routing::get,
};
use domain::{Ctx, Error, platform::queue};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use std::{
    future::Future,
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::{net::TcpListener, time::timeout};

/// Seconds: what is quick, what people notice, what a time limit ends.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];
/// How often what was measured is put into its buckets while nobody asks.
const UPKEEP: Duration = Duration::from_secs(10);
/// Others are made up by whoever asks, and each would be kept for ever.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// A database that takes longer is told as one that is away: whoever asks waits for little more.
const PATIENCE: Duration = Duration::from_secs(2);

static COUNTING: AtomicBool = AtomicBool::new(false);

/// What this process has counted.
#[derive(Clone, Debug)]
pub struct Metrics {
    counted: PrometheusHandle,
    process: Collector,
}

impl Metrics {
    /// From now on this process counts.
    ///
    /// # Errors
    /// When it does already.
    pub fn begin() -> Result<Self, BuildError> {
        let counted = PrometheusBuilder::new().set_buckets(&BUCKETS)?.install_recorder()?;
        describe_counter!("spv_http_requests_total", "Requests by method, route and status");
        describe_histogram!("spv_http_request_seconds", "How long requests took, by route");
        describe_counter!("spv_job_attempts_total", "Attempts at jobs: done, failed, or dead when none follows");
        describe_histogram!("spv_job_seconds", "How long jobs took that were done");
        describe_gauge!("spv_jobs_waiting", "Jobs that wait for their first attempt or their next");
        describe_gauge!("spv_jobs_dead", "Jobs that were given up and wait for somebody to look at them");
        describe_gauge!("spv_workers", "Workers that are not silent, in every process");
        describe_gauge!("spv_database_up", "1 while the database answers");
        describe_gauge!("spv_build_info", "1, with the version");
        gauge!("spv_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        let process = Collector::default();
        process.describe();
        COUNTING.store(true, Ordering::Relaxed);
        Ok(Self { counted, process })
    }

    /// Answers `GET /metrics` on `listener` until `shutdown`. It asks nobody who they are: the listener is for those who
    /// may read it.
    ///
    /// # Errors
    /// What the listener says.
    pub async fn serve(
        self,
        listener: TcpListener,
        ctx: Ctx,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let counted = self.counted.clone();
        let upkeep = tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP).await;
                counted.run_upkeep();
            }
        });
        let router = Router::new().route("/metrics", get(answer)).with_state((self, ctx));
        let served = axum::serve(listener, router).with_graceful_shutdown(shutdown).await;
        upkeep.abort();
        served
    }
}

async fn answer(State((metrics, ctx)): State<(Metrics, Ctx)>) -> impl IntoResponse {
    let standing = timeout(PATIENCE, standing(&ctx)).await.unwrap_or_else(|e| Err(Error::Unavailable(e.to_string())));
    if let Err(error) = &standing {
        tracing::debug!(%error, "the database does not say how the portal stands");
        // What was true a while ago is not told as if it were now.
        for name in ["spv_jobs_waiting", "spv_jobs_dead", "spv_workers"] {
            gauge!(name).set(f64::NAN);
        }
    }
    gauge!("spv_database_up").set(if standing.is_ok() { 1.0 } else { 0.0 });
    metrics.process.collect();
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, metrics.counted.render())
}

async fn standing(ctx: &Ctx) -> domain::Result<()> {
    let jobs = queue::unfinished(ctx).await?;
    gauge!("spv_jobs_waiting").set(jobs.waiting as f64);
    gauge!("spv_jobs_dead").set(jobs.dead as f64);
    gauge!("spv_workers").set(queue::live_workers(ctx).await? as f64);
    Ok(())
}

/// Counts an answered request. The route's template, never the address asked for.
pub fn request(method: &Method, route: Option<&MatchedPath>, status: StatusCode, took: Duration) {
    if !COUNTING.load(Ordering::Relaxed) {
        return;
    }
    let method = if METHODS.contains(method) { method.to_string() } else { "other".to_owned() };
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    histogram!("spv_http_request_seconds", "route" => route.clone()).record(took);
    counter!("spv_http_requests_total", "method" => method, "route" => route, "status" => status.as_str().to_owned())
        .increment(1);
}
