//! `spvctl import` of files from exports, from spreadsheets, and malformed ones.

use crate::support::{CommandOutput, TestPortal, spvctl, test_portals, write};
use serde_json::{Value, json};
use std::{io::Write, process::Stdio};

/// Imports a text from standard input.
fn import(portal: &TestPortal, table: &str, text: &str, more: &[&str]) -> CommandOutput {
    let mut command = portal.command(&[&["import", table, "-"], more].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses to start does not read its input.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap().into()
}

/// Creates a company with two ISO partners.
fn create_company(portal: &TestPortal) {
    portal.json(&["company", "create", "--name", "Harbor, \"Capital\"", "--business-name", "Harbor Capital LLC"]);
    for first in ["Ines", "Igor"] {
        let email = format!("{}@example.com", first.to_lowercase());
        let company = ["--company", "Harbor, \"Capital\""];
        portal.json(
            &[&["iso", "create", "--first-name", first, "--last-name", "Vega", "--email", &email], &company[..]]
                .concat(),
        );
    }
}

/// Exported rows sorted by `key`, without the columns that differ between portals.
fn exported(portal: &TestPortal, table: &str, key: &str) -> Vec<Value> {
    let done = portal.run(&["export", table, "--format", "json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let mut rows: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &mut rows {
        for own in ["id", "created_at"] {
            row.as_object_mut().unwrap().remove(own);
        }
    }
    rows.sort_by_key(|row| row[key].to_string());
    rows
}

#[tokio::test]
async fn an_export_imports_into_another_portal() {
    for portal in test_portals().await {
        let first = TestPortal::sqlite().await;
        create_company(&first);
        let base = ["client", "create", "--setup", "full", "--company", "Harbor, \"Capital\"", "--price", "1250.00"];
        for (name, email, more) in [
            ("Maya", "Maya@example.com", &["--phone", "+1 555 0144", "--address", "1 Main St, =Springfield"][..]),
            ("=Ada", "ada@example.com", &["--iso", "igor@example.com", "--commission", "12.34"]),
            ("Otto", "otto@example.com", &[]),
        ] {
            let who = ["--first-name", name, "--last-name", "O'Neill \"Söhne\"", "--email", email];
            first.json(&[&base[..], &who, more].concat());
        }
        let order = ["spv", "create", "--client", "ada@example.com", "--iso", "ines@example.com"];
        for (identifier, amount) in [("=F-1", "250000.50"), ("F-2", "100"), ("F-3", "7"), ("F-4", "9")] {
            let terms =
                ["--purchase-amount", amount, "--iso-commission-percentage", "2.5", "--custom-identifier", identifier];
            first.json(&[&order[..], &terms].concat());
        }
        first.json(&["spv", "start", "F-2"]);
        for (identifier, steps) in [("=F-1", 8), ("F-2", 3), ("F-3", 1)] {
            for step in 1..=steps {
                first.json(&["step", "set", identifier, &step.to_string(), "--status", "completed"]);
            }
        }
        first.json(&["spv", "cancel", "F-3", "--reason", "Two\nlines"]);
        first.json(&["spv", "hold", "F-4", "--reason", "-"]);
        let open = first.json(&["spv", "list", "--open"]);
        let open: Vec<_> = open.as_array().unwrap().iter().map(|spv| spv["identifier"].as_str().unwrap()).collect();
        assert!(open.contains(&"F-4") && !open.contains(&"=F-1") && !open.contains(&"F-3"), "{open:?}");
        first.json(&["client", "suspend", "otto@example.com"]);

        create_company(&portal);
        let clients = first.run(&["export", "clients"]).out;
        assert!(clients.contains("'+1 555 0144") && clients.contains("'=Ada"), "{clients}");
        let done = import(&portal, "clients", &clients, &[]);
        assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
        assert_eq!(done.err, "Imported 3, already present 0, rejected 0.\n");
        // Also the orders of a suspended client.
        let (csv, lines) = (first.run(&["export", "spvs"]).out, first.run(&["export", "spvs", "--format", "json"]).out);
        let done = import(&portal, "spvs", &csv, &[]);
        assert_eq!((done.code, done.err.as_str()), (0, "Imported 7, already present 0, rejected 0.\n"), "{}", done.out);
        let again = import(&portal, "spvs", &lines, &[]);
        assert_eq!(
            (again.code, again.err.as_str()),
            (0, "Imported 0, already present 7, rejected 0.\n"),
            "{}",
            again.out
        );

        assert_eq!(exported(&portal, "clients", "email"), exported(&first, "clients", "email"));
        assert_eq!(exported(&portal, "spvs", "identifier"), exported(&first, "spvs", "identifier"));
        assert_eq!(portal.json(&["mail", "list"]).as_array().unwrap().len(), 2, "of the partners");
        assert_eq!(portal.json(&["invoice", "list"]), json!([]));
        assert_eq!(portal.failed_checks(), [""; 0]);
    }
}

const CLIENTS: &str = "\u{feff}first_name,last_name,email,company_name\r\n\
    Ada,Lima,ada@example.com,\"Harbor, \"\"Capital\"\"\"\r\n\
    Ada,Lima,ADA@example.com,\"Harbor, \"\"Capital\"\"\"\r\n\
    \r\n\
    Cleo,Lima,nonsense,Nowhere\r\n\
    Dora,Lima\r\n\
    Emil,Lima,emil@example.com,\"Harbor\r\n";

#[tokio::test]
async fn refused_rows_are_listed_by_line_and_the_others_imported() {
    for portal in test_portals().await {
        create_company(&portal);
        let dry = import(&portal, "clients", CLIENTS, &["--dry-run", "--format", "json"]);
        assert_eq!(dry.code, 1);
        let twin = "Line 3: Ada Lima is already present as ada@example.com.\n";
        assert_eq!(
            dry.err,
            format!("{twin}Dry run: 1 to import, 1 already present, 3 rejected. Nothing was changed.\n")
        );
        assert_eq!(portal.json(&["client", "list"]), json!([]));
        let done = import(&portal, "clients", CLIENTS, &["--format", "json"]);
        assert_eq!((done.code, done.err), (1, format!("{twin}Imported 1, already present 1, rejected 3.\n")));
        assert_eq!(done.out, dry.out);
        let refused = serde_json::from_str::<Value>(&done.out).unwrap()["items"].take();
        assert_eq!(
            refused,
            json!([
                {
                    "line": 5, "name": "Cleo Lima", "outcome": "rejected", "field": "email, company_name", "portal": null,
                    "file": "nonsense", "reason": "Enter an email address, for example name@example.com. Not found. Choose another.",
                },
                {
                    "line": 6, "name": "", "outcome": "rejected", "field": null, "portal": null, "file": null,
                    "reason": "This row has 2 cells; the file has 4 columns.",
                },
                {
                    "line": 7, "name": "", "outcome": "rejected", "field": null, "portal": null, "file": null,
                    "reason": "A quotation mark in this row is not closed. Close it, or write it twice if it belongs to the text.",
                },
            ])
        );
        let table = import(&portal, "clients", CLIENTS, &["--format", "csv"]);
        assert_eq!((table.code, table.err), (1, format!("{twin}Imported 0, already present 2, rejected 3.\n")));
        assert!(
            table.out.starts_with("line,name,outcome,field,portal,file,reason\n5,Cleo Lima,rejected,"),
            "{}",
            table.out
        );

        let orders = "{\"identifier\":\"F-1\",\"client_email\":\"ada@example.com\",\"company_name\":\"Harbor, \\\"Capital\\\"\",\
                      \"price\":0.070,\"steps_completed\":2,\"amount\":null}\n\n{\"identifier\":\n\
                      {\"identifier\":\"F-2\",\"status\":[]}\n{\"identifier\":\"F-3\"}\n";
        let done = import(&portal, "spvs", orders, &["--format", "csv"]);
        assert_eq!((done.code, done.err.as_str()), (1, "Imported 1, already present 0, rejected 3.\n"));
        let lines: Vec<&str> = done.out.lines().collect();
        assert_eq!(
            lines[1..3],
            [
                "3,,rejected,,,,\"This line is not a JSON object, which begins with { and ends with }.\"",
                "4,,rejected,status,,,Must be a text or a number."
            ]
        );
        assert!(lines[3].starts_with("5,F-3,"), "{}", lines[3]);
        let order = portal.json(&["spv", "show", "F-1"]);
        assert_eq!((&order["amount"], &order["status"]), (&json!("0.07"), &json!("pending")));
    }
}

#[tokio::test]
async fn malformed_files_are_refused_before_the_first_row() {
    let portal = TestPortal::sqlite().await;
    create_company(&portal);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let good = "Ada,Lima,ada@example.com,\"Harbor, \"\"Capital\"\"\"";
    let header = "first_name,last_name,email,company_name";
    for (text, words) in [
        (format!("{header},password\n{good},secret\n"), "The column “password” is not known."),
        (format!("first_name,email\n{good}\n"), "These columns are missing: last_name, company_name."),
        (format!("{header},email\n{good},x\n"), "The column “email” appears twice."),
        (format!("\"{header}\n{good}\n"), "A quotation mark of the header is not closed."),
        ("{\"email\":\"ada@example.com\"}\n".to_owned(), "These columns are missing: first_name,"),
        (
            "[{\"email\":\"ada@example.com\"}]\n".to_owned(),
            "Expected one JSON object per line, as an export writes it.",
        ),
    ] {
        write(folder.path().join("clients.csv").as_path(), &text);
        let done = portal.run(&["import", "clients", &path("clients.csv")]);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{text}: {}", done.err);
        assert!(done.err.starts_with(&format!("error: {}: {words}", path("clients.csv"))), "{}", done.err);
    }
    std::fs::write(path("damaged.csv"), b"Zo\xc3\xab\nS\xf6hne\n").unwrap();
    let damaged = portal.run(&["import", "clients", &path("damaged.csv")]);
    assert_eq!((damaged.code, damaged.err.contains("Line 2 has damaged characters")), (2, true), "{}", damaged.err);
    let nowhere = portal.run(&["import", "clients", &path("nowhere.csv")]);
    assert_eq!((nowhere.code, nowhere.err.contains("nowhere.csv: cannot be read: ")), (1, true), "{}", nowhere.err);
    for (text, words) in [
        ("", "standard input is empty.\n".to_owned()),
        (" \r\n\n", "standard input is empty.\n".to_owned()),
        (header, "standard input has a header but no rows.\n".to_owned()),
    ] {
        let empty = import(&portal, "clients", text, &[]);
        assert_eq!((empty.code, empty.out, empty.err), (0, String::new(), words), "{text:?}");
    }
    assert_eq!(portal.json(&["client", "list"]), json!([]));
    assert_eq!(spvctl(&["import", "users", "x.csv"]).output().unwrap().status.code(), Some(2));
}

#[tokio::test]
async fn missing_company_column_is_explained_and_rows_are_counted() {
    let portal = TestPortal::sqlite().await;
    create_company(&portal);
    let refused = import(&portal, "clients", "first_name,last_name,email\nAda,Lima,ada@example.com\n", &[]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("Each client belongs to a company"), "{}", refused.err);
    assert!(!refused.err.contains("--map"), "no column is left to map: {}", refused.err);
    let mapped = import(&portal, "clients", "first_name,last_name,email,firm\nAda,Lima,ada@example.com,x\n", &[]);
    assert!(mapped.err.contains("--map"), "{}", mapped.err);
    let one = "first_name,last_name,email,company_name\nAda,Lima,ada@example.com,\"Harbor, \"\"Capital\"\"\"\n";
    assert_eq!(import(&portal, "clients", one, &[]).code, 0);
    let id = portal.json(&["import", "list"])[0]["id"].as_str().unwrap().to_owned();
    let asked = portal.run(&["import", "undo", &id[..8]]);
    assert!(asked.err.contains("Remove the 1 row of clients that was imported"), "{}", asked.err);
    let undone = portal.run(&["import", "undo", &id[..8], "--yes"]);
    assert!(undone.err.contains("Removed 1 row; 0 stay."), "{}", undone.err);
}

#[tokio::test]
async fn files_of_a_spreadsheet_are_read_and_the_form_is_said() {
    let portal = TestPortal::sqlite().await;
    create_company(&portal);
    portal.client("maya@example.com");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.csv").to_str().unwrap().to_owned();
    let text = "Our number;Client E-Mail;Company Name;Price;Ordered Date;Colour\nF-1;maya@example.com;Harbor Capital;1.250,00;31.12.2025;röt\n";
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    std::fs::write(&path, bytes).unwrap();
    let refused = portal.run(&["import", "spvs", &path]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("skip unknown ones with --ignore-unknown"), "{}", refused.err);
    let map = ["--map", "our number=identifier", "--ignore-unknown"];
    let done = portal.run(&[&["import", "spvs", &path], &map[..]].concat());
    let read = "Read as semicolon-separated Windows-1252 with decimal comma; dates as DD.MM.YYYY.\n";
    assert_eq!(
        (done.code, done.err),
        (0, format!("{read}Imported 1, already present 0, rejected 0.\n")),
        "{}",
        done.out
    );
    let order = portal.json(&["spv", "show", "F-1"]);
    assert_eq!((&order["amount"], &order["ordered_date"]), (&json!("1250.00"), &json!("2025-12-31")));
    // A difference is listed, and applied only with --update.
    let lines = "{\"identifier\":\"f-1\",\"client_email\":\"maya@example.com\",\"company_name\":\"Harbor Capital\",\
                 \"price\":1250,\"reference\":\"PO 7\"}\n";
    let differs = import(&portal, "spvs", lines, &["--format", "csv"]);
    let (header, row) = differs.out.split_once('\n').unwrap();
    assert_eq!(
        (header, row),
        ("line,name,outcome,field,portal,file,reason", "1,f-1,differs,reference,,PO 7,left unchanged\n")
    );
    assert!(
        differs.err.ends_with("Imported 0, already present 0, 1 with other values left unchanged, rejected 0.\n"),
        "{}",
        differs.err
    );
    let update = import(&portal, "spvs", lines, &["--update", "--format", "csv"]);
    assert_eq!((update.code, update.err.as_str()), (0, "Imported 0, 1 updated, already present 0, rejected 0.\n"));
    assert_eq!(portal.json(&["spv", "show", "F-1"])["reference"], json!("PO 7"));
    let ambiguous = "identifier,client_email,company_name,price\nF-2,maya@example.com,Harbor Capital,1.250\n";
    let refused = import(&portal, "spvs", ambiguous, &[]);
    assert!(
        refused.code == 2 && refused.err.contains("Give --decimal-comma, or --decimal-comma=false."),
        "{}",
        refused.err
    );
    for (flag, wanted) in [("--decimal-comma=false", "1.25"), ("--decimal-comma", "1250.00")] {
        let again = ambiguous.replace("F-2", &format!("F-{wanted}"));
        assert_eq!(import(&portal, "spvs", &again, &[flag]).code, 0, "{flag}");
        assert_eq!(portal.json(&["spv", "show", &format!("F-{wanted}")])["amount"], json!(wanted), "{flag}");
    }
}
