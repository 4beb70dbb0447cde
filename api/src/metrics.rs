//! Prometheus metrics on a listener of their own: counters and histograms of requests and jobs, gauges of the queue and the
//! database, read when scraped.
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

/// Histogram buckets in seconds.
const BUCKETS_SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];
/// How often measurements are moved into buckets when nothing scrapes.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(10);
/// Other methods are counted as `other`: clients can invent any number of them.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// A slower database is reported as down, within the scraper's timeout.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

static ENABLED: AtomicBool = AtomicBool::new(false);

/// The metrics of this process.
#[derive(Clone, Debug)]
pub struct Metrics {
    recorder: PrometheusHandle,
    process: Collector,
}

impl Metrics {
    /// Installs the recorder of this process.
    ///
    /// # Errors
    /// When one is installed already.
    pub fn install() -> Result<Self, BuildError> {
        let recorder = PrometheusBuilder::new().set_buckets(&BUCKETS_SECONDS)?.install_recorder()?;
        describe_counter!("spv_http_requests_total", "Requests by method, route and status");
        describe_histogram!("spv_http_request_seconds", "How long requests took, by route");
        describe_counter!("spv_job_attempts_total", "Attempts at jobs: done, failed, or dead when none follows");
        describe_histogram!("spv_job_seconds", "How long jobs took that were done");
        describe_gauge!("spv_jobs_waiting", "Jobs that wait for their first attempt or their next");
        describe_gauge!("spv_jobs_dead", "Jobs that failed for good and need attention");
        describe_gauge!("spv_workers", "Workers that are not silent, in every process");
        describe_gauge!("spv_database_up", "1 while the database answers");
        describe_gauge!("spv_build_info", "1, with the version");
        gauge!("spv_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        let process = Collector::default();
        process.describe();
        ENABLED.store(true, Ordering::Relaxed);
        Ok(Self { recorder, process })
    }

    /// Serves `GET /metrics` on `listener` until `shutdown`, without authentication.
    ///
    /// # Errors
    /// Those of the listener.
    pub async fn serve(
        self,
        listener: TcpListener,
        ctx: Ctx,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let recorder = self.recorder.clone();
        let upkeep = tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                recorder.run_upkeep();
            }
        });
        let router = Router::new().route("/metrics", get(scrape)).with_state((self, ctx));
        let served = axum::serve(listener, router).with_graceful_shutdown(shutdown).await;
        upkeep.abort();
        served
    }
}

async fn scrape(State((metrics, ctx)): State<(Metrics, Ctx)>) -> impl IntoResponse {
    let updated = timeout(DATABASE_TIMEOUT, update_gauges(&ctx)).await;
    let updated = updated.unwrap_or_else(|e| Err(Error::Unavailable(e.to_string())));
    if let Err(error) = &updated {
        tracing::debug!(%error, "queue gauges unavailable");
        // Otherwise the last values would be reported as current.
        for name in ["spv_jobs_waiting", "spv_jobs_dead", "spv_workers"] {
            gauge!(name).set(f64::NAN);
        }
    }
    gauge!("spv_database_up").set(if updated.is_ok() { 1.0 } else { 0.0 });
    metrics.process.collect();
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, metrics.recorder.render())
}

async fn update_gauges(ctx: &Ctx) -> domain::Result<()> {
    let jobs = queue::unfinished(ctx).await?;
    gauge!("spv_jobs_waiting").set(jobs.waiting as f64);
    gauge!("spv_jobs_dead").set(jobs.dead as f64);
    gauge!("spv_workers").set(queue::live_workers(ctx).await? as f64);
    Ok(())
}

/// Records a completed request, labelled by the route's template.
pub fn record_request(method: &Method, route: Option<&MatchedPath>, status: StatusCode, took: Duration) {
    if !ENABLED.load(Ordering::Relaxed) {
        return;
    }
    let method = if METHODS.contains(method) { method.to_string() } else { "other".to_owned() };
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    histogram!("spv_http_request_seconds", "route" => route.clone()).record(took);
    counter!("spv_http_requests_total", "method" => method, "route" => route, "status" => status.as_str().to_owned())
        .increment(1);
}
