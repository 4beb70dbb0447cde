//! The listener over a real socket: addresses, kept connections, a stop in good order.

use crate::support::TestApp;
use api::{Http, serve};
use domain::{db::Sql, testing::World};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<std::io::Result<()>>,
}

async fn served(app: &TestApp) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(serve(listener, app.app.clone(), async { drop(stopped.await) }));
    Served { address, stop, ended }
}

/// Sends `request` and reads until `enough` is in the answer.
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
async fn a_stop_lets_nobody_wait() {
    let app = TestApp::new(World::sqlite().await, Http::default()).await;
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

    served.stop.send(()).unwrap();
    timeout(Duration::from_secs(3), served.ended).await.expect("ends soon").unwrap().unwrap();
    for mut stream in [kept, events] {
        let mut rest = Vec::new();
        timeout(Duration::from_secs(1), stream.read_to_end(&mut rest)).await.expect("closed").unwrap();
    }
    assert!(TcpStream::connect(served.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_request_is_known_by_its_peer_or_by_what_a_trusted_proxy_says() {
    for (trusted, seen) in [(vec![], "127.0.0.1"), (vec!["127.0.0.0/8".parse().unwrap()], "198.51.100.7")] {
        let http = Http { trusted_proxies: trusted, ..Http::default() };
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
        served.stop.send(()).unwrap();
        timeout(Duration::from_secs(3), served.ended).await.expect("ends soon").unwrap().unwrap();
    }
}
