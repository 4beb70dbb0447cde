//! Mail delivery survives killed workers and unavailable SMTP servers.

use crate::support::{SmtpBehavior, TestPortal, free_port, received, smtp_server, test_portals, write};
use std::time::Duration;

/// Queues two mails for immediate delivery, and one about an order that waits for the client's password.
fn queue_two_mails(portal: &TestPortal) {
    portal.client("maya@example.com");
    portal.json(&["client", "invite", "maya@example.com"]);
}

fn is_immediate(mail: &&serde_json::Value) -> bool {
    mail["kind"] == "password_setup"
}

fn all_sent(mails: &[serde_json::Value]) -> bool {
    mails.iter().filter(is_immediate).count() == 2
        && mails.iter().filter(is_immediate).all(|mail| mail["status"] == "sent")
}

fn message_id(mail: &str) -> &str {
    mail.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().trim()
}

/// A worker is killed during delivery; the next one delivers the mail with the same Message-ID.
fn killed_worker_loses_no_mail(mut portal: TestPortal) {
    let (port, mailbox) = (free_port(), portal.dir.with_extension("mailbox"));
    let _server = smtp_server(port, &mailbox, SmtpBehavior::HoldFirst);
    portal.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
    portal.set("SPV_WORKER_CONCURRENCY", 1);
    queue_two_mails(&portal);
    let mut first = portal.start(&["worker"]);
    for _ in 0..100 {
        if mailbox.join("held").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let held =
        std::fs::read_to_string(mailbox.join("held")).unwrap_or_else(|_| panic!("no mail arrived: {}", portal.log()));
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let _second = portal.start(&["worker"]);
    // Three missed heartbeats of ten seconds, and one poll.
    let mails = portal.mails(Duration::from_secs(75), all_sent);
    assert!(mails.iter().any(|mail| mail["kind"] == "spv_created" && mail["status"] == "queued"), "{mails:#?}");
    let received = received(&mailbox);
    let ids: Vec<_> = received.iter().map(|mail| message_id(mail)).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(ids.contains(&message_id(&held)), "the held mail arrives with the Message-ID it had");
    assert!(mails.iter().any(|mail| mail["attempts"] == 2), "{mails:#?}");
}

#[tokio::test]
async fn killed_worker_loses_no_mail_on_sqlite() {
    killed_worker_loses_no_mail(TestPortal::sqlite().await);
}

#[tokio::test]
async fn killed_worker_loses_no_mail_on_postgres() {
    if let Some(portal) = TestPortal::postgres().await {
        killed_worker_loses_no_mail(portal);
    }
}

fn mails_wait_for_the_server(mut portal: TestPortal) {
    let (port, mailbox) = (free_port(), portal.dir.with_extension("mailbox"));
    portal.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
    let _worker = portal.start(&["worker"]);
    queue_two_mails(&portal);
    let waiting = portal.mails(Duration::from_secs(20), |mails| {
        mails.iter().filter(is_immediate).count() == 2
            && mails.iter().filter(is_immediate).all(|mail| !mail["last_error"].is_null())
    });
    assert!(waiting.iter().all(|mail| mail["status"] == "queued"), "{waiting:#?}");
    assert_eq!(portal.failed_checks(), ["mail"]);
    let _server = smtp_server(port, &mailbox, SmtpBehavior::Take);
    let sent = portal.mails(Duration::from_secs(40), all_sent);
    assert!(sent.iter().all(|mail| mail["last_error"].is_null()), "{sent:#?}");
    let received = received(&mailbox);
    assert_eq!(received.len(), 2);
    for mail in &received {
        assert!(mail.contains("multipart/alternative") && mail.contains("Auto-Submitted: auto-generated"), "{mail}");
    }
    assert_eq!(portal.failed_checks(), [""; 0]);
}

#[tokio::test]
async fn mails_wait_for_the_server_on_sqlite() {
    mails_wait_for_the_server(TestPortal::sqlite().await);
}

#[tokio::test]
async fn mails_wait_for_the_server_on_postgres() {
    if let Some(portal) = TestPortal::postgres().await {
        mails_wait_for_the_server(portal);
    }
}

#[tokio::test]
async fn file_transport_delivers_and_resends() {
    let portal = TestPortal::sqlite().await;
    queue_two_mails(&portal);
    let mut worker = portal.start(&["worker"]);
    let mails = portal.mails(Duration::from_secs(20), all_sent);
    let files = received(&portal.dir.join("mail"));
    assert_eq!(files.len(), 2);
    let setup = mails.iter().find(|mail| mail["kind"] == "password_setup").unwrap();
    portal.json(&["mail", "resend", setup["id"].as_str().unwrap()]);
    portal.mails(Duration::from_secs(20), |mails| all_sent(mails) && mails.iter().any(|mail| mail["attempts"] == 2));
    let files = received(&portal.dir.join("mail"));
    assert_eq!(files.len(), 3);
    let again = files.iter().filter(|mail| message_id(mail) == setup["message_id"].as_str().unwrap()).count();
    assert_eq!(again, 2, "the same mail, recognisable by its Message-ID");
    assert_eq!(worker.stop(), 0, "{}", portal.log());
}

/// The server refuses mails permanently until its operator corrects it.
#[tokio::test]
async fn refused_mails_are_listed_and_can_be_resent() {
    for mut portal in test_portals().await {
        let (port, mailbox) = (free_port(), portal.dir.with_extension("mailbox"));
        let _server = smtp_server(port, &mailbox, SmtpBehavior::Refuse);
        portal.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{port}"));
        queue_two_mails(&portal);
        let mut worker = portal.start(&["worker"]);
        let until_both = |list: &[&str]| portal.until(list, Duration::from_secs(20), |listed| listed.len() == 2);
        let failed = until_both(&["mail", "list", "--status", "failed"]);
        for mail in &failed {
            assert!(mail["last_error"].as_str().is_some_and(|why| why.contains("not from you")), "{mail}");
            assert_eq!(mail["attempts"], 1, "what was refused for good is not tried again: {mail}");
        }
        assert_eq!(received(&mailbox).len(), 0);
        // The job is dead a moment after its mail has failed.
        let dead = until_both(&["job", "list", "--status", "dead"]);
        assert!(dead.iter().all(|job| job["job"] == "mails.send"), "{dead:#?}");

        write(&mailbox.join("taken"), "");
        assert_eq!(portal.json(&["job", "retry", dead[0]["id"].as_str().unwrap()])["status"], "pending");
        let left = portal.mails(Duration::from_secs(20), |mails| mails.iter().any(|mail| mail["status"] == "sent"));
        let other = left.iter().find(|mail| mail["status"] == "failed").expect("the other mail was not retried");
        portal.json(&["mail", "resend", other["id"].as_str().unwrap()]);
        let sent = portal.mails(Duration::from_secs(20), all_sent);
        let sent: Vec<_> = sent.iter().filter(is_immediate).collect();
        assert!(sent.iter().all(|mail| mail["attempts"] == 2 && mail["last_error"].is_null()), "{sent:#?}");
        let mut named: Vec<_> = sent.iter().map(|mail| mail["message_id"].as_str().unwrap().to_owned()).collect();
        let mut arrived: Vec<_> = received(&mailbox).iter().map(|mail| message_id(mail).to_owned()).collect();
        named.sort();
        arrived.sort();
        assert_eq!(arrived, named, "each once, as the mail that it was");
        assert_eq!(worker.stop(), 0, "{}", portal.log());
    }
}

#[tokio::test]
async fn set_up_links_are_printed_instead_of_mailed() {
    for portal in test_portals().await {
        let ada = ["--first-name", "Ada", "--last-name", "Admin", "--email", "ada@example.com"];
        let made = portal.run(&[&["user", "create", "--role", "super_admin", "--print-link"], &ada[..]].concat());
        assert_eq!(made.code, 0, "{}", made.err);
        let link = made.out.lines().last().unwrap();
        assert!(link.starts_with("http://") && link.contains("/auth/reset-password?token_hash="), "{link}");
        assert_eq!(portal.json(&["mail", "list"]), serde_json::json!([]));
        let again = portal.run(&["user", "invite", "ada@example.com", "--print-link"]);
        assert!(again.code == 0 && again.out.contains("token_hash=") && again.out.trim() != link, "{}", again.err);
        let logged = portal.json(&["activity", "list"]);
        let made = logged.as_array().unwrap().iter().filter(|row| row["action"] == "user.link_made").count();
        assert_eq!(made, 2, "{logged}");
        assert_eq!(portal.run(&["user", "invite", "nobody@example.com", "--print-link"]).code, 1);
    }
}

#[tokio::test]
async fn mail_show_prints_the_text_without_its_one_time_link() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let mails = portal.json(&["mail", "list"]);
        let setup = mails.as_array().unwrap().iter().find(|mail| mail["kind"] == "password_setup").unwrap();
        let id = setup["id"].as_str().unwrap();
        let shown = portal.run(&["mail", "show", id]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        assert!(shown.out.contains("Subject") && shown.out.contains("[link]"), "{}", shown.out);
        assert!(!shown.out.contains("token_hash"), "{}", shown.out);
        let json = portal.json(&["mail", "show", id]);
        assert!(json["text"].as_str().unwrap().contains("[link]"));
        assert_eq!(json["attempts"], 0, "looking is no attempt");
    }
}

#[tokio::test]
async fn mail_test_sends_at_once_and_says_so() {
    let mut portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let sent = portal.run(&["mail", "test", "--to", "ada@example.org"]);
    assert!(sent.code == 0 && sent.err.contains("No mail server is set"), "{}", sent.err);
    let mails = received(&portal.dir.join("mail"));
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("ada@example.org") && mails[0].contains("8bit"), "{}", mails[0]);
    assert_eq!(portal.run(&["mail", "test", "--to", "nonsense"]).code, 2);
    portal.set("SPV_SMTP_URL", format!("smtp://127.0.0.1:{}?tls=none", free_port()));
    let refused = portal.run(&["mail", "test", "--to", "ada@example.org"]);
    assert!(refused.code == 1 && refused.err.contains("the test email was not sent"), "{}", refused.err);
    let failed = portal.json(&["mail", "list", "--status", "failed"]);
    assert_eq!(failed[0]["to_email"], "ada@example.org");
}

#[tokio::test]
async fn job_run_waits_for_the_outcome() {
    for portal in test_portals().await {
        portal.client("maya@example.com");
        let done = portal.run(&["job", "run", "portal.clean_up", "--wait", "--format", "json"]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.contains("\"done\"") && done.err.contains("No worker runs"), "{} {}", done.out, done.err);
        let queued = portal.run(&["job", "run", "portal.clean_up"]);
        assert!(queued.code == 0 && queued.err.contains("The job is queued"), "{}", queued.err);
    }
}
