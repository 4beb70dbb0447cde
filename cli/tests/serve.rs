//! `spvctl serve`: demo sign-ins, request log, memory during uploads, full disk, missing database.

use crate::support::{Running, TestPortal, test_portals};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// A running server in demo mode, with the token of a client.
struct DemoServer {
    port: u16,
    token: String,
    process: Running,
}

/// Runs a shell with the portal's environment.
fn start_shell(portal: &TestPortal, mut shell: Command) -> Running {
    for (name, value) in portal.command(&[]).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    portal.running(shell)
}

struct HttpResponse {
    status: u16,
    head: String,
    body: String,
}

impl HttpResponse {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {} {}", self.status, self.body))
    }
}

impl DemoServer {
    fn new(portal: &mut TestPortal) -> Self {
        portal.set("SPV_DEMO", true);
        portal.set("SPV_LISTEN", "127.0.0.1:0");
        // Ignoring SIGXFSZ turns writes beyond the file size limit into errors, as on a full disk.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" serve --no-worker", env!("CARGO_BIN_EXE_spvctl")]);
        let mut process = start_shell(portal, shell);
        let port = portal.port(&mut process, "listening on ");
        let mut served = Self { port, token: String::new(), process };
        served.token =
            served.sign_in("client@example.com").json()["access_token"].as_str().expect("a token").to_owned();
        served
    }

    fn sign_in(&self, email: &str) -> HttpResponse {
        let whose = json!({ "email": email, "password": domain::DEMO_PASSWORD });
        self.send("POST /auth/v1/token?grant_type=password", &whose)
    }

    /// Sends one request on a new connection.
    fn request(&self, what: &str, headers: &[&str], body: &[u8]) -> HttpResponse {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut head = format!("{what} HTTP/1.0\r\nhost: portal\r\ncontent-length: {}\r\n", body.len());
        if !self.token.is_empty() {
            head += &format!("authorization: Bearer {}\r\n", self.token);
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut heard = String::new();
        stream.read_to_string(&mut heard).unwrap();
        let (head, body) = heard.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{what}: no answer: {heard}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        HttpResponse { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Waits for this status of `/readyz`, whose outcome is cached for a moment (`READY_TTL`).
    fn until_ready_is(&self, wanted: u16, portal: &TestPortal) {
        let began = Instant::now();
        while self.request("GET /readyz", &[], b"").status != wanted {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", portal.log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn send(&self, what: &str, body: &Value) -> HttpResponse {
        self.request(what, &["content-type: application/json"], body.to_string().as_bytes())
    }

    fn upload(&self, bytes: usize) {
        let tus = "tus-resumable: 1.0.0";
        let length = format!("upload-length: {bytes}");
        // deed.pdf
        let name = "upload-metadata: file_name ZGVlZC5wZGY=";
        let announced = self.request("POST /storage/v1/uploads", &[tus, &length, name], b"");
        assert_eq!(announced.status, 201, "{}", announced.body);
        let there = format!("PATCH {}", announced.header("location").expect("a place"));
        let headers = [tus, "upload-offset: 0", "content-type: application/offset+octet-stream"];
        let kept = self.request(&there, &headers, &vec![b'%'; bytes]);
        assert_eq!(kept.status, 204, "{}", kept.body);
        assert!(kept.header("spv-document-id").is_some(), "{}", kept.head);
    }

    /// Four concurrent uploads.
    fn uploads(&self, bytes: usize) {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| self.upload(bytes));
            }
        });
    }

    /// Peak memory of the process in kilobytes.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says");
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Limits the size of the files that the process writes.
    fn limit_files(&self, bytes: &str) {
        let pid = self.process.0.id().to_string();
        let done = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:")]).status().unwrap();
        assert!(done.success());
    }
}

#[tokio::test]
async fn demo_banner_lists_sign_ins_and_the_request_log_has_no_tokens() {
    for mut portal in test_portals().await {
        let served = DemoServer::new(&mut portal);
        let address = format!("http://127.0.0.1:{}/auth/login", served.port);
        for (role, email) in [
            ("client", "client@example.com"),
            ("employee", "employee@example.com"),
            ("employee", "super@example.com"),
            ("company", "company@example.com"),
            ("iso", "iso@example.com"),
        ] {
            let log = portal.log();
            let mut lines = log.lines().filter(|line| line.contains(email));
            let line = lines.next().unwrap_or_else(|| panic!("{email}: {log}"));
            assert!(line.contains(&format!("{address}/{role} ")) && line.contains(domain::DEMO_PASSWORD), "{line}");
            assert_eq!(served.sign_in(email).status, 200, "{email}");
        }
        let answer = served.request("GET /rest/v1/spvs?q=maya", &[], b"");
        let id = answer.header("x-request-id").expect("a number").to_owned();
        let log = portal.log();
        let line = log.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{id}: {log}"));
        for words in ["method=GET", "route=\"/rest/v1/spvs\"", "status=200", "ms=", "actor_id="] {
            assert!(line.contains(words), "{words}: {line}");
        }
        assert!(!log.contains("maya") && !log.contains(&served.token), "{log}");
    }
}

#[tokio::test]
async fn demo_accounts_are_refused_outside_demo_mode() {
    for mut portal in test_portals().await {
        let served = DemoServer::new(&mut portal);
        drop(served);
        portal.set("SPV_DEMO", false);
        let mut process = portal.start(&["serve", "--no-worker"]);
        // The log also has the port of the first start.
        let began = Instant::now();
        while portal.log().matches("listening on ").count() < 2 {
            assert!(
                process.0.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(60),
                "{}",
                portal.log()
            );
            thread::sleep(Duration::from_millis(50));
        }
        let log = portal.log();
        let last = log.rsplit("listening on 127.0.0.1:").next().unwrap();
        let port = last.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        let live = DemoServer { port, token: String::new(), process };
        // Fewer than the login throttle counts.
        for email in domain::operations::demo_accounts::EMAILS.into_iter().take(3) {
            let answer = live.sign_in(email);
            assert_eq!(
                (answer.status, answer.json()["error_code"].as_str()),
                (400, Some("invalid_credentials")),
                "{email}"
            );
        }
        assert!(log.contains("demo accounts cannot sign in"), "{log}");
    }
}

#[tokio::test]
async fn demo_mode_starts_on_a_large_portal() {
    for mut portal in test_portals().await {
        assert_eq!(portal.run(&["seed", "--spvs", "1200", "--companies", "2"]).code, 0);
        let mut served = DemoServer::new(&mut portal);
        assert_eq!(served.request("GET /readyz", &[], b"").status, 200);
        let listen = format!("127.0.0.1:{}", served.port);
        portal.set("SPV_LISTEN", &listen);
        assert_eq!(portal.run(&["healthcheck"]).code, 0);
        served.process.stop();
        let stopped = portal.run(&["healthcheck"]);
        assert_eq!(stopped.code, 1);
        assert!(stopped.err.contains(&format!("http://{listen}/readyz is not ready: ")), "{}", stopped.err);
    }
}

#[tokio::test]
async fn upload_memory_does_not_grow_with_file_size() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_UPLOAD_LIMIT_MB", "64");
    let served = DemoServer::new(&mut portal);
    // Larger than one part, so that all buffers reach their full size.
    for _ in 0..2 {
        served.uploads(6 << 20);
    }
    let before = served.peak();
    served.uploads(60 << 20);
    let grown = served.peak() - before;
    // Together the files are 216 MB larger; caches of connections and threads grow by some 35 MB in any round.
    assert!(grown < 72 << 10, "{grown} kB more than {before} kB");
}

#[tokio::test]
async fn reads_work_on_a_full_disk_and_writes_recover() {
    let mut portal = TestPortal::sqlite().await;
    let served = DemoServer::new(&mut portal);
    let moves_to = |zone: &str| served.send("PATCH /rest/v1/me", &json!({ "time_zone": zone }));
    let zone = || {
        let me = served.request("GET /rest/v1/me", &[], b"");
        assert_eq!(me.status, 200, "{}", me.body);
        me.json()["time_zone"].as_str().unwrap().to_owned()
    };
    assert_eq!(moves_to("Asia/Tokyo").status, 200);
    served.limit_files("0");
    for _ in 0..3 {
        let refused = moves_to("Europe/Madrid");
        assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("unavailable")), "{}", refused.body);
        assert!(refused.header("retry-after").is_some_and(|wait| wait.parse::<u32>().is_ok()), "{}", refused.head);
        assert_eq!(zone(), "Asia/Tokyo");
        assert_eq!(served.request("GET /rest/v1/spvs?limit=5", &[], b"").status, 200);
        assert_eq!(served.request("GET /healthz", &[], b"").status, 200);
    }
    served.until_ready_is(503, &portal);
    served.limit_files("unlimited");
    let began = Instant::now();
    loop {
        let answer = moves_to("Europe/Madrid");
        if answer.status == 200 {
            break;
        }
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(began.elapsed() < Duration::from_secs(10), "{}", portal.log());
        thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(zone(), "Europe/Madrid");
    served.until_ready_is(200, &portal);
}

#[tokio::test]
async fn missing_database_file_makes_the_portal_unready_until_it_is_back() {
    let mut portal = TestPortal::sqlite().await;
    let served = DemoServer::new(&mut portal);
    let moves_to = |zone: &str| served.send("PATCH /rest/v1/me", &json!({ "time_zone": zone }));
    let is_soon = |wanted: u16| served.until_ready_is(wanted, &portal);
    assert_eq!(moves_to("Asia/Tokyo").status, 200);
    is_soon(200);
    let file = portal.world.dir.path.join("spv.db");
    let away = file.with_extension("away");
    std::fs::rename(&file, &away).unwrap();
    is_soon(503);
    assert!(portal.log().contains("spv.db is gone while it is open"), "{}", portal.log());
    let refused = moves_to("Europe/Madrid");
    assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("unavailable")), "{}", refused.body);
    assert_eq!(served.request("GET /healthz", &[], b"").status, 200);
    // No command creates a database beside the old WAL: SQLite would delete the WAL.
    for command in ["doctor", "migrate"] {
        let done = portal.run(&[command]);
        assert_ne!(done.code, 0, "{command}: {}", done.out);
        assert!(!file.exists(), "{command}");
    }
    std::fs::rename(&away, &file).unwrap();
    is_soon(200);
    let me = served.request("GET /rest/v1/me", &[], b"");
    assert_eq!((me.status, me.json()["time_zone"].as_str()), (200, Some("Asia/Tokyo")), "{}", me.body);
    assert_eq!(moves_to("Europe/Madrid").status, 200);
}

#[tokio::test]
async fn disk_alert_opens_and_closes_with_free_space() {
    // A tmpfs for one process, without root. Skipped where the machine forbids user namespaces; unit tests cover the rule.
    let alone = ["--map-root-user", "--mount"];
    let mut probe = Command::new("unshare");
    probe.args(alone).args(["sh", "-c", "mount -t tmpfs tmpfs \"$0\""]).arg(std::env::temp_dir());
    if !probe.status().is_ok_and(|done| done.success()) {
        eprintln!("not tested: this machine allows no disk of its own for a process");
        return;
    }
    for portal in test_portals().await {
        assert_eq!(portal.run(&["migrate"]).code, 0);
        std::fs::create_dir_all(&portal.dir).unwrap();
        let mut shell = Command::new("unshare");
        let small = "mount -t tmpfs -o size=8m tmpfs \"$SPV_DATA_DIR\" && exec \"$0\" worker";
        shell.args(alone).args(["sh", "-c", small, env!("CARGO_BIN_EXE_spvctl")]);
        let worker = start_shell(&portal, shell);
        // The process's tmpfs, as seen from outside.
        let fill = format!("/proc/{}/root{}/fill", worker.0.id(), portal.dir.display());
        let newest = || {
            let log = portal.json(&["activity", "list", "--limit", "500"]);
            let entry = log.as_array().unwrap().iter().find(|row| row["subject"] == "disk");
            entry.map(|row| row["action"].as_str().unwrap().to_owned())
        };
        let until = |wanted: &str| {
            let began = Instant::now();
            while newest().as_deref() != Some(wanted) {
                assert!(began.elapsed() < Duration::from_secs(60), "{:?} {}", newest(), portal.log());
                thread::sleep(Duration::from_millis(300));
            }
        };
        let watch = || {
            let done = portal.run(&["job", "run", "portal.watch"]);
            assert_eq!(done.code, 0, "{}", done.err);
        };
        let mounts = format!("/proc/{}/mounts", worker.0.id());
        let began = Instant::now();
        while !std::fs::read_to_string(&mounts).unwrap().contains(&*portal.dir.to_string_lossy()) {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", portal.log());
            thread::sleep(Duration::from_millis(50));
        }
        std::fs::write(&fill, vec![0; 7_700_000]).unwrap();
        watch();
        until("alert.opened");
        std::fs::remove_file(&fill).unwrap();
        watch();
        until("alert.ended");
    }
}
