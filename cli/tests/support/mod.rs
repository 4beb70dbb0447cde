//! A folder and a database of its own for each test, and the real binary on them.

use domain::testing::World;
use serde_json::Value;
use std::{
    io::Write,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

/// A portal's surroundings: data folder, database, environment.
pub struct Office {
    pub dir: PathBuf,
    environment: Vec<(String, String)>,
    pub world: World,
}

/// What a command did.
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Office {
    pub fn on(world: World) -> Self {
        let dir = world.dir.0.join("data");
        let url = world.url.clone();
        Self { environment: vec![("SPV_DATABASE_URL".to_owned(), url)], dir, world }
    }

    pub async fn sqlite() -> Self {
        Self::on(World::sqlite().await)
    }

    /// None where no server is named; `make test` names one.
    pub async fn postgres() -> Option<Self> {
        World::postgres().await.map(Self::on)
    }

    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.environment.push((name.to_owned(), value.to_string()));
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = spvctl(args);
        command.env("SPV_DATA_DIR", &self.dir).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, args: &[&str]) -> Done {
        self.command(args).output().unwrap().into()
    }

    /// Runs a command that has to succeed, and reads its JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let done = self.run(&[args, &["--format", "json"]].concat());
        assert_eq!(done.code, 0, "{args:?}: {}", done.err);
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", done.out))
    }

    /// Starts something that keeps running.
    pub fn start(&self, args: &[&str]) -> Running {
        self.running(self.command(args))
    }

    pub fn running(&self, mut command: Command) -> Running {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.dir.with_extension("log")).unwrap();
        Running(command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.with_extension("log")).unwrap_or_default()
    }

    /// The port behind these words, once the process has said where it listens: the system picks it, as one that is
    /// picked before may be lost meanwhile.
    pub fn port(&self, process: &mut Running, words: &str) -> u16 {
        let began = Instant::now();
        loop {
            let log = self.log();
            let said = log.lines().find_map(|line| line.split_once(words)?.1.strip_prefix("127.0.0.1:"));
            if let Some((port, _)) = said.and_then(|said| said.split_once(|c: char| !c.is_ascii_digit())) {
                return port.parse().unwrap();
            }
            assert!(process.0.try_wait().unwrap().is_none(), "it has ended: {log}");
            assert!(began.elapsed() < Duration::from_secs(120), "nobody listens: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A company and a client of it, the first made with flags only.
    pub fn client(&self, email: &str) -> Value {
        self.run(&["company", "create", "--name", "Harbor Capital", "--business-name", "Harbor Capital LLC"]);
        self.json(&[
            "client",
            "create",
            "--setup",
            "quick",
            "--first-name",
            "Maya",
            "--last-name",
            "Ortiz",
            "--email",
            email,
            "--company",
            "Harbor Capital",
            "--price",
            "1250.00",
        ])
    }

    /// Waits until the outbox is as `wanted` says.
    pub fn mails(&self, limit: Duration, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        self.until(&["mail", "list"], limit, wanted)
    }

    /// Waits until what a command lists is as `wanted` says.
    pub fn until(&self, list: &[&str], limit: Duration, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let listed = self.json(list).as_array().cloned().unwrap();
            if wanted(&listed) {
                return listed;
            }
            assert!(began.elapsed() < limit, "{list:?} after {limit:?}: {listed:#?}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

/// One on SQLite and, where a server is named, one on PostgreSQL.
pub async fn offices() -> Vec<Office> {
    let mut offices = vec![Office::sqlite().await];
    offices.extend(Office::postgres().await);
    offices
}

/// The binary without settings of whoever runs the tests.
pub fn spvctl(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spvctl"));
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPV_")) {
        command.env_remove(name);
    }
    // Nobody waits for a load balancer here.
    command.env("SPV_DRAIN_SECONDS", "0");
    command
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A process that goes with the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Asks it to stop, and waits.
    pub fn stop(&mut self) -> i32 {
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        self.0.wait().unwrap().code().unwrap_or(-1)
    }
}

/// A port that nobody uses now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The interpreter that has aiosmtpd, by the same search as `make test`.
pub fn python() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/python.sh");
    let found = Command::new("sh").arg(script).output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// What a mail server does with mails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mails {
    Take,
    /// The first is kept waiting for its answer, and a file `held` says so.
    HoldFirst,
    /// Each is refused for good, until there is a file `taken`.
    Refuse,
}

/// A real SMTP server as a process of its own, Debian's python3-aiosmtpd. Each mail becomes a file in `dir`.
pub fn smtp_server(port: u16, dir: &Path, mails: Mails) -> Running {
    const SERVER: &str = r#"
import asyncio, os, sys
from aiosmtpd.controller import Controller
port, folder, mails = int(sys.argv[1]), sys.argv[2], sys.argv[3]
class Handler:
    async def handle_DATA(self, server, session, envelope):
        if mails == "refuse" and not os.path.exists(os.path.join(folder, "taken")):
            return "554 5.7.1 not from you"
        held = os.path.join(folder, "held")
        if mails == "hold" and not os.path.exists(held):
            open(held, "wb").write(envelope.content)
            await asyncio.sleep(600)
        names = [name for name in os.listdir(folder) if name.endswith(".eml")]
        path = os.path.join(folder, "%04d.eml" % len(names))
        open(path + ".part", "wb").write(envelope.content)
        os.rename(path + ".part", path)
        return "250 OK"
Controller(Handler(), hostname="127.0.0.1", port=port).start()
print("ready", flush=True)
sys.stdin.read()
"#;
    std::fs::create_dir_all(dir).unwrap();
    let mails = match mails {
        Mails::Take => "take",
        Mails::HoldFirst => "hold",
        Mails::Refuse => "refuse",
    };
    let mut child = Command::new(python())
        .args(["-c", SERVER, &port.to_string(), dir.to_str().unwrap(), mails])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut ready).unwrap();
    assert_eq!(ready.trim(), "ready");
    Running(child)
}

/// The mails in a folder, decoded enough to be read.
pub fn received(dir: &Path) -> Vec<String> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    names.sort();
    names.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

pub fn write(path: &Path, text: &str) {
    std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}
