//! JSON log lines carry the ids of the job or command they belong to.

use crate::support::{TestPortal, test_portals};
use serde_json::Value;
use std::time::Duration;

fn json_lines(log: &str) -> impl Iterator<Item = Value> {
    log.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[tokio::test]
async fn log_lines_of_a_job_carry_job_id_job_and_attempt() {
    for mut portal in test_portals().await {
        portal.set("SPV_LOG_FORMAT", "json");
        assert_eq!(portal.run(&["job", "run", "portal.clean_up"]).code, 0);
        let queued = portal.json(&["job", "list"]);
        let id = queued[0]["id"].as_str().unwrap();
        let mut worker = portal.start(&["worker"]);
        portal.until(&["job", "list", "--status", "done"], Duration::from_secs(30), |jobs| {
            jobs.iter().any(|job| job["id"] == id)
        });
        assert_eq!(worker.stop(), 0, "{}", portal.log());
        let log = portal.log();
        let line = json_lines(&log)
            .find(|line| line["message"] == "cleaned up" && line["job_id"] == id)
            .unwrap_or_else(|| panic!("{id}: {log}"));
        assert_eq!((&line["job"], &line["attempt"]), (&"portal.clean_up".into(), &1.into()), "{line}");
    }
}

#[tokio::test]
async fn a_mistyped_log_level_is_refused() {
    let mut portal = TestPortal::sqlite().await;
    for (filter, code) in [("debgu", 2), ("info,wran", 2), ("domain=loud", 2), ("info,domain=debug", 0), ("off", 0)] {
        portal.set("SPV_LOG", filter);
        let done = portal.run(&["company", "list"]);
        assert_eq!(done.code, code, "{filter}: {}", done.err);
        assert_eq!(done.err.contains("SPV_LOG"), code == 2, "{filter}: {}", done.err);
    }
}

#[tokio::test]
async fn log_lines_of_a_command_carry_its_name() {
    let mut portal = TestPortal::sqlite().await;
    portal.set("SPV_LOG_FORMAT", "json");
    portal.set("SPV_LOG", "spvctl=debug");
    let done = portal.run(&["company", "list"]);
    let line = json_lines(&done.err)
        .find(|line| line["message"] == "command finished")
        .unwrap_or_else(|| panic!("{}", done.err));
    assert_eq!((&line["command"], &line["exit"]), (&"company list".into(), &"Done".into()), "{line}");
}
