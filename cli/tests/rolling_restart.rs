//! Rolling restart of two nodes on one database while clients keep connections open.

use crate::support::{Running, TestPortal, free_port, test_portals};
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A client with a keep-alive connection to each node, as a proxy has, that reconnects after `connection: close`.
struct Client {
    ports: [u16; 2],
    kept: [Option<TcpStream>; 2],
}

impl Client {
    /// Sends one request to the next node that accepts connections. Errors after sending count.
    fn request(&mut self, n: usize) -> Result<(), String> {
        for at in [n % 2, (n + 1) % 2] {
            // A refused connection fails no request: the other node is used.
            let Some(mut stream) = self.kept[at].take().or_else(|| connect(self.ports[at])) else { continue };
            let head = exchange(&mut stream).map_err(|e| format!("node {at}: {e}"))?;
            if !head.starts_with("http/1.1 200") {
                return Err(format!("node {at}: {head}"));
            }
            if !head.contains("connection: close") {
                self.kept[at] = Some(stream);
            }
            return Ok(());
        }
        Err("no node takes connections".to_owned())
    }
}

fn connect(port: u16) -> Option<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    Some(stream)
}

/// Sends a request and returns the response head in lower case, after reading the body.
fn exchange(stream: &mut TcpStream) -> Result<String, String> {
    stream.write_all(b"GET /rest/v1/settings HTTP/1.1\r\nhost: x\r\n\r\n").map_err(|e| e.to_string())?;
    let (mut heard, mut buffer) = (Vec::new(), [0; 8_192]);
    loop {
        let read = stream.read(&mut buffer).map_err(|e| e.to_string())?;
        if read == 0 {
            return Err(format!("closed after {} bytes", heard.len()));
        }
        heard.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&heard);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if length.is_some_and(|length| body.len() >= length) {
            return Ok(head);
        }
    }
}

fn status(port: u16, path: &str) -> Option<String> {
    let mut stream = connect(port)?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).ok()?;
    let mut heard = String::new();
    stream.read_to_string(&mut heard).ok()?;
    heard.get(9..12).map(str::to_owned)
}

fn until(what: &str, portal: &TestPortal, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {}", portal.log());
        thread::sleep(Duration::from_millis(10));
    }
}

fn start(portal: &TestPortal, port: u16) -> Running {
    let node = portal.start(&["serve", "--no-worker", "--listen", &format!("127.0.0.1:{port}")]);
    until("ready", portal, || status(port, "/readyz").as_deref() == Some("200"));
    node
}

fn signal(node: &Running, name: &str) {
    assert!(Command::new("kill").args([name, &node.0.id().to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn rolling_restart_fails_no_keep_alive_request() {
    for mut portal in test_portals().await {
        portal.set("SPV_DRAIN_SECONDS", 2);
        let ports = [free_port(), free_port()];
        let mut nodes = ports.map(|port| start(&portal, port));
        let (over, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let clients: Vec<_> = (0..4)
            .map(|first| {
                let (over, asked) = (over.clone(), asked.clone());
                thread::spawn(move || {
                    let mut client = Client { ports, kept: [None, None] };
                    let mut failed = Vec::new();
                    for n in first.. {
                        if over.load(Ordering::Relaxed) {
                            break;
                        }
                        failed.extend(client.request(n).err());
                        asked.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(2));
                    }
                    failed
                })
            })
            .collect();
        for (node, port) in nodes.iter_mut().zip(ports) {
            let before = asked.load(Ordering::Relaxed);
            until("clients ask", &portal, || asked.load(Ordering::Relaxed) > before + 50);
            signal(node, "-TERM");
            until("not ready", &portal, || status(port, "/readyz").as_deref() == Some("503"));
            assert_eq!(status(port, "/rest/v1/settings").as_deref(), Some("200"), "it still serves");
            assert_eq!(node.0.wait().unwrap().code(), Some(0), "{}", portal.log());
            *node = start(&portal, port);
        }
        over.store(true, Ordering::Relaxed);
        let failed: Vec<String> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        assert!(failed.is_empty(), "{} of {}: {failed:?}", failed.len(), asked.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn sigint_skips_the_drain() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_DRAIN_SECONDS", 300);
    let port = free_port();
    let mut node = start(&portal, port);
    let began = Instant::now();
    signal(&node, "-INT");
    assert_eq!(node.0.wait().unwrap().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// The connection is accepted, but has no request yet when the listener closes.
#[tokio::test]
async fn new_connections_at_shutdown_get_one_response() {
    let portal = TestPortal::sqlite().await;
    let port = free_port();
    let mut node = start(&portal, port);
    let mut stream = connect(port).unwrap();
    signal(&node, "-TERM");
    until("it stops", &portal, || portal.log().contains("a second signal stops at once"));
    let head = exchange(&mut stream).unwrap_or_else(|e| panic!("{e}: {}", portal.log()));
    assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{head}");
    assert_eq!(node.0.wait().unwrap().code(), Some(0), "{}", portal.log());
}
