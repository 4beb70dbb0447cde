//! Fixtures: a data folder and database per test, the real binary, an SMTP server.

use domain::testing::World;
use serde_json::Value;
use std::{
    io::Write,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

/// A test portal: data folder, database, environment variables.
pub struct TestPortal {
    pub dir: PathBuf,
    environment: Vec<(String, String)>,
    pub world: World,
}

/// Exit code and output of a command.
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl TestPortal {
    pub fn on(world: World) -> Self {
        let dir = world.dir.path.join("data");
        let url = world.url.clone();
        Self { environment: vec![("SPV_DATABASE_URL".to_owned(), url)], dir, world }
    }

    pub async fn sqlite() -> Self {
        Self::on(World::sqlite().await)
    }

    /// `None` without a configured PostgreSQL server; `make test` configures one.
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

    pub fn run(&self, args: &[&str]) -> CommandOutput {
        self.command(args).output().unwrap().into()
    }

    /// Runs a command with `--yes`, asserts success and parses its JSON; of a list its items.
    pub fn json(&self, args: &[&str]) -> Value {
        let done = self.run(&[args, &["--yes", "--format", "json"]].concat());
        assert_eq!(done.code, 0, "{args:?}: {}", done.err);
        let mut data: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", done.out));
        if data.get("next_cursor").is_some() { data["items"].take() } else { data }
    }

    /// The JSON that a command prints, with any exit code.
    pub fn json_unchecked(&self, args: &[&str]) -> Value {
        let done = self.run(&[args, &["--format", "json"]].concat());
        serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{args:?}: {e}: {}{}", done.out, done.err))
    }

    /// Checks of `spvctl doctor` that failed. Disks are left out: the one of the tests may be nearly full.
    pub fn failed_checks(&self) -> Vec<String> {
        let done = self.run(&["doctor", "--format", "json"]);
        let found: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {}{}", done.out, done.err));
        let failed = found["items"].as_array().unwrap().iter().filter(|check| check["state"] == "failed");
        let names = failed.map(|check| check["check"].as_str().unwrap().to_owned());
        // Most test portals have no super admin, and the machine has what disk it has.
        names.filter(|name| !["disk", "backup_disk", "super_admins"].contains(&name.as_str())).collect()
    }

    /// Starts a long-running command; its output goes to [`Self::log`].
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

    /// Waits for the port that the process logs after `words`. The system assigns it, as a free port chosen before could be
    /// taken meanwhile.
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

    /// Creates a company and a client in it.
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

    /// Waits until the mails of the outbox satisfy `wanted`.
    pub fn mails(&self, limit: Duration, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        self.until(&["mail", "list"], limit, wanted)
    }

    /// Waits until the JSON list that a command prints satisfies `wanted`.
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

/// A portal on SQLite and, if a server is configured, one on PostgreSQL.
pub async fn test_portals() -> Vec<TestPortal> {
    let mut portals = vec![TestPortal::sqlite().await];
    portals.extend(TestPortal::postgres().await);
    portals
}

/// The binary without `SPV_…` variables of the surrounding environment.
pub fn spvctl(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spvctl"));
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPV_")) {
        command.env_remove(name);
    }
    // There is no load balancer to wait for.
    command.env("SPV_DRAIN_SECONDS", "0");
    command
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A child process, killed on drop.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Sends SIGTERM and waits for the exit code.
    pub fn stop(&mut self) -> i32 {
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        self.0.wait().unwrap().code().unwrap_or(-1)
    }
}

/// A port that is free at the moment.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The Python interpreter with aiosmtpd, found as by `make test`.
pub fn python() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/python.sh");
    let found = Command::new("sh").arg(script).output().unwrap();
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    String::from_utf8(found.stdout).unwrap().trim().to_owned()
}

/// Behaviour of the test SMTP server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SmtpBehavior {
    Take,
    /// Delays the reply to the first mail and creates a file `held`.
    HoldFirst,
    /// Refuses every mail permanently until a file `taken` exists.
    Refuse,
}

/// Starts a real SMTP server (python3-aiosmtpd) that writes each mail to a file in `dir`.
pub fn smtp_server(port: u16, dir: &Path, mails: SmtpBehavior) -> Running {
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
        SmtpBehavior::Take => "take",
        SmtpBehavior::HoldFirst => "hold",
        SmtpBehavior::Refuse => "refuse",
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

/// The raw mails in a folder, sorted by name.
pub fn received(dir: &Path) -> Vec<String> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    names.sort();
    names.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

pub fn write(path: &Path, text: &str) {
    std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}
