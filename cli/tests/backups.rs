//! `spvctl backup` and `spvctl move`.

use crate::support::{CommandOutput, TestPortal, spvctl, test_portals};
use domain::{kernel::db::Sql, testing::World};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Takes the newest migration back, as an older program left the database.
pub async fn migrate_back(world: &World) {
    let mut tx = world.db.begin().await.unwrap();
    for sql in ["drop table saved_views", "delete from _sqlx_migrations where version = 4"] {
        tx.sql(sql).run().await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Runs a command for another portal with the same backup folder.
fn run_on_other_portal(portal: &TestPortal, dir: &Path, args: &[&str]) -> CommandOutput {
    let mut command = spvctl(args);
    command.env("SPV_DATA_DIR", dir).env("SPV_BACKUP_DIR", portal.dir.join("backups"));
    command.output().unwrap().into()
}

#[tokio::test]
async fn backup_of_a_running_portal_restores_on_a_new_machine() {
    for portal in test_portals().await {
        let client = portal.client("maya@example.com");
        let _worker = portal.start(&["worker"]);
        assert!(portal.run(&["backup", "list"]).err.contains("No backups."));
        let note = portal.run(&["doctor"]).out;
        assert!(note.contains("spvctl backup create"), "{note}");
        let made = portal.json(&["backup", "create"]);
        let id = made["id"].as_str().unwrap();
        assert_eq!(made["state"], "done");
        assert!(made["rows"].as_i64().unwrap() > 50, "{made}");
        assert_eq!(portal.json(&["backup", "list"])[0]["id"], id);
        assert!(portal.run(&["doctor"]).out.contains(&format!("{id}, completed less than an hour ago")));
        let checked = portal.run(&["backup", "verify", id]);
        assert_eq!(checked.code, 0, "{}", checked.err);
        assert!(checked.err.contains("The backup is whole"), "{}", checked.err);
        let faults = checked.out.lines().find(|line| line.trim_start().starts_with("Faults")).unwrap();
        assert!(faults.trim_end().ends_with(" 0"), "{faults}");
        let none = portal.run(&["backup", "verify", "20200101-000000-0000"]);
        assert_eq!((none.code, none.err.contains("there is no backup 20200101-000000-0000")), (1, true));

        // Refused before the question and with --yes, because this portal has accounts.
        for answer in [&[][..], &["--yes"]] {
            let full = portal.run(&[&["backup", "restore", id], answer].concat());
            assert_eq!((full.code, full.err.contains("This portal has accounts.")), (1, true), "{}", full.err);
        }

        // A new machine has only the backup folder.
        let new = portal.dir.with_extension("new");
        let listed = run_on_other_portal(&portal, &new, &["backup", "list", "--format", "json"]);
        assert!(listed.out.contains(id), "{}", listed.err);
        let restored = run_on_other_portal(&portal, &new, &["backup", "restore", id, "--yes"]);
        assert_eq!(restored.code, 0, "{}", restored.err);
        assert!(restored.err.contains("Start the portal"), "{}", restored.err);
        let shown = run_on_other_portal(&portal, &new, &["spv", "show", client["identifier"].as_str().unwrap()]);
        assert!(shown.out.contains("Maya Ortiz"), "{}", shown.err);
        let verified = run_on_other_portal(&portal, &new, &["activity", "verify"]);
        assert_eq!(verified.code, 0, "{}", verified.err);
        let again = run_on_other_portal(&portal, &new, &["backup", "restore", id, "--yes"]);
        assert_eq!(again.code, 1, "{}", again.err);

        // One flipped bit.
        let table = portal.dir.join("backups").join(id).join("tables/users.jsonl.gz");
        let mut bytes = std::fs::read(&table).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&table, bytes).unwrap();
        let damaged = portal.run(&["backup", "verify", id]);
        assert_eq!(damaged.code, 1);
        assert!(damaged.err.contains("Wrong: tables/users.jsonl.gz is not as it was written."), "{}", damaged.err);
    }
}

#[tokio::test]
async fn restore_replaces_a_portal_after_a_backup_of_it() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let first = portal.json(&["backup", "create"])["id"].as_str().unwrap().to_owned();
        // As many backups as are kept of a day: the one before the restore must not remove the restored one.
        for _ in 0..2 {
            portal.json(&["backup", "create"]);
        }
        portal.client("nils@example.com");
        let clients = || portal.run(&["client", "list"]).out;
        assert!(clients().contains("nils@example.com"));
        let replaced = portal.run(&["backup", "restore", &first, "--replace", "--yes"]);
        assert_eq!(replaced.code, 0, "{}", replaced.err);
        assert!(clients().contains("maya@example.com") && !clients().contains("nils@example.com"), "{}", clients());
        assert_eq!(portal.run(&["activity", "verify"]).code, 0);
        assert_eq!(portal.run(&["doctor", "--recount"]).code, portal.run(&["doctor"]).code);

        // The way back is named, and leads back.
        let words =
            replaced.err.split('`').find(|words| words.starts_with("spvctl backup restore")).unwrap().to_owned();
        let command: Vec<&str> = words.split(' ').skip(1).chain(["--yes"]).collect();
        let back = portal.run(&command);
        assert_eq!(back.code, 0, "{}", back.err);
        assert!(clients().contains("nils@example.com"), "{}", clients());
    }
}

/// A pair made by `age-keygen`.
const RECIPIENT: &str = "age1cjwsqyzeplsq4dfuu88m3mllzflhqqt8cfnmcw8g5dtk5nzxhu4spfjsaz";
const IDENTITY: &str = "AGE-SECRET-KEY-17GG4SPU99NJ7C0T94TU4FQJL4SWGFUWPHXUGQSA50E2KM2ACADEQL7VY59";
const OTHER_IDENTITY: &str = "AGE-SECRET-KEY-1VMMN0MK8MX2EGLYG5CAJC5N09R0MPSS3NH0QM6HG0YFK2HW5QU3QJCDU5W";

/// The copies of one portal: files, or the bucket of the tests.
fn copies_at(portal: &TestPortal, dir: &Path) -> Vec<String> {
    let bucket = domain::testing::needs("TEST_S3_URL").map(|url| {
        let name = portal.dir.file_name().unwrap().to_string_lossy().into_owned();
        url.replacen("s3://documents", &format!("s3://documents/{name}"), 1)
    });
    [Some(format!("file:{}", dir.display())), bucket].into_iter().flatten().collect()
}

/// Fetches and restores a copy on another machine, which has nothing but the storage and the identity.
fn bring_back(portal: &TestPortal, url: &str, id: &str, identifier: &str) {
    let new = portal.dir.with_extension("new");
    let run = |args: &[&str]| {
        let mut command = spvctl(args);
        command.env("SPV_DATA_DIR", &new).env("SPV_BACKUP_COPY_URL", url);
        command.env("SPV_S3_ACCESS_KEY_ID", "test").env("SPV_S3_SECRET_ACCESS_KEY", "test");
        CommandOutput::from(command.output().unwrap())
    };
    std::fs::create_dir_all(&new).unwrap();
    let key = new.join("key.txt");
    let key = key.to_str().unwrap();
    let closed = run(&["backup", "fetch", id]);
    assert_eq!((closed.code, closed.err.contains("--identity")), (1, true), "{}", closed.err);
    for (text, refusal) in [("hello", "no age identity file"), (OTHER_IDENTITY, "another recipient")] {
        std::fs::write(key, text).unwrap();
        let refused = run(&["backup", "fetch", id, "--identity", key]);
        assert_eq!((refused.code, refused.err.contains(refusal)), (1, true), "{}", refused.err);
    }
    std::fs::write(key, IDENTITY).unwrap();
    let fetched = run(&["backup", "fetch", &id[..15], "--identity", key]);
    assert_eq!(fetched.code, 0, "{}", fetched.err);
    let twice = run(&["backup", "fetch", id, "--identity", key]);
    assert_eq!((twice.code, twice.err.contains("already")), (1, true), "{}", twice.err);
    assert_eq!(run(&["backup", "verify", id]).code, 0);
    let restored = run(&["backup", "restore", id, "--yes"]);
    assert_eq!(restored.code, 0, "{}", restored.err);
    let shown = run(&["spv", "show", identifier]);
    assert!(shown.out.contains("Maya Ortiz"), "{}", shown.err);
    let documents = run(&["document", "list", "--format", "json"]);
    let documents: serde_json::Value = serde_json::from_str(&documents.out).unwrap();
    let document = documents["items"][0]["id"].as_str().unwrap();
    assert_eq!(run(&["document", "get", document, "--out", "-"]).out, "deed of Maya");
    std::fs::remove_dir_all(&new).unwrap();
}

#[tokio::test]
async fn encrypted_copy_brings_a_portal_back_when_its_machine_is_gone() {
    for mut portal in test_portals().await {
        let client = portal.client("maya@example.com");
        let deed = portal.dir.join("deed.txt");
        std::fs::write(&deed, "deed of Maya").unwrap();
        portal.json(&["document", "put", deed.to_str().unwrap(), "--client", "maya@example.com"]);
        let unset = portal.run(&["backup", "list", "--copies"]);
        assert_eq!((unset.code, unset.err.contains("SPV_BACKUP_COPY_URL")), (1, true), "{}", unset.err);
        let elsewhere = portal.dir.with_extension("copies");
        for url in copies_at(&portal, &elsewhere) {
            portal.set("SPV_BACKUP_COPY_URL", &url);
            portal.set("SPV_BACKUP_COPY_RECIPIENT", RECIPIENT);
            portal.set("SPV_S3_ACCESS_KEY_ID", "test");
            portal.set("SPV_S3_SECRET_ACCESS_KEY", "test");
            let made = portal.json(&["backup", "create"]);
            let id = made["id"].as_str().unwrap();
            let waiting = portal.run(&["doctor"]).out;
            assert!(
                waiting.lines().any(|line| line.contains("backup_copy") && line.contains("not copied")),
                "{waiting}"
            );
            // A worker does the job.
            let worker = portal.start(&["worker"]);
            let copied = || portal.json(&["backup", "list"])[0]["copied_at"].is_string();
            let since = Instant::now();
            while !copied() {
                assert!(since.elapsed() < Duration::from_secs(60), "the backup is copied");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            drop(worker);
            let listed = portal.json(&["backup", "list", "--copies"]);
            assert_eq!(
                (listed[0]["id"].as_str(), listed[0]["encrypted"].as_bool()),
                (Some(id), Some(true)),
                "{listed}"
            );
            assert!(portal.run(&["doctor"]).out.contains("encrypted"), "doctor");
            // Copying again is nothing new.
            assert_eq!(portal.run(&["backup", "copy", id]).code, 0);

            bring_back(&portal, &url, id, client["identifier"].as_str().unwrap());
        }
    }
}

#[tokio::test]
async fn a_missing_backup_folder_is_reported_and_not_created() {
    let mut portal = TestPortal::sqlite().await;
    let disk = portal.dir.with_extension("disk");
    portal.set("SPV_BACKUP_DIR", disk.display());
    // The first backup creates the folder.
    assert_eq!(portal.json(&["backup", "create"])["state"], "done");
    let away = disk.with_extension("away");
    std::fs::rename(&disk, &away).unwrap();
    let refused = portal.run(&["backup", "create"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("doesn't exist.") && refused.err.contains("mount it"), "{}", refused.err);
    let listed = portal.run(&["backup", "list"]);
    assert_eq!((listed.code, listed.err.contains("doesn't exist.")), (1, true), "{}", listed.err);
    let doctor = portal.run(&["doctor"]);
    let line = doctor.out.lines().find(|line| line.contains("backup_folder")).unwrap();
    assert!(doctor.code == 1 && line.contains("failed") && line.contains("doesn't exist."), "{}", doctor.out);
    assert!(!disk.exists());
    std::fs::rename(&away, &disk).unwrap();
    assert_eq!(portal.json(&["backup", "create"])["state"], "done");
    assert_eq!(portal.failed_checks(), [""; 0]);
    std::fs::rename(&disk, &away).unwrap();
    std::fs::create_dir(&disk).unwrap();
    let empty = portal.run(&["backup", "create"]);
    assert_eq!((empty.code, empty.err.contains("is empty")), (1, true), "{}", empty.err);
}

#[tokio::test]
async fn backups_that_are_not_there_are_shown_as_missing() {
    for mut portal in test_portals().await {
        portal.client("maya@example.com");
        let made = portal.json(&["backup", "create"]);
        let id = made["id"].as_str().unwrap();
        let (before, elsewhere) = (portal.dir.join("backups"), portal.dir.with_extension("elsewhere"));
        portal.set("SPV_BACKUP_DIR", elsewhere.display());
        let listed = portal.json(&["backup", "list"]);
        assert_eq!((listed[0]["id"].as_str(), listed[0]["state"].as_str()), (Some(id), Some("missing")), "{listed}");
        assert!(listed[0]["error"].as_str().unwrap().contains("set SPV_BACKUP_DIR to it"), "{listed}");
        std::fs::remove_dir_all(before.join(id)).unwrap();
        portal.set("SPV_BACKUP_DIR", before.display());
        let listed = portal.json(&["backup", "list"]);
        assert_eq!(listed[0]["state"], "missing");
        assert!(listed[0]["error"].as_str().unwrap().contains("any more"), "{listed}");
        let doctor = portal.run(&["doctor"]);
        assert_eq!(doctor.code, 1);
        let line = doctor.out.lines().find(|line| line.contains(id)).unwrap();
        assert!(line.contains("failed") && line.contains("any more"), "{line}");
    }
}

#[tokio::test]
async fn upgrade_makes_a_backup_that_can_be_restored() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        migrate_back(&portal.world).await;
        let upgraded = portal.run(&["migrate"]);
        assert_eq!(upgraded.code, 0, "{}", upgraded.err);
        assert!(upgraded.err.contains("was made before the upgrade"), "{}", upgraded.err);
        let listed = portal.json(&["backup", "list"]);
        let (id, by) = (listed[0]["id"].as_str().unwrap(), listed[0]["by"].as_str().unwrap());
        assert!(id.ends_with("-upgrade") && by.starts_with("upgrade to "), "{listed}");
        assert_eq!(portal.run(&["backup", "verify", id]).code, 0);
        let new = portal.dir.with_extension("new");
        assert_eq!(run_on_other_portal(&portal, &new, &["backup", "restore", id, "--yes"]).code, 0);
        assert!(run_on_other_portal(&portal, &new, &["client", "list"]).out.contains("maya@example.com"));
        // Nothing is pending any more, so no other backup is made.
        assert_eq!(portal.run(&["migrate"]).code, 0);
        assert_eq!(portal.json(&["backup", "list"]).as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn upgrade_without_a_place_for_its_backup_is_refused() {
    for mut portal in test_portals().await {
        portal.client("maya@example.com");
        migrate_back(&portal.world).await;
        let file = portal.dir.with_extension("file");
        std::fs::write(&file, "not a folder").unwrap();
        portal.set("SPV_BACKUP_DIR", file.display());
        for args in [&["migrate"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            let refused = portal.run(args);
            assert_eq!(refused.code, 1, "{args:?}: {}", refused.err);
            assert!(
                refused.err.contains("nothing was migrated") && refused.err.contains("UPGRADE=false"),
                "{}",
                refused.err
            );
        }
        assert_eq!(portal.run(&["migrate", "--check"]).code, 1);
        portal.set("SPV_BACKUP_BEFORE_UPGRADE", false);
        assert_eq!(portal.run(&["migrate"]).code, 0);
    }
}

#[tokio::test]
async fn refused_and_interrupted_restores_leave_nothing() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let made = portal.json(&["backup", "create"]);
    let id = made["id"].as_str().unwrap();
    let new = portal.dir.with_extension("new");
    let unasked = run_on_other_portal(&portal, &new, &["backup", "restore", id]);
    assert_eq!((unasked.code, new.exists()), (2, false), "{}", unasked.err);
    let unnamed = run_on_other_portal(&portal, &new, &["backup", "restore"]);
    assert!(unnamed.code == 2 && unnamed.err.contains("missing the id of a backup"), "{}", unnamed.err);
    let none = run_on_other_portal(&portal, &new, &["backup", "restore", "20200101-000000-0000", "--yes"]);
    assert_eq!((none.code, new.exists()), (1, false), "{}", none.err);
    let table = portal.dir.join("backups").join(id).join("tables/users.jsonl.gz");
    let whole = std::fs::read(&table).unwrap();
    std::fs::write(&table, &whole[..whole.len() / 2]).unwrap();
    let damaged = run_on_other_portal(&portal, &new, &["backup", "restore", id, "--yes"]);
    assert_eq!((damaged.code, new.exists()), (1, false), "{}", damaged.err);
    std::fs::write(&table, &whole).unwrap();
    let mut restore = spvctl(&["backup", "restore", id, "--yes"]);
    restore.env("SPV_DATA_DIR", &new).env("SPV_BACKUP_DIR", portal.dir.join("backups"));
    let mut restore = restore.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while !new.join("spv.db").exists() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = std::process::Command::new("kill").args(["-INT", &restore.id().to_string()]).status();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut restore.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(restore.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("stopped; nothing was restored") && !new.exists(), "{said}");
    assert_eq!(run_on_other_portal(&portal, &new, &["backup", "restore", id, "--yes"]).code, 0);
}

#[tokio::test]
async fn a_moved_portal_continues_on_the_new_database() {
    for portal in test_portals().await {
        let client = portal.client("maya@example.com");
        // Two mails are sent immediately; the one about the order waits for the client's password.
        portal.json(&["client", "invite", "maya@example.com"]);
        let mut homes = vec![format!("sqlite:{}", portal.dir.join("moved.db").display())];
        let empty = World::postgres().await;
        homes.extend(empty.as_ref().map(|world| world.url.clone()));
        for wrong in ["mysql://spv:secret@db/spv", "sqlite::memory:"] {
            let refused = portal.run(&["move", "--to", wrong, "--yes"]);
            assert!(refused.code == 2 && !refused.err.contains("secret"), "{}", refused.err);
        }
        let asked = portal.run(&["move", "--to", "postgres://127.0.0.1:1/spv?user=spv&password=secret"]);
        assert!(asked.code == 1 && !asked.err.contains("secret"), "{}", asked.err);
        let unreachable = portal.run(&["move", "--to", "postgres://127.0.0.1:1/spv", "--yes"]);
        assert_eq!(unreachable.code, 1, "{}", unreachable.err);
        assert!(unreachable.err.contains("--to: the database cannot be reached"), "{}", unreachable.err);
        for to in homes {
            // Refused without a terminal.
            assert_eq!(portal.run(&["move", "--to", &to]).code, 2);
            let moved = portal.run(&["move", "--to", &to, "--yes", "--format", "json"]);
            assert_eq!(moved.code, 0, "{}", moved.err);
            assert!(moved.err.contains("SPV_DATABASE_URL") && moved.err.contains("spvctl serve"), "{}", moved.err);
            let figures: serde_json::Value = serde_json::from_str(&moved.out).unwrap();
            assert!(figures["rows"].as_i64().unwrap() > 50 && figures["jobs"] == 3, "{figures}");
            let there = |args: &[&str]| -> CommandOutput {
                portal.command(args).env("SPV_DATABASE_URL", &to).output().unwrap().into()
            };
            let shown = there(&["spv", "show", client["identifier"].as_str().unwrap()]);
            assert!(shown.out.contains("Maya Ortiz"), "{}", shown.err);
            assert_eq!(there(&["activity", "verify"]).code, 0);
            // Waiting mails are sent and activity is numbered on the new database.
            let mut worker = portal.command(&["worker"]);
            worker.env("SPV_DATABASE_URL", &to);
            let mut worker = portal.running(worker);
            let began = Instant::now();
            loop {
                let (activity, mails) =
                    (there(&["activity", "list"]).out, there(&["mail", "list", "--format", "json"]).out);
                if activity.contains("moved the portal to this database") && mails.matches("\"sent\"").count() == 2 {
                    break;
                }
                assert!(began.elapsed() < Duration::from_secs(30), "{activity}{mails}{}", portal.log());
                std::thread::sleep(Duration::from_millis(200));
            }
            assert_eq!(worker.stop(), 0, "{}", portal.log());
            let again = portal.run(&["move", "--to", &to, "--yes"]);
            assert!(again.code == 1 && again.err.contains("isn't empty"), "{}", again.err);
        }
        let worker = portal.start(&["worker"]);
        portal.mails(Duration::from_secs(20), |mails| {
            mails.iter().filter(|mail| mail["kind"] == "password_setup").all(|mail| mail["status"] == "sent")
        });
        let nowhere = format!("sqlite:{}", portal.dir.join("never.db").display());
        let refused = portal.run(&["move", "--to", &nowhere, "--yes"]);
        assert!(refused.code == 1 && refused.err.contains("A portal or worker is running"), "{}", refused.err);
        drop(worker);
    }
}
