//! The portal as a process: what it holds while files come in, and what it does and tells when its disk is full or its
//! database gone.

use crate::support::{Office, Running, offices};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// A demo office that is served, and a client of it.
struct Served {
    port: u16,
    token: String,
    process: Running,
}

/// Runs a shell in the office's surroundings.
fn running(office: &Office, mut shell: Command) -> Running {
    for (name, value) in office.command(&[]).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    office.running(shell)
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {} {}", self.status, self.body))
    }
}

impl Served {
    fn new(office: &mut Office) -> Self {
        office.set("SPV_DEMO", true);
        office.set("SPV_LISTEN", "127.0.0.1:0");
        // What is written beyond the limit of a file fails then, as on a full disk, and ends nobody.
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" serve --no-worker", env!("CARGO_BIN_EXE_spvctl")]);
        let mut process = running(office, shell);
        let port = office.port(&mut process, "listening on ");
        let mut served = Self { port, token: String::new(), process };
        served.token =
            served.sign_in("client@example.com").json()["access_token"].as_str().expect("a token").to_owned();
        served
    }

    fn sign_in(&self, email: &str) -> Answer {
        let whose = json!({ "email": email, "password": domain::DEMO_PASSWORD });
        self.send("POST /auth/v1/token?grant_type=password", &whose)
    }

    /// One request on a connection of its own.
    fn ask(&self, what: &str, headers: &[&str], body: &[u8]) -> Answer {
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
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Waits for this status of `/readyz`, whose outcome is cached for a moment (`READY_TTL`).
    fn until_ready_is(&self, wanted: u16, office: &Office) {
        let began = Instant::now();
        while self.ask("GET /readyz", &[], b"").status != wanted {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", office.log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn send(&self, what: &str, body: &Value) -> Answer {
        self.ask(what, &["content-type: application/json"], body.to_string().as_bytes())
    }

    fn upload(&self, bytes: usize) {
        let tus = "tus-resumable: 1.0.0";
        let length = format!("upload-length: {bytes}");
        // deed.pdf
        let name = "upload-metadata: file_name ZGVlZC5wZGY=";
        let announced = self.ask("POST /storage/v1/uploads", &[tus, &length, name], b"");
        assert_eq!(announced.status, 201, "{}", announced.body);
        let there = format!("PATCH {}", announced.header("location").expect("a place"));
        let headers = [tus, "upload-offset: 0", "content-type: application/offset+octet-stream"];
        let kept = self.ask(&there, &headers, &vec![b'%'; bytes]);
        assert_eq!(kept.status, 204, "{}", kept.body);
        assert!(kept.header("spv-document-id").is_some(), "{}", kept.head);
    }

    /// Four at once.
    fn uploads(&self, bytes: usize) {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| self.upload(bytes));
            }
        });
    }

    /// The most memory that the process ever held, in kilobytes.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says");
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// How large a file may become that the process writes.
    fn limit_files(&self, bytes: &str) {
        let pid = self.process.0.id().to_string();
        let done = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:")]).status().unwrap();
        assert!(done.success());
    }
}

#[tokio::test]
async fn a_demo_office_says_how_to_sign_in_and_notes_each_request_without_its_token() {
    for mut office in offices().await {
        let served = Served::new(&mut office);
        let address = format!("http://127.0.0.1:{}/auth/login", served.port);
        for (portal, email) in [
            ("client", "client@example.com"),
            ("employee", "employee@example.com"),
            ("employee", "super@example.com"),
            ("company", "company@example.com"),
            ("iso", "iso@example.com"),
        ] {
            let log = office.log();
            let mut lines = log.lines().filter(|line| line.contains(email));
            let line = lines.next().unwrap_or_else(|| panic!("{email}: {log}"));
            assert!(line.contains(&format!("{address}/{portal} ")) && line.contains(domain::DEMO_PASSWORD), "{line}");
            assert_eq!(served.sign_in(email).status, 200, "{email}");
        }
        let answer = served.ask("GET /rest/v1/spvs?q=maya", &[], b"");
        let id = answer.header("x-request-id").expect("a number").to_owned();
        let log = office.log();
        let line = log.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{id}: {log}"));
        for words in ["method=GET", "route=\"/rest/v1/spvs\"", "status=200", "ms=", "actor_id="] {
            assert!(line.contains(words), "{words}: {line}");
        }
        assert!(!log.contains("maya") && !log.contains(&served.token), "{log}");
    }
}

#[tokio::test]
async fn demo_accounts_sign_in_in_demo_mode_only() {
    for mut office in offices().await {
        let served = Served::new(&mut office);
        drop(served);
        office.set("SPV_DEMO", false);
        let mut process = office.start(&["serve", "--no-worker"]);
        // The log of the first start says a port, too.
        let began = Instant::now();
        while office.log().matches("listening on ").count() < 2 {
            assert!(
                process.0.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(60),
                "{}",
                office.log()
            );
            thread::sleep(Duration::from_millis(50));
        }
        let log = office.log();
        let last = log.rsplit("listening on 127.0.0.1:").next().unwrap();
        let port = last.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        let live = Served { port, token: String::new(), process };
        // Fewer than make the next one wait.
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
async fn demo_mode_starts_on_a_portal_with_many_orders() {
    for mut office in offices().await {
        assert_eq!(office.run(&["seed", "--spvs", "1200", "--companies", "2"]).code, 0);
        let served = Served::new(&mut office);
        assert_eq!(served.ask("GET /readyz", &[], b"").status, 200);
    }
}

#[tokio::test]
async fn a_larger_file_takes_no_more_memory() {
    let mut office = Office::sqlite().await;
    let served = Served::new(&mut office);
    // More than a piece each: from now on every buffer has been as large as it gets.
    for _ in 0..2 {
        served.uploads(6 << 20);
    }
    let before = served.peak();
    served.uploads(24 << 20);
    let grown = served.peak() - before;
    // The files are 72 MB larger together.
    assert!(grown < 32 << 10, "{grown} kB more than {before} kB");
}

#[tokio::test]
async fn while_its_disk_takes_nothing_the_portal_reads_and_afterwards_it_writes() {
    let mut office = Office::sqlite().await;
    let served = Served::new(&mut office);
    let moves_to = |zone: &str| served.send("PATCH /rest/v1/me", &json!({ "time_zone": zone }));
    let zone = || {
        let me = served.ask("GET /rest/v1/me", &[], b"");
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
        assert_eq!(served.ask("GET /rest/v1/spvs?limit=5", &[], b"").status, 200);
        assert_eq!(served.ask("GET /healthz", &[], b"").status, 200);
    }
    served.until_ready_is(503, &office);
    served.limit_files("unlimited");
    let began = Instant::now();
    loop {
        let answer = moves_to("Europe/Madrid");
        if answer.status == 200 {
            break;
        }
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(began.elapsed() < Duration::from_secs(10), "{}", office.log());
        thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(zone(), "Europe/Madrid");
    served.until_ready_is(200, &office);
}

#[tokio::test]
async fn while_its_database_is_moved_away_the_portal_keeps_nothing_and_says_so() {
    let mut office = Office::sqlite().await;
    let served = Served::new(&mut office);
    let moves_to = |zone: &str| served.send("PATCH /rest/v1/me", &json!({ "time_zone": zone }));
    let is_soon = |wanted: u16| served.until_ready_is(wanted, &office);
    assert_eq!(moves_to("Asia/Tokyo").status, 200);
    is_soon(200);
    let file = office.world.dir.0.join("spv.db");
    let away = file.with_extension("away");
    std::fs::rename(&file, &away).unwrap();
    is_soon(503);
    assert!(office.log().contains("spv.db is gone while it is open"), "{}", office.log());
    let refused = moves_to("Europe/Madrid");
    assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("unavailable")), "{}", refused.body);
    assert_eq!(served.ask("GET /healthz", &[], b"").status, 200);
    // Beside the log of the old one nobody makes a new one, which would begin with deleting it.
    for command in ["doctor", "migrate"] {
        let done = office.run(&[command]);
        assert_ne!(done.code, 0, "{command}: {}", done.out);
        assert!(!file.exists(), "{command}");
    }
    std::fs::rename(&away, &file).unwrap();
    is_soon(200);
    let me = served.ask("GET /rest/v1/me", &[], b"");
    assert_eq!((me.status, me.json()["time_zone"].as_str()), (200, Some("Asia/Tokyo")), "{}", me.body);
    assert_eq!(moves_to("Europe/Madrid").status, 200);
}

#[tokio::test]
async fn a_disk_that_fills_up_is_told_of_until_there_is_room() {
    // A disk of its own for one process, without being root. Where the machine forbids that, only the rule itself is
    // tested, with what a full disk would say.
    let alone = ["--map-root-user", "--mount"];
    let mut probe = Command::new("unshare");
    probe.args(alone).args(["sh", "-c", "mount -t tmpfs tmpfs \"$0\""]).arg(std::env::temp_dir());
    if !probe.status().is_ok_and(|done| done.success()) {
        eprintln!("not tested: this machine allows no disk of its own for a process");
        return;
    }
    for office in offices().await {
        assert_eq!(office.run(&["migrate"]).code, 0);
        std::fs::create_dir_all(&office.dir).unwrap();
        let mut shell = Command::new("unshare");
        let small = "mount -t tmpfs -o size=8m tmpfs \"$SPV_DATA_DIR\" && exec \"$0\" worker";
        shell.args(alone).args(["sh", "-c", small, env!("CARGO_BIN_EXE_spvctl")]);
        let worker = running(&office, shell);
        // Its disk, from outside.
        let fill = format!("/proc/{}/root{}/fill", worker.0.id(), office.dir.display());
        let newest = || {
            let log = office.json(&["activity", "list", "--limit", "500"]);
            let told = log.as_array().unwrap().iter().find(|row| row["subject"] == "disk");
            told.map(|row| row["action"].as_str().unwrap().to_owned())
        };
        let until = |wanted: &str| {
            let began = Instant::now();
            while newest().as_deref() != Some(wanted) {
                assert!(began.elapsed() < Duration::from_secs(60), "{:?} {}", newest(), office.log());
                thread::sleep(Duration::from_millis(300));
            }
        };
        let watch = || {
            let done = office.run(&["job", "run", "portal.watch"]);
            assert_eq!(done.code, 0, "{}", done.err);
        };
        let mounts = format!("/proc/{}/mounts", worker.0.id());
        let began = Instant::now();
        while !std::fs::read_to_string(&mounts).unwrap().contains(&*office.dir.to_string_lossy()) {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", office.log());
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
