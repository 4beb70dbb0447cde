//! Prometheus metrics of server and worker.

use crate::support::{TestPortal, test_portals};
use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

/// Log message before the address of the metrics.
const METRICS_AT: &str = "figures for Prometheus are at http://";

fn ask(port: u16, what: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    stream.write_all(format!("{what} HTTP/1.0\r\nhost: portal\r\n\r\n").as_bytes()).ok()?;
    let mut heard = String::new();
    stream.read_to_string(&mut heard).ok()?;
    Some(heard)
}

/// The value of the metric with this name and labels.
fn metric(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

/// Polls `/metrics` until `wanted` holds.
fn page(portal: &TestPortal, port: u16, wanted: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let page = ask(port, "GET /metrics").unwrap_or_default();
        if wanted(&page) {
            return page;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{page}\n{}", portal.log());
        thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test]
async fn worker_exports_job_and_portal_metrics() {
    for mut portal in test_portals().await {
        // Two mails are sent immediately; the one about the order waits for the client's password.
        portal.client("maya@example.com");
        portal.json(&["client", "invite", "maya@example.com"]);
        portal.set("SPV_METRICS_LISTEN", "127.0.0.1:0");
        let mut worker = portal.start(&["worker"]);
        let port = portal.port(&mut worker, METRICS_AT);
        let sent = r#"spv_job_attempts_total{job="mails.send",outcome="done"}"#;
        let page =
            page(&portal, port, |page| metric(page, sent) == Some(2.0) && metric(page, "spv_workers") == Some(1.0));
        assert!(page.contains("\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{page}");
        assert_eq!(metric(&page, "spv_jobs_dead"), Some(0.0), "{page}");
        assert_eq!(metric(&page, "spv_database_up"), Some(1.0), "{page}");
        assert_eq!(metric(&page, r#"spv_job_seconds_count{job="mails.send"}"#), Some(2.0), "{page}");
        assert!(metric(&page, "process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6), "{page}");
        assert!(!page.contains("maya"), "{page}");
        assert!(ask(port, "GET /").unwrap().starts_with("HTTP/1.0 404"));
        assert_eq!(worker.stop(), 0, "{}", portal.log());
    }
}

#[tokio::test]
async fn server_counts_requests_by_route() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_LISTEN", "127.0.0.1:0");
    portal.set("SPV_METRICS_LISTEN", "127.0.0.1:0");
    let mut server = portal.start(&["serve", "--no-worker"]);
    let metrics = portal.port(&mut server, METRICS_AT);
    let port = portal.port(&mut server, "listening on ");
    let id = "6f1c2d3e-0000-4000-8000-000000000000";
    for asked in [format!("GET /rest/v1/spvs/{id}"), format!("BREW /rest/v1/spvs/{id}"), "GET /healthz".to_owned()] {
        assert!(ask(port, &asked).is_some());
    }
    let page = page(&portal, metrics, |page| page.contains("spv_http_requests_total"));
    let requests = |labels: &str| metric(&page, &format!("spv_http_requests_total{{{labels}}}"));
    let route = "/rest/v1/spvs/{id}";
    assert_eq!(requests(&format!(r#"method="GET",route="{route}",status="401""#)), Some(1.0), "{page}");
    assert_eq!(requests(r#"method="GET",route="/healthz",status="200""#), Some(1.0), "{page}");
    assert_eq!(metric(&page, &format!(r#"spv_http_request_seconds_count{{route="{route}"}}"#)), Some(2.0), "{page}");
    assert!(page.contains(r#"method="other""#), "clients cannot create labels: {page}");
    assert!(!page.contains(id) && !page.contains("BREW"), "{page}");
    // The metrics port does not serve the portal, and the portal's port no metrics.
    assert!(!ask(port, "GET /metrics").unwrap().contains("spv_http_requests_total"));
    assert_eq!(server.stop(), 0, "{}", portal.log());

    // An invalid address is refused at the start.
    portal.set("SPV_METRICS_LISTEN", "everywhere");
    let refused = portal.run(&["serve"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("SPV_METRICS_LISTEN") && refused.err.contains("127.0.0.1:9090"), "{}", refused.err);
}
