//! Backups as the operator makes, checks and restores them.

use crate::support::{Done, Office, offices, spvctl};
use domain::testing::World;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// A command of another portal that has the same backups.
fn elsewhere(office: &Office, dir: &Path, args: &[&str]) -> Done {
    let mut command = spvctl(args);
    command.env("SPV_DATA_DIR", dir).env("SPV_BACKUP_DIR", office.dir.join("backups"));
    command.output().unwrap().into()
}

#[tokio::test]
async fn a_portal_is_backed_up_while_it_works_and_restored_on_a_new_machine() {
    for office in offices().await {
        let client = office.client("maya@example.com");
        let _worker = office.start(&["worker"]);
        assert!(office.run(&["backup", "list"]).err.contains("No backups."));
        let note = office.run(&["doctor"]).out;
        assert!(note.contains("spvctl backup create"), "{note}");
        let made = office.json(&["backup", "create"]);
        let id = made["id"].as_str().unwrap();
        assert_eq!(made["state"], "done");
        assert!(made["rows"].as_i64().unwrap() > 50, "{made}");
        assert_eq!(office.json(&["backup", "list"])[0]["id"], id);
        assert!(office.run(&["doctor"]).out.contains(&format!("{id} was made 0 hours ago")));
        let checked = office.run(&["backup", "verify", id]);
        assert_eq!(checked.code, 0, "{}", checked.err);
        assert!(checked.err.contains("The backup is whole"), "{}", checked.err);
        let faults = checked.out.lines().find(|line| line.trim_start().starts_with("Faults")).unwrap();
        assert!(faults.trim_end().ends_with(" 0"), "{faults}");
        let none = office.run(&["backup", "verify", "20200101-000000-0000"]);
        assert_eq!((none.code, none.err.contains("there is no backup 20200101-000000-0000")), (1, true));

        // Nobody can be asked, and then there are accounts here.
        assert_eq!(office.run(&["backup", "restore", id]).code, 2);
        let full = office.run(&["backup", "restore", id, "--yes"]);
        assert_eq!((full.code, full.err.contains("This portal has accounts.")), (1, true), "{}", full.err);

        // A new machine knows nothing but the folder.
        let new = office.dir.with_extension("new");
        let listed = elsewhere(&office, &new, &["backup", "list", "--format", "json"]);
        assert!(listed.out.contains(id), "{}", listed.err);
        let restored = elsewhere(&office, &new, &["backup", "restore", id, "--yes"]);
        assert_eq!(restored.code, 0, "{}", restored.err);
        assert!(restored.err.contains("Start the portal"), "{}", restored.err);
        let shown = elsewhere(&office, &new, &["spv", "show", client["identifier"].as_str().unwrap()]);
        assert!(shown.out.contains("Maya Ortiz"), "{}", shown.err);
        let verified = elsewhere(&office, &new, &["activity", "verify"]);
        assert_eq!(verified.code, 0, "{}", verified.err);
        let again = elsewhere(&office, &new, &["backup", "restore", id, "--yes"]);
        assert_eq!(again.code, 1, "{}", again.err);

        // A byte is other than it was.
        let table = office.dir.join("backups").join(id).join("tables/users.jsonl.gz");
        let mut bytes = std::fs::read(&table).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&table, bytes).unwrap();
        let damaged = office.run(&["backup", "verify", id]);
        assert_eq!(damaged.code, 1);
        assert!(damaged.err.contains("Wrong: tables/users.jsonl.gz is not as it was written."), "{}", damaged.err);
    }
}

#[tokio::test]
async fn a_folder_that_is_not_mounted_is_said_and_not_made() {
    let mut office = Office::sqlite().await;
    let disk = office.dir.with_extension("disk");
    office.set("SPV_BACKUP_DIR", disk.display());
    // The first one makes it.
    assert_eq!(office.json(&["backup", "create"])["state"], "done");
    let away = disk.with_extension("away");
    std::fs::rename(&disk, &away).unwrap();
    let refused = office.run(&["backup", "create"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("doesn't exist.") && refused.err.contains("mount it"), "{}", refused.err);
    let listed = office.run(&["backup", "list"]);
    assert_eq!((listed.code, listed.err.contains("doesn't exist.")), (1, true), "{}", listed.err);
    let doctor = office.run(&["doctor"]);
    let line = doctor.out.lines().find(|line| line.contains("backup folder")).unwrap();
    assert!(doctor.code == 1 && line.contains("failed") && line.contains("doesn't exist."), "{}", doctor.out);
    assert!(!disk.exists());
    std::fs::rename(&away, &disk).unwrap();
    assert_eq!(office.json(&["backup", "create"])["state"], "done");
    assert_eq!(office.run(&["doctor"]).code, 0);
    std::fs::rename(&disk, &away).unwrap();
    std::fs::create_dir(&disk).unwrap();
    let empty = office.run(&["backup", "create"]);
    assert_eq!((empty.code, empty.err.contains("is empty")), (1, true), "{}", empty.err);
}

#[tokio::test]
async fn a_portal_moves_into_another_database_and_goes_on_there() {
    for office in offices().await {
        let client = office.client("maya@example.com");
        // Two mails that leave at once; that of the order waits for a password.
        office.json(&["client", "invite", "maya@example.com"]);
        let mut homes = vec![format!("sqlite:{}", office.dir.join("moved.db").display())];
        let empty = World::postgres().await;
        homes.extend(empty.as_ref().map(|world| world.url.clone()));
        for wrong in ["mysql://spv:secret@db/spv", "sqlite::memory:"] {
            let refused = office.run(&["move", "--to", wrong, "--yes"]);
            assert!(refused.code == 2 && !refused.err.contains("secret"), "{}", refused.err);
        }
        let asked = office.run(&["move", "--to", "postgres://127.0.0.1:1/spv?user=spv&password=secret"]);
        assert!(asked.code == 2 && asked.err.contains("(hidden)") && !asked.err.contains("secret"), "{}", asked.err);
        let unreachable = office.run(&["move", "--to", "postgres://127.0.0.1:1/spv", "--yes"]);
        assert_eq!(unreachable.code, 1, "{}", unreachable.err);
        assert!(unreachable.err.contains("--to: the database cannot be reached"), "{}", unreachable.err);
        for to in homes {
            // Nobody can be asked.
            assert_eq!(office.run(&["move", "--to", &to]).code, 2);
            let moved = office.run(&["move", "--to", &to, "--yes", "--format", "json"]);
            assert_eq!(moved.code, 0, "{}", moved.err);
            assert!(moved.err.contains("SPV_DATABASE_URL") && moved.err.contains("spvctl serve"), "{}", moved.err);
            let figures: serde_json::Value = serde_json::from_str(&moved.out).unwrap();
            assert!(figures["rows"].as_i64().unwrap() > 50 && figures["jobs"] == 3, "{figures}");
            let there =
                |args: &[&str]| -> Done { office.command(args).env("SPV_DATABASE_URL", &to).output().unwrap().into() };
            let shown = there(&["spv", "show", client["identifier"].as_str().unwrap()]);
            assert!(shown.out.contains("Maya Ortiz"), "{}", shown.err);
            assert_eq!(there(&["activity", "verify"]).code, 0);
            // The mails that waited leave from there, and what was told is numbered.
            let mut worker = office.command(&["worker"]);
            worker.env("SPV_DATABASE_URL", &to);
            let mut worker = office.running(worker);
            let began = Instant::now();
            loop {
                let (told, mails) =
                    (there(&["activity", "list"]).out, there(&["mail", "list", "--format", "json"]).out);
                if told.contains("moved the portal to this database") && mails.matches("\"sent\"").count() == 2 {
                    break;
                }
                assert!(began.elapsed() < Duration::from_secs(30), "{told}{mails}{}", office.log());
                std::thread::sleep(Duration::from_millis(200));
            }
            assert_eq!(worker.stop(), 0, "{}", office.log());
            let again = office.run(&["move", "--to", &to, "--yes"]);
            assert!(again.code == 1 && again.err.contains("isn't empty"), "{}", again.err);
        }
        let worker = office.start(&["worker"]);
        office.mails(Duration::from_secs(20), |mails| {
            mails.iter().filter(|mail| mail["kind"] == "password_setup").all(|mail| mail["status"] == "sent")
        });
        let nowhere = format!("sqlite:{}", office.dir.join("never.db").display());
        let refused = office.run(&["move", "--to", &nowhere, "--yes"]);
        assert!(refused.code == 1 && refused.err.contains("A portal or worker is running"), "{}", refused.err);
        drop(worker);
    }
}
