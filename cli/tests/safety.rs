//! Commands that must not surprise an operator: which of them make a portal, what they leave alone, and who may read what
//! they write.

use crate::support::{Done, Office, Running, offices, spvctl};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant, SystemTime},
};

/// Every file below a folder, with its content.
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

/// Commands that need a portal that is there.
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
fn commands_that_need_a_portal_make_none_and_say_how() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> Done { spvctl(args).current_dir(dir.path()).output().unwrap().into() };
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
    // A new office's first account is asked about.
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
async fn an_empty_postgresql_database_stays_empty() {
    let Some(office) = Office::postgres().await else { return };
    let mut tx = office.world.db.begin().await.unwrap();
    for sql in ["drop schema public cascade", "drop schema apalis cascade", "create schema public"] {
        domain::kernel::db::Sql::sql(&mut tx, sql).run().await.unwrap();
    }
    tx.commit().await.unwrap();
    for args in [&["client", "list"][..], &["doctor"], &["migrate", "--check"], &["key", "list"]] {
        let done = office.run(args);
        assert_eq!(done.code, 1, "{args:?}: {}", done.err);
        assert!(done.err.to_lowercase().contains("no portal in the database postgres"), "{args:?}: {}", done.err);
    }
    assert!(office.world.db.is_empty().await.unwrap() && !office.dir.exists());
}

#[test]
fn another_programs_file_is_refused_and_not_written() {
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
        let done: Done = spvctl(args).env("SPV_DATA_DIR", dir.path()).output().unwrap().into();
        assert_eq!(done.code, 1, "{args:?}: {} {}", done.out, done.err);
        assert!(done.err.contains("is not a portal's database; nothing was written"), "{args:?}: {}", done.err);
        assert!(files(dir.path()) == before, "{args:?}: {:?}", files(dir.path()).keys());
    }
    let place = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| -> Done { spvctl(args).env("SPV_DATA_DIR", place.path()).output().unwrap().into() };
    assert_eq!(run(&["migrate"]).code, 0);
    let moved = run(&["--yes", "move", "--to", &format!("sqlite:{}", dir.path().join("spv.db").display())]);
    assert!(moved.code == 1 && moved.err.contains("is not a portal's database"), "{}", moved.err);
    assert!(files(dir.path()) == before);
}

#[tokio::test]
async fn seed_refuses_a_portal_in_use_unless_it_is_a_demo() {
    for mut office in offices().await {
        office.client("maya@example.com");
        let before = [office.json(&["spv", "list"]), office.json(&["user", "list"])];
        for args in [&["seed"][..], &["seed", "--demo"], &["seed", "--spvs", "5"], &["--yes", "seed", "--demo"]] {
            let done = office.run(args);
            assert_eq!(done.code, 1, "{args:?}: {}", done.out);
            assert!(done.err.contains("is in use") && done.err.contains("SPV_DEMO=true"), "{args:?}: {}", done.err);
        }
        assert_eq!([office.json(&["spv", "list"]), office.json(&["user", "list"])], before);
        office.set("SPV_DEMO", true);
        assert_eq!(office.run(&["seed"]).code, 0);
    }
}

#[tokio::test]
async fn what_commands_did_without_a_server_is_in_the_log() {
    for office in offices().await {
        office.client("maya@example.com");
        let listed = office.json(&["activity", "list", "--limit", "500"]);
        let actions: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
        assert!(actions.contains(&"client.created") && actions.contains(&"spv.created"), "{actions:?}");
        let verified = office.run(&["activity", "verify"]);
        let whole = format!("The log is whole: {} entries.", actions.len());
        assert!(verified.code == 0 && verified.err.contains(&whole), "{} {}", verified.out, verified.err);
        assert!(office.run(&["export", "activity"]).out.lines().count() > actions.len());
        // What is written last has its number before the command ends: taken out, it is missed.
        let mut tx = office.world.db.begin().await.unwrap();
        let waiting: i64 = domain::kernel::db::Sql::sql(&mut tx, "select count(*) from activity where seq is null")
            .scalar()
            .await
            .unwrap();
        assert_eq!(waiting, 0);
    }
}

#[cfg(unix)]
#[test]
fn the_data_folder_is_its_owners_alone_whatever_made_it() {
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
        let done: Done = shell.stdin(Stdio::null()).output().unwrap().into();
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

/// Waits until `done`, and fails when the process ends before.
fn until(process: &mut Running, office: &Office, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(process.0.try_wait().unwrap().is_none(), "it has ended: {}", office.log());
        assert!(began.elapsed() < Duration::from_secs(120), "{}", office.log());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "files bear the time of the system's clock")]
async fn a_demo_that_is_killed_while_it_is_made_begins_anew() {
    for mut office in offices().await {
        office.set("SPV_DEMO", true);
        office.set("SPV_LISTEN", "127.0.0.1:0");
        let room = office.dir.join(".demo");
        // A killed process leaves its files: only what is written after the next one was started is of that one.
        let began = std::cell::Cell::new(SystemTime::now());
        let grown = |file: &str, bytes: u64| {
            fs::metadata(room.join(file))
                .is_ok_and(|about| about.len() >= bytes && about.modified().is_ok_and(|at| at >= began.get()))
        };
        let moments: [&dyn Fn() -> bool; 4] = [
            &|| grown("", 0),
            &|| grown("demo.db-wal", 3 << 20),
            // All rows are made, and are on their way.
            &|| grown("tables", 0),
            &|| grown("tables/users.jsonl.gz", 1),
        ];
        for reached in moments {
            began.set(SystemTime::now());
            let mut process = office.start(&["serve", "--no-worker"]);
            until(&mut process, &office, reached);
            // SIGKILL
            drop(process);
            assert!(office.json(&["user", "list"]).as_array().unwrap().is_empty(), "nothing of it is there");
        }
        began.set(SystemTime::now());
        let mut interrupted = office.start(&["serve", "--no-worker"]);
        until(&mut interrupted, &office, || grown("demo.db-wal", 1 << 20));
        let _ = Command::new("kill").args(["-INT", &interrupted.0.id().to_string()]).status();
        assert_eq!(interrupted.0.wait().unwrap().code(), Some(0), "{}", office.log());
        let mut process = office.start(&["serve", "--no-worker"]);
        office.port(&mut process, "listening on ");
        let users = office.json(&["user", "list", "--limit", "500"]);
        assert!(users.as_array().unwrap().iter().any(|user| user["email"] == "super@example.com"));
        assert_eq!(office.run(&["activity", "verify"]).code, 0);
        assert!(!room.exists(), "nothing is left over");
    }
}
