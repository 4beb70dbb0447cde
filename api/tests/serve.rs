//! The HTTP listener on a real socket: client IP, timeouts, graceful shutdown.

use crate::support::{TestApp, TestUser};
use api::{HttpConfig, Listener, serve};
use domain::{kernel::db::Sql, testing::World};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};
use tower::ServiceExt;

struct Served {
    address: SocketAddr,
    /// Sets the drain time.
    stop: oneshot::Sender<Duration>,
    ended: JoinHandle<std::io::Result<()>>,
}

async fn served(app: &TestApp) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended =
        tokio::spawn(serve(Listener::Tcp(listener), app.app.clone(), async { stopped.await.unwrap_or_default() }));
    Served { address, stop, ended }
}

/// Sends `request` and reads until `enough` is in the response.
async fn talk(stream: &mut TcpStream, request: &str, enough: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = String::new();
    let mut buffer = [0; 4096];
    while !heard.contains(enough) {
        let n = timeout(Duration::from_secs(5), stream.read(&mut buffer)).await.expect("an answer").unwrap();
        assert!(n > 0, "closed after {heard}");
        heard.push_str(std::str::from_utf8(&buffer[..n]).unwrap());
    }
    heard
}

#[tokio::test]
async fn shutdown_ends_streams_and_idle_connections() {
    let app = TestApp::new(World::sqlite().await, HttpConfig::default()).await;
    let erin = app.employee("Erin").await;
    let served = served(&app).await;
    let mut kept = TcpStream::connect(served.address).await.unwrap();
    for _ in 0..2 {
        let answer = talk(&mut kept, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "\"status\"").await;
        assert!(answer.starts_with("HTTP/1.1 200"));
    }
    let mut events = TcpStream::connect(served.address).await.unwrap();
    let ask =
        format!("GET /realtime/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", erin.token.unwrap());
    talk(&mut events, &ask, "event: ready").await;

    served.stop.send(Duration::ZERO).unwrap();
    timeout(Duration::from_secs(3), served.ended).await.expect("ends soon").unwrap().unwrap();
    for mut stream in [kept, events] {
        let mut rest = Vec::new();
        timeout(Duration::from_secs(1), stream.read_to_end(&mut rest)).await.expect("closed").unwrap();
    }
    assert!(TcpStream::connect(served.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn client_ip_is_peer_or_forwarded_by_trusted_proxies() {
    for (trusted, seen) in [(vec![], "127.0.0.1"), (vec!["127.0.0.0/8".parse().unwrap()], "198.51.100.7")] {
        let http = HttpConfig { trusted_proxies: trusted, ..HttpConfig::default() };
        let app = TestApp::new(World::sqlite().await, http).await;
        let served = served(&app).await;
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        let body = json!({ "kind": "support", "name": "A", "email": "a@example.com", "message": "Hello" }).to_string();
        let ask = format!(
            "POST /rest/v1/requests HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 6.6.6.6, 198.51.100.7\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        assert!(talk(&mut stream, &ask, "reference").await.starts_with("HTTP/1.1 201"));
        let mut db = app.world.db.clone();
        let kept: Option<String> = db.sql("select address from requests").scalar().await.unwrap();
        assert_eq!(kept.as_deref(), Some(seen));
        served.stop.send(Duration::ZERO).unwrap();
        timeout(Duration::from_secs(3), served.ended).await.expect("ends soon").unwrap().unwrap();
    }
}

#[tokio::test]
async fn draining_server_is_not_ready_but_serves() {
    let app = TestApp::new(World::sqlite().await, HttpConfig::default()).await;
    let served = served(&app).await;
    let mut kept = TcpStream::connect(served.address).await.unwrap();
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    let before = talk(&mut kept, &ask("/readyz"), "\"status\"").await;
    assert!(before.starts_with("HTTP/1.1 200") && !before.to_lowercase().contains("connection: close"), "{before}");
    served.stop.send(Duration::from_secs(3_600)).unwrap();
    app.app.draining.cancelled().await;
    // The kept connection still gets a response, which closes it.
    let last = talk(&mut kept, &ask("/readyz"), "unavailable").await;
    assert!(last.starts_with("HTTP/1.1 503") && last.to_lowercase().contains("connection: close"), "{last}");
    let mut rest = Vec::new();
    timeout(Duration::from_secs(5), kept.read_to_end(&mut rest)).await.expect("closed").unwrap();
    // So is a new one.
    let mut new = TcpStream::connect(served.address).await.unwrap();
    let answer = talk(&mut new, &ask("/rest/v1/settings"), "\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.to_lowercase().contains("connection: close"), "{answer}");
    served.ended.abort();
}

#[tokio::test]
async fn server_stops_after_the_drain() {
    let app = TestApp::new(World::sqlite().await, HttpConfig::default()).await;
    let served = served(&app).await;
    served.stop.send(Duration::from_millis(100)).unwrap();
    timeout(Duration::from_secs(5), served.ended).await.expect("ends after the drain").unwrap().unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}

#[tokio::test]
async fn connections_without_headers_time_out() {
    let http = HttpConfig { first_header_timeout: Duration::from_millis(500), ..HttpConfig::default() };
    let app = TestApp::new(World::sqlite().await, http).await;
    let served = served(&app).await;
    let mut kept = TcpStream::connect(served.address).await.unwrap();
    talk(&mut kept, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "\"status\"").await;
    let mut slow =
        [TcpStream::connect(served.address).await.unwrap(), TcpStream::connect(served.address).await.unwrap()];
    slow[1].write_all(b"GET /healthz HTTP/1.1\r\nhost:").await.unwrap();
    for stream in &mut slow {
        let mut rest = Vec::new();
        timeout(Duration::from_secs(5), stream.read_to_end(&mut rest)).await.expect("closed").unwrap();
    }
    talk(&mut kept, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "\"status\"").await;
    served.stop.send(Duration::ZERO).unwrap();
}

#[tokio::test]
async fn fifth_concurrent_export_returns_429() {
    let app = TestApp::new(World::sqlite().await, HttpConfig::default()).await;
    let (erin, emil) = (app.employee("Erin").await, app.employee("Emil").await);
    let send = |person: &TestUser, path: &str| {
        let request = axum::http::Request::get(path)
            .header("authorization", format!("Bearer {}", person.token.as_ref().unwrap()))
            .body(axum::body::Body::empty())
            .unwrap();
        app.router.clone().oneshot(request)
    };
    // Responses whose bodies are not read yet hold their permits.
    let mut open = Vec::new();
    for path in ["spvs.csv", "clients.csv", "companies.csv", "isos.csv"] {
        let answer = send(&erin, &format!("/rest/v1/{path}")).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        open.push(answer);
    }
    for path in ["/rest/v1/spvs.csv", "/rest/v1/reports", "/rest/v1/invoices/00000000-0000-0000-0000-000000000000/pdf"]
    {
        let fifth = send(&erin, path).await.unwrap();
        assert_eq!(fifth.status(), 429, "{path}");
        assert!(fifth.headers().contains_key("retry-after"), "{path}");
    }
    assert_eq!(send(&erin, "/rest/v1/spvs").await.unwrap().status(), 200, "lists go on");
    assert_eq!(send(&emil, "/rest/v1/spvs.csv").await.unwrap().status(), 200, "others go on");
    open.pop();
    assert_eq!(send(&erin, "/rest/v1/spvs.csv").await.unwrap().status(), 200);
}
