//! Mails leave, whatever happens to workers and mail servers: killed, gone, back.

use crate::support::{Mails, Office, free_port, offices, received, smtp_server, write};
use std::time::Duration;

/// Two mails that leave at once, and the news of an order, which waits until the client has a password.
fn two_mails(office: &Office) {
    office.client("maya@example.com");
    office.json(&["client", "invite", "maya@example.com"]);
}

fn leaves(mail: &&serde_json::Value) -> bool {
    mail["kind"] == "password_setup"
}

fn all_sent(mails: &[serde_json::Value]) -> bool {
    mails.iter().filter(leaves).count() == 2 && mails.iter().filter(leaves).all(|mail| mail["status"] == "sent")
}

fn message_id(mail: &str) -> &str {
    mail.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().trim()
}

/// A worker dies with the mail half delivered; the next one finds the job and delivers it, as the same mail.
fn a_killed_worker_loses_nothing(mut office: Office) {
    let (port, mailbox) = (free_port(), office.dir.with_extension("mailbox"));
    let _server = smtp_server(port, &mailbox, Mails::HoldFirst);
    office.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
    office.set("SPV_WORKER_CONCURRENCY", 1);
    two_mails(&office);
    let mut first = office.start(&["worker"]);
    for _ in 0..100 {
        if mailbox.join("held").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let held =
        std::fs::read_to_string(mailbox.join("held")).unwrap_or_else(|_| panic!("no mail arrived: {}", office.log()));
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let _second = office.start(&["worker"]);
    // Three missed heartbeats of ten seconds, and one to look.
    let mails = office.mails(Duration::from_secs(75), all_sent);
    assert!(mails.iter().any(|mail| mail["kind"] == "spv_created" && mail["status"] == "queued"), "{mails:#?}");
    let received = received(&mailbox);
    let ids: Vec<_> = received.iter().map(|mail| message_id(mail)).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(ids.contains(&message_id(&held)), "the held mail arrives with the Message-ID it had");
    assert!(mails.iter().any(|mail| mail["attempts"] == 2), "{mails:#?}");
}

#[tokio::test]
async fn a_killed_worker_loses_nothing_on_sqlite() {
    a_killed_worker_loses_nothing(Office::sqlite().await);
}

#[tokio::test]
async fn a_killed_worker_loses_nothing_on_postgres() {
    if let Some(office) = Office::postgres().await {
        a_killed_worker_loses_nothing(office);
    }
}

fn mails_wait_for_the_server(mut office: Office) {
    let (port, mailbox) = (free_port(), office.dir.with_extension("mailbox"));
    office.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
    let _worker = office.start(&["worker"]);
    two_mails(&office);
    let waiting = office.mails(Duration::from_secs(20), |mails| {
        mails.iter().filter(leaves).count() == 2
            && mails.iter().filter(leaves).all(|mail| !mail["last_error"].is_null())
    });
    assert!(waiting.iter().all(|mail| mail["status"] == "queued"), "{waiting:#?}");
    assert_eq!(office.run(&["doctor"]).code, 1, "the doctor sees that no mail leaves");
    let _server = smtp_server(port, &mailbox, Mails::Take);
    let sent = office.mails(Duration::from_secs(40), all_sent);
    assert!(sent.iter().all(|mail| mail["last_error"].is_null()), "{sent:#?}");
    let received = received(&mailbox);
    assert_eq!(received.len(), 2);
    for mail in &received {
        assert!(mail.contains("multipart/alternative") && mail.contains("Auto-Submitted: auto-generated"), "{mail}");
    }
    assert_eq!(office.run(&["doctor"]).code, 0);
}

#[tokio::test]
async fn mails_wait_for_the_server_on_sqlite() {
    mails_wait_for_the_server(Office::sqlite().await);
}

#[tokio::test]
async fn mails_wait_for_the_server_on_postgres() {
    if let Some(office) = Office::postgres().await {
        mails_wait_for_the_server(office);
    }
}

#[tokio::test]
async fn without_a_server_mails_are_files_and_may_be_sent_again() {
    let office = Office::sqlite().await;
    two_mails(&office);
    let mut worker = office.start(&["worker"]);
    let mails = office.mails(Duration::from_secs(20), all_sent);
    let files = received(&office.dir.join("mail"));
    assert_eq!(files.len(), 2);
    let setup = mails.iter().find(|mail| mail["kind"] == "password_setup").unwrap();
    office.json(&["mail", "resend", setup["id"].as_str().unwrap()]);
    office.mails(Duration::from_secs(20), |mails| all_sent(mails) && mails.iter().any(|mail| mail["attempts"] == 2));
    let files = received(&office.dir.join("mail"));
    assert_eq!(files.len(), 3);
    let again = files.iter().filter(|mail| message_id(mail) == setup["message_id"].as_str().unwrap()).count();
    assert_eq!(again, 2, "the same mail, recognisable by its Message-ID");
    assert_eq!(worker.stop(), 0, "{}", office.log());
}

/// A server that refuses mails for good, until its owner has put that right.
#[tokio::test]
async fn what_was_given_up_is_listed_and_leaves_once_it_is_asked_for_again() {
    for mut office in offices().await {
        let (port, mailbox) = (free_port(), office.dir.with_extension("mailbox"));
        let _server = smtp_server(port, &mailbox, Mails::Refuse);
        office.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
        two_mails(&office);
        let mut worker = office.start(&["worker"]);
        let until_both = |list: &[&str]| office.until(list, Duration::from_secs(20), |listed| listed.len() == 2);
        let failed = until_both(&["mail", "list", "--status", "failed"]);
        for mail in &failed {
            assert!(mail["last_error"].as_str().is_some_and(|why| why.contains("not from you")), "{mail}");
            assert_eq!(mail["attempts"], 1, "what was refused for good is not tried again: {mail}");
        }
        assert_eq!(received(&mailbox).len(), 0);
        // A job is given up a moment after its mail.
        let dead = until_both(&["job", "list", "--status", "dead"]);
        assert!(dead.iter().all(|job| job["job"] == "mails.send"), "{dead:#?}");

        write(&mailbox.join("taken"), "");
        assert_eq!(office.json(&["job", "retry", dead[0]["id"].as_str().unwrap()])["status"], "pending");
        let left = office.mails(Duration::from_secs(20), |mails| mails.iter().any(|mail| mail["status"] == "sent"));
        let other = left.iter().find(|mail| mail["status"] == "failed").expect("nobody asked for the other");
        office.json(&["mail", "resend", other["id"].as_str().unwrap()]);
        let sent = office.mails(Duration::from_secs(20), all_sent);
        let sent: Vec<_> = sent.iter().filter(leaves).collect();
        assert!(sent.iter().all(|mail| mail["attempts"] == 2 && mail["last_error"].is_null()), "{sent:#?}");
        let mut named: Vec<_> = sent.iter().map(|mail| mail["message_id"].as_str().unwrap().to_owned()).collect();
        let mut arrived: Vec<_> = received(&mailbox).iter().map(|mail| message_id(mail).to_owned()).collect();
        named.sort();
        arrived.sort();
        assert_eq!(arrived, named, "each once, as the mail that it was");
        assert_eq!(worker.stop(), 0, "{}", office.log());
    }
}
