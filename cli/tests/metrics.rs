//! Figures for Prometheus, read as it reads them.

use crate::support::{Office, offices};
use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

/// What a process says before their address.
const FIGURES: &str = "figures for Prometheus are at http://";

fn ask(port: u16, what: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    stream.write_all(format!("{what} HTTP/1.0\r\nhost: portal\r\n\r\n").as_bytes()).ok()?;
    let mut heard = String::new();
    stream.read_to_string(&mut heard).ok()?;
    Some(heard)
}

/// The figure of this name and these labels.
fn figure(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

/// The page once `wanted` says that it is as it shall be.
fn page(office: &Office, port: u16, wanted: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let page = ask(port, "GET /metrics").unwrap_or_default();
        if wanted(&page) {
            return page;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{page}\n{}", office.log());
        thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test]
async fn a_worker_counts_its_jobs_and_tells_how_the_portal_stands() {
    for mut office in offices().await {
        // Two mails that leave at once; that of the order waits until the client has a password.
        office.client("maya@example.com");
        office.json(&["client", "invite", "maya@example.com"]);
        office.set("SPV_METRICS_LISTEN", "127.0.0.1:0");
        let mut worker = office.start(&["worker"]);
        let port = office.port(&mut worker, FIGURES);
        let sent = r#"spv_job_attempts_total{job="mails.send",outcome="done"}"#;
        let page =
            page(&office, port, |page| figure(page, sent) == Some(2.0) && figure(page, "spv_workers") == Some(1.0));
        assert!(page.contains("\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{page}");
        assert_eq!(figure(&page, "spv_jobs_dead"), Some(0.0), "{page}");
        assert_eq!(figure(&page, "spv_database_up"), Some(1.0), "{page}");
        assert_eq!(figure(&page, r#"spv_job_seconds_count{job="mails.send"}"#), Some(2.0), "{page}");
        assert!(figure(&page, "process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6), "{page}");
        assert!(!page.contains("maya"), "{page}");
        assert!(ask(port, "GET /").unwrap().starts_with("HTTP/1.0 404"));
        assert_eq!(worker.stop(), 0, "{}", office.log());
    }
}

#[tokio::test]
async fn a_server_counts_requests_by_their_routes() {
    let mut office = Office::sqlite().await;
    office.set("SPV_LISTEN", "127.0.0.1:0");
    office.set("SPV_METRICS_LISTEN", "127.0.0.1:0");
    let mut server = office.start(&["serve", "--no-worker"]);
    let metrics = office.port(&mut server, FIGURES);
    let port = office.port(&mut server, "listening on ");
    let id = "6f1c2d3e-0000-4000-8000-000000000000";
    for asked in [format!("GET /rest/v1/spvs/{id}"), format!("BREW /rest/v1/spvs/{id}"), "GET /healthz".to_owned()] {
        assert!(ask(port, &asked).is_some());
    }
    let page = page(&office, metrics, |page| page.contains("spv_http_requests_total"));
    let requests = |labels: &str| figure(&page, &format!("spv_http_requests_total{{{labels}}}"));
    let route = "/rest/v1/spvs/{id}";
    assert_eq!(requests(&format!(r#"method="GET",route="{route}",status="401""#)), Some(1.0), "{page}");
    assert_eq!(requests(r#"method="GET",route="/healthz",status="200""#), Some(1.0), "{page}");
    assert_eq!(figure(&page, &format!(r#"spv_http_request_seconds_count{{route="{route}"}}"#)), Some(2.0), "{page}");
    assert!(page.contains(r#"method="other""#), "whoever asks does not name a figure: {page}");
    assert!(!page.contains(id) && !page.contains("BREW"), "{page}");
    // Where the figures are no portal is, and no figures are where the portal is.
    assert!(!ask(port, "GET /metrics").unwrap().contains("spv_http_requests_total"));
    assert_eq!(server.stop(), 0, "{}", office.log());

    // Nothing is listened on unless it is wanted, and what is wrong is said.
    office.set("SPV_METRICS_LISTEN", "everywhere");
    let refused = office.run(&["serve"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("SPV_METRICS_LISTEN") && refused.err.contains("127.0.0.1:9090"), "{}", refused.err);
}
