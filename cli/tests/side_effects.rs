//! Side effects of commands: which of them create a portal, what they do not change, and file permissions.

use crate::support::{CommandOutput, Running, TestPortal, spvctl, test_portals};
use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant, SystemTime},
};

/// Paths and contents of all files below a folder.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.insert(path.display().to_string(), Vec::new());
            found.append(&mut files(&path));
        } else {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    found
}

fn sqlite(file: &Path, sql: &str) {
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).executescript(sys.argv[2])";
    let done = Command::new("python3").args(["-c", script]).arg(file).arg(sql).status().unwrap();
    assert!(done.success());
}

/// Commands that need an existing portal.
const NEED_A_PORTAL: [&[&str]; 19] = [
    &["client", "list"],
    &["spv", "show", "NOPE"],
    &["key", "list"],
    &["key", "rotate"],
    &["doctor"],
    &["doctor", "--recount"],
    &["migrate", "--check"],
    &["activity", "list"],
    &["activity", "verify"],
    &["export", "spvs"],
    &["import", "clients", "/dev/null"],
    &["job", "list"],
    &["mail", "list"],
    &["settings", "show"],
    &["security", "show"],
    &["user", "list"],
    &["backup", "create"],
    &["backup", "list"],
    &["--yes", "move", "--to", "sqlite:there.db"],
];

#[test]
fn commands_that_need_a_portal_do_not_create_one() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> CommandOutput { spvctl(args).current_dir(dir.path()).output().unwrap().into() };
    for args in NEED_A_PORTAL {
        let done = run(args);
        assert_eq!(done.code, 1, "{args:?}: {} {}", done.out, done.err);
        assert!(files(dir.path()).is_empty(), "{args:?}: {:?}", files(dir.path()).keys());
        if args != ["migrate", "--check"] {
            let said = "error: no portal in ./data (SPV_DATA_DIR is not set); run `spvctl migrate` to make one, or give --data-dir\n";
            assert_eq!(done.err, said, "{args:?}");
        }
    }
    let named = run(&["client", "list", "--data-dir", "elsewhere"]);
    assert_eq!(named.err, "error: no portal in elsewhere; run `spvctl migrate` to make one, or give --data-dir\n");
    let named = run(&["client", "list", "--database-url", "sqlite:gone.db"]);
    let said =
        "error: no portal in the database sqlite:gone.db; run `spvctl migrate` to make one, or give --database-url\n";
    assert_eq!(named.err, said);
    // The first account of a new portal needs a confirmation.
    let ada = [
        "user",
        "create",
        "--role",
        "super_admin",
        "--first-name",
        "Ada",
        "--last-name",
        "A",
        "--email",
        "a@a.example",
    ];
    let asked = run(&ada);
    assert_eq!(asked.code, 2, "{}", asked.err);
    assert!(asked.err.contains("There is no portal in ./data") && asked.err.contains("--yes"), "{}", asked.err);
    assert!(files(dir.path()).is_empty());
    let made = run(&[&["--yes"], &ada[..]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(run(&["user", "list"]).code, 0);
}

#[tokio::test]
async fn read_commands_leave_an_empty_postgresql_database_empty() {
    let Some(portal) = TestPortal::postgres().await else { return };
    let mut tx = portal.world.db.begin().await.unwrap();
    for sql in ["drop schema public cascade", "drop schema apalis cascade", "create schema public"] {
        domain::kernel::db::Sql::sql(&mut tx, sql).run().await.unwrap();
    }
    tx.commit().await.unwrap();
    for args in [&["client", "list"][..], &["doctor"], &["migrate", "--check"], &["key", "list"]] {
        let done = portal.run(args);
        assert_eq!(done.code, 1, "{args:?}: {}", done.err);
        assert!(done.err.to_lowercase().contains("no portal in the database postgres"), "{args:?}: {}", done.err);
    }
    assert!(portal.world.db.is_empty().await.unwrap() && !portal.dir.exists());
}

#[test]
fn foreign_sqlite_file_is_refused_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    sqlite(&dir.path().join("spv.db"), "create table x (a); insert into x values (1)");
    let before = files(dir.path());
    let makers: [&[&str]; 6] = [
        &["migrate"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["worker"],
        &["seed"],
        &["--yes", "backup", "restore", "20261122-021000-6f1c"],
        &[
            "--yes",
            "user",
            "create",
            "--role",
            "employee",
            "--first-name",
            "E",
            "--last-name",
            "S",
            "--email",
            "e@e.example",
        ],
    ];
    for args in makers.iter().chain(&NEED_A_PORTAL) {
        let done: CommandOutput = spvctl(args).env("SPV_DATA_DIR", dir.path()).output().unwrap().into();
        assert_eq!(done.code, 1, "{args:?}: {} {}", done.out, done.err);
        assert!(done.err.contains("is not a portal's database; nothing was written"), "{args:?}: {}", done.err);
        assert!(files(dir.path()) == before, "{args:?}: {:?}", files(dir.path()).keys());
    }
    let place = tempfile::tempdir().unwrap();
    let run =
        |args: &[&str]| -> CommandOutput { spvctl(args).env("SPV_DATA_DIR", place.path()).output().unwrap().into() };
    assert_eq!(run(&["migrate"]).code, 0);
    let moved = run(&["--yes", "move", "--to", &format!("sqlite:{}", dir.path().join("spv.db").display())]);
    assert!(moved.code == 1 && moved.err.contains("is not a portal's database"), "{}", moved.err);
    assert!(files(dir.path()) == before);
}

#[tokio::test]
async fn seed_refuses_a_portal_in_use_outside_demo_mode() {
    for mut portal in test_portals().await {
        portal.client("maya@example.com");
        let before = [portal.json(&["spv", "list"]), portal.json(&["user", "list"])];
        for args in [&["seed"][..], &["seed", "--demo"], &["seed", "--spvs", "5"], &["--yes", "seed", "--demo"]] {
            let done = portal.run(args);
            assert_eq!(done.code, 1, "{args:?}: {}", done.out);
            assert!(done.err.contains("is in use") && done.err.contains("SPV_DEMO=true"), "{args:?}: {}", done.err);
        }
        assert_eq!([portal.json(&["spv", "list"]), portal.json(&["user", "list"])], before);
        portal.set("SPV_DEMO", true);
        assert_eq!(portal.run(&["seed"]).code, 0);
    }
}

#[tokio::test]
async fn what_people_notice_needs_a_yes() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let make = |email: &str, role: &str| {
        let names = ["--first-name", "Ada", "--last-name", "A"];
        portal.json(&[&["user", "create", "--role", role, "--email", email], &names[..]].concat());
    };
    make("ada@example.com", "super_admin");
    make("eli@example.com", "employee");
    let mail = portal.json(&["mail", "list"])[0]["id"].as_str().unwrap().to_owned();
    let refused: [&[&str]; 17] = [
        &["client", "invite", "maya@example.com"],
        &["client", "suspend", "maya@example.com"],
        &["client", "archive", "maya@example.com"],
        &["company", "archive", "Harbor Capital"],
        &["company", "delete", "Harbor Capital"],
        &["user", "role", "eli@example.com", "super_admin"],
        &["user", "suspend", "eli@example.com"],
        &["user", "archive", "eli@example.com"],
        &["user", "restore", "eli@example.com"],
        &["user", "invite", "eli@example.com"],
        &["user", "reset-mfa", "eli@example.com"],
        &["user", "sign-out", "eli@example.com"],
        &["spv", "hold", "SPV-2026-001", "--reason", "Bank"],
        &["spv", "cancel", "SPV-2026-001", "--reason", "Bank"],
        &["mail", "resend", &mail],
        &["maintenance", "on"],
        &["security", "block", "203.0.113.0/24"],
    ];
    let spv = portal.json(&["spv", "list"])[0]["identifier"].as_str().unwrap().to_owned();
    let before = portal.json(&["activity", "list", "--limit", "500"]);
    for args in refused {
        let args: Vec<&str> = args.iter().map(|arg| if *arg == "SPV-2026-001" { spv.as_str() } else { arg }).collect();
        let done = portal.run(&args);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{args:?}: {}", done.err);
        assert!(done.err.contains("? ") && done.err.contains("Give --yes"), "{args:?}: {}", done.err);
    }
    assert_eq!(portal.json(&["activity", "list", "--limit", "500"]), before);
    assert_eq!(portal.run(&["client", "suspend", "maya@example.com", "--yes"]).code, 0);
    assert_eq!(portal.json(&["client", "show", "maya@example.com"])["status"], "suspended");
}

#[tokio::test]
async fn payouts_name_partners_and_sums_before_the_yes() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_DEMO", true);
    assert_eq!(portal.run(&["seed", "--demo"]).code, 0);
    portal.json(&["commission", "approve", "--all", "--iso", "iso@example.com"]);
    let nothing = portal.run(&["commission", "approve", "--all", "--iso", "iso@example.com"]);
    assert_eq!((nothing.code, nothing.err.contains("nothing is pending")), (1, true), "{}", nothing.err);
    let refused = portal.run(&["commission", "pay"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    let opened = portal.json(&["commission", "pay"]);
    let payouts = opened["payouts"].as_array().unwrap();
    let amount = |payout: &serde_json::Value| payout["amount"].as_str().unwrap().parse::<f64>().unwrap();
    let sum = format!("USD {:.2}", payouts.iter().map(amount).sum::<f64>());
    assert!(refused.err.contains(&format!("partners, {sum} (")), "{}", refused.err);
    for payout in payouts {
        let (iso, amount) = (payout["iso"].as_str().unwrap(), payout["amount"].as_str().unwrap());
        assert!(refused.err.contains(&format!("{iso} USD {amount}")), "{}", refused.err);
    }
    let refused = portal.run(&["commission", "pay", opened["run"].as_str().unwrap()]);
    assert_eq!((refused.code, refused.err.contains(&format!(", {sum}, as made?"))), (2, true), "{}", refused.err);
    let empty = portal.run(&["commission", "pay"]);
    assert_eq!((empty.code, empty.err.contains("no approved commissions")), (1, true), "{}", empty.err);
}

#[tokio::test]
async fn the_last_super_admin_of_the_offices_own_stays() {
    for mut portal in test_portals().await {
        for email in ["ada@example.com", "super@example.com"] {
            let mut made = portal.command(&["user", "create", "--role", "super_admin", "--email", email]);
            made.args(["--first-name", "Ada", "--last-name", "Admin", "--password-stdin"]).stdin(Stdio::piped());
            let mut made = made.stdout(Stdio::null()).spawn().unwrap();
            made.stdin.take().unwrap().write_all(b"a-long-uncommon-password").unwrap();
            assert!(made.wait().unwrap().success());
        }
        let verbs: [&[&str]; 3] = [
            &["archive", "ada@example.com"],
            &["suspend", "ada@example.com"],
            &["role", "ada@example.com", "employee"],
        ];
        for verb in verbs {
            let done = portal.run(&[&["user"], verb, &["--yes"]].concat());
            assert_eq!((done.code, done.err.contains("the last super admin")), (1, true), "{verb:?}: {}", done.err);
        }
        // In demo mode the demo's super admin can sign in, and takes over.
        portal.set("SPV_DEMO", true);
        assert_eq!(portal.run(&["user", "archive", "ada@example.com", "--yes"]).code, 0);
    }
}

#[tokio::test]
async fn activity_of_commands_is_numbered_without_a_server() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let listed = portal.json(&["activity", "list", "--limit", "500"]);
        let actions: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
        assert!(actions.contains(&"client.created") && actions.contains(&"spv.created"), "{actions:?}");
        let verified = portal.run(&["activity", "verify"]);
        let whole = format!("The log is whole: {} entries.", actions.len());
        assert!(verified.code == 0 && verified.err.contains(&whole), "{} {}", verified.out, verified.err);
        assert!(portal.run(&["export", "activity"]).out.lines().count() > actions.len());
        // Entries are numbered before the command ends, so that removing one is detected.
        let mut tx = portal.world.db.begin().await.unwrap();
        let waiting: i64 = domain::kernel::db::Sql::sql(&mut tx, "select count(*) from activity where seq is null")
            .scalar()
            .await
            .unwrap();
        assert_eq!(waiting, 0);
    }
}

#[cfg(unix)]
#[test]
fn data_folder_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("state/spv");
    fs::create_dir_all(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(data.join("spv.db"), b"").unwrap();
    fs::set_permissions(data.join("spv.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let run = |args: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_spvctl")]).args(args);
        shell.env_clear().env("SPV_DATA_DIR", &data).env("PATH", std::env::var_os("PATH").unwrap());
        let done: CommandOutput = shell.stdin(Stdio::null()).output().unwrap().into();
        assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    };
    run(&["migrate"]);
    run(&["key", "list"]);
    run(&["backup", "create"]);
    run(&["export", "spvs", "--out", data.join("spvs.csv").to_str().unwrap()]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for path in files(&data).keys() {
        let open = mode(Path::new(path)) & 0o077;
        assert_eq!(open, 0, "{path}");
    }
    assert_eq!(mode(&data.join("spv.db")), 0o600);
}

/// Waits until `done`; fails if the process exits before.
fn until(process: &mut Running, portal: &TestPortal, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(process.0.try_wait().unwrap().is_none(), "it has ended: {}", portal.log());
        assert!(began.elapsed() < Duration::from_secs(120), "{}", portal.log());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "files bear the time of the system's clock")]
async fn demo_seed_restarts_after_a_kill() {
    for mut portal in test_portals().await {
        portal.set("SPV_DEMO", true);
        portal.set("SPV_LISTEN", "127.0.0.1:0");
        let room = portal.dir.join(".demo");
        // Files of the killed process remain, so only newer ones count for the next process.
        let began = std::cell::Cell::new(SystemTime::now());
        let grown = |file: &str, bytes: u64| {
            fs::metadata(room.join(file))
                .is_ok_and(|about| about.len() >= bytes && about.modified().is_ok_and(|at| at >= began.get()))
        };
        let moments: [&dyn Fn() -> bool; 4] = [
            &|| grown("", 0),
            &|| grown("demo.db-wal", 3 << 20),
            // All rows are generated and being written.
            &|| grown("tables", 0),
            &|| grown("tables/users.jsonl.gz", 1),
        ];
        for reached in moments {
            began.set(SystemTime::now());
            let mut process = portal.start(&["serve", "--no-worker"]);
            until(&mut process, &portal, reached);
            // SIGKILL
            drop(process);
            assert!(portal.json(&["user", "list"]).as_array().unwrap().is_empty(), "nothing of it is there");
        }
        began.set(SystemTime::now());
        let mut interrupted = portal.start(&["serve", "--no-worker"]);
        until(&mut interrupted, &portal, || grown("demo.db-wal", 1 << 20));
        let _ = Command::new("kill").args(["-INT", &interrupted.0.id().to_string()]).status();
        assert_eq!(interrupted.0.wait().unwrap().code(), Some(0), "{}", portal.log());
        let mut process = portal.start(&["serve", "--no-worker"]);
        portal.port(&mut process, "listening on ");
        let users = portal.json(&["user", "list", "--limit", "500"]);
        assert!(users.as_array().unwrap().iter().any(|user| user["email"] == "super@example.com"));
        assert_eq!(portal.run(&["activity", "verify"]).code, 0);
        assert!(!room.exists(), "nothing is left over");
    }
}
