//! Backups as the operator makes, checks and restores them.

use crate::support::{Done, Office, spvctl};
use std::path::Path;

/// A command of another portal that has the same backups.
fn elsewhere(office: &Office, dir: &Path, args: &[&str]) -> Done {
    let mut command = spvctl(args);
    command.env("SPV_DATA_DIR", dir).env("SPV_BACKUP_DIR", office.dir.join("backups"));
    command.output().unwrap().into()
}

async fn offices() -> Vec<Office> {
    let mut offices = vec![Office::sqlite().await];
    offices.extend(Office::postgres().await);
    offices
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
