//! Restarts: two nodes on one database, stopped one after the other, while clients keep their connections.

use crate::support::{Office, Running, free_port, offices};
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

/// A client that keeps a connection to each node, as a proxy does, and opens another where one is to be closed.
struct Client {
    ports: [u16; 2],
    kept: [Option<TcpStream>; 2],
}

impl Client {
    /// One request to the next node that takes connections; what goes wrong once it is sent.
    fn ask(&mut self, n: usize) -> Result<(), String> {
        for at in [n % 2, (n + 1) % 2] {
            // A refused connection costs no request: the other node is asked.
            let Some(mut stream) = self.kept[at].take().or_else(|| connect(self.ports[at])) else { continue };
            let head = talk(&mut stream).map_err(|e| format!("node {at}: {e}"))?;
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

/// The head of an answer, in lower case, once its body is read.
fn talk(stream: &mut TcpStream) -> Result<String, String> {
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

fn until(what: &str, office: &Office, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {}", office.log());
        thread::sleep(Duration::from_millis(10));
    }
}

fn start(office: &Office, port: u16) -> Running {
    let node = office.start(&["serve", "--no-worker", "--listen", &format!("127.0.0.1:{port}")]);
    until("ready", office, || status(port, "/readyz").as_deref() == Some("200"));
    node
}

fn signal(node: &Running, name: &str) {
    assert!(Command::new("kill").args([name, &node.0.id().to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn a_rolling_restart_fails_no_request_of_clients_that_keep_connections() {
    for mut office in offices().await {
        office.set("SPV_DRAIN_SECONDS", 2);
        let ports = [free_port(), free_port()];
        let mut nodes = ports.map(|port| start(&office, port));
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
                        failed.extend(client.ask(n).err());
                        asked.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(2));
                    }
                    failed
                })
            })
            .collect();
        for (node, port) in nodes.iter_mut().zip(ports) {
            let before = asked.load(Ordering::Relaxed);
            until("clients ask", &office, || asked.load(Ordering::Relaxed) > before + 50);
            signal(node, "-TERM");
            until("not ready", &office, || status(port, "/readyz").as_deref() == Some("503"));
            assert_eq!(status(port, "/rest/v1/settings").as_deref(), Some("200"), "it still serves");
            assert_eq!(node.0.wait().unwrap().code(), Some(0), "{}", office.log());
            *node = start(&office, port);
        }
        over.store(true, Ordering::Relaxed);
        let failed: Vec<String> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        assert!(failed.is_empty(), "{} of {}: {failed:?}", failed.len(), asked.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn an_interrupt_does_not_wait_for_the_drain() {
    let mut office = Office::sqlite().await;
    office.set("SPV_DRAIN_SECONDS", 300);
    let port = free_port();
    let mut node = start(&office, port);
    let began = Instant::now();
    signal(&node, "-INT");
    assert_eq!(node.0.wait().unwrap().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// Accepted, and without a request yet when the listener closes.
#[tokio::test]
async fn a_connection_that_is_new_at_shutdown_has_its_first_request_served() {
    let office = Office::sqlite().await;
    let port = free_port();
    let mut node = start(&office, port);
    let mut stream = connect(port).unwrap();
    signal(&node, "-TERM");
    until("it stops", &office, || office.log().contains("a second signal stops at once"));
    let head = talk(&mut stream).unwrap_or_else(|e| panic!("{e}: {}", office.log()));
    assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{head}");
    assert_eq!(node.0.wait().unwrap().code(), Some(0), "{}", office.log());
}
