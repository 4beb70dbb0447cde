//! Where the portal listens: a Unix socket, and a socket that systemd passes.
use crate::support::{CommandOutput, Running, TestPortal, spvctl};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    process::Command,
    thread,
    time::{Duration, Instant},
};

fn get(mut stream: impl Read + Write, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.0\r\nhost: portal\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn wait_until_healthy(portal: &TestPortal) {
    let began = Instant::now();
    while portal.run(&["healthcheck"]).code != 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", portal.log());
        thread::sleep(Duration::from_millis(100));
    }
}

#[tokio::test]
async fn portal_listens_on_a_unix_socket() {
    let mut portal = TestPortal::sqlite().await;
    let socket = portal.dir.join("portal.sock");
    portal.set("SPV_LISTEN", format!("unix:{}", socket.display()));
    let refused = portal.run(&["serve"]);
    assert_eq!((refused.code, refused.err.contains("public_url")), (2, true), "{}", refused.err);
    portal.set("SPV_PUBLIC_URL", "https://portal.example.com");
    assert_eq!(portal.run(&["migrate"]).code, 0);
    // A process that was killed leaves its socket file.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let mut server = portal.start(&["serve", "--no-worker"]);
    wait_until_healthy(&portal);
    assert!(get(UnixStream::connect(&socket).unwrap(), "/").starts_with("HTTP/1.0 200"));
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o660);
    let second = portal.run(&["serve", "--no-worker"]);
    assert_eq!((second.code, second.err.contains("another process listens there")), (1, true), "{}", second.err);
    assert_eq!((server.stop(), socket.exists()), (0, false), "{}", portal.log());
    std::fs::write(&socket, "a file").unwrap();
    let refused = portal.run(&["serve", "--no-worker"]);
    assert_eq!((refused.code, refused.err.contains("another file is there")), (1, true), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "a file");
}

/// As systemd does it: the first passed socket is file descriptor 3.
#[tokio::test]
async fn portal_takes_the_socket_that_systemd_passes() {
    let mut portal = TestPortal::sqlite().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    portal.set("SPV_LISTEN", "systemd");
    portal.set("SPV_PUBLIC_URL", format!("http://{address}"));
    let alone = portal.run(&["serve", "--no-worker"]);
    assert_eq!((alone.code, alone.err.contains("systemd passed no socket")), (1, true), "{}", alone.err);
    let mut shell = Command::new("sh");
    shell.args(["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" serve --no-worker 3<&0 </dev/null"]);
    shell.arg(env!("CARGO_BIN_EXE_spvctl"));
    for (name, value) in portal.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))) {
        shell.env(name, value);
    }
    // A connection before the start waits in the backlog.
    let early = TcpStream::connect(address).unwrap();
    let mut server = Running(shell.stdin(std::os::fd::OwnedFd::from(listener)).spawn().unwrap());
    assert!(get(early, "/readyz").starts_with("HTTP/1.0 200"));
    assert_eq!(portal.run(&["healthcheck"]).code, 0);
    assert_eq!(server.stop(), 0);
}

#[test]
fn wrong_listen_setting_names_what_is_allowed() {
    for wrong in ["nowhere", "unix:portal.sock", "example.com:80"] {
        let done = CommandOutput::from(spvctl(&["config"]).env("SPV_LISTEN", wrong).output().unwrap());
        assert_eq!((done.code, done.err.contains("unix:/run/spv/portal.sock")), (2, true), "{}", done.err);
    }
}
