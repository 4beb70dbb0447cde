//! Lists: tables that fit the terminal, chosen fields, sort orders, pages.

use crate::{
    prompts::on_a_terminal,
    support::{CommandOutput, TestPortal, test_portals},
};
use serde_json::Value;

fn with_orders(portal: &TestPortal, orders: &str) {
    let seeded = portal.run(&["seed", "--spvs", orders]);
    assert_eq!(seeded.code, 0, "{}", seeded.err);
}

#[tokio::test]
async fn list_is_one_line_a_row_within_the_columns() {
    let portal = TestPortal::sqlite().await;
    with_orders(&portal, "200");
    let all = portal.json(&["spv", "list", "--all"]);
    let orders = all.as_array().unwrap();
    assert_eq!(orders.len(), 200);
    for columns in [60, 80, 100, 200] {
        let mut command = portal.command(&["spv", "list", "--all"]);
        let done: CommandOutput = command.env("COLUMNS", columns.to_string()).output().unwrap().into();
        let lines: Vec<&str> = done.out.lines().collect();
        assert_eq!(lines.len(), 201, "{}", done.out);
        for (line, order) in lines[1..].iter().zip(orders) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
            assert!(line.starts_with(order["identifier"].as_str().unwrap()), "{columns}: {line}");
            assert!(line.contains(order["status"].as_str().unwrap()), "{columns}: {line}");
            let amount = order["amount"].as_str().unwrap_or_default();
            assert!(columns < 80 || line.contains(amount), "{columns}: {line}");
        }
    }
    // Every column is there where nobody looks at the width.
    let whole = portal.run(&["spv", "list"]).out;
    assert!(whole.lines().next().unwrap().contains("Percent"), "{whole}");
}

#[tokio::test]
async fn pages_are_objects_and_all_reads_every_one() {
    for portal in test_portals().await {
        with_orders(&portal, "5");
        let page = |args: &[&str]| -> Value {
            let done = portal.run(&[&["spv", "list", "--format", "json"], args].concat());
            assert_eq!(done.code, 0, "{}", done.err);
            serde_json::from_str(&done.out).unwrap()
        };
        let first = page(&["--limit", "2"]);
        assert_eq!(first["items"].as_array().unwrap().len(), 2);
        let second = page(&["--limit", "2", "--cursor", first["next_cursor"].as_str().unwrap()]);
        assert_ne!(first["items"][0]["id"], second["items"][0]["id"]);
        let all = page(&["--all"]);
        assert_eq!((all["items"].as_array().unwrap().len(), &all["next_cursor"]), (5, &Value::Null));
        assert_eq!(portal.run(&["spv", "list", "--all", "--limit", "2"]).code, 2);

        let amounts = |sort: &str| -> Vec<f64> {
            let found = portal.json(&["spv", "list", "--sort", sort]);
            let amount = |order: &Value| order["amount"].as_str().and_then(|amount| amount.parse().ok());
            found.as_array().unwrap().iter().filter_map(amount).collect()
        };
        assert!(amounts("amount").is_sorted() && amounts("-amount").iter().rev().is_sorted());
        let wrong = portal.run(&["spv", "list", "--sort", "colour"]);
        assert!(wrong.code == 2 && wrong.err.contains("one of -ordered_date"), "{}", wrong.err);
        for list in ["client", "company", "iso", "document", "invoice", "commission", "lead", "request"] {
            assert_eq!(portal.run(&[list, "list", "--sort", "colour"]).code, 2, "{list}");
        }
    }
}

#[tokio::test]
async fn fields_choose_in_every_format() {
    let portal = TestPortal::sqlite().await;
    with_orders(&portal, "2");
    let fields = |format: &str| portal.run(&["spv", "list", "--fields", "status,identifier", "--format", format]).out;
    assert_eq!(fields("csv").lines().next(), Some("status,identifier"));
    assert_eq!(fields("table").lines().next(), Some("Status      Identifier"));
    let listed: Value = serde_json::from_str(&fields("json")).unwrap();
    assert_eq!(listed["items"][0].as_object().unwrap().len(), 2);
    // A field that tables leave out, and the other name of the flag.
    let ids = portal.run(&["spv", "list", "--columns", "id"]).out;
    assert_eq!(ids.lines().nth(1).unwrap().len(), 36);
    let one =
        portal.run(&["spv", "show", ids.lines().nth(1).unwrap(), "--fields", "id,percent", "--format", "csv"]).out;
    assert_eq!(one.lines().next(), Some("id,percent"));
    let wrong = portal.run(&["spv", "list", "--fields", "amuont"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("--fields: there is no field amuont; did you mean amount?"), "{}", wrong.err);
}

#[tokio::test]
async fn statuses_are_coloured_on_a_terminal_only() {
    let mut portal = TestPortal::sqlite().await;
    portal.client("maya@example.com");
    let coloured = |portal: &TestPortal| on_a_terminal(portal, &["client", "list"], &[]).1.contains("\u{1b}[38;5;");
    assert!(coloured(&portal));
    assert!(!portal.run(&["client", "list"]).out.contains('\u{1b}'));
    portal.set("NO_COLOR", "1");
    assert!(!coloured(&portal));
}
