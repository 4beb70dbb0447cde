//! What every request passes on its way in and out: an id, a time limit, a line in the log, safe headers.
use crate::{
    address,
    body::{Event, observe},
    error::{self, ApiError},
    exports, gate,
    language::preferred,
    metrics,
    state::App,
};
use axum::{
    body::{Body, HttpBody},
    extract::{MatchedPath, Request, State},
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::kernel::access::SignedIn;
use futures::FutureExt;
use std::{
    net::{IpAddr, Ipv4Addr},
    panic::AssertUnwindSafe,
    sync::{
        Arc, OnceLock,
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

/// An upload takes as long as its line needs: its use case has an idle timeout and a size limit.
const UPLOADS: &str = "/storage/v1/uploads/";
/// A request's time limit begins anew whenever so many bytes of its body have come, so that a slow line is no timeout.
const BODY_PROGRESS: u64 = 8 << 10;

/// Answers shorter than this cost more to compress than to send.
const WORTH_COMPRESSING: u64 = 1_024;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// What an answer that is not a page may do in a browser: nothing.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The peer's address, put there by the listener.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// What is known of the request outside its handler.
#[derive(Debug)]
pub struct About {
    pub request_id: String,
    pub address: IpAddr,
    /// Set by the extractor that read the token.
    pub signed_in: OnceLock<Arc<SignedIn>>,
}

/// The outermost of our layers.
pub async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0);
    let about = Arc::new(About {
        request_id: app.next_request_id(),
        address: address::client(peer, request.headers(), &app.http.trusted_proxies),
        signed_in: OnceLock::new(),
    });
    request.extensions_mut().insert(about.clone());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let languages = request.headers().get(header::ACCEPT_LANGUAGE).cloned();
    let private = is_private(request.uri().path());

    // Sign-in has its own words for this, and says them when it reads the body.
    let own_words = request.uri().path().starts_with("/auth/v1/");
    let uploads = request.uri().path().starts_with(UPLOADS) && *request.method() == Method::PATCH;
    let asked = gate::Asked { method: request.method(), path: request.uri().path(), headers: request.headers() };
    let answer = if let Some(refusal) = gate::refuse(&app, asked, &about).await {
        refusal
    } else if !own_words && !uploads && declares_more_than(request.headers(), app.http.body_limit) {
        ApiError::too_large(app.http.body_limit).into_response()
    } else {
        // Sign-in looks at its own clock too, a moment earlier, and answers in its own words.
        let limit = match app.http.time_limit {
            _ if uploads => None,
            limit if own_words => Some(limit + Duration::from_secs(1)),
            limit => Some(limit),
        };
        let received = Arc::new(AtomicU64::new(0));
        let request = request.map(|body| counted(body, received.clone()));
        let handled = AssertUnwindSafe(exports::limited(&app, request, next)).catch_unwind();
        match within(limit, &received, handled).await {
            Some(Ok(response)) => response,
            Some(Err(panic)) => ApiError::from(domain::Error::internal(said(&*panic))).into_response(),
            None => ApiError::timeout().into_response(),
        }
    };
    let mut response = answer;
    error::word(&mut response, &about.request_id, || match about.signed_in.get() {
        Some(user) => &user.language,
        None => preferred(languages.as_ref()),
    });
    guard(response.headers_mut(), &app, private);
    if let Ok(id) = HeaderValue::from_str(&about.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let (status, took) = (response.status(), started.elapsed());
    metrics::request(&method, route.as_ref(), status, took);
    log(&method, route.as_ref(), status, took, &about);
    response
}

/// Counts the bytes of a request's body in `received` as they come.
fn counted(body: Body, received: Arc<AtomicU64>) -> Body {
    if body.is_end_stream() {
        return body;
    }
    observe(body, move |event| {
        if let Event::Data(bytes) = event {
            received.fetch_add(bytes, Ordering::Relaxed);
        }
    })
}

/// None when `work` has not ended `limit` after it began or after its body last made progress.
async fn within<T>(limit: Option<Duration>, received: &AtomicU64, work: impl Future<Output = T>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let Some(limit) = limit else { return Some(work.await) };
    let mut before = 0;
    loop {
        if let Ok(done) = tokio::time::timeout(limit, &mut work).await {
            return Some(done);
        }
        let now = received.load(Ordering::Relaxed);
        if now - before < BODY_PROGRESS {
            return None;
        }
        before = now;
    }
}

/// JSON and pages are compressed quickly as they are sent; built files were compressed well beforehand, and an
/// event must not wait in a compressor.
pub fn compression() -> CompressionLayer<impl Predicate> {
    let text = |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| {
        let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
        [&b"application/json"[..], b"text/csv", b"text/html"].iter().any(|text| kind.starts_with(text))
    };
    CompressionLayer::new()
        .gzip(true)
        .br(true)
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(WORTH_COMPRESSING).and(text))
}

pub fn is_private(path: &str) -> bool {
    ["/rest/", "/auth/v1/", "/functions/", "/realtime/", "/storage/"].iter().any(|start| path.starts_with(start))
}

fn declares_more_than(headers: &HeaderMap, limit: usize) -> bool {
    length(headers).is_some_and(|bytes| bytes > limit as u64)
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a handler panicked: {}", text.unwrap_or("no message"))
}

fn guard(headers: &mut HeaderMap, app: &App, private: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        PERMISSIONS_POLICY,
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    );
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    // What `frame-ancestors` says, for browsers that do not know it.
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
    if app.is_https() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(hsts(app.http.hsts_subdomains)));
    }
    if app.draining.is_cancelled() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if private {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

/// Two years. The subdomains are the operator's to speak for: others may still be served without TLS.
fn hsts(subdomains: bool) -> &'static str {
    if subdomains { "max-age=63072000; includeSubDomains" } else { "max-age=63072000" }
}

/// One line a request. The route's template, never the address asked for: that may hold a token or a name.
fn log(method: &Method, route: Option<&MatchedPath>, status: StatusCode, took: Duration, about: &About) {
    let ms = (took.as_secs_f64() * 100_000.0).round() / 100.0;
    let status = status.as_u16();
    let user = about.signed_in.get();
    let actor = user.map(|user| tracing::field::display(user.id));
    // The super admin who looks as `actor`.
    let seen_by = user.and_then(|user| user.impersonator.as_ref()).map(|by| tracing::field::display(by.id));
    let request_id = about.request_id.as_str();
    match route.map(MatchedPath::as_str) {
        Some("/healthz" | "/readyz") | None if status < 500 => {
            tracing::debug!(target: "api::access", %method, route = route.map(MatchedPath::as_str), status, ms, request_id);
        }
        route => tracing::info!(target: "api::access", %method, route, status, ms, actor, seen_by, request_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Http, Parts};
    use axum::{Router, routing::get};
    use domain::{
        accounts::auth::{Auth, Keys},
        testing::World,
    };
    use tower::ServiceExt;

    #[tokio::test]
    async fn a_handler_that_panics_or_never_ends_is_answered_for() {
        let world = World::sqlite().await;
        let app = App::new(Parts {
            db: world.db.clone(),
            clock: world.clock.clone(),
            chance: world.chance.clone(),
            options: world.options.clone(),
            auth: Auth::new(Keys::for_tests()),
            feed: tokio::sync::broadcast::channel(1).0,
            http: Http { time_limit: Duration::from_millis(50), ..Http::default() },
        });
        let router = Router::new()
            .route("/panics", get(async || -> &'static str { panic!("secret: {}", 42) }))
            .route("/sleeps", get(async || std::future::pending::<&'static str>().await))
            .layer(axum::middleware::from_fn_with_state(app.clone(), around));
        for (path, status, code) in [("/panics", 500, "internal"), ("/sleeps", 504, "request_timeout")] {
            let asked = axum::http::Request::get(path).body(Body::empty()).unwrap();
            let answer = router.clone().oneshot(asked).await.unwrap();
            assert_eq!(answer.status(), status);
            let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["code"], code);
            assert!(!body["message"].as_str().unwrap().contains("secret"));
        }
    }
}
