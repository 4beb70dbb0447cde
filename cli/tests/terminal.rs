//! Tables on a narrow terminal, and refusals before questions.

use crate::{
    prompts::on_a_terminal,
    support::{CommandOutput, TestPortal, test_portals},
};
use serde_json::Value;

/// Runs a command on a terminal of 80 columns.
fn narrow(portal: &TestPortal, args: &[&str]) -> CommandOutput {
    portal.command(args).env("COLUMNS", "80").output().unwrap().into()
}

#[tokio::test]
async fn narrow_lists_keep_names_amounts_and_statuses_and_shorten_ids() {
    let portal = TestPortal::sqlite().await;
    let seeded = portal.run(&["seed", "--demo"]);
    assert_eq!(seeded.code, 0, "{}", seeded.err);
    let client = portal.json(&["client", "list"])[0]["email"].as_str().unwrap().to_owned();
    portal.json(&["client", "invite", &client]);
    let clients = portal.dir.join("clients.csv");
    std::fs::write(&clients, portal.run(&["export", "clients"]).out.replacen("@", "-2@", 1)).unwrap();
    portal.run(&["import", "clients", clients.to_str().unwrap()]);
    let lists: [(&[&str], &[&str]); 5] = [
        (&["commission", "list"], &["ID", "ISO", "SPV", "Amount", "Status"]),
        (&["mail", "list"], &["ID", "Kind", "To email", "Status"]),
        (&["import", "list"], &["ID", "Table", "File", "Created"]),
        (&["document", "list"], &["ID", "Name", "Client", "Order"]),
        (&["job", "list"], &["ID", "Job", "Status"]),
    ];
    for (args, titles) in lists {
        let done = narrow(&portal, args);
        let lines: Vec<&str> = done.out.lines().collect();
        assert!(lines.len() > 1, "{args:?}: {}", done.err);
        for line in &lines {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
        for title in titles {
            assert!(lines[0].contains(title), "{args:?} without {title}: {}", lines[0]);
        }
        let id = portal.json(args)[0]["id"].as_str().unwrap().to_owned();
        let short = lines[1].split_whitespace().next().unwrap();
        // The list of jobs fits with whole ids.
        assert!(id.starts_with(short) && (short.len() < id.len() || args[0] == "job"), "{args:?}: {short} of {id}");
        // Scripts and `--fields` get the whole id.
        assert!(portal.run(args).out.lines().nth(1).unwrap().starts_with(&id), "{args:?}");
        assert!(narrow(&portal, &[args, &["--fields", "id"]].concat()).out.contains(&id), "{args:?}");
    }
    // What is shown is accepted.
    for noun in ["mail", "job"] {
        let shown = narrow(&portal, &[noun, "list"]).out;
        let short = shown.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        let done = portal.run(&[noun, "show", &short]);
        assert_eq!(done.code, 0, "{noun} {short}: {}", done.err);
    }
}

#[tokio::test]
async fn configuration_and_import_reasons_are_wrapped_within_the_columns() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let file = portal.dir.join("clients.csv");
    let row = "Cleopatra,Lima,nonsense,Nowhere Capital Partners";
    std::fs::write(&file, format!("first_name,last_name,email,company_name\n{row}\n")).unwrap();
    let import = ["import", "clients", file.to_str().unwrap()];
    let reason = portal.json_unchecked(&import)["items"][0]["reason"].as_str().unwrap().to_owned();
    let done = narrow(&portal, &import);
    assert!(!done.out.contains('…') && !done.out.contains("Portal"), "{}", done.out);
    for word in reason.split(' ') {
        assert!(done.out.contains(word), "{word} of {reason}:\n{}", done.out);
    }
    let config = narrow(&portal, &["config"]).out;
    assert!(config.contains("default") && !config.contains('…'), "{config}");
    for line in done.out.lines().chain(config.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[tokio::test]
async fn lists_inside_a_row_are_tables_of_their_own() {
    for portal in test_portals().await {
        let spv = portal.client("maya@example.com")["identifier"].as_str().unwrap().to_owned();
        let chosen = portal.run(&["spv", "show", &spv, "--fields", "identifier,status"]);
        assert_eq!((chosen.code, chosen.out.lines().count()), (0, 2), "{}{}", chosen.out, chosen.err);
        let steps = portal.run(&["spv", "show", &spv, "--fields", "status,steps"]);
        assert!(steps.out.contains("\nSteps\n") && steps.out.contains("Step name"), "{}", steps.out);
        let number = portal.json(&["invoice", "list"])[0]["number"].as_str().unwrap().to_owned();
        portal.json(&["company", "create", "--name", "Elsewhere", "--business-name", "Elsewhere Ltd"]);
        for (company, of_company) in [("Harbor Capital", 1), ("Elsewhere", 0)] {
            let found = portal.json(&["invoice", "list", "--company", company]);
            assert_eq!(found.as_array().map(Vec::len), Some(of_company), "{company}");
        }
        portal.json(&["invoice", "pay", &number, "--amount", "250.00"]);
        let shown = portal.run(&["invoice", "show", &number]).out;
        for words in ["\nLines\n", "Unit price", "\nPayments\n", "250.00"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        // Empty lists are left out of tables and stay in JSON.
        assert!(!shown.contains("Credit notes"), "{shown}");
        assert_eq!(portal.json(&["invoice", "show", &number])["credit_notes"], serde_json::json!([]));
        let statement = portal.run(&["commission", "statement"]);
        assert!(!statement.out.contains("Commissions"), "{}", statement.out);
    }
}

#[tokio::test]
async fn refusals_come_before_questions() {
    for portal in test_portals().await {
        let spv = portal.client("maya@example.com")["identifier"].as_str().unwrap().to_owned();
        let number = portal.json(&["invoice", "list"])[0]["number"].as_str().unwrap().to_owned();
        let backup = portal.json(&["backup", "create"])["id"].as_str().unwrap().to_owned();
        let elsewhere = format!("sqlite:{}", portal.dir.join("there.db").display());
        let refused: [(&[&str], &str); 7] = [
            (&["invoice", "pay", &number, "--amount", "1.250"], "--amount:"),
            (&["invoice", "pay", &number, "--amount", "99999999"], "--amount:"),
            (&["invoice", "raise", &number], "void"),
            (&["mail", "test", "--to", "foo"], "--to:"),
            (&["spv", "resume", &spv], "This order is active"),
            (&["backup", "restore", &backup], "--replace"),
            (&["move", "--to", &portal.world.url], "--to"),
        ];
        for (args, words) in refused {
            let (code, said) = on_a_terminal(&portal, args, &[]);
            assert!(code > 0 && !said.contains("[y/N]"), "{args:?}: {said}");
            assert!(said.contains(words) || args[0] == "move", "{args:?}: {said}");
        }
        let _worker = portal.start(&["worker"]);
        portal.until(&["job", "stats"], std::time::Duration::from_secs(60), |stats| {
            stats.iter().any(|row| row["status"] == "workers" && row["count"] != 0)
        });
        let (code, said) = on_a_terminal(&portal, &["move", "--to", &elsewhere], &[]);
        assert!(code == 1 && !said.contains("[y/N]") && said.contains("two minutes"), "{said}");
        assert!(!portal.dir.join("there.db").exists());
    }
}

#[tokio::test]
async fn a_test_email_is_sent_without_a_question() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let (code, said) = on_a_terminal(&portal, &["mail", "test", "--to", "ada@example.com"], &[]);
    assert!(code == 0 && !said.contains("[y/N]"), "{said}");
}

#[tokio::test]
async fn more_rows_are_announced_without_the_cursor_on_a_terminal() {
    let portal = TestPortal::sqlite().await;
    assert_eq!(portal.run(&["seed", "--spvs", "3"]).code, 0);
    let list = ["spv", "list", "--limit", "2"];
    let (_, said) = on_a_terminal(&portal, &list, &[]);
    assert!(said.contains("There is more: --limit 500, or --all.") && !said.contains("--cursor"), "{said}");
    let piped = portal.run(&list);
    let cursor = piped.err.split("--cursor ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    assert_eq!(portal.json(&["spv", "list", "--limit", "2", "--cursor", cursor]).as_array().map(Vec::len), Some(1));
    let page: Value = serde_json::from_str(&portal.run(&[&list[..], &["--format", "json"]].concat()).out).unwrap();
    assert_eq!(page["next_cursor"], cursor);
}

#[cfg(unix)]
#[tokio::test]
async fn a_failed_export_names_the_file_that_was_asked_for() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let nowhere = portal.dir.join("nowhere/clients.csv");
    let missing = portal.run(&["export", "clients", "--out", nowhere.to_str().unwrap()]);
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("clients.csv cannot be written: there is no folder"), "{}", missing.err);
    // Root may write into a read-only folder, but in no folder of the kernel.
    let refused = portal.run(&["export", "clients", "--out", "/proc/clients.csv"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("--out: /proc/clients.csv cannot be written"), "{}", refused.err);
    assert!(!missing.err.contains(".tmp") && !refused.err.contains(".tmp"), "{}{}", missing.err, refused.err);
}

#[tokio::test]
async fn a_backup_of_a_newer_schema_is_refused_with_the_schema() {
    let portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let id = portal.json(&["backup", "create"])["id"].as_str().unwrap().to_owned();
    let manifest = portal.dir.join("backups").join(&id).join("manifest.json");
    let mut newer: Value = serde_json::from_str(&std::fs::read_to_string(&manifest).unwrap()).unwrap();
    newer["migrations"].as_array_mut().unwrap().push(9_999.into());
    std::fs::write(&manifest, newer.to_string()).unwrap();
    let refused = portal.run(&["backup", "restore", &id, "--replace", "--yes"]);
    assert!(refused.code == 1 && refused.err.contains("newer schema (9999)"), "{}", refused.err);
}
