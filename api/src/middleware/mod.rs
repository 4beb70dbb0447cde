//! Request middleware: request id and tracing span, admission, timeout, error rendering, security headers, access log.
mod admission;
mod export_limit;

use crate::{
    body::{Event, MAX_IMPORT_BYTES, in_span, observe},
    client_ip,
    error::{self, ApiError, panic_message},
    language::negotiate_language,
    metrics,
    request_meta::{Peer, RequestMeta, is_api_path},
    state::AppState,
};
use admission::RequestInfo;
use axum::{
    body::{Body, HttpBody},
    extract::{MatchedPath, Request, State},
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use std::{
    net::{IpAddr, Ipv4Addr},
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{Predicate, SizeAbove},
    },
};
use tracing::Instrument;

/// Uploads have no request timeout: their use case has an idle timeout and a size limit.
const UPLOADS: &str = "/storage/v1/uploads/";
/// Imports and their undo have no request timeout, as they may have thousands of rows. An import has a body limit of its own
/// and a timeout while its body arrives.
const IMPORTS: &str = "/rest/v1/imports";
/// The timeout restarts whenever this many bytes of the body arrived, so that a slow connection does not time out.
const BODY_PROGRESS_BYTES: u64 = 8 << 10;
/// Compressing a smaller response costs more than sending it.
const MIN_COMPRESS_BYTES: u64 = 1_024;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Content security policy of responses that are no page.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The outermost of our layers: opens the request's span, checks admission, limits and times the request, renders
/// errors, adds headers, counts and logs.
pub async fn request_middleware(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
    let client_ip = client_ip::resolve(peer, request.headers(), &app.http.trusted_proxies);
    let route = request.extensions().get::<MatchedPath>().cloned();
    let meta = RequestMeta::new(app.next_request_id(), client_ip, route.as_ref().map(MatchedPath::as_str));
    let meta = Arc::new(meta);
    request.extensions_mut().insert(meta.clone());
    let response = respond(&app, request, next, route.as_ref(), &meta).instrument(meta.span.clone()).await;
    response.map(|body| in_span(body, &meta.span))
}

async fn respond(
    app: &AppState,
    request: Request,
    next: Next,
    route: Option<&MatchedPath>,
    meta: &RequestMeta,
) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let languages = request.headers().get(header::ACCEPT_LANGUAGE).cloned();
    let is_api = is_api_path(request.uri().path());
    let mut response = admit_and_run(app, request, next, meta).await;
    error::render(&mut response, &meta.request_id, || match meta.signed_in() {
        Some(user) => &user.language,
        None => negotiate_language(languages.as_ref()),
    });
    security_headers(response.headers_mut(), app, is_api);
    if let Ok(id) = HeaderValue::from_str(&meta.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, took) = (response.status(), started.elapsed());
    metrics::record_request(&method, route, status, took);
    log(&method, route, status, took, meta);
    response
}

/// Runs the request unless admission or the body limit refuses it; answers a timeout or a panic as an error.
async fn admit_and_run(app: &AppState, request: Request, next: Next, meta: &RequestMeta) -> Response {
    // Auth routes have error bodies of their own and check the body size when they read it.
    let is_auth = request.uri().path().starts_with("/auth/v1/");
    let is_upload = request.uri().path().starts_with(UPLOADS) && *request.method() == Method::PATCH;
    let is_post = *request.method() == Method::POST;
    let is_import = is_post && request.uri().path() == IMPORTS;
    let is_undo = is_post && request.uri().path().starts_with(IMPORTS) && request.uri().path().ends_with("/undo");
    let body_limit = if is_import { MAX_IMPORT_BYTES } else { app.http.body_limit };
    let info = RequestInfo { method: request.method(), path: request.uri().path(), headers: request.headers() };
    if let Some(rejection) = admission::check(app, info, meta).await {
        return rejection;
    }
    if !is_auth && !is_upload && declares_more_than(request.headers(), body_limit) {
        return ApiError::too_large(body_limit).into_response();
    }
    // Auth routes apply the same limit themselves; a second more lets their error body win.
    let limit = match app.http.time_limit {
        _ if is_upload || is_import || is_undo => None,
        limit if is_auth => Some(limit + Duration::from_secs(1)),
        limit => Some(limit),
    };
    let received = Arc::new(AtomicU64::new(0));
    let request = request.map(|body| count_bytes(body, received.clone()));
    let handled = AssertUnwindSafe(export_limit::run(app, request, next, meta)).catch_unwind();
    match with_timeout(limit, &received, handled).await {
        Some(Ok(response)) => response,
        Some(Err(panic)) => ApiError::from(domain::Error::internal(panic_message(&*panic))).into_response(),
        None => ApiError::timeout().into_response(),
    }
}

/// Adds the bytes of a request's body to `received` as they arrive.
fn count_bytes(body: Body, received: Arc<AtomicU64>) -> Body {
    if body.is_end_stream() {
        return body;
    }
    observe(body, move |event| {
        if let Event::Data(bytes) = event {
            received.fetch_add(bytes, Ordering::Relaxed);
        }
    })
}

/// None when `work` takes longer than `limit` since it began or since its body last made progress.
async fn with_timeout<T>(limit: Option<Duration>, received: &AtomicU64, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let Some(limit) = limit else { return Some(work.await) };
    let mut before = 0;
    loop {
        if let Ok(done) = tokio::time::timeout(limit, &mut work).await {
            return Some(done);
        }
        let now = received.load(Ordering::Relaxed);
        if now - before < BODY_PROGRESS_BYTES {
            return None;
        }
        before = now;
    }
}

/// Compresses JSON, CSV and pages. Files of the web app were compressed when they were built, and an event stream must not
/// be buffered by a compressor.
pub fn compression() -> CompressionLayer<impl Predicate> {
    let text = |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| {
        let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        [&b"application/json"[..], b"text/csv", b"text/html"].iter().any(|text| kind.starts_with(text))
    };
    CompressionLayer::new()
        .gzip(true)
        .br(true)
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_COMPRESS_BYTES).and(text))
}

fn declares_more_than(headers: &HeaderMap, limit: usize) -> bool {
    length(headers).is_some_and(|bytes| bytes > limit as u64)
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn security_headers(headers: &mut HeaderMap, app: &AppState, is_api: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        PERMISSIONS_POLICY,
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    );
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    // The same as `frame-ancestors`, for old browsers.
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
    if app.is_https() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(hsts(app.http.hsts_subdomains)));
    }
    if app.draining.is_cancelled() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if is_api {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

/// Two years. Subdomains only if the operator says so: they may still be served without TLS.
fn hsts(subdomains: bool) -> &'static str {
    if subdomains { "max-age=63072000; includeSubDomains" } else { "max-age=63072000" }
}

/// The access log: one line per request, with the span's fields. The route is the template, because the path may hold a
/// token or a name.
fn log(method: &Method, route: Option<&MatchedPath>, status: StatusCode, took: Duration, meta: &RequestMeta) {
    let ms = (took.as_secs_f64() * 100_000.0).round() / 100.0;
    let status = status.as_u16();
    // The super admin who impersonates the actor.
    let impersonator = meta.signed_in().and_then(|user| user.impersonator.as_ref());
    let impersonator_id = impersonator.map(|user| tracing::field::display(user.id));
    match route.map(MatchedPath::as_str) {
        Some("/healthz" | "/readyz") | None if status < 500 => {
            tracing::debug!(target: "api::access", %method, status, ms, "request completed");
        }
        _ => tracing::info!(target: "api::access", %method, status, ms, impersonator_id, "request completed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AppConfig, HttpConfig};
    use axum::{Router, body::Bytes, routing::get};
    use domain::{
        accounts::auth::{Auth, Keys},
        testing::World,
    };
    use futures::StreamExt;
    use std::convert::Infallible;
    use tower::ServiceExt;

    async fn app() -> AppState {
        let world = World::sqlite().await;
        AppState::new(AppConfig {
            db: world.db.clone(),
            clock: world.clock.clone(),
            random: world.random.clone(),
            options: world.options.clone(),
            auth: Auth::new(Keys::for_tests()),
            feed: tokio::sync::broadcast::channel(1).0,
            http: HttpConfig { time_limit: Duration::from_millis(50), ..HttpConfig::default() },
        })
    }

    async fn get_path(router: &Router, path: &str) -> (StatusCode, HeaderMap, Bytes) {
        let request = axum::http::Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        (status, headers, axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap())
    }

    #[tokio::test]
    async fn handlers_and_streamed_bodies_run_inside_the_request_span() {
        fn span_name() -> Bytes {
            let span = tracing::Span::current();
            Bytes::from(span.metadata().map_or("none", tracing::Metadata::name))
        }
        // For the whole process: see tests/request_span.rs.
        tracing::subscriber::set_global_default(tracing_subscriber::registry()).expect("the only subscriber");
        let streamed =
            || async { Body::from_stream(futures::stream::iter([0; 2]).map(|_| Ok::<_, Infallible>(span_name()))) };
        let router = Router::new()
            .route("/plain", get(async || span_name()))
            .route("/streamed", get(streamed))
            .layer(axum::middleware::from_fn_with_state(app().await, request_middleware));
        assert_eq!(get_path(&router, "/plain").await.2, "request");
        assert_eq!(get_path(&router, "/streamed").await.2, "requestrequest");
    }

    #[tokio::test]
    async fn panics_return_500_and_timeouts_504_without_details() {
        let router = Router::new()
            .route("/panics", get(async || -> &'static str { panic!("secret: {}", 42) }))
            .route("/sleeps", get(async || std::future::pending::<&'static str>().await))
            .layer(axum::middleware::from_fn_with_state(app().await, request_middleware));
        for (path, expected, code) in [("/panics", 500, "internal"), ("/sleeps", 504, "request_timeout")] {
            let (status, headers, body) = get_path(&router, path).await;
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((status.as_u16(), body["code"].as_str()), (expected, Some(code)));
            assert!(!body["message"].as_str().unwrap().contains("secret"));
            assert_eq!(body["request_id"], headers["x-request-id"].to_str().unwrap());
        }
    }
}
