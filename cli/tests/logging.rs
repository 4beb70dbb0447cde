//! JSON log lines carry the ids of the job or command they belong to.

use crate::support::{Office, offices};
use serde_json::Value;
use std::time::Duration;

fn json_lines(log: &str) -> impl Iterator<Item = Value> {
    log.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[tokio::test]
async fn log_lines_of_a_job_carry_job_id_job_and_attempt() {
    for mut office in offices().await {
        office.set("SPV_LOG_FORMAT", "json");
        assert_eq!(office.run(&["job", "run", "portal.clean_up"]).code, 0);
        let queued = office.json(&["job", "list"]);
        let id = queued[0]["id"].as_str().unwrap();
        let mut worker = office.start(&["worker"]);
        office.until(&["job", "list", "--status", "done"], Duration::from_secs(30), |jobs| {
            jobs.iter().any(|job| job["id"] == id)
        });
        assert_eq!(worker.stop(), 0, "{}", office.log());
        let log = office.log();
        let line = json_lines(&log)
            .find(|line| line["message"] == "cleaned up" && line["job_id"] == id)
            .unwrap_or_else(|| panic!("{id}: {log}"));
        assert_eq!((&line["job"], &line["attempt"]), (&"portal.clean_up".into(), &1.into()), "{line}");
    }
}

#[tokio::test]
async fn log_lines_of_a_command_carry_its_name() {
    let mut office = Office::sqlite().await;
    office.set("SPV_LOG_FORMAT", "json");
    office.set("SPV_LOG", "spvctl=debug");
    let done = office.run(&["company", "list"]);
    let line = json_lines(&done.err)
        .find(|line| line["message"] == "command finished")
        .unwrap_or_else(|| panic!("{}", done.err));
    assert_eq!((&line["command"], &line["exit"]), (&"company list".into(), &"Done".into()), "{line}");
}
